//! Traits of numbers: [`Real`] for arithmetic on one number or on several at once, [`Float`] for `f32` and `f64`.

use std::fmt::{Debug, Display};
use std::ops::{Add, Div, Mul, Sub};

/// Element-wise arithmetic, without branches or comparisons, on one number or on K numbers held side by side.
///
/// The per-coordinate functions of [`kernel`](crate::kernel) use nothing else. So a type that holds K numbers side by
/// side, one per lane (one of several learners trained side by side), can implement it and run the same source in all K
/// lanes. `f32` and `f64` are the case K = 1.
///
/// ```
/// use std::ops::{Add, Div, Mul, Sub};
/// use surefoot::{Real, kernel};
///
/// #[derive(Clone, Copy)]
/// struct Pair([f32; 2]);
///
/// macro_rules! lanewise {
///     ($($operator:ident $method:ident),*) => {$(
///         impl $operator for Pair {
///             type Output = Pair;
///             fn $method(self, other: Pair) -> Pair {
///                 Pair([self.0[0].$method(other.0[0]), self.0[1].$method(other.0[1])])
///             }
///         }
///     )*};
/// }
/// lanewise!(Add add, Sub sub, Mul mul, Div div);
///
/// impl Real for Pair {
///     fn of(x: f64) -> Pair {
///         Pair([x as f32; 2])
///     }
///     fn sqrt(self) -> Pair {
///         Pair(self.0.map(f32::sqrt))
///     }
/// }
///
/// // Two scales D, one call: 1·6/√(4 + 5) and 2·6/√(4 + 5).
/// let w = kernel::iterate(Pair::of(6.0), Pair::of(4.0), Pair([1.0, 2.0]), Pair::of(5.0));
/// assert_eq!(w.0, [2.0, 4.0]);
/// ```
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// Converts `x` to this type, rounding once; a type of K lanes (numbers held side by side) holds `x` in every lane.
    fn of(x: f64) -> Self;

    /// Computes the square root of the number, or of each of the K numbers held side by side.
    fn sqrt(self) -> Self;
}

/// The element type of vectors and learners: `f32` or `f64`, and no other type.
///
/// Counters, weights, sums and scales are `u64` or `f64` even where arrays are `f32`.
pub trait Float:
    Real + PartialOrd + Default + Debug + Display + Send + Sync + 'static + num_traits::Float + sealed::Sealed
{
    /// Converts the number to `f64`, without rounding.
    fn wide(self) -> f64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Real for f32 {
    #[inline(always)]
    fn of(x: f64) -> f32 {
        x as f32
    }

    #[inline(always)]
    fn sqrt(self) -> f32 {
        self.sqrt()
    }
}

impl Real for f64 {
    #[inline(always)]
    fn of(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        self.sqrt()
    }
}

impl Float for f32 {
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Float for f64 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
}
