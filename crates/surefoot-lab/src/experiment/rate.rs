//! Rows of experiments about rates of convergence: each point T of the axis is a run of T steps on a problem made for T.
//!
//! In round t, α_t is the weight and g_t the gradient; A_T is the sum of the weights, B the diameter of the domain and L* the minimum of the
//! loss.

use crate::method::{Method, Run, descend};
use crate::problem::{Facts, Problem};
use crate::{Reading, Row};

/// Result of a run of `steps` steps on a problem.
pub(super) struct Outcome {
    pub(super) steps: u64,
    pub(super) facts: Facts,
    /// Excess loss of the output: L(output) − L*, where L* is the minimum.
    pub(super) excess: f64,
    pub(super) run: Run,
}

/// Builds a row of an experiment about rates: `problem` makes the problem for a run of T steps, and `read` computes the measurement and its
/// bounds from the outcome of the run.
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

/// Returns the excess loss of the output, with the bound B·√(2Σα_t²‖g_t‖²)/A_T computed from the gradients of the run.
pub(super) fn under_regret(o: &Outcome) -> Reading {
    Reading::of(o.excess).under(o.facts.diameter() * (2.0 * o.run.squares).sqrt() / o.run.total)
}

/// Returns the excess loss of the output, with the bound B·√(2Σα_t²‖g_t − g_{t−1}‖²)/A_T, where g_{t−1} is the hint for g_t.
pub(super) fn under_hinted_regret(o: &Outcome) -> Reading {
    Reading::of(o.excess).under(o.facts.diameter() * (2.0 * o.run.errors).sqrt() / o.run.total)
}
