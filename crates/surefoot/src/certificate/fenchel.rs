//! The Fenchel gap of a generalised linear model.

use super::sum::Sum;
use super::{Assumption, Assumptions, Certificate, Kind, Penalty, Subject, Uncertified, stream::fair};

/// How dual points are made to sum to zero, as an intercept that no penalty holds demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    /// Of the positive and the negative ones, the heavier group is scaled down. Good for losses with bounded slopes.
    Scale,
    /// Their mean is subtracted first; for the squared loss, of which any dual point will do, and for Huber's.
    Shift,
}

/// The data term F(x) = Σ ω_i φ_i(⟨a_i, x⟩ + b) of a generalised linear model: convex functions of one margin a row.
pub trait Glm {
    /// The number of rows.
    fn rows(&self) -> usize;

    /// ω_i, the share of row `i` in the mean.
    fn weight(&self, i: usize) -> f64;

    /// Visits the nonzeros of a_i.
    fn row(&self, i: usize, visit: impl FnMut(usize, f64));

    /// φ_i at a margin.
    fn loss(&self, i: usize, margin: f64) -> f64;

    /// φ_i' at a margin.
    fn slope(&self, i: usize, margin: f64) -> f64;

    /// φ_i*(θ) = sup over m of θ·m − φ_i(m).
    fn conjugate(&self, i: usize, dual: f64) -> f64;

    /// The dual point nearest to `dual` at which the conjugate is finite.
    fn clip(&self, i: usize, dual: f64) -> f64 {
        let _ = i;
        dual
    }

    /// How dual points are balanced.
    fn balance(&self) -> Balance {
        Balance::Scale
    }
}

/// What a full pass says about a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimality {
    /// P(x), the objective with penalty.
    pub objective: f64,
    /// The bound on P(x) − min P.
    pub certificate: Certificate,
}

/// The Fenchel gap of a model at `point` (in `dim` dimensions), with or without an `intercept`, which no penalty holds.
///
/// *Guarantee*: P(x) − P(u) ≤ P(x) − D(θ) for all u and b, with D(θ) = −Σω_iφ_i*(θ_i) − Ω*(−Σω_iθ_i a_i) and θ_i =
/// φ_i'(margin). With a ball as the penalty ([`Inside`](super::Inside)) that is r‖∇F‖ + ⟨x, ∇F⟩, with ridge ‖∇P‖²/(2μ).
/// Where Ω* is infinite, θ is made feasible first: balanced for an intercept, scaled for a pure L1. Deterministic: it
/// does not matter where the point came from. Summed so that gaps far below the last digit of P are still right.
///
/// *Rounding* is allowed for, to first order. A margin of n products is off by at most δ_i = nε·(Σ_j|a_ij x_j| + |b|), and
/// for the true margin m the term φ_i(m) + φ_i*(θ) − θ·m exceeds that of the computed one by at most
/// δ_i·max(φ_i'(m + δ_i) − θ, θ − φ_i'(m − δ_i)), since slopes grow. v, a sum of weighted rows, is off by an e_j with
/// Σ|e_j| ≤ ε·Σ(the terms and the sums that they leave), which moves Ω*(v) − ⟨x, v⟩ by at most Σ|e_j|(|u_j| + |x_j|), u
/// where Ω* is attained ([`Penalty::farthest`]). Sums over coordinates of d terms are off by dε/2 of their sizes.
///
/// *Cost*: two passes over the rows; allocates two numbers a row and one a coordinate. A good schedule is whenever the
/// number of examples has doubled. [`Ledger::rebase`](super::Ledger::rebase) takes the result as a start.
///
/// Without penalty and domain there is none: [`Uncertified::Unbounded`]; nor with weights ω that are negative or not finite.
///
/// ```
/// use surefoot::certificate::{ElasticNet, Glm, Uncertified, fenchel};
///
/// /// (m − y)²/2 for one row a = 1, y = 1.
/// struct One;
/// impl Glm for One {
///     fn rows(&self) -> usize {
///         1
///     }
///     fn weight(&self, _: usize) -> f64 {
///         1.0
///     }
///     fn row(&self, _: usize, mut visit: impl FnMut(usize, f64)) {
///         visit(0, 1.0);
///     }
///     fn loss(&self, _: usize, margin: f64) -> f64 {
///         (margin - 1.0) * (margin - 1.0) / 2.0
///     }
///     fn slope(&self, _: usize, margin: f64) -> f64 {
///         margin - 1.0
///     }
///     fn conjugate(&self, _: usize, dual: f64) -> f64 {
///         dual * dual / 2.0 + dual
///     }
/// }
/// // With ridge 1 the minimiser is 1/2, where P = 1/4; at 0, P = 1/2 and the gap is |∇P|²/2 = 1/2.
/// let gap = fenchel(&One, 1, |_| 0.0, None, &ElasticNet::new(0.0, 1.0))?;
/// assert_eq!(gap.objective, 0.5);
/// assert!((gap.certificate.value - 0.5).abs() < 1e-14);
/// assert!(fenchel(&One, 1, |_| 0.5, None, &ElasticNet::new(0.0, 1.0))?.certificate.value < 1e-14);
/// assert_eq!(fenchel(&One, 1, |_| 0.5, None, &ElasticNet::new(0.0, 0.0)), Err(Uncertified::Unbounded));
/// # Ok::<(), Uncertified>(())
/// ```
pub fn fenchel<G: Glm, P: Penalty>(
    model: &G,
    dim: usize,
    point: impl Fn(usize) -> f64,
    intercept: Option<f64>,
    penalty: &P,
) -> Result<Optimality, Uncertified> {
    if model.rows() == 0 {
        return Err(Uncertified::NoRounds);
    }
    if !(0..model.rows()).all(|i| fair(model.weight(i))) {
        return Err(Uncertified::Negative);
    }
    let margins: Vec<Margin> = (0..model.rows()).map(|i| Margin::of(model, i, &point, intercept)).collect();
    let mut duals: Vec<f64> = margins.iter().enumerate().map(|(i, m)| model.slope(i, m.value)).collect();
    let slopes = duals.clone();
    if intercept.is_some() {
        balance(model, &mut duals);
    }
    let (mut mean, mut drift, mut along) = (vec![0.0; dim], 0.0, 0.0);
    for (i, dual) in duals.iter().enumerate() {
        let dual = model.weight(i) * dual;
        model.row(i, |j, a| {
            mean[j] -= dual * a;
            let lost = (dual * a).abs() + mean[j].abs();
            drift += lost;
            along += lost * point(j).abs();
        });
    }
    let slack = 2.0 * f64::EPSILON * drift;
    let factor = penalty.shrink(dim, |j| mean[j], slack);
    if factor.is_nan() || factor <= 0.0 {
        return Err(Uncertified::Unbounded);
    }
    if factor != 1.0 {
        mean.iter_mut().chain(&mut duals).for_each(|x| *x *= factor);
    }
    // Row by row and coordinate by coordinate nothing is negative, so nothing cancels.
    let (mut loss, mut gap, mut rest, mut size) = (Sum::default(), Sum::default(), Sum::default(), 0.0);
    for (i, (margin, &dual)) in margins.iter().zip(&duals).enumerate() {
        let (weight, value) = (model.weight(i), model.loss(i, margin.value));
        loss.add(weight * value);
        rest.add(weight * dual);
        size += 4.0 * f64::EPSILON * weight * dual.abs() * margin.size + weight * margin.rise(model, i, dual);
        if dual != slopes[i] {
            let conjugate = model.conjugate(i, dual);
            gap.add(weight * (value + conjugate - dual * margin.value).max(0.0));
            size += 4.0 * f64::EPSILON * weight * (value.abs() + conjugate.abs());
        }
    }
    let (own, conjugate) = (penalty.value(dim, &point), penalty.gap(dim, &point, |j| mean[j]));
    if own == f64::INFINITY {
        return Err(Uncertified::Outside);
    }
    let farthest = penalty.farthest(dim, |j| mean[j], slack / 2.0);
    if conjugate == f64::INFINITY || farthest == f64::INFINITY {
        return Err(Uncertified::Unbounded);
    }
    let objective = loss.value() + own;
    let imbalance = intercept.map_or(0.0, |b| (b * rest.value()).abs());
    let terms: f64 = (0..dim).map(|j| mean[j].abs() * (point(j).abs() + farthest)).sum();
    let lost = along + farthest * drift + 4.0 * own + (4.0 + dim as f64) * terms;
    let value = gap.value() + conjugate + imbalance + size + f64::EPSILON * lost;
    let assumptions = Assumptions::of(&[Assumption::Convex, Assumption::ExactValues]);
    let subject = Subject::Excess(penalty.comparator());
    let certificate = Certificate { value, kind: Kind::Deterministic, subject, assumptions }.finite()?;
    Ok(Optimality { objective, certificate })
}

/// A margin, the size of what was summed for it, and how far rounding may have put it off.
struct Margin {
    value: f64,
    size: f64,
    off: f64,
}

impl Margin {
    fn of<G: Glm>(model: &G, i: usize, point: &impl Fn(usize) -> f64, intercept: Option<f64>) -> Self {
        let (mut value, mut terms) = (intercept.unwrap_or(0.0), 1.0);
        let mut size = value.abs();
        model.row(i, |j, a| {
            value += a * point(j);
            size += (a * point(j)).abs();
            terms += 1.0;
        });
        Self { value, size, off: margin_error(terms, size) }
    }

    /// By how much φ + φ* − θ·m at the true margin may exceed that at the computed one.
    fn rise<G: Glm>(&self, model: &G, i: usize, dual: f64) -> f64 {
        rise(self.value, self.off, dual, |margin| model.slope(i, margin))
    }
}

/// How far a margin may be off that was summed in `f64`, in any order, from so many products (and an intercept or offset
/// besides, which count as one each), the sizes of which sum to `size`.
pub fn margin_error(terms: f64, size: f64) -> f64 {
    terms * f64::EPSILON * size
}

/// By how much φ + φ* − θ·m within `off` of `margin` may exceed that at the margin.
pub(super) fn rise(margin: f64, off: f64, dual: f64, slope: impl Fn(f64) -> f64) -> f64 {
    off * (slope(margin + off) - dual).max(dual - slope(margin - off)).max(0.0)
}

/// Makes Σω_iθ_i = 0, up to rounding.
fn balance<G: Glm>(model: &G, duals: &mut [f64]) {
    if model.balance() == Balance::Shift {
        let (mut sum, mut weight) = (Sum::default(), Sum::default());
        for (i, dual) in duals.iter().enumerate() {
            sum.add(model.weight(i) * dual);
            weight.add(model.weight(i));
        }
        let mean = sum.value() / weight.value();
        duals.iter_mut().enumerate().for_each(|(i, dual)| *dual = model.clip(i, *dual - mean));
    }
    let (mut above, mut below) = (Sum::default(), Sum::default());
    for (i, dual) in duals.iter().enumerate() {
        if *dual > 0.0 { above.add(model.weight(i) * dual) } else { below.add(-model.weight(i) * dual) }
    }
    let (above, below) = (above.value(), below.value());
    let down = if above > below { below / above } else { 1.0 };
    let up = if below > above { above / below } else { 1.0 };
    duals.iter_mut().for_each(|dual| *dual *= if *dual > 0.0 { down } else { up });
}
