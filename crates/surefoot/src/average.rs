//! The running average of a vector that rests at most coordinates in most rounds.

use crate::memory::lengthen;
use crate::{Grow, Memory, kernel};

/// How many times the sum of weights may be what the latest weights alone would have made it.
const STALE: f64 = 32.0;

/// A weighted running average, exact, at a cost that depends only on the coordinates that move.
///
/// It holds, for each coordinate, the average `m_j` as of the last touch and the sum of weights `P_j` at that time.
/// While the coordinate rests at `u`, its average is `u + (m_j − u)·P_j/P`: a convex combination, so nothing cancels
/// however long the rest. The only contract is that [`touch`](Average::touch) is called with the
/// old value before a coordinate moves.
///
/// All of it is `f64`, whatever type the vector has: in `f32` a coordinate that is touched in every round would stop
/// following after some 10⁷ rounds, when a round's share falls below the last digit. Where weights fall by many orders
/// of magnitude over a run, their sum has no room for the digits of the late ones: [`rebase`](Average::rebase) makes it,
/// and has to come before they are added.
///
/// ```
/// use surefoot::Average;
/// let mut average = Average::new(1);
/// average.advance(1.0);       // the vector is (5) for a weight of 1,
/// average.touch(0, 5.0);
/// average.advance(2.0);       // then (2) for a weight of 2 …
/// average.advance(1.0);       // … and 1 more
/// assert_eq!(average.at(0, 2.0), (5.0 + 3.0 * 2.0) / 4.0);
/// ```
#[derive(Clone, Debug)]
pub struct Average {
    mean: Vec<f64>,
    mark: Vec<f64>,
    mass: f64,
}

impl Average {
    /// An average over nothing yet. The only allocation.
    pub fn new(dim: usize) -> Self {
        Self { mean: vec![0.0; dim], mark: vec![0.0; dim], mass: 0.0 }
    }

    /// The sum of weights P.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// The vector, as it stands, counts for `weight` more, a finite number ≥ 0: none else is looked for. O(1).
    pub fn advance(&mut self, weight: f64) {
        self.mass += weight;
    }

    /// Coordinate `i` is about to leave `value`. A second call before the next [`advance`](Average::advance) changes
    /// nothing. O(1).
    ///
    /// # Panics
    /// If there is no such coordinate.
    #[inline]
    pub fn touch(&mut self, i: usize, value: f64) {
        self.mean[i] = self.at(i, value);
        self.mark[i] = self.mass;
    }

    /// The average of coordinate `i`, which has been at `value` since the last touch. O(1).
    ///
    /// # Panics
    /// If there is no such coordinate.
    #[inline]
    pub fn at(&self, i: usize, value: f64) -> f64 {
        if self.mark[i] == self.mass {
            return self.mean[i];
        }
        let added = (self.mass - self.mark[i]) / self.mass;
        kernel::blend(self.mean[i], value, self.mark[i] / self.mass, added)
    }

    /// Whether to [`rebase`](Average::rebase) before the next [`advance`](Average::advance), where all weights as small as
    /// the one to come would have summed to `fresh`.
    pub fn is_stale(&self, fresh: f64) -> bool {
        fresh > 0.0 && self.mass > STALE * fresh
    }

    /// Brings every coordinate up to date and makes the sum of weights `mass`, with averages scaled so that their
    /// product with it stays the same. O(d).
    ///
    /// Nothing changes where an average would leave the range of numbers: then the weights to come are too small to be
    /// seen beside it.
    pub fn rebase(&mut self, mass: f64, value: impl Fn(usize) -> f64) {
        // In this order: the product is bounded, the ratio of the sums need not be.
        let renewed = |this: &Self, i: usize| this.at(i, value(i)) * this.mass / mass;
        if !(0..self.mean.len()).all(|i| renewed(self, i).is_finite()) {
            return;
        }
        for i in 0..self.mean.len() {
            self.mean[i] = renewed(self, i);
            self.mark[i] = mass;
        }
        self.mass = mass;
    }
}

impl Grow for Average {
    fn grow(&mut self, dim: usize) {
        // The mark 0 says that a coordinate has rested since the start.
        lengthen(&mut self.mean, dim);
        lengthen(&mut self.mark, dim);
    }
}

impl Memory for Average {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        visit(&mut self.mass);
    }

    fn each_array(&mut self, visit: &mut dyn FnMut(&'static str, &mut Vec<f64>)) {
        visit("average", &mut self.mean);
        visit("average_weight", &mut self.mark);
    }
}
