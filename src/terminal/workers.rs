//! Record of the workers of a distributed fit: what each has done, and when.

use std::collections::{BTreeMap, VecDeque};
use surefoot_distributed::{Status, WorkerStatus};

/// Greatest number of samples; beyond it, every other one is dropped, and the time between two is doubled.
const SAMPLES: usize = 240;
/// Seconds between the first samples.
const EVERY: f64 = 0.25;
/// Greatest number of incidents that are kept.
const INCIDENTS: usize = 1000;
/// Seconds over which the present speed is measured.
const WINDOW: f64 = 5.0;

/// Workers of a run so far.
#[derive(Debug)]
pub(crate) struct Workers {
    /// Latest state of the run.
    pub(crate) status: Status,
    /// Number of stored bytes of all shards; `None` if it is not known.
    pub(crate) total: Option<u64>,
    pub(crate) samples: Vec<Sample>,
    pub(crate) incidents: Vec<(f64, Incident)>,
    /// Seconds since the start of the run at the latest state.
    pub(crate) seconds: f64,
    /// When each worker joined, and when it was lost.
    times: BTreeMap<u64, (f64, Option<f64>)>,
    every: f64,
    /// Latest times with the numbers of rows that all workers had gone through.
    recent: VecDeque<(f64, u64)>,
}

/// Rows that each worker has gone through, and bytes that it has exchanged, at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    pub(crate) workers: Vec<(u64, u64, u64)>,
}

/// Something that happened to a worker.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Incident {
    Joined(u64),
    /// A worker has got shards, from the first to before the last.
    Shards(u64, usize, usize),
    /// A worker was lost, with the reason if it is known.
    Lost(u64, String),
}

impl Default for Workers {
    fn default() -> Workers {
        let (status, total, samples, incidents, seconds, times, recent) = Default::default();
        Workers { status, total, samples, incidents, seconds, times, every: EVERY, recent }
    }
}

impl Workers {
    /// Creates the record of a run over so many stored bytes.
    pub(crate) fn of(total: Option<u64>) -> Workers {
        Workers { total, ..Workers::default() }
    }

    /// Takes note of the state of the run. Returns the workers whose shards have changed.
    pub(crate) fn update(&mut self, status: &Status, seconds: f64) -> Vec<Incident> {
        let changed = self.changed(status);
        (self.status, self.seconds) = (status.clone(), seconds);
        changed.iter().for_each(|incident| self.add(seconds, incident.clone()));
        if self.samples.last().is_none_or(|last| seconds >= last.seconds + self.every) {
            self.sample();
        }
        self.recent.push_back((seconds, self.visited()));
        while self.recent.len() > 2 && self.recent[1].0 < seconds - WINDOW {
            self.recent.pop_front();
        }
        changed
    }

    /// Takes note that the run has ended.
    pub(crate) fn end(&mut self) {
        if self.samples.last().is_some_and(|last| last.seconds < self.seconds) {
            self.sample();
        }
    }

    pub(crate) fn joined(&mut self, worker: u64, seconds: f64) -> Incident {
        self.times.insert(worker, (seconds, None));
        self.add(seconds, Incident::Joined(worker));
        Incident::Joined(worker)
    }

    pub(crate) fn lost(&mut self, worker: u64, how: &str, seconds: f64) -> Incident {
        self.times.entry(worker).or_insert((seconds, None)).1 = Some(seconds);
        let incident = Incident::Lost(worker, how.to_owned());
        self.add(seconds, incident.clone());
        incident
    }

    /// Whether the run has workers at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Returns when a worker was lost, in seconds since the start; `None` if it was not.
    pub(crate) fn lost_at(&self, worker: u64) -> Option<f64> {
        self.times.get(&worker)?.1
    }

    /// Returns how many rows a second a worker has gone through since it joined.
    pub(crate) fn speed(&self, worker: &WorkerStatus) -> f64 {
        let (joined, lost) = self.times.get(&worker.worker).copied().unwrap_or_default();
        per_second(worker.progress.visited as f64, lost.unwrap_or(self.seconds) - joined)
    }

    /// Returns how many rows a second all workers have gone through in the last seconds.
    pub(crate) fn present_speed(&self) -> f64 {
        let (Some(first), Some(last)) = (self.recent.front(), self.recent.back()) else { return 0.0 };
        per_second(last.1.saturating_sub(first.1) as f64, last.0 - first.0)
    }

    /// Returns how many rows a second each worker has gone through between samples: the times in their middle, and the speeds.
    pub(crate) fn speeds(&self, worker: u64) -> Vec<(f64, f64)> {
        self.between(worker, |&(_, visited, _)| visited)
    }

    /// Returns how many bytes a second each worker has exchanged between samples.
    pub(crate) fn traffic(&self, worker: u64) -> Vec<(f64, f64)> {
        self.between(worker, |&(_, _, bytes)| bytes)
    }

    pub(crate) fn rows(&self) -> u64 {
        self.sum(|worker| worker.progress.rows)
    }

    pub(crate) fn visited(&self) -> u64 {
        self.sum(|worker| worker.progress.visited)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.sum(|worker| worker.progress.bytes)
    }

    /// Returns the number of bytes of messages in both directions.
    pub(crate) fn exchanged(&self) -> u64 {
        self.sum(exchanged)
    }

    /// Returns the share of the bytes of all shards that was read by the workers that own them now; `None` if their number is not known.
    pub(crate) fn share(&self) -> Option<f64> {
        let done = self.status.workers.iter().fold(0_u64, |sum, worker| sum.saturating_add(worker.progress.done));
        self.total.filter(|total| *total > 0).map(|total| (done as f64 / total as f64).min(1.0))
    }

    fn changed(&self, status: &Status) -> Vec<Incident> {
        let before: BTreeMap<u64, _> = self.status.workers.iter().map(|worker| (worker.worker, &worker.own)).collect();
        let owners = status.workers.iter().filter(|worker| !worker.own.is_empty());
        let changed = owners.filter(|worker| before.get(&worker.worker).is_none_or(|own| **own != worker.own));
        changed.map(|worker| Incident::Shards(worker.worker, worker.own.start, worker.own.end)).collect()
    }

    fn add(&mut self, seconds: f64, incident: Incident) {
        if self.incidents.len() < INCIDENTS {
            self.incidents.push((seconds, incident));
        }
    }

    fn sample(&mut self) {
        if self.samples.len() >= SAMPLES {
            let mut at = 0;
            self.samples.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.every *= 2.0;
        }
        let of = |worker: &WorkerStatus| (worker.worker, worker.progress.visited, exchanged(worker));
        self.samples.push(Sample { seconds: self.seconds, workers: self.status.workers.iter().map(of).collect() });
    }

    fn between(&self, worker: u64, of: impl Fn(&(u64, u64, u64)) -> u64) -> Vec<(f64, f64)> {
        let at = |sample: &Sample| Some((sample.seconds, of(sample.workers.iter().find(|(id, ..)| *id == worker)?)));
        let known: Vec<(f64, u64)> = self.samples.iter().filter_map(at).collect();
        let speed = |pair: &[(f64, u64)]| {
            let (time, count) = (pair[1].0 - pair[0].0, pair[1].1.saturating_sub(pair[0].1));
            (pair[0].0 + time / 2.0, per_second(count as f64, time))
        };
        known.windows(2).map(speed).collect()
    }

    fn sum(&self, of: impl Fn(&WorkerStatus) -> u64) -> u64 {
        self.status.all().fold(0, |sum, worker| sum.saturating_add(of(worker)))
    }
}

/// Returns the number of bytes of messages of a worker in both directions.
fn exchanged(worker: &WorkerStatus) -> u64 {
    worker.sent.saturating_add(worker.received)
}

fn per_second(count: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { count / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the state of two workers after a number of seconds.
    fn status(seconds: u64) -> Status {
        let worker = |worker: u64| {
            let mut of = WorkerStatus::default();
            (of.worker, of.own, of.sent) = (worker, worker as usize..worker as usize + 1, 10 * seconds);
            (of.progress.rows, of.progress.visited) = (100 * seconds, 100 * seconds * (worker + 1));
            of.progress.done = 25 * seconds;
            of
        };
        let mut status = Status::default();
        status.workers = vec![worker(0), worker(1)];
        status
    }

    #[test]
    fn long_runs_keep_few_samples_and_the_right_speeds() {
        let mut workers = Workers { total: Some(100_000), ..Workers::default() };
        (0..2).for_each(|worker| _ = workers.joined(worker, 0.0));
        for second in 0..2000 {
            workers.update(&status(second), second as f64);
        }
        workers.end();
        assert!((100..=SAMPLES).contains(&workers.samples.len()), "{}", workers.samples.len());
        let speeds = workers.speeds(1);
        assert!(speeds.iter().all(|(_, speed)| *speed == 200.0) && speeds.is_sorted_by(|a, b| a.0 < b.0), "{speeds:?}");
        assert!(workers.traffic(0).iter().all(|(_, bytes)| *bytes == 10.0));
        assert_eq!((workers.rows(), workers.visited()), (399_800, 599_700));
        assert_eq!((workers.present_speed(), workers.speed(&workers.status.workers[1])), (300.0, 200.0));
        assert_eq!(workers.share(), Some(0.9995));
        let incidents: Vec<_> = workers.incidents.iter().map(|(_, incident)| incident.clone()).collect();
        let expected = [Incident::Joined(0), Incident::Joined(1), Incident::Shards(0, 0, 1), Incident::Shards(1, 1, 2)];
        assert_eq!(incidents, expected);
    }

    #[test]
    fn a_run_without_time_has_no_speed() {
        let mut workers = Workers::default();
        assert!(workers.is_empty() && workers.present_speed() == 0.0 && workers.share().is_none());
        workers.joined(0, 1.0);
        workers.update(&status(1), 1.0);
        workers.lost(0, "signal 9", 1.0);
        assert_eq!((workers.speed(&workers.status.workers[0]), workers.lost_at(0)), (0.0, Some(1.0)));
    }
}
