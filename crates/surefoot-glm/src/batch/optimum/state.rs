//! Objective of a batch training problem, and points with the objective and derivatives that one pass computes.

use super::{
    Goal,
    candidate::Candidate,
    design::{Design, Sample},
    expansion::Expansion,
    margin_loss::MarginLoss,
    pass::{Passes, Visit},
    rounding::EPS,
    row_blocks::Block,
    weight_penalty::WeightPenalty,
    workers::Stopped,
};
use crate::{numeric::sums::Sum, shards::Partial};

/// Objective of a batch training problem: the weighted mean loss plus the penalties of the weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective<'a> {
    pub(super) margin_loss: MarginLoss,
    /// Penalty of each coordinate of a point; [`WeightPenalty::NONE`] for the intercept.
    pub(super) penalties: &'a [WeightPenalty],
    /// Whether a penalty has a kink (an L1 term) or a bound.
    pub(super) penalty_has_kinks: bool,
    /// Whether a weight other than the intercept is unpenalised.
    pub(super) is_unpenalised: bool,
    /// Whether none of the weights is penalised (the intercept never is).
    pub(super) has_no_penalty: bool,
}

impl<'a> Objective<'a> {
    pub(super) fn new(
        margin_loss: MarginLoss,
        goal: &Goal,
        design: &Design,
        penalties: &'a [WeightPenalty],
    ) -> Objective<'a> {
        let weights = |is: fn(&WeightPenalty) -> bool| design.map().filter(|&(at, _)| is(&penalties[at])).count();
        let (columns, unpenalised) = (weights(|_| true), weights(WeightPenalty::is_unpenalised));
        Objective {
            margin_loss,
            penalties,
            penalty_has_kinks: weights(WeightPenalty::has_kink) > 0,
            is_unpenalised: unpenalised > 0,
            // Without columns there is nothing to penalise, and any penalty gives certificates.
            has_no_penalty: unpenalised == columns && goal.l1 + goal.l2 == 0.0,
        }
    }

    /// Returns the least positive L1 strength of any weight; ∞ without an L1 penalty.
    pub(super) fn least_l1(&self) -> f64 {
        self.penalties.iter().map(|penalty| penalty.l1).filter(|l1| *l1 > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// Returns the second derivative of the penalty at each coordinate.
    pub(super) fn penalty_curvature(&self) -> Vec<f64> {
        self.penalties.iter().map(|penalty| penalty.l2).collect()
    }
}

/// Point (weights and intercept) together with the objective, its derivatives, and bounds on their rounding errors.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) point: Vec<f64>,
    pub(super) margin: Vec<f64>,
    /// Derivative of the loss with respect to the margin, for each row.
    pub(super) derivative: Vec<f64>,
    /// Second derivative of the loss with respect to the margin, times the row weight, for each row.
    pub(super) curvature: Vec<f64>,
    /// Second derivative of the penalty at each coordinate.
    pub(super) penalty_curvature: Vec<f64>,
    /// Gradient of the smooth part of the objective: the mean loss and the L2 penalty.
    pub(super) gradient: Vec<f64>,
    /// Objective, including the whole penalty.
    pub(super) objective: f64,
    /// Upper bound, for each row, on the difference between its computed margin and the exact margin of the model as
    /// stored.
    pub(super) error: Vec<f64>,
    /// Upper bound on the difference between the computed objective and the exact objective of the model as stored.
    pub(super) objective_error: f64,
    /// Whether the loss of every row keeps decreasing, without a minimum, along a direction of recession: the point
    /// separates the classes, or all labels of a loss with a log link are 0.
    pub(super) recedes: bool,
}

impl State {
    pub(super) fn candidate(&self) -> Candidate<'_> {
        Candidate {
            point: &self.point,
            objective: self.objective,
            objective_error: self.objective_error,
            recedes: self.recedes,
        }
    }

    /// Computes the objective and its derivatives at a point. Takes one pass, or two if the rounding error of the first
    /// is too large.
    pub(super) fn at(
        passes: &mut Passes,
        sample: &Sample,
        objective: &Objective,
        point: Vec<f64>,
    ) -> Result<State, Stopped> {
        State::by(passes, sample, objective, point, |_, y, m| objective.margin_loss.expansion(y, m))
    }

    /// Computes the objective and its derivatives at a point, from a Taylor expansion of the loss that may depend on
    /// the row number, the label and the margin. One pass; a second, precise pass if the rounding error of the first is
    /// too large.
    pub(super) fn by(
        passes: &mut Passes,
        sample: &Sample,
        objective: &Objective,
        point: Vec<f64>,
        expansion: impl Fn(usize, f64, f64) -> Expansion + Copy + Send,
    ) -> Result<State, Stopped> {
        let state = State::once(passes, sample, objective, point, expansion)?;
        // A subsample is not certified.
        if sample.stride > 1 || !passes.wants_precision(state.objective_error, state.objective) {
            return Ok(state);
        }
        State::once(passes, sample, objective, state.point, expansion)
    }

    #[inline(always)]
    fn once(
        passes: &mut Passes,
        sample: &Sample,
        objective: &Objective,
        point: Vec<f64>,
        expansion: impl Fn(usize, f64, f64) -> Expansion + Copy + Send,
    ) -> Result<State, Stopped> {
        let (blocks, rows) = (sample.blocks(), sample.rows());
        let at = Evaluation {
            sample: *sample,
            margin_loss: objective.margin_loss,
            is_precise: passes.is_precise,
            reach: sample.design.reach(&point),
            storage_error: sample.design.storage_error(&point),
        };
        let (mut margin, mut derivative, mut curvature) = (vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]);
        let mut error = vec![0.0; rows];
        let arrays = blocks.split_mut(&mut margin, 1).into_iter().zip(blocks.split_mut(&mut derivative, 1));
        let more = blocks.split_mut(&mut curvature, 1).into_iter().zip(blocks.split_mut(&mut error, 1));
        let visitors = blocks.own.iter().zip(arrays.zip(more));
        let visitors = visitors.map(|(block, ((margin, derivative), (curvature, error)))| EvaluateRows {
            at,
            block,
            expansion,
            margin,
            derivative,
            curvature,
            error,
            loss: Sum::default(),
            loss_error: 0.0,
            recedes: true,
        });
        let visitors = visitors.collect();
        let mut gradient = vec![0.0; point.len()];
        let found = passes.run_sized(sample, &point, visitors, &mut gradient)?;
        let (loss, loss_error, recedes) = (found.compensated_sums()[0], found.sums[0], found.maxima[0] == 0.0);
        let mut penalty_sum = Sum::default();
        for ((g, &w), penalty) in gradient.iter_mut().zip(&point).zip(objective.penalties) {
            *g += penalty.l2 * w;
            penalty_sum.add(penalty.value(w));
        }
        let penalty_curvature = objective.penalty_curvature();
        let objective = loss + penalty_sum.value();
        let objective_error = loss_error + 8.0 * EPS * (loss.abs() + penalty_sum.value());
        Ok(State {
            point,
            margin,
            derivative,
            curvature,
            penalty_curvature,
            gradient,
            objective,
            error,
            objective_error,
            recedes,
        })
    }

    /// Computes H·x for the Hessian H of the smooth part of the objective. One pass.
    pub(super) fn hessian_product(
        &self,
        passes: &mut Passes,
        sample: &Sample,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let parts = sample.blocks().split(&self.curvature, 1).into_iter();
        let visitors = parts.map(|curvature| move |r: usize, m: f64| curvature[r] * m);
        passes.run(sample, Some(x), visitors.collect(), out)?;
        out.iter_mut()
            .zip(x.iter().zip(&self.penalty_curvature))
            .for_each(|(out, (x, penalty_curvature))| *out += penalty_curvature * x);
        Ok(())
    }
}

/// Quantities by which the loss of a row is evaluated at one point.
#[derive(Clone, Copy)]
struct Evaluation<'a> {
    sample: Sample<'a>,
    margin_loss: MarginLoss,
    is_precise: bool,
    /// Norm of the point by which [`Sample::most`] bounds the terms of a margin.
    reach: f64,
    storage_error: f64,
}

/// Visitor that evaluates the loss and its derivatives at the margins of the rows of one block.
struct EvaluateRows<'s, E> {
    at: Evaluation<'s>,
    block: &'s Block,
    expansion: E,
    margin: &'s mut [f64],
    derivative: &'s mut [f64],
    curvature: &'s mut [f64],
    error: &'s mut [f64],
    loss: Sum,
    loss_error: f64,
    recedes: bool,
}

impl<E: Fn(usize, f64, f64) -> Expansion + Send> Visit for EvaluateRows<'_, E> {
    #[inline(always)]
    fn row(&mut self, r: usize, m: f64, size: f64) -> f64 {
        let Evaluation { sample, margin_loss, is_precise, reach, storage_error } = self.at;
        let i = self.block.row(r);
        let (y, share, offset) = (sample.label(i), sample.share(i), sample.offset(i));
        let m = m + offset;
        let expansion = (self.expansion)(self.block.rows.start + r, y, m);
        (self.margin[r], self.derivative[r], self.curvature[r]) =
            (m, expansion.derivative, share * expansion.curvature);
        let size = if is_precise { size } else { sample.most(i, reach) };
        self.error[r] = sample.rounding(i, size + offset.abs()) + storage_error + margin_loss.rounding_error(y, m);
        self.loss.add(share * expansion.value);
        self.loss_error += share * margin_loss.deviation(y, m, self.error[r], expansion);
        self.recedes &= margin_loss.recedes(y, m);
        share * expansion.derivative
    }

    fn finish(self) -> Partial {
        Partial {
            sums: vec![self.loss_error],
            compensated: self.loss.parts().to_vec(),
            maxima: vec![f64::from(!self.recedes)],
            ..Partial::default()
        }
    }
}

/// Computes the diagonal of Σ curvature_r x_r x_rᵀ + diag(penalty_curvature) over the rows x_r. One pass.
pub(super) fn diagonal(
    passes: &mut Passes,
    sample: &Sample,
    penalty_curvature: &[f64],
    curvature: &[f64],
) -> Result<Vec<f64>, Stopped> {
    let visitors = sample.blocks().split(curvature, 1).into_iter().map(|curvature| move |r: usize| curvature[r]);
    let mut out = vec![0.0; sample.design.dim()];
    passes.run_squared(sample, visitors.collect(), &mut out)?;
    out.iter_mut().zip(penalty_curvature).for_each(|(out, penalty_curvature)| *out += penalty_curvature);
    Ok(out)
}
