//! The round counter of a conversion: counts rounds, sums weights, and refuses unusable gradients.

use crate::memory::{count, lengthen};
use crate::squares::weigh;
use crate::{Float, Grow, Memory, Vector, Weights};

/// Number of bits per word of the bit set `seen` in [`Rounds`].
const BITS: usize = u64::BITS as usize;

/// The state of a run: all gradients used, a gradient refused, or all used but the theorem's bound vacuous. Once a
/// gradient has been refused, the status keeps the first refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Every gradient so far could be used.
    #[default]
    Sound,
    /// A gradient was refused; the refusal changed this status and nothing else.
    Refused {
        /// The number of the round whose gradient was refused, counted from 1.
        step: u64,
        /// The coordinate at fault: not finite after weighting, outside of the dimension, given twice, or too large for
        /// the learner's sums to stay finite. `None` if the fault was the weight of the round.
        index: Option<usize>,
    },
    /// Every gradient was used, but the theorem on strong convexity guarantees less for the output than a single
    /// gradient did for the first point, L − L* ≤ ‖g‖²/(2μ), so its bound is meaningless. This happens with Algorithm 2
    /// in the whole space ([`StronglyConvex`](crate::StronglyConvex), and [`General`](crate::General) over
    /// [`Leader`](crate::Leader)) while steps of 1/μ are much too long for the loss. The status may return to
    /// [`Sound`](Status::Sound) later; the remedy is a ball, see [`StronglyConvex`](crate::StronglyConvex).
    Strayed,
}

/// The round counter of a conversion (an algorithm that turns an online learner into an optimiser): number of rounds,
/// weights of rounds, their sum, and the [`Status`] of the run.
///
/// All numbers are `u64` or `f64`: after 10⁹ rounds they are as exact as at the start.
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
    /// Weight α_t of each round, as a function of the round number t.
    weights: W,
    /// Number t of completed rounds.
    steps: u64,
    /// Sum A_t of the weights of completed rounds.
    total: f64,
    /// Weight α_{t+1} of the current round, the one after the completed rounds.
    next: f64,
    /// Sum of the absolute values of all entries of the gradients and hints accepted so far, times the weights of their
    /// rounds.
    mass: f64,
    /// Whether all gradients so far were usable; otherwise the round and the coordinate of the first refused one.
    status: Status,
    /// Bit set with one bit per coordinate, used as scratch space to find repeated indices in a vector; all bits are 0
    /// between checks.
    seen: Vec<u64>,
}

impl<W: Weights> Rounds<W> {
    /// Creates the counter of a run before round 1.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(weights: W) -> Self {
        let next = weights.weight(1);
        assert!(next > 0.0 && next.is_finite(), "the first weight is positive and finite");
        Self { weights, steps: 0, total: 0.0, next, mass: 0.0, status: Status::Sound, seen: Vec::new() }
    }

    /// Creates the counter of a run before round 1, with memory allocated for vectors of `dim` coordinates;
    /// [`new`](Rounds::new) allocates it when it is first needed.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn over(weights: W, dim: usize) -> Self {
        let mut rounds = Self::new(weights);
        rounds.grow(dim);
        rounds
    }

    /// Returns the number t of completed rounds.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns A_t = α_1 + … + α_t, the sum of the weights of completed rounds.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Returns α_{t+1}, the weight of the current round, which follows the t completed rounds.
    pub fn next(&self) -> f64 {
        self.next
    }

    /// Returns τ = α_{t+1} / A_{t+1}, the share of the current round's iterate in the weighted average of iterates; 1
    /// in round 1.
    pub fn share(&self) -> f64 {
        self.next / (self.total + self.next)
    }

    /// Computes the sum of the weights of the first `steps` rounds, from the weight function. O(`steps`).
    pub(crate) fn until(&self, steps: u64) -> f64 {
        (1..=steps).map(|t| self.weights.weight(t)).sum()
    }

    /// Returns the [`Status`] of the run: whether all gradients so far were usable, and otherwise the round and the
    /// coordinate of the first refused one.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the weight of the current round, or `None` if it is negative or would make the sum of weights infinite
    /// or NaN.
    pub fn open(&self) -> Option<f64> {
        self.is_sound().then_some(self.next)
    }

    /// Whether `hint`, a prediction of the current round's gradient, has `dim` dimensions and entries that are usable
    /// after multiplication by the round's weight; `magnitude_budget` is as in [`admit`](Rounds::admit). O(nnz).
    pub fn accepts<F: Float, V: Vector<F> + ?Sized>(&mut self, dim: usize, hint: &V, magnitude_budget: f64) -> bool {
        self.is_sound() && self.count(dim, hint, magnitude_budget).is_none()
    }

    /// Returns the weight with which `gradient` is to be used in the current round. Returns `None` if the gradient is
    /// refused; then the status records the reason, and nothing else changes. O(nnz).
    ///
    /// The absolute values of all entries of weighted gradients and hints so far, including this gradient, must sum to
    /// at most `magnitude_budget`; see [`Learner::magnitude_budget`](crate::Learner::magnitude_budget).
    pub fn admit<F: Float, V: Vector<F> + ?Sized>(
        &mut self,
        dim: usize,
        gradient: &V,
        magnitude_budget: f64,
    ) -> Option<f64> {
        let sound = self.is_sound();
        let index = if sound { self.count(dim, gradient, magnitude_budget) } else { None };
        if sound && index.is_none() {
            return Some(self.next);
        }
        if self.status == Status::Sound {
            self.status = Status::Refused { step: self.steps.saturating_add(1), index };
        }
        None
    }

    /// Returns the index of the first entry that makes `vector` unusable: not finite after weighting, outside of the
    /// dimension, repeated, or over the budget. If there is none, returns `None` and adds the absolute values of the
    /// weighted entries to `mass`.
    fn count<F: Float, V: Vector<F> + ?Sized>(
        &mut self,
        dim: usize,
        vector: &V,
        magnitude_budget: f64,
    ) -> Option<usize> {
        let (mut mass, mut fault) = (self.mass, None);
        vector.each(|i, x| {
            let x = weigh(self.next, x);
            mass += x.wide().abs();
            let fine = i < dim && num_traits::Float::is_finite(x) && (mass <= magnitude_budget || x == F::zero());
            if !fine && fault.is_none() {
                fault = Some(i);
            }
        });
        let fault = fault.or_else(|| self.twice(dim, vector));
        self.mass = if fault.is_none() { mass } else { self.mass };
        fault
    }

    /// Returns an index that occurs twice in `vector`, or `None` if all indices are distinct.
    fn twice<F: Float, V: Vector<F> + ?Sized>(&mut self, dim: usize, vector: &V) -> Option<usize> {
        let (mut least, mut rising, mut twice) = (0, true, None);
        vector.each(|i, _| {
            rising &= i >= least;
            least = i.saturating_add(1);
        });
        if rising {
            return None;
        }
        self.grow(dim);
        vector.each(|i, _| {
            if let Some(bits) = self.seen.get_mut(i / BITS) {
                let bit = 1 << (i % BITS);
                twice = twice.or((*bits & bit != 0).then_some(i));
                *bits |= bit;
            }
        });
        vector.each(|i, _| self.seen.get_mut(i / BITS).map_or((), |bits| *bits = 0));
        twice
    }

    /// Whether the weight of the current round is valid: not negative, and with a finite sum of weights including it.
    fn is_sound(&self) -> bool {
        self.next >= 0.0 && (self.total + self.next).is_finite()
    }

    /// Completes the current round, adding its weight to the sum of weights, and begins the next one.
    pub fn close(&mut self) {
        self.skip(1, self.next);
    }

    /// Completes `steps` rounds of total weight `weight` at once. If `weight` is negative or not finite, later
    /// gradients are refused, and the status reports the first refusal.
    pub fn skip(&mut self, steps: u64, weight: f64) {
        self.steps = self.steps.saturating_add(steps);
        self.total += weight;
        self.next = self.weights.weight(self.steps.saturating_add(1));
    }

    /// Whether `steps` more rounds of total weight `weight` can be completed: `weight` is not negative, and neither the
    /// round counter nor the sum of weights overflows.
    pub(crate) fn fits(&self, steps: u64, weight: f64) -> bool {
        let countable = self.steps.checked_add(steps).is_some_and(|steps| steps < u64::MAX);
        countable && weight >= 0.0 && (self.total + weight).is_finite()
    }
}

impl<W> Grow for Rounds<W> {
    fn grow(&mut self, dim: usize) {
        lengthen(&mut self.seen, dim.div_ceil(BITS));
    }
}

/// Saves the counter and the sums but not the [`Status`], which describes one uninterrupted run.
impl<W: Weights> Memory for Rounds<W> {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        count(&mut self.steps, visit);
        visit(&mut self.total);
        visit(&mut self.mass);
        self.next = self.weights.weight(self.steps + 1);
    }
}
