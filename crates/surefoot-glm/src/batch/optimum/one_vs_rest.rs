//! One-vs-rest classification: solves one logistic problem per class, one after the other. The gap is the sum of the
//! gaps of these problems.

use super::{Ended, Goal, Optimum, design::Design, single_margin, workers::Workers};
use crate::loss::Loss;

/// Runs [`optimise`](super::optimise) for the one-vs-rest loss.
pub(super) fn optimise(
    design: &mut Design,
    workers: &Workers,
    goal: &Goal,
    (weights, intercept): (&[f64], &[f64]),
    each: &mut dyn FnMut(&Optimum),
) -> Optimum {
    let classes = goal.classes.max(1);
    let labels = design.label.to_vec();
    let goal = Goal { loss: Loss::Logistic, ..*goal };
    let start = |k: usize| -> (Vec<f64>, Vec<f64>) {
        let weights = weights.iter().skip(k).step_by(classes).copied().collect();
        (weights, intercept.get(k).copied().into_iter().collect())
    };
    let mut found: Vec<Option<Optimum>> = vec![None; classes];
    // First the starting points of all classes, so that there is a complete model from then on.
    for at_start in [true, false] {
        for k in 0..classes {
            design.label = labels.iter().map(|y| if *y == k as f64 { 1.0 } else { -1.0 }).collect();
            let (mut weights, mut intercept) = start(k);
            if let Some(before) = found[k].take_if(|_| !at_start) {
                (weights, intercept) = (before.weights, before.intercept);
            }
            let start = (&weights[..], &intercept[..]);
            let best = if at_start {
                single_margin::begin(design, workers, &goal, start)
            } else {
                single_margin::optimise(design, workers, &goal, start, &mut |best| {
                    let others =
                        found.iter().enumerate().map(|(other, one)| if other == k { Some(best) } else { one.as_ref() });
                    each(&joint_model(&others.flatten().collect::<Vec<_>>()));
                })
            };
            found[k] = Some(best);
        }
    }
    let found: Vec<&Optimum> = found.iter().flatten().collect();
    design.label = labels.into();
    let best = joint_model(&found);
    Optimum { ended: end(&best, &found, goal.tolerance), ..best }
}

/// Combines the optima of the binary problems of all classes into one multiclass model, whose objective and gap are the
/// sums of theirs.
fn joint_model(found: &[&Optimum]) -> Optimum {
    let columns = found.iter().map(|one| one.weights.len()).max().unwrap_or(0);
    let weight = |j: usize| found.iter().map(move |one| one.weights.get(j).copied().unwrap_or(0.0));
    let sum = |of: fn(&Optimum) -> f64| found.iter().map(|one| of(one)).sum::<f64>();
    Optimum {
        weights: (0..columns).flat_map(weight).collect(),
        intercept: found.iter().map(|one| one.intercept.first().copied().unwrap_or(0.0)).collect(),
        objective: sum(|one| one.objective),
        size: sum(|one| one.size),
        gap: found.iter().map(|one| one.gap).sum(),
        passes: sum(|one| one.passes),
        iterations: found.iter().map(|one| one.iterations).sum(),
        ended: Ended::Running,
    }
}

/// Returns the reason why the optimisation ended: stopped if that of any class was, certified if the sum of the gaps of
/// all classes is within the tolerance, otherwise the reason of a class that ended without a certificate.
fn end(best: &Optimum, found: &[&Optimum], tolerance: f64) -> Ended {
    let severity = |ended: &Ended| match ended {
        Ended::Stopped => 2,
        Ended::Certified => 0,
        _ => 1,
    };
    let severest = found.iter().map(|one| one.ended).max_by_key(severity).unwrap_or(Ended::Certified);
    let certified = best.relative_gap().is_some_and(|gap| gap <= tolerance);
    if certified && severest != Ended::Stopped { Ended::Certified } else { severest }
}
