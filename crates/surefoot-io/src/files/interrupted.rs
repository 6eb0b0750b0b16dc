//! Retry of reads that are interrupted by signals.

use std::io;

/// Calls `read` again as long as a signal interrupts it. All inputs are read through this function, so that decoders and parsers of
/// dependencies never see an interruption, which some take for the end of the input or for damage, and some retry forever.
pub(crate) fn uninterrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
