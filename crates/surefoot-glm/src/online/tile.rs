//! Tile: the states of sixteen coordinates in structure-of-arrays layout, so that one instruction processes all of
//! them.
//!
//! The loops over the nonzeros of a row process one tile at a time. Element k of each array belongs to coordinate k of
//! the tile, so square roots and divisions are vectorised too. The arithmetic is written once, for any [`F32x16`];
//! multiplications and additions are not fused, and sums are taken in a fixed order, so all instruction sets give the
//! same result to the bit.

use super::{
    averaging::{Averaging, averaging_weight},
    coordinate::{Coordinate, Gradients},
    step_sizes::{damping, step_size},
    terms::Terms,
};
use crate::simd::{
    f32x16::{CacheLine, F32x16, WIDTH},
    inverse_scale::InverseScale,
    lanes::{LANES, Lanes},
    margin::MarginSum,
};
use bytemuck::Zeroable;

/// Number of coordinates in a tile, one per nonzero of a row.
pub(crate) const TILE: usize = WIDTH;

/// Mask of the bits in the low 32-bit word of an inverse scale that count updates.
const UPDATES: u32 = InverseScale::UPDATES as u32;
/// High 32-bit word of the f64 2^1023. It stands for 1/M in coordinates without updates: so large that every value
/// exceeds the scale M.
const HUGE: u32 = 0x7fe0_0000;

/// States of sixteen [`Coordinate`]s, transposed: element k of each array belongs to coordinate k.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Tile {
    theta: [[f32; TILE]; LANES],
    average: [[f32; TILE]; LANES],
    squares: [[f32; TILE]; LANES],
    model_squares: [f32; TILE],
    steps: [u32; TILE],
    /// Inverse scales 1/M of the coordinates, where M is the largest |x| so far: the low 32-bit words, whose last bits
    /// count updates, then the high 32-bit words.
    scales: [[u32; TILE]; 2],
}

/// Step sizes and averaging weights of the sixteen coordinates of a tile. They are computed in a loop of their own,
/// since square roots and divisions have long latencies that overlap between tiles.
#[derive(Clone, Copy, Debug, bytemuck::Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct TileRates {
    /// Step size of each coordinate in each lane (one of the learners trained side by side): see [`step_size`].
    rates: [[f32; TILE]; LANES],
    /// Weight in the average of the rounds (rows learnt) since each coordinate's last update: see
    /// [`averaging_weight`].
    shares: [f32; TILE],
    /// Inverse scale 1/M of each coordinate; for coordinates without updates, a number so large that every value
    /// exceeds M.
    inverses: [f64; TILE],
}

/// Sums over the nonzeros of a row, from which the margins of all lanes (learners trained side by side) follow. Each
/// sum is a vector of sixteen partial sums, one per position in a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sums<W> {
    output: [W; LANES],
    direction: [W; LANES],
    /// Sum for the margin of the model at the row, without intercept and offset.
    pub(crate) margin: MarginSum,
}

impl<W: F32x16> Sums<W> {
    #[inline(always)]
    pub(crate) fn new() -> Sums<W> {
        Sums { output: [W::of(0.0); LANES], direction: [W::of(0.0); LANES], margin: MarginSum::default() }
    }

    /// Returns two sums per lane (one of the learners trained side by side): the margin at the average of its iterates,
    /// and the product of the row with the direction of its current iterate.
    #[inline(always)]
    pub(crate) fn totals(&self) -> (Lanes, Lanes) {
        let (mut lines, mut places) = ([CacheLine::zeroed(); WIDTH], [CacheLine::zeroed(); WIDTH]);
        for (line, sum) in lines.iter_mut().zip(self.output.iter().chain(&self.direction)) {
            sum.store(bytemuck::cast_mut(line));
        }
        W::transpose(&lines.each_ref(), &mut places);
        let mut sums = places.map(|place| W::load(bytemuck::cast_ref(&place)));
        // Sixteen lines are summed pairwise.
        for half in [8, 4, 2, 1] {
            for k in 0..half {
                sums[k] = sums[k] + sums[k + half];
            }
        }
        let mut totals = [0.0; WIDTH];
        sums[0].store(&mut totals);
        (Lanes(std::array::from_fn(|k| totals[k])), Lanes(std::array::from_fn(|k| totals[LANES + k])))
    }
}

impl Tile {
    /// Copies the states of sixteen coordinates into the tile.
    #[inline(always)]
    pub(crate) fn gather<W: F32x16>(&mut self, here: [&Coordinate; TILE]) {
        W::transpose(&here.map(bytemuck::cast_ref), bytemuck::cast_mut(self));
    }

    /// Writes the sixteen coordinates of the tile to the given addresses.
    ///
    /// # Safety
    /// The caller must ensure that all pointers are valid for writes.
    #[inline(always)]
    pub(crate) unsafe fn scatter<W: F32x16>(&self, there: [*mut Coordinate; TILE]) {
        // SAFETY: the caller ensures that the pointers are valid for writes; a coordinate is one cache line.
        unsafe { W::transpose_to(bytemuck::cast_ref(self), &there.map(|c| c.cast())) };
    }

    /// Returns the state of coordinate `k` of the tile.
    pub(crate) fn coordinate(&self, k: usize) -> Coordinate {
        Coordinate {
            theta: Lanes(self.theta.map(|theta| theta[k])),
            average: Lanes(self.average.map(|average| average[k])),
            squares: Lanes(self.squares.map(|squares| squares[k])),
            model_squares: self.model_squares[k],
            step: self.steps[k],
            inverse_scale: InverseScale::from_words([self.scales[0][k], self.scales[1][k]]),
        }
    }

    /// Replaces the state of coordinate `k` of the tile by `c`.
    pub(crate) fn put(&mut self, k: usize, c: &Coordinate) {
        self.theta.iter_mut().zip(c.theta.0).for_each(|(theta, x)| theta[k] = x);
        self.average.iter_mut().zip(c.average.0).for_each(|(average, x)| average[k] = x);
        self.squares.iter_mut().zip(c.squares.0).for_each(|(squares, x)| squares[k] = x);
        self.model_squares[k] = c.model_squares;
        self.steps[k] = c.step;
        [self.scales[0][k], self.scales[1][k]] = c.inverse_scale.words();
    }

    /// Computes step sizes and averaging weights for the current round, and the row's values divided by the scales of
    /// their coordinates. Returns a bit mask of the values that exceed their scale, and so raise it; a coordinate
    /// without updates has no scale, and its value is always in the mask.
    #[inline(always)]
    pub(crate) fn rates<W: F32x16>(
        &self,
        averaging: &Averaging,
        values: &[f64; TILE],
        tile_rates: &mut TileRates,
        relatives: &mut [f32; TILE],
    ) -> u16 {
        let (updates, inverses) = W::counted(&self.scales[0], &self.scales[1], UPDATES, HUGE);
        let damping = damping(updates);
        for (squares, rates) in self.squares.iter().zip(&mut tile_rates.rates) {
            step_size(W::load(squares), damping).store(rates);
        }
        let (gone, one) = (W::load(&self.steps.map(|step| averaging.fraction_since(step))), W::of(1.0));
        averaging_weight(gone, (one - gone).at_least(W::of(0.0))).store(&mut tile_rates.shares);
        let relative = W::products(values, &inverses);
        tile_rates.inverses = inverses;
        relative.at_most(one).at_least(W::of(-1.0)).store(relatives);
        (relative * relative).above(one)
    }

    /// Advances the averages to the current round, and adds the products of the coordinates' points (averages and
    /// iterates) and the row's `values` to the sums.
    #[inline(always)]
    pub(crate) fn ask<W: F32x16>(
        &mut self,
        terms: &Terms,
        values: &[f64; TILE],
        tile_rates: &TileRates,
        relatives: &[f32; TILE],
        sums: &mut Sums<W>,
    ) {
        let (shares, relative) = (W::load(&tile_rates.shares), W::load(relatives));
        let weighted: [W; LANES] = std::array::from_fn(|lane| {
            let towards = W::load(&self.theta[lane]) * W::load(&tile_rates.rates[lane]);
            let average = W::load(&self.average[lane]);
            // The iterate has not moved since the last update, so the average moves towards it.
            let average = average + (towards - average) * shares;
            average.store(&mut self.average[lane]);
            sums.output[lane] = sums.output[lane] + average * relative;
            sums.direction[lane] = sums.direction[lane] + towards * relative;
            average * W::of(f64::from(terms.parts.0[lane]))
        });
        // The additions form the same tree as in `Lanes::dot`.
        let [a, b, c, d] = weighted;
        sums.margin.add((a + b) + (c + d), &tile_rates.inverses, terms.factor, values);
    }

    /// Raises the scale of each coordinate in the bit mask `growing` to the absolute value of its entry in `values`, a
    /// new maximum, and converts its gradient sums to the new scale: see [`InverseScale::raised`].
    #[inline(always)]
    pub(crate) fn raise_scales<W: F32x16>(&mut self, growing: u16, values: &[f64; TILE]) {
        let ratios = W::raise(&mut self.scales, growing, values);
        for theta in &mut self.theta {
            (W::load(theta) * ratios).store(theta);
        }
        let ratios = ratios * ratios;
        for squares in self.squares.iter_mut().chain([&mut self.model_squares]) {
            (W::load(squares) * ratios).store(squares);
        }
    }

    /// Multiplies the gradient sums of all coordinates in the tile by `ratio` after a change of the unit in which
    /// gradients are stored.
    #[cold]
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        for k in 0..TILE {
            let mut c = self.coordinate(k);
            c.rescale_gradients(ratio);
            self.put(k, &c);
        }
    }

    /// Updates all coordinates in the tile with the gradients of a row; `relatives` holds the row's values divided by
    /// the scales of the coordinates.
    #[inline(always)]
    pub(crate) fn tell<W: F32x16>(&mut self, averaging: &Averaging, gradients: &Gradients, relatives: &[f32; TILE]) {
        let relatives = W::load(relatives);
        for ((theta, squares), g) in self.theta.iter_mut().zip(&mut self.squares).zip(gradients.lanes.0) {
            let g = W::of(f64::from(g)) * relatives;
            (W::load(theta) - g).store(theta);
            (W::load(squares) + g * g).store(squares);
        }
        let g = W::of(f64::from(gradients.model)) * relatives;
        (W::load(&self.model_squares) + g * g).store(&mut self.model_squares);
        self.steps = [averaging.step; TILE];
        for low in &mut self.scales[0] {
            *low += u32::from(*low & UPDATES < UPDATES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{online::label_units::Offset, simd::f32x16::Scalar};

    /// Returns sixteen different coordinates for tests, some of them without updates.
    fn coordinates() -> [Coordinate; TILE] {
        let lanes = |k: usize, by: f32| Lanes(std::array::from_fn(|lane| (by * (7 * k + lane + 1) as f32).sin()));
        std::array::from_fn(|k| match k % 5 {
            3 => Coordinate::default(),
            _ => Coordinate {
                theta: lanes(k, 1.0),
                average: lanes(k, 0.3),
                squares: Lanes(lanes(k, 0.7).0.map(f32::abs)),
                model_squares: (1.0 + k as f32).ln(),
                step: (3 * k) as u32,
                inverse_scale: InverseScale(
                    (1.0 / (3.0 + k as f64)).to_bits() & !InverseScale::UPDATES | [1, 7, 4094, 4095][k % 4],
                ),
            },
        })
    }

    #[test]
    fn a_tile_does_what_its_coordinates_would_do_alone() {
        let (here, mut tile) = (coordinates(), Tile::zeroed());
        tile.gather::<Scalar>(here.each_ref());
        let mut averaging = Averaging::new();
        (0..60).for_each(|_| averaging.advance());
        let parts = Lanes(std::array::from_fn(|k| 0.1 + k as f32));
        let terms =
            Terms { averaging, scales: parts, parts, factor: -1.5, offset: Offset::default(), shrink_step: None };
        // Some values are larger than the unit of their coordinate, and one is the unit.
        let mut values: [f64; TILE] = std::array::from_fn(|k| [1.0, -2.0, 0.5, 4.0][k % 4]);
        (values[2], values[4], values[6]) = (7.0, 7.0, -20.0);
        let (mut relatives, mut sums) = ([0.0; TILE], Sums::<Scalar>::new());
        let mut tile_rates = TileRates::zeroed();
        let growing = tile.rates::<Scalar>(&averaging, &values, &mut tile_rates, &mut relatives);
        tile.ask(&terms, &values, &tile_rates, &relatives, &mut sums);
        let larger = |k: usize| here[k].inverse_scale.updates() == 0 || values[k].abs() > 3.0 + k as f64;
        assert_eq!(growing, (0..TILE).map(|k| u16::from(larger(k)) << k).sum::<u16>());
        tile.raise_scales::<Scalar>(growing, &values);
        let gradients = Gradients { lanes: Lanes([0.5, -0.25, 0.0, 2.0]), model: 0.75 };
        tile.tell::<Scalar>(&averaging, &gradients, &relatives);
        for (k, (c, value)) in here.iter().zip(values).enumerate() {
            let asked = c.ask(c.rates(), averaging.weight_since(c.step));
            let relative =
                if larger(k) { 1.0_f32.copysign(value as f32) } else { (value * c.inverse_scale.value()) as f32 };
            let told = tile.coordinate(k);
            assert_eq!((relatives[k], told.average, told.step), (relative, asked.average, averaging.step), "{k}");
            let mut c = *c;
            if larger(k) {
                let (unit, ratio) = c.inverse_scale.raised(value.abs());
                c.theta = c.theta * Lanes([ratio; LANES]);
                c.squares = c.squares * Lanes([ratio * ratio; LANES]);
                c.model_squares *= ratio * ratio;
                c.inverse_scale = unit;
            }
            let g = gradients.lanes * Lanes([relative; LANES]);
            assert_eq!((told.theta, told.squares), (c.theta - g, c.squares + g * g), "{k}");
            assert_eq!(told.model_squares, c.model_squares + (0.75 * relative) * (0.75 * relative), "{k}");
            assert_eq!(told.inverse_scale.value(), c.inverse_scale.value(), "{k}");
            assert_eq!(told.inverse_scale.updates(), (c.inverse_scale.updates() + 1).min(4095), "{k}");
        }
    }
}
