//! Tests that optima on the data sets in `data/` agree with those of an independent solver (L-BFGS, then Newton steps,
//! in scipy), which are exact to 1e-12.

use std::path::Path;
use surefoot_bench::examples;
use surefoot_glm::{
    Bounds, Loss,
    optimum::{Ended, Examples, Goal, optimise},
};

fn set(name: &str, loss: Loss) -> Examples {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    examples(&folder.join(name), loss).expect("a sound file").0
}

/// Asserts that the objective found for the relative tolerance 1e-6 is that close to the minimum `least`, and that the
/// certified gap is at most the tolerance and at least the true gap.
fn holds(examples: &Examples, loss: Loss, l2: f64, intercept: bool, least: f64) {
    let goal = Goal {
        loss,
        classes: 1,
        l1: 0.0,
        l2,
        bounds: Bounds::FREE,
        rules: &[],
        intercept,
        tolerance: 1e-6,
        threads: 2,
    };
    let found = optimise(examples, &goal, (&[], &[]), &|| false, &mut |_| ()).expect("rows with weight");
    let (missing, gap) = (found.objective / least - 1.0, found.relative_gap().expect("a certificate"));
    assert_eq!(found.ended, Ended::Certified, "{goal:?}");
    // The reference is good to 1e-12.
    assert!((-1e-12..=1e-6).contains(&missing), "{goal:?}: {missing}");
    assert!(gap <= 1e-6 && gap >= missing - 1e-12, "{goal:?}: {gap} for {missing}");
}

#[test]
fn a9a() {
    let examples = set("a9a.train.svm.gz", Loss::Logistic);
    let n = 32561.0;
    for (loss, l2, intercept, least) in [
        (Loss::Logistic, 1.0 / n, false, 0.3233795824648476),
        (Loss::Logistic, 1.0 / n, true, 0.32334917326075086),
        (Loss::Logistic, 0.01 / n, false, 0.3226407943439089),
        (Loss::Logistic, 0.01 / n, true, 0.3226404605746733),
        (Loss::SquaredHinge, 1.0 / n, false, 0.4220508370251209),
        (Loss::SquaredHinge, 1.0 / n, true, 0.4220479542927633),
        (Loss::SquaredHinge, 0.01 / n, false, 0.421951729531147),
        (Loss::SquaredHinge, 0.01 / n, true, 0.42195169976152425),
    ] {
        holds(&examples, loss, l2, intercept, least);
    }
}

#[test]
fn diabetes() {
    let examples = set("diabetes.train.svm", Loss::Squared);
    let n = 353.0;
    for (loss, l2, intercept, least) in [
        (Loss::Squared, 1.0 / n, false, 12998.343581206558),
        (Loss::Squared, 1.0 / n, true, 1402.8122247354631),
        (Loss::Squared, 0.01 / n, false, 12995.126681392332),
        (Loss::Squared, 0.01 / n, true, 1399.5953184408547),
    ] {
        holds(&examples, loss, l2, intercept, least);
    }
}
