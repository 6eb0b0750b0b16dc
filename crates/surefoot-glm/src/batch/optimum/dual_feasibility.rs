//! Proof of exact dual feasibility despite rounding: bounds the distance from given dual points θ to some dual points
//! with Σω_iθ_i x_ij = 0 exactly, where ω_i are the row weights and x_ij the values of an unpenalised column j.
//!
//! Without a penalty the conjugate is finite only if the sum is exactly 0, which floating-point sums are not. But near
//! dual points that satisfy the equations up to rounding there are some that satisfy them exactly, and the duality gap
//! of the latter is bounded.

use super::{
    at_point::AtPoint,
    cholesky::Cholesky,
    design::Sample,
    rounding::EPS,
    state::Objective,
    workers::{Stopped, Workers},
};
use crate::{
    numeric::sums::{Sum, compensated},
    shards::Partial,
};
use std::ops::Range;

/// Proof that exactly feasible dual points exist near the given ones: bounds on how far each of them (one per row)
/// moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Feasibility {
    /// Upper bound on the fraction by which all dual points of one sign are scaled down; 0 if they are not scaled.
    pub(super) scaled: f64,
    /// Upper bound on the change of each dual point; empty if they do not change.
    pub(super) moved: Vec<f64>,
    /// Columns that are linear combinations of others, so that fixing their weights at 0 excludes no model.
    pub(super) redundant: Vec<usize>,
}

/// Maximum number of unpenalised coordinates for which feasibility is proved, at a cost that is cubic in the number;
/// with more of them there is no bound.
const MAX_BALANCED_COORDINATES: usize = 256;

/// Bounds the distance from dual points θ to some with Σω_iθ_i x_ij = 0 for all columns j marked in `balanced`, where
/// `left` bounds the absolute values of these sums at the given θ. Returns `None` if no feasible points are proved to
/// exist.
///
/// *Cost*: the intercept alone takes one sum over rows; k coordinates take k² operations per row, and k³.
pub(super) fn feasibility(
    workers: &Workers,
    at_point: AtPoint,
    balanced: &[bool],
    left: &[f64],
    duals: &[f64],
) -> Result<Option<Feasibility>, Stopped> {
    let AtPoint { sample, .. } = at_point;
    let lengths = &sample.design.lengths;
    // Columns of zeros are always balanced.
    let balanced: Vec<usize> = (0..balanced.len()).filter(|&j| balanced[j] && lengths[j] > 0.0).collect();
    let constant = sample.design.constant();
    if balanced.is_empty() {
        return Ok(Some(Feasibility::default()));
    }
    if balanced.len() == 1 && constant == Some(balanced[0]) {
        return scaled(workers, sample, duals);
    }
    if balanced.len() > MAX_BALANCED_COORDINATES {
        return Ok(None);
    }
    let redundant = redundant(workers, at_point, &balanced)?;
    // A weight with bounds cannot be represented by the weights of other columns.
    if !redundant.is_empty() && balanced.iter().any(|&j| at_point.objective.penalties[j].is_bounded()) {
        return Ok(None);
    }
    let balanced: Vec<usize> = balanced.into_iter().filter(|j| !redundant.contains(j)).collect();
    let left: Vec<f64> = balanced.iter().map(|&j| left[j]).collect();
    let found = moved(workers, at_point, &balanced, &left, duals)?;
    Ok(found.map(|feasibility| Feasibility { redundant, ..feasibility }))
}

/// Bounds the change of the dual points where only the intercept is unpenalised: those of the sign with the larger sum
/// are scaled down until the sums of both signs agree. Returns `None` if they would have to be halved or more.
fn scaled(workers: &Workers, sample: &Sample, duals: &[f64]) -> Result<Option<Feasibility>, Stopped> {
    let total = workers.over_rows(sample, |block| {
        let (mut sum, mut size) = (Sum::default(), 0.0);
        for r in block.rows.clone() {
            sum.add(sample.share(r) * duals[r]);
            size += (sample.share(r) * duals[r]).abs();
        }
        Partial { sums: vec![size], compensated: sum.parts().to_vec(), ..Partial::default() }
    })?;
    let (sum, size) = (total.compensated_sums()[0], total.sums[0]);
    if size == 0.0 {
        return Ok(Some(Feasibility::default()));
    }
    // The larger sum is at least half of the total of absolute values.
    let scaled = 2.5 * (sum.abs() / size + 8.0 * EPS);
    Ok((scaled < 0.5).then(|| Feasibility { scaled, ..Feasibility::default() }))
}

/// Bounds how far one Newton step that makes the sums Σω_iθ_i x_ij of the balanced columns 0 moves each dual point θ_i.
/// The step moves it by −φ''_i·x_iᵀs, where φ'' is the curvature of the loss and H·s equals the sums. With D the
/// diagonal of H and N = D^(−½)HD^(−½), |x_iᵀs| ≤ ‖D^(−½)x_i‖·‖N⁻¹‖·‖D^(−½)·left‖. Returns `None` if that is not finite
/// or H too ill-conditioned.
fn moved(
    workers: &Workers,
    at_point: AtPoint,
    balanced: &[usize],
    left: &[f64],
    duals: &[f64],
) -> Result<Option<Feasibility>, Stopped> {
    let AtPoint { sample, objective, state, .. } = at_point;
    let width = balanced.len();
    let place = places(state.point.len(), balanced);
    let mut curvature = state.curvature.clone();
    // Dual points that might leave their domain are fixed, and the bound is computed again.
    for _ in 0..4 {
        let square = square(workers, sample, &place, width, &curvature)?;
        let diagonal: Vec<f64> = (0..width).map(|k| square[k * width + k]).collect();
        let Some(inverse) = inverse_norm(workers, square, width)? else { return Ok(None) };
        let reach = left.iter().zip(&diagonal).map(|(left, d)| left * left / d).sum::<f64>().sqrt() * inverse;
        let mut moved = vec![0.0; duals.len()];
        let mut stuck = false;
        each_row(workers, sample, &place, 0..sample.rows(), |r, pairs| {
            let share = sample.share(r);
            if curvature[r] > 0.0 && share > 0.0 {
                let length = pairs.iter().map(|&(k, x)| x * x / diagonal[k]).sum::<f64>().sqrt();
                let (by, y, dual) =
                    (curvature[r] / share * length * reach * (1.0 + 64.0 * EPS), sample.label(r), duals[r]);
                let is_inside = |theta: f64| objective.margin_loss.clip(y, theta) == theta;
                if is_inside(dual - by) && is_inside(dual + by) {
                    moved[r] = by;
                } else {
                    (curvature[r], stuck) = (0.0, true);
                }
            }
        })?;
        if workers.all(sample, !stuck)? {
            return Ok(reach.is_finite().then_some(Feasibility { moved, ..Feasibility::default() }));
        }
    }
    Ok(None)
}

/// Finds columns that are, exactly in every row, integer combinations of earlier columns and a constant, such as the
/// indicators of a category, which sum to the intercept.
fn redundant(workers: &Workers, at_point: AtPoint, balanced: &[usize]) -> Result<Vec<usize>, Stopped> {
    /// Maximum squared residual, relative to the squared norm of a column, at which the column counts as a combination
    /// of others.
    const MAX_REDUNDANT_RESIDUAL: f64 = 1e-10;
    let AtPoint { sample, state, .. } = at_point;
    let width = balanced.len();
    let place = places(state.point.len(), balanced);
    let shares: Vec<f64> = (0..sample.rows()).map(|r| sample.share(r)).collect();
    let square = square(workers, sample, &place, width, &shares)?;
    let at = |a: usize, b: usize| square[a.max(b) * width + a.min(b)];
    let (mut kept, mut redundant) = (Vec::new(), Vec::new());
    for (k, &column) in balanced.iter().enumerate() {
        let count: usize = kept.len();
        let mut inner = vec![0.0; count * count];
        for a in 0..count {
            (0..=a).for_each(|b| inner[a * count + b] = at(kept[a], kept[b]));
        }
        let mut factors: Vec<f64> = kept.iter().map(|&a| at(a, k)).collect();
        Cholesky::new(workers, inner, count)?.solve(&mut factors);
        let explained: f64 = kept.iter().zip(&factors).map(|(&a, factor)| factor * at(a, k)).sum();
        if at(k, k) - explained > MAX_REDUNDANT_RESIDUAL * at(k, k) {
            kept.push(k);
        } else if is_sum(workers, sample, &place, &kept, &factors, k, sample.design.constant().map(|j| place[j]))? {
            redundant.push(column);
        } else {
            kept.push(k);
        }
    }
    Ok(redundant)
}

/// Whether column `k` equals, in every row, a constant plus the combination of the columns `kept` whose coefficients
/// are `factors` rounded to integers. Tolerates the rounding of centred values.
fn is_sum(
    workers: &Workers,
    sample: &Sample,
    place: &[usize],
    kept: &[usize],
    factors: &[f64],
    k: usize,
    constant: Option<usize>,
) -> Result<bool, Stopped> {
    let mut of = vec![0.0; place.len()];
    kept.iter().zip(factors).for_each(|(&a, factor)| of[a] = factor.round());
    of[k] = -1.0;
    let has_constant = constant.is_some_and(|at| at != usize::MAX);
    if has_constant {
        of[constant.unwrap_or(0)] = 0.0;
    }
    let combination = |pairs: &[(usize, f64)]| {
        pairs.iter().fold((0.0, 0.0), |(sum, size): (f64, f64), &(a, x)| (sum + of[a] * x, size + (of[a] * x).abs()))
    };
    let constant = if has_constant { first_row(workers, sample, place, |pairs| combination(pairs).0)? } else { 0.0 };
    let mut is_sum = true;
    each_row(workers, sample, place, 0..sample.rows(), |_, pairs| {
        let (sum, size) = combination(pairs);
        is_sum &= (sum - constant).abs() <= 8.0 * EPS * (size + constant.abs());
    })?;
    workers.all(sample, is_sum)
}

/// Returns a number of the first row of the data set, computed from its pairs as [`each_row`] gives them.
fn first_row(
    workers: &Workers,
    sample: &Sample,
    place: &[usize],
    of: impl Fn(&[(usize, f64)]) -> f64 + Sync,
) -> Result<f64, Stopped> {
    let total = workers.over_rows(sample, |block| {
        let mut list = Vec::new();
        // Rows of other blocks follow those of the first.
        let first = block.rows.start..block.rows.end.min(block.rows.start + 1);
        let _ = each_row(workers, sample, place, first, |_, pairs| list.push(of(pairs)));
        Partial { list, ..Partial::default() }
    })?;
    Ok(total.list.first().copied().unwrap_or(0.0))
}

/// Returns for each of `dim` coordinates its index in the list `balanced`; `usize::MAX` for coordinates that are not in
/// the list.
pub(super) fn places(dim: usize, balanced: &[usize]) -> Vec<usize> {
    let mut place = vec![usize::MAX; dim];
    balanced.iter().enumerate().for_each(|(k, &j)| place[j] = k);
    place
}

/// Computes the lower triangle of Σ t_r x_r x_rᵀ over rows x_r, restricted to the balanced coordinates (those that have
/// an index in `place`), where t_r are the `factors`.
pub(super) fn square(
    workers: &Workers,
    sample: &Sample,
    place: &[usize],
    width: usize,
    factors: &[f64],
) -> Result<Vec<f64>, Stopped> {
    let total = workers.over_rows(sample, |block| {
        let mut square = vec![0.0; width * width];
        // A request to stop is reported by the caller.
        let _ = each_row(workers, sample, place, block.rows.clone(), |r, pairs| {
            for (a, &(i, x)) in pairs.iter().enumerate() {
                pairs[..=a].iter().for_each(|&(j, z)| square[i * width + j] += factors[r] * x * z);
            }
        });
        Partial { sums: square, ..Partial::default() }
    })?;
    Ok(total.sums)
}

/// Calls `visit` with each of the rows and its pairs of index and value in ascending order of index, where `place`
/// gives the index of each coordinate. Coordinates whose place is `usize::MAX` are omitted.
pub(super) fn each_row(
    workers: &Workers,
    sample: &Sample,
    place: &[usize],
    rows: Range<usize>,
    mut visit: impl FnMut(usize, &[(usize, f64)]),
) -> Result<(), Stopped> {
    let width = sample.design.width;
    let dense: Vec<(usize, usize)> = (0..width).filter(|&j| place[j] != usize::MAX).map(|j| (j, place[j])).collect();
    let mut pairs = Vec::new();
    for r in rows {
        if r % 4096 == 0 {
            workers.check()?;
        }
        let row = sample.row(r);
        pairs.clear();
        pairs.extend(dense.iter().map(|&(j, k)| (k, row.dense[j])));
        let sparse = row.column.iter().zip(row.value).map(|(&j, &x)| (place[width + j as usize], x));
        pairs.extend(sparse.filter(|&(k, _)| k != usize::MAX));
        pairs.sort_unstable_by_key(|pair| pair.0);
        visit(r, &pairs);
    }
    Ok(())
}

/// Bounds ‖N⁻¹‖ for a matrix H given by its lower triangle, where N is H scaled to a unit diagonal. A computed inverse
/// X is verified by ‖I − NX‖ ≤ ¼. Returns `None` if H is too ill-conditioned for that.
pub(super) fn inverse_norm(workers: &Workers, mut square: Vec<f64>, width: usize) -> Result<Option<f64>, Stopped> {
    let scale: Vec<f64> = (0..width).map(|k| 1.0 / square[k * width + k].sqrt()).collect();
    if scale.iter().any(|s| !s.is_finite() || *s == 0.0) {
        return Ok(None);
    }
    for i in 0..width {
        for j in 0..=i {
            square[i * width + j] *= scale[i] * scale[j];
            square[j * width + i] = square[i * width + j];
        }
    }
    let factor = Cholesky::new(workers, square.clone(), width)?;
    let (mut norm, mut error) = (0.0, 0.0);
    for k in 0..width {
        workers.check()?;
        let mut column = vec![0.0; width];
        column[k] = 1.0;
        factor.solve(&mut column);
        for (i, row) in square.chunks_exact(width).enumerate() {
            let product: f64 = row.iter().zip(&column).map(|(a, b)| a * b).sum();
            error += (product - f64::from(i == k)).powi(2);
        }
        norm += column.iter().map(|x| x * x).sum::<f64>();
    }
    // Entries of N are sums over rows, whose rounding error is far below the margin that ¼ leaves.
    let norm: f64 = 2.0 * norm.sqrt();
    Ok((error.sqrt() <= 0.25 && norm * width as f64 <= 1e10).then_some(norm))
}

/// Makes Σω_iθ_i = 0 up to rounding, as the intercept requires of dual points θ_i with row weights ω_i: subtracts the
/// mean if every number is a feasible dual point, else scales down the points of the sign with the larger sum.
pub(super) fn balance(
    workers: &Workers,
    sample: &Sample,
    objective: &Objective,
    duals: &mut [f64],
) -> Result<(), Stopped> {
    let total = workers.over_rows(sample, |block| {
        let mut sums = [Sum::default(); 3];
        for (r, dual) in block.rows.clone().zip(&duals[block.rows.clone()]) {
            let term = sample.share(r) * dual;
            sums[0].add(term);
            if *dual > 0.0 { sums[1].add(term) } else { sums[2].add(-term) }
        }
        Partial { compensated: compensated(&sums), ..Partial::default() }
    })?;
    let [sum, above, below] = total.compensated_sums()[..] else { unreachable!("three sums were given") };
    if objective.margin_loss.accepts_any_dual() {
        duals.iter_mut().for_each(|dual| *dual -= sum);
        return Ok(());
    }
    let down = if above > below { below / above } else { 1.0 };
    let up = if below > above { above / below } else { 1.0 };
    duals.iter_mut().for_each(|dual| *dual *= if *dual > 0.0 { down } else { up });
    Ok(())
}
