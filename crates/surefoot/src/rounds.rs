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
        /// The coordinate at fault: not finite once weighted, or outside the dimension. `None` if the fault was the
        /// round's weight.
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
/// assert_eq!(rounds.admit(2, &[1.0, f64::NAN]), None);
/// assert_eq!(rounds.admit(2, &[1.0, 0.0]), Some(1.0));
/// rounds.close();
/// assert_eq!((rounds.steps(), rounds.total(), rounds.next()), (1, 1.0, 2.0));
/// ```
#[derive(Clone, Debug)]
pub struct Rounds<W> {
    weights: W,
    steps: u64,
    total: f64,
    next: f64,
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
        Self { weights, steps: 0, total: 0.0, next, status: Status::Sound }
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

    /// Whether `hint`, a guess of the open round's gradient, can be used with its weight. O(nnz).
    pub fn accepts<F: Float, V: Vector<F> + ?Sized>(&self, dim: usize, hint: &V) -> bool {
        self.is_sound() && fault(dim, self.next, hint).is_none()
    }

    /// The weight with which `gradient` is to be used in the open round; or `None`, and the status says why.
    /// O(nnz). Nothing but the status changes.
    pub fn admit<F: Float, V: Vector<F> + ?Sized>(&mut self, dim: usize, gradient: &V) -> Option<f64> {
        let sound = self.is_sound();
        let index = if sound { fault(dim, self.next, gradient) } else { None };
        if sound && index.is_none() {
            return Some(self.next);
        }
        if self.status == Status::Sound {
            self.status = Status::Refused { step: self.steps + 1, index };
        }
        None
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
}

/// All but the [`Status`], which is that of one run.
impl<W: Weights> Memory for Rounds<W> {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        count(&mut self.steps, visit);
        visit(&mut self.total);
        self.next = self.weights.weight(self.steps + 1);
    }
}

/// The first coordinate that keeps a gradient from being used.
fn fault<F: Float, V: Vector<F> + ?Sized>(dim: usize, weight: f64, gradient: &V) -> Option<usize> {
    let mut fault = None;
    gradient.each(|i, x| {
        let fine = i < dim && num_traits::Float::is_finite(weigh(weight, x));
        if !fine && fault.is_none() {
            fault = Some(i);
        }
    });
    fault
}
