//! The regret certificate for strongly convex losses.

use super::sum::Sum;
use super::{Assumption, Assumptions, Certificate, Certified, Comparator, Gradients, Kind, Subject, Uncertified};
use crate::{Float, Vector};

/// The certificate of Algorithm 2 with losses ⟨g_t, ·⟩ + (μ/2)‖· − x_t‖², for μ-strongly convex L and queries at the
/// average x_t. It needs no domain.
///
/// *Guarantee*: L(x_T) − L(u) ≤ (S − (μ/2)·Σ A_{t−1}‖x_{t−1} − x_t‖² − (μ/2)(q − A_T‖w_{T+1}‖²))/A_T for every u, with
/// q = Σ α_t‖x_t‖² and w_{T+1} = (Σ α_t x_t − Z_T/μ)/A_T, where all points are seen from x_1, so that nothing large
/// cancels. This is Theorem 1 with its slack bounded by strong convexity, so it holds for any iterates w_t.
///
/// *Cost*: O(d) a step and a certificate, three `f64` a coordinate. It averages the iterates by itself.
///
/// ```
/// use surefoot::certificate::{Curved, Gradients};
/// // L(x) = x²/2 from w_1 = 1: the leader is at the minimum at once, and the certificate of x_1 is exact.
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
    average: Vec<f64>,
    averages: Vec<f64>,
    gradients: Vec<f64>,
    linear: Sum,
    moves: Sum,
    squares: Sum,
    total: f64,
    size: f64,
    epsilon: f64,
}

impl Curved {
    /// Empty sums, for a loss whose strong convexity is `curvature` = μ. The only allocation.
    ///
    /// # Panics
    /// If `curvature` is not positive and finite.
    pub fn new(dim: usize, curvature: f64) -> Self {
        assert!(curvature > 0.0 && curvature.is_finite(), "a positive curvature");
        let (zeros, sum) = (vec![0.0; dim], Sum::default());
        let (origin, average, averages) = (zeros.clone(), zeros.clone(), zeros.clone());
        let (linear, moves, squares) = (sum, sum, sum);
        let (total, size, epsilon) = (0.0, 0.0, f64::EPSILON);
        Self { curvature, origin, average, averages, gradients: zeros, linear, moves, squares, total, size, epsilon }
    }

    /// Records a round: weight, gradient at the average that includes this round's iterate, and that iterate. O(d).
    pub fn record<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, iterate: impl Fn(usize) -> F) {
        if self.total + weight == 0.0 {
            return;
        }
        self.epsilon = self.epsilon.max(F::epsilon().wide());
        if self.total == 0.0 {
            self.origin.iter_mut().enumerate().for_each(|(i, x)| *x = iterate(i).wide());
        }
        let (before, share) = (self.total, weight / (self.total + weight));
        self.total += weight;
        for i in 0..self.average.len() {
            let step = share * ((iterate(i).wide() - self.origin[i]) - self.average[i]);
            self.average[i] += step;
            self.averages[i] += weight * self.average[i];
            self.moves.add(before * step * step);
            self.squares.add(weight * self.average[i] * self.average[i]);
        }
        gradient.each(|i, g| {
            let g = weight * g.wide();
            let term = g * (iterate(i).wide() - self.origin[i]);
            self.gradients[i] += g;
            self.linear.add(term);
            self.size += term.abs();
        });
    }

    /// The certificate for the average x_T, against the whole space. O(d).
    ///
    /// With noisy gradients it holds in expectation, for weights that were fixed beforehand.
    pub fn certificate(&self, gradients: Gradients) -> Certified {
        if self.total == 0.0 {
            return Err(Uncertified::NoRounds);
        }
        let (half, mut leader) = (self.curvature / 2.0, Sum::default());
        for (sum, z) in self.averages.iter().zip(&self.gradients) {
            let w = (sum - z / self.curvature) / self.total;
            leader.add(self.total * w * w);
        }
        let parts = [half * self.moves.value(), half * self.squares.value(), half * leader.value()];
        let allowance = 4.0 * self.epsilon * (self.size + parts.iter().sum::<f64>());
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
