//! What is found out about a row: where its coordinates are, and what they say.
//!
//! Arrays end with a whole tile, whatever the row's length: a loop that ends at the last pair ends where the processor does not
//! expect it to, at every row, and what it has begun by then is lost.

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
/// [`CoordinateStore::tell`](crate::online::coordinate_store::CoordinateStore::tell); its buffers are reused.
#[derive(Debug, Default)]
pub(crate) struct RowWorkspace {
    /// How many pairs there are, but for those that count as zero.
    pairs: usize,
    /// Where their coordinates are, and their values; up to the end of the last tile and behind it the spare one and zeros.
    slots: Vec<Slot<Coordinate>>,
    values: Vec<f64>,
    padding: PaddingSlot,
    /// The coordinates with their averages of this round, and the values in their units.
    tiles: Vec<Tile>,
    tile_rates: Vec<TileRates>,
    relatives: Vec<[f32; TILE]>,
    /// Which pairs of a tile have the largest value of their coordinate so far, a bit each.
    growing: Vec<u16>,
    /// The intercept's average.
    pub(crate) intercept: Lanes,
    /// The margin of the model, to the bit that of a saved model.
    pub(crate) margin: f64,
    /// Margins of the lanes at their output points.
    pub(crate) output: Lanes,
    /// Margins of the lanes at their query points.
    pub(crate) query: Lanes,
}

/// Where eight coordinates are.
pub(crate) type SlotGroup = [Slot<Coordinate>; 8];

/// The pairs of a row by the tile.
pub(crate) struct Tiles<'a> {
    pub(crate) slots: &'a [[Slot<Coordinate>; TILE]],
    pub(crate) values: &'a [[f64; TILE]],
    pub(crate) tiles: &'a mut [Tile],
    pub(crate) tile_rates: &'a mut [TileRates],
    pub(crate) relatives: &'a mut [[f32; TILE]],
    pub(crate) growing: &'a mut [u16],
}

impl RowWorkspace {
    /// No row.
    pub(crate) fn clear(&mut self) {
        self.pairs = 0;
    }

    /// Begins a row of up to so many pairs: places for where they are and for their values.
    #[inline]
    pub(crate) fn begin(&mut self, pairs: usize) -> (&mut [Slot<Coordinate>], &mut [f64]) {
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

    /// The row that was begun has so many.
    #[inline]
    pub(crate) fn end(&mut self, pairs: usize) {
        self.pairs = pairs;
        // A tile, to have no loop.
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

    /// Where the coordinates of the row are.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &[SlotGroup] {
        &self.slots.as_chunks().0[..self.pairs.div_ceil(8)]
    }

    /// The same in two halves.
    #[inline(always)]
    pub(crate) fn halves(&self) -> (&[SlotGroup], &[SlotGroup]) {
        let slots = self.slots();
        slots.split_at(slots.len() / 2)
    }

    /// Where the coordinates of the row are, and its values.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Slot<Coordinate>, f64)> {
        self.slots[..self.pairs].iter().copied().zip(self.values.iter().copied())
    }

    /// ‖x‖².
    pub(crate) fn length(&self) -> f64 {
        self.values[..self.pairs].iter().map(|x| x * x).sum()
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
}

/// A coordinate of no feature, in the unused places of the last tile. It was seen once, so that it needs no unit; its value is 0
/// always, so that it learns nothing when it is written back.
#[derive(Debug)]
struct PaddingSlot(NonNull<Coordinate>);

impl PaddingSlot {
    fn slot(&self) -> Slot<Coordinate> {
        Slot::at(self.0)
    }
}

impl Default for PaddingSlot {
    fn default() -> PaddingSlot {
        let padding = Box::new(Coordinate::of_scale(InverseScale(1.0_f64.to_bits() | 1)));
        PaddingSlot(NonNull::from(Box::leak(padding)))
    }
}

impl Drop for PaddingSlot {
    fn drop(&mut self) {
        // SAFETY: it was made of a box, and nothing else ends it. Slots are used with their answer only.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

// SAFETY: the coordinate belongs to the answer as that of a box would, and is read and written only where the answer is borrowed
// exclusively.
unsafe impl Send for PaddingSlot {}
// SAFETY: as above.
unsafe impl Sync for PaddingSlot {}
