//! Primal-dual interior-point method for losses with kinks, and for clipped linear losses (squared and Huber losses,
//! hinges and the like) on which Newton's method stalls.

use super::{
    central_path::{Change, Complementarity},
    clipped_linear::ClippedLinear,
    conjugate_gradients::{StoppingRule, direction},
    design::Sample,
    expansion::Expansion,
    newton::{inverse, is_factored},
    pass::margins,
    preconditioner::Preconditioner,
    search::{NEAR_OPTIMUM_SHARE, Search},
    state::{State, diagonal},
    stopping::Verdict,
    weight_penalty::{WeightPenalty, largest_l2},
    woodbury::Woodbury,
    workers::{Stopped, Workers},
};
use crate::shards::Partial;

/// Step length, as a fraction of the step that reaches the boundary of the feasible region.
const BOUNDARY_FRACTION: f64 = 0.99;
/// Number of passes per step that a Cholesky factor is assumed to save. With a diagonal preconditioner, conjugate
/// gradients take hundreds of passes, because the curvatures of the rows differ so much.
const PASSES_SAVED_BY_FACTORING: f64 = 400.0;

/// Minimises the objective along the central path: takes Newton steps for primal and dual variables at once, towards
/// decreasing complementarity products.
///
/// Elimination of all variables but the weights leaves the linear system of a Newton step on the primal problem, with
/// derivatives and curvatures that come from the dual points and stay bounded where those of a smoothed kink jump. A
/// kink of a penalty (|w_j| at 0, or a bound) is treated like the kink of a row whose margin is the distance of w_j
/// from it. The certificate is the duality gap of the unsmoothed loss at the dual points of the rows (Wright 1997,
/// *Primal-Dual Interior-Point Methods*).
pub(super) fn interior_point(
    search: &mut Search,
    first: State,
    clipped_linear: ClippedLinear,
) -> Result<Verdict, Stopped> {
    let sample = search.rows();
    search.bound(&first, Some(first.derivative.clone()))?;
    if let Some(verdict) = search.verdict(first.candidate()) {
        return Ok(verdict);
    }
    let mut path = Path::new(search, &sample, first, clipped_linear)?;
    loop {
        let product = path.shrink * path.product(search.passes.workers, &sample)?;
        let state = path.state(search, &sample, product)?;
        let is_near = product <= NEAR_OPTIMUM_SHARE * search.tolerance * state.objective.abs();
        search.bound_by(&state, path.duals(&sample), is_near)?;
        if let Some(verdict) = search.verdict(state.candidate()) {
            path.round(search, &sample)?;
            return Ok(verdict);
        }
        let step = newton_step(search, &sample, &state, product)?;
        let by = margins(&mut search.passes, &sample, &step)?;
        let (workers, penalties) = (search.passes.workers, search.objective.penalties);
        let part = path.step(workers, &sample, &state, &step, &by, product, penalties)?;
        if (part * product).is_nan() || part <= 1e-8 || product <= f64::MIN_POSITIVE {
            return Ok(Verdict::Stalled);
        }
    }
}

/// Current iterate of the interior-point method: the weights, and the dual variables of rows and of kinks of penalties.
struct Path {
    clipped_linear: ClippedLinear,
    point: Vec<f64>,
    rows: Vec<Complementarity>,
    kinks: Vec<Kink>,
    /// Scale of each weight: the scale of the objective divided by the norm of the column. Empty if no penalty has a
    /// kink.
    unit: Vec<f64>,
    /// Centring parameter: the next step aims at this fraction of the mean complementarity product.
    shrink: f64,
}

/// Kink of the penalty of a weight w (|w| at 0, or a bound), with its dual variables.
struct Kink {
    /// Index of the weight's coordinate. The next field is the value of the weight at the kink.
    at: usize,
    origin: f64,
    /// Side of the kink on which weights are feasible: +1 above it, −1 below it; +1 if they are feasible on both sides.
    side: f64,
    complementarity: Complementarity,
}

impl Kink {
    /// Builds the kinks of the penalty of coordinate `at` (one per finite bound, and one at 0 under an L1 penalty).
    /// Their dual variables are on the central path for a weight w strictly between the bounds.
    fn all(at: usize, penalty: &WeightPenalty, w: f64, product: f64) -> Vec<Kink> {
        let kink = |origin: f64, side: f64, low: f64, high: f64| {
            let complementarity = Complementarity::central(low, high, side * (w - origin), product);
            Kink { at, origin, side, complementarity }
        };
        // A bound at 0 is the kink of |w| as well.
        let at_bound =
            |bound: f64, side: f64| kink(bound, side, f64::NEG_INFINITY, if bound == 0.0 { penalty.l1 } else { 0.0 });
        let mut kinks = Vec::new();
        kinks.extend((penalty.low > f64::NEG_INFINITY).then(|| at_bound(penalty.low, 1.0)));
        kinks.extend((penalty.high < f64::INFINITY).then(|| at_bound(penalty.high, -1.0)));
        let crosses = penalty.low < 0.0 && penalty.high > 0.0;
        kinks.extend((crosses && penalty.l1 > 0.0).then(|| kink(0.0, 1.0, -penalty.l1, penalty.l1)));
        kinks
    }

    /// Returns the distance of the weight from the kink, positive on the feasible side.
    fn distance(&self, point: &[f64]) -> f64 {
        self.side * (point[self.at] - self.origin)
    }
}

impl Path {
    fn new(search: &mut Search, sample: &Sample, first: State, clipped_linear: ClippedLinear) -> Result<Path, Stopped> {
        let (mut point, product, objective) = (first.point, first.objective.abs(), search.objective);
        let dim = point.len();
        let row = |(r, &m): (usize, &f64)| {
            let u = clipped_linear.residual(sample.label(r), m).1;
            Complementarity::smoothed(clipped_linear.low, clipped_linear.high, u, product, clipped_linear.width)
        };
        let rows = first.margin.iter().enumerate().map(row).collect();
        let (mut unit, mut kinks) = (Vec::new(), Vec::new());
        if objective.penalty_has_kinks {
            let shares: Vec<f64> = (0..sample.rows()).map(|r| sample.share(r)).collect();
            let squares = diagonal(&mut search.passes, sample, &vec![0.0; dim], &shares)?;
            unit = squares.iter().map(|s| product / if *s > 0.0 { s.sqrt() } else { 1.0 }).collect();
            for (j, penalty) in objective.penalties.iter().enumerate() {
                // Strictly feasible: this far from each bound, but at most a quarter of the way to the other.
                let within = (0.1 * unit[j] / dim as f64).min(0.25 * (penalty.high - penalty.low));
                point[j] = point[j].max(penalty.low + within).min(penalty.high - within);
                kinks.extend(Kink::all(j, penalty, point[j], product / dim as f64));
            }
        }
        Ok(Path { clipped_linear, point, rows, kinks, unit, shrink: 0.1 })
    }

    /// Computes the duality measure: the weighted mean of the complementarity products of the rows or, if penalties
    /// have kinks, the average of that mean and the sum of the products of these kinks.
    fn product(&self, workers: &Workers, sample: &Sample) -> Result<f64, Stopped> {
        let rows = workers.over_rows(sample, |block| {
            let product = |r: usize| sample.share(r) * self.rows[r].product();
            Partial { sums: vec![block.rows.clone().map(product).sum()], ..Partial::default() }
        })?;
        let kinks: f64 = self.kinks.iter().map(|kink| kink.complementarity.product()).sum();
        Ok(if self.kinks.is_empty() { rows.sums[0] } else { 0.5 * (rows.sums[0] + kinks) })
    }

    /// Returns the target complementarity product of each kink of a penalty, where `product` is that of each row. All
    /// kinks together count as much as all rows.
    fn kink_product(&self, product: f64) -> f64 {
        product / self.kinks.len() as f64
    }

    /// Computes the Newton system for the weights, after elimination of the dual variables of rows and kinks, at the
    /// current iterate.
    fn state(&self, search: &mut Search, sample: &Sample, product: f64) -> Result<State, Stopped> {
        let (clipped_linear, rows) = (self.clipped_linear, &self.rows);
        let mut state = State::by(&mut search.passes, sample, &search.objective, self.point.clone(), |r, y, m| {
            let ((sign, u), row) = (clipped_linear.residual(y, m), &rows[r]);
            let derivative = row.derivative(u, product);
            Expansion {
                value: clipped_linear.expansion(y, m).value,
                derivative: sign * derivative,
                curvature: 1.0 / row.stiffness(),
            }
        })?;
        for kink in &self.kinks {
            let derivative = kink.complementarity.derivative(kink.distance(&self.point), self.kink_product(product));
            state.gradient[kink.at] += kink.side * derivative;
            state.penalty_curvature[kink.at] += 1.0 / kink.complementarity.stiffness();
        }
        Ok(state)
    }

    /// Returns the dual point of each row, which tends to the derivative of its loss with respect to the margin.
    fn duals(&self, sample: &Sample) -> Vec<f64> {
        let sign = |r: usize| self.clipped_linear.residual(sample.label(r), 0.0).0;
        self.rows.iter().enumerate().map(|(r, row)| sign(r) * row.dual).collect()
    }

    /// Moves all variables along their Newton steps, shortened if necessary so that all dual variables stay strictly
    /// feasible, and sets the centring parameter. Returns the length of the step as a fraction of the full one.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &mut self,
        workers: &Workers,
        sample: &Sample,
        state: &State,
        step: &[f64],
        by: &[f64],
        product: f64,
        penalties: &[WeightPenalty],
    ) -> Result<f64, Stopped> {
        let clipped_linear = self.clipped_linear;
        let change = |(r, row): (usize, &Complementarity)| {
            let (sign, u) = clipped_linear.residual(sample.label(r), state.margin[r]);
            row.change(u, sign * by[r], product)
        };
        let rows: Vec<Change> = self.rows.iter().enumerate().map(change).collect();
        let kink_product = self.kink_product(product);
        let change = |kink: &Kink| {
            kink.complementarity.change(kink.distance(&self.point), kink.side * step[kink.at], kink_product)
        };
        let kinks: Vec<Change> = self.kinks.iter().map(change).collect();
        let all = self.rows.iter().zip(&rows).chain(self.kinks.iter().map(|kink| &kink.complementarity).zip(&kinks));
        let room = all.map(|(one, change)| one.max_step(change)).fold(1.0, f64::min);
        let room = workers.least(sample, room)?;
        let part = if room < 1.0 { BOUNDARY_FRACTION * room } else { 1.0 };
        self.rows.iter_mut().zip(&rows).for_each(|(row, change)| row.shift(part, change));
        self.kinks.iter_mut().zip(&kinks).for_each(|(kink, change)| kink.complementarity.shift(part, change));
        // Rounding may put a weight beyond a bound.
        let moved = self.point.iter_mut().zip(step).zip(penalties);
        moved.for_each(|((w, step), penalty)| *w = penalty.clamp(*w + part * step));
        // More centring after short steps.
        self.shrink = (1.0 - part).powi(2).clamp(0.1, 0.8);
        Ok(part)
    }

    /// Rounds weights to the kink of their penalty (0 or a bound) if they are closer to it, relative to their scale,
    /// than the dual point is to its limits, relative to l1. Keeps the result only if it is within the tolerance too.
    fn round(&self, search: &mut Search, sample: &Sample) -> Result<(), Stopped> {
        if !self.kinks.iter().any(|kink| search.objective.penalties[kink.at].l1 > 0.0) {
            return Ok(());
        }
        let mut point = self.point.clone();
        // Without l1 there is no scale to compare the dual point's distance with.
        for kink in self.kinks.iter().filter(|kink| search.objective.penalties[kink.at].l1 > 0.0) {
            let Complementarity { low, high, dual, .. } = kink.complementarity;
            let slack = (high - dual).min(dual - low) / search.objective.penalties[kink.at].l1;
            if kink.distance(&point).abs() <= slack * self.unit[kink.at] {
                point[kink.at] = kink.origin;
            }
        }
        let state = State::at(&mut search.passes, sample, &search.objective, point)?;
        if state.objective - search.lower <= search.tolerance * state.objective.abs() {
            search.best.objective = f64::NAN;
            search.offer(state.candidate(), f64::INFINITY);
        }
        Ok(())
    }
}

/// Computes the Newton step of the weights by conjugate gradients. Since a residual adds its sum of squares divided by
/// 2·l2 to the duality gap, it is limited to a small fraction of the current complementarity product or of the
/// tolerance.
fn newton_step(search: &mut Search, sample: &Sample, state: &State, product: f64) -> Result<Vec<f64>, Stopped> {
    let (l2, size) = (largest_l2(search.objective.penalties), state.objective.abs());
    let inverse = if is_factored(sample, PASSES_SAVED_BY_FACTORING).0 {
        inverse(&mut search.passes, sample, &state.penalty_curvature, &state.curvature, PASSES_SAVED_BY_FACTORING)?
    } else {
        Preconditioner::Woodbury(Woodbury::new(&mut search.passes, sample, &state.penalty_curvature, &state.curvature)?)
    };
    let near = 0.05 * (search.tolerance * size).max(product);
    let least = search.objective.least_l1();
    let residual = match l2 > 0.0 {
        true => 2.0 * l2 * near,
        // Where z exceeds l1, all dual points are scaled down.
        false => (near / size.max(f64::MIN_POSITIVE) * least).powi(2),
    };
    let enough = |_: f64| StoppingRule { share: 1e-4, residual, constant: f64::INFINITY, iterations: 1000 };
    Ok(direction(&mut search.passes, sample, state, search.objective.penalties, &inverse, enough)?.step)
}
