//! Blocks of rows that are summed separately: the shards of the data set, or parts of the rows of one process.

use super::{
    design::{Design, Sample},
    workers::{Stopped, Workers},
};
use crate::shards::{Fold, Partial, Shards};
use std::{ops::Range, sync::Mutex};

/// Consecutive rows of a sample of the design matrix that are summed separately.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Number of the block among those of all processes.
    pub(super) number: usize,
    /// Positions of the rows in arrays with one entry per row of the sample.
    pub(super) rows: Range<usize>,
    /// Row of the design matrix that is the first of the block.
    first: usize,
    stride: usize,
}

impl Block {
    /// Returns the row of the design matrix that is the `r`-th row of the block.
    #[inline(always)]
    pub(super) fn row(&self, r: usize) -> usize {
        self.first + r * self.stride
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

/// Blocks of all rows of a sample that this process owns.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// Number of blocks in all processes together.
    pub(super) total: usize,
    pub(super) own: Vec<Block>,
}

impl Blocks {
    /// Returns the shards of a design matrix as blocks or, if its rows are not in shards, at most `most` blocks of the
    /// same number of rows.
    pub(super) fn new(design: &Design, stride: usize, most: usize) -> Blocks {
        let Some(shards) = &design.shards else {
            let rows = design.rows().div_ceil(stride);
            let per = rows.div_ceil(most).max(1);
            let total = rows.div_ceil(per).max(1);
            let block = |number: usize| {
                let rows = number * per..((number + 1) * per).min(rows);
                Block { number, first: rows.start * stride, rows, stride }
            };
            return Blocks { total, own: (0..total).map(block).collect() };
        };
        let mut from = 0;
        let block = |(number, rows): &(usize, Range<usize>)| {
            let rows_of_block = from..from + rows.len().div_ceil(stride);
            from = rows_of_block.end;
            Block { number: *number, rows: rows_of_block, first: rows.start, stride }
        };
        Blocks { total: shards.total, own: design.own.iter().map(block).collect() }
    }

    /// Returns the number of rows of all blocks of this process.
    pub(super) fn rows(&self) -> usize {
        self.own.last().map_or(0, |block| block.rows.end)
    }

    /// Divides an array with `width` numbers per row into the parts of the blocks.
    pub(super) fn split<'x, T>(&self, mut array: &'x [T], width: usize) -> Vec<&'x [T]> {
        let part = |block: &Block| {
            let (part, rest) = array.split_at(block.len() * width);
            array = rest;
            part
        };
        self.own.iter().map(part).collect()
    }

    /// Divides an array with `width` numbers per row into the parts of the blocks, which can be written to.
    pub(super) fn split_mut<'x, T>(&self, mut array: &'x mut [T], width: usize) -> Vec<&'x mut [T]> {
        let part = |block: &Block| {
            let (part, rest) = std::mem::take(&mut array).split_at_mut(block.len() * width);
            array = rest;
            part
        };
        self.own.iter().map(part).collect()
    }
}

impl Workers<'_> {
    /// Computes a partial result of each block, on all threads, and returns the result over all rows, which is the same
    /// to the bit for any number of threads and of processes. `with` holds one item per block, such as the part of an
    /// array to be filled.
    pub(super) fn combine<T: Send>(
        &self,
        sample: &Sample,
        blocks: &Blocks,
        with: Vec<T>,
        work: impl Fn(&Block, T) -> Partial + Sync,
    ) -> Result<Partial, Stopped> {
        let fold = Mutex::new(Fold::new(blocks.total));
        let items = blocks.own.iter().zip(with).collect();
        self.run(items, |(block, item): (&Block, T)| {
            let partial = work(block, item);
            fold.lock().expect("no block panics").insert(block.number..block.number + 1, partial);
        })?;
        self.exchange(sample.design.shards.as_ref(), fold.into_inner().expect("no block panics"))
    }

    /// Computes a partial result of the rows of each shard, one shard after the other, and returns the result over all
    /// shards.
    pub(super) fn combine_shards(
        &self,
        shards: Option<&Shards>,
        own: &[(usize, Range<usize>)],
        work: impl Fn(&Range<usize>) -> Partial + Sync,
    ) -> Result<Partial, Stopped> {
        let mut fold = Fold::new(shards.map_or(1, |shards| shards.total));
        for (number, rows) in own {
            self.check()?;
            fold.insert(*number..number + 1, work(rows));
        }
        self.exchange(shards, fold)
    }

    fn exchange(&self, shards: Option<&Shards>, fold: Fold) -> Result<Partial, Stopped> {
        match shards {
            None => Ok(fold.total().expect("all blocks are here")),
            Some(shards) => {
                // Nobody waits for a process that was asked to stop.
                self.check()?;
                shards.collective.combine(fold.into_nodes()).map_err(|_| self.interrupted())
            }
        }
    }

    /// Computes a partial result of each block of all rows, and returns the result over all rows.
    pub(super) fn over_rows(
        &self,
        sample: &Sample,
        work: impl Fn(&Block) -> Partial + Sync,
    ) -> Result<Partial, Stopped> {
        let blocks = sample.blocks();
        let with = vec![(); blocks.own.len()];
        self.combine(sample, &blocks, with, |block, ()| work(block))
    }

    /// Whether something is true in all processes, given whether it is in this one.
    pub(super) fn all(&self, sample: &Sample, is: bool) -> Result<bool, Stopped> {
        Ok(self.largest(sample, f64::from(!is))? == 0.0)
    }

    /// Returns the least of the numbers that the processes have, one each; NaN if one of them is.
    pub(super) fn least(&self, sample: &Sample, number: f64) -> Result<f64, Stopped> {
        Ok(-self.largest(sample, -number)?)
    }

    /// Returns the largest of the numbers that the processes have, one each; NaN if one of them is.
    pub(super) fn largest(&self, sample: &Sample, number: f64) -> Result<f64, Stopped> {
        if sample.design.shards.is_none() {
            return Ok(number);
        }
        Ok(self.over_rows(sample, |_| Partial { maxima: vec![number], ..Partial::default() })?.maxima[0])
    }
}
