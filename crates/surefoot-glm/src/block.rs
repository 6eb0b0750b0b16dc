//! Roots and quotients of several coordinates at once.
//!
//! What a coordinate needs besides its lanes are a few single numbers, each behind a square root or a division. Taken
//! pair by pair they would cost more than the lanes do; in blocks the compiler takes four or eight at a time. Each number
//! is computed by one function, here and wherever a coordinate is looked at alone, so that both have the same bits.

use crate::{clock::Clock, coordinate::Coordinate};
use surefoot::kernel;

/// Pairs in a block: two registers of f32, four of f64.
pub(crate) const BLOCK: usize = 16;

/// The single numbers of up to [`BLOCK`] pairs; the places that are not used hold numbers that do no harm.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block {
    squares: [f32; BLOCK],
    damping: [f32; BLOCK],
    steps: [f64; BLOCK],
    values: [f64; BLOCK],
    /// 1/M.
    inverses: [f64; BLOCK],
    /// By what θ is multiplied to become the direction.
    pub(crate) rates: [f32; BLOCK],
    /// The share of the rounds since the last touch in the average.
    pub(crate) shares: [f32; BLOCK],
    /// The values in the unit of their coordinates.
    pub(crate) relatives: [f32; BLOCK],
}

impl Block {
    /// Puts a pair in place `k`.
    #[inline(always)]
    pub(crate) fn put(&mut self, k: usize, c: &Coordinate, value: f64) {
        self.squares[k] = c.squares;
        self.damping[k] = c.unit.damping();
        self.steps[k] = f64::from(c.step);
        self.inverses[k] = c.unit.inverse();
        self.values[k] = value;
    }

    /// Fills in what follows; whether a value may be larger than the unit of its coordinate.
    #[inline(always)]
    pub(crate) fn work(&mut self, clock: &Clock) -> bool {
        for (rate, (&squares, &damping)) in self.rates.iter_mut().zip(self.squares.iter().zip(&self.damping)) {
            *rate = rate_of(squares, damping);
        }
        for (share, &step) in self.shares.iter_mut().zip(&self.steps) {
            *share = clock.share_since(step);
        }
        let mut any = false;
        for (relative, (&value, &inverse)) in self.relatives.iter_mut().zip(self.values.iter().zip(&self.inverses)) {
            *relative = relative_of(value, inverse);
            any |= exceeds(value, inverse);
        }
        any
    }

    /// Which of the first `pairs` places have a value larger than the unit of its coordinate.
    pub(crate) fn growing(&self, pairs: usize) -> impl Iterator<Item = usize> {
        (0..pairs).filter(|&k| exceeds(self.values[k], self.inverses[k]))
    }

    /// Weights times values, given the dot product of each pair.
    #[inline(always)]
    pub(crate) fn products(&self, dots: &[f32; BLOCK], factor: f64) -> [f64; BLOCK] {
        let mut products = [0.0; BLOCK];
        for (k, product) in products.iter_mut().enumerate() {
            *product = weight_of(dots[k], self.inverses[k], factor) * self.values[k];
        }
        products
    }
}

/// The weight that predicts, to be multiplied by raw values: `dot` is Σ parts_k·average_k, `factor` that of the model.
#[inline(always)]
pub(crate) fn weight_of(dot: f32, inverse: f64, factor: f64) -> f64 {
    f64::from(dot) * inverse * factor
}

/// 1/√(S(1 + 4/n)) where `damping` = 1/√(1 + 4/n).
#[inline(always)]
pub(crate) fn rate_of(squares: f32, damping: f32) -> f32 {
    kernel::iterate(1.0, squares, damping, 0.0)
}

/// Whether |x| is larger than the unit, by more than the rounding of 1/M.
#[inline(always)]
fn exceeds(x: f64, inverse: f64) -> bool {
    (x.abs() * inverse > 1.0 + 1e-11) | (inverse == 0.0)
}

/// The value x as a multiple of the unit that its coordinate will have once x is counted: in [−1, 1].
#[inline(always)]
pub(crate) fn relative_of(x: f64, inverse: f64) -> f32 {
    (if exceeds(x, inverse) { 1.0_f64.copysign(x) } else { x * inverse }) as f32
}
