//! Batch training to a certified optimum, for rows in memory.
//!
//! | objective | engine |
//! | --- | --- |
//! | smooth loss, no L1, few columns | Newton's method; steps by conjugate gradients, preconditioned by a Cholesky factor that is made anew only when it pays |
//! | the same, many columns | the same, preconditioned by the diagonal |
//! | smooth loss with L1, or bounds of weights | Newton's method; steps by coordinate descent on the quadratic model with the penalty as it is: on its matrix for few columns, by columns for many |
//! | hinge, absolute, quantile; Huber and smoothed hinge where the above end short | a primal-dual interior-point method; steps as above, for many columns preconditioned by the rows that curve most |
//! | softmax | Newton's method over columns and classes, preconditioned class by class; with L1, or bounds of weights, coordinate descent |
//! | one-vs-rest | a logistic problem for each class |
//!
//! Smooth losses of one margin without L1 begin on growing samples of the rows. Whatever the engine, the certificate is the
//! Fenchel gap of the loss as it is, at the dual points that the quadratic model foresaw for the step: it is of the order of what
//! the step left to gain, where that at the slopes themselves is larger by the condition of the problem.
//!
//! Zeros of an L1 penalty are exact; those of a loss with a kink as far as the tolerance can tell them.
//!
//! *Memory*: columns filled for more than half take 8 bytes a row each, and then the other pairs are copied (12 bytes a
//! pair), else they are borrowed; about 64 bytes a row (a kink: 150; softmax: 40 a class); up to 15 numbers a column and class; for
//! few columns up to five squares of 8 bytes, softmax one a class; for L1 with many columns 12 bytes a pair more.
//!
//! Sums are made in shares that depend on the data alone, so the result has the same bits whatever the threads.

mod at_point;
mod candidate;
mod central_path;
mod cholesky;
mod clipped_linear;
mod conjugate_gradients;
mod design;
mod dual_feasibility;
mod examples;
mod expansion;
mod gap;
mod gram;
mod interior_point;
mod log_link;
mod margin_loss;
mod newton;
mod one_vs_rest;
mod pass;
mod pinned_means;
mod preconditioner;
mod proximal_newton;
mod quadratic_model;
mod relative_entropy;
mod rounding;
mod search;
mod single_margin;
mod softmax;
mod state;
mod storage;
mod unpenalised;
mod vector_loops;
mod weight_penalty;
mod woodbury;
mod workers;

pub use examples::Examples;

use crate::{
    data::feature_groups::{Bounds, Rule},
    loss::Loss,
    numeric::check::is_magnitude,
};
use design::Design;
use workers::Workers;

/// What is sought: the minimum of the weighted mean loss + l1·Σ f_j|w_j| + (l2/2)·Σ f_j·w_j² over weights within their bounds, the
/// intercept left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal<'a> {
    /// The loss of a row.
    pub loss: Loss,
    /// How many classes there are, for losses with a margin for each: labels are 0, 1, … below it. Other losses ignore it.
    pub classes: usize,
    /// The factor of the sizes of weights.
    pub l1: f64,
    /// The factor of half their squares.
    pub l2: f64,
    /// Between what weights have to be; the intercept need not be.
    pub bounds: Bounds,
    /// By column, the factor f_j of its penalty and the bounds of its weight; of columns beyond these the factor is 1, and the
    /// bounds are those above. The classes of a column have the same.
    pub rules: &'a [Rule],
    /// Whether there is an intercept, which no penalty holds.
    pub intercept: bool,
    /// The relative gap, gap / |objective|, at which to end.
    pub tolerance: f64,
    /// Threads to use; the result does not depend on it.
    pub threads: usize,
}

impl Goal<'_> {
    /// Whether its numbers are in range, and the labels are those of its loss.
    fn is_sound(&self, examples: &Examples) -> bool {
        let factors = [self.l1, self.l2].into_iter().chain(self.rules.iter().map(|rule| rule.factor));
        let labels = examples.label.iter().zip(&examples.weight).filter(|(_, weight)| **weight > 0.0);
        self.loss.check_parameter().is_ok()
            && factors.into_iter().all(is_magnitude)
            && labels.into_iter().all(|(y, _)| self.loss.takes(*y, self.classes))
    }

    /// What holds for the weight of a column.
    fn rule(&self, column: usize) -> Rule {
        self.rules.get(column).copied().unwrap_or(Rule { factor: 1.0, bounds: self.bounds })
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It did not.
    Running,
    /// The relative gap is certified to be within the tolerance.
    Certified,
    /// There is no penalty, or none that holds all weights, and so no certificate; what another Newton step may gain, ½gᵀH⁻¹g, is
    /// within the tolerance.
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
    /// Weights by column; of K classes K numbers a column.
    pub weights: Vec<f64>,
    /// The intercept of each class, or of the one margin: 0 if there is none.
    pub intercept: Vec<f64>,
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

/// Searches the minimum of `goal` over `examples`, from the given weights and intercepts on, laid out as in [`Optimum`]
/// (what is missing is 0).
///
/// `each` is shown the best model so far after each outer iteration. `stop` is asked about every millisecond, by all threads;
/// once it says so, the search ends with the best model there is. A tolerance that nothing meets, 0 or NaN, ends it where rounding does.
///
/// Labels are those of the loss: −1 and +1 for two classes, the number of the class for losses of many, numbers of at least 0
/// for counts. `None` if one is not, if no row has weight, or if a factor or the parameter of the loss is out of range.
/// A start at which the objective is not finite is replaced by 0.
///
/// ```
/// use surefoot_glm::{Bounds, Loss, optimum::{Ended, Examples, Goal, optimise}};
/// let mut examples = Examples::default();
/// for t in 0..100 {
///     let x = f64::from(t % 10) - 4.5;
///     examples.push(if x + f64::from(t % 7) > 3.0 { 1.0 } else { -1.0 }, 1.0, 0.0, &[0], &[x]);
/// }
/// let goal = Goal {
///     loss: Loss::Logistic,
///     classes: 1,
///     l1: 0.0,
///     l2: 0.01,
///     bounds: Bounds::FREE,
///     rules: &[],
///     intercept: true,
///     tolerance: 1e-9,
///     threads: 1,
/// };
/// let found = optimise(&examples, &goal, (&[], &[]), &|| false, &mut |_| ()).unwrap();
/// assert!(found.ended == Ended::Certified && found.relative_gap().unwrap() <= 1e-9);
/// assert!(found.weights[0] > 0.0 && found.objective < 0.5);
/// ```
#[must_use]
pub fn optimise(
    examples: &Examples,
    goal: &Goal,
    start: (&[f64], &[f64]),
    stop: &(dyn Fn() -> bool + Sync),
    each: &mut dyn FnMut(&Optimum),
) -> Option<Optimum> {
    if !goal.is_sound(examples) {
        return None;
    }
    // Not a number and below 0 are as hard to meet as 0 is.
    let goal = Goal { tolerance: goal.tolerance.max(0.0), ..*goal };
    Some(Layout::new(examples, &examples.weight, goal.intercept)?.optimise(&goal, start, stop, each))
}

/// Where no row has a feature and there is no intercept, there is one model, and it is the best.
fn only_model(design: &Design, goal: &Goal) -> Optimum {
    let classes = if goal.loss.is_multiclass() { goal.classes.max(1) } else { 1 };
    let objective = match goal.loss {
        Loss::Softmax => (classes as f64).ln(),
        Loss::Ovr => classes as f64 * std::f64::consts::LN_2,
        loss => design.mean(|y, offset| loss.value(y, offset)),
    };
    Optimum {
        weights: vec![0.0; design.columns() * classes],
        intercept: vec![0.0; classes],
        objective,
        size: objective.abs(),
        gap: Some(0.0),
        passes: 0.0,
        iterations: 0,
        ended: Ended::Certified,
    }
}

/// Examples laid out for several searches, with weights of their own.
pub(crate) struct Layout<'a>(Design<'a>);

impl<'a> Layout<'a> {
    /// `None` if no row has weight.
    pub(crate) fn new(examples: &'a Examples, weights: &[f64], intercept: bool) -> Option<Layout<'a>> {
        Design::new(examples, weights, intercept).map(Layout)
    }

    /// [`optimise`] on these rows; the intercept is that of the layout.
    pub(crate) fn optimise(
        &mut self,
        goal: &Goal,
        start: (&[f64], &[f64]),
        stop: &(dyn Fn() -> bool + Sync),
        each: &mut dyn FnMut(&Optimum),
    ) -> Optimum {
        if self.0.dim() == 0 {
            let found = only_model(&self.0, goal);
            each(&found);
            return found;
        }
        let (design, workers) = (&mut self.0, Workers::new(goal.threads, stop));
        match goal.loss {
            Loss::Ovr => one_vs_rest::optimise(design, &workers, goal, start, each),
            Loss::Softmax => softmax::optimise(design, &workers, goal, start, each),
            _ => single_margin::optimise(design, &workers, goal, start, each),
        }
    }

    /// Whether there are more weights, the intercept counted, than rows to tell them by.
    pub(crate) fn has_more_columns_than_rows(&self) -> bool {
        self.0.dim() > self.0.rows()
    }
}
