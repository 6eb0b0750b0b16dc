//! A primal-dual interior-point method, for losses with a kink, or with limits of their slope beyond which they do not curve.

use super::{
    central_path::{Change, Complementarity},
    clipped_linear::ClippedLinear,
    conjugate_gradients::{StoppingRule, direction},
    design::Sample,
    expansion::Expansion,
    newton::{inverse, is_factored},
    pass::margins,
    preconditioner::Preconditioner,
    search::{Search, Verdict, WELL_WITHIN},
    state::{State, diagonal},
    weight_penalty::{WeightPenalty, largest_l2},
    woodbury::Woodbury,
    workers::Stopped,
};

/// Of the way to where a dual point would reach its limit, the part that is gone.
const REACH: f64 = 0.99;
/// Passes that a whole matrix saves a step: by the diagonal conjugate gradients take hundreds, as curvatures are far apart.
const WORTH: f64 = 400.0;

/// Follows the central path: Newton steps for dual points and margins at once, towards products that shrink.
///
/// Eliminating all but the weights leaves the system of a Newton step on the primal problem, with slopes and bends that come from
/// the dual points: they stay bounded where those of a smoothed kink jump. A corner of a price, |w_j| or a bound, is a kink like
/// that of a row whose margin is how far w_j is from there. The certificate is that of the loss as it is, at the dual points of the
/// rows (Wright 1997, *Primal-Dual Interior-Point Methods*).
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
        let product = path.shrink * path.product(&sample);
        let state = path.state(search, &sample, product)?;
        let is_near = product <= WELL_WITHIN * search.tolerance * state.objective.abs();
        search.bound_by(&state, path.duals(&sample), is_near)?;
        if let Some(verdict) = search.verdict(state.candidate()) {
            path.round(search, &sample)?;
            return Ok(verdict);
        }
        let step = newton_step(search, &sample, &state, product)?;
        let by = margins(&mut search.passes, &sample, &step)?;
        let part = path.walk(&sample, &state, &step, &by, product, search.objective.penalties);
        if (part * product).is_nan() || part <= 1e-8 || product <= f64::MIN_POSITIVE {
            return Ok(Verdict::Stalled);
        }
    }
}

/// Where the search is.
struct Path {
    clipped_linear: ClippedLinear,
    point: Vec<f64>,
    rows: Vec<Complementarity>,
    corners: Vec<Corner>,
    /// The size of margins that matter, over that of the coordinate's column: what weights are measured by.
    unit: Vec<f64>,
    /// The part of the mean product to aim at.
    shrink: f64,
}

/// A corner of a price.
struct Corner {
    /// The coordinate, and where the corner is.
    at: usize,
    origin: f64,
    /// On which side of it weights are; +1 where they are on both.
    side: f64,
    kink: Complementarity,
}

impl Corner {
    /// Those of a coordinate, at a weight between the bounds.
    fn all(at: usize, penalty: &WeightPenalty, w: f64, product: f64) -> Vec<Corner> {
        let corner = |origin: f64, side: f64, low: f64, high: f64| {
            let kink = Complementarity::central(low, high, side * (w - origin), product);
            Corner { at, origin, side, kink }
        };
        // A bound at 0 is a corner of |w| as well.
        let at_bound =
            |bound: f64, side: f64| corner(bound, side, f64::NEG_INFINITY, if bound == 0.0 { penalty.l1 } else { 0.0 });
        let mut corners = Vec::new();
        corners.extend((penalty.low > f64::NEG_INFINITY).then(|| at_bound(penalty.low, 1.0)));
        corners.extend((penalty.high < f64::INFINITY).then(|| at_bound(penalty.high, -1.0)));
        let crosses = penalty.low < 0.0 && penalty.high > 0.0;
        corners.extend((crosses && penalty.l1 > 0.0).then(|| corner(0.0, 1.0, -penalty.l1, penalty.l1)));
        corners
    }

    /// How far a weight is from it.
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
        let (mut unit, mut corners) = (Vec::new(), Vec::new());
        if objective.has_corners {
            let shares: Vec<f64> = (0..sample.rows()).map(|r| sample.share(r)).collect();
            let squares = diagonal(&mut search.passes, sample, &vec![0.0; dim], &shares)?;
            unit = squares.iter().map(|s| product / if *s > 0.0 { s.sqrt() } else { 1.0 }).collect();
            for (j, penalty) in objective.penalties.iter().enumerate() {
                // Strictly inside, but no farther than half the way to the other bound.
                let within = (0.1 * unit[j] / dim as f64).min(0.25 * (penalty.high - penalty.low));
                point[j] = point[j].max(penalty.low + within).min(penalty.high - within);
                corners.extend(Corner::all(j, penalty, point[j], product / dim as f64));
            }
        }
        Ok(Path { clipped_linear, point, rows, corners, unit, shrink: 0.1 })
    }

    /// The mean product of the rows, corners included.
    fn product(&self, sample: &Sample) -> f64 {
        let rows: f64 = self.rows.iter().enumerate().map(|(r, row)| sample.share(r) * row.product()).sum();
        let corners: f64 = self.corners.iter().map(|corner| corner.kink.product()).sum();
        if self.corners.is_empty() { rows } else { 0.5 * (rows + corners) }
    }

    /// What a corner's product is to be where those of rows are `product`: together they weigh as much as the rows.
    fn corner_product(&self, product: f64) -> f64 {
        product / self.corners.len() as f64
    }

    /// The point with the Newton system of rows and corners.
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
        for corner in &self.corners {
            let derivative = corner.kink.derivative(corner.distance(&self.point), self.corner_product(product));
            state.gradient[corner.at] += corner.side * derivative;
            state.penalty_curvature[corner.at] += 1.0 / corner.kink.stiffness();
        }
        Ok(state)
    }

    /// Dual points of the rows.
    fn duals(&self, sample: &Sample) -> Vec<f64> {
        let sign = |r: usize| self.clipped_linear.residual(sample.label(r), 0.0).0;
        self.rows.iter().enumerate().map(|(r, row)| sign(r) * row.dual).collect()
    }

    /// Goes as far along a step as leaves all inside; the part of it that this is.
    fn walk(
        &mut self,
        sample: &Sample,
        state: &State,
        step: &[f64],
        by: &[f64],
        product: f64,
        penalties: &[WeightPenalty],
    ) -> f64 {
        let clipped_linear = self.clipped_linear;
        let change = |(r, row): (usize, &Complementarity)| {
            let (sign, u) = clipped_linear.residual(sample.label(r), state.margin[r]);
            row.change(u, sign * by[r], product)
        };
        let rows: Vec<Change> = self.rows.iter().enumerate().map(change).collect();
        let corner_product = self.corner_product(product);
        let change = |corner: &Corner| {
            corner.kink.change(corner.distance(&self.point), corner.side * step[corner.at], corner_product)
        };
        let corners: Vec<Change> = self.corners.iter().map(change).collect();
        let all = self.rows.iter().zip(&rows).chain(self.corners.iter().map(|corner| &corner.kink).zip(&corners));
        let room = all.map(|(one, change)| one.room(change)).fold(1.0, f64::min);
        let part = if room < 1.0 { REACH * room } else { 1.0 };
        self.rows.iter_mut().zip(&rows).for_each(|(row, change)| row.shift(part, change));
        self.corners.iter_mut().zip(&corners).for_each(|(corner, change)| corner.kink.shift(part, change));
        // Rounding may leave a weight beyond a bound.
        let moved = self.point.iter_mut().zip(step).zip(penalties);
        moved.for_each(|((w, step), penalty)| *w = penalty.clamp(*w + part * step));
        // Towards the centre where steps are short.
        self.shrink = (1.0 - part).powi(2).clamp(0.1, 0.8);
        part
    }

    /// Weights that are nearer to 0 or a bound than their dual points are to a limit become that, if it is certified as well.
    fn round(&self, search: &mut Search, sample: &Sample) -> Result<(), Stopped> {
        if !self.corners.iter().any(|corner| search.objective.penalties[corner.at].l1 > 0.0) {
            return Ok(());
        }
        let mut point = self.point.clone();
        // Without l1 there is nothing that a dual point could be compared with.
        for corner in self.corners.iter().filter(|corner| search.objective.penalties[corner.at].l1 > 0.0) {
            let Complementarity { low, high, dual, .. } = corner.kink;
            let slack = (high - dual).min(dual - low) / search.objective.penalties[corner.at].l1;
            if corner.distance(&point).abs() <= slack * self.unit[corner.at] {
                point[corner.at] = corner.origin;
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

/// What the weights are to change by. What conjugate gradients leave of the dual equation costs the certificate its squares
/// over 2·l2: a small part of what it is on the way to, or of the tolerance.
fn newton_step(search: &mut Search, sample: &Sample, state: &State, product: f64) -> Result<Vec<f64>, Stopped> {
    let (l2, size) = (largest_l2(search.objective.penalties), state.objective.abs());
    let inverse = if is_factored(sample, WORTH).0 {
        inverse(&mut search.passes, sample, &state.penalty_curvature, &state.curvature, WORTH)?
    } else {
        Preconditioner::Woodbury(Woodbury::new(&mut search.passes, sample, &state.penalty_curvature, &state.curvature)?)
    };
    let near = 0.05 * (search.tolerance * size).max(product);
    let least = search.objective.least_l1();
    let residual = match l2 > 0.0 {
        true => 2.0 * l2 * near,
        // What a dual point is beyond l1 shrinks all of them.
        false => (near / size.max(f64::MIN_POSITIVE) * least).powi(2),
    };
    let enough = |_: f64| StoppingRule { share: 1e-4, residual, constant: f64::INFINITY, iterations: 1000 };
    Ok(direction(&mut search.passes, sample, state, search.objective.penalties, &inverse, enough)?.step)
}
