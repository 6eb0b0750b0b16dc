//! What every conversion counts: rounds, weights, and gradients that had to be refused.

use crate::memory::{count, lengthen};
use crate::squares::weigh;
use crate::{Float, Grow, Memory, Vector, Weights};

/// Those of a word.
const BITS: usize = u64::BITS as usize;

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
        /// The coordinate at fault: not finite once weighted, outside the dimension, given twice, or too large for the
        /// learner's sums to stay finite. `None` if the fault was the round's weight.
        index: Option<usize>,
    },
    /// Every gradient was used, but the theorem promises less of the output than one gradient did of the first point,
    /// L − L* ≤ ‖g‖²/(2μ): the run is outside of the range where its bound means anything. So it is with Algorithm 2 in the
    /// whole space, [`StronglyConvex`](crate::StronglyConvex) and [`General`](crate::General) over [`Leader`](crate::Leader), for as long
    /// as steps of 1/μ are much too long for the loss. A ball is the remedy, see there. It may pass.
    Strayed,
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
    /// A bit a coordinate, all 0 but while a vector is looked through.
    seen: Vec<u64>,
}

impl<W: Weights> Rounds<W> {
    /// Before round 1.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(weights: W) -> Self {
        let next = weights.weight(1);
        assert!(next > 0.0 && next.is_finite(), "the first weight is positive and finite");
        Self { weights, steps: 0, total: 0.0, next, mass: 0.0, status: Status::Sound, seen: Vec::new() }
    }

    /// The same, with all that vectors of `dim` coordinates will need: else it is allocated when it is needed.
    ///
    /// # Panics
    /// As [`new`](Rounds::new).
    pub fn over(weights: W, dim: usize) -> Self {
        let mut rounds = Self::new(weights);
        rounds.grow(dim);
        rounds
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
            self.status = Status::Refused { step: self.steps.saturating_add(1), index };
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
        let fault = fault.or_else(|| self.twice(dim, vector));
        self.mass = if fault.is_none() { mass } else { self.mass };
        fault
    }

    /// An index that comes twice.
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

    /// Whether the open round's weight is one.
    fn is_sound(&self) -> bool {
        self.next >= 0.0 && (self.total + self.next).is_finite()
    }

    /// Closes the open round and opens the next one.
    pub fn close(&mut self) {
        self.skip(1, self.next);
    }

    /// Closes `steps` rounds of total weight `weight` at once. If that is not a finite number ≥ 0, no gradient can be used
    /// any more, and the status says so.
    pub fn skip(&mut self, steps: u64, weight: f64) {
        self.steps = self.steps.saturating_add(steps);
        self.total += weight;
        self.next = self.weights.weight(self.steps.saturating_add(1));
    }

    /// Whether so many rounds of this weight can be closed.
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

/// All but the [`Status`], which is that of one run.
impl<W: Weights> Memory for Rounds<W> {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        count(&mut self.steps, visit);
        visit(&mut self.total);
        visit(&mut self.mass);
        self.next = self.weights.weight(self.steps + 1);
    }
}
