//! The exception of a callback, kept until the library has returned.
//!
//! The library cannot fail while a part is at work, so a part written in Python that raises leaves its exception here
//! and answers with something harmless; whoever called the library takes the exception and raises it.

use std::cell::RefCell;

use pyo3::prelude::*;

thread_local! {
    /// The first exception that a callback of this thread raised since it was last taken.
    static FAULT: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Returns the value of `call`, a callback into Python, or `fallback` if it raises. After an exception that has not
/// been taken yet no callback is made.
pub(super) fn guard<T>(fallback: T, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
    if FAULT.with_borrow(Option::is_some) {
        return fallback;
    }
    Python::attach(call).unwrap_or_else(|error| {
        FAULT.set(Some(error));
        fallback
    })
}

/// Returns the exception that a callback has left, if any, and forgets it.
pub(super) fn raised() -> PyResult<()> {
    FAULT.take().map_or(Ok(()), Err)
}
