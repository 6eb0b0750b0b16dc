//! The Fenchel gap of a point and a dual point: what [`fenchel`](surefoot::certificate::fenchel()) says, for any dual
//! point, and with all threads.

use super::{
    curve::Curve,
    design::Sample,
    level::{Level, balance, level},
    pass::Passes,
    price::Price,
    release::{mean, release},
    rounding::EPS,
    shares::Stopped,
    state::{Objective, State},
};
use crate::numeric::sums::Sum;

/// A point on all rows, and what it is the minimum of.
#[derive(Clone, Copy)]
pub(super) struct Around<'s, 'a> {
    pub(super) sample: &'s Sample<'a>,
    pub(super) objective: &'s Objective<'s>,
    pub(super) state: &'s State,
}

/// Bounds by how much the objective of the model that a point is stored as exceeds the least: by its gap to the dual objective at
/// `duals`, once these are feasible. ∞ where no dual point is found that is.
///
/// At θ_i = φ'(margin) it is of the order of ‖∇P‖²/l2. After a Newton step the dual points that the quadratic model
/// foresees, φ'(m) + φ''(m)·Δm, are far better: they satisfy Σω_iθ_i a_i = −l2·w as well as the step was solved for, so
/// that what is left is of the order of the third derivative, and the gap that of the objective itself.
///
/// *Rounding*: Σ ω_i(φ_i(m_i) + φ_i*(θ_i) − θ_i·m_i) + Σ_j (Ω_j(w_j) + Ω_j*(z_j) − w_j·z_j) holds for any θ, where m and z = −Σω_iθ_i x_i
/// are exact. No term is negative, and each is convex in m_i, and in z_j. So it is at most what it is at the ends of what rounding may have
/// made of m_i and z_j: that is of second order near the optimum. The lengths of columns and
/// dual points bound Σω_i|θ_i x_ij|.
///
/// *Cost*: one pass.
pub(super) fn gap(passes: &mut Passes, around: Around, mut duals: Vec<f64>) -> Result<f64, Stopped> {
    let Around { sample, objective, state } = around;
    let lengths = &sample.design.lengths;
    for (r, dual) in duals.iter_mut().enumerate() {
        *dual = objective.curve.clip(sample.label(r), *dual);
    }
    let mut minded = vec![false; state.point.len()];
    if objective.is_loose {
        let Some(found) = release(passes, around, &mut duals)? else { return Ok(f64::INFINITY) };
        minded = found;
    } else if let Some(constant) = sample.design.constant() {
        balance(sample, objective, &mut duals);
        minded[constant] = true;
    }
    let mean = mean(passes, sample, &duals)?;
    let mut off = off(passes.sum_terms(sample), around, &mean, &duals);
    // A weight that what rounding left may drive for ever is balanced as well.
    for (j, price) in objective.prices.iter().enumerate() {
        minded[j] |= price.is_driven(mean[j] + 4.0 * off[j]) || price.is_driven(mean[j] - 4.0 * off[j]);
    }
    let left: Vec<f64> = mean.iter().zip(&off).map(|(z, off)| z.abs() + off).collect();
    let Some(level) = level(passes.crew, around, &minded, &left, &duals)? else {
        return Ok(f64::INFINITY);
    };
    let moved = level.scaled * length(sample, &duals) + length(sample, &level.moved);
    off.iter_mut().zip(lengths).for_each(|(off, length)| *off += moved * length);
    total(passes, around, Duals { points: duals, mean, off, minded, level })
}

/// [`gap`] at the slopes of the rows, whose means the gradient tells: worth it where that is about 0, and there are neither intercept nor weights
/// that nothing holds.
///
/// *Cost*: no pass, one look at each row.
pub(super) fn gap_of_slopes(passes: &Passes, around: Around) -> Result<f64, Stopped> {
    let Around { sample, objective, state } = around;
    let is_dual = |(r, slope): (usize, &f64)| objective.curve.clip(sample.label(r), *slope) == *slope;
    // The gradient is that of the slopes as they are.
    if !state.slope.iter().enumerate().all(is_dual) {
        return Ok(f64::INFINITY);
    }
    let points = state.slope.clone();
    let mean = |((g, w), price): ((&f64, &f64), &Price)| price.l2 * w - g;
    let mean: Vec<f64> = state.gradient.iter().zip(&state.point).zip(objective.prices).map(mean).collect();
    let off = off(Passes::plain_terms(sample), around, &mean, &points);
    let minded = vec![false; mean.len()];
    total(passes, around, Duals { points, mean, off, minded, level: Level::default() })
}

/// Dual points with all that is known of them.
struct Duals {
    points: Vec<f64>,
    /// z, how far off it may be,
    mean: Vec<f64>,
    off: Vec<f64>,
    /// and where it is 0 once the points are levelled.
    minded: Vec<bool>,
    level: Level,
}

fn total(passes: &Passes, around: Around, duals: Duals) -> Result<f64, Stopped> {
    let Around { objective, state, .. } = around;
    let Duals { points: mut duals, mut mean, mut off, minded, mut level } = duals;
    let priced = |j: &usize| !minded[*j];
    let shrink = |j: usize| objective.prices[j].shrink(mean[j], off[j]);
    let factor = (0..mean.len()).filter(priced).map(shrink).fold(1.0, f64::min);
    if factor != 1.0 {
        let moved = level.moved.iter_mut().chain(&mut off);
        mean.iter_mut().chain(&mut duals).chain(moved).for_each(|x| *x *= factor);
    }
    let mut gap = misses(passes, around, &duals, &level)?;
    for j in (0..mean.len()).filter(priced) {
        let (w, z, price) = (state.point[j], mean[j], &objective.prices[j]);
        gap.add(price.miss(w, z - off[j]).max(price.miss(w, z + off[j])) + 4.0 * EPS * price.l1 * w.abs());
    }
    for &j in &level.spare {
        gap.add(state.point[j].abs() * (mean[j].abs() + off[j]));
    }
    let gap = gap.value() * (1.0 + 64.0 * EPS);
    Ok(if gap.is_finite() { gap } else { f64::INFINITY })
}

/// How far each z_j may be from its sum of the dual points as they are, where sums are off by `terms` roundings.
pub(super) fn off(terms: f64, around: Around, mean: &[f64], duals: &[f64]) -> Vec<f64> {
    let Around { sample, objective, state } = around;
    let lengths = &sample.design.lengths;
    let norm = length(sample, duals);
    // Besides those of the sum: shares, and the factor that shrinks all of them.
    let per_length = (terms + 4.0) * EPS * norm;
    let of = |(j, length): (usize, &f64)| {
        let (price, w) = (&objective.prices[j], state.point[j]);
        let own = 4.0 * EPS * (mean[j].abs() + price.l1 + price.l2 * w.abs());
        per_length * length + sample.design.drift_of_column(j) * norm + own
    };
    lengths.iter().enumerate().map(of).collect()
}

/// √Σω_i t_i².
pub(super) fn length(sample: &Sample, numbers: &[f64]) -> f64 {
    let largest = numbers.iter().fold(0.0, |a: f64, t| a.max(t.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let square = |(r, t): (usize, &f64)| sample.share(r) * (t / largest) * (t / largest);
    largest * numbers.iter().enumerate().map(square).sum::<f64>().sqrt()
}

/// The dual points that the quadratic model at `state` foresees for `next`.
pub(super) fn foreseen(sample: &Sample, state: &State, next: &State) -> Vec<f64> {
    let mut duals = vec![0.0; state.slope.len()];
    for (r, dual) in duals.iter_mut().enumerate() {
        let share = sample.share(r);
        let bend = if share > 0.0 { state.bend[r] / share } else { 0.0 };
        *dual = state.slope[r] + bend * (next.margin[r] - state.margin[r]);
    }
    duals
}

/// Bounds Σ ω_i(φ_i(m_i) + φ_i*(θ_i) − θ_i·m_i) for margins and dual points as they are without rounding.
pub(super) fn misses(passes: &Passes, around: Around, duals: &[f64], level: &Level) -> Result<Sum, Stopped> {
    let Around { sample, objective, state, .. } = around;
    let (per, curve) = (Passes::rows_per_share(sample), objective.curve);
    let mut found = vec![Sum::default(); duals.len().div_ceil(per)];
    let shares = found.iter_mut().zip(duals.chunks(per)).enumerate().collect();
    passes.crew.run(shares, |(k, (sum, duals)): (usize, (&mut Sum, &[f64]))| {
        for (r, &dual) in (k * per..).zip(duals) {
            let (y, m, off, share) = (sample.label(r), state.margin[r], state.off[r], sample.share(r));
            // Of an interior point slopes are not those of the margins.
            let slope = if matches!(curve, Curve::Ramp(_)) { curve.jet(y, m).slope } else { state.slope[r] };
            let bend = if share > 0.0 { state.bend[r] / share } else { 0.0 };
            let at = |dual: f64| curve.miss_within(y, m, off, dual, slope, bend);
            let mut miss = match level.moved.get(r) {
                Some(&by) if by > 0.0 => at(curve.clip(y, dual - by)).max(at(curve.clip(y, dual + by))),
                _ => at(dual),
            };
            if level.scaled > 0.0 {
                miss += level.scaled * curve.above_least(y, m, off, slope, bend);
            }
            sum.add(share * miss);
        }
    })?;
    let mut sum = Sum::default();
    found.iter().for_each(|part| sum.add(part.value()));
    Ok(sum)
}
