//! Rows whose points are runs of T steps on a problem that is made for T.

use crate::method::{Method, Run, descend};
use crate::problem::{Facts, Problem};
use crate::{Reading, Row};

/// Result of a run.
pub(super) struct Outcome {
    pub(super) steps: u64,
    pub(super) facts: Facts,
    /// L(output) − L*.
    pub(super) excess: f64,
    pub(super) run: Run,
}

/// A row of excesses: `problem` makes the problem for T, `read` sets what is measured beside its bounds.
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

/// An excess under the bound that follows from B·√(2Σα_t²‖g_t‖²), as the run had it.
pub(super) fn under_regret(o: &Outcome) -> Reading {
    Reading::of(o.excess).under(o.facts.diameter() * (2.0 * o.run.squares).sqrt() / o.run.total)
}

/// An excess under the bound that follows from the errors of hints, as the run had it.
pub(super) fn under_hinted_regret(o: &Outcome) -> Reading {
    Reading::of(o.excess).under(o.facts.diameter() * (2.0 * o.run.errors).sqrt() / o.run.total)
}
