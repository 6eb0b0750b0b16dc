//! Bounds on the excess loss of Algorithm 4 (acceleration) of arXiv 1903.00974: its Theorems 4 and 5, and the sharper
//! Theorem A.

use std::f64::consts::SQRT_2;

/// Parameters of a run of Algorithm 4 (acceleration) of arXiv 1903.00974, with bounds on its excess loss: weights α_t =
/// t with sums A_t, learning rates η_t = cB/√(ε² + Σ_{i≤t} A_i‖g_i‖²), and a minimiser in the ball of diameter B around
/// the start.
///
/// *Assumes* that L is convex and, where `smoothness` is used, smooth in the whole space (iterates may leave the ball);
/// E‖g_t‖² ≤ G²; a learner with R_T ≤ κB·√(Σ α_t²‖g_t‖²). c = √2·κ unless stated otherwise; the text of arXiv
/// 1903.00974 has κ = √2, c = 2 and ε = 1, which has the units of a gradient.
///
/// ```
/// use surefoot::bound::Accelerated;
/// let run = Accelerated {
///     steps: 100, diameter: 1.0, smoothness: 1.0, gradient: 1.0, epsilon: 1.0, ..Accelerated::default()
/// };
/// assert!(run.output() < run.printed() / 1.9);
/// ```
///
/// Source: arXiv 1903.00974, Theorems 4 and 5, and Theorem A (see the [module](super)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accelerated {
    /// Number of rounds T of the run.
    pub steps: u64,
    /// Diameter B of a ball around the start that contains a minimiser.
    pub diameter: f64,
    /// Smoothness constant L of the loss.
    pub smoothness: f64,
    /// Standard deviation σ of gradients: their variance is at most σ².
    pub noise: f64,
    /// Bound G on the root mean square of gradient norms: E‖g_t‖² ≤ G².
    pub gradient: f64,
    /// Constant ε under the root in the learning rate η_t = cB/√(ε² + Σ A_i‖g_i‖²), in units of a gradient. For ε = 0
    /// use the methods ending in `_given`, with a measured Λ (see [`log`](Accelerated::log)).
    pub epsilon: f64,
    /// Constant κ of the learner's regret bound κB·√(Σ α_t²‖g_t‖²); √2 by default, as for [`OgdNorm`](crate::OgdNorm).
    pub kappa: f64,
}

impl Default for Accelerated {
    /// Sets every parameter to 0, except `kappa` = √2.
    fn default() -> Self {
        let (diameter, smoothness, noise, gradient, epsilon) = (0.0, 0.0, 0.0, 0.0, 0.0);
        Self { steps: 0, diameter, smoothness, noise, gradient, epsilon, kappa: SQRT_2 }
    }
}

impl Accelerated {
    /// Returns a bound on Λ = Σ A_t‖g_t‖²/(ε² + S_t), S_t = Σ_{i≤t} A_i‖g_i‖²: ln(1 + G²·T(T+1)(T+2)/(6ε²)). It is
    /// infinite for ε = 0; a run then gives Λ ≤ 1 + ln(S_T/S_t), with t the round of its first nonzero gradient.
    pub fn log(&self) -> f64 {
        (self.gradient * self.gradient / (self.epsilon * self.epsilon) * self.sum_of_totals()).ln_1p()
    }

    /// Bounds the excess loss of the output y_T by Theorem A(i) (notation: [`Accelerated`]): (cBε + (c²LB²/2)Λ +
    /// cBσ·√(T(T+1)(T+2)Λ/6))/A_T, with Λ from [`log`](Accelerated::log).
    pub fn output(&self) -> f64 {
        self.output_given(self.log())
    }

    /// Bounds the excess loss of the output y_T by Theorem A(i), with Λ = `log` measured in the run (see
    /// [`log`](Accelerated::log)).
    pub fn output_given(&self, log: f64) -> f64 {
        let cb = self.step();
        let noise = cb * self.noise * (self.sum_of_totals() * log).sqrt();
        (cb * self.epsilon + cb * cb * self.smoothness / 2.0 * log + noise) / self.total()
    }

    /// Bounds the excess loss of the last query point x_T for exact gradients by Theorem A(iv) (notation:
    /// [`Accelerated`]): twice the bound on y_T plus 2c²LB²/A_T.
    pub fn query(&self) -> f64 {
        self.query_given(self.log())
    }

    /// Bounds the excess loss of the last query point x_T for exact gradients by Theorem A(iv), with Λ = `log` measured
    /// in the run (see [`log`](Accelerated::log)).
    pub fn query_given(&self, log: f64) -> f64 {
        let exact = Self { noise: 0.0, ..*self };
        2.0 * exact.output_given(log) + 2.0 * self.step().powi(2) * self.smoothness / self.total()
    }

    /// Bounds the excess loss of the output y_T by Theorem A(ii), for exact gradients and learning rates with c =
    /// 2√2·κ, twice the usual value (notation: [`Accelerated`]): (cBε + c²LB²·ln(max(1, cBL/ε)))/A_T, without a
    /// logarithm of T.
    pub fn doubled(&self) -> f64 {
        let cb = 2.0 * self.step();
        let log = (cb * self.smoothness / self.epsilon).max(1.0).ln();
        (cb * self.epsilon + cb * cb * self.smoothness * log) / self.total()
    }

    /// Bounds the excess loss of the output y_T without smoothness by Theorem A(iii), as (R_T + cB·√(Λ·Σ
    /// A_t‖∇L(y_t)‖²))/A_T with `regret` = R_T, `log` = Λ and `slopes` = Σ A_t‖∇L(y_t)‖² (notation: [`Accelerated`]).
    ///
    /// Theorem 5 of arXiv 1903.00974 states this without c, with Σt² for 2ΣA_t (too small when early gradients
    /// dominate), and with G³ for G².
    pub fn universal(&self, regret: f64, log: f64, slopes: f64) -> f64 {
        (regret + self.step() * (log * slopes).sqrt()) / self.total()
    }

    /// Bounds the excess loss of the output y_T by Theorem A(iii), for gradients of norm at most G everywhere:
    /// O(BG·√(ln T/T)), where arXiv 1903.00974 has √ln T/T.
    pub fn lipschitz(&self) -> f64 {
        let t = self.steps as f64;
        let squares = t * (t + 1.0) * (2.0 * t + 1.0) / 6.0;
        let regret = super::adaptive_regret(self.kappa, self.diameter, self.gradient, squares);
        self.universal(regret, self.log(), self.gradient * self.gradient * self.sum_of_totals())
    }

    /// Computes the bound of Theorem 4 as printed in arXiv 1903.00974, for κ = √2 and ε = 1 (notation:
    /// [`Accelerated`]): (4B + 8LB²·ℓ)/T² + 4Bσ·√ℓ/√T with ℓ = ln(1 + G²T³).
    pub fn printed(&self) -> f64 {
        let (t, b) = (self.steps as f64, self.diameter);
        let log = (self.gradient * self.gradient * t.powi(3)).ln_1p();
        (4.0 * b + 8.0 * self.smoothness * b * b * log) / (t * t) + 4.0 * b * self.noise * (log / t).sqrt()
    }

    /// Returns c·B, the numerator of the learning rate η_t.
    fn step(&self) -> f64 {
        SQRT_2 * self.kappa * self.diameter
    }

    /// Returns the sum of the weights α_t = t over T rounds, A_T = T(T+1)/2.
    fn total(&self) -> f64 {
        let t = self.steps as f64;
        t * (t + 1.0) / 2.0
    }

    /// Returns the sum over T rounds of the cumulative weights A_t = t(t+1)/2, which is T(T+1)(T+2)/6.
    fn sum_of_totals(&self) -> f64 {
        self.total() * (self.steps as f64 + 2.0) / 3.0
    }
}
