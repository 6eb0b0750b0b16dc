//! Fenchel duality gap of a point and dual points, as defined by [`fenchel`](surefoot::certificate::fenchel()), with
//! bounds on the rounding errors, and computed on several threads.

use super::{
    at_point::AtPoint,
    design::Sample,
    dual_feasibility::{Feasibility, balance, feasibility},
    margin_loss::MarginLoss,
    pass::Passes,
    rounding::EPS,
    row_blocks::Block,
    state::State,
    unpenalised::{balance_unpenalised, mean},
    weight_penalty::WeightPenalty,
    workers::{Stopped, Workers},
};
use crate::{numeric::sums::Sum, shards::Partial};

/// Bounds the suboptimality of the model that a point is stored as, by its duality gap at the dual points `duals`,
/// after these are made feasible. Returns ∞ if they cannot be.
///
/// Notation: φ_i is the loss of row i at margin m_i, ω_i its weight, θ_i its dual point, Ω_j the penalty of weight w_j,
/// * the convex conjugate, and z_j = −Σω_iθ_i x_ij, the value that the derivative of Ω_j has at the optimum.
///
/// At θ_i = φ'(m_i) the gap is of the order of ‖∇P‖²/l2 for the objective P. The dual points that the quadratic model
/// of a Newton step predicts, φ'(m) + φ''(m)·Δm, are far better: they satisfy Σω_iθ_i x_i = −l2·w as accurately as the
/// Newton system was solved, so the remainder is of the order of the third derivative, and the gap is of the order of
/// the suboptimality.
///
/// *Rounding*: for any θ the gap is Σ ω_i(φ_i(m_i) + φ_i*(θ_i) − θ_i·m_i) + Σ_j (Ω_j(w_j) + Ω_j*(z_j) − w_j·z_j) with
/// exact m and z. Every term (a Fenchel–Young gap) is nonnegative and convex in m_i or z_j, hence at most its value at
/// the ends of the interval that rounding leaves for m_i or z_j: a second-order effect near the optimum. The norms of
/// columns and of dual points bound Σω_i|θ_i x_ij|.
///
/// *Cost*: one pass.
pub(super) fn gap(passes: &mut Passes, at_point: AtPoint, mut duals: Vec<f64>) -> Result<f64, Stopped> {
    let AtPoint { sample, objective, state } = at_point;
    let lengths = &sample.design.lengths;
    for (r, dual) in duals.iter_mut().enumerate() {
        *dual = objective.margin_loss.clip(sample.label(r), *dual);
    }
    let mut balanced = vec![false; state.point.len()];
    if objective.is_unpenalised {
        let Some(found) = balance_unpenalised(passes, at_point, &mut duals)? else { return Ok(f64::INFINITY) };
        balanced = found;
    } else if let Some(constant) = sample.design.constant() {
        balance(passes.workers, sample, objective, &mut duals)?;
        balanced[constant] = true;
    }
    let mean = mean(passes, sample, &duals)?;
    let norm = length(passes.workers, sample, &duals)?;
    let mut error = error(passes.sum_terms(sample), at_point, &mean, norm);
    // A coordinate whose residual, with its rounding error, might make the conjugate infinite is balanced as well.
    for (j, penalty) in objective.penalties.iter().enumerate() {
        balanced[j] |=
            penalty.is_unbounded_for(mean[j] + 4.0 * error[j]) || penalty.is_unbounded_for(mean[j] - 4.0 * error[j]);
    }
    let left: Vec<f64> = mean.iter().zip(&error).map(|(z, error)| z.abs() + error).collect();
    let Some(feasibility) = feasibility(passes.workers, at_point, &balanced, &left, &duals)? else {
        return Ok(f64::INFINITY);
    };
    let moved = feasibility.scaled * norm + length(passes.workers, sample, &feasibility.moved)?;
    error.iter_mut().zip(lengths).for_each(|(error, length)| *error += moved * length);
    total(passes, at_point, Duals { points: duals, mean, error, balanced, feasibility })
}

/// Bounds the suboptimality like [`gap`], with the derivatives φ'(m_i) of the loss as dual points, for which the
/// gradient gives z. Useful where the gradient is nearly 0 and every coordinate, including the intercept, is penalised.
///
/// *Cost*: O(rows), no pass over the values.
pub(super) fn gap_of_derivatives(passes: &Passes, at_point: AtPoint) -> Result<f64, Stopped> {
    let AtPoint { sample, objective, state } = at_point;
    let is_dual =
        |(r, derivative): (usize, &f64)| objective.margin_loss.clip(sample.label(r), *derivative) == *derivative;
    // The gradient belongs to the derivatives as they are, unclipped.
    if !passes.workers.all(sample, state.derivative.iter().enumerate().all(is_dual))? {
        return Ok(f64::INFINITY);
    }
    let points = state.derivative.clone();
    let mean = |((g, w), penalty): ((&f64, &f64), &WeightPenalty)| penalty.l2 * w - g;
    let mean: Vec<f64> = state.gradient.iter().zip(&state.point).zip(objective.penalties).map(mean).collect();
    let norm = length(passes.workers, sample, &points)?;
    let error = error(Passes::plain_terms(sample), at_point, &mean, norm);
    let balanced = vec![false; mean.len()];
    total(passes, at_point, Duals { points, mean, error, balanced, feasibility: Feasibility::default() })
}

/// Dual points θ_i of all rows, with the sums z_j = −Σω_iθ_i x_ij of each column j and bounds on their errors.
struct Duals {
    points: Vec<f64>,
    /// Sum z_j = −Σω_iθ_i x_ij for each column j. The next field bounds the error of each.
    mean: Vec<f64>,
    error: Vec<f64>,
    /// Whether z_j becomes exactly 0 when the dual points are made feasible, for each column j.
    balanced: Vec<bool>,
    feasibility: Feasibility,
}

/// Computes the duality gap as the sum of the Fenchel–Young gaps of all rows and weights. Before that, scales the dual
/// points down until the convex conjugates of all penalties are finite.
fn total(passes: &Passes, at_point: AtPoint, duals: Duals) -> Result<f64, Stopped> {
    let AtPoint { objective, state, .. } = at_point;
    let Duals { points: mut duals, mut mean, mut error, balanced, mut feasibility } = duals;
    let is_penalised = |j: &usize| !balanced[*j];
    let scale_of = |j: usize| objective.penalties[j].feasible_scale(mean[j], error[j]);
    let factor = (0..mean.len()).filter(is_penalised).map(scale_of).fold(1.0, f64::min);
    if factor != 1.0 {
        let moved = feasibility.moved.iter_mut().chain(&mut error);
        mean.iter_mut().chain(&mut duals).chain(moved).for_each(|x| *x *= factor);
    }
    let mut gap = fenchel_young_sum(passes, at_point, &duals, &feasibility)?;
    for j in (0..mean.len()).filter(is_penalised) {
        let (w, z, penalty) = (state.point[j], mean[j], &objective.penalties[j]);
        gap.add(
            penalty.fenchel_young(w, z - error[j]).max(penalty.fenchel_young(w, z + error[j]))
                + 4.0 * EPS * penalty.l1 * w.abs(),
        );
    }
    for &j in &feasibility.redundant {
        gap.add(state.point[j].abs() * (mean[j].abs() + error[j]));
    }
    let gap = gap.value() * (1.0 + 64.0 * EPS);
    Ok(if gap.is_finite() { gap } else { f64::INFINITY })
}

/// Bounds the error of each computed z_j = −Σω_iθ_i x_ij, where `mean` holds the z_j, `norm` is the
/// [length](length()) of the θ_i, and the summation has a relative error of `terms` roundings.
pub(super) fn error(terms: f64, at_point: AtPoint, mean: &[f64], norm: f64) -> Vec<f64> {
    let AtPoint { sample, objective, state } = at_point;
    let lengths = &sample.design.lengths;
    // Besides the sum: roundings of the row weights and of the common scale factor.
    let per_length = (terms + 4.0) * EPS * norm;
    let of = |(j, length): (usize, &f64)| {
        let (penalty, w) = (&objective.penalties[j], state.point[j]);
        let own = 4.0 * EPS * (mean[j].abs() + penalty.l1 + penalty.l2 * w.abs());
        per_length * length + sample.design.column_error(j) * norm + own
    };
    lengths.iter().enumerate().map(of).collect()
}

/// Computes the weighted norm √Σω_i t_i² of one number t_i per row, with row weights ω_i; 0 without any numbers.
pub(super) fn length(workers: &Workers, sample: &Sample, numbers: &[f64]) -> Result<f64, Stopped> {
    let of = |block: &Block| numbers.get(block.rows.clone()).unwrap_or_default();
    let largest = workers.over_rows(sample, |block| {
        let largest = of(block).iter().fold(0.0, |a: f64, t| a.max(t.abs()));
        Partial { maxima: vec![largest], ..Partial::default() }
    })?;
    let largest = largest.maxima[0];
    if largest == 0.0 {
        return Ok(0.0);
    }
    let squares = workers.over_rows(sample, |block| {
        let square = |(r, t): (usize, &f64)| sample.share(block.row(r)) * (t / largest) * (t / largest);
        Partial { sums: vec![of(block).iter().enumerate().map(square).sum()], ..Partial::default() }
    })?;
    Ok(largest * squares.sums[0].sqrt())
}

/// Computes the dual points φ'(m) + φ''(m)·Δm that the quadratic model at `state` predicts for the point `next`, where
/// Δm is the change of the margin m of a row.
pub(super) fn predicted_duals(sample: &Sample, state: &State, next: &State) -> Vec<f64> {
    let mut duals = vec![0.0; state.derivative.len()];
    for (r, dual) in duals.iter_mut().enumerate() {
        let share = sample.share(r);
        let curvature = if share > 0.0 { state.curvature[r] / share } else { 0.0 };
        *dual = state.derivative[r] + curvature * (next.margin[r] - state.margin[r]);
    }
    duals
}

/// Bounds Σ ω_i(φ_i(m_i) + φ_i*(θ_i) − θ_i·m_i), the sum of the Fenchel–Young gaps of the rows, at the exact margins
/// m_i and at exactly feasible dual points θ_i, whose distance from `duals` is bounded by `feasibility`.
pub(super) fn fenchel_young_sum(
    passes: &Passes,
    at_point: AtPoint,
    duals: &[f64],
    feasibility: &Feasibility,
) -> Result<Sum, Stopped> {
    let AtPoint { sample, objective, state, .. } = at_point;
    let margin_loss = objective.margin_loss;
    let total = passes.workers.over_rows(sample, |block| {
        let mut sum = Sum::default();
        for (r, &dual) in block.rows.clone().zip(&duals[block.rows.clone()]) {
            let (y, m, error, share) = (sample.label(r), state.margin[r], state.error[r], sample.share(r));
            // The derivatives in an interior-point state are those of its dual points.
            let derivative = if matches!(margin_loss, MarginLoss::ClippedLinear(_)) {
                margin_loss.expansion(y, m).derivative
            } else {
                state.derivative[r]
            };
            let curvature = if share > 0.0 { state.curvature[r] / share } else { 0.0 };
            let at = |dual: f64| margin_loss.fenchel_young_within(y, m, error, dual, derivative, curvature);
            let mut fenchel_young = match feasibility.moved.get(r) {
                Some(&by) if by > 0.0 => at(margin_loss.clip(y, dual - by)).max(at(margin_loss.clip(y, dual + by))),
                _ => at(dual),
            };
            if feasibility.scaled > 0.0 {
                fenchel_young += feasibility.scaled * margin_loss.excess_within(y, m, error, derivative, curvature);
            }
            sum.add(share * fenchel_young);
        }
        Partial { compensated: sum.parts().to_vec(), ..Partial::default() }
    })?;
    let mut sum = Sum::default();
    sum.add(total.compensated_sums()[0]);
    Ok(sum)
}
