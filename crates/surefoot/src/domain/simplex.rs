//! The probability simplex and the L1 ball as domains. Their projections subtract one threshold from all (absolute)
//! coordinates and clip at 0.

use super::{Domain, Project, tolerance};
use crate::Float;

/// The probability simplex: points with no negative coordinate that sum to 1.
///
/// *Projection*: exact, O(d) per pass, without allocation. It is Newton's method on a convex piecewise linear function
/// of the threshold that is subtracted from all coordinates: each pass drops the coordinates that cannot be positive,
/// until none is dropped. Each pass divides the product of the remaining distance and the number of remaining
/// coordinates by four, so there are at most about 27 + ½·log₂ d passes in `f64`; usually fewer than ten.
///
/// ```
/// use surefoot::{Domain, Project, Simplex};
/// let mut x = [0.5, 0.75, -3.0];
/// Simplex::new(3).project(&mut x);
/// assert_eq!(x, [0.375, 0.625, 0.0]);
/// assert_eq!(Domain::<f64>::support(&Simplex::new(3), 3, |i| [1.0, 4.0, -5.0][i]), 4.0);
/// ```
///
/// Source: Held, Wolfe and Crowder (1974); Michelot (1986) for the finite method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simplex {
    /// Number of corners of the simplex, which is also the number of coordinates.
    dim: usize,
}

impl Simplex {
    /// Creates the simplex with `dim` corners. Its centre is the uniform distribution.
    ///
    /// # Panics
    /// If `dim` is 0.
    pub fn new(dim: usize) -> Self {
        assert!(dim > 0, "a simplex has corners");
        Self { dim }
    }
}

impl<F: Float> Domain<F> for Simplex {
    fn centre(&self, _: usize) -> F {
        F::of(1.0 / self.dim as f64)
    }

    fn reach(&self) -> f64 {
        (1.0 - 1.0 / self.dim as f64).sqrt()
    }

    fn bounded(&self) -> bool {
        true
    }

    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        (0..dim).map(z).fold(f64::NEG_INFINITY, f64::max)
    }

    fn contains(&self, dim: usize, x: impl Fn(usize) -> f64) -> bool {
        let sum: f64 = (0..dim).map(&x).sum();
        (sum - 1.0).abs() <= tolerance::<F>() && (0..dim).all(|i| x(i) >= -tolerance::<F>())
    }
}

impl<F: Float> Project<F> for Simplex {
    fn project(&self, x: &mut [F]) {
        let cut = Cut::new(x.len(), 1.0, |i| x[i].wide());
        x.iter_mut().for_each(|x| *x = F::of(cut.above(x.wide())));
    }
}

/// The L1 ball around 0: all points whose absolute values sum to at most a radius.
///
/// *Projection*: exact, at the cost of a projection onto a [`Simplex`].
///
/// ```
/// use surefoot::{Domain, L1Ball, Project};
/// let mut x = [3.0, -1.5, 0.25];
/// L1Ball::new(2.0).project(&mut x);
/// assert_eq!(x, [1.75, -0.25, 0.0]);
/// assert_eq!(Domain::<f64>::support(&L1Ball::new(2.0), 2, |i| [1.0, -4.0][i]), 8.0);
/// ```
///
/// Source: Duchi, Shalev-Shwartz, Singer and Chandra (2008), by way of the simplex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct L1Ball {
    /// Radius of the ball, positive and finite.
    radius: f64,
}

impl L1Ball {
    /// Creates the ball of radius `radius` around 0.
    ///
    /// # Panics
    /// If `radius` is not positive and finite.
    pub fn new(radius: f64) -> Self {
        assert!(radius > 0.0 && radius.is_finite(), "a positive radius");
        Self { radius }
    }
}

impl<F: Float> Domain<F> for L1Ball {
    fn centre(&self, _: usize) -> F {
        F::default()
    }

    fn reach(&self) -> f64 {
        self.radius
    }

    fn bounded(&self) -> bool {
        true
    }

    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        self.radius * (0..dim).map(|i| z(i).abs()).fold(0.0, f64::max)
    }

    fn contains(&self, dim: usize, x: impl Fn(usize) -> f64) -> bool {
        (0..dim).map(|i| x(i).abs()).sum::<f64>() <= self.radius * (1.0 + tolerance::<F>())
    }
}

impl<F: Float> Project<F> for L1Ball {
    fn project(&self, x: &mut [F]) {
        if x.iter().map(|x| x.wide().abs()).sum::<f64>() <= self.radius {
            return;
        }
        let mut cut = Cut::new(x.len(), self.radius, |i| x[i].wide().abs());
        cut.level = cut.level.max(-cut.largest); // values are not raised where rounding puts the level below 0
        x.iter_mut().for_each(|x| *x = F::of(cut.above(x.wide().abs()).copysign(x.wide())));
    }
}

/// The threshold τ at which the parts of a vector's values above τ, Σ max(v_i − τ, 0), sum to a given total. The
/// threshold is stored relative to the largest value, so that no digits are lost where values are much larger than the
/// total.
struct Cut {
    /// Largest value of the vector to which the threshold applies.
    largest: f64,
    /// The threshold minus the largest value of the vector.
    level: f64,
}

impl Cut {
    fn new(dim: usize, total: f64, value: impl Fn(usize) -> f64) -> Self {
        let largest = (0..dim).map(&value).fold(f64::NEG_INFINITY, f64::max);
        let (mut level, mut count) = (-total, usize::MAX);
        loop {
            let (mut sum, mut above) = (-total, 0);
            for y in (0..dim).map(|i| value(i) - largest).filter(|y| *y > level) {
                sum += y;
                above += 1;
            }
            if above >= count || above == 0 {
                return Self { largest, level };
            }
            (level, count) = (sum / above as f64, above);
        }
    }

    /// Returns the part of `value` above the threshold, or 0 if `value` is below the threshold.
    fn above(&self, value: f64) -> f64 {
        (value - self.largest - self.level).max(0.0)
    }
}
