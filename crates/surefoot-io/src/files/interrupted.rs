//! Reads that are repeated after interruptions by signals.

use std::io;

/// Calls `read` until it is not interrupted by a signal. Every input is read through this function, so that no code above it, including
/// decoders and parsers of dependencies, sees an interruption: some treat it as the end, some as damage, and some retry forever.
pub(crate) fn uninterrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
