//! Tests of optima for multiclass losses, which have one margin per class.

use super::problem::{at_least_0, examples, goal, rows};
use surefoot_glm::{
    Loss,
    optimum::{Ended, Examples, Goal, Optimum, optimise},
};

/// Each entry: l1, l2, whether there is an intercept, whether weights are at least 0, and the least objectives of softmax and
/// one-vs-rest loss with three classes, computed in numpy by L-BFGS-B and then Newton steps on the nonzero weights.
const GOLDEN: [(f64, f64, bool, bool, f64, f64); 5] = [
    (0.0, 0.01, false, false, 0.8895258633415111, 1.6530099749803664),
    (0.0, 0.01, true, false, 0.8617331100613901, 1.6104860942198336),
    (0.02, 0.05, true, false, 1.0321853098461071, 1.8195458950744081),
    (0.02, 0.0, true, false, 0.9821596657305562, 1.7489707579679186),
    (0.0, 0.05, true, true, 1.0051364754716934, 1.800429949575519),
];

fn goals() -> impl Iterator<Item = (Goal<'static>, f64)> {
    GOLDEN.into_iter().flat_map(|(l1, l2, intercept, nonnegative, softmax, rest)| {
        [(Loss::Softmax, softmax), (Loss::Ovr, rest)].map(|(loss, least)| {
            (
                Goal { classes: 3, bounds: at_least_0(nonnegative), tolerance: 1e-11, ..goal(loss, l1, l2, intercept) },
                least,
            )
        })
    })
}

fn objective(goal: &Goal, best: &Optimum) -> f64 {
    let rows = rows(Loss::Softmax);
    let total: f64 = rows.iter().map(|row| row.1).sum();
    let one = |(y, weight, column, values): &(f64, f64, Vec<u32>, Vec<f64>)| {
        let margin = |k: usize| {
            let pairs = column.iter().zip(values);
            best.intercept[k] + pairs.map(|(&j, x)| best.weights[3 * j as usize + k] * x).sum::<f64>()
        };
        let margins = [margin(0), margin(1), margin(2)];
        weight / total * goal.loss.multiclass_value(*y as usize, &margins)
    };
    let penalty: f64 = best.weights.iter().map(|w| goal.l1 * w.abs() + goal.l2 / 2.0 * w * w).sum();
    rows.iter().map(one).sum::<f64>() + penalty
}

#[test]
fn optima_agree_and_certificates_hold_all_the_way() {
    let mut finite = 0;
    for (goal, least) in goals() {
        let examples = examples(&rows(Loss::Softmax));
        let found = optimise(&examples, &goal, (&[], &[]), &|| false, &mut |best| {
            let here = objective(&goal, best);
            assert!((here / best.objective - 1.0).abs() < 1e-12, "{goal:?}: {here} is not {}", best.objective);
            if let Some(gap) = best.gap {
                finite += 1;
                let missing = best.objective - least;
                assert!(gap >= missing - 1e-14, "{goal:?}: {gap} for {missing}");
            }
        });
        let found = found.expect("rows with weight");
        assert_eq!(found.ended, Ended::Certified, "{goal:?} {found:?}");
        assert!((found.objective / least - 1.0).abs() < 1e-10, "{goal:?} {found:?}: {least}");
        assert_eq!((found.weights.len(), found.intercept.len()), (15, 3));
        assert!(goal.bounds.is_free() || found.weights.iter().all(|w| *w >= 0.0), "{found:?}");
        let zeros = found.weights.iter().filter(|w| **w == 0.0).count();
        assert_eq!(zeros > 0, goal.l1 > 0.0 || !goal.bounds.is_free(), "{goal:?} {found:?}");
        // From there on nothing is left to do.
        let again = optimise(&examples, &goal, (&found.weights, &found.intercept), &|| false, &mut |_| ());
        assert!(again.is_some_and(|again| again.passes < 0.8 * found.passes), "{goal:?}");
    }
    assert!(finite > 50, "{finite} finite gaps");
}

/// Checks that the softmax optimum with two classes is the logistic optimum with half the l2 penalty, where the weights of the
/// two classes differ by the logistic weight.
#[test]
fn softmax_of_two_classes_is_logistic() {
    let plain = rows(Loss::Logistic);
    let coded: Vec<_> = plain.iter().map(|row| (f64::from(row.0 > 0.0), row.1, row.2.clone(), row.3.clone())).collect();
    let of = |rows: &[_], loss, l2| {
        let goal = Goal { classes: 2, tolerance: 1e-12, ..goal(loss, 0.0, l2, true) };
        optimise(&examples(rows), &goal, (&[], &[]), &|| false, &mut |_| ()).expect("rows with weight")
    };
    let (two, one) = (of(&coded, Loss::Softmax, 0.02), of(&plain, Loss::Logistic, 0.01));
    assert!((two.objective / one.objective - 1.0).abs() < 1e-12, "{two:?} {one:?}");
    // A gap of 1e-12 leaves weights √(2·gap/l2) apart.
    for (j, w) in one.weights.iter().enumerate() {
        assert!((two.weights[2 * j + 1] - two.weights[2 * j] - w).abs() < 1.5e-5, "{two:?} {one:?}");
    }
}

#[test]
fn threads_do_not_change_a_bit_of_classes() {
    let mut examples = Examples::default();
    for t in 0..4000_u32 {
        let x = [f64::from(t % 17) - 8.0, f64::from(t % 23) - 11.0, f64::from(t % 5)];
        let values: Vec<f64> = (0..40).map(|j| x[j % 3] * (1.0 + j as f64)).collect();
        let columns: Vec<u32> = (0..40).map(|j| j * (1 + t % 2)).collect();
        examples.push(f64::from((t % 17 + t % 5) % 3), 1.0, 0.0, &columns, &values);
    }
    for loss in Loss::MULTICLASS {
        let of = |threads| {
            let goal = Goal { classes: 3, threads, ..goal(loss, 0.0, 1e-3, true) };
            optimise(&examples, &goal, (&[], &[]), &|| false, &mut |_| ()).expect("rows with weight")
        };
        let alone = of(1);
        assert_eq!(alone.ended, Ended::Certified);
        assert_eq!(of(3), alone);
    }
}

#[test]
fn a_class_without_rows_and_one_class_alone_are_no_trouble() {
    for loss in Loss::MULTICLASS {
        for (classes, l1) in [(4, 0.0), (4, 0.01)] {
            let goal = Goal { classes, ..goal(loss, l1, 0.01, true) };
            let found = optimise(&examples(&rows(loss)), &goal, (&[], &[]), &|| false, &mut |_| ()).expect("rows");
            assert!(found.objective.is_finite() && found.weights.iter().all(|w| w.is_finite()), "{found:?}");
            assert_eq!(found.ended, Ended::Certified, "{found:?}");
        }
        let mut same = Examples::default();
        (0..9).for_each(|i| same.push(0.0, 1.0, 0.0, &[0], &[f64::from(i)]));
        for classes in [1, 3] {
            let goal = Goal { classes, ..goal(loss, 0.0, 0.01, true) };
            let found = optimise(&same, &goal, (&[], &[]), &|| false, &mut |_| ()).expect("rows");
            assert!(found.objective.is_finite() && found.objective < 1e-3, "{classes} {found:?}");
        }
    }
}
