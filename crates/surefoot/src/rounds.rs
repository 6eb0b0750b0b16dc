//! What every conversion counts: rounds, weights, and gradients that had to be refused.

use crate::memory::count;
use crate::squares::weigh;
use crate::{Float, Memory, Vector, Weights};

/// Whether all gradients could be used. Once a gradient has been refused, the first refusal stays on record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Every gradient so far was used.
    #[default]
    Sound,
    /// A gradient was refused and changed nothing.
    Refused {
        /// The round, counted from 1, for which it was told.
        step: u64,
        /// The coordinate at fault: not finite once weighted, outside the dimension, or too large for the learner's
        /// sums to stay finite. `None` if the fault was the round's weight.
        index: Option<usize>,
    },
}

/// The round counter of a conversion, with its weights, their sum and its [`Status`].
///
/// Everything is `u64` or `f64`: after 10⁹ rounds it is as exact as at the start.
///
/// ```
/// use surefoot::{Linear, Rounds};
/// let mut rounds = Rounds::new(Linear);
/// assert_eq!(rounds.admit(2, &[1.0, f64::NAN], 1e300), None);
/// assert_eq!(rounds.admit(2, &[1.0, 0.0], 1e300), Some(1.0));
/// rounds.close();
/// assert_eq!((rounds.steps(), rounds.total(), rounds.next()), (1, 1.0, 2.0));
/// ```
#[derive(Clone, Debug)]
pub struct Rounds<W> {
    weights: W,
    steps: u64,
    total: f64,
    next: f64,
    /// The sizes of all weighted gradients and hints that were let in, Σ|α_t g_tj|.
    mass: f64,
    status: Status,
}

impl<W: Weights> Rounds<W> {
    /// Before round 1.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(weights: W) -> Self {
        let next = weights.weight(1);
        assert!(next > 0.0 && next.is_finite(), "the first weight is positive and finite");
        Self { weights, steps: 0, total: 0.0, next, mass: 0.0, status: Status::Sound }
    }

    /// The number of rounds closed, t.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A_t = α_1 + … + α_t over the rounds closed.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// α_{t+1}, the weight of the round that is open.
    pub fn next(&self) -> f64 {
        self.next
    }

    /// τ = α_{t+1} / A_{t+1}: the share of the open round's iterate in its average. It is 1 in round 1.
    pub fn share(&self) -> f64 {
        self.next / (self.total + self.next)
    }

    /// α_1 + … + α_steps, from the weights themselves. O(steps).
    pub(crate) fn until(&self, steps: u64) -> f64 {
        (1..=steps).map(|t| self.weights.weight(t)).sum()
    }

    /// See [`Status`].
    pub fn status(&self) -> Status {
        self.status
    }

    /// The weight of the open round, if it is one.
    pub fn open(&self) -> Option<f64> {
        self.is_sound().then_some(self.next)
    }

    /// Whether `hint`, a guess of the open round's gradient, can be used with its weight; `room` as in
    /// [`admit`](Rounds::admit). O(nnz).
    pub fn accepts<F: Float, V: Vector<F> + ?Sized>(&mut self, dim: usize, hint: &V, room: f64) -> bool {
        self.is_sound() && self.count(dim, hint, room).is_none()
    }

    /// The weight with which `gradient` is to be used in the open round; or `None`, and the status says why, and nothing
    /// else changes. O(nnz).
    ///
    /// The sizes of all weighted gradients and hints so far, this one included, must not sum to more than `room`, see
    /// [`Learner::room`](crate::Learner::room).
    pub fn admit<F: Float, V: Vector<F> + ?Sized>(&mut self, dim: usize, gradient: &V, room: f64) -> Option<f64> {
        let sound = self.is_sound();
        let index = if sound { self.count(dim, gradient, room) } else { None };
        if sound && index.is_none() {
            return Some(self.next);
        }
        if self.status == Status::Sound {
            self.status = Status::Refused { step: self.steps + 1, index };
        }
        None
    }

    /// The first coordinate that keeps a vector from being used; if there is none the vector is counted.
    fn count<F: Float, V: Vector<F> + ?Sized>(&mut self, dim: usize, vector: &V, room: f64) -> Option<usize> {
        let (mut mass, mut fault) = (self.mass, None);
        vector.each(|i, x| {
            let x = weigh(self.next, x);
            mass += x.wide().abs();
            let fine = i < dim && num_traits::Float::is_finite(x) && (mass <= room || x == F::zero());
            if !fine && fault.is_none() {
                fault = Some(i);
            }
        });
        self.mass = if fault.is_none() { mass } else { self.mass };
        fault
    }

    /// Whether the open round's weight is one.
    fn is_sound(&self) -> bool {
        self.next >= 0.0 && (self.total + self.next).is_finite()
    }

    /// Closes the open round and opens the next one.
    pub fn close(&mut self) {
        self.skip(1, self.next);
    }

    /// Closes `steps` rounds of total weight `weight` at once.
    pub fn skip(&mut self, steps: u64, weight: f64) {
        self.steps += steps;
        self.total += weight;
        self.next = self.weights.weight(self.steps + 1);
    }

    /// Whether so many rounds of this weight can be closed.
    pub(crate) fn fits(&self, steps: u64, weight: f64) -> bool {
        let countable = self.steps.checked_add(steps).is_some_and(|steps| steps < u64::MAX);
        countable && weight >= 0.0 && (self.total + weight).is_finite()
    }
}

/// All but the [`Status`], which is that of one run.
impl<W: Weights> Memory for Rounds<W> {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        count(&mut self.steps, visit);
        visit(&mut self.total);
        visit(&mut self.mass);
        self.next = self.weights.weight(self.steps + 1);
    }
}
