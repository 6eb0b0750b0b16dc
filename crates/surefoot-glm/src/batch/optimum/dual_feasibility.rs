//! Dual points that satisfy Σω_iθ_i x_ij = 0 exactly, near those that satisfy it up to rounding, and a bound on how near they are.
//!
//! Only exact zeros have a finite conjugate where no penalty holds a weight, and sums of numbers that are rounded are no exact zeros. But near
//! dual points that satisfy it up to rounding there are some that satisfy it exactly, and a bound for those is a bound.

use super::{
    at_point::AtPoint,
    cholesky::Cholesky,
    design::Sample,
    rounding::EPS,
    state::Objective,
    workers::{Stopped, Workers},
};
use crate::numeric::sums::Sum;

/// How far from given dual points there are some that are feasible without rounding.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Feasibility {
    /// By this part all of one sign are scaled down.
    pub(super) scaled: f64,
    /// By as much, at most, each one is moved; none where they are not.
    pub(super) moved: Vec<f64>,
    /// Columns that say what others say, so that no model is lost where their weights are 0.
    pub(super) redundant: Vec<usize>,
}

/// Coordinates without a penalty beyond which the system for them is not solved.
const MOST: usize = 256;

/// Bounds the way from dual points to some with Σω_iθ_i x_ij = 0 for all minded coordinates, `None` where these are not known to exist;
/// `left` bounds the size of that sum.
///
/// *Cost*: the intercept alone takes a sum over rows; k coordinates take k² numbers a row, and k³.
pub(super) fn feasibility(
    workers: &Workers,
    at_point: AtPoint,
    balanced: &[bool],
    left: &[f64],
    duals: &[f64],
) -> Result<Option<Feasibility>, Stopped> {
    let AtPoint { sample, .. } = at_point;
    let lengths = &sample.design.lengths;
    // A column of zeros says nothing.
    let balanced: Vec<usize> = (0..balanced.len()).filter(|&j| balanced[j] && lengths[j] > 0.0).collect();
    let constant = sample.design.constant();
    if balanced.is_empty() {
        return Ok(Some(Feasibility::default()));
    }
    if balanced.len() == 1 && constant == Some(balanced[0]) {
        return Ok(scaled(sample, duals));
    }
    if balanced.len() > MOST {
        return Ok(None);
    }
    let redundant = redundant(workers, at_point, &balanced)?;
    // What a bound keeps from 0 cannot be left to others.
    if !redundant.is_empty() && balanced.iter().any(|&j| at_point.objective.penalties[j].is_bounded()) {
        return Ok(None);
    }
    let balanced: Vec<usize> = balanced.into_iter().filter(|j| !redundant.contains(j)).collect();
    let left: Vec<f64> = balanced.iter().map(|&j| left[j]).collect();
    let found = moved(workers, at_point, &balanced, &left, duals)?;
    Ok(found.map(|feasibility| Feasibility { redundant, ..feasibility }))
}

/// For the intercept: the heavier of the positive and the negative dual points are scaled down by what the lighter lack.
fn scaled(sample: &Sample, duals: &[f64]) -> Option<Feasibility> {
    let (mut sum, mut size) = (Sum::default(), 0.0);
    for (r, dual) in duals.iter().enumerate() {
        sum.add(sample.share(r) * dual);
        size += (sample.share(r) * dual).abs();
    }
    if size == 0.0 {
        return Some(Feasibility::default());
    }
    // The heavier have half of the size or more.
    let scaled = 2.5 * (sum.value().abs() / size + 8.0 * EPS);
    (scaled < 0.5).then(|| Feasibility { scaled, ..Feasibility::default() })
}

/// One Newton step for dual points alone, along rows x_i cut to the coordinates: θ_i − φ''_i·x_iᵀs where Hs is what is left. With D the
/// diagonal of H and N = D^(−½)HD^(−½), |x_iᵀs| ≤ ‖D^(−½)x_i‖·‖N⁻¹‖·‖D^(−½)·left‖.
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
    // Dual points that would leave their range do not move, as often as that leaves any.
    for _ in 0..4 {
        let square = square(workers, sample, &place, width, &curvature)?;
        let diagonal: Vec<f64> = (0..width).map(|k| square[k * width + k]).collect();
        let Some(inverse) = inverse_norm(workers, square, width)? else { return Ok(None) };
        let reach = left.iter().zip(&diagonal).map(|(left, d)| left * left / d).sum::<f64>().sqrt() * inverse;
        let mut moved = vec![0.0; duals.len()];
        let mut stuck = false;
        each_row(workers, sample, &place, |r, pairs| {
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
        if !stuck {
            return Ok(reach.is_finite().then_some(Feasibility { moved, ..Feasibility::default() }));
        }
    }
    Ok(None)
}

/// Columns that are, to the last digit of every row, sums and differences of those before them and a constant: as of the values of a
/// category, which sum to the intercept.
fn redundant(workers: &Workers, at_point: AtPoint, balanced: &[usize]) -> Result<Vec<usize>, Stopped> {
    /// The share of a column's square below which a residual counts as none.
    const NOTHING: f64 = 1e-10;
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
        let told: f64 = kept.iter().zip(&factors).map(|(&a, factor)| factor * at(a, k)).sum();
        if at(k, k) - told > NOTHING * at(k, k) {
            kept.push(k);
        } else if is_sum(workers, sample, &place, &kept, &factors, k, sample.design.constant().map(|j| place[j]))? {
            redundant.push(column);
        } else {
            kept.push(k);
        }
    }
    Ok(redundant)
}

/// Whether column k is that sum of kept ones with whole factors, and a constant, in every row, but for the rounding of what was subtracted.
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
    let (mut first, mut is_sum) = (None, true);
    each_row(workers, sample, place, |_, pairs| {
        let (sum, size) = pairs
            .iter()
            .fold((0.0, 0.0), |(sum, size): (f64, f64), &(a, x)| (sum + of[a] * x, size + (of[a] * x).abs()));
        let constant = *first.get_or_insert(if has_constant { sum } else { 0.0 });
        is_sum &= (sum - constant).abs() <= 8.0 * EPS * (size + constant.abs());
    })?;
    Ok(is_sum)
}

pub(super) fn places(dim: usize, balanced: &[usize]) -> Vec<usize> {
    let mut place = vec![usize::MAX; dim];
    balanced.iter().enumerate().for_each(|(k, &j)| place[j] = k);
    place
}

/// The lower triangle of Σ t_r x_r x_rᵀ over the coordinates that have a place.
fn square(
    workers: &Workers,
    sample: &Sample,
    place: &[usize],
    width: usize,
    factors: &[f64],
) -> Result<Vec<f64>, Stopped> {
    let mut square = vec![0.0; width * width];
    each_row(workers, sample, place, |r, pairs| {
        for (a, &(i, x)) in pairs.iter().enumerate() {
            pairs[..=a].iter().for_each(|&(j, z)| square[i * width + j] += factors[r] * x * z);
        }
    })?;
    Ok(square)
}

/// Visits the rows with their pairs of the coordinates that have a place, by place.
pub(super) fn each_row(
    workers: &Workers,
    sample: &Sample,
    place: &[usize],
    mut visit: impl FnMut(usize, &[(usize, f64)]),
) -> Result<(), Stopped> {
    let width = sample.design.width;
    let dense: Vec<(usize, usize)> = (0..width).filter(|&j| place[j] != usize::MAX).map(|j| (j, place[j])).collect();
    let mut pairs = Vec::new();
    for r in 0..sample.rows() {
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

/// Bounds ‖N⁻¹‖ for a matrix H of which the lower triangle is given, N scaled to a diagonal of ones. `None` where that cannot be told: a
/// computed inverse X is checked by ‖I − NX‖ ≤ ¼.
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
    // Entries of N are sums over rows, whose rounding is far below what a quarter leaves.
    let norm: f64 = 2.0 * norm.sqrt();
    Ok((error.sqrt() <= 0.25 && norm * width as f64 <= 1e10).then_some(norm))
}

/// Makes Σω_iθ_i = 0, up to rounding: the mean is subtracted where any dual point will do, else the heavier of the
/// positive and the negative ones are scaled down.
pub(super) fn balance(sample: &Sample, objective: &Objective, duals: &mut [f64]) {
    if objective.margin_loss.accepts_any_dual() {
        let mut sum = Sum::default();
        duals.iter().enumerate().for_each(|(r, dual)| sum.add(sample.share(r) * dual));
        duals.iter_mut().for_each(|dual| *dual -= sum.value());
        return;
    }
    let (mut above, mut below) = (Sum::default(), Sum::default());
    for (r, dual) in duals.iter().enumerate() {
        if *dual > 0.0 { above.add(sample.share(r) * dual) } else { below.add(-sample.share(r) * dual) }
    }
    let (above, below) = (above.value(), below.value());
    let down = if above > below { below / above } else { 1.0 };
    let up = if below > above { above / below } else { 1.0 };
    duals.iter_mut().for_each(|dual| *dual *= if *dual > 0.0 { down } else { up });
}
