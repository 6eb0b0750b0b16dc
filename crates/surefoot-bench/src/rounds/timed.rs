//! Processor time of a pass in rounds beside that of the sequential pass, with rows in memory.

use super::lanes::{Examples, Link};
use crate::thread_time as now;
use std::time::Duration;
use surefoot_glm::{Batch, Loss, Plan, RoundTrainer, Settings, Trainer};

/// Times of one pass in rounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Rows learnt one by one.
    pub first: Duration,
    /// Longest work of a worker in each round, summed over the rounds.
    pub work: Duration,
    /// Joins of the workers' partials.
    pub join: Duration,
    /// Learning of the joined sums, which every worker does.
    pub absorb: Duration,
    /// Number of rounds.
    pub rounds: usize,
    /// Mean number of bytes of a worker's partial.
    pub bytes: usize,
}

impl Times {
    /// Time of the pass if workers run side by side.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.first + self.work + self.join + self.absorb
    }
}

/// Converts rows to a batch, with labels as in files.
#[must_use]
pub fn batch(rows: &Examples) -> Batch {
    let mut batch = Batch::default();
    let mut pairs = Vec::new();
    for r in 0..rows.len() {
        pairs.clear();
        let range = rows.start[r]..rows.start[r + 1];
        pairs.extend(rows.index[range.clone()].iter().map(|&j| u64::from(j)).zip(rows.value[range].iter().copied()));
        batch.push(Some(rows.label[r]), 1.0, &pairs);
    }
    batch
}

/// Rows of shards that are blocks of the rows, in turn from each shard: the order in which rounds read them.
#[must_use]
pub fn in_turn(rows: &Batch, shards: u32) -> Batch {
    let size = rows.len().div_ceil(shards as usize);
    let mut turned = Batch::default();
    for at in 0..size {
        let own = (0..shards as usize).filter(|shard| shard * size + at < rows.len().min((shard + 1) * size));
        own.for_each(|shard| turned.append(&rows.row(shard * size + at)));
    }
    turned
}

/// Settings of the loss of a simulation.
#[must_use]
pub fn settings(link: Link) -> Settings {
    let loss = match link {
        Link::Logistic => Loss::Logistic,
        Link::Squared => Loss::Squared,
        Link::Poisson => Loss::Poisson,
    };
    Settings { loss, ..Settings::default() }
}

/// Time of the sequential pass.
///
/// # Panics
/// Panics if a row cannot be learnt.
#[must_use]
pub fn timed_sequential(settings: &Settings, rows: &Batch) -> (Duration, Trainer) {
    let start = now();
    let mut trainer = Trainer::new(settings.clone(), Plan::ONE_PASS);
    trainer.learn(rows, 0, rows.len()).expect("rows are sound");
    (now() - start, trainer)
}

/// Times of a pass in rounds over shards that are blocks of the rows. Workers run one after another, and the longest
/// counts, so that the figure does not depend on how many cores the machine has left.
///
/// # Panics
/// Panics if a row cannot be learnt.
#[must_use]
pub fn timed_in_rounds(settings: &Settings, rows: &Batch, shards: u32, workers: u32) -> (Times, RoundTrainer) {
    let mut trainer = RoundTrainer::new(settings.clone(), shards).expect("settings that rounds take");
    let size = rows.len().div_ceil(shards as usize);
    let (mut at, mut times) = (0, Times::default());
    let mut works: Vec<_> = (0..workers).map(|_| trainer.work()).collect();
    while at < size {
        let step = trainer.rows_per_shard().min(size - at);
        let (mut longest, mut parts) = (Duration::ZERO, Vec::new());
        for (worker, work) in (0..workers).zip(&mut works) {
            let start = now();
            work.restart(&trainer);
            for shard in worker * shards / workers..(worker + 1) * shards / workers {
                let end = rows.len().min((shard as usize + 1) * size);
                let [from, to] = [at, at + step].map(|r| (shard as usize * size + r).min(end));
                work.start_shard(&trainer, shard);
                work.add(&trainer, rows, from, to).expect("rows are sound");
            }
            parts.push(work.finish().expect("two classes"));
            longest = longest.max(now() - start);
        }
        if workers > 1 {
            times.bytes += parts.iter().map(|part| part.to_bytes().len()).sum::<usize>() / parts.len();
        }
        let start = now();
        let all = parts.into_iter().reduce(|a, b| a.join(b).expect("two classes")).expect("a worker");
        times.join += now() - start;
        let start = now();
        trainer.absorb(&all).expect("rows are sound");
        *(if at == 0 { &mut times.first } else { &mut times.absorb }) += now() - start;
        *(if at == 0 { &mut times.first } else { &mut times.work }) += longest;
        at += step;
        times.rounds += 1;
    }
    times.bytes /= times.rounds.max(1);
    (times, trainer)
}
