//! Seconds and memory of a fit on a cluster.

use super::{
    costs::{BYTES_OF_NUMBER_WITH_ID, BYTES_OF_SUMS, Costs},
    exchange::{Links, Load, Way, seconds},
    zipf::distinct,
};

/// Bytes of a nonzero and of a row of the optimum, of its vectors per feature, and of what one pass has per feature of the model
/// and per feature of a round.
const NONZERO: f64 = 12.0;
const ROW: f64 = 96.0;
const VECTORS: f64 = 15.0 * 8.0;
const LEARNT: f64 = 64.0;
const OF_ROUND: f64 = 150.0;
/// Rows that are learnt one by one, and the share of the rows so far that a round takes then.
const ONE_BY_ONE: f64 = 2048.0;
const SHARE: f64 = 0.01;

/// Machines of a cluster, of which each runs a worker on one core, with a shard of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cluster {
    pub(super) links: Links,
    /// Bytes of memory.
    pub(super) memory: f64,
    /// Bytes per second of the disk with the rows that do not fit into memory.
    pub(super) disk: f64,
}

/// A fit: rows with so many nonzeros each, of so many features by Zipf's law, over so many workers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) rows: f64,
    pub(super) pairs: f64,
    pub(super) features: f64,
    pub(super) workers: f64,
}

/// How sums are exchanged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) way: Way,
    /// Whether only features that occur are sent.
    pub(super) is_sparse: bool,
}

/// Seconds of a fit on each worker, and its memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    /// Work over the rows, and learning of the sums.
    pub(super) rows: f64,
    pub(super) learning: f64,
    /// Exchange.
    pub(super) exchange: f64,
    /// Bytes of a worker.
    pub(super) memory: f64,
    /// Bytes of a worker on its disk.
    pub(super) disk: f64,
}

impl Spent {
    pub(super) fn total(&self) -> f64 {
        self.rows + self.learning + self.exchange
    }

    /// Whether the exchange, with the learning that every replica repeats, takes more than half of the time.
    pub(super) fn is_mostly_exchange(&self) -> bool {
        self.rows < 0.5 * self.total()
    }
}

/// Returns the number of rounds of a pass in closed form.
pub(super) fn rounds(rows: f64) -> f64 {
    (rows / ONE_BY_ONE).max(1.0).ln() / SHARE.ln_1p()
}

/// Returns the seconds and the memory of one pass of the optimum.
pub(super) fn pass(costs: &Costs, cluster: &Cluster, task: Task, choice: Choice) -> Spent {
    let Task { rows, pairs, features, workers } = task;
    let (own_rows, own_nonzeros) = (rows / workers, rows * pairs / workers);
    let occurring = |k: f64| distinct(k * own_nonzeros, features);
    let mut handling = costs.vectors();
    if choice.is_sparse {
        handling.bytes = BYTES_OF_NUMBER_WITH_ID;
        // Ids have to be met with each other: as for the sums of rounds.
        handling.joined += costs.sums().joined;
    }
    let all = |_: f64| features;
    let load = Load { entries: if choice.is_sparse { &occurring } else { &all }, handling };
    // Whoever owns a part of the parameters holds the vectors of that part, and two numbers for each feature of its rows.
    let (dim, held) = match choice.way {
        Way::Sharded => (occurring(1.0), VECTORS * features / workers + 16.0 * occurring(1.0)),
        _ => (features, VECTORS * features),
    };
    let stored = own_rows * ROW + own_nonzeros * NONZERO;
    let disk = if held + stored > cluster.memory { stored } else { 0.0 };
    Spent {
        rows: costs.pass(own_rows, own_nonzeros, dim) + disk / cluster.disk,
        learning: 0.0,
        exchange: seconds(choice.way, workers, &load, cluster.links),
        memory: held + if disk > 0.0 { 0.0 } else { stored },
        disk,
    }
}

/// Returns the seconds and the memory of one whole pass in rounds.
pub(super) fn one_pass(costs: &Costs, cluster: &Cluster, task: Task, choice: Choice) -> Spent {
    let Task { rows, pairs, features, workers } = task;
    let mut spent = Spent::default();
    let (mut before, mut largest) = (ONE_BY_ONE, [0.0_f64; 2]);
    while before < rows {
        let count = (SHARE * before).max(workers).min(rows - before);
        let own = count / workers;
        let occurring = |k: f64| distinct(k * own * pairs, features);
        let [one, all] = [1.0, workers].map(occurring);
        let mut handling = costs.sums();
        if !choice.is_sparse {
            // Without ids, the sums of all features are there, and lie in the same order everywhere.
            handling.bytes = BYTES_OF_SUMS - 8.0;
            handling.joined = costs.vectors().joined * handling.bytes / 8.0;
            handling.ends = costs.vectors().ends * handling.bytes / 8.0;
        }
        let every = |_: f64| features;
        let load = Load { entries: if choice.is_sparse { &occurring } else { &every }, handling };
        let learnt = if choice.way == Way::Sharded { all / workers } else { all };
        spent.rows += costs.work(own, own * pairs, one, features);
        spent.learning += costs.absorb(learnt);
        spent.exchange += seconds(choice.way, workers, &load, cluster.links);
        largest = [largest[0].max(one), largest[1].max(all)];
        before += count;
    }
    let known = distinct(rows * pairs, features);
    let sums = if choice.is_sparse { BYTES_OF_SUMS * largest[1] } else { (BYTES_OF_SUMS - 8.0) * features };
    spent.memory = match choice.way {
        Way::Sharded => LEARNT * known / workers + (OF_ROUND + BYTES_OF_SUMS) * largest[0],
        _ => LEARNT * known + OF_ROUND * largest[0] + sums,
    };
    spent
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLUSTER: Cluster = Cluster { links: Links { latency: 2e-4, bandwidth: 1.25e9 }, memory: 64e9, disk: 2e9 };
    const TASK: Task = Task { rows: 1e9, pairs: 100.0, features: 16_777_216.0, workers: 100.0 };
    const STAR: Choice = Choice { way: Way::Star, is_sparse: true };

    #[test]
    fn rounds_are_counted() {
        assert!((rounds(1e9) - 1316.0).abs() < 1.0, "{}", rounds(1e9));
        assert_eq!(rounds(100.0), 0.0);
    }

    #[test]
    fn a_pass_adds_up() {
        let costs = Costs::made_up();
        let dense = Choice { way: Way::Star, is_sparse: false };
        let spent = pass(&costs, &CLUSTER, TASK, dense);
        // 10⁹ nonzeros per worker, 12 GB, and 10⁷ rows; vectors of 2²⁴ numbers, 120 bytes per feature.
        let expected = 1e9 * NONZERO + 1e7 * ROW + 120.0 * TASK.features;
        assert!((spent.memory / expected - 1.0).abs() < 1e-9 && spent.disk == 0.0);
        // 2²⁴ numbers of 8 bytes, 100 times in either direction, over a link of 1.25 GB a second.
        assert!(spent.exchange > 200.0 * 8.0 * TASK.features / 1.25e9);
        let fewer = pass(&costs, &CLUSTER, Task { rows: 1e12, ..TASK }, dense);
        assert!(fewer.disk > 1e12 && fewer.memory < 3e9);
        assert!(fewer.rows > fewer.disk / 2e9);
    }

    #[test]
    fn sparse_and_sharded_exchanges_cost_less_where_features_are_many() {
        let costs = Costs::made_up();
        let wide = Task { features: 2_f64.powi(30), ..TASK };
        let of = |way, is_sparse| one_pass(&costs, &CLUSTER, wide, Choice { way, is_sparse });
        let (dense, sparse, sharded) = (of(Way::Star, false), of(Way::Star, true), of(Way::Sharded, true));
        assert!(dense.exchange > 10.0 * sparse.exchange && sparse.exchange > sharded.exchange);
        assert!(sharded.learning < 0.1 * sparse.learning && sharded.memory < 0.1 * sparse.memory);
        assert_eq!(sharded.rows, sparse.rows);
    }

    #[test]
    fn more_workers_divide_the_work_but_not_the_learning() {
        let costs = Costs::made_up();
        let [few, many] = [10.0, 100.0].map(|workers| one_pass(&costs, &CLUSTER, Task { workers, ..TASK }, STAR));
        assert!(many.rows < 0.3 * few.rows);
        assert!((many.learning / few.learning - 1.0).abs() < 0.05);
    }
}
