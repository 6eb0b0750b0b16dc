//! Counter of rows at fault that a run skips.

use crate::error::FitError;
use surefoot_io::Error;

/// Number of errors whose text is kept.
const KEPT: usize = 3;

/// Counter of the rows at fault that were skipped in the first pass. Later passes skip the same rows without counting them again.
#[derive(Debug, Default)]
pub struct BadRows {
    allowed: u64,
    count: u64,
    first: Vec<Error>,
}

impl BadRows {
    /// Builds a counter that allows at most `allowed` skipped rows.
    #[must_use]
    pub fn new(allowed: u64) -> BadRows {
        BadRows { allowed, ..BadRows::default() }
    }

    /// Builds a counter for a resumed run that skipped `before` rows before it was interrupted.
    pub(crate) fn after(allowed: u64, before: u64) -> BadRows {
        BadRows { allowed, count: before, first: Vec::new() }
    }

    /// Returns the number of rows skipped.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the errors of the first few skipped rows, at most three.
    #[must_use]
    pub fn first(&self) -> &[Error] {
        &self.first
    }

    /// Skips a row at fault, or returns an error if no more rows may be skipped. `counts` is true in the first pass, where skipped rows are
    /// counted. `error` builds the message, which may take a while, and is called only if the message is needed.
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
