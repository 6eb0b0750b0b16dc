//! A learner for the whole space, as the product of a one-dimensional learner (magnitude) and a unit-ball learner
//! (direction).

use super::{Lazy, Learner};
use crate::{Float, Vector};

/// A learner with iterate w = max(s, 0)·y, where a one-dimensional learner chooses the magnitude s and a learner on a
/// unit ball the direction y.
///
/// *Update*: the direction learner receives the gradient g, and the magnitude learner the slope ⟨g, y⟩, except where s
/// < 0 and the slope would decrease s further (the constraint reduction to s ≥ 0). The domain of the direction is a
/// unit ball around 0 of any norm.
///
/// *Guarantee*: the regret R_T(u) is at most R_1d(‖u‖) + ‖u‖·R_ball(u/‖u‖), the regrets of the magnitude and the
/// direction learner, with the norm of that ball. So a parameter-free magnitude learner gives a parameter-free learner
/// in any norm. If the magnitude learner's domain is bounded, there is no guarantee against larger u; see
/// [`regret_bound_at`](Learner::regret_bound_at). For the Euclidean norm, [`FreeGrad`](crate::FreeGrad) is a single
/// learner with such a guarantee.
///
/// *Cost*: that of both learners; O(nnz) for a [`Lazy`] direction.
///
/// ```
/// use surefoot::{FreeGrad, Learner, Magnitude, SignedHedge, WholeSpace};
/// // No radius, with the L1 norm of the solution in the bound.
/// let magnitude = FreeGrad::<f64, _>::new(1, WholeSpace::new(1.0));
/// let mut learner = Magnitude::new(magnitude, SignedHedge::<f64>::new(50, 1.0));
/// for _ in 0..100 {
///     let slope = (learner.at(7) - 5.0).signum();
///     let mut gradient = [0.0; 50];
///     gradient[7] = slope;
///     learner.tell(1.0, &gradient);
/// }
/// assert!((learner.at(7) - 5.0).abs() < 2.0);
/// ```
///
/// Source: Cutkosky and Orabona (2018), Theorem 2.
#[derive(Clone, Debug)]
pub struct Magnitude<S, Y> {
    /// The one-dimensional learner of the magnitude s.
    magnitude: S,
    /// The learner of the direction y, whose domain is a unit ball around 0 in some norm.
    direction: Y,
    /// Initial value of the magnitude s; the magnitude learner's regret bounds depend on the distance from it.
    start: f64,
}

impl<S: Learner<f64>, Y> Magnitude<S, Y> {
    /// Combines a one-dimensional learner for the magnitude and a learner for the direction, whose domain must be a
    /// unit ball around 0 in some norm.
    ///
    /// # Panics
    /// If `magnitude` does not have exactly one dimension.
    pub fn new(magnitude: S, direction: Y) -> Self {
        assert_eq!(magnitude.dim(), 1, "a magnitude is one number");
        let start = magnitude.at(0);
        Self { magnitude, direction, start }
    }

    /// Returns max(s, 0), the factor by which the direction is multiplied, for the magnitude s.
    fn size(&self) -> f64 {
        self.magnitude.at(0).max(0.0)
    }

    /// Passes `slope`, the derivative of the loss in the magnitude, to the magnitude learner, unless that would
    /// decrease an already negative magnitude.
    fn stretch(&mut self, weight: f64, slope: f64) {
        if self.magnitude.at(0) >= 0.0 || slope < 0.0 {
            self.magnitude.tell(weight, &[slope]);
        }
    }
}

/// Returns the inner product ⟨g, y⟩ of the gradient g and the iterate y of the learner `direction`: the derivative of
/// the loss in the magnitude.
fn slope<F: Float, V: Vector<F> + ?Sized>(gradient: &V, direction: &impl Learner<F>) -> f64 {
    let mut sum = 0.0;
    gradient.each(|i, g| sum += g.wide() * direction.at(i).wide());
    sum
}

impl<F: Float, S: Learner<f64>, Y: Learner<F>> Learner<F> for Magnitude<S, Y> {
    fn dim(&self) -> usize {
        self.direction.dim()
    }

    fn at(&self, i: usize) -> F {
        F::of(self.size() * self.direction.at(i).wide())
    }

    fn open(&mut self, weight: f64) {
        self.magnitude.open(weight);
        self.direction.open(weight);
    }

    /// Returns the smaller budget (limit on the sum of absolute gradient entries) of the two learners. It also holds
    /// for the gradients of the magnitude learner, which are inner products of gradients and points of a unit ball.
    fn magnitude_budget(&self, weight: f64) -> f64 {
        self.magnitude.magnitude_budget(weight).min(self.direction.magnitude_budget(weight))
    }

    fn is_stationary(&self) -> bool {
        self.magnitude.is_stationary() && self.direction.is_stationary()
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.stretch(weight, slope(gradient, &self.direction));
        self.direction.tell(weight, gradient);
    }

    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        // The best magnitude for a point is its norm, which may be any number from 0 to `distance`.
        let far = self.start.abs().max(distance - self.start);
        Some(self.magnitude.regret_bound_at(far)? + distance * self.direction.regret_bound()?)
    }
}

impl<F: Float, S: Learner<f64>, Y: Lazy<F>> Lazy<F> for Magnitude<S, Y> {
    fn centre(&self, i: usize) -> F {
        self.direction.centre(i)
    }

    fn scale(&self) -> f64 {
        self.size() * self.direction.scale()
    }

    fn direction(&self, i: usize) -> f64 {
        self.direction.direction(i)
    }

    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, moved: impl FnMut(usize, f64)) {
        self.stretch(weight, slope(gradient, &self.direction));
        self.direction.tell_moved(weight, gradient, moved);
    }
}
