//! Upper bounds on the excess loss (loss minus its minimum) of Algorithm 2 on a strongly convex loss, computed from the
//! gradients of the run so far.

use crate::Squares;

/// Two upper bounds on the excess loss (loss minus its minimum) for a μ-strongly convex loss: (1/(2μA_T))·Σ
/// (α_t²/A_t)(1 + ρ_t)‖g_t‖² for the output after T rounds, and ‖g‖²/(2μ) for the point where the first gradient g was
/// taken. Here α_t are the weights of rounds, with sums A_t, and ρ_t = τ(1 − τ)/(1 − τ + τ²) with τ = α_t/A_t.
#[derive(Clone, Debug, Default)]
pub(crate) struct Promise {
    /// Square root of the bound ‖g‖²/(2μ) on the excess loss at the point where the first nonzero gradient g was taken;
    /// 0 if all gradients were 0.
    first: f64,
    /// The bound on the output's excess loss times the sum of weights A_T: a sum with one squared term per round.
    terms: Squares,
    /// Sum of the weights of the rounds so far, A_T.
    total: f64,
}

impl Promise {
    /// Adds a round of weight α_t = `weight` to the bound, for strong convexity μ = `curvature`. `total` is the sum of
    /// weights including this round, `size` the norm ‖α_t g_t‖ of the weighted gradient.
    pub(crate) fn record(&mut self, curvature: f64, weight: f64, total: f64, size: f64) {
        self.total = total;
        if weight == 0.0 || size == 0.0 {
            return;
        }
        let share = weight / total;
        let rest = share * (1.0 - share) / (1.0 - share + share * share);
        self.terms.add(size * ((1.0 + rest) / (2.0 * curvature * total)).sqrt());
        if self.first == 0.0 {
            self.first = size / weight / (2.0 * curvature).sqrt();
        }
    }

    /// Returns the square root of the bound on the excess loss of the output.
    fn root(&self) -> f64 {
        if self.total > 0.0 { self.terms.root() / self.total.sqrt() } else { 0.0 }
    }

    /// Returns the bound on the excess loss of the output, which holds in expectation.
    pub(crate) fn excess(&self) -> f64 {
        self.root() * self.root()
    }

    /// Whether the bound on the output's excess loss exceeds the bound that the first gradient gave for the first
    /// point, so that it is vacuous.
    pub(crate) fn is_void(&self) -> bool {
        self.root() > self.first
    }
}
