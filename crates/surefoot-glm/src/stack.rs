//! All coordinates, and the two inner loops over the pairs of a row.
//!
//! Everything else in training happens once a row; what is here happens for every pair, in all lanes, a [`Tile`] of pairs at a
//! time. The loops are compiled for each of the instruction sets of [`wide`](crate::wide), and give the same bits.

#[cfg(target_arch = "x86_64")]
use crate::wide::{avx2, avx512};
use crate::{
    Fault, Row,
    clock::{BETA, Clock},
    coordinate::{Coordinate, Gradients, NEGLIGIBLE, Unit, rate_of, weight_of},
    features::Features,
    grouping::Grouping,
    lanes::Lanes,
    margin::Margin,
    pages::{Slot, fetch},
    shrink::Pull,
    tile::{Sums, TILE, Tile},
    units::Offset,
    wide::{Plain, Wide},
};
use bytemuck::Zeroable;
use surefoot::Real;

/// Bytes that travel together.
const CACHE_LINE: usize = 64;
/// How many pairs ahead a batch is fetched.
const AHEAD: usize = 256;

/// The coordinates of all features, and the intercept.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    pub(crate) intercept: Option<Coordinate>,
    pub(crate) features: Features<Coordinate>,
}

/// What [`Stack::ask`] found out about a row, kept for [`Stack::tell`]; its buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// Where the coordinates of the row are, and its values.
    slots: Vec<Slot<Coordinate>>,
    values: Vec<f64>,
    /// The coordinates with their averages of this round, and the values in their units.
    tiles: Vec<Tile>,
    relatives: Vec<[f32; TILE]>,
    /// Tiles with pairs that have the largest value of their coordinate so far, and which ones, a bit each.
    growing: Vec<(usize, u16)>,
    /// The intercept's average.
    intercept: Lanes,
    /// The margin of the model, to the bit that of a saved model.
    pub(crate) margin: f64,
    /// Margins of the lanes at their output points.
    pub(crate) output: Lanes,
    /// Margins of the lanes at their query points.
    pub(crate) query: Lanes,
}

impl Answer {
    /// No row.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.values.clear();
    }

    /// ‖x‖².
    pub(crate) fn length(&self) -> f64 {
        self.values.iter().map(|x| x * x).sum()
    }

    /// Adds the offset of a row to the margins: of the model, and of the lanes in their units.
    #[cold]
    pub(crate) fn shift(&mut self, model: f64, lanes: f64) {
        self.margin += model;
        self.output = self.output + Lanes::of(lanes);
        self.query = self.query + Lanes::of(lanes);
    }

    /// Multiplies the unit of gradients by 1/`ratio`, as in the stack.
    #[cold]
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        self.tiles.iter_mut().for_each(|tile| tile.rescale_gradients(ratio));
    }

    /// Makes whole tiles of what was found, and room for what will be.
    #[inline(always)]
    fn fill_last_tile(&mut self) {
        let room = self.slots.len().next_multiple_of(TILE);
        self.slots.resize(room, Slot::of(&NOWHERE));
        self.values.resize(room, 0.0);
        let tiles = room / TILE;
        if tiles > self.tiles.len() {
            self.tiles.resize(tiles, Tile::zeroed());
            self.relatives.resize(tiles, [0.0; TILE]);
        }
        self.growing.clear();
    }
}

/// What does not change within a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) clock: Clock,
    /// By what a lane's points are multiplied: its scale, and that of the labels.
    pub(crate) scales: Lanes,
    /// The same times the lane's share in the model.
    pub(crate) parts: Lanes,
    /// Sign of the model (see [`Coding`](crate::coding::Coding)) times the unit of its margins.
    pub(crate) factor: f64,
    /// What is added to margins.
    pub(crate) offset: Offset,
    /// How the weights of the model are drawn towards 0, if they are.
    pub(crate) pull: Option<Pull>,
}

impl Stack {
    /// No features, and an intercept if there is to be one.
    pub(crate) fn new(intercept: bool) -> Stack {
        let intercept = intercept.then(Coordinate::of_unit_one);
        Stack { intercept, features: Features::default() }
    }

    /// Finds the coordinates of a row, making those that are new.
    ///
    /// # Errors
    /// At the first id that there is no memory for.
    pub(crate) fn find(&mut self, row: &Row<'_>, answer: &mut Answer) -> Result<(), Fault> {
        answer.clear();
        if !are_usual(row.value) {
            return self.find_some(row, answer);
        }
        // What another thread has written comes from far: the rows behind this one are on their way in time.
        for k in (0..row.index.len()).step_by(CACHE_LINE / size_of::<u64>()) {
            fetch(row.index.as_ptr().wrapping_add(AHEAD + k));
            fetch(row.value.as_ptr().wrapping_add(AHEAD + k));
        }
        self.features.fetch(row.index);
        answer.values.extend_from_slice(row.value);
        answer.slots.resize(row.index.len(), Slot::of(&NOWHERE));
        let mut at = self.features.find(row.index, &mut answer.slots);
        while let Some(&id) = row.index.get(at) {
            answer.slots[at] = self.features.touch(id).ok_or_else(|| Fault::full(at, id))?;
            at += 1;
            at += self.features.find(&row.index[at..], &mut answer.slots[at..]);
        }
        Ok(())
    }

    /// [`Stack::find`] where values are left out.
    #[cold]
    fn find_some(&mut self, row: &Row<'_>, answer: &mut Answer) -> Result<(), Fault> {
        for (at, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                answer.slots.push(self.features.touch(id).ok_or_else(|| Fault::full(at, id))?);
                answer.values.push(value);
            }
        }
        Ok(())
    }

    /// Margins of the row that [`Stack::find`] was given; changes no coordinate. Those of the row `ahead` travel to the
    /// cache meanwhile, one for one: all at once they would stand in each other's way.
    pub(crate) fn ask(&self, terms: &Terms, answer: &mut Answer, ahead: &Answer) {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_there() {
            // SAFETY: the processor has what the function asks for.
            return unsafe { compiled::ask_avx512(self, terms, answer, ahead) };
        } else if avx2::is_there() {
            // SAFETY: likewise.
            return unsafe { compiled::ask_avx2(self, terms, answer, ahead) };
        }
        ask::<Plain>(self, terms, answer, ahead);
    }

    /// Learns from the gradients at the row that was asked last.
    pub(crate) fn tell(&mut self, clock: &Clock, gradients: &Gradients, answer: &mut Answer) {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_there() {
            // SAFETY: the processor has what the function asks for.
            return unsafe { compiled::tell_avx512(self, clock, gradients, answer) };
        } else if avx2::is_there() {
            // SAFETY: likewise.
            return unsafe { compiled::tell_avx2(self, clock, gradients, answer) };
        }
        tell::<Plain>(self, clock, gradients, answer);
    }

    /// All coordinates, to change their units.
    pub(crate) fn each(&mut self, mut change: impl FnMut(&mut Coordinate)) {
        self.intercept.iter_mut().for_each(&mut change);
        self.features.each(change);
    }

    /// The intercept of the model that predicts.
    pub(crate) fn intercept(&self, terms: &Terms) -> f64 {
        let of =
            |c: &Coordinate| weight_of(c.average_at(&terms.clock).dot(terms.parts), c.unit.inverse(), terms.factor);
        self.intercept.as_ref().map_or(0.0, of) + terms.pull.map_or(0.0, |pull| pull.shift) + terms.offset.model
    }

    /// The margin of a drawn model at the row that was asked: to the bit that of a saved model.
    pub(crate) fn drawn(&self, terms: &Terms, pull: &Pull, grouping: Option<&Grouping>, answer: &Answer) -> f64 {
        let mut margin = Margin::default();
        let alike = pull.rule();
        for (k, (slot, &value)) in answer.slots.iter().zip(&answer.values).enumerate() {
            // SAFETY: `find` of this stack gave the slot; the stack stays borrowed.
            let c = unsafe { slot.value() };
            let rule = grouping.map_or(alike, |grouping| grouping.rule_at(k, pull.bounds));
            margin.add_one(k, pull.weight(rule, learnt(c, terms), c.squares, c.unit.inverse()) * value);
        }
        margin.with(self.intercept(&Terms { pull: Some(*pull), ..*terms }))
    }

    /// Ids seen and their weights in the model that predicts, in ascending order.
    pub(crate) fn vector<'a>(
        &'a self,
        terms: &'a Terms,
        grouping: Option<&'a Grouping>,
    ) -> impl Iterator<Item = (u64, f64)> + 'a {
        self.seen().map(move |(id, c)| (id, weight(id, c, terms, grouping)))
    }

    /// The weight of a feature in the model that predicts; 0 of one not seen.
    pub(crate) fn weight(&self, id: u64, terms: &Terms, grouping: Option<&Grouping>) -> f64 {
        self.features.get(id).map_or(0.0, |c| weight(id, c, terms, grouping))
    }

    /// Features seen, in ascending order of their ids.
    pub(crate) fn seen(&self) -> impl Iterator<Item = (u64, &Coordinate)> {
        self.features.iter().filter(|(_, c)| c.unit.touches() > 0)
    }
}

/// Whether no value counts as zero: one comparison a pair without a branch.
fn are_usual(values: &[f64]) -> bool {
    values.iter().fold(true, |usual, value| usual & (value.abs() >= NEGLIGIBLE))
}

/// The weight that predicts, to be multiplied by raw values.
fn weight(id: u64, c: &Coordinate, terms: &Terms, grouping: Option<&Grouping>) -> f64 {
    match &terms.pull {
        None => weight_of(c.average_at(&terms.clock).dot(terms.parts), c.unit.inverse(), terms.factor),
        Some(pull) => {
            let rule = grouping.map_or(pull.rule(), |grouping| grouping.rule(id, pull.bounds));
            pull.weight(rule, learnt(c, terms), c.squares, c.unit.inverse())
        }
    }
}

/// The weight that was learnt, in the unit of the coordinate.
fn learnt(c: &Coordinate, terms: &Terms) -> f64 {
    f64::from(c.average_at(&terms.clock).dot(terms.parts)) * terms.factor
}

/// What stands in the unused places of a tile: seen once, so that it needs no unit.
static NOWHERE: Coordinate = Coordinate::of_unit(Unit(1.0_f64.to_bits() | 1));

#[inline(always)]
fn ask<W: Wide>(stack: &Stack, terms: &Terms, answer: &mut Answer, ahead: &Answer) {
    let mut sums = Sums::<W>::new();
    let pairs = answer.slots.len();
    answer.fill_last_tile();
    let (slots, _) = answer.slots.as_chunks::<TILE>();
    let (values, _) = answer.values.as_chunks::<TILE>();
    let (coming, last) = ahead.slots.as_chunks::<TILE>();
    let rows = slots.iter().zip(values).zip(answer.tiles.iter_mut().zip(&mut answer.relatives));
    for (t, ((slots, values), (tile, relatives))) in rows.enumerate() {
        // SAFETY: `find` of this stack gave the slots, but for those of `NOWHERE`, which is static; the stack stays borrowed.
        tile.gather::<W>(slots.map(|slot| unsafe { slot.value() }));
        coming.get(t).into_iter().flatten().for_each(|slot| slot.fetch());
        let growing = tile.ask::<W>(terms, values, relatives, &mut sums);
        if growing > 0 {
            answer.growing.push((t, growing));
        }
    }
    coming.iter().skip(slots.len()).flatten().chain(last).for_each(|slot| slot.fetch());
    answer.slots.truncate(pairs);
    answer.values.truncate(pairs);
    let (mut output, mut direction) = sums.totals();
    let mut intercept = 0.0;
    if let Some(c) = &stack.intercept {
        let asked = c.ask(rate_of(c.squares, c.unit.touches() as f32), terms.clock.share_since(c.step));
        intercept = weight_of(asked.average.dot(terms.parts), c.unit.inverse(), terms.factor);
        answer.intercept = asked.average;
        (output, direction) = (asked.average + output, asked.direction + direction);
    }
    let (beta, offset) = (Lanes::of(f64::from(BETA)), Lanes::of(terms.offset.lanes));
    answer.margin = sums.margin.with(intercept + terms.offset.model);
    answer.output = output * terms.scales + offset;
    answer.query = (direction + (output - direction) * beta) * terms.scales + offset;
}

#[inline(always)]
fn tell<W: Wide>(stack: &mut Stack, clock: &Clock, gradients: &Gradients, answer: &mut Answer) {
    if let Some(c) = &mut stack.intercept {
        c.tell(clock, gradients, &answer.intercept);
    }
    for &(t, growing) in &answer.growing {
        let mut values = [0.0; TILE];
        values.iter_mut().zip(&answer.values[t * TILE..]).for_each(|(to, value)| *to = *value);
        answer.tiles[t].raise_units::<W>(growing, &values);
    }
    let (slots, rest) = answer.slots.as_chunks::<TILE>();
    let (full, last) = answer.tiles.split_at_mut(slots.len());
    for (slots, (tile, relatives)) in slots.iter().zip(full.iter_mut().zip(&answer.relatives)) {
        tile.tell::<W>(clock, gradients, relatives);
        // SAFETY: `find` of this stack gave the slots, and the stack is borrowed exclusively.
        unsafe { tile.scatter::<W>(slots.map(Slot::as_ptr)) };
    }
    if !rest.is_empty() {
        let mut nowhere = Coordinate::default();
        let mut there = [&raw mut nowhere; TILE];
        there.iter_mut().zip(rest).for_each(|(there, slot)| *there = slot.as_ptr());
        last[0].tell::<W>(clock, gradients, &answer.relatives[slots.len()]);
        // SAFETY: likewise; the others are a coordinate of this function.
        unsafe { last[0].scatter::<W>(there) };
    }
}

/// The loops as they are compiled for an instruction set.
#[cfg(target_arch = "x86_64")]
mod compiled {
    use super::*;
    use avx2::Avx2;
    use avx512::Avx512;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    pub(super) fn ask_avx512(stack: &Stack, terms: &Terms, answer: &mut Answer, ahead: &Answer) {
        ask::<Avx512>(stack, terms, answer, ahead);
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    pub(super) fn tell_avx512(stack: &mut Stack, clock: &Clock, gradients: &Gradients, answer: &mut Answer) {
        tell::<Avx512>(stack, clock, gradients, answer);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn ask_avx2(stack: &Stack, terms: &Terms, answer: &mut Answer, ahead: &Answer) {
        ask::<Avx2>(stack, terms, answer, ahead);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn tell_avx2(stack: &mut Stack, clock: &Clock, gradients: &Gradients, answer: &mut Answer) {
        tell::<Avx2>(stack, clock, gradients, answer);
    }
}
