//! Metrics of rows in shards, from sums over all shards.
//!
//! Weights and their sums are joined along the tree of the shards. The moments of labels and the samples for plots, which
//! are no sums, are listed by shard and joined at the end. Margins are listed in the order of the rows up to
//! [`Metrics::EXACT`] rows of all shards together; beyond, the cells of their histograms are added up.

use super::{ClassMetrics, Measured, Metrics, PlotData, ReservoirSample, Tally, ranking::Ranking};
use crate::{
    loss::Loss,
    numeric::sums::{Moments, Sum, compensated},
    shards::{Interrupted, Keyed, Partial, Shards},
};

/// Sums over the rows of all shards from which the metrics are computed, the same in all processes.
///
/// ```
/// use std::sync::Arc;
/// use surefoot_glm::{Batch, MetricTotals, Plan, Settings, Tally, Trainer, shards::{OneProcess, Shards}};
/// let mut batch = Batch::default();
/// (0..60_u64).for_each(|t| batch.push(Some((t % 2) as f64), 1.0, &[(t % 2, 1.0)]));
/// let mut trainer = Trainer::new(Settings::default(), Plan::ONE_PASS);
/// trainer.learn(&batch, 0, batch.len()).unwrap();
/// let model = trainer.model();
///
/// let whole = Tally::new(&model);
/// let mut own = vec![(0, whole.anew()), (1, whole.anew())];
/// for r in 0..batch.len() {
///     let row = batch.row(r);
///     own[r / 30].1.add(model.labels.encode(row.label.unwrap()).unwrap(), &row).unwrap();
/// }
/// let shards = Shards { total: 2, collective: Arc::new(OneProcess { shards: 2 }) };
/// let (measured, _) = MetricTotals::of(own, &shards)?.measured(model.settings.loss);
/// assert_eq!((measured.rows, measured.accuracy, measured.auc), (60, Some(1.0), Some(1.0)));
/// # Ok::<(), surefoot_glm::shards::Interrupted>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MetricTotals {
    sums: Partial,
    ranking: Partial,
}

impl MetricTotals {
    /// Joins the evaluations of the shards that this process owns, by the numbers of the shards, with those of the other
    /// processes. All have to be of the same model.
    ///
    /// # Errors
    /// [`Interrupted`], if the run was stopped.
    pub fn of(mut own: Vec<(usize, Tally)>, shards: &Shards) -> Result<MetricTotals, Interrupted> {
        let sums = shards.combine(own.iter_mut().map(|(shard, tally)| (*shard, tally.sums())))?;
        let exact = sums.sums.get(1).is_some_and(|&count| count <= Metrics::EXACT as f64);
        let ranking = shards.combine(own.into_iter().map(|(shard, tally)| (shard, tally.ranking(exact))))?;
        Ok(MetricTotals { sums, ranking })
    }

    /// Returns the metrics, and the data for plots, of the rows of all shards, for the loss of the model.
    #[must_use]
    pub fn measured(&self, loss: Loss) -> (Measured, PlotData) {
        if loss.is_multiclass() {
            let metrics = ClassMetrics::of_sums(loss, &self.sums);
            return (metrics.measured(), metrics.plot_data());
        }
        let metrics = Metrics::of_totals(loss, &self.sums, &self.ranking);
        (metrics.measured(), metrics.plot_data())
    }

    /// Returns the totals as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let sums = self.sums.to_bytes();
        [&(sums.len() as u64).to_le_bytes()[..], &sums, &self.ranking.to_bytes()].concat()
    }

    /// Reads what [`to_bytes`](MetricTotals::to_bytes) returned; `None` if the bytes are damaged.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<MetricTotals> {
        let (len, rest) = bytes.split_first_chunk::<8>()?;
        let (sums, ranking) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        Some(MetricTotals { sums: Partial::from_bytes(sums)?, ranking: Partial::from_bytes(ranking)? })
    }
}

impl Metrics {
    /// Returns all sums that are plainly added up, in a fixed order.
    fn sums_mut(&mut self) -> Vec<&mut Sum> {
        let Metrics { value, correct, squares, sizes, excess, saturated, brier, taken, calibration, .. } = self;
        let means = [value, correct, squares, sizes, excess, saturated, brier];
        let means = means.into_iter().flat_map(|mean| mean.sums_mut());
        means.chain(taken.iter_mut().flatten()).chain(calibration.sums_mut()).collect()
    }

    pub(super) fn sums(&mut self) -> Partial {
        Partial {
            sums: vec![self.rows as f64, self.ranking.count()],
            maxima: vec![f64::from(self.spoilt), f64::from(self.shares)],
            list: self.labels.parts().into_iter().chain(self.sample.parts()).collect(),
            compensated: compensated_all(self.sums_mut()),
            ..Partial::default()
        }
    }

    pub(super) fn into_ranking(self, exact: bool) -> Partial {
        self.ranking.partial(exact)
    }

    fn of_totals(loss: Loss, sums: &Partial, ranking: &Partial) -> Metrics {
        let mut metrics = Metrics { rows: rows_of(sums), ..Metrics::new(loss) };
        metrics.spoilt = is_set(sums, 0);
        if metrics.spoilt {
            return metrics;
        }
        metrics.shares = is_set(sums, 1);
        put_back(metrics.sums_mut(), sums);
        let (mut list, mut samples) = (sums.list.iter().copied(), Vec::new());
        while let Some((labels, sample)) = next_shard(&mut list) {
            metrics.labels.join(&labels);
            samples.push(sample);
        }
        metrics.sample = ReservoirSample::of_all(samples);
        metrics.ranking = Ranking::of_partial(ranking);
        metrics
    }
}

impl ClassMetrics {
    /// Returns all sums but those of the confusion matrix, in a fixed order.
    fn sums_mut(&mut self) -> Vec<&mut Sum> {
        let ClassMetrics { value, logs, correct, brier, calibration, .. } = self;
        let means = [value, logs, correct, brier].into_iter().flat_map(|mean| mean.sums_mut());
        means.chain(calibration.sums_mut()).collect()
    }

    pub(super) fn sums(&mut self) -> Partial {
        let cells = &self.cells;
        let keyed = Keyed {
            ids: cells.keys().map(|(label, predicted)| (*label as u64) << 32 | *predicted as u64).collect(),
            sums: cells.values().map(Sum::value).collect(),
            ..Keyed::default()
        };
        Partial {
            sums: vec![self.rows as f64, 0.0],
            maxima: vec![f64::from(self.spoilt)],
            keyed,
            compensated: compensated_all(self.sums_mut()),
            ..Partial::default()
        }
    }

    fn of_sums(loss: Loss, sums: &Partial) -> ClassMetrics {
        let mut metrics = ClassMetrics { rows: rows_of(sums), ..ClassMetrics::new(loss) };
        metrics.spoilt = is_set(sums, 0);
        if metrics.spoilt {
            return metrics;
        }
        put_back(metrics.sums_mut(), sums);
        for (id, weight) in sums.keyed.ids.iter().zip(&sums.keyed.sums) {
            let cell = ((id >> 32) as usize, (id & u64::from(u32::MAX)) as usize);
            metrics.cells.entry(cell).or_default().add(*weight);
        }
        metrics
    }
}

fn compensated_all(sums: Vec<&mut Sum>) -> Vec<f64> {
    compensated(&sums.into_iter().map(|sum| *sum).collect::<Vec<_>>())
}

/// Puts the sums of a partial result where they were taken from.
fn put_back(sums: Vec<&mut Sum>, from: &Partial) {
    let (values, errors) = from.compensated.split_at(from.compensated.len() / 2);
    let parts = values.iter().zip(errors);
    sums.into_iter().zip(parts).for_each(|(sum, (value, error))| *sum = Sum::of_parts([*value, *error]));
}

/// Reads the moments and the sample of the next shard.
fn next_shard(list: &mut impl Iterator<Item = f64>) -> Option<(Moments, ReservoirSample)> {
    let mut parts = [list.next()?; 6];
    for part in &mut parts[1..] {
        *part = list.next()?;
    }
    Some((Moments::of_parts(parts), ReservoirSample::of_parts(list)?))
}

fn rows_of(sums: &Partial) -> u64 {
    sums.sums.first().map_or(0, |rows| *rows as u64)
}

fn is_set(sums: &Partial, k: usize) -> bool {
    sums.maxima.get(k).is_some_and(|flag| *flag > 0.0)
}
