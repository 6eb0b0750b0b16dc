//! Warning about the bad rows (rows that cannot be parsed or learnt) that `--skip-bad-rows` skipped.

use super::console::Console;
use crate::words::number;
use std::fmt::Display;

/// Prints a warning with the number of skipped rows and their first error messages.
pub(crate) fn tell(count: u64, first: &[impl Display], console: &Console) {
    if count > 0 {
        let were = if count == 1 { "was" } else { "were" };
        console.warn(&format!("{} at fault {were} passed over; the first:", number::rows(count)));
        first.iter().for_each(|error| console.warn(&error.to_string()));
    }
}
