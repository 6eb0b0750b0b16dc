//! Detection of rows in an order that makes the reported loss meaningless, such as sorted data.
//!
//! The progressive loss, in which each row is scored before it is learnt, says how good the model is if late rows are
//! like early rows. For sorted rows the progressive loss says nothing: a learner that sees one class for a long time
//! predicts that class, is right, and forgets the other classes. So a bounded sample of the rows is kept during a
//! run, and the final model is scored on the sample, which holds all rows of a small data set and a uniform sample of
//! a large one. If a part of the sample is enough to rule an alarm out, only that part is scored.
//!
//! The *alarm* is raised if the mean loss of the model over the rows of the run exceeds the reported loss by more
//! than [`ERRORS`] standard errors, and by more than [`SHARE`] of the explainable loss: the loss of the best constant
//! less the mean of the least loss that each row can have. If only a sample was scored, [`NOISE_ERRORS`] standard
//! errors of its sampling noise are added to the thresholds.

mod constant;
mod verdict;

use super::{order::OrderMonitor, row_loop::RowLoop};
use crate::{
    data::rows::Row,
    loss::Loss,
    model::{id_positions::IdPositions, order_alarm::OrderAlarm, trained_model::Model},
    simd::margin::MarginSum,
};
pub use constant::WorseThanConstant;
pub(crate) use verdict::Printed;
use verdict::{RowLosses, SampleLosses};

/// Excess of the final model's loss over the reported loss, in standard errors, up to which no alarm is raised.
const ERRORS: f64 = 5.0;
/// Number of standard errors of sampling noise that are subtracted from the final model's excess loss if only a sample
/// of the rows was scored. The number is smaller than [`ERRORS`], since for a false alarm sampling noise would have to
/// exceed [`ERRORS`] and [`SHARE`] as well.
const NOISE_ERRORS: f64 = 3.0;
/// Excess loss, as a fraction of the explainable loss (that of the best constant minus the least possible), up to
/// which no alarm is raised.
const SHARE: f64 = 0.05;
/// Number of standard errors of sampling noise that are added to an excess loss on a part of the sample; if the sum is
/// still below the threshold, the finding is ruled out. For a finding on the whole sample to be missed, the part would
/// have to be off by these and by [`NOISE_ERRORS`].
const RULED_OUT_ERRORS: f64 = 2.0;

/// Numbers by which the sampled rows are divided to give parts of the sample, from the smallest part to the largest.
const PARTS: [u64; 6] = [64, 32, 16, 8, 4, 2];
/// Minimum number of rows in a part of the sample that is scored on its own.
const LEAST_PART: u64 = 256;

/// Scorer of a model on parts of the sampled rows.
struct Scorer<'a> {
    row_loop: &'a RowLoop,
    model: &'a Model,
    positions: IdPositions<'a>,
}

impl<'a> Scorer<'a> {
    /// Prepares a scorer. O(features).
    fn new(row_loop: &'a RowLoop, model: &'a Model) -> Scorer<'a> {
        Scorer { row_loop, model, positions: IdPositions::new(&model.index) }
    }

    /// Scores the model on a uniform part of the sampled rows, one row in `every`; returns for each row the loss of the
    /// model, and the loss of the row when it was read.
    fn score(&self, every: u64) -> SampleLosses {
        let (sample, loss) = (&self.row_loop.order.sample, self.row_loop.loss());
        let mut scored = SampleLosses::new(loss, sample.seen());
        let (mut sums, mut margins) = (Vec::new(), Vec::new());
        sample.each(every, |row, counted, came| {
            self.margins_of(row, &mut sums, &mut margins);
            let label = row.label.unwrap_or(f64::NAN);
            let Some(y) = self.model.labels.encode(label).or((!loss.classifies()).then_some(label)) else { return };
            let weight = self.row_loop.weight_of_all(label, row.weight);
            let value = loss_of(loss, y, &margins);
            scored.add(&RowLosses { y, offset: row.offset, weight, value, counted, came });
        });
        scored
    }

    /// Scores the model on parts of the sample of growing size, until a part rules a finding out; if none does, on the
    /// whole sample. Returns the losses of the last part scored, and whether it rules the finding out. So a run
    /// without a finding, as most are, pays for a small part.
    fn score_until(&self, rules_out: impl Fn(&SampleLosses) -> bool) -> (SampleLosses, bool) {
        let rows = self.row_loop.order.sample.len() as u64;
        let parts = PARTS.into_iter().filter(|part| rows / part >= LEAST_PART);
        let ruled_out = parts.map(|part| self.score(part)).find(|scored| rules_out(scored));
        ruled_out.map_or_else(|| (self.score(1), false), |scored| (scored, true))
    }

    /// Computes the margins of a row (one, or one per class), equal to the bit to those of a
    /// [`Predictor`](crate::Predictor) but without building its lookup table.
    fn margins_of(&self, row: &Row<'_>, sums: &mut Vec<MarginSum>, margins: &mut Vec<f64>) {
        let (intercept, columns) = (&self.model.intercept, self.model.intercept.len());
        sums.clear();
        sums.resize_with(columns, MarginSum::default);
        for (k, (&id, value)) in row.index.iter().zip(row.value).enumerate() {
            let Some(at) = self.positions.of(id) else { continue };
            let weights = &self.model.weight[at * columns..][..columns];
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| sum.add_one(k, weight * value));
        }
        margins.clear();
        margins.extend(sums.iter().zip(intercept).map(|(sum, &intercept)| sum.total(intercept) + row.offset));
    }
}

/// Returns the loss for the given margins; NaN if a margin is not finite, or if a loss of one margin is given several.
fn loss_of(loss: Loss, y: f64, margins: &[f64]) -> f64 {
    match margins {
        _ if loss.is_multiclass() => loss.multiclass_value(y as usize, margins),
        [margin] => loss.value(y, *margin),
        _ => f64::NAN,
    }
}

impl RowLoop {
    /// Returns an alarm if the order of rows has made the reported loss meaningless for this model; `None` otherwise.
    /// Costs O(sample).
    pub(crate) fn order_alarm(&self, model: &Model) -> Option<OrderAlarm> {
        let OrderMonitor { sample, before, earlier } = &self.order;
        let holdout = &self.holdout;
        if holdout.plan.optimum.is_some() {
            // The loss of the first pass is not reported as the loss of the optimum.
            return None;
        }
        if sample.is_empty() || holdout.earlier_model().is_some() {
            return *earlier;
        }
        let losses = self.printed();
        let held_out = holdout.has_held_out_rows() || holdout.prints_held_out();
        let printed = match held_out {
            _ if holdout.plan.passes == 1 => Printed::AsTheyCame(losses.mean().since(before)?),
            true => Printed::Loss { loss: losses.loss()?, rows: holdout.held_out() },
            false => Printed::Loss { loss: losses.mean().since(before)?, rows: sample.seen() },
        };
        // The reported loss of the rows of an earlier run is still part of the reported loss.
        let all = earlier.and_then(|_| Some(Printed::Loss { loss: losses.loss()?, rows: sample.seen() }));
        let printed: Vec<Printed> = std::iter::once(printed).chain(all).collect();
        let rules_out = |part: &SampleLosses| printed.iter().all(|&printed| part.rules_out_alarm(printed));
        let (scored, ruled_out) = Scorer::new(self, model).score_until(rules_out);
        if ruled_out { None } else { printed.into_iter().find_map(|printed| scored.alarm(printed)) }
    }
}
