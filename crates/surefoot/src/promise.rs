//! What the theorem of strong convexity says of a run so far.

use crate::Squares;

/// (1/(2μA_T))·Σ (α_t²/A_t)(1 + ρ_t)‖g_t‖², the bound on the excess after T rounds, and what the first gradient says of the
/// point where it was taken, ‖g‖²/(2μ).
#[derive(Clone, Debug, Default)]
pub(crate) struct Promise {
    first: f64,
    terms: Squares,
    total: f64,
}

impl Promise {
    /// A round of this weight, after which the sum of weights is `total`; `size` is ‖α_t g_t‖.
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

    /// The root of the bound.
    fn root(&self) -> f64 {
        if self.total > 0.0 { self.terms.root() / self.total.sqrt() } else { 0.0 }
    }

    /// The bound, in expectation.
    pub(crate) fn excess(&self) -> f64 {
        self.root() * self.root()
    }

    /// Whether less is promised than one gradient did.
    pub(crate) fn is_void(&self) -> bool {
        self.root() > self.first
    }
}
