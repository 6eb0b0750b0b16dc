//! Conversion of panics in the Parquet and Arrow decoders to errors; panics are caught nowhere else.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use super::ReadFailure;

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
