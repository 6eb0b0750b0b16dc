//! The side of a program: its shards, and the exchanges with the other workers.

use crate::{
    message::FromWorker,
    payload::{OTHER_STEPS, Payload},
    progress::Pulse,
};
use std::{
    fmt,
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender},
    },
};
use surefoot_glm::{
    Partial as RoundPartial,
    shards::{Collective, Interrupted, Partial, Shards},
};

/// Program that every worker runs on its own shards.
///
/// It has to be a deterministic function of the job, of the rows of its shards and of the results of exchanges: no
/// clock, no random numbers, no order of threads. All workers have to make the same exchanges in the same order.
pub trait Program: Send + Sync + 'static {
    /// Runs the program on the shards of the exchange, and returns the result, which is the same in all workers.
    ///
    /// Once an exchange is [`Interrupted`], the program returns the best result so far, without further exchanges.
    ///
    /// # Errors
    /// A message that ends the run, such as that of a row at fault.
    fn run(&self, job: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String>;
}

/// What a program tells its worker.
pub(crate) enum Event {
    /// A message to send, with its body; the program waits for the answer to a `Part` or an `Ask`.
    Send(FromWorker, Vec<u8>),
    /// The program has ended.
    Ended(Result<Vec<u8>, String>),
}

/// Connection of a program to the other workers: combines partial results, takes states and reports.
pub struct Exchange {
    own: Range<usize>,
    shards: usize,
    start: Option<Vec<u8>>,
    pulse: Pulse,
    /// Number of the program of this exchange, among those of the worker.
    program: u64,
    inner: Mutex<Inner>,
}

struct Inner {
    /// Number of the next exchange.
    next: u64,
    /// Number of exchanges whose total is stored.
    stored: u64,
    is_stopped: bool,
    /// Why the exchange cannot go on, which ends the run with this message.
    fault: Option<String>,
    events: Sender<Event>,
    answers: Receiver<Vec<u8>>,
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("own", &self.own).field("shards", &self.shards).finish_non_exhaustive()
    }
}

impl Exchange {
    pub(crate) fn new(
        own: Range<usize>,
        shards: usize,
        (next, start): (u64, Option<Vec<u8>>),
        stored: u64,
        (pulse, program): (Pulse, u64),
        events: Sender<Event>,
        answers: Receiver<Vec<u8>>,
    ) -> Exchange {
        let inner = Mutex::new(Inner { next, stored, is_stopped: false, fault: None, events, answers });
        Exchange { own, shards, start, pulse, program, inner }
    }

    /// Returns the shards that this worker owns.
    #[must_use]
    pub fn own(&self) -> Range<usize> {
        self.own.clone()
    }

    /// Returns the shards of the run, connected by this exchange.
    #[must_use]
    pub fn shards(self: &Arc<Self>) -> Shards {
        Shards { total: self.shards, collective: self.clone() }
    }

    /// Returns the state that the program starts from, as it was handed in by [`reached`](Exchange::reached); `None`
    /// at the beginning.
    #[must_use]
    pub fn start(&self) -> Option<&[u8]> {
        self.start.as_deref()
    }

    /// Hands in the state of the program between two exchanges, from which a worker that takes over shards can start.
    /// The state has to be the same in all workers; `state` is called in one of them only, and not while the program
    /// repeats exchanges.
    pub fn reached(&self, state: impl FnOnce() -> Vec<u8>) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if self.own.start == 0 && !self.own.is_empty() && inner.next >= inner.stored && !inner.is_stopped {
            let head = FromWorker::State { epoch: 0, number: inner.next };
            let _ = inner.events.send(Event::Send(head, state()));
        }
    }

    /// Takes note that so many rows and bytes of the own shards were read, for whoever watches the run. Cheap, and sends
    /// nothing by itself.
    pub fn read(&self, rows: u64, bytes: u64) {
        self.pulse.add(self.program, rows, bytes);
    }

    /// Takes note that so many rows were gone through again.
    pub fn visit(&self, rows: u64) {
        self.pulse.visit(rows);
    }

    /// Reports progress to whoever watches the run; `report` is called in one of the workers only, and not while the
    /// program repeats exchanges. Reports may be lost.
    pub fn report(&self, report: impl FnOnce() -> Vec<u8>) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if self.own.start == 0 && !self.own.is_empty() && inner.next >= inner.stored {
            let _ = inner.events.send(Event::Send(FromWorker::Report { epoch: 0 }, report()));
        }
    }
}

impl Exchange {
    /// Exchanges partial results for the total, which is of the same kind.
    fn exchange(&self, own: &[(Range<usize>, Payload)]) -> Result<Payload, Interrupted> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.is_stopped {
            return Err(Interrupted);
        }
        let number = inner.next;
        inner.next += 1;
        let (head, body) = if number < inner.stored {
            (FromWorker::Ask { epoch: 0, number }, Vec::new())
        } else {
            let (mut nodes, mut body) = (Vec::new(), Vec::new());
            for (range, partial) in own {
                let begin = body.len();
                partial.append_to(&mut body);
                nodes.push((range.clone(), body.len() - begin));
            }
            (FromWorker::Part { epoch: 0, number, nodes }, body)
        };
        let answer = inner.events.send(Event::Send(head, body)).ok().and_then(|()| inner.answers.recv().ok());
        // An empty total stops the run; without an answer, the worker has given this program up.
        let Some(total) = answer.filter(|total| !total.is_empty()) else {
            inner.is_stopped = true;
            return Err(Interrupted);
        };
        drop(inner);
        Payload::from_bytes(&total).map_err(|unreadable| self.fail(unreadable.message("all shards")))
    }

    /// Takes note that the exchange cannot go on. The program ends as if it were stopped, but has no result.
    fn fail(&self, message: String) -> Interrupted {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        (inner.is_stopped, inner.fault) = (true, Some(message));
        Interrupted
    }

    /// Fails the run because the total is of another kind than what this program has given.
    fn fail_at(&self, total: Payload) -> Interrupted {
        self.fail(match total {
            Payload::Fault(reason) => reason,
            _ => OTHER_STEPS.to_owned(),
        })
    }

    /// Returns the message of an exchange that could not go on, which stands for the result of the program.
    pub(crate) fn fault(&self) -> Option<String> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).fault.clone()
    }

    /// Combines the work of all shards in a round of one pass, given that of the own shards.
    ///
    /// # Errors
    /// [`Interrupted`], as for [`Collective::combine`].
    pub fn combine_round(&self, own: RoundPartial) -> Result<RoundPartial, Interrupted> {
        let nodes = own.into_nodes().into_iter();
        let nodes: Vec<_> = nodes.map(|(range, work)| (range, Payload::Round(Box::new(work)))).collect();
        match self.exchange(&nodes)? {
            Payload::Round(total) => Ok(*total),
            total => Err(self.fail_at(total)),
        }
    }
}

impl Collective for Exchange {
    fn combine(&self, own: Vec<(Range<usize>, Partial)>) -> Result<Partial, Interrupted> {
        let nodes: Vec<_> = own.into_iter().map(|(range, partial)| (range, Payload::Numbers(partial))).collect();
        match self.exchange(&nodes)? {
            Payload::Numbers(total) => Ok(total),
            total => Err(self.fail_at(total)),
        }
    }
}
