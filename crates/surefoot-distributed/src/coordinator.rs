//! Coordinator: assigns shards to workers, joins their partial results, and stores the totals.

use crate::{
    member::Member,
    message::{FromWorker, Message, ToWorker, split, to_bytes},
    payload::{Payload, Unreadable},
    status::{Status, WorkerStatus},
    store::Store,
};
use std::{collections::BTreeMap, io, ops::Range};
use surefoot_glm::shards::Fold;

/// How shards are assigned to workers.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of shards, at least 1. The result depends on it.
    pub shards: usize,
    /// Number of workers that are expected. The result does not depend on it.
    pub workers: usize,
    /// Time in milliseconds to wait for expected workers, or for a replacement of a lost one, before the shards are
    /// divided among those that are there.
    pub patience: u64,
    /// Number that is larger for every coordinator of the same run, such as the time at which it was started.
    pub incarnation: u64,
}

/// What the owner of a [`Coordinator`] has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send a message to a worker.
    Send {
        /// Number of the worker.
        worker: u64,
        /// Message to send.
        message: Vec<u8>,
    },
    /// Show what the program has reported.
    Report(Vec<u8>),
    /// Take the result of the program; the run has ended.
    Finished(Vec<u8>),
    /// Show a message; the run has ended without a result. What is stored can be resumed.
    Failed(String),
}

/// Coordinator of a distributed run, as a pure state machine: it has no clock and no connection. Its owner tells it what
/// happens, and does what it [asks](Action).
///
/// ```
/// use std::sync::Arc;
/// use surefoot_distributed::{Action, Coordinator, Exchange, MemoryStore, Plan, Program, Worker};
/// use surefoot_glm::shards::{Collective, Partial};
///
/// /// Adds up the numbers of all shards.
/// struct Sum;
/// impl Program for Sum {
///     fn run(&self, _job: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String> {
///         let of = |shard| (shard..shard + 1, Partial { sums: vec![shard as f64], ..Partial::default() });
///         let total = exchange.combine(exchange.own().map(of).collect()).map_err(|stop| stop.to_string())?;
///         Ok(total.sums[0].to_string().into_bytes())
///     }
/// }
///
/// let plan = Plan { shards: 4, workers: 1, patience: 1000, incarnation: 0 };
/// let mut coordinator = Coordinator::new(plan, Vec::new(), Box::<MemoryStore>::default())?;
/// let mut worker = Worker::new(Sum);
/// let mut actions = coordinator.joined(7);
/// while let Some(Action::Send { message, .. }) = actions.pop() {
///     for answer in worker.handle(&message) {
///         actions.extend(coordinator.received(7, &answer));
///     }
///     if let Some(Action::Finished(result)) = actions.iter().find(|action| matches!(action, Action::Finished(_))) {
///         assert_eq!(result, b"6");
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Coordinator {
    plan: Plan,
    job: Vec<u8>,
    store: Box<dyn Store>,
    members: BTreeMap<u64, Member>,
    /// Partial results for the exchange that is not complete yet.
    fold: Fold<Payload>,
    /// Digest of the result, for each shard whose owner has ended.
    done: Vec<Option<u64>>,
    result: Option<Vec<u8>>,
    epoch: u64,
    now: u64,
    /// Time since which shards wait for an owner, or workers for shards.
    since: u64,
    /// Time of the latest partial result of the current exchange.
    last_part: Option<u64>,
    is_over: bool,
    /// Whether a program that is stopped has a result.
    has_partial_result: bool,
    lost: u64,
    gone: Vec<WorkerStatus>,
}

impl Coordinator {
    /// Creates a coordinator of a new run, or of one that is to be resumed from what is stored.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn new(plan: Plan, job: Vec<u8>, mut store: Box<dyn Store>) -> io::Result<Coordinator> {
        let plan = Plan { shards: plan.shards.max(1), workers: plan.workers.max(1), ..plan };
        // A run that was stopped goes on from there.
        while store.end() > store.first() && store.total(store.end() - 1)?.is_empty() {
            store.pop()?;
        }
        Ok(Coordinator {
            fold: Fold::new(plan.shards),
            done: vec![None; plan.shards],
            epoch: plan.incarnation << 16,
            plan,
            job,
            store,
            members: BTreeMap::new(),
            result: None,
            now: 0,
            since: 0,
            last_part: None,
            is_over: false,
            has_partial_result: true,
            lost: 0,
            gone: Vec::new(),
        })
    }

    /// Makes a stop end the run at once, with an empty result, for programs that have none before their end.
    #[must_use]
    pub fn without_partial_result(self) -> Coordinator {
        Coordinator { has_partial_result: false, ..self }
    }

    /// Takes note of a new worker.
    pub fn joined(&mut self, worker: u64) -> Vec<Action> {
        self.since = if self.members.is_empty() { self.now } else { self.since };
        self.members.insert(worker, Member::default());
        self.assign()
    }

    /// Takes note that a worker is lost.
    pub fn lost(&mut self, worker: u64) -> Vec<Action> {
        if let Some(member) = self.members.remove(&worker)
            && !self.is_over
        {
            (self.since, self.lost) = (self.now, self.lost + 1);
            self.gone.push(member.status(worker));
        }
        self.assign()
    }

    /// Takes note of the time, in milliseconds since any fixed moment; before a message, too, where it is to be known how
    /// long workers are waited for.
    pub fn tick(&mut self, now: u64) -> Vec<Action> {
        self.now = self.now.max(now);
        self.assign()
    }

    /// Asks all workers to stop at the current exchange, and to return the best result so far. Without
    /// [partial results](Coordinator::without_partial_result) the run has ended.
    pub fn stop(&mut self) -> Vec<Action> {
        if self.is_over || self.is_stopped() {
            return Vec::new();
        }
        if !self.has_partial_result {
            let mut actions = self.end();
            actions.push(Action::Finished(Vec::new()));
            return actions;
        }
        self.complete(&[])
    }

    /// Takes a message of a worker. Messages that are damaged, late or repeated are ignored or answered again.
    pub fn received(&mut self, worker: u64, message: &[u8]) -> Vec<Action> {
        let Some(member) = self.members.get_mut(&worker) else { return Vec::new() };
        let len = message.len() as u64;
        let Some((head, body)) = split::<FromWorker>(message) else { return Vec::new() };
        member.sent += len;
        if self.is_over {
            return vec![Action::Send { worker, message: Message::of(ToWorker::End).to_bytes() }];
        }
        let current = member.epoch;
        match head {
            FromWorker::Hello if current == 0 => Vec::new(),
            FromWorker::Hello => self.start(worker),
            FromWorker::Progress { epoch, progress } => {
                member.progress = member.progress.with(progress, epoch == current);
                Vec::new()
            }
            FromWorker::Part { epoch, .. }
            | FromWorker::Ask { epoch, .. }
            | FromWorker::State { epoch, .. }
            | FromWorker::Report { epoch }
            | FromWorker::Done { epoch, .. }
            | FromWorker::Failed { epoch }
                if epoch != current =>
            {
                if current == 0 {
                    Vec::new()
                } else {
                    self.start(worker)
                }
            }
            FromWorker::Part { number, nodes, .. } => self.part(worker, number, &nodes, body),
            FromWorker::Ask { number, .. } => self.answer(worker, number),
            FromWorker::State { number, .. } => self.state(number, body),
            FromWorker::Report { .. } => vec![Action::Report(body.to_vec())],
            FromWorker::Done { digest, .. } => self.ended(worker, digest, body.to_vec()),
            FromWorker::Failed { .. } => self.fail(String::from_utf8_lossy(body).into_owned()),
        }
    }

    /// Returns the state of the run.
    #[must_use]
    pub fn status(&self) -> Status {
        let workers = self.members.iter().map(|(worker, member)| member.status(*worker)).collect();
        Status { exchanges: self.store.end(), lost: self.lost, workers, gone: self.gone.clone() }
    }

    fn is_stopped(&mut self) -> bool {
        let end = self.store.end();
        end > self.store.first() && self.store.total(end - 1).is_ok_and(|total| total.is_empty())
    }

    /// Assigns shards without an owner, and shards to workers without any, as far as the plan says.
    fn assign(&mut self) -> Vec<Action> {
        let owned: usize = self.members.values().map(|member| member.own.len()).sum();
        let is_vacant = owned < self.plan.shards;
        let idle = self.members.values().filter(|member| member.own.is_empty()).count();
        let could_use = self.members.len().min(self.plan.shards) > self.members.len() - idle;
        if self.is_over || self.members.is_empty() || !is_vacant && !could_use {
            return Vec::new();
        }
        let has_waited = self.now.saturating_sub(self.since) >= self.plan.patience;
        let is_complete = self.members.len() >= self.plan.workers;
        match is_vacant {
            true if is_complete || has_waited => self.fill(),
            false if has_waited => self.divide(),
            _ => Vec::new(),
        }
    }

    /// Gives shards without an owner to workers without any, if there are enough; otherwise divides all shards anew.
    fn fill(&mut self) -> Vec<Action> {
        let vacant = self.vacant();
        let idle = self.members.iter().filter(|(_, member)| member.own.is_empty()).map(|(id, _)| *id);
        let idle: Vec<u64> = idle.collect();
        let has_owners = self.members.len() > idle.len();
        if !has_owners || vacant.len() > idle.len() {
            return self.divide();
        }
        vacant.into_iter().zip(idle).flat_map(|(own, worker)| self.give(worker, own)).collect()
    }

    /// Returns the ranges of shards without an owner.
    fn vacant(&self) -> Vec<Range<usize>> {
        let mut owned: Vec<&Range<usize>> =
            self.members.values().map(|member| &member.own).filter(|own| !own.is_empty()).collect();
        owned.sort_by_key(|own| own.start);
        let starts = std::iter::once(0).chain(owned.iter().map(|own| own.end));
        let ends = owned.iter().map(|own| own.start).chain([self.plan.shards]);
        starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
    }

    /// Divides all shards equally among the workers. Those whose shards change have to repeat the program.
    fn divide(&mut self) -> Vec<Action> {
        self.since = self.now;
        let (shards, count) = (self.plan.shards, self.members.len().min(self.plan.shards));
        let workers: Vec<u64> = self.members.keys().copied().collect();
        let range = |k: usize| if k < count { k * shards / count..(k + 1) * shards / count } else { 0..0 };
        let changed = workers.iter().enumerate().map(|(k, worker)| (*worker, range(k)));
        let changed: Vec<_> = changed.filter(|(worker, own)| self.members[worker].own != *own).collect();
        changed.into_iter().flat_map(|(worker, own)| self.give(worker, own)).collect()
    }

    /// Gives a worker these shards, instead of those that it owns.
    fn give(&mut self, worker: u64, own: Range<usize>) -> Vec<Action> {
        let Some(member) = self.members.get_mut(&worker) else { return Vec::new() };
        if own.is_empty() {
            // What it still runs is not heard any more.
            member.give(0, own);
            return Vec::new();
        }
        self.epoch += 1;
        member.give(self.epoch, own);
        self.start(worker)
    }

    /// Sends a worker its assignment.
    fn start(&mut self, worker: u64) -> Vec<Action> {
        let state = match self.store.state() {
            Ok(state) => state,
            Err(error) => return self.fail(format!("the stored state cannot be read: {error}")),
        };
        let Some(member) = self.members.get_mut(&worker) else { return Vec::new() };
        let (has_state, (first, state)) = (state.is_some(), state.unwrap_or_default());
        let head = ToWorker::Start {
            epoch: member.epoch,
            own: member.own.clone(),
            shards: self.plan.shards,
            job: self.job.len(),
            first,
            has_state,
            stored: self.store.end(),
        };
        let body = [&self.job[..], &state].concat();
        vec![self.send(worker, &head, &body)]
    }

    fn send(&mut self, worker: u64, head: &ToWorker, body: &[u8]) -> Action {
        let message = to_bytes(head, body);
        if let Some(member) = self.members.get_mut(&worker) {
            member.received += message.len() as u64;
        }
        Action::Send { worker, message }
    }

    /// Answers a worker with the stored total of an exchange. A worker that asks for one that is dropped already, or is no
    /// longer there since its run was resumed, needs another start.
    fn answer(&mut self, worker: u64, number: u64) -> Vec<Action> {
        let Some(member) = self.members.get_mut(&worker) else { return Vec::new() };
        member.waits = None;
        let (epoch, own) = (member.epoch, member.own.clone());
        if number < self.store.first() || number >= self.store.end() {
            return self.give(worker, own);
        }
        match self.store.total(number) {
            Ok(total) => vec![self.send(worker, &ToWorker::Total { epoch, number }, &total)],
            Err(error) => self.fail(format!("the stored total of an exchange cannot be read: {error}")),
        }
    }

    /// Takes the partial results of a worker for an exchange.
    fn part(&mut self, worker: u64, number: u64, nodes: &[(Range<usize>, usize)], body: &[u8]) -> Vec<Action> {
        if number != self.store.end() {
            return self.answer(worker, number);
        }
        let Some(member) = self.members.get_mut(&worker) else { return Vec::new() };
        // Also of damaged ones: the worker waits, and has to hear of a stop.
        let is_repeated = member.waits.replace(number) == Some(number);
        let mut rest = body;
        for (range, len) in nodes {
            let Some((part, after)) = rest.split_at_checked(*len) else { return Vec::new() };
            rest = after;
            let is_whole = *range == (0..self.plan.shards);
            let partial = if is_whole { Payload::whole(part) } else { Payload::from_bytes(part) };
            match partial {
                // One that is there already was sent twice, or comes from an earlier owner of the shards.
                Ok(partial) => _ = self.fold.insert(range.clone(), partial),
                Err(Unreadable::Damaged) => return Vec::new(),
                // The worker would send the same again.
                Err(refused) => return self.fail(refused.message(&shards(range))),
            }
        }
        let before = if is_repeated { self.last_part } else { self.last_part.replace(self.now) };
        if !self.fold.has(&(0..self.plan.shards)) {
            return Vec::new();
        }
        if let Some(member) = self.members.get_mut(&worker) {
            member.waited_for += before.map_or(0, |before| self.now - before);
        }
        match std::mem::replace(&mut self.fold, Fold::new(self.plan.shards)).total() {
            Some(Payload::Fault(reason)) => self.fail(reason),
            Some(total) => self.complete(&total.into_bytes()),
            None => Vec::new(),
        }
    }

    /// Stores the total of the current exchange and sends it to the workers that wait for it.
    fn complete(&mut self, total: &[u8]) -> Vec<Action> {
        let number = self.store.end();
        if let Err(error) = self.store.push(total) {
            return self.fail(format!("the total of an exchange cannot be stored: {error}"));
        }
        (self.fold, self.last_part) = (Fold::new(self.plan.shards), None);
        let waiting = self.members.iter_mut().filter(|(_, member)| member.waits == Some(number));
        let waiting: Vec<(u64, u64)> = waiting
            .map(|(id, member)| {
                member.waits = None;
                (*id, member.epoch)
            })
            .collect();
        let send = |(worker, epoch)| self.send(worker, &ToWorker::Total { epoch, number }, total);
        waiting.into_iter().map(send).collect()
    }

    fn state(&mut self, number: u64, state: &[u8]) -> Vec<Action> {
        if number <= self.store.first() || number > self.store.end() {
            return Vec::new();
        }
        match self.store.set_state(number, state) {
            Ok(()) => Vec::new(),
            Err(error) => self.fail(format!("the state of the run cannot be stored: {error}")),
        }
    }

    /// Takes note that the program of a worker has ended. The run has ended when that of all shards has.
    fn ended(&mut self, worker: u64, digest: u64, body: Vec<u8>) -> Vec<Action> {
        let Some(member) = self.members.get(&worker) else { return Vec::new() };
        self.done[member.own.clone()].fill(Some(digest));
        if member.own.start == 0 && !member.own.is_empty() {
            self.result = Some(body);
        }
        if self.done.iter().flatten().any(|other| *other != digest) {
            return self
                .fail("the workers have found different results: are their programs of the same version?".into());
        }
        if self.done.iter().any(Option::is_none) {
            return Vec::new();
        }
        let Some(result) = self.result.take() else { return Vec::new() };
        let mut actions = self.end();
        actions.push(Action::Finished(result));
        actions
    }

    fn fail(&mut self, message: String) -> Vec<Action> {
        let mut actions = self.end();
        actions.push(Action::Failed(message));
        actions
    }

    fn end(&mut self) -> Vec<Action> {
        self.is_over = true;
        let message = Message::of(ToWorker::End).to_bytes();
        self.members.keys().map(|&worker| Action::Send { worker, message: message.clone() }).collect()
    }
}

/// Returns the name of shards for a message.
fn shards(range: &Range<usize>) -> String {
    match range.len() {
        1 => format!("shard {}", range.start),
        _ => format!("shards {} to {}", range.start, range.end.saturating_sub(1)),
    }
}
