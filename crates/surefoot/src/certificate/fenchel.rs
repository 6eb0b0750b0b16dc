//! The Fenchel gap of a generalised linear model.

use super::sum::Sum;
use super::{Assumption, Assumptions, Certificate, Kind, Penalty, Subject, Uncertified};

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
/// does not matter where the point came from. Summed so that gaps far below the last digit of P are still right;
/// rounding is allowed for.
///
/// *Cost*: two passes over the rows; allocates two numbers a row and one a coordinate. A good schedule is whenever the
/// number of examples has doubled. [`Ledger::rebase`](super::Ledger::rebase) takes the result as a start.
///
/// Without penalty and domain there is none: [`Uncertified::Unbounded`].
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
    let at = |i: usize| {
        let mut margin = intercept.unwrap_or(0.0);
        model.row(i, |j, a| margin += a * point(j));
        margin
    };
    let margins: Vec<f64> = (0..model.rows()).map(at).collect();
    let mut duals: Vec<f64> = margins.iter().enumerate().map(|(i, m)| model.slope(i, *m)).collect();
    let slopes = duals.clone();
    if intercept.is_some() {
        balance(model, &mut duals);
    }
    let mut mean = vec![0.0; dim];
    for (i, dual) in duals.iter().enumerate() {
        let dual = model.weight(i) * dual;
        model.row(i, |j, a| mean[j] -= dual * a);
    }
    let factor = penalty.shrink(dim, |j| mean[j]);
    if factor == 0.0 {
        return Err(Uncertified::Unbounded);
    }
    if factor != 1.0 {
        mean.iter_mut().chain(&mut duals).for_each(|x| *x *= factor);
    }
    // Row by row and coordinate by coordinate nothing is negative, so nothing cancels.
    let (mut loss, mut gap, mut rest, mut size) = (Sum::default(), Sum::default(), Sum::default(), 0.0);
    for (i, (&margin, &dual)) in margins.iter().zip(&duals).enumerate() {
        let (weight, value) = (model.weight(i), model.loss(i, margin));
        loss.add(weight * value);
        rest.add(weight * dual);
        size += (weight * dual * margin).abs();
        if dual != slopes[i] {
            gap.add(weight * (value + model.conjugate(i, dual) - dual * margin).max(0.0));
        }
    }
    let (own, conjugate) = (penalty.value(dim, &point), penalty.gap(dim, &point, |j| mean[j]));
    if own == f64::INFINITY {
        return Err(Uncertified::Outside);
    }
    if conjugate == f64::INFINITY {
        return Err(Uncertified::Unbounded);
    }
    let objective = loss.value() + own;
    let imbalance = intercept.map_or(0.0, |b| (b * rest.value()).abs());
    let allowance = 4.0 * f64::EPSILON * (size + (0..dim).map(|j| (point(j) * mean[j]).abs()).sum::<f64>());
    let value = gap.value() + conjugate + imbalance + allowance;
    let assumptions = Assumptions::of(&[Assumption::Convex, Assumption::ExactValues]);
    let subject = Subject::Excess(penalty.comparator());
    let certificate = Certificate { value, kind: Kind::Deterministic, subject, assumptions }.finite()?;
    Ok(Optimality { objective, certificate })
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
