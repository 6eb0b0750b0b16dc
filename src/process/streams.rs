//! Standard output that was closed before the program began (`>&-`).
//!
//! The runtime of Rust opens /dev/null in its place, so that no file gets its number; what is written would be lost without a word. So
//! it is looked at before that, and made a file that cannot be written.

use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before the runtime.
extern "C" fn look() {
    WAS_CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
}

#[cfg(target_os = "linux")]
#[used]
// SAFETY: the loader calls what this section points to, once, before `main`; `look` needs nothing that is not there then.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Makes writes to a closed standard output fail.
pub(crate) fn keep_closed() {
    if WAS_CLOSED.load(Ordering::Relaxed)
        && let Ok(unwritable) = std::fs::File::open("/dev/null")
    {
        let _ = rustix::stdio::dup2_stdout(unwritable);
    }
}
