//! The guarantee of the theorem on strong convexity for a run so far.

use crate::Squares;

/// The bound (1/(2μA_T))·Σ (α_t²/A_t)(1 + ρ_t)‖g_t‖² on the excess after T rounds, and the bound ‖g‖²/(2μ) that the
/// first gradient gives for the point where it was taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Promise {
    /// Square root of the bound ‖g‖²/(2μ) that the first nonzero gradient g gives; 0 before it.
    first: f64,
    /// The bound on the excess after T rounds, times A_T.
    terms: Squares,
    /// Sum of the weights of the rounds so far, A_T.
    total: f64,
}

impl Promise {
    /// Records a round of weight `weight`, after which the sum of weights is `total`; `size` is ‖α_t g_t‖.
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

    /// Returns the square root of the bound on the excess.
    fn root(&self) -> f64 {
        if self.total > 0.0 { self.terms.root() / self.total.sqrt() } else { 0.0 }
    }

    /// Returns the bound on the excess, which holds in expectation.
    pub(crate) fn excess(&self) -> f64 {
        self.root() * self.root()
    }

    /// Whether the bound on the excess is weaker than that of the first gradient.
    pub(crate) fn is_void(&self) -> bool {
        self.root() > self.first
    }
}
