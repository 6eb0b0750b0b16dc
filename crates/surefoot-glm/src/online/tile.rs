//! Sixteen coordinates side by side.
//!
//! The loops over the pairs of a row work on a tile at a time: number k of each array is that of coordinate k. So one instruction
//! does the same step for many pairs, square roots and divisions included, whatever the registers' width: the arithmetic is
//! written once, for any [`Wide`]. Nothing is fused and sums have a fixed shape, so all give the same bits.

use super::{
    averaging::{Clock, share_of},
    coordinate::{Coordinate, Gradients, rate_of},
    terms::Terms,
};
use crate::simd::{
    f32x16::{Line, WIDTH, Wide},
    inverse_scale::Unit,
    lanes::{LANES, Lanes},
    margin::Margin,
};
use bytemuck::Zeroable;

/// Pairs in a tile.
pub(crate) const TILE: usize = WIDTH;

/// The bits of a unit's low word that count touches.
const TOUCHES: u32 = Unit::TOUCHES as u32;
/// The high word of 2^1023: 1/M of coordinates never seen, so large that every value is larger than M.
const HUGE: u32 = 0x7fe0_0000;

/// The numbers of sixteen coordinates, in the order that they have in one.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Tile {
    theta: [[f32; TILE]; LANES],
    average: [[f32; TILE]; LANES],
    squares: [f32; TILE],
    steps: [u32; TILE],
    /// The units' low words, which hold the touches, and their high ones.
    units: [[u32; TILE]; 2],
}

/// How the coordinates of a tile move: what takes long to compute, apart, so that the processor begins with one tile's before it is
/// through with another's.
#[derive(Clone, Copy, Debug, bytemuck::Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Paces {
    /// See [`rate_of`], and [`share_of`] since the last touch.
    rates: [f32; TILE],
    shares: [f32; TILE],
    /// 1/M; a number so large that every value is larger than M for those never seen.
    inverses: [f64; TILE],
}

/// Sums over the pairs of a row in all lanes: pair k of each tile is added to place k, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sums<W> {
    output: [W; LANES],
    direction: [W; LANES],
    /// Of the model.
    pub(crate) margin: Margin,
}

impl<W: Wide> Sums<W> {
    #[inline(always)]
    pub(crate) fn new() -> Sums<W> {
        Sums { output: [W::of(0.0); LANES], direction: [W::of(0.0); LANES], margin: Margin::default() }
    }

    /// What the pairs add to the margins: at the output points, and in the directions of the iterates.
    #[inline(always)]
    pub(crate) fn totals(&self) -> (Lanes, Lanes) {
        let (mut lines, mut places) = ([Line::zeroed(); WIDTH], [Line::zeroed(); WIDTH]);
        for (line, sum) in lines.iter_mut().zip(self.output.iter().chain(&self.direction)) {
            sum.store(bytemuck::cast_mut(line));
        }
        W::transpose(&lines.each_ref(), &mut places);
        let mut sums = places.map(|place| W::load(bytemuck::cast_ref(&place)));
        // Halves are added until one is left.
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
    /// The tile of these coordinates.
    #[inline(always)]
    pub(crate) fn gather<W: Wide>(&mut self, here: [&Coordinate; TILE]) {
        W::transpose(&here.map(bytemuck::cast_ref), bytemuck::cast_mut(self));
    }

    /// Puts the coordinates where these pointers are.
    ///
    /// # Safety
    /// All may be written to.
    #[inline(always)]
    pub(crate) unsafe fn scatter<W: Wide>(&self, there: [*mut Coordinate; TILE]) {
        // SAFETY: the caller's promise; a coordinate is a line.
        unsafe { W::transpose_to(bytemuck::cast_ref(self), &there.map(|c| c.cast())) };
    }

    /// Coordinate `k`.
    pub(crate) fn coordinate(&self, k: usize) -> Coordinate {
        Coordinate {
            theta: Lanes(self.theta.map(|theta| theta[k])),
            average: Lanes(self.average.map(|average| average[k])),
            squares: self.squares[k],
            step: self.steps[k],
            unit: Unit::of_words([self.units[0][k], self.units[1][k]]),
        }
    }

    /// Replaces coordinate `k`.
    pub(crate) fn put(&mut self, k: usize, c: &Coordinate) {
        self.theta.iter_mut().zip(c.theta.0).for_each(|(theta, x)| theta[k] = x);
        self.average.iter_mut().zip(c.average.0).for_each(|(average, x)| average[k] = x);
        self.squares[k] = c.squares;
        self.steps[k] = c.step;
        [self.units[0][k], self.units[1][k]] = c.unit.words();
    }

    /// The paces of the coordinates in the round of the clock. Writes down the values in the units that they will have, and returns
    /// whose values are larger than the unit, a bit each; those never seen among them, which have none.
    #[inline(always)]
    pub(crate) fn paces<W: Wide>(
        &self,
        clock: &Clock,
        values: &[f64; TILE],
        paces: &mut Paces,
        relatives: &mut [f32; TILE],
    ) -> u16 {
        let (touches, inverses) = W::counted(&self.units[0], &self.units[1], TOUCHES, HUGE);
        rate_of(W::load(&self.squares), touches).store(&mut paces.rates);
        let (gone, one) = (W::load(&self.steps.map(|step| clock.gone_since(step))), W::of(1.0));
        share_of(gone, (one - gone).at_least(W::of(0.0))).store(&mut paces.shares);
        let relative = W::products(values, &inverses);
        paces.inverses = inverses;
        relative.at_most(one).at_least(W::of(-1.0)).store(relatives);
        (relative * relative).above(one)
    }

    /// Moves the averages to the round of the clock and adds the points, times `values`, to the sums.
    #[inline(always)]
    pub(crate) fn ask<W: Wide>(
        &mut self,
        terms: &Terms,
        values: &[f64; TILE],
        paces: &Paces,
        relatives: &[f32; TILE],
        sums: &mut Sums<W>,
    ) {
        let (rates, shares, relative) = (W::load(&paces.rates), W::load(&paces.shares), W::load(relatives));
        let weighted: [W; LANES] = std::array::from_fn(|lane| {
            let (towards, average) = (W::load(&self.theta[lane]) * rates, W::load(&self.average[lane]));
            // It has not moved since the last touch, so the average goes towards it.
            let average = average + (towards - average) * shares;
            average.store(&mut self.average[lane]);
            sums.output[lane] = sums.output[lane] + average * relative;
            sums.direction[lane] = sums.direction[lane] + towards * relative;
            average * W::of(f64::from(terms.parts.0[lane]))
        });
        // The tree of `Lanes::dot`.
        let [a, b, c, d, e, f] = weighted;
        sums.margin.add(((a + b) + (c + d)) + (e + f), &paces.inverses, terms.factor, values);
    }

    /// Re-expresses the state of these coordinates, a bit each, in larger units, those of their values: see [`Unit::raised`].
    #[inline(always)]
    pub(crate) fn raise_units<W: Wide>(&mut self, growing: u16, values: &[f64; TILE]) {
        let ratios = W::raise(&mut self.units, growing, values);
        for theta in &mut self.theta {
            (W::load(theta) * ratios).store(theta);
        }
        (W::load(&self.squares) * (ratios * ratios)).store(&mut self.squares);
    }

    /// Multiplies the unit of gradients by 1/`ratio`.
    #[cold]
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        for k in 0..TILE {
            let mut c = self.coordinate(k);
            c.rescale_gradients(ratio);
            self.put(k, &c);
        }
    }

    /// Learns the gradients of the lanes and of the model at a row where the coordinates have these values in their units.
    #[inline(always)]
    pub(crate) fn tell<W: Wide>(&mut self, clock: &Clock, gradients: &Gradients, relatives: &[f32; TILE]) {
        let relatives = W::load(relatives);
        for (theta, g) in self.theta.iter_mut().zip(gradients.lanes.0) {
            (W::load(theta) - W::of(f64::from(g)) * relatives).store(theta);
        }
        let g = W::of(f64::from(gradients.model)) * relatives;
        (W::load(&self.squares) + g * g).store(&mut self.squares);
        self.steps = [clock.step; TILE];
        for low in &mut self.units[0] {
            *low += u32::from(*low & TOUCHES < TOUCHES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{online::label_units::Offset, simd::f32x16::Plain};

    /// Coordinates as they may be, some never seen.
    fn coordinates() -> [Coordinate; TILE] {
        let lanes = |k: usize, by: f32| Lanes(std::array::from_fn(|lane| (by * (7 * k + lane + 1) as f32).sin()));
        std::array::from_fn(|k| match k % 5 {
            3 => Coordinate::default(),
            _ => Coordinate {
                theta: lanes(k, 1.0),
                average: lanes(k, 0.3),
                squares: (1.0 + k as f32).ln(),
                step: (3 * k) as u32,
                unit: Unit((1.0 / (3.0 + k as f64)).to_bits() & !Unit::TOUCHES | [1, 7, 4094, 4095][k % 4]),
            },
        })
    }

    #[test]
    fn a_tile_does_what_its_coordinates_would_do_alone() {
        let (here, mut tile) = (coordinates(), Tile::zeroed());
        tile.gather::<Plain>(here.each_ref());
        let mut clock = Clock::new();
        (0..60).for_each(|_| clock.advance());
        let parts = Lanes(std::array::from_fn(|k| 0.1 + k as f32));
        let terms = Terms { clock, scales: parts, parts, factor: -1.5, offset: Offset::default(), pull: None };
        // Among them some that are larger than the unit, and one that is the unit.
        let mut values: [f64; TILE] = std::array::from_fn(|k| [1.0, -2.0, 0.5, 4.0][k % 4]);
        (values[2], values[4], values[6]) = (7.0, 7.0, -20.0);
        let (mut relatives, mut sums) = ([0.0; TILE], Sums::<Plain>::new());
        let mut paces = Paces::zeroed();
        let growing = tile.paces::<Plain>(&clock, &values, &mut paces, &mut relatives);
        tile.ask(&terms, &values, &paces, &relatives, &mut sums);
        let larger = |k: usize| here[k].unit.touches() == 0 || values[k].abs() > 3.0 + k as f64;
        assert_eq!(growing, (0..TILE).map(|k| u16::from(larger(k)) << k).sum::<u16>());
        tile.raise_units::<Plain>(growing, &values);
        let gradients = Gradients { lanes: Lanes([0.5, -0.25, 1.0, 0.0, 2.0, -1.0]), model: 0.75 };
        tile.tell::<Plain>(&clock, &gradients, &relatives);
        for (k, (c, value)) in here.iter().zip(values).enumerate() {
            let asked = c.ask(rate_of(c.squares, c.unit.touches() as f32), clock.share_since(c.step));
            let relative = if larger(k) { 1.0_f32.copysign(value as f32) } else { (value * c.unit.inverse()) as f32 };
            let told = tile.coordinate(k);
            assert_eq!((relatives[k], told.average, told.step), (relative, asked.average, clock.step), "{k}");
            let mut c = *c;
            if larger(k) {
                let (unit, ratio) = c.unit.raised(value.abs());
                (c.theta, c.squares, c.unit) = (c.theta * Lanes([ratio; LANES]), c.squares * (ratio * ratio), unit);
            }
            assert_eq!(told.theta, c.theta - gradients.lanes * Lanes([relative; LANES]), "{k}");
            assert_eq!(told.squares, c.squares + (0.75 * relative) * (0.75 * relative), "{k}");
            assert_eq!(told.unit.inverse(), c.unit.inverse(), "{k}");
            assert_eq!(told.unit.touches(), (c.unit.touches() + 1).min(4095), "{k}");
        }
    }
}
