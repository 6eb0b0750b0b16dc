//! The fitted constants by name, and the times that follow from them.

use super::{
    measurements::Measurements,
    model::{Measured, Model},
    zipf::{beyond, misses},
};

/// Bytes of the cache that one core has for itself.
pub(super) const CACHE: f64 = 524_288.0;
/// Bytes that a cache moves at once, so that a number somewhere in memory takes as much room as these.
pub(super) const LINE: f64 = 64.0;
/// Bytes of a feature in the sums of a round, id included, and of a number of a vector.
pub(super) const BYTES_OF_SUMS: f64 = 43.0;
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
                &["exchange", "worker", "number", "number sent", "number and worker", "number sent beyond the cache"],
                coordinator,
            ),
            worker: Model::fit(
                "Exchange of a vector: processor time of a worker",
                &["exchange", "number", "number sent", "number sent beyond the cache"],
                worker,
            ),
            pass: Model::fit(
                "Pass of the optimum",
                &["row", "nonzero", "nonzero beyond the cache", "feature and shard", "the same beyond the cache"],
                pass,
            ),
            work: Model::fit(
                "Round of one pass: work",
                &[
                    "worker",
                    "row",
                    "nonzero",
                    "nonzero beyond the cache",
                    "feature of a shard",
                    "feature of a worker",
                    "the same beyond the cache",
                    "feature and doubling, to sort",
                ],
                work,
            ),
            send: Model::fit(
                "Round of one pass: sums to bytes",
                &["worker", "feature", "feature beyond the cache"],
                send,
            ),
            join: Model::fit(
                "Round of one pass: sums from bytes, and their joins",
                &["worker", "feature", "feature beyond the cache", "feature of a join"],
                join,
            ),
            absorb: Model::fit(
                "Round of one pass: learning of the sums",
                &["round", "feature", "feature beyond the cache"],
                absorb,
            ),
        }
    }

    /// Seconds of a worker for a pass over its rows.
    pub(super) fn pass(&self, rows: f64, nonzeros: f64, dim: f64) -> f64 {
        let c = &self.pass.constants;
        rows * c[0]
            + nonzeros * (c[1] + c[2] * misses(dim, CACHE / LINE))
            + 2.0 * dim * (c[3] + c[4] * beyond(dim, CACHE / BYTES_OF_NUMBER))
    }

    /// Seconds of a worker for its rows in a round of one pass.
    pub(super) fn work(&self, rows: f64, nonzeros: f64, features: f64) -> f64 {
        let (c, room) = (&self.work.constants, CACHE / 150.0);
        c[0] + rows * c[1]
            + nonzeros * (c[2] + c[3] * misses(features, room))
            + features * (c[4] + c[5] + c[6] * beyond(features, room) + c[7] * features.max(1.0).log2())
    }

    /// Seconds for learning the sums of this many features.
    pub(super) fn absorb(&self, features: f64) -> f64 {
        let c = &self.absorb.constants;
        c[0] + features * (c[1] + c[2] * beyond(features, CACHE / LINE))
    }

    /// Returns the processor time that an exchange of vectors takes.
    pub(super) fn vectors(&self) -> Handling {
        let (c, w) = (&self.coordinator.constants, &self.worker.constants);
        Handling {
            message: c[1].max(c[0] / 2.0),
            joined: c[3] + c[4] + c[5],
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
            joined: read + join[3],
            bytes: BYTES_OF_SUMS,
            ends: send[1] + send[2] + read,
        }
    }
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
    /// Constants of the right order, for tests.
    pub(super) fn made_up() -> Costs {
        let of = |constants: &[f64]| {
            // As many measurements as determine the constants, each of one term.
            let one = |k: usize| {
                let terms = (0..constants.len()).map(|j| f64::from(u8::from(j == k))).collect();
                Measured { what: String::new(), terms, seconds: constants[k] }
            };
            (0..constants.len()).flat_map(|k| [one(k), one(k)]).collect::<Vec<_>>()
        };
        Costs::fit([
            of(&[1e-5, 5e-6, 1e-9, 2e-9, 1e-9, 1e-9]),
            of(&[1e-5, 1e-9, 1e-9, 1e-9]),
            of(&[1e-8, 2e-9, 4e-9, 1e-9, 1e-9]),
            of(&[1e-6, 1e-7, 1e-8, 1e-8, 2e-8, 3e-8, 1e-8, 1e-9]),
            of(&[1e-6, 1e-8, 1e-9]),
            of(&[1e-6, 1e-8, 1e-9, 1e-8]),
            of(&[1e-6, 5e-8, 5e-8]),
        ])
    }
}
