//! Work on a thread of its own, while the calling thread answers Ctrl-C.

use pyo3::prelude::*;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};
use surefoot_fit::StopConditions;

/// Time between two looks for a pending Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(20);

/// Runs `work` without the interpreter lock on a thread of its own, and returns its result together with the exception with which a signal
/// handler of Python answered (`KeyboardInterrupt` for Ctrl-C). The stop conditions that `work` receives hold from that moment on. Python
/// runs its signal handlers on the main thread alone; on others nothing interrupts the work.
pub(crate) fn answering_signals<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(StopConditions) -> T + Send,
) -> (T, Option<PyErr>) {
    let stop = Arc::new(AtomicBool::new(false));
    let conditions = StopConditions::flag(Arc::clone(&stop));
    py.detach(|| {
        thread::scope(|scope| {
            let (give, take) = mpsc::channel::<()>();
            let worker = scope.spawn(move || {
                // Dropped when the work has ended, also by a panic.
                let _ended = give;
                work(conditions)
            });
            let mut raised = None;
            while take.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    raised.get_or_insert(error);
                    stop.store(true, Relaxed);
                }
            }
            match worker.join() {
                Ok(result) => (result, raised),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    })
}
