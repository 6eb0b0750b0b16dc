//! Optimistic proximal follow-the-regularised-leader with one learning rate per coordinate, in a box.

use super::proximal::{growth, pulled_room};
use super::{Hinted, Lazy, LazyHinted, Learner, inner, nearby, span};
use crate::squares::weigh;
use crate::{Float, Separable, Squares, Vector};

/// [`Proximal`](crate::Proximal) applied to each coordinate separately: the optimistic form of
/// [`AdaGrad`](crate::AdaGrad).
///
/// *Update*, per coordinate j with interval width B_j: w_j = clip((Σσ_i w_{i,j} − Z_j − h_j)/s), with Z_j the sum of
/// weighted gradients G_j, h_j the hint (a prediction of G_j), V_j the sum of squared hint errors, s = √(2V_j)/B_j, and
/// σ_i the increase of s in round i. The initial iterate is the centre of the box.
///
/// *Guarantee*: in a box, the regret R_T(u) is at most Σ_j B_j·√(2V_{T,j}) with V_j = Σ (G_j − h_j)², however the
/// coordinates are scaled. There is no guarantee in the whole space.
///
/// *Cost*: O(nnz) per step, counting the nonzeros of gradient and hint.
///
/// ```
/// use surefoot::{BoxDomain, DiagonalProximal, Hinted, Learner};
/// let mut learner = DiagonalProximal::<f64, _>::new(2, BoxDomain::cube(2, 1.0));
/// learner.hint(1.0, &[0.5, 0.0]);
/// learner.tell(1.0, &[0.5, 4.0]);
/// assert_eq!([learner.at(0), learner.at(1)], [-1.0, -1.0]); // −0.5 was foreseen; −2·4/√(2·4²) is cut to −1
/// assert_eq!(learner.regret_bound(), Some(2.0 * 32_f64.sqrt()));
/// ```
///
/// Source: Mohri and Yang (2016), per coordinate.
#[derive(Clone, Debug)]
pub struct DiagonalProximal<F, D> {
    /// The domain that contains all iterates, a box.
    domain: D,
    /// State of the one-dimensional learner of each coordinate.
    coordinates: Vec<Coordinate<F>>,
    /// Indices of the coordinates for which the hint, a prediction of the current round's gradient, is nonzero.
    hinted: Vec<usize>,
    /// Largest sum of absolute values of all weighted gradient entries of the run for which no number of the state
    /// overflows; returned by [`Learner::magnitude_budget`].
    magnitude_budget: f64,
}

/// State of the one-dimensional learner of a coordinate whose interval has width B.
#[derive(Clone, Copy, Debug)]
struct Coordinate<F> {
    /// B·(Σσ_i w_i − Z), for the interval width B, past iterates w_i, the strengths σ_i of the regularisers centred at
    /// them, and the sum Z of weighted gradients. Divided by B and the total strength, this is the unclipped iterate
    /// without a hint.
    pull: f64,
    /// V, the sum of squared hint errors (weighted gradient minus its prediction, the hint).
    errors: Squares,
    /// Prediction (hint) of the current round's gradient times the round's weight; 0 without a hint.
    hint: F,
    /// The current iterate w_j of this coordinate.
    iterate: F,
}

impl<F: Float, D: Separable<F>> DiagonalProximal<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`. Later calls do not
    /// allocate.
    pub fn new(dim: usize, domain: D) -> Self {
        let rest = |i| Coordinate { pull: 0.0, errors: Squares::default(), hint: F::zero(), iterate: domain.centre(i) };
        let coordinates = (0..dim).map(rest).collect();
        let magnitude_budget = pulled_room(&domain, dim);
        Self { domain, coordinates, hinted: Vec::with_capacity(dim), magnitude_budget }
    }

    /// Sets coordinate `i` of the iterate to the minimiser, over its interval, of the past losses plus the hint and the
    /// regularisers.
    fn play(&mut self, i: usize) {
        let (width, one) = (self.domain.width(i).wide(), &mut self.coordinates[i]);
        let (force, root) = (one.pull - width * one.hint.wide(), one.errors.root_of(2.0));
        let free = if root > 0.0 {
            force / root
        } else if force != 0.0 {
            self.domain.centre(i).wide() + 0.5 * width.copysign(force)
        } else {
            self.domain.centre(i).wide()
        };
        one.iterate = self.domain.clip(i, F::of(free.clamp(-span::<F>(), span::<F>())));
    }

    /// Adds the weighted `gradient` of coordinate `i` to its sums, discards its hint, and recomputes the coordinate of
    /// the iterate.
    fn step(&mut self, i: usize, gradient: f64) {
        let (width, one) = (self.domain.width(i).wide(), &mut self.coordinates[i]);
        let (error, old) = (gradient - one.hint.wide(), one.errors.root_of(2.0));
        one.errors.add(error);
        let grown = growth(old, one.errors.root_of(2.0), error);
        one.pull += grown * one.iterate.wide() - width * gradient;
        one.hint = F::zero();
        self.play(i);
    }
}

impl<F: Float, D: Separable<F>> Learner<F> for DiagonalProximal<F, D> {
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
        let one = |(i, one): (usize, &Coordinate<F>)| self.domain.width(i).wide() * one.errors.root_of(2.0);
        self.domain.bounded().then(|| self.coordinates.iter().enumerate().map(one).sum())
    }

    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        nearby(self.regret_bound(), inner(&self.domain, self.coordinates.len()), distance)
    }
}

impl<F: Float, D: Separable<F>> Lazy<F> for DiagonalProximal<F, D> {
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
            if g != 0.0 || self.coordinates[i].hint != F::zero() {
                moved(i, self.direction(i));
                self.step(i, g);
            }
        });
        // Updates hinted coordinates without a gradient, whose gradient is 0.
        while let Some(i) = self.hinted.pop() {
            if self.coordinates[i].hint != F::zero() {
                moved(i, self.direction(i));
                self.step(i, 0.0);
            }
        }
    }
}

impl<F: Float, D: Separable<F>> Hinted<F> for DiagonalProximal<F, D> {
    fn hint<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.hint_moved(weight, hint, |_, _| {});
    }
}

impl<F: Float, D: Separable<F>> LazyHinted<F> for DiagonalProximal<F, D> {
    fn hint_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V, mut moved: impl FnMut(usize, f64)) {
        hint.each(|i, h| {
            moved(i, self.direction(i));
            self.coordinates[i].hint = weigh(weight, h);
            self.hinted.push(i);
            self.play(i);
        });
    }
}
