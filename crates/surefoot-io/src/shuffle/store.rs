//! Store of records in the order of a pass: in memory and, if there are too many, in sorted runs in a temporary file.
//!
//! The store is an external merge sort. Whenever memory is full, its records are sorted and written to the file as a run. Reading merges
//! the runs, each read in large pieces, with the records in memory. No record is read by random access, and the order does not depend on
//! where records are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use super::{
    order::ShuffleOrder,
    runs::{Run, Runs},
};

/// Size of a block of memory in bytes, unless a single record is larger.
const BLOCK: usize = 1 << 20;
/// Divisor of the memory limit that gives the memory for reading runs.
const READING: usize = 4;

/// Store of records with the numbers of their rows.
#[derive(Debug)]
pub(super) struct Store {
    order: ShuffleOrder,
    /// Maximum number of bytes in memory.
    limit: usize,
    memory: Memory,
    runs: Option<Runs>,
    merge: Merge,
}

/// Records in memory.
#[derive(Debug, Default)]
struct Memory {
    blocks: Vec<Vec<u8>>,
    bytes: usize,
    entries: Vec<Entry>,
}

/// Position of a record in memory. The order of entries is that of the rows in the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u64,
    number: u64,
    block: u32,
    at: u32,
    len: usize,
}

/// Progress of reading the records in merged order.
#[derive(Debug, Default)]
struct Merge {
    /// Number of records in memory that were already returned.
    taken: usize,
    runs: Vec<Run>,
    /// Key, row number and run of the current record of each run.
    heads: BinaryHeap<Reverse<(u64, u64, usize)>>,
    /// Run whose record was returned last, and is in use until the next record is requested.
    lent: Option<usize>,
}

impl Store {
    /// Builds an empty store that keeps about `limit` bytes in memory.
    pub(super) fn new(order: ShuffleOrder, limit: usize) -> Store {
        Store { order, limit, memory: Memory::default(), runs: None, merge: Merge::default() }
    }

    /// Adds the record of a row.
    pub(super) fn push(&mut self, number: u64, record: &[u8]) -> io::Result<()> {
        if self.memory.used() + record.len() > self.limit - self.limit / READING {
            self.spill()?;
        }
        self.memory.push(self.order.key(number), number, record);
        Ok(())
    }

    /// Returns the size of the temporary file in bytes.
    pub(super) fn spilled(&self) -> u64 {
        self.runs.as_ref().map_or(0, Runs::len)
    }

    /// Arranges all records in this order, to be read from the first on. Stops early when `over` returns true, and leaves the records
    /// incomplete.
    pub(super) fn arrange(&mut self, order: ShuffleOrder, over: &dyn Fn() -> bool) -> io::Result<()> {
        if order != self.order && self.runs.is_some() {
            self.rewrite(order, over)?;
        } else if order != self.order {
            self.order = order;
            self.memory.entries.iter_mut().for_each(|entry| entry.key = order.key(entry.number));
        }
        self.memory.entries.sort_unstable();
        self.merge = Merge { runs: self.readers(), ..Merge::default() };
        (0..self.merge.runs.len()).try_for_each(|run| self.merge.advance(run, order))
    }

    /// Returns the next record; `None` after the last one.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let merge = &mut self.merge;
        if let Some(run) = merge.lent.take() {
            merge.advance(run, self.order)?;
        }
        let entry = self.memory.entries.get(merge.taken);
        let head = merge.heads.peek().map(|Reverse((key, number, _))| (*key, *number));
        if let Some(entry) = entry.filter(|entry| head.is_none_or(|head| (entry.key, entry.number) < head)) {
            merge.taken += 1;
            return Ok(Some(self.memory.record(entry)));
        }
        merge.lent = merge.heads.pop().map(|Reverse((_, _, run))| run);
        Ok(merge.lent.map(|run| merge.runs[run].record()))
    }

    /// Sorts all records in a new order. Reads the file sequentially, from start to end.
    fn rewrite(&mut self, order: ShuffleOrder, over: &dyn Fn() -> bool) -> io::Result<()> {
        // The new runs need the memory.
        self.spill()?;
        let mut sorted = Store::new(order, self.limit);
        for mut run in self.readers() {
            while run.next()? && !over() {
                sorted.push(run.number(), run.record())?;
            }
        }
        *self = sorted;
        Ok(())
    }

    /// Sorts the records in memory and moves them to the file as a run.
    fn spill(&mut self) -> io::Result<()> {
        if self.memory.entries.is_empty() {
            return Ok(());
        }
        self.memory.entries.sort_unstable();
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => none.insert(Runs::create()?),
        };
        let Memory { entries, .. } = &self.memory;
        runs.write(entries.iter().map(|entry| (entry.number, self.memory.record(entry))))?;
        self.memory.clear();
        Ok(())
    }

    /// Returns readers of all runs.
    fn readers(&self) -> Vec<Run> {
        self.runs.as_ref().map_or_else(Vec::new, |runs| runs.readers(self.limit / READING))
    }
}

impl Merge {
    /// Advances a run to its next record, if there is one.
    fn advance(&mut self, run: usize, order: ShuffleOrder) -> io::Result<()> {
        let reader = &mut self.runs[run];
        if reader.next()? {
            self.heads.push(Reverse((order.key(reader.number()), reader.number(), run)));
        }
        Ok(())
    }
}

impl Memory {
    /// Returns the number of bytes of the records and their entries.
    fn used(&self) -> usize {
        self.bytes + self.entries.len() * size_of::<Entry>()
    }

    /// Adds the record of a row.
    fn push(&mut self, key: u64, number: u64, record: &[u8]) {
        if self.blocks.last().is_none_or(|block| block.len() + record.len() > block.capacity()) {
            self.blocks.push(Vec::with_capacity(record.len().max(BLOCK)));
        }
        let block = self.blocks.len() - 1;
        let bytes = &mut self.blocks[block];
        // Position within a block; a new block begins about every BLOCK bytes, so that it fits 32 bits.
        self.entries.push(Entry { key, number, block: block as u32, at: bytes.len() as u32, len: record.len() });
        bytes.extend_from_slice(record);
        self.bytes += record.len();
    }

    /// Returns the record of an entry.
    fn record(&self, entry: &Entry) -> &[u8] {
        &self.blocks[entry.block as usize][entry.at as usize..][..entry.len]
    }

    /// Discards all records.
    fn clear(&mut self) {
        self.blocks.clear();
        self.entries.clear();
        self.bytes = 0;
    }
}
