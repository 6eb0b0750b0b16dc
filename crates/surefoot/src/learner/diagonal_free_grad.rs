//! FreeGrad applied to each coordinate separately.

use super::potential::{Potential, furthest, wealth};
use super::{Lazy, Learner, room_within, span};
use crate::squares::weigh;
use crate::{Float, Separable, Vector};

/// [`FreeGrad`](crate::FreeGrad) applied to each coordinate separately. It needs no radius, no bound on gradients, and
/// no scaling of coordinates.
///
/// *Update*, per coordinate: that of FreeGrad in one dimension, clipped to the interval of the coordinate, whose half
/// width is the initial wealth ε_j. In the whole space ε_j is the reach, a guess of the size of the solution's
/// coordinates.
///
/// *Guarantee*: the regret R_T(u) is at most the sum over coordinates j of FreeGrad's bound in one dimension at
/// distance |u_j − centre_j|. So a coordinate with few nonzero gradients, or with u_j at the centre, adds little: ε_j
/// times its first nonzero gradient, plus a term that depends on its own gradients only.
///
/// *Cost*: O(nnz) per step, with one exponential and one logarithm per nonzero.
///
/// ```
/// use surefoot::{DiagonalFreeGrad, Learner, WholeSpace};
/// let mut learner = DiagonalFreeGrad::<f64, _>::new(2, WholeSpace::new(1.0));
/// for _ in 0..40 {
///     learner.tell(1.0, &[-1e-9, 0.0]);
/// }
/// assert!(learner.at(0) > 100.0 && learner.at(1) == 0.0); // nothing holds it back, it goes fast
/// ```
///
/// Source: Mhammedi and Koolen (2020), one dimension; copies per coordinate as in Orabona and Pál (2016).
#[derive(Clone, Debug)]
pub struct DiagonalFreeGrad<F, D> {
    /// The domain that contains all iterates: a box or the whole space.
    domain: D,
    /// The state of the one-dimensional FreeGrad learner of each coordinate.
    coordinates: Vec<Coordinate<F>>,
    /// Part of the regret bound due to clipping that does not depend on the comparator u: Σ(|G| − h)₊·|w_j − centre_j|
    /// over rounds and coordinates, for weighted gradients G clipped to the largest size h seen before.
    lost: f64,
    /// Largest sum of absolute values of all weighted gradient entries of the run for which no number of the state
    /// overflows; returned by [`Learner::magnitude_budget`].
    magnitude_budget: f64,
}

/// The state of the one-dimensional FreeGrad learner of one coordinate.
#[derive(Clone, Copy, Debug)]
struct Coordinate<F> {
    /// Z, the sum of this coordinate's weighted gradients after clipping.
    sum: f64,
    /// Sum of squared weighted gradients after clipping, divided by the square of `largest`.
    squares: f64,
    /// Absolute value of the first nonzero weighted gradient, h_1; 0 before there is one.
    first: f64,
    /// Largest absolute value of a weighted gradient so far, h.
    largest: f64,
    /// Sum over rounds of the clipped-off parts of this coordinate's weighted gradients G, Σ(|G| − h)₊ for the largest
    /// size h seen before.
    cut: f64,
    /// The current iterate w_j of this coordinate.
    iterate: F,
}

impl<F: Float> Coordinate<F> {
    fn potential(&self, wealth: f64) -> Potential {
        Potential { wealth, first: self.first, largest: self.largest, spread: (1.0 + self.squares).sqrt() }
    }

    /// Clips the weighted, nonzero `gradient` to the largest size seen before and adds it to the sums; returns the size
    /// of the clipped-off part, 0 if none.
    fn count(&mut self, gradient: f64) -> f64 {
        let size = gradient.abs();
        if self.first == 0.0 {
            (self.first, self.largest) = (size, size);
        }
        let kept = size.min(self.largest);
        self.sum += kept.copysign(gradient);
        self.cut += size - kept;
        let (share, ratio) = (kept / self.largest, self.largest / size.max(self.largest));
        self.squares = (self.squares + share * share) * ratio * ratio;
        self.largest = size.max(self.largest);
        size - kept
    }
}

impl<F: Float, D: Separable<F>> DiagonalFreeGrad<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`. Later calls do not
    /// allocate.
    pub fn new(dim: usize, domain: D) -> Self {
        let rest = |i| {
            let iterate = domain.centre(i);
            Coordinate { sum: 0.0, squares: 0.0, first: 0.0, largest: 0.0, cut: 0.0, iterate }
        };
        let coordinates = (0..dim).map(rest).collect();
        let magnitude_budget = room_within::<F>(domain.reach());
        Self { domain, coordinates, lost: 0.0, magnitude_budget }
    }

    /// Adds the weighted, nonzero `gradient` of coordinate `i` to its sums, and recomputes the coordinate of the
    /// iterate.
    fn step(&mut self, i: usize, gradient: f64) {
        let (wealth, centre) = (wealth(&self.domain, i), self.domain.centre(i).wide());
        let one = &mut self.coordinates[i];
        let away = one.iterate.wide() - centre;
        self.lost += one.count(gradient) * away.abs();
        let m = one.sum / one.largest;
        let free = centre - m * one.potential(wealth).bet(m.abs());
        one.iterate = self.domain.clip(i, F::of(free.clamp(-span::<F>(), span::<F>())));
    }
}

impl<F: Float, D: Separable<F>> DiagonalFreeGrad<F, D> {
    /// Returns the total regret bound against comparators whose coordinate i is within `distance(i)` of the centre, for
    /// each i.
    fn total(&self, distance: impl Fn(usize) -> f64) -> f64 {
        let regret = |(i, one): (usize, &Coordinate<F>)| {
            one.potential(wealth(&self.domain, i)).regret(distance(i)) + one.cut * distance(i)
        };
        let seen = self.coordinates.iter().enumerate().filter(|(_, one)| one.first > 0.0);
        self.lost + seen.map(regret).sum::<f64>()
    }
}

impl<F: Float, D: Separable<F>> Learner<F> for DiagonalFreeGrad<F, D> {
    fn dim(&self) -> usize {
        self.coordinates.len()
    }

    fn at(&self, i: usize) -> F {
        self.coordinates[i].iterate
    }

    fn magnitude_budget(&self, _: f64) -> f64 {
        self.magnitude_budget
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }

    fn regret_bound(&self) -> Option<f64> {
        self.domain.bounded().then(|| self.total(|i| furthest(&self.domain, i)))
    }

    /// Returns the regret bound against comparators each of whose coordinates is within `distance` of the centre.
    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        let near = (0..self.coordinates.len()).all(|i| distance <= furthest(&self.domain, i));
        near.then(|| self.total(|_| distance))
    }
}

impl<F: Float, D: Separable<F>> Lazy<F> for DiagonalFreeGrad<F, D> {
    fn centre(&self, _: usize) -> F {
        F::zero()
    }

    fn scale(&self) -> f64 {
        1.0
    }

    fn direction(&self, i: usize) -> f64 {
        self.coordinates[i].iterate.wide()
    }

    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, mut moved: impl FnMut(usize, f64)) {
        gradient.each(|i, g| {
            let g = weigh(weight, g).wide();
            if g != 0.0 {
                moved(i, self.direction(i));
                self.step(i, g);
            }
        });
    }
}
