//! Bounds on the excess loss of Algorithm 3 (optimism) of arXiv 1903.00974: its Theorem 3, and Theorem O with a faster
//! rate.

use std::f64::consts::SQRT_2;

/// Parameters of a run of Algorithm 3 (optimism) of arXiv 1903.00974, with bounds on its excess loss: weights α_t = t,
/// the last gradient g_{t−1} as the hint, and a convex domain of diameter B.
///
/// *Assumes* that L is convex, and smooth in the whole space where `smoothness` is used; a learner with R_T ≤ κB·√(Σ
/// α_t²‖g_t − ĝ_t‖²), where ĝ_t is the hint. It needs no bound on gradients, and the minimiser may lie anywhere.
///
/// ```
/// use surefoot::bound::Optimistic;
/// let run = Optimistic { steps: 9, diameter: 1.0, smoothness: 1.0, first: 0.0, ..Optimistic::default() };
/// assert!((run.exact() - 8.0 / 90.0).abs() < 1e-15);
/// assert!(run.expected() < run.printed());
/// ```
///
/// Source: arXiv 1903.00974, Theorem 3, and Theorem O (see the [module](super)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimistic {
    /// Number of rounds T of the run.
    pub steps: u64,
    /// Diameter B of the learner's domain.
    pub diameter: f64,
    /// Smoothness constant L of the loss.
    pub smoothness: f64,
    /// Standard deviation σ of gradients: their variance is at most σ².
    pub noise: f64,
    /// Root mean square norm of the first gradient, √E‖g_1‖².
    pub first: f64,
    /// Constant κ of the learner's regret bound κB·√(Σ α_t²‖g_t − ĝ_t‖²), with hints ĝ_t: √2 by default, as for
    /// [`Proximal`](crate::Proximal); 2 for [`DualAveraging`](crate::DualAveraging).
    pub kappa: f64,
}

impl Default for Optimistic {
    /// Sets every parameter to 0, except `kappa` = √2.
    fn default() -> Self {
        Self { steps: 0, diameter: 0.0, smoothness: 0.0, noise: 0.0, first: 0.0, kappa: SQRT_2 }
    }
}

impl Optimistic {
    /// Bounds the expected excess loss by Theorem O (notation: [`Optimistic`]; L* is the minimum of L): E[L(x_T) − L*]
    /// ≤ (2/(T(T+1)))(4κ²LB² + κB·√E‖g_1‖²) + κBσ·√(2(2T+1)/(T(T+1))).
    pub fn expected(&self) -> f64 {
        let (t, kb) = (self.steps as f64, self.kappa * self.diameter);
        let noise = kb * self.noise * (2.0 * (2.0 * t + 1.0) / (t * (t + 1.0))).sqrt();
        self.fast(4.0) + noise
    }

    /// Bounds the excess loss for exact gradients by Theorem O (notation: [`Optimistic`]; L* is the minimum of L):
    /// L(x_T) − L* ≤ (2/(T(T+1)))(2κ²LB² + κB‖g_1‖).
    pub fn exact(&self) -> f64 {
        self.fast(2.0)
    }

    fn fast(&self, factor: f64) -> f64 {
        let (t, kb) = (self.steps as f64, self.kappa * self.diameter);
        2.0 / (t * (t + 1.0)) * (factor * self.smoothness * kb * kb + kb * self.first)
    }

    /// Bounds the excess loss for losses that are not smooth, with E‖g_t‖² ≤ G² and G = `gradient` (notation:
    /// [`Optimistic`]): 4κBG·√((2T+1)/(6T(T+1))). Algorithm 3 needs no change for such losses.
    pub fn lipschitz(&self, gradient: f64) -> f64 {
        let t = self.steps as f64;
        4.0 * self.kappa * self.diameter * gradient * ((2.0 * t + 1.0) / (6.0 * t * (t + 1.0))).sqrt()
    }

    /// Computes the bound that the proof of Theorem 3 of arXiv 1903.00974 does establish (notation: [`Optimistic`]):
    /// (2/(T(T+1)))·B·√(30(T+1)³σ² + 40L²B²T), for κ = √2 and ∇L(x*) = 0.
    pub fn printed(&self) -> f64 {
        let (t, lb) = (self.steps as f64, self.smoothness * self.diameter);
        let inside = 30.0 * (t + 1.0).powi(3) * self.noise * self.noise + 40.0 * lb * lb * t;
        2.0 / (t * (t + 1.0)) * self.diameter * inside.sqrt()
    }

    /// Computes the bound in the last line of the proof of Theorem 3 of arXiv 1903.00974, 4√10·(LB²/T^{3/2} + σB/√T),
    /// which does not follow for T = 1 and 2.
    pub fn printed_last(&self) -> f64 {
        let (t, b) = (self.steps as f64, self.diameter);
        4.0 * 10_f64.sqrt() * (self.smoothness * b * b / t.powf(1.5) + self.noise * b / t.sqrt())
    }
}

/// Bounds the excess loss by Theorem O, applied per coordinate, for exact gradients in a box:
/// (2/(T(T+1)))·Σ_j(4L_jB_j² + √2·B_j|g_{1,j}|), where the Hessian is at most diag(L_j) and B_j are the side lengths of
/// the box. `coordinates` yields (L_j, B_j, g_{1,j}); κ = √2.
///
/// ```
/// use surefoot::bound::diagonal;
/// assert_eq!(diagonal(1, [(1.0, 1.0, 0.0), (0.5, 2.0, 0.0)]), 12.0);
/// ```
pub fn diagonal(steps: u64, coordinates: impl IntoIterator<Item = (f64, f64, f64)>) -> f64 {
    let t = steps as f64;
    let one = |(l, b, g): (f64, f64, f64)| 4.0 * l * b * b + SQRT_2 * b * g.abs();
    2.0 / (t * (t + 1.0)) * coordinates.into_iter().map(one).sum::<f64>()
}
