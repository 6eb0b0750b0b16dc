//! Measurement of a pass of the optimum over rows in memory.

use super::model::{Measured, median};
use crate::{sparse_rows, thread_time};
use std::{
    ops::Range,
    sync::{Arc, Mutex},
    time::Duration,
};
use surefoot_glm::{
    Batch, Bounds, Loss,
    optimum::{Examples, Goal, optimise},
    shards::{Collective, Fold, Interrupted, Partial, Shards},
};

/// Number of passes that are timed.
const PASSES: usize = 20;

/// All shards in this process, with the time between exchanges: that of a pass, and what is computed with its result.
struct Watched {
    shards: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Time at which the exchange before ended.
    ended: Option<Duration>,
    /// Number of numbers of an exchange, and the time since the one before.
    passes: Vec<(usize, Duration)>,
}

impl Collective for Watched {
    fn combine(&self, own: Vec<(Range<usize>, Partial)>) -> Result<Partial, Interrupted> {
        let now = thread_time();
        let mut state = self.state.lock().map_err(|_| Interrupted)?;
        let count = own.first().map_or(0, |(_, partial)| partial.sums.len().max(partial.compensated.len() / 2));
        if let Some(before) = state.ended {
            state.passes.push((count, now - before));
        }
        let mut fold = Fold::new(self.shards);
        own.into_iter().for_each(|(range, partial)| _ = fold.insert(range, partial));
        let total = fold.total().ok_or(Interrupted);
        state.ended = Some(thread_time());
        total
    }
}

/// Times passes over the rows: the median of the last ones.
fn pass(batch: &Batch, columns: usize, shards: usize) -> Option<(f64, usize)> {
    let watched = Arc::new(Watched { shards, state: Mutex::default() });
    let all = Shards { total: shards, collective: watched.clone() };
    let mut examples = Examples::of_shards(all, columns, usize::MAX);
    for shard in 0..shards {
        examples.begin_shard(shard);
        for row in (shard * batch.len() / shards..(shard + 1) * batch.len() / shards).map(|r| batch.row(r)) {
            let ids: Vec<u32> = row.index.iter().map(|&id| id as u32).collect();
            examples.push(if row.label > Some(0.5) { 1.0 } else { -1.0 }, 1.0, 0.0, &ids, row.value);
        }
    }
    let goal = Goal {
        loss: Loss::Logistic,
        classes: 1,
        l1: 0.0,
        l2: 1e-6,
        bounds: Bounds::FREE,
        rules: &[],
        intercept: true,
        tolerance: 1e-9,
        threads: 1,
    };
    // With so many columns no search starts on a sample of the rows, so every pass is one over all of them.
    let enough = || watched.state.lock().is_ok_and(|state| state.passes.len() > 2 * PASSES);
    optimise(&examples, &goal, (&[], &[]), &enough, &mut |_| ())?;
    let state = watched.state.lock().ok()?;
    // Vectors are as long as there are columns that occur; the first count of the columns alone is longer.
    let mut counts: Vec<usize> = state.passes.iter().map(|(count, _)| *count).filter(|count| *count > 16).collect();
    counts.sort_unstable();
    let dim = *counts.get(counts.len() / 2)?;
    let times: Vec<f64> = state
        .passes
        .iter()
        .filter(|(count, _)| count.abs_diff(dim) <= 4)
        .map(|(_, time)| time.as_secs_f64())
        .rev()
        .take(PASSES)
        .collect();
    (times.len() == PASSES).then(|| (median(times), dim))
}

/// Measures passes of the optimum. Counts are rows, nonzeros, features that occur, shards, features that there are, and draws: nonzeros
/// before those that a row has twice are made one.
///
/// # Errors
/// If a search ends before enough passes were timed.
pub(super) fn passes() -> Result<Vec<Measured>, String> {
    let mut measured = Vec::new();
    for (rows, pairs) in [(40_000, 10), (10_000, 40), (40_000, 40), (160_000, 10), (40_000, 160)] {
        for bits in [13, 16, 18, 20, 22] {
            let batch = sparse_rows(rows, pairs, 1 << bits);
            for shards in [1, 2, 8] {
                let found = pass(&batch, 1 << bits, shards);
                let (seconds, dim) = found.ok_or_else(|| format!("too few passes over {rows} rows"))?;
                let nonzeros = batch.index.len();
                let counts = [rows, nonzeros, dim, shards, 1 << bits, rows * pairs].map(|count| count as f64).to_vec();
                let what = format!("{rows} rows, {nonzeros} nonzeros, {dim} features, {shards} shards");
                measured.push(Measured { what, counts, seconds });
            }
        }
    }
    Ok(measured)
}
