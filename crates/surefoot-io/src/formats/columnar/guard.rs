//! Conversion of panics in the Parquet and Arrow decoders to errors; panics are caught nowhere else.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::{ReadFailure, Table};

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Calls a decoder; converts a panic in it to an error that reports damaged data.
///
/// The crates that decode Parquet and Arrow check most of their input and return an error, but in some places damaged bytes reach an
/// index operation or an assertion: of 20 000 files with one byte changed, sixty caused a panic. A reader must neither end the program
/// in this case nor print the message of the crate. State changed by the decoder is not used again: a damaged table is closed.
pub(super) fn damage<T>(decode: impl FnOnce() -> Result<T, ReadFailure>) -> Result<T, ReadFailure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !DECODING.get() {
                others(info);
            }
        }));
    });
    DECODING.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(false);
    done.unwrap_or_else(|_| {
        Err(ReadFailure::Says("damaged: its parts do not fit together; get the file again".to_owned()))
    })
}

/// Table whose decoder may panic at damaged bytes.
pub(super) struct Guarded(pub(super) Box<dyn Table>);

impl Table for Guarded {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), ReadFailure> {
        self.0.select(columns)
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, ReadFailure> {
        damage(|| self.0.next())
    }

    fn first_null(&self, column: usize) -> Result<Option<u64>, ReadFailure> {
        damage(|| self.0.first_null(column))
    }

    fn rows_before(&self) -> u64 {
        self.0.rows_before()
    }
}
