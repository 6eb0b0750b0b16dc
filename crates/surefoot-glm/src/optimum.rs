//! Batch training to a certified optimum, for rows in memory.
//!
//! | objective | engine |
//! | --- | --- |
//! | no L1, few columns | Newton's method; steps by conjugate gradients, preconditioned by a Cholesky factor that is made anew only when it pays |
//! | no L1, many columns | the same, preconditioned by the diagonal |
//! | L1, elastic net | Newton's method; steps by coordinate descent on the quadratic model with the penalty as it is: on its matrix for few columns, by columns for many |
//!
//! Without L1 the search begins on growing samples of the rows. Whatever the engine, the certificate is the Fenchel gap at the
//! dual points that the quadratic model foresaw for the step: it is of the order of what the step left to gain, where that
//! at the slopes themselves is larger by the condition of the problem.
//!
//! *Memory*: columns filled for more than half take 8 bytes a row each, and then the other pairs are copied (12 bytes a
//! pair), else they are borrowed; about 64 bytes a row; up to 15 numbers a column; for few columns up to five squares of
//! 8 bytes; for L1 with many columns 12 bytes a pair more.
//!
//! Sums are made in shares that depend on the data alone, so the result has the same bits whatever the threads.

mod curve;
mod design;
mod direction;
mod examples;
mod factor;
mod gap;
mod gram;
mod kernel;
mod newton;
mod pass;
mod proximal;
mod quadratic;
mod search;
mod shares;
mod state;

pub use curve::Curve;
pub use examples::Examples;

use design::{Design, Sample};
use pass::Passes;
use search::{Search, Verdict};
use shares::{Crew, Stopped};
use state::{Objective, State};

/// What is sought: the minimum of the weighted mean loss + l1·‖w‖₁ + (l2/2)·‖w‖², the intercept left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The loss of a row.
    pub curve: Curve,
    /// The factor of ‖w‖₁.
    pub l1: f64,
    /// The factor of ‖w‖²/2.
    pub l2: f64,
    /// Whether there is an intercept, which no penalty holds.
    pub intercept: bool,
    /// The relative gap, gap / |objective|, at which to end.
    pub tolerance: f64,
    /// Threads to use; the result does not depend on it.
    pub threads: usize,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It did not.
    Running,
    /// The relative gap is certified to be within the tolerance.
    Certified,
    /// There is no penalty and so no certificate; what another Newton step may gain, ½gᵀH⁻¹g, is within the tolerance.
    Decrement,
    /// The labels are separated, and nothing holds the weights: the loss falls for ever, and no model has the least.
    Unattained,
    /// Rounding lets nothing more be gained.
    Stalled,
    /// 1000 outer iterations.
    Exhausted,
    /// It was stopped.
    Stopped,
}

/// The best model so far, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// Weights by column.
    pub weights: Vec<f64>,
    /// The intercept, or 0.
    pub intercept: f64,
    /// The objective, penalties included; NaN if it was stopped before the first pass.
    pub objective: f64,
    /// The size of the objective, or, where that is larger, 1e-20 of the mean loss where all margins are 0: a perfect fit
    /// has no size of its own.
    pub size: f64,
    /// An upper bound on what the objective exceeds its minimum by; `None` if there is no finite one.
    pub gap: Option<f64>,
    /// Passes over the rows; those over a part of them count as that part.
    pub passes: f64,
    /// Outer iterations.
    pub iterations: usize,
    /// Why this is the last one.
    pub ended: Ended,
}

impl Optimum {
    /// The gap as a share of [`size`](Optimum::size).
    #[must_use]
    pub fn relative_gap(&self) -> Option<f64> {
        Some(self.gap? / self.size.max(f64::MIN_POSITIVE))
    }
}

/// Searches the minimum of `goal` over `examples`, from the given weights and intercept on (what is missing is 0).
///
/// `each` is shown the best model so far after each outer iteration. `stop` is asked about every millisecond, by all threads;
/// once it says so, the search ends with the best model there is. `None` if no row has weight.
///
/// Labels are those of the loss: −1 and +1 for classes, numbers of at least 0 for counts; what else they are is the
/// caller's to refuse.
///
/// ```
/// use surefoot_glm::{Loss, optimum::{Curve, Ended, Examples, Goal, optimise}};
/// let mut examples = Examples::default();
/// for t in 0..100 {
///     let x = f64::from(t % 10) - 4.5;
///     examples.push(if x + f64::from(t % 7) > 3.0 { 1.0 } else { -1.0 }, 1.0, &[0], &[x]);
/// }
/// let curve = Curve::of(Loss::Logistic).unwrap();
/// let goal = Goal { curve, l1: 0.0, l2: 0.01, intercept: true, tolerance: 1e-9, threads: 1 };
/// let found = optimise(&examples, &goal, (&[], 0.0), &|| false, &mut |_| ()).unwrap();
/// assert!(found.ended == Ended::Certified && found.relative_gap().unwrap() <= 1e-9);
/// assert!(found.weights[0] > 0.0 && found.objective < 0.5);
/// ```
#[must_use]
pub fn optimise(
    examples: &Examples,
    goal: &Goal,
    start: (&[f64], f64),
    stop: &(dyn Fn() -> bool + Sync),
    each: &mut dyn FnMut(&Optimum),
) -> Option<Optimum> {
    let design = Design::new(examples, goal.intercept)?;
    let crew = Crew::new(goal.threads, stop);
    let objective = Objective { curve: goal.curve, l1: goal.l1, l2: goal.l2 };
    let best = Optimum {
        weights: start.0.to_vec(),
        intercept: start.1,
        objective: f64::NAN,
        size: f64::NAN,
        gap: None,
        passes: 0.0,
        iterations: 0,
        ended: Ended::Running,
    };
    let mut search = Search {
        design: &design,
        objective,
        tolerance: goal.tolerance,
        passes: Passes::new(&crew),
        each,
        decrement: f64::INFINITY,
        first: design.mean(|y| objective.curve.jet(y, 0.0).value),
        escapable: goal.l1 + goal.l2 == 0.0 || goal.intercept && design.has_one_label(),
        iterations: 0,
        lower: f64::NEG_INFINITY,
        best,
    };
    let ended = run(&mut search, start);
    let mut best = search.best;
    best.ended = ended.map_or(Ended::Stopped, Ended::from);
    best.passes = search.passes.count;
    Some(best)
}

fn run(search: &mut Search, (weights, intercept): (&[f64], f64)) -> Result<Verdict, Stopped> {
    let design = search.design;
    let mut point = design.point(weights, intercept);
    let empty = weights.iter().all(|w| *w == 0.0) && intercept == 0.0;
    if let (true, Some(constant)) = (empty, design.constant()) {
        point[constant] = search.objective.curve.constant(design.mean(|y| y));
    }
    let state = State::at(&mut search.passes, &Sample::new(design, 1), &search.objective, point)?;
    if search.objective.l1 > 0.0 { proximal::proximal(search, state) } else { newton::newton(search, state) }
}
