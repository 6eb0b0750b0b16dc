//! Learner state of all coordinates, and the two inner loops over the nonzeros of a row: `ask` (compute margins) and
//! `tell` (learn gradients).
//!
//! These loops run per nonzero, in all lanes (learners trained side by side), on one
//! [`Tile`] of sixteen nonzeros at a time; all other work of training runs per row. The
//! loops are compiled once for each instruction set of [`f32x16`](crate::simd::f32x16), with the same results to the
//! bit.

use super::{
    averaging::{Averaging, BETA},
    coordinate::{Coordinate, Gradients, raw_weight},
    row_workspace::{RowWorkspace, SlotGroup, Tiles},
    shrinkage::ShrinkStep,
    terms::Terms,
    tile::{Sums, TILE, Tile},
};
use crate::{
    data::{fault::Fault, rows::Row},
    memory::{
        feature_map::FeatureMap,
        paged_map::{AHEAD, LINE, Slot},
    },
    model::{group_index::GroupIndex, settings::PenaltyTerm},
    numeric::check::NEGLIGIBLE,
    simd::{
        f32x16::{F32x16, Scalar},
        lanes::Lanes,
        margin::MarginSum,
        prefetch::prefetch,
    },
};
use surefoot::Real;

#[cfg(target_arch = "x86_64")]
use crate::simd::f32x16::{avx2, avx512};

/// Learner state of all features seen, and of the intercept if the model has one.
#[derive(Debug, Default)]
pub(crate) struct CoordinateStore {
    pub(crate) intercept: Option<Coordinate>,
    pub(crate) features: FeatureMap<Coordinate>,
}

impl CoordinateStore {
    /// Returns a store without features, with an intercept if `intercept`.
    pub(crate) fn new(intercept: bool) -> CoordinateStore {
        CoordinateStore::with_room(intercept, 0)
    }

    /// Returns a store without features that is prepared for `count` or more features, with an intercept if
    /// `intercept`.
    pub(crate) fn with_room(intercept: bool, count: usize) -> CoordinateStore {
        let intercept = intercept.then(Coordinate::with_unit_scale);
        CoordinateStore { intercept, features: FeatureMap::for_at_least(count) }
    }

    /// Reorganises the feature map if enough features have been added since. This moves coordinates, so addresses
    /// found before become invalid.
    #[inline]
    pub(crate) fn raise_limit_if_due(&mut self) {
        self.features.raise_limit_if_due();
    }

    /// Looks up the coordinates of a row's nonzeros, adds those of unseen features, and puts their addresses into the
    /// workspace.
    ///
    /// # Errors
    /// Returns a fault that names the first id for which memory runs out.
    pub(crate) fn find(&mut self, row: &Row<'_>, workspace: &mut RowWorkspace) -> Result<(), Fault> {
        workspace.clear();
        let count = row.index.len();
        let (slots, values) = workspace.start_row(count);
        if !copy_values(row.value, values) {
            return self.find_some(row, workspace);
        }
        self.features.prefetch(row.index);
        let mut at = self.features.find(row.index, slots);
        while let Some(&id) = row.index.get(at) {
            slots[at] = self.features.find_or_insert(id).ok_or_else(|| Fault::full(at, id))?;
            at += 1;
            at += self.features.find(&row.index[at..], &mut slots[at..]);
        }
        workspace.finish_row(count);
        Ok(())
    }

    /// Implementation of [`CoordinateStore::find`] for rows that contain negligibly small values, which are skipped.
    #[cold]
    fn find_some(&mut self, row: &Row<'_>, workspace: &mut RowWorkspace) -> Result<(), Fault> {
        let (slots, values) = workspace.start_row(row.index.len());
        let mut count = 0;
        for (at, (&id, &value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                slots[count] = self.features.find_or_insert(id).ok_or_else(|| Fault::full(at, id))?;
                values[count] = value;
                count += 1;
            }
        }
        workspace.finish_row(count);
        Ok(())
    }

    /// Computes the margins of the row given to [`CoordinateStore::find`], in all lanes (learners trained side by
    /// side) and for the model, without changing a coordinate. Meanwhile prefetches the coordinates `upcoming` of the
    /// next row, a group of eight per tile, because prefetches issued all at once exhaust the fill buffers.
    pub(crate) fn ask(&self, terms: &Terms, workspace: &mut RowWorkspace, upcoming: &[SlotGroup]) {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_supported() {
            // SAFETY: the processor supports the instruction set of the called function.
            return unsafe { compiled::ask_avx512(self, terms, workspace, upcoming) };
        } else if avx2::is_supported() {
            // SAFETY: the processor supports the instruction set of the called function.
            return unsafe { compiled::ask_avx2(self, terms, workspace, upcoming) };
        }
        ask::<Scalar>(self, terms, workspace, upcoming);
    }

    /// Updates the coordinates with the gradients at the row given to the last `ask`; meanwhile prefetches the
    /// coordinates `upcoming` of the next row.
    pub(crate) fn tell(
        &mut self,
        averaging: &Averaging,
        gradients: &Gradients,
        workspace: &mut RowWorkspace,
        upcoming: &[SlotGroup],
    ) {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_supported() {
            // SAFETY: the processor supports the instruction set of the called function.
            return unsafe { compiled::tell_avx512(self, averaging, gradients, workspace, upcoming) };
        } else if avx2::is_supported() {
            // SAFETY: the processor supports the instruction set of the called function.
            return unsafe { compiled::tell_avx2(self, averaging, gradients, workspace, upcoming) };
        }
        tell::<Scalar>(self, averaging, gradients, workspace, upcoming);
    }

    /// Applies `change` to all coordinates, the intercept included.
    pub(crate) fn each(&mut self, mut change: impl FnMut(&mut Coordinate)) {
        self.intercept.iter_mut().for_each(&mut change);
        self.features.each(change);
    }

    /// Returns the intercept of the current model; 0 if the model has none.
    pub(crate) fn intercept(&self, terms: &Terms) -> f64 {
        let of = |c: &Coordinate| {
            raw_weight(c.average_at(&terms.averaging).dot(terms.parts), c.inverse_scale.value(), terms.factor)
        };
        self.intercept.as_ref().map_or(0.0, of)
            + terms.shrink_step.map_or(0.0, |shrink_step| shrink_step.shift)
            + terms.offset.model
    }

    /// Returns the margin, at the row given to the last `ask`, of the model with the shrinkage `shrink_step` by penalty
    /// and bounds. It equals the margin of the saved model to the bit.
    pub(crate) fn shrunk(
        &self,
        terms: &Terms,
        shrink_step: &ShrinkStep,
        group_index: Option<&GroupIndex>,
        workspace: &RowWorkspace,
    ) -> f64 {
        let mut margin = MarginSum::default();
        let alike = shrink_step.rule();
        for (k, (slot, value)) in workspace.pairs().enumerate() {
            // SAFETY: `find` of this store gave the slot; the store stays borrowed.
            let c = unsafe { slot.value() };
            let rule = group_index.map_or(alike, |group_index| group_index.rule_at(k, shrink_step.bounds));
            margin.add_one(
                k,
                shrink_step.weight(rule, unshrunk_weight(c, terms), c.model_squares, c.inverse_scale.value()) * value,
            );
        }
        margin.total(self.intercept(&Terms { shrink_step: Some(*shrink_step), ..*terms }))
    }

    /// Returns the squared norm of the row learnt last, where each value is scaled as the penalty of a path requires
    /// ([`ShrinkStep::squared_term`]).
    pub(crate) fn squared_norm(
        &self,
        term: PenaltyTerm,
        shrink_step: &ShrinkStep,
        group_index: Option<&GroupIndex>,
        workspace: &RowWorkspace,
    ) -> f64 {
        let alike = shrink_step.rule();
        let length = |(k, (slot, value)): (usize, (Slot<Coordinate>, f64))| {
            // SAFETY: `find` of this store gave the slot; the store stays borrowed.
            let inverse = unsafe { slot.value() }.inverse_scale.value();
            shrink_step.squared_term(
                term,
                group_index.map_or(alike, |group_index| group_index.rule_at(k, shrink_step.bounds)),
                value,
                inverse,
            )
        };
        workspace.pairs().enumerate().map(length).sum()
    }

    /// Returns the ids of all features seen and their weights in the current model, by ascending id.
    pub(crate) fn vector<'a>(
        &'a self,
        terms: &'a Terms,
        group_index: Option<&'a GroupIndex>,
    ) -> impl Iterator<Item = (u64, f64)> + 'a {
        self.seen().map(move |(id, c)| (id, weight(id, c, terms, group_index)))
    }

    /// Returns the weight of the feature `id` in the current model; 0 if the feature is unseen.
    pub(crate) fn weight(&self, id: u64, terms: &Terms, group_index: Option<&GroupIndex>) -> f64 {
        self.features.get(id).map_or(0.0, |c| weight(id, c, terms, group_index))
    }

    /// Returns the ids of all features seen, in ascending order.
    pub(crate) fn ids(&self) -> Vec<u64> {
        let mut ids = Vec::new();
        // Internal iteration over pages is faster than `collect`.
        self.seen().for_each(|(id, _)| ids.push(id));
        ids
    }

    /// Returns the ids and coordinates of all features seen, by ascending id.
    pub(crate) fn seen(&self) -> impl Iterator<Item = (u64, &Coordinate)> {
        self.features.iter().filter(|(_, c)| c.inverse_scale.updates() > 0)
    }
}

/// Copies the values of a row, and returns true if none of them is negligibly small. Prefetches the values of later
/// rows in the batch, which another thread has written.
fn copy_values(values: &[f64], to: &mut [f64]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if avx512::is_supported() {
        // SAFETY: the processor supports the instruction set of the called function.
        return unsafe { compiled::copy_values_avx512(values, to) };
    }
    copy_values_scalar(values, to)
}

#[inline(always)]
fn copy_values_scalar(values: &[f64], to: &mut [f64]) -> bool {
    // The loop has no branch per value, so that it can be vectorised.
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
        prefetch(values.as_ptr().wrapping_add(AHEAD));
        copy(values, to);
    }
    copy(last, room);
    usual
}

/// Returns the weight of a feature in the current model, for raw feature values and after shrinkage by the penalty.
pub(super) fn weight(id: u64, c: &Coordinate, terms: &Terms, group_index: Option<&GroupIndex>) -> f64 {
    match &terms.shrink_step {
        None => raw_weight(c.average_at(&terms.averaging).dot(terms.parts), c.inverse_scale.value(), terms.factor),
        Some(shrink_step) => {
            let rule = group_index.map_or(shrink_step.rule(), |group_index| group_index.rule(id, shrink_step.bounds));
            shrink_step.weight(rule, unshrunk_weight(c, terms), c.model_squares, c.inverse_scale.value())
        }
    }
}

/// Returns the weight of a feature before shrinkage by the penalty, for values divided by the feature's scale M, the
/// largest |x| so far.
fn unshrunk_weight(c: &Coordinate, terms: &Terms) -> f64 {
    f64::from(c.average_at(&terms.averaging).dot(terms.parts)) * terms.factor
}

/// Splits groups of addresses to prefetch into at most `tiles` chunks, so that one chunk can be prefetched per tile.
#[inline(always)]
fn chunks_per_tile(slots: &[SlotGroup], tiles: usize) -> std::slice::Chunks<'_, SlotGroup> {
    slots.chunks(if slots.len() <= tiles { 1 } else { slots.len().div_ceil(tiles.max(1)) })
}

#[inline(always)]
fn ask<W: F32x16>(store: &CoordinateStore, terms: &Terms, workspace: &mut RowWorkspace, upcoming: &[SlotGroup]) {
    let mut sums = Sums::<W>::new();
    let Tiles { slots, values, tiles, tile_rates, relatives, growing } = workspace.tiles();
    let mut upcoming = chunks_per_tile(upcoming, slots.len());
    let rows = slots
        .iter()
        .zip(values)
        .zip(tiles.iter_mut().zip(&mut *relatives))
        .zip(tile_rates.iter_mut().zip(growing.iter_mut()));
    for (((slots, values), (tile, relatives)), (tile_rates, growing)) in rows {
        // SAFETY: `find` of this store gave the slots, except the padding slot of the workspace; both stay borrowed.
        tile.gather::<W>(slots.map(|slot| unsafe { slot.value() }));
        for eight in upcoming.next().unwrap_or_default() {
            eight.iter().for_each(|slot| slot.prefetch());
        }
        *growing = tile.rates::<W>(&terms.averaging, values, tile_rates, relatives);
    }
    for ((tile, tile_rates), (values, relatives)) in
        tiles.iter_mut().zip(&*tile_rates).zip(values.iter().zip(&*relatives))
    {
        tile.ask::<W>(terms, values, tile_rates, relatives, &mut sums);
    }
    let (mut output, mut direction) = sums.totals();
    let beyond = match growing.iter().any(|growing| *growing > 0) {
        true => beyond_scales(tiles, values, relatives, growing),
        false => Lanes::default(),
    };
    let mut intercept = 0.0;
    if let Some(c) = &store.intercept {
        let asked = c.ask(c.rates(), terms.averaging.weight_since(c.step));
        intercept = raw_weight(asked.average.dot(terms.parts), c.inverse_scale.value(), terms.factor);
        workspace.intercept = asked.average;
        (output, direction) = (asked.average + output, asked.direction + direction);
    }
    let (beta, offset) = (Lanes::of(f64::from(BETA)), Lanes::of(terms.offset.lanes));
    workspace.margin = sums.margin.total(intercept + terms.offset.model);
    workspace.output = output * terms.scales + offset;
    workspace.unclipped = (output + beyond) * terms.scales + offset;
    workspace.query = (direction + (output - direction) * beta) * terms.scales + offset;
}

/// Returns the part of the margin of each lane (one of the learners trained side by side), before multiplication by its
/// scale, that is due to values beyond the scales of their coordinates, to which `relatives` are clipped.
#[cold]
fn beyond_scales(tiles: &[Tile], values: &[[f64; TILE]], relatives: &[[f32; TILE]], growing: &[u16]) -> Lanes {
    let mut beyond = Lanes::default();
    for ((tile, values), (relatives, growing)) in tiles.iter().zip(values).zip(relatives.iter().zip(growing)) {
        for k in (0..TILE).filter(|k| growing >> k & 1 == 1) {
            let c = tile.coordinate(k);
            if c.inverse_scale.updates() > 0 {
                // A larger multiple is as bad, and could overflow.
                let relative = (values[k] * c.inverse_scale.value()).clamp(-1e15, 1e15);
                beyond = beyond + c.average * Lanes::of(relative - f64::from(relatives[k]));
            }
        }
    }
    beyond
}

#[inline(always)]
fn tell<W: F32x16>(
    store: &mut CoordinateStore,
    averaging: &Averaging,
    gradients: &Gradients,
    workspace: &mut RowWorkspace,
    upcoming: &[SlotGroup],
) {
    if let Some(c) = &mut store.intercept {
        c.tell(averaging, gradients, &workspace.intercept);
    }
    let Tiles { slots, values, tiles, relatives, growing, .. } = workspace.tiles();
    let rows = slots.iter().zip(values).zip(tiles.iter_mut().zip(relatives)).zip(growing);
    let mut upcoming = chunks_per_tile(upcoming, slots.len());
    for (((slots, values), (tile, relatives)), growing) in rows {
        if *growing > 0 {
            tile.raise_scales::<W>(*growing, values);
        }
        for eight in upcoming.next().unwrap_or_default() {
            eight.iter().for_each(|slot| slot.prefetch());
        }
        tile.tell::<W>(averaging, gradients, relatives);
        // SAFETY: `find` of this store gave the slots, except the padding slot of the workspace; both are borrowed exclusively.
        unsafe { tile.scatter::<W>(slots.map(Slot::as_ptr)) };
    }
}

/// The inner loops `ask` and `tell`, and the copying of values, each compiled once per instruction set.
#[cfg(target_arch = "x86_64")]
mod compiled {
    use super::*;
    use avx2::Avx2;
    use avx512::Avx512;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    pub(super) fn copy_values_avx512(values: &[f64], to: &mut [f64]) -> bool {
        copy_values_scalar(values, to)
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    pub(super) fn ask_avx512(
        store: &CoordinateStore,
        terms: &Terms,
        workspace: &mut RowWorkspace,
        upcoming: &[SlotGroup],
    ) {
        ask::<Avx512>(store, terms, workspace, upcoming);
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    pub(super) fn tell_avx512(
        store: &mut CoordinateStore,
        averaging: &Averaging,
        gradients: &Gradients,
        workspace: &mut RowWorkspace,
        upcoming: &[SlotGroup],
    ) {
        tell::<Avx512>(store, averaging, gradients, workspace, upcoming);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn ask_avx2(
        store: &CoordinateStore,
        terms: &Terms,
        workspace: &mut RowWorkspace,
        upcoming: &[SlotGroup],
    ) {
        ask::<Avx2>(store, terms, workspace, upcoming);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn tell_avx2(
        store: &mut CoordinateStore,
        averaging: &Averaging,
        gradients: &Gradients,
        workspace: &mut RowWorkspace,
        upcoming: &[SlotGroup],
    ) {
        tell::<Avx2>(store, averaging, gradients, workspace, upcoming);
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
            assert!(copy_values(&values, &mut to));
            assert_eq!(to, values);
            for (k, &(none, usual)) in (0..values.len()).flat_map(|k| CASES.iter().map(move |case| (k, case))) {
                let mut values = values.clone();
                values[k] = none;
                assert_eq!(copy_values(&values, &mut to), usual, "{none} in place {k} of {count}");
                assert_eq!(copy_values_scalar(&values, &mut to), usual);
            }
        }
    }

    const CASES: [(f64, bool); 6] =
        [(0.0, false), (-0.0, false), (1e-320, false), (-1e-300, false), (NEGLIGIBLE, true), (-1e-290, true)];
}
