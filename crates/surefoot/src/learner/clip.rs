//! Errors of unknown size, cut to the largest that came before.

use crate::Squares;

/// Γ_t, a bound on the error of round t that is known before it, and Γ² + V, V the sum of the squared sizes.
///
/// An error larger than Γ is cut to Γ before it is used, and Γ grows to its size for the next. What is cut off sums to
/// at most the largest size, since the cuts telescope.
#[derive(Clone, Debug, Default)]
pub(super) struct Clip {
    squares: Squares,
    largest: f64,
    cut: bool,
}

impl Clip {
    /// Starts Γ at `bound`.
    ///
    /// # Panics
    /// If `bound` is negative or not finite.
    pub(super) fn with_bound(bound: f64) -> Self {
        assert!(bound >= 0.0 && bound.is_finite(), "a finite bound");
        Self { largest: bound, ..Self::default() }
    }

    /// Takes an error of this size; returns the factor, at most 1, with which to use it.
    pub(super) fn take(&mut self, size: f64) -> f64 {
        let keep = if size > self.largest { self.largest / size } else { 1.0 };
        self.cut |= keep < 1.0;
        self.squares.add(size.min(self.largest));
        self.largest = self.largest.max(size);
        keep
    }

    /// √(Γ² + V).
    pub(super) fn spread(&self) -> f64 {
        let mut squares = self.squares;
        squares.add(self.largest);
        squares.root()
    }

    /// A bound on the sum of what was cut off.
    pub(super) fn excess(&self) -> f64 {
        if self.cut { self.largest } else { 0.0 }
    }
}
