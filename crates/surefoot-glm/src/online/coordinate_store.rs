//! All coordinates, and the two inner loops over the pairs of a row.
//!
//! Everything else in training happens once a row; what is here happens for every pair, in all lanes, a
//! [`Tile`](crate::online::tile::Tile) of pairs at a time. The loops are compiled for each of the instruction sets of
//! [`wide`](crate::simd::f32x16), and give the same bits.

use super::{
    averaging::{BETA, Clock},
    coordinate::{Coordinate, Gradients, rate_of, weight_of},
    row_workspace::{Answer, Eight, Tiles},
    shrinkage::Pull,
    terms::Terms,
    tile::Sums,
};
use crate::{
    data::{fault::Fault, rows::Row},
    memory::{
        feature_map::Features,
        paged_map::{AHEAD, LINE, Slot},
    },
    model::{group_index::Grouping, settings::Axis},
    numeric::check::NEGLIGIBLE,
    simd::{
        f32x16::{Plain, Wide},
        lanes::Lanes,
        margin::Margin,
        prefetch::fetch,
    },
};
use surefoot::Real;

#[cfg(target_arch = "x86_64")]
use crate::simd::f32x16::{avx2, avx512};

/// The coordinates of all features, and the intercept.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    pub(crate) intercept: Option<Coordinate>,
    pub(crate) features: Features<Coordinate>,
}

impl Stack {
    /// No features, and an intercept if there is to be one.
    pub(crate) fn new(intercept: bool) -> Stack {
        Stack::with_room(intercept, 0)
    }

    /// The same, where there will be so many.
    pub(crate) fn with_room(intercept: bool, count: usize) -> Stack {
        let intercept = intercept.then(Coordinate::of_unit_one);
        Stack { intercept, features: Features::for_at_least(count) }
    }

    /// Moves coordinates to where they are found fastest. What was found before is to be found anew.
    #[inline]
    pub(crate) fn settle(&mut self) {
        self.features.settle();
    }

    /// Finds the coordinates of a row, making those that are new.
    ///
    /// # Errors
    /// At the first id that there is no memory for.
    pub(crate) fn find(&mut self, row: &Row<'_>, answer: &mut Answer) -> Result<(), Fault> {
        answer.clear();
        let count = row.index.len();
        let (slots, values) = answer.begin(count);
        if !copy_usual(row.value, values) {
            return self.find_some(row, answer);
        }
        self.features.fetch(row.index);
        let mut at = self.features.find(row.index, slots);
        while let Some(&id) = row.index.get(at) {
            slots[at] = self.features.touch(id).ok_or_else(|| Fault::full(at, id))?;
            at += 1;
            at += self.features.find(&row.index[at..], &mut slots[at..]);
        }
        answer.end(count);
        Ok(())
    }

    /// [`Stack::find`] where values are left out.
    #[cold]
    fn find_some(&mut self, row: &Row<'_>, answer: &mut Answer) -> Result<(), Fault> {
        let (slots, values) = answer.begin(row.index.len());
        let mut count = 0;
        for (at, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                slots[count] = self.features.touch(id).ok_or_else(|| Fault::full(at, id))?;
                values[count] = value;
                count += 1;
            }
        }
        answer.end(count);
        Ok(())
    }

    /// Margins of the row that [`Stack::find`] was given; changes no coordinate. Those that are wanted next travel to the cache
    /// meanwhile, one for one: all at once they would stand in each other's way.
    pub(crate) fn ask(&self, terms: &Terms, answer: &mut Answer, coming: &[Eight]) {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_there() {
            // SAFETY: the processor has what the function asks for.
            return unsafe { compiled::ask_avx512(self, terms, answer, coming) };
        } else if avx2::is_there() {
            // SAFETY: likewise.
            return unsafe { compiled::ask_avx2(self, terms, answer, coming) };
        }
        ask::<Plain>(self, terms, answer, coming);
    }

    /// Learns from the gradients at the row that was asked last, while others travel.
    pub(crate) fn tell(&mut self, clock: &Clock, gradients: &Gradients, answer: &mut Answer, coming: &[Eight]) {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_there() {
            // SAFETY: the processor has what the function asks for.
            return unsafe { compiled::tell_avx512(self, clock, gradients, answer, coming) };
        } else if avx2::is_there() {
            // SAFETY: likewise.
            return unsafe { compiled::tell_avx2(self, clock, gradients, answer, coming) };
        }
        tell::<Plain>(self, clock, gradients, answer, coming);
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
        for (k, (slot, value)) in answer.pairs().enumerate() {
            // SAFETY: `find` of this stack gave the slot; the stack stays borrowed.
            let c = unsafe { slot.value() };
            let rule = grouping.map_or(alike, |grouping| grouping.rule_at(k, pull.bounds));
            margin.add_one(k, pull.weight(rule, learnt(c, terms), c.squares, c.unit.inverse()) * value);
        }
        margin.with(self.intercept(&Terms { pull: Some(*pull), ..*terms }))
    }

    /// The squared length of the row that was learnt last, as a penalty on a path sees it.
    pub(crate) fn length(&self, axis: Axis, pull: &Pull, grouping: Option<&Grouping>, answer: &Answer) -> f64 {
        let alike = pull.rule();
        let length = |(k, (slot, value)): (usize, (Slot<Coordinate>, f64))| {
            // SAFETY: `find` of this stack gave the slot; the stack stays borrowed.
            let inverse = unsafe { slot.value() }.unit.inverse();
            pull.length(axis, grouping.map_or(alike, |grouping| grouping.rule_at(k, pull.bounds)), value, inverse)
        };
        answer.pairs().enumerate().map(length).sum()
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

    /// Ids seen, in ascending order.
    pub(crate) fn ids(&self) -> Vec<u64> {
        let mut ids = Vec::new();
        // Not `collect`, which asks for one after the other: an iterator over pages goes faster by itself.
        self.seen().for_each(|(id, _)| ids.push(id));
        ids
    }

    /// Features seen, in ascending order of their ids.
    pub(crate) fn seen(&self) -> impl Iterator<Item = (u64, &Coordinate)> {
        self.features.iter().filter(|(_, c)| c.unit.touches() > 0)
    }
}

/// Copies the values of a row, unless one of them counts as zero: then `false`. Those of the rows behind it are on their way in
/// time: what another thread has written comes from far.
fn copy_usual(values: &[f64], to: &mut [f64]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if avx512::is_there() {
        // SAFETY: the processor has what the function asks for.
        return unsafe { compiled::copy_usual_avx512(values, to) };
    }
    copy_usual_plainly(values, to)
}

#[inline(always)]
fn copy_usual_plainly(values: &[f64], to: &mut [f64]) -> bool {
    // Without a branch for each.
    let mut usual = true;
    let mut copy = |values: &[f64], to: &mut [f64]| {
        for (value, to) in values.iter().zip(to) {
            *to = *value;
            usual &= value.abs() >= NEGLIGIBLE;
        }
    };
    let (eights, last) = values.as_chunks::<LINE>();
    let (rooms, room) = to.as_chunks_mut::<LINE>();
    for (values, to) in eights.iter().zip(rooms) {
        fetch(values.as_ptr().wrapping_add(AHEAD));
        copy(values, to);
    }
    copy(last, room);
    usual
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

/// Slots in as many parts as there are tiles.
#[inline(always)]
fn spread(slots: &[Eight], tiles: usize) -> std::slice::Chunks<'_, Eight> {
    slots.chunks(if slots.len() <= tiles { 1 } else { slots.len().div_ceil(tiles.max(1)) })
}

#[inline(always)]
fn ask<W: Wide>(stack: &Stack, terms: &Terms, answer: &mut Answer, coming: &[Eight]) {
    let mut sums = Sums::<W>::new();
    let Tiles { slots, values, tiles, paces, relatives, growing } = answer.tiles();
    let mut coming = spread(coming, slots.len());
    let rows = slots.iter().zip(values).zip(tiles.iter_mut().zip(&mut *relatives)).zip(paces.iter_mut().zip(growing));
    for (((slots, values), (tile, relatives)), (paces, growing)) in rows {
        // SAFETY: `find` of this stack gave the slots, but for the spare one of the answer; both stay borrowed.
        tile.gather::<W>(slots.map(|slot| unsafe { slot.value() }));
        for eight in coming.next().unwrap_or_default() {
            eight.iter().for_each(|slot| slot.fetch());
        }
        *growing = tile.paces::<W>(&terms.clock, values, paces, relatives);
    }
    for ((tile, paces), (values, relatives)) in tiles.iter_mut().zip(&*paces).zip(values.iter().zip(&*relatives)) {
        tile.ask::<W>(terms, values, paces, relatives, &mut sums);
    }
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
fn tell<W: Wide>(stack: &mut Stack, clock: &Clock, gradients: &Gradients, answer: &mut Answer, coming: &[Eight]) {
    if let Some(c) = &mut stack.intercept {
        c.tell(clock, gradients, &answer.intercept);
    }
    let Tiles { slots, values, tiles, relatives, growing, .. } = answer.tiles();
    let rows = slots.iter().zip(values).zip(tiles.iter_mut().zip(relatives)).zip(growing);
    let mut coming = spread(coming, slots.len());
    for (((slots, values), (tile, relatives)), growing) in rows {
        if *growing > 0 {
            tile.raise_units::<W>(*growing, values);
        }
        for eight in coming.next().unwrap_or_default() {
            eight.iter().for_each(|slot| slot.fetch());
        }
        tile.tell::<W>(clock, gradients, relatives);
        // SAFETY: `find` of this stack gave the slots, but for the spare one of the answer; both are borrowed exclusively.
        unsafe { tile.scatter::<W>(slots.map(Slot::as_ptr)) };
    }
}

/// The loops as they are compiled for an instruction set.
#[cfg(target_arch = "x86_64")]
mod compiled {
    use super::*;
    use avx2::Avx2;
    use avx512::Avx512;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    pub(super) fn copy_usual_avx512(values: &[f64], to: &mut [f64]) -> bool {
        copy_usual_plainly(values, to)
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    pub(super) fn ask_avx512(stack: &Stack, terms: &Terms, answer: &mut Answer, coming: &[Eight]) {
        ask::<Avx512>(stack, terms, answer, coming);
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    pub(super) fn tell_avx512(
        stack: &mut Stack,
        clock: &Clock,
        gradients: &Gradients,
        answer: &mut Answer,
        coming: &[Eight],
    ) {
        tell::<Avx512>(stack, clock, gradients, answer, coming);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn ask_avx2(stack: &Stack, terms: &Terms, answer: &mut Answer, coming: &[Eight]) {
        ask::<Avx2>(stack, terms, answer, coming);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn tell_avx2(
        stack: &mut Stack,
        clock: &Clock,
        gradients: &Gradients,
        answer: &mut Answer,
        coming: &[Eight],
    ) {
        tell::<Avx2>(stack, clock, gradients, answer, coming);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_copied_unless_one_counts_as_zero() {
        for count in 0..40 {
            let values: Vec<f64> = (0..count).map(|k| f64::from(k - 20) - 0.5).collect();
            let mut to = vec![0.0; values.len()];
            assert!(copy_usual(&values, &mut to));
            assert_eq!(to, values);
            for (k, &(none, usual)) in (0..values.len()).flat_map(|k| CASES.iter().map(move |case| (k, case))) {
                let mut values = values.clone();
                values[k] = none;
                assert_eq!(copy_usual(&values, &mut to), usual, "{none} in place {k} of {count}");
                assert_eq!(copy_usual_plainly(&values, &mut to), usual);
            }
        }
    }

    const CASES: [(f64, bool); 6] =
        [(0.0, false), (-0.0, false), (1e-320, false), (-1e-300, false), (NEGLIGIBLE, true), (-1e-290, true)];
}
