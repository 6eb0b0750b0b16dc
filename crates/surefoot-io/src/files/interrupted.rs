//! Reading despite interruptions by signals.

use std::io;

/// Reads, and once more where a signal came between. Every input is read through this, so that nothing above it, decoders and parsers
/// of dependencies included, ever meets an interruption: some take one for the end, some for damage, and some ask for ever.
pub(crate) fn uninterrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
