//! Storage of held-out rows.
//!
//! With several passes the trainer compares models on rows that it never learns from. They are a tenth of the
//! data, so a caller with bounded memory stores them on disk; the default store is in memory.

use super::rows::{Batch, Row};
use std::io;

/// A store of held-out rows: appended in order, read back in order as often as needed.
pub trait HoldoutStore: std::fmt::Debug + Send {
    /// Appends a row.
    ///
    /// # Errors
    /// I/O errors of the storage.
    fn put(&mut self, row: &Row<'_>) -> io::Result<()>;

    /// Passes every row to `each`, in the order in which they were appended.
    ///
    /// # Errors
    /// I/O errors of the storage.
    fn visit(&mut self, each: &mut dyn FnMut(&Row<'_>)) -> io::Result<()>;
}

/// A [`HoldoutStore`] in memory; never fails.
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
