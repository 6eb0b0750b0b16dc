//! The Fenchel duality gap of a generalised linear model, computed in two passes over stored rows.

use super::sum::Sum;
use super::{Assumption, Assumptions, Certificate, Kind, Penalty, Subject, Uncertified, stream::fair};

/// Method that makes the dual variables of a model (one per row) sum to zero, as an unpenalised intercept requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balance {
    /// Scales down either the positive or the negative dual variables, whichever have the larger sum. Suited to losses
    /// with bounded derivatives.
    Scale,
    /// Subtracts the mean of the dual variables, then scales as [`Balance::Scale`]. Suited to the squared loss, for
    /// which all dual variables are feasible, and to Huber's loss.
    Shift,
}

/// The data term F(x) = Σ ω_i φ_i(⟨a_i, x⟩ + b) of a generalised linear model: for each data row a_i a weight ω_i and a
/// convex loss φ_i of the margin ⟨a_i, x⟩ + b, with intercept b.
pub trait Glm {
    /// Returns the number of rows of the model's data.
    fn rows(&self) -> usize;

    /// Returns ω_i, the weight of row `i` in the mean loss.
    fn weight(&self, i: usize) -> f64;

    /// Calls `visit` with the index and value of each nonzero of data row `i`.
    fn row(&self, i: usize, visit: impl FnMut(usize, f64));

    /// Returns the loss φ_i of row `i` at `margin`.
    fn loss(&self, i: usize, margin: f64) -> f64;

    /// Returns the derivative φ_i' of the loss of row `i` at `margin`.
    fn slope(&self, i: usize, margin: f64) -> f64;

    /// Returns the convex conjugate of row `i`'s loss, φ_i*(θ) = sup over m of θ·m − φ_i(m), at θ = `dual`.
    fn conjugate(&self, i: usize, dual: f64) -> f64;

    /// Returns the value nearest to `dual` at which the conjugate of row `i`'s loss is finite.
    fn clip(&self, i: usize, dual: f64) -> f64 {
        let _ = i;
        dual
    }

    /// Returns the method that makes the dual variables sum to zero if the model has an intercept.
    fn balance(&self) -> Balance {
        Balance::Scale
    }
}

/// The objective at a point and an upper bound on its excess over the minimum, from a full pass over the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimality {
    /// The objective P(x) at the point, including the penalty.
    pub objective: f64,
    /// Upper bound on the excess P(x) − min P of the objective at the point x.
    pub certificate: Certificate,
}

/// Computes the Fenchel duality gap of a model at `point` (in `dim` dimensions), with or without an unpenalised
/// `intercept`.
///
/// *Guarantee*: P(x) − P(u) ≤ P(x) − D(θ) for the objective P = F + Ω and all points u and intercepts b, with the dual
/// objective D(θ) = −Σω_iφ_i*(θ_i) − Ω*(−Σω_iθ_i a_i) and θ_i = φ_i'(margin). With a ball as the domain
/// ([`Inside`](super::Inside)) the gap is r‖∇F‖ + ⟨x, ∇F⟩, with ridge it is ‖∇P‖²/(2μ). Where Ω* is infinite, θ is made
/// feasible first: balanced for an intercept, scaled for a pure L1 penalty. Deterministic, whatever the origin of the
/// point. The summation keeps gaps accurate that are far below the last digit of P.
///
/// *Rounding* is allowed for, to first order. A margin of n products has an error of at most δ_i = nε·(Σ_j|a_ij x_j| +
/// |b|), and at the exact margin m the term φ_i(m) + φ_i*(θ) − θ·m exceeds that at the computed margin by at most
/// δ_i·max(φ_i'(m + δ_i) − θ, θ − φ_i'(m − δ_i)), since φ_i' is nondecreasing. v, a sum of weighted rows, has an error
/// e_j with Σ|e_j| ≤ ε·Σ(sizes of the terms and of the partial sums), which moves Ω*(v) − ⟨x, v⟩ by at most
/// Σ|e_j|(|u_j| + |x_j|), where u attains Ω* ([`Penalty::farthest`]). Sums of d terms over coordinates have an error of
/// dε/2 of their sizes.
///
/// *Cost*: two passes over the rows; allocates two numbers per row and one per coordinate. A good schedule is to call
/// it whenever the number of examples has doubled. [`Ledger::rebase`](super::Ledger::rebase) accepts the result as a
/// start.
///
/// Without a penalty or a bounded domain the result is [`Uncertified::Unbounded`]; weights ω that are negative or not
/// finite give [`Uncertified::Negative`].
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
    // No term per row or per coordinate is negative, so no terms cancel.
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

/// The margin ⟨a, x⟩ + b of a row a, with bounds on its rounding error.
struct Margin {
    /// The margin ⟨a, x⟩ + b of a row a at the point x with intercept b, as computed.
    value: f64,
    /// Sum of the absolute values of the products a_j·x_j and the intercept that add up to the margin.
    size: f64,
    /// Bound on the rounding error of the margin.
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

    /// Returns a bound by how much rounding of the margin may have lowered φ(m) + φ*(θ) − θ·m, the row's term of the
    /// gap: the increase from the computed margin m to the exact one, for the row's loss φ, its conjugate φ* and θ =
    /// `dual`.
    fn rise<G: Glm>(&self, model: &G, i: usize, dual: f64) -> f64 {
        rise(self.value, self.off, dual, |margin| model.slope(i, margin))
    }
}

/// Returns a bound on the rounding error of a margin summed in `f64`, in any order, from `terms` products whose
/// absolute values sum to `size`. An intercept and an offset count as one product each.
pub fn margin_error(terms: f64, size: f64) -> f64 {
    terms * f64::EPSILON * size
}

/// Returns a bound on the increase of φ(m) + φ*(θ) − θ·m from m = `margin` to any m within `off` of it, where φ is a
/// convex loss with derivative `slope`, φ* its conjugate, and θ = `dual`.
pub(super) fn rise(margin: f64, off: f64, dual: f64, slope: impl Fn(f64) -> f64) -> f64 {
    off * (slope(margin + off) - dual).max(dual - slope(margin - off)).max(0.0)
}

/// Changes the dual variables θ_i, in `duals`, so that their sum weighted by the row weights, Σω_iθ_i, is 0 up to
/// rounding.
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
