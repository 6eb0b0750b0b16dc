//! Certified empirical risk minimisation: the penalised weighted mean loss of a linear model over rows in memory,
//! minimised to a given relative duality gap.
//!
//! | objective | method |
//! | --- | --- |
//! | smooth loss, ridge penalty or none, few columns | inexact Newton; preconditioned conjugate gradients with a Cholesky factor of an earlier Hessian, renewed only when that pays |
//! | smooth loss, ridge penalty or none, many columns | inexact Newton; conjugate gradients with a diagonal (Jacobi) preconditioner |
//! | smooth loss with an L1 penalty or bounds on weights | proximal Newton; the subproblems solved by coordinate descent, on the Gram matrix for few columns and by columns for many |
//! | hinge, absolute, quantile; Huber, smoothed and squared hinge where the above stall | primal-dual interior-point method; steps by conjugate gradients, for many columns with a Woodbury preconditioner of the rows of largest curvature |
//! | softmax | inexact Newton over columns and classes, preconditioned by the diagonal blocks of the classes; with an L1 penalty or bounds proximal Newton |
//! | one-vs-rest | one logistic problem per class |
//!
//! Smooth losses of one margin without L1 start on growing subsamples of the rows. Whatever the method, the certificate
//! is the Fenchel duality gap of the unsmoothed loss, at the dual points that the quadratic model of the last step
//! predicts. That gap is of the order of the decrease that is left, whereas the gap at the derivatives of the loss is
//! larger by the condition number of the problem.
//!
//! With a smooth loss, zeros under an L1 penalty are exact; with a loss that has a kink they are exact up to the
//! tolerance.
//!
//! *Memory*: columns with more than half of their entries nonzero are stored densely, 8 bytes per entry; if there are
//! any, the other nonzeros are copied (12 bytes each), otherwise they are borrowed. Further about 64 bytes per row
//! (losses with a kink: 150; softmax: 40 per class); up to 15 numbers per column and class; for few columns up to five
//! square matrices of 8 bytes per entry, for softmax one per class; for L1 with many columns 12 bytes more per nonzero.
//!
//! Sums are accumulated in blocks of rows that depend on the data alone, so the result is the same to the bit for any
//! number of threads.

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
mod row_blocks;
mod search;
mod single_margin;
mod softmax;
mod state;
mod stopping;
mod storage;
mod subset_model;
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
    shards::Interrupted,
};
use design::Design;
use workers::{Stopped, Workers};

/// Objective to minimise and how to do so: the weighted mean loss + l1·Σ f_j|w_j| + (l2/2)·Σ f_j·w_j², over weights w_j
/// within their bounds, where f_j is the penalty factor of column j. The intercept has neither penalty nor bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal<'a> {
    /// Loss of a row as a function of its label and its margin.
    pub loss: Loss,
    /// Number of classes, for multiclass losses (labels 0, 1, …, classes − 1). Ignored by other losses.
    pub classes: usize,
    /// Strength of the L1 (lasso) penalty, at least 0.
    pub l1: f64,
    /// Strength of the L2 (ridge) penalty, at least 0.
    pub l2: f64,
    /// Bounds on the weights of columns that have no entry in `rules`. The intercept is unbounded.
    pub bounds: Bounds,
    /// Penalty factor f_j and bounds of the weight of each column. Columns beyond the end of the slice have factor 1
    /// and the bounds in `bounds`. All classes share the rule of a column.
    pub rules: &'a [Rule],
    /// Whether there is an intercept, which is not penalised.
    pub intercept: bool,
    /// Relative duality gap, gap / |objective|, at which to stop.
    pub tolerance: f64,
    /// Number of threads. The result does not depend on the number.
    pub threads: usize,
}

impl Goal<'_> {
    /// Whether the penalty strengths and the loss parameter are in range and the labels suit the loss.
    fn is_sound(&self, examples: &Examples) -> bool {
        let factors = [self.l1, self.l2].into_iter().chain(self.rules.iter().map(|rule| rule.factor));
        let labels = examples.label.iter().zip(&examples.weight).filter(|(_, weight)| **weight > 0.0);
        self.loss.check_parameter().is_ok()
            && factors.into_iter().all(is_magnitude)
            && labels.into_iter().all(|(y, _)| self.loss.takes(*y, self.classes))
    }

    /// Returns the penalty factor and the bounds of a column.
    fn rule(&self, column: usize) -> Rule {
        self.rules.get(column).copied().unwrap_or(Rule { factor: 1.0, bounds: self.bounds })
    }
}

/// Reason why an optimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The optimisation is still running.
    Running,
    /// The relative duality gap is certified to be at most the tolerance.
    Certified,
    /// Half the squared Newton decrement, ½gᵀH⁻¹g (the decrease that Newton's method predicts), is within the
    /// tolerance. Used instead of a certificate where some weights are unpenalised.
    Decrement,
    /// The labels are separable and the weights unpenalised: the loss keeps decreasing as the weights grow, and no
    /// model attains the infimum of the loss.
    Unattained,
    /// Floating-point arithmetic permits no further decrease of the objective.
    Stalled,
    /// The limit of 1000 outer iterations (Newton or interior-point steps) was reached.
    Exhausted,
    /// The `stop` callback returned true.
    Stopped,
}

/// Best model that an optimisation has found so far, with its objective and a bound on its suboptimality.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// Weights, column by column; for K classes, K consecutive numbers per column.
    pub weights: Vec<f64>,
    /// Intercept of each class, or one intercept for losses with a single margin; 0 without an intercept.
    pub intercept: Vec<f64>,
    /// Objective of the model, penalties included; NaN if the optimisation was stopped before the first pass.
    pub objective: f64,
    /// Denominator of the relative gap: |objective|, but at least 1e-20 of the mean loss at margins of 0, because a
    /// perfect fit has objective 0.
    pub size: f64,
    /// Upper bound on the objective minus its minimum, rounding errors included; `None` if no finite bound is known.
    pub gap: Option<f64>,
    /// Number of passes over the rows; a pass over a subsample counts as its fraction of the rows.
    pub passes: f64,
    /// Number of outer iterations (Newton or interior-point steps) so far.
    pub iterations: usize,
    /// Reason why the optimisation ended, or [`Ended::Running`].
    pub ended: Ended,
}

impl Optimum {
    /// Returns the given weights and intercepts as a model whose objective is unknown.
    fn unknown((weights, intercept): (&[f64], &[f64])) -> Optimum {
        Optimum {
            weights: weights.to_vec(),
            intercept: intercept.to_vec(),
            objective: f64::NAN,
            size: f64::NAN,
            gap: None,
            passes: 0.0,
            iterations: 0,
            ended: Ended::Running,
        }
    }

    /// Returns the starting point of an optimisation that was stopped before the first pass.
    fn stopped(start: (&[f64], &[f64])) -> Optimum {
        Optimum { ended: Ended::Stopped, ..Optimum::unknown(start) }
    }

    /// Returns the gap divided by [`size`](Optimum::size); `None` if no finite gap is known.
    #[must_use]
    pub fn relative_gap(&self) -> Option<f64> {
        Some(self.gap? / self.size.max(f64::MIN_POSITIVE))
    }
}

/// Minimises `goal` over `examples`, starting from the given (weights, intercepts), laid out as in [`Optimum`]; missing
/// numbers are 0. Starts from 0 instead if the objective is not finite at the given start.
///
/// Calls `each` with the best model so far after each outer iteration. Calls `stop` about every millisecond, from any
/// thread; once `stop` returns true, the best model so far is returned. With a tolerance that cannot be met (0 or NaN)
/// the optimisation ends when rounding allows no further decrease.
///
/// Labels are −1 and +1 for two classes, the number of the class for multiclass losses, and numbers of at least 0 for
/// counts. Returns `None` if a label does not suit the loss, if no row has positive weight, or if a penalty strength or
/// the parameter of the loss is out of range.
///
/// *Cost*: see the table and the memory figures of [this module](self); a pass costs O(nonzeros), for multiclass losses
/// times classes.
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
    // A tolerance that is NaN or negative cannot be met either, as 0 cannot.
    let goal = Goal { tolerance: goal.tolerance.max(0.0), ..*goal };
    match Layout::new(examples, &examples.weight, goal.intercept, stop) {
        Ok(layout) => Some(layout?.optimise(&goal, start, stop, each)),
        Err(Interrupted) => Some(Optimum::stopped(start)),
    }
}

/// Returns the optimum for data without columns and without an intercept, where the only model has no weights.
fn only_model(design: &Design, workers: &Workers, goal: &Goal) -> Result<Optimum, Stopped> {
    let classes = if goal.loss.is_multiclass() { goal.classes.max(1) } else { 1 };
    let objective = match goal.loss {
        Loss::Softmax => (classes as f64).ln(),
        Loss::Ovr => classes as f64 * std::f64::consts::LN_2,
        loss => design.mean(workers, |y, offset| loss.value(y, offset))?,
    };
    Ok(Optimum {
        weights: vec![0.0; design.columns() * classes],
        intercept: vec![0.0; classes],
        objective,
        size: objective.abs(),
        gap: Some(0.0),
        passes: 0.0,
        iterations: 0,
        ended: Ended::Certified,
    })
}

/// Design matrix of the examples, laid out in memory once and reused by several optimisations with the same row
/// weights.
pub(crate) struct Layout<'a>(Design<'a>);

impl<'a> Layout<'a> {
    /// Lays out the design matrix of the examples with these row weights; `None` if no row has positive weight.
    pub(crate) fn new(
        examples: &'a Examples,
        weights: &[f64],
        intercept: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Layout<'a>>, Interrupted> {
        match Design::new(examples, weights, intercept, &Workers::new(1, stop)) {
            Ok(design) => Ok(design.map(Layout)),
            Err(Stopped) => Err(Interrupted),
        }
    }

    /// Runs [`optimise`] on this layout. The layout, not `goal`, decides whether there is an intercept.
    pub(crate) fn optimise(
        &mut self,
        goal: &Goal,
        start: (&[f64], &[f64]),
        stop: &(dyn Fn() -> bool + Sync),
        each: &mut dyn FnMut(&Optimum),
    ) -> Optimum {
        let (design, workers) = (&mut self.0, Workers::new(goal.threads, stop));
        if design.dim() == 0 {
            let Ok(found) = only_model(design, &workers, goal) else { return Optimum::stopped(start) };
            each(&found);
            return found;
        }
        match goal.loss {
            Loss::Ovr => one_vs_rest::optimise(design, &workers, goal, start, each),
            Loss::Softmax => softmax::optimise(design, &workers, goal, start, each),
            _ => single_margin::optimise(design, &workers, goal, start, each),
        }
    }

    /// Whether there are more weights, including the intercept, than rows of positive weight, so that the rows do not
    /// determine the weights.
    pub(crate) fn has_more_columns_than_rows(&self) -> bool {
        self.0.dim() > self.0.all_rows()
    }
}
