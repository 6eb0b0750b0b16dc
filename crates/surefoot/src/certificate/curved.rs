//! The regret certificate for strongly convex losses.

use super::slopes::Slopes;
use super::sum::Sum;
use super::{Assumption, Assumptions, Certificate, Certified, Comparator, Gradients, Kind, Subject, Uncertified};
use crate::{Float, Vector};

/// The certificate of Algorithm 2 with losses ⟨g_t, ·⟩ + (μ/2)‖· − x_t‖², for μ-strongly convex L and any query points
/// x_t. It needs no domain.
///
/// *Guarantee*: with z_t = α_t x_t + A_{t−1}(x_t − x_{t−1}), which is α_t w_t where x_t averages iterates w_t,
/// L(x_T) − L(u) ≤ (Σ⟨g_t, z_t⟩ − (μ/2)·Σ A_{t−1}‖x_{t−1} − x_t‖² − (μ/2)(q − A_T‖w‖²))/A_T for every u, with
/// q = Σ α_t‖x_t‖² and w = (Σ α_t x_t − Z_T/μ)/A_T, where all points are seen from x_1, so that nothing large cancels.
/// Proof: α_t(L(x_t) − L(u)) ≤ α_t(⟨g_t, x_t − u⟩ − (μ/2)‖x_t − u‖²), and A_{t−1}(L(x_t) − L(x_{t−1})) ≤
/// A_{t−1}(⟨g_t, x_t − x_{t−1}⟩ − (μ/2)‖x_t − x_{t−1}‖²). The sum over t is A_T(L(x_T) − L(u)) on the left and is largest
/// for u = w on the right.
///
/// *Rounding*: that is true of any points, so of those that `f32` made of an average too, and all differences of points are
/// taken in `f64`. ε being its spacing at 1, a sum whose additions are compensated is off by at most 4ε of the sizes of its
/// terms. A sum that is not, Z_j or P_j = Σ α_t x_tj, is off by ε of the sizes that it went through; that moves w_j by
/// this over A_T, and the term of w by μ|w_j| times it. The output of a conversion may be another rounding of the same
/// average than its last query: hence ε_F·Σ_j|g_Tj·x_Tj| more, ε_F that of the arrays.
///
/// *Cost*: O(d) a step and a certificate, four `f64` a coordinate.
///
/// ```
/// use surefoot::certificate::{Curved, Gradients};
/// // L(x) = x²/2 from x_1 = 1: the leader is at the minimum at once, and the certificate of x_1 is exact.
/// let mut sums = Curved::new(1, 1.0);
/// sums.record(1.0, &[1.0], |_| 1.0);
/// assert!((sums.certificate(Gradients::Exact)?.value - 0.5).abs() < 1e-14);
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
///
/// Source: arXiv 1903.00974, Theorem 2 (whose print has x*_t for the fixed comparator x*), kept a posteriori.
#[derive(Clone, Debug)]
pub struct Curved {
    curvature: f64,
    /// x_1; then x_t and Σ α_t x_t as seen from it, and Z_t.
    origin: Vec<f64>,
    query: Vec<f64>,
    queries: Slopes,
    gradients: Slopes,
    linear: Sum,
    moves: Sum,
    squares: Sum,
    total: f64,
    /// Σ|⟨g_t, z_t⟩| by coordinate, and Σ_j|g_j·x_j| of the last round times ε_F.
    size: f64,
    last: f64,
}

impl Curved {
    /// Empty sums, for a loss whose strong convexity is `curvature` = μ. The only allocation.
    ///
    /// # Panics
    /// If `curvature` is not positive and finite.
    pub fn new(dim: usize, curvature: f64) -> Self {
        assert!(curvature > 0.0 && curvature.is_finite(), "a positive curvature");
        let (zeros, sums, sum) = (vec![0.0; dim], Slopes::new(dim), Sum::default());
        let (origin, query, queries, gradients) = (zeros.clone(), zeros, sums.clone(), sums);
        let (linear, moves, squares) = (sum, sum, sum);
        Self { curvature, origin, query, queries, gradients, linear, moves, squares, total: 0.0, size: 0.0, last: 0.0 }
    }

    /// Records a round: weight, gradient, and the query point that it was taken at. O(d).
    ///
    /// # Panics
    /// If the weight is negative or not finite, or the gradient has a coordinate outside of the dimension.
    pub fn record<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, query: impl Fn(usize) -> F) {
        self.gradients.open::<F>(weight);
        if self.total == 0.0 {
            self.origin.iter_mut().enumerate().for_each(|(i, x)| *x = query(i).wide());
        }
        let before = self.total;
        self.total += weight;
        self.last = 0.0;
        gradient.each(|i, g| {
            self.gradients.add(i, weight * g.wide());
            let away = query(i).wide() - self.origin[i];
            for term in [weight * g.wide() * away, before * g.wide() * (away - self.query[i])] {
                self.linear.add(term);
                self.size += term.abs();
            }
            self.last += F::epsilon().wide() * (g.wide() * query(i).wide()).abs();
        });
        for i in 0..self.query.len() {
            let away = query(i).wide() - self.origin[i];
            let step = away - self.query[i];
            self.query[i] = away;
            self.queries.add(i, weight * away);
            self.moves.add(before * step * step);
            self.squares.add(weight * away * away);
        }
    }

    /// The certificate for the last query x_T, against the whole space. O(d).
    ///
    /// With noisy gradients it holds in expectation, for weights that were fixed beforehand.
    pub fn certificate(&self, gradients: Gradients) -> Certified {
        if self.total == 0.0 {
            return Err(Uncertified::NoRounds);
        }
        let (half, mut leader, mut far, mut terms) = (self.curvature / 2.0, Sum::default(), 0.0_f64, 0.0);
        for (sum, z) in self.queries.sum.iter().zip(&self.gradients.sum) {
            let pull = z / self.curvature;
            let w = (sum - pull) / self.total;
            leader.add(self.total * w * w);
            far = far.max(w.abs());
            terms += sum.abs() + pull.abs();
        }
        let parts = [half * self.moves.value(), half * self.squares.value(), half * leader.value()];
        let lost = |sums: &Slopes| 2.0 * sums.mass + sums.drift;
        let pulled = 2.0 * terms + lost(&self.queries) + lost(&self.gradients) / self.curvature;
        let sizes = 4.0 * (self.size + parts.iter().sum::<f64>()) + self.curvature * far * pulled;
        let allowance = f64::EPSILON * sizes + self.total * self.last;
        let value = (self.linear.value() - parts[0] - (parts[1] - parts[2]) + allowance) / self.total;
        let assumptions = Assumptions::of(&[Assumption::Convex, Assumption::StronglyConvex, gradients.unbiased()?]);
        let subject = Subject::Excess(Comparator::Space);
        if gradients == Gradients::Exact {
            return Certificate { value, kind: Kind::Deterministic, subject, assumptions }.finite();
        }
        let assumptions = assumptions.with(Assumption::FixedWeights);
        Certificate { value, kind: Kind::Expectation, subject, assumptions }.finite()
    }
}
