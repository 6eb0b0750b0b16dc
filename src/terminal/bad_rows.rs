//! Warning about the bad rows (rows that cannot be parsed or learnt) that `--skip-bad-rows` skipped.

use super::console::Console;
use crate::words::number;
use surefoot_fit::BadRows;

/// Prints a warning with the number of skipped rows and their first error messages.
pub(crate) fn tell(bad_rows: &BadRows, console: &Console) {
    let count = bad_rows.count();
    if count > 0 {
        let were = if count == 1 { "was" } else { "were" };
        console.warn(&format!("{} at fault {were} passed over; the first:", number::rows(count)));
        bad_rows.first().iter().for_each(|error| console.warn(&error.to_string()));
    }
}
