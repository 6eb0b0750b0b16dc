//! The Fenchel duality gap of a generalised linear model, from a single pass over rows that are not stored.

use super::fenchel::rise;
use super::slopes::Slopes;
use super::sum::Sum;
use super::{Assumption, Assumptions, Certificate, Kind, Optimality, Penalty, Subject, Uncertified};
use crate::{Grow, Vector};

/// Sums over one pass through the rows of a generalised linear model at a fixed point, which give the mean loss F, its
/// gradient, and a bound on the excess objective of the point.
///
/// *Guarantee*: P(x) − P(u) ≤ Ω(x) + Ω*(−∇F(x)) + ⟨x, ∇F(x)⟩ for the objective P = F + Ω with penalty Ω, its conjugate
/// Ω*, and all u. With a ball as the domain ([`Inside`](super::Inside)) the right-hand side is r‖∇F‖ + ⟨x, ∇F⟩, with
/// ridge it is ‖∇P‖²/(2μ). It equals the gap of [`fenchel()`](super::fenchel()) for stored rows whenever the dual
/// variables need not be made feasible; an intercept is a coordinate like any other, with the value 1 in every row.
/// Deterministic.
///
/// *Rounding* of the sums is included as in [`fenchel()`](super::fenchel()). Rounding of the margins, which the caller
/// computes, is included if the caller passes its bound to [`allow`](FullPass::allow). Columns whose means far exceed
/// their spreads, or points far from 0, make margins cancel, and then this term dominates.
///
/// *Cost*: O(nnz) per row, O(d) per certificate; one `f64` per coordinate.
///
/// ```
/// use surefoot::certificate::{ElasticNet, FullPass};
/// // (m − 1)²/2 for one row a = 1, with ridge 1: at 0, P = 1/2 and the gap is |∇P|²/2 = 1/2.
/// let mut pass = FullPass::new(1);
/// pass.add(1.0, 0.0, 0.5, -1.0, &[1.0]);
/// let found = pass.optimality(|_| 0.0, &ElasticNet::new(0.0, 1.0))?;
/// assert_eq!(found.objective, 0.5);
/// assert!((found.certificate.value - 0.5).abs() < 1e-14);
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
#[derive(Clone, Debug)]
pub struct FullPass {
    /// Sum of the importance weights of the rows, Σω.
    weight: Sum,
    /// Weighted sum of the losses φ of the rows, Σωφ.
    loss: Sum,
    /// Weighted sum of the gradients of the losses, Σωφ'a, with a a row and φ' the derivative of its loss.
    gradient: Slopes,
    /// Sum of |ωφ'm| over rows, with weight ω, derivative φ' of the loss and margin m, which bounds rounding errors.
    size: f64,
    /// Weighted sum over rows of bounds on the error of the gap that is due to rounding of margins; see
    /// [`allow`](FullPass::allow).
    missed: f64,
}

impl FullPass {
    /// Creates the sums of a full pass over the rows, still empty, in `dim` dimensions.
    pub fn new(dim: usize) -> Self {
        Self { weight: Sum::default(), loss: Sum::default(), gradient: Slopes::new(dim), size: 0.0, missed: 0.0 }
    }

    /// Adds a row of importance `weight` ≥ 0: its margin at the point, and its loss and the derivative `slope` of the
    /// loss at this margin. O(nnz).
    ///
    /// # Panics
    /// If the weight is negative or not finite, or an index of the row is outside of `0..dim`.
    pub fn add<V: Vector<f64> + ?Sized>(&mut self, weight: f64, margin: f64, loss: f64, slope: f64, row: &V) {
        self.gradient.open::<f64>(weight);
        let dual = weight * slope;
        self.weight.add(weight);
        self.loss.add(weight * loss);
        self.size += (dual * margin).abs();
        row.each(|i, x| self.gradient.add(i, dual * x));
    }

    /// Declares that the exact margin of the row just added is within `off` of the computed `margin`. `slope` is the
    /// derivative of the row's loss at any margin, and `weight` the row's importance. A margin of n products, offset
    /// included, has an error of at most nε times the sum of their sizes; [`margin_error`](super::margin_error)
    /// computes it. O(1).
    ///
    /// The dual point is θ = φ'(margin): at the exact margin m the term φ(m) + φ*(θ) − θ·m is at most off·max(φ'(margin +
    /// off) − θ, θ − φ'(margin − off)), since φ' is nondecreasing.
    pub fn allow(&mut self, weight: f64, margin: f64, off: f64, slope: impl Fn(f64) -> f64) {
        self.missed += weight * rise(margin, off, slope(margin), slope);
    }

    /// Returns the objective and a bound on its excess at `point`, at which the margins of all rows must have been
    /// taken. O(d).
    pub fn optimality<P: Penalty>(&self, point: impl Fn(usize) -> f64, penalty: &P) -> Result<Optimality, Uncertified> {
        let (dim, weight) = (self.gradient.sum.len(), self.weight.value());
        if weight <= 0.0 {
            return Err(Uncertified::NoRounds);
        }
        // Rounding error of the conjugate; ⟨x, ∇F⟩ has the error of the gradient times the largest coordinate of x.
        let (_, lost) = self.gradient.conjugate(weight, penalty)?;
        let descent = |i: usize| -self.gradient.sum[i] / weight;
        let (own, gap) = (penalty.value(dim, &point), penalty.gap(dim, &point, descent));
        if own == f64::INFINITY {
            return Err(Uncertified::Outside);
        }
        if gap == f64::INFINITY {
            return Err(Uncertified::Unbounded);
        }
        let (mut inner, mut largest) = (0.0, 0.0_f64);
        for i in 0..dim {
            inner += (point(i) * descent(i)).abs();
            largest = largest.max(point(i).abs());
        }
        let terms = 4.0 * self.size / weight + (4.0 + dim as f64) * inner;
        let along = largest * (self.gradient.mass + self.gradient.drift) / weight;
        let allowance = f64::EPSILON * (terms + along) + (lost + self.missed) / weight;
        let assumptions = Assumptions::of(&[Assumption::Convex, Assumption::ExactValues]);
        let (kind, subject) = (Kind::Deterministic, Subject::Excess(penalty.comparator()));
        let certificate = Certificate { value: gap + allowance, kind, subject, assumptions }.finite()?;
        let objective = self.loss.value() / weight + own;
        if objective.is_finite() { Ok(Optimality { objective, certificate }) } else { Err(Uncertified::NotFinite) }
    }
}

impl Grow for FullPass {
    fn grow(&mut self, dim: usize) {
        self.gradient.grow(dim);
    }
}
