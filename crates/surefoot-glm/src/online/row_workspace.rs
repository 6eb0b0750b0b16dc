//! Buffers for one row: addresses of its coordinates, its values, and its margins.
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

/// Buffers for one row between [`CoordinateStore::find`](crate::online::coordinate_store::CoordinateStore::find),
/// [`CoordinateStore::ask`](crate::online::coordinate_store::CoordinateStore::ask) and
/// [`CoordinateStore::tell`](crate::online::coordinate_store::CoordinateStore::tell), reused from row to row. Nonzeros
/// are processed in tiles of sixteen.
#[derive(Debug, Default)]
pub(crate) struct RowWorkspace {
    /// Number of nonzeros of the row, without negligibly small values.
    pairs: usize,
    /// Addresses of the coordinates of the row's nonzeros, padded to whole tiles (sixteen nonzeros) with the address in
    /// `padding`.
    slots: Vec<Slot<Coordinate>>,
    /// Values of the row's nonzeros, padded to whole tiles with zeros.
    values: Vec<f64>,
    /// Dummy coordinate without a feature, which pads the last tile.
    padding: PaddingSlot,
    /// Copies of the coordinates of the row's nonzeros, with averages updated to the current round; sixteen per tile.
    tiles: Vec<Tile>,
    /// Step sizes and averaging weights of the coordinates, sixteen per tile.
    tile_rates: Vec<TileRates>,
    /// Values of the row, each divided by the scale of its coordinate (its largest |x| so far), sixteen per tile.
    relatives: Vec<[f32; TILE]>,
    /// For each tile of sixteen nonzeros, a bit mask of the values that exceed the scale of their coordinate, its
    /// largest |x| so far.
    growing: Vec<u16>,
    /// Average of the intercept up to the current round (row), for each lane (one of the learners trained side by
    /// side).
    pub(crate) intercept: Lanes,
    /// Margin of the current model, equal to the bit to the margin of the saved model.
    pub(crate) margin: f64,
    /// Margins of the lanes (learners trained side by side) at their output points, which are the averages of their
    /// iterates.
    pub(crate) output: Lanes,
    /// Margins that the lanes (learners trained side by side) have at their output points before the scale of any
    /// feature has grown to a value of the row. They equal `output`, in which such values count as the new scale, unless
    /// a value exceeds all earlier values of its feature.
    pub(crate) unclipped: Lanes,
    /// Margins of the lanes (learners trained side by side) at their query points, where gradients are computed.
    pub(crate) query: Lanes,
}

/// Addresses of eight coordinates that are prefetched together.
pub(crate) type SlotGroup = [Slot<Coordinate>; 8];

/// Borrowed buffers of a [`RowWorkspace`]: addresses and values of the row's nonzeros, and the fields computed from
/// them, in tiles of sixteen.
pub(crate) struct Tiles<'a> {
    pub(crate) slots: &'a [[Slot<Coordinate>; TILE]],
    pub(crate) values: &'a [[f64; TILE]],
    pub(crate) tiles: &'a mut [Tile],
    pub(crate) tile_rates: &'a mut [TileRates],
    pub(crate) relatives: &'a mut [[f32; TILE]],
    pub(crate) growing: &'a mut [u16],
}

impl RowWorkspace {
    /// Sets the number of nonzeros to 0, but keeps the allocated memory for the next row.
    pub(crate) fn clear(&mut self) {
        self.pairs = 0;
    }

    /// Enlarges the buffers if needed to hold `pairs` nonzeros; returns the buffers of addresses and values, to be
    /// filled.
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

    /// Sets the number of nonzeros that the buffers of addresses and values hold, and pads both to whole tiles.
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

    /// Returns the addresses of the coordinates of the row's nonzeros, in groups of eight.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &[SlotGroup] {
        &self.slots.as_chunks().0[..self.pairs.div_ceil(8)]
    }

    /// Returns the addresses of the row's coordinates in two halves: one to be prefetched during `ask` for the
    /// previous row, the other during `tell`.
    #[inline(always)]
    pub(crate) fn halves(&self) -> (&[SlotGroup], &[SlotGroup]) {
        let slots = self.slots();
        slots.split_at(slots.len() / 2)
    }

    /// Returns pairs of coordinate address and value for the nonzeros of the row.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Slot<Coordinate>, f64)> {
        self.slots[..self.pairs].iter().copied().zip(self.values.iter().copied())
    }

    /// Returns the squared norm ‖x‖² of the row's values x.
    pub(crate) fn squared_norm(&self) -> f64 {
        self.values[..self.pairs].iter().map(|x| x * x).sum()
    }

    /// Adds the offset of a row to its margins: `model` to that of the model, and `lanes` (the offset divided by the
    /// unit of margins) to those of all learners trained side by side.
    #[cold]
    pub(crate) fn add_offset(&mut self, model: f64, lanes: f64) {
        self.margin += model;
        self.output = self.output + Lanes::of(lanes);
        self.unclipped = self.unclipped + Lanes::of(lanes);
        self.query = self.query + Lanes::of(lanes);
    }

    /// Multiplies the gradient sums in the tiles by `ratio` after a change of the unit in which gradients are stored,
    /// as the coordinate store does with its own sums.
    #[cold]
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        self.tiles.iter_mut().for_each(|tile| tile.rescale_gradients(ratio));
    }
}

/// Dummy coordinate without a feature, which pads the last tile. It counts as updated once, so that it has a scale;
/// its value in a row is always 0, so it stays unchanged when it is written back.
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
