//! The one place where a panic is caught.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use super::ReadFailure;

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder; if it panics, the data are damaged.
///
/// The crates that decode Parquet and Arrow check most of what they read and return an error, but index and assert in some
/// places that damaged bytes reach: of 20 000 files with one byte changed, sixty made them panic. A reader must not end the program for that, nor print the crate's words. What the
/// decoder has changed is not looked at again: after damage a table is closed.
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
