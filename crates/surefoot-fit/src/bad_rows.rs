//! Rows at fault that are skipped.

use crate::error::FitError;
use surefoot_io::Error;

/// Number of errors kept.
const KEPT: usize = 3;

/// Counts the skipped rows at fault of the first pass; later passes skip the same rows again.
#[derive(Debug, Default)]
pub struct BadRows {
    allowed: u64,
    count: u64,
    first: Vec<Error>,
}

impl BadRows {
    /// A counter that allows at most `allowed` skipped rows.
    #[must_use]
    pub fn new(allowed: u64) -> BadRows {
        BadRows { allowed, ..BadRows::default() }
    }

    /// After `before` rows that were passed over before a run was interrupted.
    pub(crate) fn after(allowed: u64, before: u64) -> BadRows {
        BadRows { allowed, count: before, first: Vec::new() }
    }

    /// Number of rows skipped.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The errors of the first few of them.
    #[must_use]
    pub fn first(&self) -> &[Error] {
        &self.first
    }

    /// Passes over a row at fault, or returns why that is one too many. Only rows of the first pass count. The error, which may take a
    /// while to word, is made only if it is shown.
    pub(crate) fn pass_over(&mut self, error: impl FnOnce() -> Error, counts: bool) -> Result<(), FitError> {
        if self.allowed == 0 {
            return Err(FitError::Read(error()));
        }
        if !counts {
            return Ok(());
        }
        if self.count == self.allowed {
            return Err(FitError::TooManyBadRows { allowed: self.allowed, next: error() });
        }
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(error());
        }
        Ok(())
    }
}
