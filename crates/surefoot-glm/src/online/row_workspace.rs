//! Buffers of one row: the addresses of its coordinates, its values, and its margins.
//!
//! Arrays are padded to whole tiles, because a loop that exits at the row's last nonzero costs a branch misprediction
//! per row.

use super::{
    coordinate::Coordinate,
    tile::{TILE, Tile, TileRates},
};
use crate::{
    memory::paged_map::Slot,
    simd::{inverse_scale::InverseScale, lanes::Lanes},
};
use bytemuck::Zeroable;
use std::ptr::NonNull;
use surefoot::Real;

/// Buffers of a row between [`CoordinateStore::find`](crate::online::coordinate_store::CoordinateStore::find),
/// [`CoordinateStore::ask`](crate::online::coordinate_store::CoordinateStore::ask) and
/// [`CoordinateStore::tell`](crate::online::coordinate_store::CoordinateStore::tell), reused from row to row.
#[derive(Debug, Default)]
pub(crate) struct RowWorkspace {
    /// Number of nonzeros of the row, without negligible ones.
    pairs: usize,
    /// Addresses of the coordinates of the row's nonzeros, padded with the address of the padding coordinate.
    slots: Vec<Slot<Coordinate>>,
    /// Values of the row's nonzeros, padded with zeros.
    values: Vec<f64>,
    /// Coordinate without a feature, which pads the last tile.
    padding: PaddingSlot,
    /// Coordinates of the row's nonzeros by tile, with their averages in the current round.
    tiles: Vec<Tile>,
    /// Step sizes and averaging weights of the coordinates, by tile.
    tile_rates: Vec<TileRates>,
    /// Values relative to the scales of their coordinates, by tile.
    relatives: Vec<[f32; TILE]>,
    /// Bit mask per tile of the values that exceed the largest value of their coordinate so far.
    growing: Vec<u16>,
    /// Average of the intercept in the current round, per lane.
    pub(crate) intercept: Lanes,
    /// Margin of the model, equal to the bit to the margin of the saved model.
    pub(crate) margin: f64,
    /// Margins of the lanes (learners trained side by side) at their output points, the averages of their iterates.
    pub(crate) output: Lanes,
    /// Margins of the lanes at their query points, where gradients are computed.
    pub(crate) query: Lanes,
}

/// Addresses of eight coordinates, which are prefetched together.
pub(crate) type SlotGroup = [Slot<Coordinate>; 8];

/// Nonzeros of a row by tile: addresses of coordinates, values, and the computed fields of [`RowWorkspace`].
pub(crate) struct Tiles<'a> {
    pub(crate) slots: &'a [[Slot<Coordinate>; TILE]],
    pub(crate) values: &'a [[f64; TILE]],
    pub(crate) tiles: &'a mut [Tile],
    pub(crate) tile_rates: &'a mut [TileRates],
    pub(crate) relatives: &'a mut [[f32; TILE]],
    pub(crate) growing: &'a mut [u16],
}

impl RowWorkspace {
    /// Sets the number of nonzeros to 0, and keeps the buffers for the next row.
    pub(crate) fn clear(&mut self) {
        self.pairs = 0;
    }

    /// Makes the buffers large enough for a row of up to `pairs` nonzeros; returns the buffers of addresses and
    /// values.
    #[inline]
    pub(crate) fn start_row(&mut self, pairs: usize) -> (&mut [Slot<Coordinate>], &mut [f64]) {
        let room = pairs.next_multiple_of(TILE) + TILE;
        if self.slots.len() < room {
            self.slots.resize(room, self.padding.slot());
            self.values.resize(room, 0.0);
            self.tiles.resize(room / TILE, Tile::zeroed());
            self.tile_rates.resize(room / TILE, TileRates::zeroed());
            self.relatives.resize(room / TILE, [0.0; TILE]);
            self.growing.resize(room / TILE, 0);
        }
        (&mut self.slots[..pairs], &mut self.values[..pairs])
    }

    /// Sets the number of nonzeros of the row, and pads the addresses and values to whole tiles.
    #[inline]
    pub(crate) fn finish_row(&mut self, pairs: usize) {
        self.pairs = pairs;
        // A whole tile is filled, so that the compiler needs no loop.
        self.slots[pairs..][..TILE].fill(self.padding.slot());
        self.values[pairs..][..TILE].fill(0.0);
    }

    #[inline(always)]
    pub(crate) fn tiles(&mut self) -> Tiles<'_> {
        let count = self.pairs.div_ceil(TILE);
        Tiles {
            slots: &self.slots.as_chunks().0[..count],
            values: &self.values.as_chunks().0[..count],
            tiles: &mut self.tiles[..count],
            tile_rates: &mut self.tile_rates[..count],
            relatives: &mut self.relatives[..count],
            growing: &mut self.growing[..count],
        }
    }

    /// Returns the addresses of the row's coordinates, in groups of eight.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &[SlotGroup] {
        &self.slots.as_chunks().0[..self.pairs.div_ceil(8)]
    }

    /// Returns the addresses of the row's coordinates in two halves, one to prefetch during `ask` and one during
    /// `tell`.
    #[inline(always)]
    pub(crate) fn halves(&self) -> (&[SlotGroup], &[SlotGroup]) {
        let slots = self.slots();
        slots.split_at(slots.len() / 2)
    }

    /// Returns the addresses of the row's coordinates together with the row's values.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Slot<Coordinate>, f64)> {
        self.slots[..self.pairs].iter().copied().zip(self.values.iter().copied())
    }

    /// Returns the squared norm ‖x‖² of the row, where x holds its values.
    pub(crate) fn squared_norm(&self) -> f64 {
        self.values[..self.pairs].iter().map(|x| x * x).sum()
    }

    /// Adds the offset of a row to its margins: `model` to the margin of the model, `lanes` (in units of margins) to
    /// those of the lanes.
    #[cold]
    pub(crate) fn add_offset(&mut self, model: f64, lanes: f64) {
        self.margin += model;
        self.output = self.output + Lanes::of(lanes);
        self.query = self.query + Lanes::of(lanes);
    }

    /// Changes the unit of gradients by multiplying the gradient sums of all tiles by `ratio`, as the store does.
    #[cold]
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        self.tiles.iter_mut().for_each(|tile| tile.rescale_gradients(ratio));
    }
}

/// Coordinate without a feature, which pads the last tile. The coordinate counts as updated once, so that it has a
/// scale; its value in a row is always 0, so that writing it back changes nothing.
#[derive(Debug)]
struct PaddingSlot(NonNull<Coordinate>);

impl PaddingSlot {
    fn slot(&self) -> Slot<Coordinate> {
        Slot::at(self.0)
    }
}

impl Default for PaddingSlot {
    fn default() -> PaddingSlot {
        let padding = Box::new(Coordinate::with_scale(InverseScale(1.0_f64.to_bits() | 1)));
        PaddingSlot(NonNull::from(Box::leak(padding)))
    }
}

impl Drop for PaddingSlot {
    fn drop(&mut self) {
        // SAFETY: the pointer comes from a box and is freed only here. Slots are used only while their workspace
        // exists.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

// SAFETY: the coordinate belongs to the workspace as the content of a box would, and is accessed only while the workspace is borrowed
// exclusively.
unsafe impl Send for PaddingSlot {}
// SAFETY: the coordinate is accessed only while the workspace is borrowed exclusively, as for `Send`.
unsafe impl Sync for PaddingSlot {}
