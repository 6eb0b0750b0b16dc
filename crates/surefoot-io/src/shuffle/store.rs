//! Records in the order of a pass: in memory, or, where they are too many, in sorted runs in a temporary file.
//!
//! This is an external merge sort. Whenever memory is full, what it holds is sorted and written to the file as a run;
//! reading merges the runs, each read by large pieces, with what is in memory. So nothing is sought row by row, and the
//! order is the same wherever rows are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use super::{
    order::ShuffleOrder,
    runs::{Run, Runs},
};

/// Bytes of a block of memory, unless one record has more.
const BLOCK: usize = 1 << 20;
/// Of so many bytes that may be in memory, one is for reading runs.
const READING: usize = 4;

/// Records with the numbers of their rows.
#[derive(Debug)]
pub(super) struct Store {
    order: ShuffleOrder,
    /// Bytes that may be in memory.
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

/// Where a record in memory is. They ascend as rows do in the order of the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u64,
    number: u64,
    block: u32,
    at: u32,
    len: usize,
}

/// How far records are read.
#[derive(Debug, Default)]
struct Merge {
    /// Records taken of those in memory.
    taken: usize,
    runs: Vec<Run>,
    /// Key, number and run of the record that each run stands at.
    heads: BinaryHeap<Reverse<(u64, u64, usize)>>,
    /// The run whose record was handed out last, and is in use until the next one is asked for.
    lent: Option<usize>,
}

impl Store {
    /// Nothing yet, of which about `limit` bytes may be in memory.
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

    /// Bytes of the temporary file.
    pub(super) fn spilled(&self) -> u64 {
        self.runs.as_ref().map_or(0, Runs::len)
    }

    /// Puts all records into this order, to be read from the first on. Gives up, with nothing to be read, when `over` says so.
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

    /// The next record.
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

    /// Sorts all records anew. They are read as they lie, which is from one end of the file to the other.
    fn rewrite(&mut self, order: ShuffleOrder, over: &dyn Fn() -> bool) -> io::Result<()> {
        // Memory is needed for the new ones.
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

    /// Moves what is in memory to the file.
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

    /// Readers of all runs.
    fn readers(&self) -> Vec<Run> {
        self.runs.as_ref().map_or_else(Vec::new, |runs| runs.readers(self.limit / READING))
    }
}

impl Merge {
    /// Goes on to the next record of a run, if it has one.
    fn advance(&mut self, run: usize, order: ShuffleOrder) -> io::Result<()> {
        let reader = &mut self.runs[run];
        if reader.next()? {
            self.heads.push(Reverse((order.key(reader.number()), reader.number(), run)));
        }
        Ok(())
    }
}

impl Memory {
    /// Bytes of records and of what is known of them.
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
        // Within a block, of which one begins every BLOCK bytes.
        self.entries.push(Entry { key, number, block: block as u32, at: bytes.len() as u32, len: record.len() });
        bytes.extend_from_slice(record);
        self.bytes += record.len();
    }

    /// The record of an entry.
    fn record(&self, entry: &Entry) -> &[u8] {
        &self.blocks[entry.block as usize][entry.at as usize..][..entry.len]
    }

    /// Forgets all records.
    fn clear(&mut self) {
        self.blocks.clear();
        self.entries.clear();
        self.bytes = 0;
    }
}
