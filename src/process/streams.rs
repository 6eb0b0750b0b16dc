//! Detection of a standard output that was closed before the program began (`>&-`).
//!
//! The Rust runtime opens /dev/null in place of a closed standard output, so that no file gets its descriptor, and everything written would
//! be lost silently. Therefore standard output is checked before the runtime starts, and replaced by a file that cannot be written.

use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Records whether standard output is closed. Called before the Rust runtime starts.
extern "C" fn look() {
    WAS_CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
}

#[cfg(target_os = "linux")]
#[used]
// SAFETY: the loader calls the function in this section once, before `main`; `look` needs nothing that is initialised later.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Makes every write to standard output fail if it was closed when the program started.
pub(crate) fn keep_closed() {
    if WAS_CLOSED.load(Ordering::Relaxed)
        && let Ok(unwritable) = std::fs::File::open("/dev/null")
    {
        let _ = rustix::stdio::dup2_stdout(unwritable);
    }
}
