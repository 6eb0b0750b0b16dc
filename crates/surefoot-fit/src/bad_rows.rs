//! Counter of the bad rows (rows that cannot be parsed or learnt) that a run skips.

use crate::error::FitError;
use surefoot_io::Error;

/// Maximum number of skipped rows whose error is kept.
const KEPT: usize = 3;

/// Counter of the bad rows (rows that cannot be parsed or learnt) that were skipped, with a limit on their number. Counts rows in the first
/// pass only, because later passes skip the same rows again.
#[derive(Debug, Default)]
pub struct BadRows {
    allowed: u64,
    count: u64,
    first: Vec<Error>,
}

impl BadRows {
    /// Creates a counter that allows at most `allowed` bad rows to be skipped.
    #[must_use]
    pub fn new(allowed: u64) -> BadRows {
        BadRows { allowed, ..BadRows::default() }
    }

    /// Creates a counter for a resumed run, whose earlier part already skipped `before` rows; they count towards the limit of `allowed`
    /// rows.
    pub(crate) fn after(allowed: u64, before: u64) -> BadRows {
        BadRows { allowed, count: before, first: Vec::new() }
    }

    /// Returns the number of rows skipped so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Starts to count anew; what may be skipped stays the same.
    pub(crate) fn forget(&mut self) {
        self.count = 0;
    }

    /// Returns the errors of the first skipped rows, at most three.
    #[must_use]
    pub fn first(&self) -> &[Error] {
        &self.first
    }

    /// Skips a bad row, or returns an error if no more rows may be skipped. `counts` is true in the first pass over the data, the only one
    /// where skipped rows are counted. `error` builds the error with its message, which may take a while, and is called only if needed.
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
