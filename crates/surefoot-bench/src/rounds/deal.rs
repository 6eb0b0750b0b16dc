//! Dealing of rows to shards.

use super::lanes::Examples;
use crate::Dice;

/// How rows are dealt to shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Shards are blocks of the rows in their order.
    Blocks,
    /// Rows are sorted by label, then cut into blocks: shards have different classes.
    ByLabel,
    /// Rows are sorted by their features, then cut into blocks: shards have different features.
    ByFeature,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 3] = [Order::Blocks, Order::ByLabel, Order::ByFeature];
}

/// Deals rows to shards of equal size; returns the rows of each. Within a shard of sorted rows, the order is random.
#[must_use]
pub fn deal(rows: &Examples, shards: usize, order: Order) -> Vec<Vec<usize>> {
    let mut all: Vec<usize> = (0..rows.len()).collect();
    match order {
        Order::Blocks => {}
        Order::ByLabel => all.sort_by(|&a, &b| rows.label[a].total_cmp(&rows.label[b])),
        Order::ByFeature => all.sort_by_key(|&r| &rows.index[rows.start[r]..rows.start[r + 1]]),
    }
    let size = all.len().div_ceil(shards).max(1);
    if order != Order::Blocks {
        let mut dice = Dice::new(99);
        for block in all.chunks_mut(size) {
            (1..block.len()).rev().for_each(|k| block.swap(k, (dice.roll() * (k + 1) as f64) as usize));
        }
    }
    all.chunks(size).map(<[usize]>::to_vec).collect()
}
