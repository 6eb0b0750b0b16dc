//! The single numbers of a block of pairs.
//!
//! Square roots and divisions of one number take as long as those of a whole register, so they are done for a block of
//! pairs at once. Each number is computed by one function, here and wherever a coordinate is looked at alone, so that both
//! have the same bits.

use crate::{clock::Clock, coordinate::Coordinate};

/// Pairs in a block: one register of f32, two of f64.
pub(crate) const BLOCK: usize = 8;

/// The single numbers of up to [`BLOCK`] pairs; the places that are not used hold numbers that do no harm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// 1/M.
    inverses: [f64; BLOCK],
    /// By what θ is multiplied to become the direction.
    pub(crate) rates: [f32; BLOCK],
    /// The share of the rounds since the last touch in the average.
    pub(crate) shares: [f32; BLOCK],
    /// The values in the unit that their coordinates will have: in [−1, 1].
    pub(crate) relatives: [f32; BLOCK],
}

impl Default for Block {
    fn default() -> Block {
        Block { inverses: [0.0; BLOCK], rates: [0.0; BLOCK], shares: [0.0; BLOCK], relatives: [0.0; BLOCK] }
    }
}

/// The single numbers of the coordinates of a block, side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Singles {
    pub(crate) squares: [f32; BLOCK],
    pub(crate) steps: [u32; BLOCK],
    pub(crate) touches: [u32; BLOCK],
    pub(crate) inverses: [f64; BLOCK],
}

impl Singles {
    pub(crate) fn of(here: [&Coordinate; BLOCK]) -> Singles {
        Singles {
            squares: here.map(|c| c.squares),
            steps: here.map(|c| c.step),
            touches: here.map(|c| c.unit.touches()),
            inverses: here.map(|c| c.unit.inverse()),
        }
    }
}

impl Block {
    /// Fills it in; whether a value may be larger than the unit of its coordinate, and [`Block::grow`] is
    /// to be called.
    #[inline(always)]
    pub(crate) fn prepare(&mut self, clock: &Clock, singles: &Singles, values: &[f64; BLOCK]) -> bool {
        for (rate, (&squares, &touches)) in self.rates.iter_mut().zip(singles.squares.iter().zip(&singles.touches)) {
            *rate = rate_of(squares, touches);
        }
        for (share, &step) in self.shares.iter_mut().zip(&singles.steps) {
            *share = clock.share_since(step);
        }
        self.inverses = singles.inverses;
        let (mut largest, mut least) = ([0.0; 4], [f64::INFINITY; 4]);
        for (k, relative) in self.relatives.iter_mut().enumerate() {
            let (inverse, exact) = (self.inverses[k], values[k] * self.inverses[k]);
            *relative = exact as f32;
            largest[k % 4] = if exact.abs() > largest[k % 4] { exact.abs() } else { largest[k % 4] };
            least[k % 4] = if inverse < least[k % 4] { inverse } else { least[k % 4] };
        }
        largest.iter().any(|&largest| largest > FITS) | least.contains(&0.0)
    }

    /// Which of the values are larger than the unit of their coordinate, and will be its unit.
    pub(crate) fn grow(&mut self, values: &[f64]) -> impl Iterator<Item = usize> {
        let inverses = &self.inverses;
        for (relative, (&value, &inverse)) in self.relatives.iter_mut().zip(values.iter().zip(inverses)) {
            if exceeds(value, inverse) {
                *relative = 1.0_f32.copysign(value as f32);
            }
        }
        values
            .iter()
            .zip(inverses)
            .enumerate()
            .filter(|(_, (value, inverse))| exceeds(**value, **inverse))
            .map(|(k, _)| k)
    }

    /// Weights times values, given the dot product of each pair.
    #[inline(always)]
    pub(crate) fn products(&self, dots: &[f32; BLOCK], values: &[f64; BLOCK], factor: f64) -> [f64; BLOCK] {
        let mut products = [0.0; BLOCK];
        for (k, product) in products.iter_mut().enumerate() {
            *product = weight_of(dots[k], self.inverses[k], factor) * values[k];
        }
        products
    }
}

/// The weight that predicts, to be multiplied by raw values: `dot` is Σ parts_k·average_k, `factor` that of the model.
#[inline(always)]
pub(crate) fn weight_of(dot: f32, inverse: f64, factor: f64) -> f64 {
    f64::from(dot) * inverse * factor
}

/// 1/√(S(1 + 4/n)) after n touches; 0 for a coordinate never seen.
///
/// A coordinate that was touched n times moves as if it had 4·S/n more in its sum of squares S, so the first sight of a
/// rare feature moves it by 1/√5 of a full step. Unlike a constant added to S, this has no unit.
#[inline(always)]
pub(crate) fn rate_of(squares: f32, touches: u32) -> f32 {
    let n = touches as i32 as f32;
    (n / ((n + 4.0) * (squares + f32::MIN_POSITIVE))).sqrt()
}

/// Up to this multiple of a unit a value is not larger: what the rounding of 1/M leaves over.
const FITS: f64 = 1.0 + 1e-11;

/// Whether |x| is larger than the unit.
#[inline(always)]
fn exceeds(x: f64, inverse: f64) -> bool {
    (x * inverse).abs() > FITS || inverse == 0.0
}
