//! Point with one weight per column and class, together with the softmax objective and derivatives that one pass
//! computes.

use super::pass::{VisitClasses, run, run_sized};
use crate::{
    batch::optimum::{
        candidate::Candidate, design::Sample, pass::Passes, rounding::EPS, row_blocks::Block, state::Objective,
        workers::Stopped,
    },
    numeric::sums::Sum,
    shards::Partial,
};

/// Rows labelled with classes 0, 1, …, and the number of classes.
#[derive(Clone, Copy)]
pub(super) struct ClassRows<'a> {
    pub(super) sample: Sample<'a>,
    pub(super) classes: usize,
}

impl ClassRows<'_> {
    /// Returns the class of row `r`.
    #[inline(always)]
    pub(super) fn class(&self, r: usize) -> usize {
        (self.sample.label(r) as usize).min(self.classes - 1)
    }

    /// Iterates over the rows of a block, each with its part of an array with one number per row and class.
    pub(super) fn of<'x>(&self, block: &Block, numbers: &'x [f64]) -> impl Iterator<Item = (usize, &'x [f64])> {
        let part = &numbers[block.rows.start * self.classes..block.rows.end * self.classes];
        block.rows.clone().zip(part.chunks_exact(self.classes))
    }
}

/// Point together with the softmax objective and its derivatives. Arrays by row hold one number per class.
pub(super) struct State {
    pub(super) point: Vec<f64>,
    pub(super) margin: Vec<f64>,
    /// Class probabilities p_k of each row.
    pub(super) means: Vec<f64>,
    /// Gradient of the smooth part of the objective: the mean loss and the L2 penalty.
    pub(super) gradient: Vec<f64>,
    pub(super) objective: f64,
    /// Upper bound, for each row, on the difference between its computed margins and the exact margins of the model as
    /// stored.
    pub(super) error: Vec<f64>,
    /// Upper bound on the difference between the computed objective and the exact objective of the model as stored.
    pub(super) objective_error: f64,
    /// Whether the loss of every row keeps decreasing, without a minimum, as the margins are scaled up, because the
    /// point separates the classes (a direction of recession).
    pub(super) recedes: bool,
}

impl State {
    /// Computes the objective and its derivatives at a point. One pass; a second, precise pass if the rounding error of
    /// the first is too large.
    pub(super) fn at(
        passes: &mut Passes,
        rows: ClassRows,
        objective: &Objective,
        point: Vec<f64>,
    ) -> Result<State, Stopped> {
        let state = State::once(passes, rows, objective, point)?;
        if !passes.wants_precision(state.objective_error, state.objective) {
            return Ok(state);
        }
        State::once(passes, rows, objective, state.point)
    }

    fn once(passes: &mut Passes, rows: ClassRows, objective: &Objective, point: Vec<f64>) -> Result<State, Stopped> {
        let (sample, classes, blocks) = (rows.sample, rows.classes, rows.sample.blocks());
        let numbers = sample.rows() * classes;
        let (mut margin, mut means) = (vec![0.0; numbers], vec![0.0; numbers]);
        let mut error = vec![0.0; sample.rows()];
        let points = point.chunks(sample.design.dim().max(1));
        let storage_error = points.clone().map(|point| sample.design.storage_error(point)).fold(0.0, f64::max);
        let reach = points.map(|point| sample.design.reach(point)).fold(0.0, f64::max);
        let at = Evaluation { rows, is_precise: passes.is_precise, reach, storage_error };
        let arrays = blocks.split_mut(&mut margin, classes).into_iter().zip(blocks.split_mut(&mut means, classes));
        let visitors = blocks.own.iter().zip(arrays.zip(blocks.split_mut(&mut error, 1)));
        let visitors = visitors.map(|(block, ((margin, means), error))| EvaluateRows {
            at,
            block,
            margin,
            means,
            error,
            loss: Sum::default(),
            loss_error: 0.0,
            recedes: true,
        });
        let visitors = visitors.collect();
        let mut gradient = vec![0.0; point.len()];
        let found = run_sized(passes, rows, &point, visitors, &mut gradient)?;
        let (loss, loss_error, recedes) = (found.compensated_sums()[0], found.sums[0], found.maxima[0] == 0.0);
        let mut penalty_sum = Sum::default();
        for ((g, &w), penalty) in gradient.iter_mut().zip(&point).zip(objective.penalties.iter().cycle()) {
            *g += penalty.l2 * w;
            penalty_sum.add(penalty.value(w));
        }
        let objective = loss + penalty_sum.value();
        let objective_error = loss_error + 8.0 * EPS * objective.abs();
        Ok(State { point, margin, means, gradient, objective, error, objective_error, recedes })
    }

    pub(super) fn candidate(&self) -> Candidate<'_> {
        Candidate {
            point: &self.point,
            objective: self.objective,
            objective_error: self.objective_error,
            recedes: self.recedes,
        }
    }

    /// Computes H·x for the Hessian H of the smooth part of the objective, in which a row of weight ω and class
    /// probabilities p has the curvature ω(diag(p) − ppᵀ). One pass.
    pub(super) fn hessian_product(
        &self,
        passes: &mut Passes,
        rows: ClassRows,
        objective: &Objective,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let (sample, classes, blocks) = (rows.sample, rows.classes, rows.sample.blocks());
        let visitors = blocks.own.iter().zip(blocks.split(&self.means, classes)).map(|(block, means)| {
            move |r: usize, numbers: &mut [f64]| {
                let weight = sample.share(block.row(r));
                let p = &means[r * classes..(r + 1) * classes];
                let mean: f64 = numbers.iter().zip(p).map(|(z, p)| z * p).sum();
                numbers.iter_mut().zip(p).for_each(|(z, p)| *z = weight * p * (*z - mean));
            }
        });
        run(passes, rows, Some(x), visitors.collect(), out)?;
        out.iter_mut()
            .zip(x)
            .zip(objective.penalties.iter().cycle())
            .for_each(|((out, x), penalty)| *out += penalty.l2 * x);
        Ok(())
    }
}

/// Quantities by which the loss of a row is evaluated at one point.
#[derive(Clone, Copy)]
struct Evaluation<'a> {
    rows: ClassRows<'a>,
    is_precise: bool,
    /// Largest norm of a class by which [`Sample::most`] bounds the terms of a margin.
    reach: f64,
    storage_error: f64,
}

/// Visitor that evaluates the loss and its derivatives at the margins of the rows of one block.
struct EvaluateRows<'s> {
    at: Evaluation<'s>,
    block: &'s Block,
    margin: &'s mut [f64],
    means: &'s mut [f64],
    error: &'s mut [f64],
    loss: Sum,
    loss_error: f64,
    recedes: bool,
}

impl VisitClasses for EvaluateRows<'_> {
    #[inline(always)]
    fn row(&mut self, r: usize, numbers: &mut [f64], size: f64) {
        let Evaluation { rows, is_precise, reach, storage_error } = self.at;
        let (i, classes) = (self.block.row(r), rows.classes);
        let (y, weight) = (rows.class(i), rows.sample.share(i));
        let row = r * classes..(r + 1) * classes;
        self.margin[row.clone()].copy_from_slice(numbers);
        let others = |(k, m): (usize, &f64)| k == y || *m < numbers[y];
        self.recedes &= numbers.iter().enumerate().all(others);
        let size = if is_precise { size } else { rows.sample.most(i, reach) };
        self.error[r] = rows.sample.rounding(i, size) + storage_error + rounding_error(numbers);
        self.loss.add(weight * means_and_value(y, numbers));
        self.means[row].copy_from_slice(numbers);
        derivatives(y, numbers);
        self.loss_error += weight * deviation(-numbers[y], self.error[r]);
        numbers.iter_mut().for_each(|derivative| *derivative *= weight);
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

/// Bounds the rounding error of the class probabilities of a row, expressed as an equivalent error of its margins.
#[inline(always)]
fn rounding_error(margins: &[f64]) -> f64 {
    let ends = |(low, high): (f64, f64), m: &f64| (low.min(*m), high.max(*m));
    let (low, high) = margins.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    (8.0 + margins.len() as f64 + (high - low)) * EPS
}

/// Bounds the change of a row's loss over margins at most `error` away, where `others` is the predicted probability
/// that its label is wrong.
#[inline(always)]
fn deviation(others: f64, error: f64) -> f64 {
    // The absolute derivatives of a row sum to 2·others, which grows by at most e^(2·error), and never beyond 2.
    let grown = if error < 0.1 { 1.25 } else { libm::exp(2.0 * error) };
    2.0 * error * (others * grown).min(1.0)
}

/// Replaces the margins m of a row with label y by class probabilities. Returns the loss ln Σ e^(m_j) − m_y, computed
/// from the same exponentials.
#[inline(always)]
fn means_and_value(y: usize, margins: &mut [f64]) -> f64 {
    let (mut top, mut largest) = (y, margins[y]);
    for (k, &m) in margins.iter().enumerate() {
        if m > largest {
            (top, largest) = (k, m);
        }
    }
    let behind = largest - margins[y];
    let mut rest = 0.0;
    for (k, m) in margins.iter_mut().enumerate() {
        *m = libm::exp(*m - largest);
        // The largest term, 1, stays out of the sum, so that a loss near 0 keeps its digits.
        rest += if k == top { 0.0 } else { *m };
    }
    margins.iter_mut().for_each(|m| *m /= 1.0 + rest);
    behind + libm::log1p(rest)
}

/// Replaces the class probabilities of a row with label y by the derivatives of its loss. That of the label, p_y − 1,
/// is computed as minus the sum of the others.
#[inline(always)]
pub(super) fn derivatives(y: usize, means: &mut [f64]) {
    means[y] = 0.0;
    means[y] = -means.iter().sum::<f64>();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Loss;

    #[test]
    fn values_and_derivatives_are_those_of_the_loss() {
        for margins in [[0.3, -1.2, 2.0], [50.0, -50.0, 0.0], [1e4, -1e4, 3.0], [0.0; 3]] {
            for y in 0..3 {
                let mut numbers = margins;
                let value = means_and_value(y, &mut numbers);
                let expected = Loss::Softmax.multiclass_value(y, &margins);
                assert!((value - expected).abs() <= 1e-15 * expected.abs(), "{margins:?} {y}: {value} {expected}");
                derivatives(y, &mut numbers);
                let mut expected = margins;
                Loss::Softmax.multiclass_gradient(y, &mut expected);
                assert!(numbers.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-15 * b.abs()), "{margins:?} {y}");
            }
        }
    }
}
