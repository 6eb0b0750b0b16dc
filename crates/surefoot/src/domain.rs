//! Domains of iterates: the whole space, a ball, a box, a simplex, an L1 ball, or a set defined by the caller.
//!
//! The capabilities of a domain determine which learners it fits, and the compiler rejects the others: a learner with
//! one learning rate and sparse steps needs a [`Radial`] domain, a per-coordinate learner a [`Separable`] one, and any
//! domain that can [`Project`] fits the learners that cost O(d).

mod simplex;

pub use simplex::{L1Ball, Simplex};

use crate::{Float, Squares};

/// A closed convex set D with a centre, over which a learner optimises.
///
/// The support function turns sums of gradients into certificates; see [`Ledger`](crate::Ledger).
pub trait Domain<F: Float> {
    /// Returns coordinate `i` of the centre, the point where learners start.
    fn centre(&self, i: usize) -> F;

    /// Returns an upper bound on the distance from the centre to any point of D. For the whole space, returns the
    /// caller's estimate of the distance from the centre to the solution.
    fn reach(&self) -> f64;

    /// Whether D is bounded, so that [`reach`](Domain::reach) is a true bound and regret bounds hold; if false, `reach`
    /// is only an estimate.
    fn bounded(&self) -> bool;

    /// Computes the support function h_D(z) = sup over u in D of ⟨z, u⟩, for a z of `dim` coordinates. O(d).
    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64;

    /// Whether a point of `dim` coordinates lies in D, with a tolerance for rounding errors of √ε times the size of D,
    /// where ε is the machine epsilon of `F`. O(d).
    ///
    /// The default implementation checks one direction only, that from the centre to the point: it is exact for balls
    /// and finds only gross errors for other sets.
    fn contains(&self, dim: usize, x: impl Fn(usize) -> f64) -> bool {
        let (mut away, mut centre) = (Squares::default(), Squares::default());
        for i in 0..dim {
            away.add(x(i) - self.centre(i).wide());
            centre.add(self.centre(i).wide());
        }
        let norm = away.root();
        if norm == 0.0 {
            return (0..dim).all(|i| x(i) == self.centre(i).wide());
        }
        let direction = |i: usize| (x(i) - self.centre(i).wide()) / norm;
        let inner: f64 = (0..dim).map(|i| direction(i) * x(i)).sum();
        inner - self.support(dim, direction) <= tolerance::<F>() * (self.reach() + centre.root())
    }
}

/// Returns √ε, the relative tolerance of tests for membership in a domain, where ε is the machine epsilon of `F`. It
/// exceeds the rounding errors of a projected point, but a learner that does not project soon exceeds it.
fn tolerance<F: Float>() -> f64 {
    F::epsilon().wide().sqrt()
}

/// A ball or the whole space: a domain onto which a point is projected by scaling its offset from the centre.
pub trait Radial<F: Float>: Domain<F> {
    /// Returns the factor, at most 1, by which the offset of a point at distance `norm` from the centre is scaled to
    /// project the point onto the domain.
    fn shrink(&self, norm: f64) -> f64;
}

/// A domain that is a product of intervals: projecting clips each coordinate.
pub trait Separable<F: Float>: Domain<F> {
    /// Returns the length of the interval of coordinate `i`; in the whole space, twice the reach.
    fn width(&self, i: usize) -> F;

    /// Returns the point nearest to `x` in the interval of coordinate `i`.
    fn clip(&self, i: usize, x: F) -> F;
}

/// A domain with a Euclidean projection, at a cost of O(d) or more.
pub trait Project<F: Float>: Domain<F> {
    /// Replaces `x` by the nearest point of the domain. All coordinates must be finite; otherwise the result is
    /// unspecified.
    fn project(&self, x: &mut [F]);
}

/// The whole space R^d as a domain with centre 0. Its reach is an estimate of the distance of the solution, from which
/// learners set their step sizes; iterates may go beyond it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WholeSpace {
    /// Estimated distance of the solution from 0.
    reach: f64,
}

impl WholeSpace {
    /// Creates the whole space as a domain, with the solution expected within distance `reach` of 0 (for per-coordinate
    /// learners: each of its coordinates).
    ///
    /// # Panics
    /// If `reach` is not positive and finite.
    pub fn new(reach: f64) -> Self {
        assert!(reach > 0.0 && reach.is_finite(), "a positive reach");
        Self { reach }
    }
}

impl<F: Float> Domain<F> for WholeSpace {
    fn centre(&self, _: usize) -> F {
        F::default()
    }

    fn reach(&self) -> f64 {
        self.reach
    }

    fn bounded(&self) -> bool {
        false
    }

    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        if (0..dim).all(|i| z(i) == 0.0) { 0.0 } else { f64::INFINITY }
    }
}

impl<F: Float> Radial<F> for WholeSpace {
    fn shrink(&self, _: f64) -> f64 {
        1.0
    }
}

impl<F: Float> Separable<F> for WholeSpace {
    fn width(&self, _: usize) -> F {
        F::of(2.0 * self.reach)
    }

    fn clip(&self, _: usize, x: F) -> F {
        x
    }
}

impl<F: Float> Project<F> for WholeSpace {
    fn project(&self, _: &mut [F]) {}
}

/// A Euclidean ball as a domain, given by its centre and its radius.
///
/// ```
/// use surefoot::{Ball, Domain};
/// let ball = Ball::<f64>::new(2.0);
/// assert_eq!(ball.support(2, |i| [3.0, 4.0][i]), 10.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ball<F> {
    /// Centre of the ball; missing trailing coordinates are 0.
    centre: Vec<F>,
    /// Radius of the ball, positive and finite.
    radius: f64,
}

impl<F: Float> Ball<F> {
    /// Creates the ball of radius `radius` around 0.
    ///
    /// # Panics
    /// If `radius` is not positive and finite.
    pub fn new(radius: f64) -> Self {
        Self::around(Vec::new(), radius)
    }

    /// Creates the ball of radius `radius` around `centre`, whose missing trailing coordinates are taken as 0.
    ///
    /// # Panics
    /// If `radius` is not positive and finite, or a coordinate of the centre is not finite.
    pub fn around(centre: Vec<F>, radius: f64) -> Self {
        assert!(radius > 0.0 && radius.is_finite(), "a positive radius");
        assert!(centre.iter().all(|x| num_traits::Float::is_finite(*x)), "a finite centre");
        Self { centre, radius }
    }
}

impl<F: Float> Domain<F> for Ball<F> {
    fn centre(&self, i: usize) -> F {
        self.centre.get(i).copied().unwrap_or_default()
    }

    fn reach(&self) -> f64 {
        self.radius
    }

    fn bounded(&self) -> bool {
        true
    }

    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        let mut squares = Squares::default();
        let mut inner = 0.0;
        for i in 0..dim {
            squares.add(z(i));
            inner += z(i) * self.centre(i).wide();
        }
        inner + self.radius * squares.root()
    }
}

impl<F: Float> Radial<F> for Ball<F> {
    fn shrink(&self, norm: f64) -> f64 {
        if norm > self.radius { self.radius / norm } else { 1.0 }
    }
}

impl<F: Float> Project<F> for Ball<F> {
    fn project(&self, x: &mut [F]) {
        let mut squares = Squares::default();
        x.iter().enumerate().for_each(|(i, x)| squares.add((*x - self.centre(i)).wide()));
        let factor = F::of(self.shrink(squares.root()));
        if factor == F::one() {
            // A point of the ball stays as it is, to the bit: the detour over the centre would round it.
            return;
        }
        x.iter_mut().enumerate().for_each(|(i, x)| *x = self.centre(i) + (*x - self.centre(i)) * factor);
    }
}

/// A box as a domain: the product of the intervals from `lower[i]` to `upper[i]`, one per coordinate.
///
/// ```
/// use surefoot::{BoxDomain, Domain};
/// let square = BoxDomain::cube(2, 1.0_f64);
/// assert_eq!(square.support(2, |i| [3.0, -4.0][i]), 7.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BoxDomain<F> {
    /// Lower end of the interval of each coordinate.
    lower: Vec<F>,
    /// Upper end of the interval of each coordinate.
    upper: Vec<F>,
}

impl<F: Float> BoxDomain<F> {
    /// Creates the box with the opposite corners `lower` and `upper`.
    ///
    /// # Panics
    /// If the corners have different lengths, or an interval is empty or not finite.
    pub fn new(lower: Vec<F>, upper: Vec<F>) -> Self {
        assert_eq!(lower.len(), upper.len(), "as many lower ends as upper ends");
        let fine = |(l, u): (&F, &F)| l <= u && num_traits::Float::is_finite(*u - *l);
        assert!(lower.iter().zip(&upper).all(fine), "finite intervals");
        Self { lower, upper }
    }

    /// Creates the cube of all points in `dim` dimensions with |x_i| ≤ `half` for every coordinate i.
    ///
    /// # Panics
    /// If `half` is negative or not finite.
    pub fn cube(dim: usize, half: F) -> Self {
        Self::new(vec![-half; dim], vec![half; dim])
    }
}

impl<F: Float> Domain<F> for BoxDomain<F> {
    fn centre(&self, i: usize) -> F {
        self.lower[i] + (self.upper[i] - self.lower[i]) * F::of(0.5)
    }

    fn reach(&self) -> f64 {
        let mut squares = Squares::default();
        (0..self.lower.len()).for_each(|i| squares.add((self.upper[i].wide() - self.lower[i].wide()) / 2.0));
        squares.root()
    }

    fn bounded(&self) -> bool {
        true
    }

    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        (0..dim).map(|i| (z(i) * self.lower[i].wide()).max(z(i) * self.upper[i].wide())).sum()
    }

    fn contains(&self, dim: usize, x: impl Fn(usize) -> f64) -> bool {
        (0..dim).all(|i| {
            let (l, u) = (self.lower[i].wide(), self.upper[i].wide());
            let slack = tolerance::<F>() * (l.abs() + u.abs());
            (l - slack..=u + slack).contains(&x(i))
        })
    }
}

impl<F: Float> Separable<F> for BoxDomain<F> {
    fn width(&self, i: usize) -> F {
        self.upper[i] - self.lower[i]
    }

    fn clip(&self, i: usize, x: F) -> F {
        num_traits::Float::max(num_traits::Float::min(x, self.upper[i]), self.lower[i])
    }
}

impl<F: Float> Project<F> for BoxDomain<F> {
    fn project(&self, x: &mut [F]) {
        x.iter_mut().enumerate().for_each(|(i, x)| *x = self.clip(i, *x));
    }
}
