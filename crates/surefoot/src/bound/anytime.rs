//! Bounds on the excess loss that follow directly from Theorem 1 of arXiv 1903.00974.

use crate::Weights;

/// Returns κ·B·√(Σ α_t²G²), the regret bound of adaptive learners with constant κ, for gradients of norm at most G,
/// weights α_t and a domain of diameter B.
///
/// κ is √2 for [`OgdNorm`](crate::OgdNorm) and [`Proximal`](crate::Proximal), and 2 for
/// [`DualAveraging`](crate::DualAveraging); `squares` = Σ α_t².
///
/// ```
/// use surefoot::bound::adaptive_regret;
/// assert_eq!(adaptive_regret(1.5, 2.0, 1.0, 100.0), 30.0);
/// ```
///
/// Source: arXiv 1903.00974, section 4 (Theorem 4 prints α_t for α_t² here).
pub fn adaptive_regret(kappa: f64, diameter: f64, gradient: f64, squares: f64) -> f64 {
    kappa * diameter * gradient * squares.sqrt()
}

/// Regret and sums of weights of a run, from which Theorem 1 of arXiv 1903.00974 bounds the excess loss of the last
/// point x_T (so do Theorem 2 and, for weights α = 1, the corollary of Theorem 1).
///
/// ```
/// use surefoot::Linear;
/// use surefoot::bound::{Anytime, adaptive_regret};
/// let sums = Anytime::of(&Linear, 100, 0.0);
/// assert_eq!((sums.total, sums.squares), (5050.0, 338_350.0));
/// let run = Anytime { regret: adaptive_regret(2_f64.sqrt(), 2.0, 1.0, sums.squares), ..sums };
/// assert!((run.expected() - 0.3258).abs() < 1e-4);
/// assert!(run.probable(2.0, 1.0, 0.05) < 0.9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anytime {
    /// Upper bound on the regret R_T(u) = Σ α_t⟨g_t, w_t − u⟩ of the iterates w_t against a comparator u.
    pub regret: f64,
    /// The sum of the weights of all rounds, A_T = Σ α_t.
    pub total: f64,
    /// The sum of the squared weights of all rounds, Σ α_t².
    pub squares: f64,
}

impl Anytime {
    /// Creates the bound for a known `regret`, with `weights` and their squares summed over `steps` rounds. O(T).
    pub fn of(weights: &impl Weights, steps: u64, regret: f64) -> Self {
        let (mut total, mut squares) = (0.0, 0.0);
        for weight in (1..=steps).map(|t| weights.weight(t)) {
            total += weight;
            squares += weight * weight;
        }
        Self { regret, total, squares }
    }

    /// Bounds the expected excess loss of the last point: E[L(x_T) − L(u)] ≤ R_T(u)/A_T.
    ///
    /// *Assumes* that g_t is a subgradient of L at the query, in expectation given the past, and that weights are fixed
    /// before the run. For weights that depend on the run, only E[A_T(L(x_T) − L(u))] ≤ E[R_T(u)] holds.
    ///
    /// Source: Theorems 1 and 2 (Theorem 2 prints x*_t for the fixed comparator, and α_{1:t−1} for α_{1:t} in a
    /// denominator).
    pub fn expected(&self) -> f64 {
        self.regret / self.total
    }

    /// Bounds the excess loss of the last point with probability 1 − `delta`: L(x_T) − L(u) ≤ (R_T(u) +
    /// B·G·√(2Σα_t²·ln(1/δ)))/A_T, for one T fixed in advance.
    ///
    /// *Assumes* ‖g_t‖ ≤ G always, a domain of diameter B, and weights fixed before the run.
    ///
    /// # Panics
    /// If `delta` is not between 0 and 1.
    ///
    /// Source: Theorem 1, which has 2BG√(Σα²·ln(2/δ)): given the past, a noise term lies in an interval of length
    /// 2α_tBG, for which Hoeffding's lemma gives the bound here, smaller by a factor of at least √2.
    pub fn probable(&self, diameter: f64, gradient: f64, delta: f64) -> f64 {
        assert!(delta > 0.0 && delta < 1.0, "a probability between 0 and 1");
        let noise = diameter * gradient * (2.0 * self.squares * (1.0 / delta).ln()).sqrt();
        (self.regret + noise) / self.total
    }
}

/// Bounds the weighted sum of the excess losses of all points x_t: E[Σ α_t(L(x_t) − L(u))] ≤ R·(1 + ln(A_T/α_1)), where
/// R = `regret` bounds the regret at every t ≤ T, `total` = A_T is the sum of weights and `first` = α_1 the first
/// weight.
///
/// R must bound R_t(u) for all t; the regret observed at T need not do so.
///
/// Source: arXiv 1903.00974, corollary of Theorem 1 on weighted regret.
pub fn weighted_regret(regret: f64, total: f64, first: f64) -> f64 {
    regret * (1.0 + (total / first).ln())
}

/// Bounds the sum of the excess losses of all points x_t: E[Σ_{t≤T} (L(x_t) − L(u))] ≤ 2c√T for weights α_t = 1 and a
/// learner with regret R_t(u) ≤ c·√t at every t, with c = `factor`. Unlike [`weighted_regret`], this bound has no
/// logarithm.
///
/// Source: the remark after the corollary on weighted regret, which prints a single excess where the sum is meant.
pub fn root_regret(factor: f64, steps: u64) -> f64 {
    2.0 * factor * (steps as f64).sqrt()
}

/// Parameters of a bound on the mean of the excess losses of all points x_t, weighted by t^k, where the weights are
/// chosen after a run with α_t = 1.
///
/// ```
/// use surefoot::bound::Reweighted;
/// assert_eq!(Reweighted { regret: 10.0, steps: 100, power: 1.0 }.mean(), 0.2);
/// ```
///
/// Source: arXiv 1903.00974, corollary of Theorem 1 on many weights at once, with its constant made explicit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reweighted {
    /// Upper bound on the regret R_T(u) that is nondecreasing in T.
    pub regret: f64,
    /// Number of rounds T of the run.
    pub steps: u64,
    /// Exponent k > 0 of the weights t^k. As k falls to 0 the bound tends to ∞, although a factor of 1 + ln T would
    /// hold there; for k ≤ 0 it is ∞.
    pub power: f64,
}

impl Reweighted {
    /// Bounds the weighted mean of the excess losses: E[Σ t^k(L(x_t) − L(u))]/Σ t^k ≤ c·R_T(u)/T, where R_T(u) is the
    /// regret against the comparator u, with c = (k+1)/k for k ≤ 1, times 1 + k/T for k > 1.
    pub fn mean(&self) -> f64 {
        let (k, steps) = (self.power, self.steps as f64);
        if k <= 0.0 {
            return f64::INFINITY;
        }
        let excess = if k > 1.0 { 1.0 + k / steps } else { 1.0 };
        (k + 1.0) / k * excess * self.regret / steps
    }
}
