//! Algorithm 2 of arXiv 1903.00974: the anytime conversion for losses with curvature, such as strongly convex or
//! exp-concave ones.

use super::AskTell;
use crate::certificate::{Certified, Gradients};
use crate::{DenseAnytime, Domain, Float, Ledger, Point, Quadratic, Status, Vector, Weights};

/// The anytime conversion for losses with curvature: the learner receives a quadratic lower bound of the loss instead
/// of its gradient alone.
///
/// *Update*: queries and outputs are those of [`Anytime`](crate::Anytime). A [`Quadratic`] learner receives g_t and
/// x_t, and forms a convex quadratic loss ℓ_t with L(x_t) − L(u) ≤ ℓ_t(x_t) − ℓ_t(u), in expectation given the past.
///
/// *Guarantee*: E[L(x_T) − L(u)] ≤ E[R_T(u)]/A_T, where R_T is the learner's regret on the losses ℓ_t and A_T the sum
/// of weights. With [`Leader`](crate::Leader), a loss L that is μ-strongly convex on the domain (possibly the whole
/// space) and E‖g_t‖² ≤ G²: E[L(x_T) − L(u)] ≤ (1/(2μA_T))·Σ (α_t²/A_t)(1 + ρ_t)·E‖g_t‖², ρ_t ≤ 1/3; so (2/3)G²(1 + log
/// T)/(μT) for α_t = 1 and (8/3)G²/(μ(T+1)) for α_t = t. The bound does not depend on a diameter, but G bounds the
/// gradients that occur: in the whole space they may be very large, see [`StronglyConvex`](crate::StronglyConvex), and
/// [`Status::Strayed`] reports when they are.
///
/// *Cost*: O(d) per step plus that of the learner.
///
/// ```
/// use surefoot::{AskTell, BoxDomain, General, Leader, Linear, Point};
///
/// // (x − 1)² + (y + 2)² where x and y lie between −1 and ½.
/// let square = BoxDomain::new(vec![-1.0; 2], vec![0.5; 2]);
/// let mut method = General::new(Leader::<f64, _>::new(2, square, 2.0), Linear);
/// for _ in 0..200 {
///     let slope = [2.0 * (method.at(0) - 1.0), 2.0 * (method.at(1) + 2.0)];
///     method.tell(&slope);
/// }
/// assert!((method.output().at(0) - 0.5).abs() < 1e-3 && (method.output().at(1) + 1.0).abs() < 1e-3);
/// ```
///
/// Source: arXiv 1903.00974, Algorithm 2 and Theorem 2, whose text has α_{1:t−1} for α_{1:t} below x_t. The bound in
/// ‖g_t‖ is sharper than the (μB + G)² there, and uses the strong convexity that the proof there leaves unused.
#[derive(Clone, Debug)]
pub struct General<F, L, W>(DenseAnytime<F, L, W>);

impl<F: Float, L: Quadratic<F>, W: Weights> General<F, L, W> {
    /// Creates the method that optimises with the iterates of the online learner `learner`, averaged with weights
    /// `weights`, ready for its first gradient. Allocates O(d) memory; later calls do not allocate.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(learner: L, weights: W) -> Self {
        Self(DenseAnytime::new(learner, weights))
    }

    /// Makes the method keep the sums for a certificate (an upper bound on the excess loss), at one `f64` per
    /// coordinate.
    #[must_use]
    pub fn certified(self) -> Self {
        Self(self.0.certified())
    }

    /// Returns the online learner whose iterates are averaged.
    pub fn learner(&self) -> &L {
        self.0.learner()
    }

    /// Returns the sum of weights A_t of the completed rounds.
    pub fn total_weight(&self) -> f64 {
        self.0.total_weight()
    }

    /// Returns the sums for a certificate (an upper bound on the excess loss); `None` without
    /// [`certified`](General::certified).
    pub fn ledger(&self) -> Option<&Ledger> {
        self.0.ledger()
    }
}

impl<F: Float, L: Quadratic<F>, W: Weights> AskTell<F> for General<F, L, W> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn query(&self) -> impl Point<F> {
        self.0.query()
    }

    fn output(&self) -> impl Point<F> {
        self.0.output()
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V) {
        self.0.tell_around(gradient);
    }

    fn steps(&self) -> u64 {
        self.0.steps()
    }

    fn status(&self) -> Status {
        match self.0.status() {
            Status::Sound if self.learner().strayed() => Status::Strayed,
            status => status,
        }
    }

    /// Returns the upper bound on the excess loss that follows from Theorem 1, which ignores curvature, so it may be
    /// loose; [`Curved`](crate::certificate::Curved) takes curvature into account, at O(d) per step.
    fn certificate<D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        self.0.certificate(domain, gradients)
    }
}
