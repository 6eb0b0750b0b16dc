//! Tests of searches at points where no step gains anything, and for losses whose curvature is 0 at the start.

use super::problem::{Dice, at_least_0, examples, goal, objective, optimum, rows};
use surefoot_glm::{
    Bounds, Loss,
    optimum::{Ended, Examples, Goal, Optimum, optimise},
};

type Rows = Vec<(f64, f64, Vec<u32>, Vec<f64>)>;

/// Returns rows whose labels are so far apart that hardly any residual lies in the quadratic part of Huber loss with δ = 1.
fn apart() -> Rows {
    let labels = [10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 1000.0];
    let values = [1.0, -1.0, 1.0, -1.0, 0.5, -0.5, 2.0];
    labels.into_iter().zip(values).map(|(y, x)| (y, 1.0, vec![0], vec![x])).collect()
}

fn certified(rows: &Rows, goal: &Goal) -> Optimum {
    let found = optimum(&examples(rows), goal);
    assert_eq!(found.ended, Ended::Certified, "{goal:?} {found:?}");
    let here = objective(rows, goal, &found.weights, found.intercept[0]);
    assert!((here / found.objective - 1.0).abs() < 1e-12, "{goal:?}: {here} is not {}", found.objective);
    found
}

/// Each entry: l1, l2, whether weights are at least 0, and the optimal objective of Huber loss on the rows of `apart`, found by a
/// search over the single weight with the exact best intercept for each of its values.
const GOLDEN: [(f64, f64, bool, f64); 6] = [
    (0.0, 1.0, false, 200.9897959183674),
    (1.0, 0.0, false, 201.0),
    (0.1, 0.01, false, 200.90816326530617),
    (0.0, 0.001, false, 194.83792907622416),
    (0.0, 1.0, true, 200.9897959183674),
    (0.1, 0.0, true, 198.73714285714286),
];
/// Least objective of Huber loss on the rows of `apart` without a penalty.
const UNPENALISED: f64 = 193.4126984126984;

#[test]
fn a_search_goes_on_where_nothing_curves() {
    let huber = Loss::Huber { delta: 1.0 };
    for (l1, l2, nonnegative, least) in GOLDEN {
        let goal = Goal { bounds: at_least_0(nonnegative), ..goal(huber, l1, l2, true) };
        let found = certified(&apart(), &goal);
        assert!((found.objective / least - 1.0).abs() <= 1e-6, "{goal:?}: {found:?} is not {least}");
    }
}

/// Checks that, without a penalty and thus without a certificate, a search does not take a point of zero curvature, where no
/// Newton step gains anything, for the optimum.
#[test]
fn without_a_penalty_nothing_that_curves_is_no_optimum() {
    let goal = goal(Loss::Huber { delta: 1.0 }, 0.0, 0.0, true);
    let found = optimum(&examples(&apart()), &goal);
    assert!((found.objective / UNPENALISED - 1.0).abs() <= 1e-6, "{found:?}");
    // Where Newton's method gets there, it says so.
    let found = optimum(&examples(&rows(goal.loss)), &goal);
    assert_eq!(found.ended, Ended::Decrement, "{found:?}");
}

#[test]
fn no_ramp_stalls() {
    let mut dice = Dice(3);
    for case in 0..300 {
        let loss = if case % 2 == 0 { Loss::Huber { delta: 1.0 } } else { Loss::SmoothedHinge };
        let (count, columns, far) = (5 + case % 31, 1 + case % 4, 10_f64.powi(case % 6));
        let row = |dice: &mut Dice| {
            let x: Vec<f64> = (0..columns).map(|_| dice.unit() * if case % 5 == 0 { far } else { 1.0 }).collect();
            let score = far * dice.unit() * dice.unit() + x[0];
            let label = if loss.classifies() { score.signum() } else { score };
            (label, 1.0 + dice.unit().abs(), (0..columns as u32).collect(), x)
        };
        let rows: Rows = (0..count).map(|_| row(&mut dice)).collect();
        let (l1, l2) = [(0.0, 1e-4), (0.01, 0.0), (0.1, 0.1), (10.0, 0.0), (0.0, 10.0)][case as usize % 5];
        certified(&rows, &Goal { bounds: at_least_0(case % 7 == 0), ..goal(loss, l1, l2, case % 3 > 0) });
    }
}

/// Checks that a search finds the optimum from extreme initial weights, at which the objective is not finite or larger than at 0.
#[test]
fn a_search_does_not_begin_where_there_is_no_objective() {
    for loss in [Loss::Gamma, Loss::Poisson, Loss::Tweedie { power: 1.5 }, Loss::Squared, Loss::Softmax, Loss::Ovr] {
        for l1 in [0.0, 0.01] {
            let classes = if matches!(loss, Loss::Softmax | Loss::Ovr) { 3 } else { 1 };
            let goal = Goal { classes, ..goal(loss, l1, 0.01, true) };
            let examples: Examples = examples(&rows(loss));
            let least = optimum(&examples, &goal);
            assert_eq!(least.ended, Ended::Certified, "{goal:?}");
            for bad in [-1.1e306, 1.1e306, f64::NAN, f64::INFINITY, 1e5, -1e5] {
                for (weight, intercept) in [(0.0, bad), (bad, 0.0)] {
                    // Of one class alone: what all classes share, softmax does not see.
                    let of = |length: usize, at: f64| (0..length).map(move |k| if k % classes == 0 { at } else { 0.0 });
                    let (weights, intercepts) = (of(5 * classes, weight), of(classes, intercept));
                    let (weights, intercepts): (Vec<f64>, Vec<f64>) = (weights.collect(), intercepts.collect());
                    let found = optimise(&examples, &goal, (&weights, &intercepts), &|| false, &mut |_| ());
                    let found = found.expect("rows with weight");
                    assert_eq!(found.ended, Ended::Certified, "{goal:?} from {weight} and {intercept}: {found:?}");
                    assert!((found.objective / least.objective - 1.0).abs() <= 1e-6, "{goal:?}: {found:?}");
                }
            }
        }
    }
}

/// Checks that no certified gap is below the true one for Poisson loss when e^margin is so large that labels are lost in rounding.
#[test]
fn a_poisson_certificate_survives_margins_far_from_the_labels() {
    let mut examples = Examples::default();
    for (y, offset) in [(0.0, 45.0), (1.0, 40.0), (3.0, 0.0), (0.0, -5.0), (2.0, 1.0), (5.0, -2.0)] {
        examples.push(y, 1.0, offset, &[0, 1], &[y - 2.0, -offset / 10.0]);
    }
    let goal = Goal { bounds: Bounds::NONNEGATIVE, ..goal(Loss::Poisson, 0.0, 0.618, true) };
    let mut trace = Vec::new();
    let last = optimise(&examples, &goal, (&[], &[]), &|| false, &mut |best| trace.push((best.objective, best.gap)));
    let last = last.expect("rows with weight");
    assert_eq!(last.ended, Ended::Certified, "{last:?}");
    for (objective, gap) in trace {
        assert!(
            gap.is_none_or(|gap| gap >= (objective - last.objective) * (1.0 - 1e-9)),
            "{objective} {gap:?} {last:?}"
        );
    }
}

/// Checks that rows without features have an optimum for every loss, with and without an intercept, and that the optimum is
/// certified.
#[test]
fn rows_without_features_have_an_optimum() {
    for loss in Loss::SCALAR {
        let classes = if matches!(loss, Loss::Softmax | Loss::Ovr) { 2 } else { 1 };
        let labels =
            if classes == 2 { [0.0, 1.0, 1.0] } else { [1.0, if loss.classifies() { -1.0 } else { 2.0 }, 1.0] };
        let mut rows = Examples::default();
        labels.into_iter().for_each(|y| rows.push(y, 1.0, 0.0, &[], &[]));
        for (l1, l2) in [(0.0, 0.1), (0.1, 0.0), (0.0, 0.0)] {
            for intercept in [false, true] {
                let goal = Goal { classes, ..goal(loss, l1, l2, intercept) };
                let found = optimum(&rows, &goal);
                assert!(found.objective.is_finite() && found.intercept.len() == classes, "{goal:?}: {found:?}");
                assert!(intercept || found.intercept.iter().all(|b| *b == 0.0), "{goal:?}: {found:?}");
                assert!(intercept || found.gap == Some(0.0), "{goal:?}: {found:?}");
                if !loss.is_multiclass() && !intercept {
                    let exact = labels.map(|y| loss.value(y, 0.0)).iter().sum::<f64>() / 3.0;
                    assert!((found.objective - exact).abs() <= 1e-15 * exact.abs(), "{goal:?}: {found:?}");
                }
            }
        }
    }
}
