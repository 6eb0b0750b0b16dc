//! Dual points θ whose z_j = −Σω_iθ_i x_ij are exactly the values that the penalties require, for a tight gap despite
//! rounding. Here z_j, called a mean, is the mean of dual points times column j, weighted by the row weights ω_i.
//!
//! An error of z_j adds its square over 2·l2 to the gap, or, with L1 alone, requires that all dual points are rescaled.
//! With a tiny l2, or columns whose mean is large relative to their standard deviation, rounding alone makes this error
//! large. If z_j is pinned to (made exactly equal to) the derivative of its penalty, its Fenchel–Young gap is exactly
//! 0, and such dual points are near: Newton steps for the dual points alone reach them up to rounding, and the
//! remaining distance is bounded. The gaps of the rows increase to second order only.
//!
//! Without an intercept, columns with a large mean are nearly collinear, which would make that bound large. Therefore a
//! multiple of one of these columns (the anchor) is subtracted from the others, such that their means are about 0, and
//! likewise for z.

use super::{
    at_point::AtPoint,
    cholesky::Cholesky,
    dual_feasibility::{Feasibility, each_row, inverse_norm, places},
    gap::{error, fenchel_young_sum, length},
    pass::Passes,
    rounding::{CompensatedDot, EPS},
    unpenalised::mean,
    workers::Stopped,
};
use crate::shards::Partial;
use std::ops::Range;

/// Maximum number of coordinates that are pinned, at a cost that is cubic in the number; with more of them there is no
/// bound.
const MAX_PINNED_COORDINATES: usize = 256;
/// Maximum number of Newton steps for the dual points: usually two suffice, more where dual points reach the boundary
/// of their domain.
const MAX_NEWTON_STEPS: usize = 8;
/// Minimum ratio |mean| / norm of a column from which a multiple of the anchor (the first pinned column) is subtracted.
const MIN_ANCHORED_MEAN: f64 = 0.9;
/// Maximum squared residual, relative to the squared norm of a column, at which the column counts as a combination of
/// others.
const MAX_REDUNDANT_RESIDUAL: f64 = 1e-9;

/// Bounds the suboptimality at a point as [`gap`](super::gap::gap) does, after moving the dual points such that the
/// Fenchel–Young gap is 0 for every weight that is not at a kink of its penalty. Returns ∞ if no such dual points are
/// found.
///
/// *Cost*: about ten single-threaded passes, and k² operations per row and k³ for k coordinates.
pub(super) fn pinned(passes: &mut Passes, at_point: AtPoint, mut duals: Vec<f64>) -> Result<f64, Stopped> {
    let AtPoint { sample, objective, state } = at_point;
    let lengths = &sample.design.lengths;
    duals.iter_mut().enumerate().for_each(|(r, dual)| *dual = objective.margin_loss.clip(sample.label(r), *dual));
    let z = mean(passes, sample, &duals)?;
    let is_pinned =
        |j: &usize| lengths[*j] > 0.0 && objective.penalties[*j].required_mean(state.point[*j], z[*j]).is_some();
    let pinned_columns: Vec<usize> = (0..z.len()).filter(is_pinned).collect();
    if pinned_columns.is_empty() || pinned_columns.len() > MAX_PINNED_COORDINATES {
        return Ok(f64::INFINITY);
    }
    let mut pins = PinnedMeans::new(passes, at_point, pinned_columns, &z)?;
    pins.converge(passes, at_point, &mut duals)?;
    let Some(moved) = pins.moved(passes, at_point, &duals)? else { return Ok(f64::INFINITY) };
    let z = mean(passes, sample, &duals)?;
    let norm = length(passes.workers, sample, &duals)?;
    let error = error(passes.sum_terms(sample), at_point, &z, norm);
    let farthest = length(passes.workers, sample, &moved)?;
    let mut gap = fenchel_young_sum(passes, at_point, &duals, &Feasibility { moved, ..Feasibility::default() })?;
    for j in (0..z.len()).filter(|j| !pins.columns.contains(j)) {
        let (w, z, penalty, error) = (state.point[j], z[j], &objective.penalties[j], error[j] + farthest * lengths[j]);
        if penalty.feasible_scale(z, error) != 1.0 {
            return Ok(f64::INFINITY);
        }
        gap.add(
            penalty.fenchel_young(w, z - error).max(penalty.fenchel_young(w, z + error))
                + 4.0 * EPS * penalty.l1 * w.abs(),
        );
    }
    let gap = gap.value() * (1.0 + 64.0 * EPS);
    Ok(if gap.is_finite() { gap } else { f64::INFINITY })
}

/// Coordinates j whose z_j = −Σω_iθ_i x_ij (mean of dual points times column j) are pinned to the value that the
/// penalty requires, and these values.
struct PinnedMeans {
    columns: Vec<usize>,
    /// Index of each coordinate of a point in `columns`; `usize::MAX` for coordinates that are not pinned.
    place: Vec<usize>,
    /// Multiple of the first pinned column (the anchor) that is subtracted from each pinned column.
    anchor: Vec<f64>,
    /// Derivative of the L1 term of the penalty at each pinned coordinate.
    l1_derivative: Vec<f64>,
    /// Curvature of the loss of each row; 0 for rows whose dual point is on the boundary of its domain.
    curvature: Vec<f64>,
}

impl PinnedMeans {
    fn new(passes: &Passes, at_point: AtPoint, columns: Vec<usize>, z: &[f64]) -> Result<PinnedMeans, Stopped> {
        let AtPoint { sample, objective, state } = at_point;
        let lengths = &sample.design.lengths;
        let l1_derivative = |j: &usize| objective.penalties[*j].required_mean(state.point[*j], z[*j]).unwrap_or(0.0);
        let (mut columns, mut anchor) = (columns, Vec::new());
        if sample.design.constant().is_none() {
            let place = places(z.len(), &columns);
            let total = passes.workers.over_rows(sample, |block| {
                let mut means = vec![0.0; z.len()];
                // A request to stop is reported by the caller.
                let _ = each_row(passes.workers, sample, &place, block.rows.clone(), |r, pairs| {
                    pairs.iter().for_each(|&(k, x)| means[columns[k]] += sample.share(r) * x);
                });
                Partial { sums: means, ..Partial::default() }
            })?;
            let means = total.sums;
            let is_dense = |j: usize| j < sample.design.width;
            let far = |j: usize| if is_dense(j) { means[j].abs() / lengths[j] } else { 0.0 };
            columns.sort_by(|&a, &b| far(b).total_cmp(&far(a)));
            let first = columns[0];
            anchor = columns
                .iter()
                .map(|&j| if far(j) > MIN_ANCHORED_MEAN { means[j] / means[first] } else { 0.0 })
                .collect();
        }
        anchor.resize(columns.len(), 0.0);
        anchor[0] = 0.0;
        let mut pins = PinnedMeans {
            l1_derivative: columns.iter().map(l1_derivative).collect(),
            anchor,
            curvature: state.curvature.clone(),
            place: places(z.len(), &columns),
            columns,
        };
        pins.drop_redundant(passes, at_point)?;
        Ok(pins)
    }

    /// Removes from the pinned columns those that are linear combinations of the other pinned columns, up to rounding.
    fn drop_redundant(&mut self, passes: &Passes, at_point: AtPoint) -> Result<(), Stopped> {
        let (square, width) = (self.square(passes, at_point)?, self.columns.len());
        let at = |a: usize, b: usize| square[a.max(b) * width + a.min(b)];
        let mut kept: Vec<usize> = Vec::new();
        for k in 0..width {
            let inner = kept.iter().flat_map(|&a| kept.iter().map(move |&b| (a, b))).map(|(a, b)| at(a, b)).collect();
            let mut factors: Vec<f64> = kept.iter().map(|&a| at(a, k)).collect();
            Cholesky::new(passes.workers, inner, kept.len())?.solve(&mut factors);
            let explained: f64 = kept.iter().zip(&factors).map(|(&a, factor)| factor * at(a, k)).sum();
            if at(k, k) > 0.0 && at(k, k) - explained > MAX_REDUNDANT_RESIDUAL * at(k, k) {
                kept.push(k);
            }
        }
        // Without the anchor nothing can be subtracted.
        if kept.first() != Some(&0) {
            kept.clear();
        }
        let is_kept = |k: usize| kept.contains(&k);
        let keep = |numbers: &[f64]| numbers.iter().enumerate().filter(|(k, _)| is_kept(*k)).map(|(_, x)| *x).collect();
        (self.anchor, self.l1_derivative) = (keep(&self.anchor), keep(&self.l1_derivative));
        self.columns = self.columns.iter().enumerate().filter(|(k, _)| is_kept(*k)).map(|(_, j)| *j).collect();
        self.place = places(self.place.len(), &self.columns);
        Ok(())
    }

    /// Calls `visit` with each of the rows and its pairs of index and value in the pinned columns, after the multiple of
    /// the anchor (the first pinned column) was subtracted from each column.
    fn each(
        &self,
        passes: &Passes,
        at_point: AtPoint,
        rows: Range<usize>,
        mut visit: impl FnMut(usize, &[(usize, f64)]),
    ) -> Result<(), Stopped> {
        let mut all = Vec::new();
        each_row(passes.workers, at_point.sample, &self.place, rows, |r, pairs| {
            all.clear();
            let first = pairs.first().filter(|(k, _)| *k == 0).map_or(0.0, |(_, x)| *x);
            // A single rounding.
            all.extend(pairs.iter().map(|&(k, x)| (k, libm::fma(-self.anchor[k], first, x))));
            visit(r, &all);
        })
    }

    /// Computes the lower triangle of Σ curvature_r x_r x_rᵀ over the rows x_r, restricted to the pinned columns.
    fn square(&self, passes: &Passes, at_point: AtPoint) -> Result<Vec<f64>, Stopped> {
        let width = self.columns.len();
        let total = passes.workers.over_rows(at_point.sample, |block| {
            let mut square = vec![0.0; width * width];
            // A request to stop is reported by the caller.
            let _ = self.each(passes, at_point, block.rows.clone(), |r, pairs| {
                for (a, &(i, x)) in pairs.iter().enumerate() {
                    pairs[..=a].iter().for_each(|&(j, t)| square[i * width + j] += self.curvature[r] * x * t);
                }
            });
            Partial { sums: square, ..Partial::default() }
        })?;
        Ok(total.sums)
    }

    /// Computes the difference of each mean z_j (mean of dual points times column j) from its pinned value, and an
    /// upper bound on the absolute value of the exact difference.
    fn left(&self, passes: &Passes, at_point: AtPoint, duals: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Stopped> {
        let AtPoint { sample, objective, state } = at_point;
        let lengths = &sample.design.lengths;
        let width = self.columns.len();
        let total = passes.workers.over_rows(sample, |block| {
            let mut sums = vec![CompensatedDot::default(); width];
            // A request to stop is reported by the caller.
            let _ = self.each(passes, at_point, block.rows.clone(), |r, pairs| {
                let dual = -sample.share(r) * duals[r];
                pairs.iter().for_each(|&(k, x)| sums[k].add(dual, x));
            });
            Partial { list: sums.iter().flat_map(CompensatedDot::parts).collect(), ..Partial::default() }
        })?;
        let mut sums = vec![CompensatedDot::default(); width];
        for of_block in total.list.chunks_exact(width.max(1) * CompensatedDot::PARTS) {
            let parts = of_block.chunks_exact(CompensatedDot::PARTS);
            sums.iter_mut().zip(parts).for_each(|(sum, parts)| sum.join(parts));
        }
        let norm = length(passes.workers, sample, duals)?;
        // Roundings of the row weights, of their products with the dual points, and of the centred values.
        let mut rounding: Vec<f64> = sums.iter().map(|sum| 6.0 * EPS * sum.size()).collect();
        for (k, &j) in self.columns.iter().enumerate() {
            let apart = lengths[j] + self.anchor[k].abs() * lengths[self.columns[0]];
            rounding[k] += (sample.design.column_error(j) + sample.design.value_error() * apart) * norm;
            // The required mean, minus that of the anchor: a product of three numbers is rounded once more.
            for (at, factor) in [(k, -1.0), (0, self.anchor[k])].into_iter().filter(|(_, factor)| *factor != 0.0) {
                let (penalty, w) = (&objective.penalties[self.columns[at]], state.point[self.columns[at]]);
                let l2 = if penalty.is_smooth(w) { penalty.l2 } else { 0.0 };
                sums[k].add(factor * l2, w);
                sums[k].add(factor, self.l1_derivative[at]);
                rounding[k] += 4.0 * EPS * factor.abs() * ((l2 * w).abs() + self.l1_derivative[at].abs());
            }
        }
        let bounds = sums.iter().zip(&rounding).map(|(sum, rounding)| sum.magnitude_bound() + rounding).collect();
        Ok((sums.iter().map(CompensatedDot::value).collect(), bounds))
    }

    /// Moves the dual points by Newton steps along the pinned columns until the means z_j are as pinned, except for
    /// rounding errors. Dual points on the boundary of their domain stay fixed.
    fn converge(&mut self, passes: &Passes, at_point: AtPoint, duals: &mut [f64]) -> Result<(), Stopped> {
        let AtPoint { sample, objective, .. } = at_point;
        let mut before = f64::INFINITY;
        for _ in 0..MAX_NEWTON_STEPS {
            let (mut step, bounds) = self.left(passes, at_point, duals)?;
            let factor = Cholesky::new(passes.workers, self.square(passes, at_point)?, self.columns.len())?;
            let size = step.iter().zip(&bounds).map(|(s, bound)| s.abs() / bound).fold(0.0, f64::max);
            if size <= 1e-3 || before <= size {
                break;
            }
            before = if self.is_stuck(passes, at_point)? { f64::INFINITY } else { size };
            factor.solve(&mut step);
            let mut moved = duals.to_vec();
            self.each(passes, at_point, 0..sample.rows(), |r, pairs| {
                if self.curvature[r] > 0.0 && sample.share(r) > 0.0 {
                    let by: f64 = pairs.iter().map(|&(k, x)| step[k] * x).sum();
                    moved[r] += self.curvature[r] / sample.share(r) * by;
                }
            })?;
            for (r, (dual, moved)) in duals.iter_mut().zip(moved).enumerate() {
                *dual = objective.margin_loss.clip(sample.label(r), moved);
                self.curvature[r] = if *dual == moved { self.curvature[r] } else { 0.0 };
            }
        }
        Ok(())
    }

    /// Whether the dual point of some row has reached the boundary of its domain.
    fn is_stuck(&self, passes: &Passes, at_point: AtPoint) -> Result<bool, Stopped> {
        let is_free = self.curvature == at_point.state.curvature;
        Ok(!passes.workers.all(at_point.sample, is_free)?)
    }

    /// Bounds the distance of each dual point from some dual points whose means z_j are all exactly as pinned. With H
    /// the curvature matrix of the pinned columns, s the Newton step, D the diagonal of H and N = D^(−½)HD^(−½),
    /// |x_iᵀs| ≤ ‖D^(−½)x_i‖·‖N⁻¹‖·‖D^(−½)·left‖. Returns `None` if H is too ill-conditioned to bound ‖N⁻¹‖.
    fn moved(&mut self, passes: &Passes, at_point: AtPoint, duals: &[f64]) -> Result<Option<Vec<f64>>, Stopped> {
        let AtPoint { sample, objective, .. } = at_point;
        let (_, left) = self.left(passes, at_point, duals)?;
        let width = self.columns.len();
        // Dual points that might leave their domain are fixed, and the bound is computed again.
        for _ in 0..MAX_NEWTON_STEPS {
            let square = self.square(passes, at_point)?;
            let diagonal: Vec<f64> = (0..width).map(|k| square[k * width + k]).collect();
            let Some(inverse) = inverse_norm(passes.workers, square, width)? else { return Ok(None) };
            let reach = left.iter().zip(&diagonal).map(|(left, d)| left * left / d).sum::<f64>().sqrt() * inverse;
            let (mut moved, mut stuck) = (vec![0.0; duals.len()], Vec::new());
            self.each(passes, at_point, 0..sample.rows(), |r, pairs| {
                let share = sample.share(r);
                if self.curvature[r] > 0.0 && share > 0.0 {
                    let size = pairs.iter().map(|&(k, x)| x * x / diagonal[k]).sum::<f64>().sqrt();
                    let (by, y, dual) =
                        (self.curvature[r] / share * size * reach * (1.0 + 64.0 * EPS), sample.label(r), duals[r]);
                    let is_inside = |theta: f64| objective.margin_loss.clip(y, theta) == theta;
                    if is_inside(dual - by) && is_inside(dual + by) { moved[r] = by } else { stuck.push(r) }
                }
            })?;
            if passes.workers.all(sample, stuck.is_empty())? {
                return Ok(reach.is_finite().then_some(moved));
            }
            stuck.iter().for_each(|&r| self.curvature[r] = 0.0);
        }
        Ok(None)
    }
}
