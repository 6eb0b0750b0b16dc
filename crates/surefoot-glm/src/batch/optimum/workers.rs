//! Threads that process a fixed list of blocks, so that results do not depend on the number of threads.

use crate::threads::share;
use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

/// Error of a function that has ended early because the caller asked to stop the optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// Number of threads, the caller's `stop` callback, and whether it has returned true.
pub(super) struct Workers<'a> {
    threads: usize,
    stop: &'a (dyn Fn() -> bool + Sync),
    stopped: AtomicBool,
}

impl<'a> Workers<'a> {
    pub(super) fn new(threads: usize, stop: &'a (dyn Fn() -> bool + Sync)) -> Workers<'a> {
        Workers { threads: threads.max(1), stop, stopped: AtomicBool::new(false) }
    }

    /// Whether the caller has requested to stop. To be called about every millisecond; once it has returned true, it
    /// always does.
    pub(super) fn stopped(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let stop = (self.stop)();
        if stop {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stop
    }

    /// Notes that another process, or the connection to it, has ended the optimisation.
    pub(super) fn interrupted(&self) -> Stopped {
        self.stopped.store(true, Ordering::Relaxed);
        Stopped
    }

    pub(super) fn check(&self) -> Result<(), Stopped> {
        if self.stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Processes all blocks on the threads. The list of blocks is fixed by the caller, so sums over blocks do not
    /// depend on the number of threads. Returns an error if the caller requested to stop, in which case some blocks may
    /// not have been processed.
    pub(super) fn run<S: Send>(&self, blocks: Vec<S>, work: impl Fn(S) + Sync) -> Result<(), Stopped> {
        let threads = self.threads.min(blocks.len());
        if threads <= 1 {
            blocks.into_iter().for_each(work);
            return self.check();
        }
        let queue = Mutex::new(blocks.into_iter());
        let next = || queue.lock().expect("no block panics").next();
        let serve = || {
            while let Some(block) = next() {
                work(block);
            }
        };
        share(threads, serve);
        self.check()
    }
}
