//! Store of records (encoded rows) that are read in sorted order: kept in memory and, beyond a limit, in sorted runs in a temporary file.
//!
//! The store is an external merge sort. Whenever memory is full, its records are sorted and written to the file as a run. Reading merges
//! the runs, each read in large pieces, with the records in memory. No record is read by random access, and the order does not depend on
//! where records are kept.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use super::{
    order::ShuffleOrder,
    runs::{Run, Runs},
};

/// Size in bytes of the memory blocks that hold records; a larger record gets a block of its own.
const BLOCK: usize = 1 << 20;
/// Divisor of the memory limit: the buffers for reading runs take 1 / `READING` of the limit.
const READING: usize = 4;

/// Store of records (encoded rows) with their row numbers, which are read in the shuffled order of a pass.
#[derive(Debug)]
pub(super) struct Store {
    order: ShuffleOrder,
    /// Memory limit in bytes; when it is exceeded, the records in memory are moved to the temporary file.
    limit: usize,
    memory: Memory,
    runs: Option<Runs>,
    merge: Merge,
}

/// Records (encoded rows) held in memory in blocks of bytes, with an entry that locates each.
#[derive(Debug, Default)]
struct Memory {
    blocks: Vec<Vec<u8>>,
    bytes: usize,
    entries: Vec<Entry>,
}

/// Location of a record in memory, with its sort key and row number. Entries compare like the rows in the order of the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u64,
    number: u64,
    block: u32,
    at: u32,
    len: usize,
}

/// State of reading all records in sorted order, merged from memory and runs.
#[derive(Debug, Default)]
struct Merge {
    /// Number of records in memory that were already read in the current pass.
    taken: usize,
    runs: Vec<Run>,
    /// Heap of the current record of each run, as sort key, row number and number of the run; smallest key first.
    heads: BinaryHeap<Reverse<(u64, u64, usize)>>,
    /// Number of the run whose current record was returned last; this run advances when the next record is requested. `None` if the last
    /// record came from memory.
    lent: Option<usize>,
}

impl Store {
    /// Builds an empty store with a memory limit of `limit` bytes.
    pub(super) fn new(order: ShuffleOrder, limit: usize) -> Store {
        Store { order, limit, memory: Memory::default(), runs: None, merge: Merge::default() }
    }

    /// Adds the record (encoded row) of row `number`; moves all records in memory to the file if the memory limit is exceeded.
    pub(super) fn push(&mut self, number: u64, record: &[u8]) -> io::Result<()> {
        if self.memory.used() + record.len() > self.limit - self.limit / READING {
            self.spill()?;
        }
        self.memory.push(self.order.key(number), number, record);
        Ok(())
    }

    /// Returns the size of the temporary file in bytes, 0 if there is none.
    pub(super) fn spilled(&self) -> u64 {
        self.runs.as_ref().map_or(0, Runs::len)
    }

    /// Sorts all records in the given order and goes to the first one. Stops early once `over` returns true; the store then lacks some
    /// records and must not be read.
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

    /// Returns the next record in sorted order; `None` after the last one.
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

    /// Sorts all records in a new order, by reading the old runs sequentially and writing new ones to another file.
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

    /// Sorts the records in memory, moves them to the file as a new run, and clears the memory.
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

    /// Returns one reader per run in the file, at the start of the run.
    fn readers(&self) -> Vec<Run> {
        self.runs.as_ref().map_or_else(Vec::new, |runs| runs.readers(self.limit / READING))
    }
}

impl Merge {
    /// Advances run number `run` to its next record and adds this to the heap; does nothing at the end of the run.
    fn advance(&mut self, run: usize, order: ShuffleOrder) -> io::Result<()> {
        let reader = &mut self.runs[run];
        if reader.next()? {
            self.heads.push(Reverse((order.key(reader.number()), reader.number(), run)));
        }
        Ok(())
    }
}

impl Memory {
    /// Returns the memory taken by the records and the entries that locate them, in bytes.
    fn used(&self) -> usize {
        self.bytes + self.entries.len() * size_of::<Entry>()
    }

    /// Adds a record to memory, with its sort key and row number.
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

    /// Returns the bytes of the record that an entry locates.
    fn record(&self, entry: &Entry) -> &[u8] {
        &self.blocks[entry.block as usize][entry.at as usize..][..entry.len]
    }

    /// Discards all records in memory.
    fn clear(&mut self) {
        self.blocks.clear();
        self.entries.clear();
        self.bytes = 0;
    }
}
