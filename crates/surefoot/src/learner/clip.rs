//! Clipping of hint errors to the largest error seen before.

use crate::Squares;

/// A clipping threshold Γ_t for the error of round t, known before that round, and V, the sum of squared error sizes.
///
/// An error larger than Γ is clipped to Γ before it is used, and then Γ grows to its size. The clipped-off parts sum to
/// at most the largest error, since they telescope.
#[derive(Clone, Debug, Default)]
pub(super) struct Clip {
    /// V, the sum of squared sizes after clipping.
    squares: Squares,
    /// Γ, the largest size so far, or the given bound.
    largest: f64,
    /// Whether the hint error of any round was clipped.
    cut: bool,
}

impl Clip {
    /// Creates the threshold with Γ = `bound`.
    ///
    /// # Panics
    /// If `bound` is negative or not finite.
    pub(super) fn with_bound(bound: f64) -> Self {
        assert!(bound >= 0.0 && bound.is_finite(), "a finite bound");
        Self { largest: bound, ..Self::default() }
    }

    /// Records an error of size `size`; returns the factor, at most 1, that clips it.
    pub(super) fn take(&mut self, size: f64) -> f64 {
        let keep = if size > self.largest { self.largest / size } else { 1.0 };
        self.cut |= keep < 1.0;
        self.squares.add(size.min(self.largest));
        self.largest = self.largest.max(size);
        keep
    }

    /// Returns √(Γ² + V), to which learning rates are inversely proportional.
    pub(super) fn spread(&self) -> f64 {
        let mut squares = self.squares;
        squares.add(self.largest);
        squares.root()
    }

    /// Returns a bound on the sum of the clipped-off parts: the largest error, or 0 if nothing was clipped.
    pub(super) fn excess(&self) -> f64 {
        if self.cut { self.largest } else { 0.0 }
    }
}
