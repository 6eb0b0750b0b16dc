//! The fitted constants by name, and the times that follow from them.

use super::{
    measurements::Measurements,
    model::{Measured, Model},
    zipf::{beyond, misses},
};

/// Bytes of the caches of the machine of the measurements: those of a core, and that of all cores. What is used beside other things finds
/// room in a part of the largest only.
const FIRST: f64 = 32_768.0;
const SECOND: f64 = 524_288.0;
const PART: f64 = 4_194_304.0;
const THIRD: f64 = 16_777_216.0;
/// Bytes that a cache moves at once, so that a number somewhere in memory takes as much room as these.
const LINE: f64 = 64.0;
/// Bytes from which the allocator takes memory from the system anew each time.
const FRESH: f64 = 33_554_432.0;
/// Bytes of a feature in the sums of a round, id included, and of a number of a vector.
pub(super) const BYTES_OF_SUMS: f64 = 50.0;
pub(super) const BYTES_OF_NUMBER: f64 = 8.0;
/// Bytes of a number of a vector with its id.
pub(super) const BYTES_OF_NUMBER_WITH_ID: f64 = 16.0;

/// Models of all parts, fitted to measurements.
#[derive(Debug)]
pub struct Costs {
    /// Processor time of the coordinator per exchange of vectors.
    pub coordinator: Model,
    /// Processor time of a worker per exchange of vectors.
    pub worker: Model,
    /// Pass of the optimum.
    pub pass: Model,
    /// Work of the workers in a round of one pass.
    pub work: Model,
    /// Bytes of sums.
    pub send: Model,
    /// Joins of sums.
    pub join: Model,
    /// Learning of the sums of a round.
    pub absorb: Model,
}

impl Costs {
    /// Fits all constants to measurements.
    #[must_use]
    pub fn of(all: &Measurements) -> Costs {
        Costs::fit(all.parts.clone())
    }

    fn fit([coordinator, worker, pass, work, send, join, absorb]: [Vec<Measured>; 7]) -> Costs {
        Costs {
            coordinator: Model::fit(
                "Exchange of a vector: processor time of the coordinator",
                &[
                    "exchange",
                    "worker",
                    "number",
                    "number sent",
                    "number sent > 512 KiB",
                    "number and worker",
                    "number and worker > 512 KiB",
                    "number sent in fresh memory",
                ],
                coordinator_terms,
                coordinator,
            ),
            worker: Model::fit(
                "Exchange of a vector: processor time of a worker",
                &[
                    "exchange",
                    "number sent",
                    "number sent > 512 KiB",
                    "all sent > 16 MiB",
                    "number sent in fresh memory",
                ],
                worker_terms,
                worker,
            ),
            pass: Model::fit(
                "Pass of the optimum",
                &[
                    "row",
                    "nonzero",
                    "nonzero > 32 KiB",
                    "nonzero > 512 KiB",
                    "nonzero > 512 KiB, rows > 16 MiB",
                    "nonzero > 4 MiB, rows > 16 MiB",
                    "nonzero of rows > 16 MiB",
                    "feature and shard",
                    "feature and shard, rows > 16 MiB",
                ],
                pass_terms,
                pass,
            ),
            work: Model::fit(
                "Round of one pass: work",
                &[
                    "worker",
                    "row",
                    "nonzero",
                    "feature of a shard > 32 KiB",
                    "feature of a shard > 4 MiB",
                    "feature of a shard > 16 MiB",
                    "feature of a worker",
                    "feature of a worker > 4 MiB",
                    "feature of a worker > 16 MiB",
                    "feature of a model > 2 MiB",
                    "feature and doubling, to sort",
                ],
                work_terms,
                work,
            ),
            send: Model::fit(
                "Round of one pass: sums to bytes",
                &["worker", "feature", "feature > 512 KiB", "feature > 16 MiB"],
                send_terms,
                send,
            ),
            join: Model::fit(
                "Round of one pass: sums from bytes, and their joins",
                &["worker", "feature", "feature > 4 MiB", "feature of a join", "feature of a join > 16 MiB"],
                join_terms,
                join,
            ),
            absorb: Model::fit(
                "Round of one pass: learning of the sums",
                &["round", "feature", "feature > 16 MiB"],
                absorb_terms,
                absorb,
            ),
        }
    }

    /// Seconds of a worker with one shard for a pass over its rows.
    pub(super) fn pass(&self, rows: f64, nonzeros: f64, dim: f64) -> f64 {
        self.pass.seconds(&[rows, nonzeros, dim, 1.0, dim, nonzeros])
    }

    /// Seconds of a worker with one shard for its rows in a round of one pass, in which so many of all features occur.
    pub(super) fn work(&self, rows: f64, nonzeros: f64, features: f64, dim: f64) -> f64 {
        self.work.seconds(&[1.0, rows, nonzeros, features, features, features, 0.0, dim])
    }

    /// Seconds for learning the sums of this many features.
    pub(super) fn absorb(&self, features: f64) -> f64 {
        self.absorb.seconds(&[1.0, 0.0, 0.0, 0.0, 0.0, features, 0.0, features])
    }

    /// Returns the processor time that an exchange of vectors takes, of numbers beyond the caches but not in fresh memory.
    pub(super) fn vectors(&self) -> Handling {
        let (c, w) = (&self.coordinator.constants, &self.worker.constants);
        Handling {
            message: c[1].max(c[0] / 2.0),
            joined: c[3] + c[4] + c[5] + c[6],
            bytes: BYTES_OF_NUMBER,
            ends: w[1] + w[2] + w[3],
        }
    }

    /// Returns the processor time that an exchange of the sums of a round takes.
    pub(super) fn sums(&self) -> Handling {
        let (send, join) = (&self.send.constants, &self.join.constants);
        let read = join[1] + join[2];
        Handling {
            message: self.coordinator.constants[1].max(join[0]),
            joined: read + join[3] + join[4],
            bytes: BYTES_OF_SUMS,
            ends: send[1] + send[2] + send[3] + read,
        }
    }
}

/// Whether a vector of so many numbers lies in memory that is taken from the system anew.
fn is_fresh(numbers: f64) -> f64 {
    f64::from(u8::from(numbers * BYTES_OF_NUMBER >= FRESH))
}

fn coordinator_terms(counts: &[f64]) -> Vec<f64> {
    let &[workers, numbers, vectors] = counts else { panic!("three counts") };
    let (sent, all, far) = (vectors * numbers, workers * numbers, beyond(numbers, SECOND / BYTES_OF_NUMBER));
    vec![1.0, workers, numbers, sent, sent * far, all, all * far, sent * is_fresh(numbers)]
}

fn worker_terms(counts: &[f64]) -> Vec<f64> {
    let &[workers, numbers, vectors] = counts else { panic!("three counts") };
    let (sent, all) = (vectors / workers * numbers, workers * numbers);
    let far = |count: f64, bytes: f64| sent * beyond(count, bytes / BYTES_OF_NUMBER);
    vec![1.0, sent, far(numbers, SECOND), far(all, THIRD), sent * is_fresh(numbers)]
}

fn pass_terms(counts: &[f64]) -> Vec<f64> {
    let &[rows, nonzeros, features, shards, dim, draws] = counts else { panic!("six counts") };
    // Rows as they are stored, and what a pass reads in all.
    let stored = 12.0 * nonzeros + 16.0 * rows;
    let (streamed, all) = (beyond(stored, THIRD), beyond(stored + BYTES_OF_NUMBER * features * (3.0 + shards), THIRD));
    let far = |bytes: f64| draws * misses(dim, bytes / BYTES_OF_NUMBER);
    vec![
        rows,
        nonzeros,
        far(FIRST),
        far(SECOND),
        far(SECOND) * all,
        far(PART) * all,
        nonzeros * streamed,
        features * shards,
        features * shards * all,
    ]
}

/// Counts of a round.
struct Round {
    workers: f64,
    rows: f64,
    nonzeros: f64,
    /// Features of each shard, and of each worker, added up.
    in_shards: f64,
    sent: f64,
    features: f64,
    /// Features that go into joins, added up over the joins.
    joined: f64,
    /// Number of features that there are.
    dim: f64,
}

impl Round {
    fn of(counts: &[f64]) -> Round {
        let &[workers, rows, nonzeros, in_shards, sent, features, joined, dim] = counts else { panic!("eight counts") };
        Round { workers, rows, nonzeros, in_shards, sent, features, joined, dim }
    }
}

fn work_terms(counts: &[f64]) -> Vec<f64> {
    let Round { workers, rows, nonzeros, in_shards, sent, dim, .. } = Round::of(counts);
    // A worker has points and sums of about 150 bytes for each feature, and a shard a line of sums.
    let each = sent / workers;
    let far_shard = |bytes: f64| in_shards * beyond(in_shards / workers, bytes / LINE);
    let far = |bytes: f64| sent * beyond(each, bytes / 150.0);
    vec![
        workers,
        rows,
        nonzeros,
        far_shard(FIRST),
        far_shard(PART),
        far_shard(THIRD),
        sent,
        far(PART),
        far(THIRD),
        sent * beyond(dim, PART / 2.0 / LINE),
        sent * each.max(1.0).log2(),
    ]
}

fn send_terms(counts: &[f64]) -> Vec<f64> {
    let Round { workers, sent, .. } = Round::of(counts);
    let far = |bytes: f64| sent * beyond(sent, bytes / BYTES_OF_SUMS);
    vec![workers, sent, far(SECOND), far(THIRD)]
}

fn join_terms(counts: &[f64]) -> Vec<f64> {
    let Round { workers, sent, joined, .. } = Round::of(counts);
    let far = |bytes: f64| beyond(sent, bytes / BYTES_OF_SUMS);
    vec![workers, sent, sent * far(PART), joined, joined * far(THIRD)]
}

fn absorb_terms(counts: &[f64]) -> Vec<f64> {
    let Round { features, .. } = Round::of(counts);
    vec![1.0, features, features * beyond(features, THIRD / LINE)]
}

/// Seconds that a message takes of the processor of those who handle it, and its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handling {
    /// Seconds per message.
    pub(super) message: f64,
    /// Seconds per entry that is received and joined to those of others.
    pub(super) joined: f64,
    /// Bytes of an entry.
    pub(super) bytes: f64,
    /// Seconds per entry at both ends: of a worker that sends its own and reads the total.
    pub(super) ends: f64,
}

#[cfg(test)]
impl Costs {
    /// Constants of the right order, for tests: those of measurements that follow them.
    pub(super) fn made_up() -> Costs {
        let of = |terms: super::model::Terms, constants: &[f64], all: &[&[f64]]| {
            let one = |counts: &&[f64]| {
                let seconds = terms(counts).iter().zip(constants).map(|(term, constant)| term * constant).sum();
                Measured { what: String::new(), counts: counts.to_vec(), seconds }
            };
            // Each of them twice, once to be held back.
            all.iter().flat_map(|counts| [one(counts), one(counts)]).collect::<Vec<_>>()
        };
        let mut vectors: Vec<Vec<f64>> = Vec::new();
        let mut passes: Vec<Vec<f64>> = Vec::new();
        let mut rounds: Vec<Vec<f64>> = Vec::new();
        for k in 0..60 {
            let (a, b, c) = (f64::from(1 + k % 7), 10_f64.powi(2 + k % 5), 10_f64.powi(1 + k % 6));
            vectors.push(vec![a, 100.0 * b, a * f64::from(1 + k % 3)]);
            passes.push(vec![b, a * b, c, f64::from(1 + k % 4), 2.0 * c, 1.1 * a * b]);
            rounds.push(vec![a, b, b * c, 3.0 * c, (1.0 + a / 7.0) * c, c, f64::from(k % 4) * c, 4.0 * c]);
        }
        let [vectors, passes, rounds] =
            [&vectors, &passes, &rounds].map(|all| all.iter().map(Vec::as_slice).collect::<Vec<_>>());
        Costs::fit([
            of(coordinator_terms, &[1e-5, 5e-6, 1e-9, 2e-9, 1e-9, 1e-9, 1e-9, 5e-9], &vectors),
            of(worker_terms, &[1e-5, 1e-9, 1e-9, 1e-9, 5e-9], &vectors),
            of(pass_terms, &[1e-8, 2e-9, 4e-9, 4e-9, 4e-9, 1e-8, 1e-9, 1e-9, 1e-9], &passes),
            of(work_terms, &[1e-6, 1e-7, 1e-8, 1e-8, 1e-8, 2e-8, 3e-8, 1e-8, 1e-8, 1e-8, 1e-9], &rounds),
            of(send_terms, &[1e-6, 1e-8, 1e-9, 1e-9], &rounds),
            of(join_terms, &[1e-6, 1e-8, 1e-9, 1e-8, 1e-9], &rounds),
            of(absorb_terms, &[1e-6, 5e-8, 5e-8], &rounds),
        ])
    }
}
