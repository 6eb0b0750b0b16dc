//! The weighted running average of a vector of which few coordinates change per round.

use crate::memory::lengthen;
use crate::{Grow, Memory, kernel};

/// Largest ratio of the sum of weights to the sum that it would be if every weight were as small as the next one; above
/// it, [`Average::is_stale`] asks for a [`Average::rebase`].
const STALE: f64 = 32.0;

/// The exact weighted running average of a vector, updated at a cost proportional to the number of coordinates that
/// change.
///
/// For each coordinate j it stores the average `m_j` and the sum of weights `P_j` at the last call of
/// [`touch`](Average::touch), which announces a change. While the coordinate stays at the value `u`, its average, with
/// `P` the current sum of weights, is `u + (m_j − u)·P_j/P`: a convex combination, so no digits cancel however long it
/// stays. The only requirement is that [`touch`](Average::touch) is called with the old value before a coordinate
/// moves.
///
/// All numbers are `f64`, whatever type the vector has: in `f32` a coordinate that is touched in every round would stop
/// following after some 10⁷ rounds, when the weight of a round falls below the last digit. If weights fall by many
/// orders of magnitude over a run, their sum cannot represent the late ones: call [`rebase`](Average::rebase) before
/// they are added.
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
    /// Weighted average of each coordinate as of its last change, announced by [`touch`](Average::touch).
    mean: Vec<f64>,
    /// Sum of the weights of all rounds as of each coordinate's last change, announced by [`touch`](Average::touch); 0
    /// if the coordinate has never changed.
    mark: Vec<f64>,
    /// Sum of the weights of all rounds so far.
    mass: f64,
}

impl Average {
    /// Creates the average of a vector with `dim` coordinates, before the first round. No later call allocates.
    pub fn new(dim: usize) -> Self {
        Self { mean: vec![0.0; dim], mark: vec![0.0; dim], mass: 0.0 }
    }

    /// Returns the sum of the weights of all rounds so far.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Adds the current value of the vector to the average with weight `weight`, which must be a finite number ≥ 0 (not
    /// checked). O(1).
    pub fn advance(&mut self, weight: f64) {
        self.mass += weight;
    }

    /// Announces that coordinate `i`, whose value is `value` so far, is about to change. A second call before the next
    /// [`advance`](Average::advance) changes nothing. O(1).
    ///
    /// # Panics
    /// If `i` is not below the dimension.
    #[inline]
    pub fn touch(&mut self, i: usize, value: f64) {
        self.mean[i] = self.at(i, value);
        self.mark[i] = self.mass;
    }

    /// Returns the average of coordinate `i`, whose value has been `value` since the last [`touch`](Average::touch).
    /// O(1).
    ///
    /// # Panics
    /// If `i` is not below the dimension.
    #[inline]
    pub fn at(&self, i: usize, value: f64) -> f64 {
        if self.mark[i] == self.mass {
            return self.mean[i];
        }
        let added = (self.mass - self.mark[i]) / self.mass;
        kernel::blend(self.mean[i], value, self.mark[i] / self.mass, added)
    }

    /// Whether the sum of weights is so large relative to the next weight that the next term would be lost to rounding,
    /// so that [`rebase`](Average::rebase) should be called before [`advance`](Average::advance). `fresh` is the sum
    /// that the weights would have if all were as small as the next one.
    pub fn is_stale(&self, fresh: f64) -> bool {
        fresh > 0.0 && self.mass > STALE * fresh
    }

    /// Brings the average of every coordinate up to date, then sets the sum of weights to `mass` and rescales all
    /// averages so that average times sum of weights stays the same. `value` returns the current value of a coordinate.
    /// O(d).
    ///
    /// If an average would overflow, nothing changes: the weights to come are then too small to affect it.
    pub fn rebase(&mut self, mass: f64, value: impl Fn(usize) -> f64) {
        // Multiplies before dividing: the product is bounded, while the ratio of the sums need not be.
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
        // A mark of 0 means that the coordinate has not moved since the start.
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
