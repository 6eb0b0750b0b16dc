//! The number type of the reference implementations: `f64`, or a type of the caller with more digits.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Real number of finite precision, with the operations that the reference implementations need.
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
    /// Returns the square root of this number.
    fn sqrt(self) -> Self;
    /// Returns e raised to this number.
    fn exp(self) -> Self;

    /// Converts an `f64` exactly.
    fn of(x: f64) -> Self {
        x.into()
    }

    /// Returns the absolute value of this number.
    fn abs(self) -> Self {
        if self < Self::of(0.0) { -self } else { self }
    }

    /// Returns the sign of this number: −1, 0 or 1.
    fn sign(self) -> Self {
        let zero = Self::of(0.0);
        Self::of(f64::from(i8::from(self > zero) - i8::from(self < zero)))
    }

    /// Returns the larger of the two numbers.
    fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    /// Returns the smaller of the two numbers.
    fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// Limits this number to the interval from `low` to `high`.
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
