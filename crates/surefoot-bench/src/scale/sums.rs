//! Measurement of the parts of a round of one pass: the work of a worker, the join of the sums, and their learning by a replica.

use super::model::{Measured, median};
use crate::{sparse_rows, thread_time};
use surefoot_glm::{Batch, Partial, RoundTrainer, Settings};

const SHARDS: u32 = 8;
/// Number of rounds of each kind that are timed.
const ROUNDS: usize = 5;

/// Measurements of rounds of one pass.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// Work of a worker over its rows.
    pub(super) work: Vec<Measured>,
    /// Turning of a worker's sums into bytes.
    pub(super) send: Vec<Measured>,
    /// Reading and joining of the sums of all workers by a coordinator.
    pub(super) join: Vec<Measured>,
    /// Learning of the sums of a round by a replica.
    pub(super) absorb: Vec<Measured>,
    /// Bytes of the sums of a worker per feature, in each round.
    pub(super) bytes: Vec<f64>,
}

/// Counts and times of one round.
struct Round {
    nonzeros: f64,
    /// Features of each shard, added up, and features of the round.
    in_shards: f64,
    features: f64,
    /// Features that workers send, added up over workers, and features that go into joins, added up over all joins.
    sent: f64,
    joined: f64,
    /// Seconds of the work, of turning into bytes, of joining, and of learning.
    seconds: [f64; 4],
    bytes: f64,
}

fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = thread_time();
    let result = work();
    *seconds += (thread_time() - start).as_secs_f64();
    result
}

/// Returns a replica that has learnt the rows once.
fn trained(batch: &Batch) -> Result<RoundTrainer, String> {
    let mut trainer = RoundTrainer::new(Settings::default(), SHARDS)?;
    let mut at = 0;
    while at < batch.len() {
        // Longer rounds than those of a pass, as only the features matter.
        let count = (batch.len() / 20).max(2048).min(batch.len() - at);
        let all = work(&trainer, batch, at, count, SHARDS as usize)?.remove(0);
        trainer.absorb(&all)?;
        at += count;
    }
    Ok(trainer)
}

/// Sums up rows: those of each group of shards, in turn by a worker of its own.
fn work(trainer: &RoundTrainer, batch: &Batch, at: usize, count: usize, own: usize) -> Result<Vec<Partial>, String> {
    let all: Vec<u32> = (0..SHARDS).collect();
    let cut = |shard: u32| at + shard as usize * count / SHARDS as usize;
    let mut parts = Vec::new();
    for owned in all.chunks(own) {
        let mut work = trainer.work();
        for &shard in owned {
            work.start_shard(trainer, shard);
            work.add(trainer, batch, cut(shard), cut(shard + 1)).map_err(|(_, fault)| fault.message)?;
        }
        parts.push(work.finish()?);
    }
    Ok(parts)
}

/// Counter of the features that occur in rows.
struct Features {
    /// Number of the count in which each feature was met last.
    met: Vec<u32>,
    count: u32,
}

impl Features {
    fn of(&mut self, batch: &Batch, from: usize, to: usize) -> f64 {
        self.count += 1;
        let mut found = 0.0;
        for r in from..to {
            for &id in batch.row(r).index {
                let met = &mut self.met[id as usize];
                found += f64::from(u8::from(*met != self.count));
                *met = self.count;
            }
        }
        found
    }
}

/// Times one round of some rows over workers that own this many shards each.
fn round(
    trainer: &mut RoundTrainer,
    batch: &Batch,
    (at, count): (usize, usize),
    own: usize,
    counter: &mut Features,
) -> Result<Round, String> {
    let mut seconds = [0.0; 4];
    let [working, sending, joining, absorbing] = &mut seconds;
    let parts = timed(working, || work(trainer, batch, at, count, own))?;
    let bytes: Vec<Vec<u8>> = timed(sending, || parts.iter().map(Partial::to_bytes).collect());
    let all = timed(joining, || {
        let read = bytes.iter().map(|bytes| Partial::from_bytes(bytes)).collect::<Result<Vec<_>, _>>()?;
        // In pairs, as along the tree of shards.
        let mut level = read;
        while level.len() > 1 {
            let mut next = Vec::new();
            let mut pairs = level.into_iter();
            while let (Some(one), other) = (pairs.next(), pairs.next()) {
                next.push(match other {
                    Some(other) => one.join(other)?,
                    None => one,
                });
            }
            level = next;
        }
        level.pop().ok_or_else(|| "no worker".to_owned())
    })?;
    timed(absorbing, || trainer.absorb(&all))?;
    let cut = |shard: usize| at + shard * count / SHARDS as usize;
    let mut of = |step: usize| -> f64 {
        (0..SHARDS as usize).step_by(step).map(|shard| counter.of(batch, cut(shard), cut(shard + step))).sum()
    };
    let sent = of(own);
    let levels = [1, 2, 4].into_iter().filter(|step| *step >= own);
    Ok(Round {
        joined: levels.map(&mut of).sum(),
        nonzeros: (at..at + count).map(|r| batch.row(r).index.len() as f64).sum(),
        in_shards: of(1),
        features: of(SHARDS as usize),
        sent,
        seconds,
        bytes: bytes.iter().map(|bytes| bytes.len() as f64 - 2000.0).sum::<f64>() / sent,
    })
}

/// Measures rounds, each kind as the median of several. Counts are workers, rows, nonzeros, features of each shard added up, features
/// of each worker added up, features of the round, features that go into joins, added up over the joins, and features that there are.
///
/// # Errors
/// If rows cannot be learnt.
pub(super) fn rounds() -> Result<Rounds, String> {
    let mut measured = Rounds::default();
    for (pairs, bits) in [(10, 12), (10, 18), (10, 22), (40, 16), (40, 20), (160, 12), (160, 18), (160, 22)] {
        let batch = sparse_rows(6_000_000 / (pairs + 20), pairs, 1 << bits);
        let mut trainer = trained(&batch)?;
        let mut counter = Features { met: vec![0; 1 << bits], count: 0 };
        for count in [400, 1600, 6400, 25_600] {
            for own in [1, 2, SHARDS as usize] {
                let begin = |k: usize| k * (batch.len() - count) / ROUNDS;
                let all = (0..ROUNDS).map(|k| round(&mut trainer, &batch, (begin(k), count), own, &mut counter));
                let all = all.collect::<Result<Vec<_>, _>>()?;
                let what = format!("{count} rows of {pairs} nonzeros, 2^{bits} features, {} workers", 8 / own);
                measured.add(&what, (count, own, 1 << bits), &all);
            }
        }
    }
    Ok(measured)
}

impl Rounds {
    fn add(&mut self, what: &str, (rows, own, features): (usize, usize, usize), all: &[Round]) {
        let middle = |of: &dyn Fn(&Round) -> f64| median(all.iter().map(of).collect());
        let round = |of: fn(&Round) -> f64| middle(&of);
        let counts = vec![
            f64::from(SHARDS) / own as f64,
            rows as f64,
            round(|round| round.nonzeros),
            round(|round| round.in_shards),
            round(|round| round.sent),
            round(|round| round.features),
            round(|round| round.joined),
            features as f64,
        ];
        let parts = [&mut self.work, &mut self.send, &mut self.join, &mut self.absorb];
        for (k, part) in parts.into_iter().enumerate() {
            let seconds = middle(&|round| round.seconds[k]);
            part.push(Measured { what: what.to_owned(), counts: counts.clone(), seconds });
        }
        self.bytes.push(middle(&|round| round.bytes));
    }
}
