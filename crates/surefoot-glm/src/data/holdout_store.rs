//! Storage of the rows held out from training.
//!
//! With several passes the trainer compares models on held-out rows, which it never learns. They are a tenth of the
//! data by default, so a caller with bounded memory stores them on disk; the default store is in memory.

use super::rows::{Batch, Row};
use std::io;

/// Storage of held-out rows, which can be appended, and read back repeatedly in the order in which they were appended.
pub trait HoldoutStore: std::fmt::Debug + Send {
    /// Appends a held-out row to the store.
    ///
    /// # Errors
    /// Returns an I/O error of the storage.
    fn put(&mut self, row: &Row<'_>) -> io::Result<()>;

    /// Calls `each` with every stored row, in the order in which the rows were appended.
    ///
    /// # Errors
    /// Returns an I/O error of the storage.
    fn visit(&mut self, each: &mut dyn FnMut(&Row<'_>)) -> io::Result<()>;
}

/// Store of held-out rows in memory, whose methods never fail.
#[derive(Debug, Default)]
pub struct MemoryHoldout(Batch);

impl HoldoutStore for MemoryHoldout {
    fn put(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.0.append(row);
        Ok(())
    }

    fn visit(&mut self, each: &mut dyn FnMut(&Row<'_>)) -> io::Result<()> {
        (0..self.0.len()).for_each(|r| each(&self.0.row(r)));
        Ok(())
    }
}
