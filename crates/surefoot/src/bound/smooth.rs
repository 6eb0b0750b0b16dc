//! Bounds on the excess loss of Algorithm 1 of arXiv 1903.00974 for smooth losses, without gradient hints.

/// Parameters of a run of Algorithm 1 of arXiv 1903.00974 with weights α_t = 1 on an L-smooth loss, with a bound on its
/// excess loss, for learners with regret R_t(u) ≤ ψ·√(Σ‖g_i‖²).
///
/// *Assumes* smoothness in the whole space and a minimiser over the whole space that lies in the learner's domain; then
/// ‖∇L(x)‖² ≤ 2L(L(x) − L*), where the text of arXiv 1903.00974 lacks the 2.
///
/// ```
/// use surefoot::bound::Smooth;
/// let run = Smooth { steps: 100, psi: 2.0, smoothness: 0.5, noise: 1.0 };
/// assert!((run.expected() - 0.6642).abs() < 1e-4); // 4·(2 + ln 100)/100 + 4/10
/// ```
///
/// Source: arXiv 1903.00974, corollary on smooth losses, which has ψ²L·log²T/T + ψσ·log T/√T (ψ is missing in its
/// text); here Theorem N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth {
    /// Number of rounds T of the run.
    pub steps: u64,
    /// Constant ψ of the learner's regret bound ψ·√(Σ‖g_i‖²). On a domain of diameter B it is κ·B, with κ = √2 for
    /// [`OgdNorm`](crate::OgdNorm).
    pub psi: f64,
    /// Smoothness constant L of the loss.
    pub smoothness: f64,
    /// Standard deviation σ of gradients: their variance is at most σ².
    pub noise: f64,
}

impl Smooth {
    /// Bounds the expected excess loss by Theorem N (notation: [`Smooth`]; L* is the minimum of the loss): E[L(x_T) −
    /// L*] ≤ 2Lψ²(2 + ln T)/T + 2ψσ/√T.
    pub fn expected(&self) -> f64 {
        let steps = self.steps as f64;
        let bias = 2.0 * self.smoothness * self.psi * self.psi * (2.0 + steps.ln()) / steps;
        bias + 2.0 * self.psi * self.noise / steps.sqrt()
    }
}
