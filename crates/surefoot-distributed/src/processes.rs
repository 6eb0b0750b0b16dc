//! Engine of worker processes on this machine: starts them, carries messages through their pipes, and replaces those
//! that are lost.

use crate::{
    coordinator::{Action, Coordinator},
    exchange::Program,
    message::{read_frame, write_frame},
    status::Status,
    worker::Worker,
};
use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Read, Write},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Time between two ticks of the coordinator.
const TICK: Duration = Duration::from_millis(50);
/// Time between two messages of a worker about its progress.
const PULSE: Duration = Duration::from_millis(100);
/// Number of workers that may be lost without an exchange in between, before the run is given up.
const MAX_LOST: u64 = 5;
/// Time that workers get to end on their own.
const FAREWELL: Duration = Duration::from_secs(2);

/// Runs a worker over a pair of streams, such as standard input and output, until it is told to end or the coordinator
/// is gone. Tells its progress ten times a second.
///
/// # Errors
/// If a stream cannot be read or written, or no thread can be started.
pub fn serve(program: impl Program, mut from: impl Read, to: impl Write + Send) -> io::Result<()> {
    let mut worker = Worker::new(program);
    let (to, pulse) = (Mutex::new(to), worker.pulse());
    let send = |message: &Vec<u8>| write_frame(&mut *to.lock().unwrap_or_else(PoisonError::into_inner), message);
    let (end, has_ended) = channel::<()>();
    let beat = move || {
        while has_ended.recv_timeout(PULSE) == Err(RecvTimeoutError::Timeout)
            && pulse.message().is_none_or(|message| send(&message).is_ok())
        {}
    };
    thread::scope(|scope| {
        // Once this ends, the other thread does, too.
        let _end = end;
        thread::Builder::new().name("progress".to_owned()).spawn_scoped(scope, beat)?;
        worker.tick().iter().try_for_each(send)?;
        while let Some(message) = read_frame(&mut from)? {
            if Worker::is_told_to_end(&message) {
                break;
            }
            worker.handle(&message).iter().try_for_each(send)?;
        }
        Ok(())
    })
}

/// News of a run, for whoever watches it.
#[derive(Debug)]
#[non_exhaustive]
pub enum News<'a> {
    /// A worker process was started, with this process id.
    Started {
        /// Number of the worker.
        worker: u64,
        /// Id of its process.
        process: u32,
    },
    /// A worker process has ended unexpectedly, and another takes its place.
    Lost {
        /// Number of the worker.
        worker: u64,
        /// Status with which it ended, if it is known.
        status: Option<ExitStatus>,
    },
    /// The program has reported something.
    Report(&'a [u8]),
    /// The state of the run, about twenty times a second.
    Status(&'a Status),
}

/// Worker processes, which are killed when this is dropped.
struct Processes<'a> {
    command: &'a mut dyn FnMut() -> Command,
    running: BTreeMap<u64, Running>,
    next: u64,
    events: Sender<(u64, Option<Vec<u8>>)>,
}

struct Running {
    child: Child,
    /// Messages for the thread that writes to the process, which may not read for a while.
    messages: Sender<Vec<u8>>,
}

impl fmt::Debug for Processes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processes").field("running", &self.running.len()).finish_non_exhaustive()
    }
}

impl Processes<'_> {
    /// Starts a process and the threads that read from it and write to it. Returns its number and process id.
    fn start(&mut self) -> io::Result<(u64, u32)> {
        let mut child = (self.command)().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(mut to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a worker has no pipes"));
        };
        let (worker, process) = (self.next, child.id());
        self.next += 1;
        let (messages, outbox) = channel::<Vec<u8>>();
        let events = self.events.clone();
        thread::Builder::new().name("to worker".to_owned()).spawn(move || {
            // A process that does not read any more is found out by the other thread.
            while outbox.recv().is_ok_and(|message| write_frame(&mut to, &message).is_ok()) {}
        })?;
        thread::Builder::new().name("from worker".to_owned()).spawn(move || {
            while let Ok(Some(message)) = read_frame(&mut from) {
                if events.send((worker, Some(message))).is_err() {
                    return;
                }
            }
            let _ = events.send((worker, None));
        })?;
        self.running.insert(worker, Running { child, messages });
        Ok((worker, process))
    }

    fn send(&self, worker: u64, message: Vec<u8>) {
        if let Some(running) = self.running.get(&worker) {
            let _ = running.messages.send(message);
        }
    }

    /// Removes a process whose pipe is closed, and returns the status with which it ended.
    fn remove(&mut self, worker: u64) -> Option<ExitStatus> {
        let mut running = self.running.remove(&worker)?;
        let _ = running.child.kill();
        running.child.wait().ok()
    }

    /// Waits for the processes to end, after they were told to.
    fn farewell(&mut self) {
        let until = Instant::now() + FAREWELL;
        for running in self.running.values_mut() {
            while matches!(running.child.try_wait(), Ok(None)) && Instant::now() < until {
                thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

impl Drop for Processes<'_> {
    fn drop(&mut self) {
        for running in self.running.values_mut() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

/// Runs a distributed program on this many worker processes, which `command` starts; each has to [`serve`] the program on
/// its standard input and output. Calls `watch` with news, and asks the workers to stop once `stop` returns true.
///
/// # Errors
/// The message with which the program has failed, or the reason why workers cannot be started.
pub fn run(
    mut coordinator: Coordinator,
    workers: usize,
    command: &mut dyn FnMut() -> Command,
    stop: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(News<'_>),
) -> Result<Vec<u8>, String> {
    let (events, inbox) = channel();
    let mut processes = Processes { command, running: BTreeMap::new(), next: 0, events };
    let mut actions = Vec::new();
    for _ in 0..workers.max(1) {
        actions.extend(join(&mut processes, &mut coordinator, watch)?);
    }
    let result = Run { processes: &mut processes, coordinator: &mut coordinator, inbox, lost: 0, exchanges: 0 }
        .until_the_end(actions, stop, watch);
    // Short runs end between two ticks.
    watch(News::Status(&coordinator.status()));
    // Without a result there is nothing that workers in the midst of their work could still be needed for.
    if result.as_ref().is_ok_and(|result| !result.is_empty()) {
        processes.farewell();
    }
    result
}

fn join(
    processes: &mut Processes<'_>,
    coordinator: &mut Coordinator,
    watch: &mut dyn FnMut(News<'_>),
) -> Result<Vec<Action>, String> {
    let (worker, process) = processes.start().map_err(|error| format!("a worker cannot be started: {error}"))?;
    watch(News::Started { worker, process });
    Ok(coordinator.joined(worker))
}

struct Run<'r, 'c> {
    processes: &'r mut Processes<'c>,
    coordinator: &'r mut Coordinator,
    inbox: Receiver<(u64, Option<Vec<u8>>)>,
    /// Number of workers lost since the last exchange, and the number of exchanges then.
    lost: u64,
    exchanges: u64,
}

impl Run<'_, '_> {
    fn until_the_end(
        mut self,
        mut actions: Vec<Action>,
        stop: &dyn Fn() -> bool,
        watch: &mut dyn FnMut(News<'_>),
    ) -> Result<Vec<u8>, String> {
        let (start, mut ticked) = (Instant::now(), Instant::now());
        loop {
            for action in std::mem::take(&mut actions) {
                match action {
                    Action::Send { worker, message } => self.processes.send(worker, message),
                    Action::Report(report) => watch(News::Report(&report)),
                    Action::Finished(result) => return Ok(result),
                    Action::Failed(message) => return Err(message),
                }
            }
            match self.inbox.recv_timeout(TICK) {
                Ok((worker, Some(message))) => {
                    actions.extend(self.coordinator.tick(start.elapsed().as_millis() as u64));
                    actions.extend(self.coordinator.received(worker, &message));
                }
                Ok((worker, None)) => actions.extend(self.replace(worker, watch)?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err("all workers are gone".to_owned()),
            }
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                actions.extend(self.coordinator.tick(start.elapsed().as_millis() as u64));
                watch(News::Status(&self.coordinator.status()));
                if stop() {
                    actions.extend(self.coordinator.stop());
                }
            }
        }
    }

    /// Starts another process in the place of one that is lost.
    fn replace(&mut self, worker: u64, watch: &mut dyn FnMut(News<'_>)) -> Result<Vec<Action>, String> {
        let status = self.processes.remove(worker);
        watch(News::Lost { worker, status });
        let exchanges = self.coordinator.status().exchanges;
        self.lost = if exchanges > self.exchanges { 1 } else { self.lost + 1 };
        self.exchanges = exchanges;
        if self.lost > MAX_LOST {
            let how = status.map_or_else(String::new, |status| format!(" ({status})"));
            return Err(format!("workers end again and again{how}: is there enough memory?"));
        }
        let mut actions = self.coordinator.lost(worker);
        actions.extend(join(self.processes, self.coordinator, watch)?);
        Ok(actions)
    }
}
