//! Worker: runs the program on its shards, and turns messages of the coordinator into messages to it.

use crate::{
    exchange::{Event, Exchange, Program},
    message::{FromWorker, Message, ToWorker, to_bytes},
    progress::Pulse,
};
use std::{
    fmt,
    ops::Range,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};
use xxhash_rust::xxh3::xxh3_64;

/// Worker of a distributed run. It has no clock and no connection of its own: whoever owns it carries the messages.
///
/// The program runs on a thread, and only while [`handle`](Worker::handle) runs. Therefore the messages that a worker
/// sends depend only on those that it has received.
pub struct Worker {
    program: Arc<dyn Program>,
    run: Option<Run>,
    pulse: Pulse,
}

/// Program that is running, or has ended.
struct Run {
    epoch: u64,
    own: Range<usize>,
    /// Digest of the job and its start, by which a repeated assignment is recognised.
    job: u64,
    events: Receiver<Event>,
    answers: Sender<Vec<u8>>,
    /// Last message that needs an answer, repeated until it comes.
    pending: Option<(FromWorker, Vec<u8>)>,
    /// Number of exchanges before the one that the program waits for, or before its end.
    exchanges: u64,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("own", &self.run.as_ref().map(|run| run.own.clone())).finish_non_exhaustive()
    }
}

impl Worker {
    /// Creates a worker without shards that will run this program.
    pub fn new(program: impl Program) -> Worker {
        Worker { program: Arc::new(program), run: None, pulse: Pulse::default() }
    }

    /// Returns a source of messages about the progress of the worker, which another thread may send while
    /// [`handle`](Worker::handle) runs.
    #[must_use]
    pub fn pulse(&self) -> Pulse {
        self.pulse.clone()
    }

    /// Returns the messages to send when the worker starts, and again when nothing has arrived for a while: the last one
    /// that was not answered.
    #[must_use]
    pub fn tick(&self) -> Vec<Vec<u8>> {
        match &self.run {
            None => vec![Message::of(FromWorker::Hello).to_bytes()],
            Some(run) => run.pending.iter().map(|(head, body)| run.message(head, body)).collect(),
        }
    }

    /// Whether the run has ended, so that the worker is not needed any more.
    #[must_use]
    pub fn is_told_to_end(message: &[u8]) -> bool {
        Message::<ToWorker>::from_bytes(message).is_some_and(|message| message.head == ToWorker::End)
    }

    /// Takes a message of the coordinator and returns the messages to send to it. If the message lets the program go
    /// on, this returns when the program waits for the next exchange or has ended. Messages that are damaged, or that
    /// the worker has seen, are ignored.
    pub fn handle(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        let Some(Message { head, body }) = Message::<ToWorker>::from_bytes(message) else { return Vec::new() };
        match head {
            ToWorker::Start { epoch, own, shards, job, first, has_state, stored } => {
                if self.run.as_ref().is_some_and(|run| run.epoch >= epoch) || job > body.len() {
                    return Vec::new();
                }
                let digest = xxh3_64(&body[..job]);
                match &mut self.run {
                    // Another number for what is running already, as after a crash of the coordinator.
                    Some(run) if run.own == own && run.job == digest && run.can_go_on(first, stored) => {
                        run.epoch = epoch;
                        self.pulse.go_on(epoch);
                        run.pending.iter().map(|(head, body)| run.message(head, body)).collect()
                    }
                    _ => {
                        let (job, state) = body.split_at(job);
                        let start = (first, has_state.then(|| state.to_vec()));
                        self.start(epoch, own, shards, job, start, stored)
                    }
                }
            }
            ToWorker::Total { epoch, number } => self.answer(epoch, number, body),
            ToWorker::End => {
                self.run = None;
                Vec::new()
            }
        }
    }

    fn start(
        &mut self,
        epoch: u64,
        own: Range<usize>,
        shards: usize,
        job: &[u8],
        start: (u64, Option<Vec<u8>>),
        stored: u64,
    ) -> Vec<Vec<u8>> {
        let ((to_worker, events), (answers, from_worker)) = (channel(), channel());
        let start_number = start.0;
        let pulse = (self.pulse.clone(), self.pulse.start(epoch));
        let exchange = Exchange::new(own.clone(), shards, start, stored, pulse, to_worker.clone(), from_worker);
        let exchange = Arc::new(exchange);
        let (program, bytes) = (self.program.clone(), job.to_vec());
        let run = move || {
            let result = program.run(&bytes, &exchange);
            // What a program returns that was interrupted by a fault is not the result of a stopped run.
            _ = to_worker.send(Event::Ended(exchange.fault().map_or(result, Err)));
        };
        // The program that ran before ends at its next exchange, when it finds its channel closed.
        self.run = Some(Run { epoch, own, job: xxh3_64(job), events, answers, pending: None, exchanges: start_number });
        match thread::Builder::new().name("program".to_owned()).spawn(run) {
            Ok(_) => self.go_on(),
            Err(error) => self.end(Err(format!("no thread can be started: {error}"))),
        }
    }

    fn answer(&mut self, epoch: u64, number: u64, total: Vec<u8>) -> Vec<Vec<u8>> {
        let Some(run) = self.run.as_mut().filter(|run| run.epoch == epoch && run.waits_for(number)) else {
            return Vec::new();
        };
        (run.pending, run.exchanges) = (None, number + 1);
        let _ = run.answers.send(total);
        self.go_on()
    }

    /// Collects the messages of the program until it waits for an answer or has ended.
    fn go_on(&mut self) -> Vec<Vec<u8>> {
        let mut messages = Vec::new();
        while let Some(run) = &mut self.run {
            match run.events.recv() {
                Ok(Event::Send(head, body)) => {
                    messages.push(run.message(&head, &body));
                    if matches!(head, FromWorker::Part { .. } | FromWorker::Ask { .. }) {
                        run.pending = Some((head, body));
                        break;
                    }
                }
                Ok(Event::Ended(result)) => {
                    messages.extend(self.end(result));
                    break;
                }
                Err(_) => {
                    messages.extend(self.end(Err("a worker ended unexpectedly (a fault of the program)".to_owned())));
                    break;
                }
            }
        }
        messages
    }

    fn end(&mut self, result: Result<Vec<u8>, String>) -> Vec<Vec<u8>> {
        let Some(run) = &mut self.run else { return Vec::new() };
        run.pending = Some(match result {
            Ok(result) => {
                let digest = xxh3_64(&result);
                // One copy is enough.
                let body = if run.own.start == 0 { result } else { Vec::new() };
                (FromWorker::Done { epoch: 0, digest }, body)
            }
            Err(message) => (FromWorker::Failed { epoch: 0 }, message.into_bytes()),
        });
        let mut messages = vec![self.pulse.last()];
        messages.extend(self.tick());
        messages
    }
}

impl Run {
    fn waits_for(&self, number: u64) -> bool {
        let waits = |head: &FromWorker| match head {
            FromWorker::Part { number: waited, .. } | FromWorker::Ask { number: waited, .. } => *waited == number,
            _ => false,
        };
        self.pending.as_ref().is_some_and(|(head, _)| waits(head))
    }

    /// Whether the program can go on, or keep its result, where the coordinator has the totals of the exchanges from
    /// `first` to before `stored`.
    fn can_go_on(&self, first: u64, stored: u64) -> bool {
        let has_failed = self.pending.as_ref().is_none_or(|(head, _)| matches!(head, FromWorker::Failed { .. }));
        !has_failed && (first..=stored).contains(&self.exchanges)
    }

    /// Returns a message of the program as bytes, with the number of the assignment.
    fn message(&self, head: &FromWorker, body: &[u8]) -> Vec<u8> {
        let mut head = head.clone();
        match &mut head {
            FromWorker::Hello => {}
            FromWorker::Part { epoch, .. }
            | FromWorker::Ask { epoch, .. }
            | FromWorker::State { epoch, .. }
            | FromWorker::Progress { epoch, .. }
            | FromWorker::Report { epoch }
            | FromWorker::Done { epoch, .. }
            | FromWorker::Failed { epoch } => *epoch = self.epoch,
        }
        to_bytes(&head, body)
    }
}
