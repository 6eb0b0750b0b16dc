//! Processor time, which does not count what other programs take.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Processor time of this thread.
#[must_use]
pub fn thread_time() -> Duration {
    read(ClockId::ThreadCPUTime)
}

/// Processor time of all threads of this process.
#[must_use]
pub fn process_time() -> Duration {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
