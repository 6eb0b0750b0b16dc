//! Rows whose points are runs of T steps, each on a problem made for T.
//!
//! α_t and g_t are weight and gradient of round t, A_T is the sum of the weights, B the diameter of the domain and L* the minimum of the loss.

use crate::method::{Method, Run, descend};
use crate::problem::{Facts, Problem};
use crate::{Reading, Row};

/// Result of a run of `steps` steps.
pub(super) struct Outcome {
    pub(super) steps: u64,
    pub(super) facts: Facts,
    /// Excess of the output over the minimum: L(output) − L*.
    pub(super) excess: f64,
    pub(super) run: Run,
}

/// Builds a row of excesses: `problem` makes the problem for T, and `read` turns the outcome into a reading with its bounds.
pub(super) fn row<P: Problem>(
    label: &str,
    axis: &[f64],
    method: Method,
    problem: impl Fn(u64) -> P + Send + Sync + 'static,
    read: impl Fn(&Outcome) -> Reading + Send + Sync + 'static,
) -> Row {
    Row::points(label, axis, move |x, mut random| {
        let (steps, problem) = (x as u64, problem(x as u64));
        let run = descend(&problem, method, steps, &mut random, |_| {});
        read(&Outcome { steps, facts: problem.facts(), excess: problem.excess(&run.output), run })
    })
}

/// Returns the excess under the bound B·√(2Σα_t²‖g_t‖²)/A_T, computed from the gradients of the run.
pub(super) fn under_regret(o: &Outcome) -> Reading {
    Reading::of(o.excess).under(o.facts.diameter() * (2.0 * o.run.squares).sqrt() / o.run.total)
}

/// Returns the excess under the bound B·√(2Σα_t²‖g_t − g_{t−1}‖²)/A_T, computed from the errors of the run's hints.
pub(super) fn under_hinted_regret(o: &Outcome) -> Reading {
    Reading::of(o.excess).under(o.facts.diameter() * (2.0 * o.run.errors).sqrt() / o.run.total)
}
