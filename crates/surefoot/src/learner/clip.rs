//! Clipping of hint errors (gradient minus its prediction, the hint) to the size of the largest error seen before.

use crate::Squares;

/// A clipping threshold Γ_t for the size of the hint error of round t (the gradient minus its prediction, the hint),
/// known before that round, and the sum V of squared sizes of clipped errors.
///
/// An error larger than Γ is clipped to Γ before it is used, and then Γ grows to its size. The clipped-off parts
/// telescope, so they sum to at most the largest error.
#[derive(Clone, Debug, Default)]
pub(super) struct Clip {
    /// V, the sum of the squared sizes of hint errors (gradient minus its prediction, the hint) after clipping.
    squares: Squares,
    /// Γ, the current threshold: the largest error size so far or the initial bound, whichever is larger.
    largest: f64,
    /// Whether the hint error (gradient minus its prediction, the hint) of any round was clipped.
    cut: bool,
}

impl Clip {
    /// Creates the clipping state with initial threshold Γ = `bound` and no hint errors recorded.
    ///
    /// # Panics
    /// If `bound` is negative or not finite.
    pub(super) fn with_bound(bound: f64) -> Self {
        assert!(bound >= 0.0 && bound.is_finite(), "a finite bound");
        Self { largest: bound, ..Self::default() }
    }

    /// Records a hint error of norm `size` in the threshold Γ and the sum of squares V; returns the factor ≤ 1 by which
    /// the error must be multiplied so that its norm is at most the previous Γ.
    pub(super) fn take(&mut self, size: f64) -> f64 {
        let keep = if size > self.largest { self.largest / size } else { 1.0 };
        self.cut |= keep < 1.0;
        self.squares.add(size.min(self.largest));
        self.largest = self.largest.max(size);
        keep
    }

    /// Returns √(Γ² + V) for the threshold Γ and the sum V of squared sizes of clipped errors; learning rates are
    /// inversely proportional to it.
    pub(super) fn spread(&self) -> f64 {
        let mut squares = self.squares;
        squares.add(self.largest);
        squares.root()
    }

    /// Returns an upper bound on the sum over rounds of the clipped-off parts of errors: the largest error size, or 0
    /// if nothing was clipped.
    pub(super) fn excess(&self) -> f64 {
        if self.cut { self.largest } else { 0.0 }
    }
}
