//! Observer of the workers of a distributed fit: a progress bar on a terminal, otherwise lines from time to time, and a table at the end.

use super::{
    progress::Progress,
    reporter::Reporter,
    watched::Watched,
    worker_lines,
    workers::{Incident, Workers},
};
use surefoot_distributed::Status;

/// Longest time in seconds between two lines about the state of the run.
const PAUSE: f64 = 60.0;

impl Reporter {
    /// Gets ready for the workers of a run over so many shards, which have so many stored bytes together if that is known. `tells` says
    /// whether lines are printed about them, or only a bar is drawn and losses are noted.
    pub(crate) fn expect_workers(&mut self, shards: usize, bytes: Option<u64>, tells: bool) {
        self.watched = Watched { workers: Workers::of(bytes), shards, tells, bar: None, next: 1.0 };
    }

    pub(crate) fn worker_joined(&mut self, worker: u64) {
        let incident = self.watched.workers.joined(worker, self.seconds());
        self.tell(&incident);
    }

    /// Prints that a worker was lost, and why if it is known.
    pub(crate) fn worker_lost(&mut self, worker: u64, how: &str) {
        let incident = self.watched.workers.lost(worker, how, self.seconds());
        self.console.note(&worker_lines::lost(worker, how));
        self.tell(&incident);
    }

    /// Shows the state of the run; to be called several times a second.
    pub(crate) fn watch(&mut self, status: &Status) {
        let seconds = self.seconds();
        for incident in self.watched.workers.update(status, seconds) {
            self.tell(&incident);
        }
        let watched = &mut self.watched;
        let bar = watched.bar.get_or_insert_with(|| Progress::of_workers(&mut self.console, watched.workers.total));
        bar.show(watched.workers.share(), || worker_lines::speed(&watched.workers, &self.latest));
        let is_shown = bar.is_shown();
        if watched.tells && seconds >= watched.next {
            watched.next = seconds + seconds.min(PAUSE);
            self.events.emit(&worker_lines::event(&watched.workers));
            if !is_shown {
                self.console.say(&worker_lines::state(&watched.workers, &self.latest));
            }
        }
    }

    /// Prints what each worker has done, once the run has ended.
    pub(crate) fn end_workers(&mut self) {
        let watched = &mut self.watched;
        if let Some(bar) = &watched.bar {
            bar.end();
        }
        if watched.workers.is_empty() || !watched.tells {
            return;
        }
        watched.workers.end();
        worker_lines::table(&watched.workers).iter().for_each(|line| self.console.say(line));
        self.events.emit(&worker_lines::event(&watched.workers));
    }

    /// Prints an incident as a line and as JSON.
    fn tell(&mut self, incident: &Incident) {
        if !self.watched.tells {
            return;
        }
        if let Some(line) = worker_lines::incident(incident, self.watched.shards) {
            self.console.say(&line);
        }
        let event = worker_lines::incident_event(incident, self.seconds());
        self.events.emit(&event);
    }
}
