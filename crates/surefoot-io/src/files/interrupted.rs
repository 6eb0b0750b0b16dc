//! Retry of reads that are interrupted by signals.

use std::io;

/// Calls `read` again as long as it fails because of a signal (EINTR). All inputs are read through this function, so that decoders
/// and parsers in dependencies never see an interruption: some would take it for the end of the input or for damage, others would
/// retry forever.
pub(crate) fn uninterrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
