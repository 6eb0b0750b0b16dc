//! The numbers of the twins: `f64`, or a caller's own with more digits.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number, to some precision.
pub trait Number:
    Copy
    + Debug
    + PartialOrd
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The square root.
    fn sqrt(self) -> Self;
    /// e to the power of this.
    fn exp(self) -> Self;

    /// The number, exactly.
    fn of(x: f64) -> Self {
        x.into()
    }

    /// |x|.
    fn abs(self) -> Self {
        if self < Self::of(0.0) { -self } else { self }
    }

    /// −1, 0 or 1.
    fn sign(self) -> Self {
        let zero = Self::of(0.0);
        Self::of(f64::from(i8::from(self > zero) - i8::from(self < zero)))
    }

    /// The larger of two.
    fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    /// The smaller of two.
    fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// The nearest number between two.
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
}

impl Number for f64 {
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    fn exp(self) -> Self {
        self.exp()
    }
}
