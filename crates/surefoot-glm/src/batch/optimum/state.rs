//! A point with all that one pass finds there.

use super::{
    Goal,
    curve::{Curve, Jet},
    design::{Design, Sample},
    pass::Passes,
    price::Price,
    rounding::EPS,
    search::Place,
    shares::Stopped,
};
use crate::numeric::sums::Sum;

/// What is minimised: the mean loss, and the prices of the weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective<'a> {
    pub(super) curve: Curve,
    /// Of each coordinate of the design, the intercept's nothing.
    pub(super) prices: &'a [Price],
    /// Whether a Newton step has to mind corners of the prices.
    pub(super) has_corners: bool,
    /// Whether nothing holds some weight, besides the intercept.
    pub(super) is_loose: bool,
    /// Whether nothing holds any.
    pub(super) is_free: bool,
}

impl<'a> Objective<'a> {
    pub(super) fn new(curve: Curve, goal: &Goal, design: &Design, prices: &'a [Price]) -> Objective<'a> {
        let weights = |is: fn(&Price) -> bool| design.map().filter(|&(at, _)| is(&prices[at])).count();
        let (columns, loose) = (weights(|_| true), weights(Price::is_loose));
        Objective {
            curve,
            prices,
            has_corners: weights(Price::has_corner) > 0,
            is_loose: loose > 0,
            // Without columns there is nothing to be held, which is as good.
            is_free: loose == columns && goal.l1 + goal.l2 == 0.0,
        }
    }

    /// The least l1 that is one; ∞ without any.
    pub(super) fn least_l1(&self) -> f64 {
        self.prices.iter().map(|price| price.l1).filter(|l1| *l1 > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// The curvature of the prices at each coordinate.
    pub(super) fn hold(&self) -> Vec<f64> {
        self.prices.iter().map(|price| price.l2).collect()
    }
}

/// A point, and the loss around it.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) point: Vec<f64>,
    pub(super) margin: Vec<f64>,
    /// φ' of each row.
    pub(super) slope: Vec<f64>,
    /// ω·φ'' of each row.
    pub(super) bend: Vec<f64>,
    /// φ'' of the penalty at each coordinate.
    pub(super) hold: Vec<f64>,
    /// The gradient of the smooth part, the mean loss with the squares of the penalty.
    pub(super) gradient: Vec<f64>,
    /// The objective, with the whole penalty.
    pub(super) objective: f64,
    /// How far each margin may be from that of the model that the point is stored as.
    pub(super) off: Vec<f64>,
    /// How far the objective may be from that of the model, which no rounding has touched.
    pub(super) slack: f64,
    /// Whether the losses of all rows fall for ever.
    pub(super) escapes: bool,
}

impl State {
    pub(super) fn place(&self) -> Place<'_> {
        Place { point: &self.point, objective: self.objective, slack: self.slack, escapes: self.escapes }
    }

    /// One pass.
    pub(super) fn at(
        passes: &mut Passes,
        sample: &Sample,
        objective: &Objective,
        point: Vec<f64>,
    ) -> Result<State, Stopped> {
        State::by(passes, sample, objective, point, |_, y, m| objective.curve.jet(y, m))
    }

    /// One pass, with jets that depend on the number of the row; two where the first shows that rounding asks for a closer look.
    pub(super) fn by(
        passes: &mut Passes,
        sample: &Sample,
        objective: &Objective,
        point: Vec<f64>,
        jet: impl Fn(usize, f64, f64) -> Jet + Copy + Send,
    ) -> Result<State, Stopped> {
        let state = State::once(passes, sample, objective, point, jet)?;
        // A part of the rows is not what is certified.
        if sample.stride > 1 || !passes.wants_precision(state.slack, state.objective) {
            return Ok(state);
        }
        State::once(passes, sample, objective, state.point, jet)
    }

    #[inline(always)]
    fn once(
        passes: &mut Passes,
        sample: &Sample,
        objective: &Objective,
        point: Vec<f64>,
        jet: impl Fn(usize, f64, f64) -> Jet + Copy + Send,
    ) -> Result<State, Stopped> {
        let (is_precise, reach) = (passes.is_precise, sample.design.reach(&point));
        let (rows, per, drift) = (sample.rows(), Passes::rows_per_share(sample), sample.design.drift(&point));
        let (mut margin, mut slope, mut bend) = (vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]);
        let mut off = vec![0.0; rows];
        let mut found = vec![(Sum::default(), 0.0, true); rows.div_ceil(per)];
        let arrays =
            margin.chunks_mut(per).zip(slope.chunks_mut(per)).zip(bend.chunks_mut(per)).zip(off.chunks_mut(per));
        let visitors = arrays.zip(&mut found).enumerate();
        let visitors = visitors.map(|(k, ((((margin, slope), bend), off), (sum, slack, escapes)))| {
            move |r: usize, m: f64, size: f64| {
                let at = k * per + r;
                let (y, share, offset) = (sample.label(at), sample.share(at), sample.offset(at));
                let m = m + offset;
                let jet = jet(at, y, m);
                (margin[r], slope[r], bend[r]) = (m, jet.slope, share * jet.bend);
                let size = if is_precise { size } else { sample.most(at, reach) };
                off[r] = sample.rounding(at, size + offset.abs()) + drift + objective.curve.grain(y, m);
                sum.add(share * jet.value);
                *slack += share * objective.curve.change(y, m, off[r], jet);
                *escapes &= objective.curve.escapes(y, m);
                share * jet.slope
            }
        });
        let visitors = visitors.collect();
        let mut gradient = vec![0.0; point.len()];
        passes.run_sized(sample, &point, visitors, &mut gradient)?;
        let (mut loss, mut slack) = (Sum::default(), 0.0);
        for (sum, part, _) in &found {
            loss.add(sum.value());
            slack += part;
        }
        let escapes = found.iter().all(|(.., escapes)| *escapes);
        let mut penalty = Sum::default();
        for ((g, &w), price) in gradient.iter_mut().zip(&point).zip(objective.prices) {
            *g += price.l2 * w;
            penalty.add(price.value(w));
        }
        let hold = objective.hold();
        let objective = loss.value() + penalty.value();
        let slack = slack + 8.0 * EPS * (loss.value().abs() + penalty.value());
        Ok(State { point, margin, slope, bend, hold, gradient, objective, off, slack, escapes })
    }

    /// H·x for the Hessian of the smooth part: one pass.
    pub(super) fn curvature(
        &self,
        passes: &mut Passes,
        sample: &Sample,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let per = Passes::rows_per_share(sample);
        let visitors = self.bend.chunks(per).map(|bend| move |r: usize, m: f64| bend[r] * m);
        passes.run(sample, Some(x), visitors.collect(), out)?;
        out.iter_mut().zip(x.iter().zip(&self.hold)).for_each(|(out, (x, hold))| *out += hold * x);
        Ok(())
    }
}

/// The diagonal of Σ bend_r x_r x_rᵀ + diag(hold): one pass.
pub(super) fn diagonal(passes: &mut Passes, sample: &Sample, hold: &[f64], bend: &[f64]) -> Result<Vec<f64>, Stopped> {
    let visitors = bend.chunks(Passes::rows_per_share(sample)).map(|bend| move |r: usize| bend[r]);
    let mut out = vec![0.0; sample.design.dim()];
    passes.run_squared(sample, visitors.collect(), &mut out)?;
    out.iter_mut().zip(hold).for_each(|(out, hold)| *out += hold);
    Ok(out)
}
