//! Bounds on the excess loss and the regret for strongly convex and exp-concave losses.

use crate::Weights;

/// Parameters of a run of Algorithm 2 of arXiv 1903.00974 with follow-the-leader, with bounds on its excess loss, for a
/// μ-strongly convex loss L on a closed convex domain or the whole space.
///
/// *Assumes* E‖g_t‖² ≤ G² and weights fixed before the run; the methods `printed_*` and `summed_linear` also assume
/// ‖g_t‖ ≤ G and a domain of diameter B.
///
/// ```
/// use surefoot::bound::StronglyConvex;
/// let run = StronglyConvex { steps: 999, curvature: 0.5, gradient: 1.0 };
/// assert!((run.linear() - 0.00533).abs() < 1e-5);
/// assert!(run.linear() < run.printed_linear(2.0) / 1.5);
/// ```
///
/// Source: arXiv 1903.00974, the two corollaries on strong convexity, and Theorem S (see the [module](super)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StronglyConvex {
    /// Number of rounds T of the run.
    pub steps: u64,
    /// Strong convexity constant μ of the loss.
    pub curvature: f64,
    /// Bound G on the root mean square of gradient norms: E‖g_t‖² ≤ G².
    pub gradient: f64,
}

impl StronglyConvex {
    /// Bounds the excess loss by Theorem S for any weights α_t with sums A_t: G²/(2μA_T)·Σ (α_t²/A_t)(1 + ρ_t), with
    /// ρ_t = τ(1 − τ)/(1 − τ + τ²) ≤ 1/3 and τ = α_t/A_t. O(T).
    pub fn weighted(&self, weights: &impl Weights) -> f64 {
        let (mut total, mut sum) = (0.0, 0.0);
        for weight in (1..=self.steps).map(|t| weights.weight(t)) {
            total += weight;
            let share = weight / total;
            let rho = share * (1.0 - share) / (1.0 - share + share * share);
            sum += weight * share * (1.0 + rho);
        }
        self.gradient * self.gradient * sum / (2.0 * self.curvature * total)
    }

    /// Bounds the excess loss by Theorem S for weights α_t = 1 (notation: [`StronglyConvex`]): at most (2/3)·G²(1 + ln
    /// T)/(μT).
    pub fn uniform(&self) -> f64 {
        2.0 / 3.0 * self.gradient * self.gradient / self.curvature * self.slow()
    }

    /// Bounds the excess loss by Theorem S for weights α_t = t (notation: [`StronglyConvex`]): at most (8/3)·G²/(μ(T +
    /// 1)).
    pub fn linear(&self) -> f64 {
        8.0 / 3.0 * self.gradient * self.gradient / self.curvature * self.fast()
    }

    /// Bounds the excess loss by the first corollary on strong convexity as printed in arXiv 1903.00974, for weights
    /// α_t = 1 and a domain of diameter B = `diameter` (notation: [`StronglyConvex`]): (μB + G)²(1 + ln T)/(2μT).
    ///
    /// The learner of the corollary must weight its losses and stay in the domain, which the text of arXiv 1903.00974
    /// omits.
    pub fn printed_uniform(&self, diameter: f64) -> f64 {
        self.lipschitz(diameter).powi(2) / (2.0 * self.curvature) * self.slow()
    }

    /// Bounds the excess loss by the second corollary on strong convexity as printed in arXiv 1903.00974, for weights
    /// α_t = t and a domain of diameter B = `diameter` (notation: [`StronglyConvex`]): 2(μB + G)²/(μ(T + 1)).
    pub fn printed_linear(&self, diameter: f64) -> f64 {
        2.0 * self.lipschitz(diameter).powi(2) / self.curvature * self.fast()
    }

    /// Bounds the excess loss by the second corollary on strong convexity (see
    /// [`printed_linear`](StronglyConvex::printed_linear)) with its sum evaluated exactly: T + 1 − H_{T+1} instead of
    /// T, with H the harmonic numbers. O(T).
    pub fn summed_linear(&self, diameter: f64) -> f64 {
        let harmonic: f64 = (1..=self.steps + 1).map(|t| 1.0 / t as f64).sum();
        let steps = self.steps as f64;
        self.printed_linear(diameter) * (steps + 1.0 - harmonic) / steps
    }

    /// Returns the convergence rate (1 + ln T)/T for weights α_t = 1; ∞ for T = 0.
    fn slow(&self) -> f64 {
        let steps = self.steps as f64;
        (1.0 + steps.ln().max(0.0)) / steps
    }

    /// Returns the convergence rate 1/(T + 1) for weights α_t = t; ∞ for T = 0.
    fn fast(&self) -> f64 {
        if self.steps == 0 { f64::INFINITY } else { 1.0 / (self.steps as f64 + 1.0) }
    }

    fn lipschitz(&self, diameter: f64) -> f64 {
        self.curvature * diameter + self.gradient
    }
}

/// Parameters of a run of the online Newton step, with a bound on its regret, for losses that are exp-concave in every
/// example.
///
/// ```
/// use surefoot::bound::ExpConcave;
/// let run = ExpConcave { dim: 10, gamma: 0.5, epsilon: 1.0, distance: 1.0, largest: 1.0, squares: 1000.0 };
/// assert!((run.regret() - 50.3).abs() < 0.1); // ½ + (81/64)·10·ln 51
/// ```
///
/// Source: Hazan, Agarwal and Kale (2007), for the remark after Theorem 2 of arXiv 1903.00974.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpConcave {
    /// Number of coordinates d.
    pub dim: usize,
    /// Curvature γ = ½·min(1/(4GB), η) along gradients, for η-exp-concave losses, gradient norms up to G and a domain
    /// of diameter B.
    pub gamma: f64,
    /// Strength ε of the regulariser (ε/2)‖u − w_1‖² of the online Newton step.
    pub epsilon: f64,
    /// Distance ‖u − w_1‖ of the comparator from the first iterate.
    pub distance: f64,
    /// Largest weight α_t of the rounds.
    pub largest: f64,
    /// Weighted sum of squared gradient norms, Σ α_t‖g_t‖².
    pub squares: f64,
}

impl ExpConcave {
    /// Bounds the regret of the online Newton step against u (notation: [`ExpConcave`]): R_T(u) ≤ (ε/2)‖u − w_1‖² +
    /// (81/64)(α_T·d/(2γ))·ln(1 + γΣα_t‖g_t‖²/(dε)), with α_T the largest weight. Divide by the sum of weights A_T to
    /// bound the excess loss.
    pub fn regret(&self) -> f64 {
        let dim = self.dim as f64;
        let volume = (1.0 + self.gamma * self.squares / (dim * self.epsilon)).ln();
        let start = self.epsilon / 2.0 * self.distance * self.distance;
        start + 81.0 / 64.0 * self.largest * dim / (2.0 * self.gamma) * volume
    }
}
