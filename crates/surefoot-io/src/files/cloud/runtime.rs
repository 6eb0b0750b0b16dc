//! Thread on which all requests run, whoever waits for them.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Builder, Handle};
use tokio::task::AbortHandle;

/// Runtime of this process; that of its parent has no thread here.
static RUNTIME: Mutex<Option<(u32, Handle)>> = Mutex::new(None);

/// Result of a task that runs on the thread of requests. Dropping it cancels the task.
pub(super) struct Pending<T> {
    result: Receiver<T>,
    task: AbortHandle,
}

impl<T> Pending<T> {
    /// Waits for the result.
    pub(super) fn wait(self) -> io::Result<T> {
        self.result.recv().map_err(|_| io::Error::other("the thread that reads from the network has ended"))
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts a task on the thread of requests.
pub(super) fn start<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> io::Result<Pending<T>> {
    let (give, result) = sync_channel(1);
    // If nobody waits any more, the result is of no use.
    let task = handle()?.spawn(async move { _ = give.send(task.await) }).abort_handle();
    Ok(Pending { result, task })
}

/// Runs a task on the thread of requests and waits for it.
pub(super) fn wait<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    start(task)?.wait()
}

fn handle() -> io::Result<Handle> {
    let mut known = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((of, handle)) = &*known
        && *of == process
    {
        return Ok(handle.clone());
    }
    let (give, take) = sync_channel(1);
    std::thread::Builder::new().name("network".to_owned()).spawn(move || run(&give))?;
    let handle = take.recv().map_err(io::Error::other)??;
    *known = Some((process, handle.clone()));
    Ok(handle)
}

fn run(give: &SyncSender<io::Result<Handle>>) {
    match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => {
            let _ = give.send(Ok(runtime.handle().clone()));
            runtime.block_on(std::future::pending::<()>());
        }
        Err(error) => _ = give.send(Err(error)),
    }
}
