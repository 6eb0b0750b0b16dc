//! Threads with a fallback: if the operating system refuses a new thread, the calling thread does the work.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, scope};

/// Runs `work` on a new thread, which takes the data `needs`; returns the data if the operating system refuses a
/// thread.
///
/// ```
/// use surefoot_glm::threads::start;
/// let sum = match start("adder", vec![1, 2, 3], |numbers| numbers.iter().sum::<i32>()) {
///     Ok(thread) => thread.join().unwrap(),
///     Err(numbers) => numbers.iter().sum(),
/// };
/// assert_eq!(sum, 6);
/// ```
///
/// # Errors
/// Returns `needs` if the system refuses a thread.
pub fn start<S: Send + 'static, T: Send + 'static>(
    name: &str,
    needs: S,
    work: impl FnOnce(S) -> T + Send + 'static,
) -> Result<JoinHandle<T>, S> {
    // `spawn` consumes its closure even if it fails, so the data are shared.
    let shared = Arc::new(Mutex::new(Some(needs)));
    let take = |shared: &Mutex<Option<S>>| shared.lock().unwrap_or_else(PoisonError::into_inner).take();
    let theirs = Arc::clone(&shared);
    let run = move || work(take(&theirs).expect("nobody else takes it once the thread runs"));
    Builder::new().name(name.to_owned()).spawn(run).map_err(|_| take(&shared).expect("no thread has taken it"))
}

/// Maximum number of threads that [`share`] uses.
const MOST: usize = 1024;

/// Runs `work` on up to `threads` threads at once (at most 1,024), including the calling thread, and waits for them.
/// `work` has to take tasks from a queue shared by all threads and return when none is left, because the operating
/// system may refuse some threads.
pub fn share(threads: usize, work: impl Fn() + Sync) {
    scope(|scope| {
        for _ in 1..threads.min(MOST) {
            if Builder::new().spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn all_work_is_done_whoever_does_it() {
        let (left, done) = (AtomicUsize::new(100), AtomicUsize::new(0));
        share(4, || {
            while left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
                done.fetch_add(1, Ordering::SeqCst);
            }
        });
        assert_eq!(done.into_inner(), 100);
        assert_eq!(start("one", 20, |x| x + 1).unwrap().join().unwrap(), 21);
    }
}
