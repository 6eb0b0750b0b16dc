//! Rows at fault that are passed over: `--skip-bad-rows`.

use crate::{console::Console, failure::Failure, number};

/// How many faults are shown at the end.
const SHOWN: usize = 3;

/// Counts the rows at fault of the first pass; later passes meet the same rows again.
#[derive(Debug, Default)]
pub(crate) struct Skips {
    allowed: u64,
    count: u64,
    first: Vec<String>,
}

impl Skips {
    /// At most `allowed` rows; `before` of them were passed over before a run was interrupted.
    pub(crate) fn new(allowed: u64, before: u64) -> Skips {
        Skips { allowed, count: before, first: Vec::new() }
    }

    /// Rows passed over.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Whether the fault of the next row will be shown: in words that may cost a while.
    pub(crate) fn shows_next(&self, counts: bool) -> bool {
        self.allowed == 0 || counts && (self.first.len() < SHOWN || self.count == self.allowed)
    }

    /// Passes over a row at fault, or says that this is one too many. Only the first pass counts.
    pub(crate) fn pass_over(&mut self, failure: Failure, counts: bool) -> Result<(), Failure> {
        if self.allowed == 0 {
            return Err(failure);
        }
        if !counts {
            return Ok(());
        }
        if self.count == self.allowed {
            let rows = at_fault(self.allowed);
            return Err(failure.and(format!("{rows} passed over before, all that --skip-bad-rows allows")));
        }
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(failure.message);
        }
        Ok(())
    }

    /// Says what was passed over.
    pub(crate) fn tell(&self, console: &Console) {
        if self.count > 0 {
            console.warn(&format!("{} passed over; the first:", at_fault(self.count)));
            self.first.iter().for_each(|says| console.warn(says));
        }
    }
}

/// `2 rows at fault were`
fn at_fault(rows: u64) -> String {
    format!("{} at fault {}", number::rows(rows), if rows == 1 { "was" } else { "were" })
}
