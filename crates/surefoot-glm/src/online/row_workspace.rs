//! Buffers of one row: addresses of its coordinates, values, and margins.
//!
//! Arrays are padded to whole tiles: a loop that exits at the row's last nonzero costs a branch misprediction per row.

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

/// A row between [`CoordinateStore::find`](crate::online::coordinate_store::CoordinateStore::find), [`CoordinateStore::ask`](crate::online::coordinate_store::CoordinateStore::ask) and
/// [`CoordinateStore::tell`](crate::online::coordinate_store::CoordinateStore::tell); buffers are reused from row to row.
#[derive(Debug, Default)]
pub(crate) struct RowWorkspace {
    /// Number of nonzeros, without negligible ones.
    pairs: usize,
    /// Addresses of their coordinates, and their values; padded with the padding coordinate and zeros.
    slots: Vec<Slot<Coordinate>>,
    values: Vec<f64>,
    padding: PaddingSlot,
    /// Coordinates with their averages in this round, step sizes, and values relative to their scale, by tile.
    tiles: Vec<Tile>,
    tile_rates: Vec<TileRates>,
    relatives: Vec<[f32; TILE]>,
    /// Bit mask per tile: which values exceed the largest value of their coordinate so far.
    growing: Vec<u16>,
    /// Average of the intercept in this round.
    pub(crate) intercept: Lanes,
    /// Margin of the model, equal to the bit to that of the saved model.
    pub(crate) margin: f64,
    /// Margins of the lanes at their output points (averages).
    pub(crate) output: Lanes,
    /// Margins of the lanes at their query points.
    pub(crate) query: Lanes,
}

/// Addresses of eight coordinates, the unit of prefetching.
pub(crate) type SlotGroup = [Slot<Coordinate>; 8];

/// The nonzeros of a row, by tile.
pub(crate) struct Tiles<'a> {
    pub(crate) slots: &'a [[Slot<Coordinate>; TILE]],
    pub(crate) values: &'a [[f64; TILE]],
    pub(crate) tiles: &'a mut [Tile],
    pub(crate) tile_rates: &'a mut [TileRates],
    pub(crate) relatives: &'a mut [[f32; TILE]],
    pub(crate) growing: &'a mut [u16],
}

impl RowWorkspace {
    /// Forgets the row.
    pub(crate) fn clear(&mut self) {
        self.pairs = 0;
    }

    /// Starts a row of up to `pairs` nonzeros; returns room for their addresses and values.
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

    /// Sets the number of nonzeros of the row, and pads the arrays to whole tiles.
    #[inline]
    pub(crate) fn finish_row(&mut self, pairs: usize) {
        self.pairs = pairs;
        // A whole tile, so that the compiler needs no loop.
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

    /// Addresses of the row's coordinates.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &[SlotGroup] {
        &self.slots.as_chunks().0[..self.pairs.div_ceil(8)]
    }

    /// Addresses of the row's coordinates, in two halves: for prefetching during `ask` and during `tell`.
    #[inline(always)]
    pub(crate) fn halves(&self) -> (&[SlotGroup], &[SlotGroup]) {
        let slots = self.slots();
        slots.split_at(slots.len() / 2)
    }

    /// Addresses of the row's coordinates, and its values.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Slot<Coordinate>, f64)> {
        self.slots[..self.pairs].iter().copied().zip(self.values.iter().copied())
    }

    /// ‖x‖² of the row.
    pub(crate) fn squared_norm(&self) -> f64 {
        self.values[..self.pairs].iter().map(|x| x * x).sum()
    }

    /// Adds the offset of a row to the margins: of the model, and of the lanes in their units.
    #[cold]
    pub(crate) fn add_offset(&mut self, model: f64, lanes: f64) {
        self.margin += model;
        self.output = self.output + Lanes::of(lanes);
        self.query = self.query + Lanes::of(lanes);
    }

    /// Changes the unit of gradients: multiplies the new unit's gradients by `ratio`, as in the store.
    #[cold]
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        self.tiles.iter_mut().for_each(|tile| tile.rescale_gradients(ratio));
    }
}

/// A coordinate of no feature, which pads the last tile. It counts as updated once, so that it has a scale; its value is always 0,
/// so that it learns nothing when it is written back.
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
        // SAFETY: it was made from a box and is freed only here. Slots are used only with their workspace.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

// SAFETY: the coordinate belongs to the workspace as the content of a box would, and is accessed only while the workspace is borrowed
// exclusively.
unsafe impl Send for PaddingSlot {}
// SAFETY: as above.
unsafe impl Sync for PaddingSlot {}
