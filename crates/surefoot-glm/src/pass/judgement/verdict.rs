//! Statistical test behind the alarm about the order of rows: compares the final model's losses on sampled rows with
//! the reported loss.

use super::{ERRORS, NOISE_ERRORS, RULED_OUT_ERRORS, SHARE};
use crate::{loss::Loss, metrics::progressive_loss::ProgressiveLoss, model::order_alarm::OrderAlarm};

/// Minimum number of sampled rows with which an alarm can be raised.
const FEW: usize = 10;

/// Cap on losses, as a multiple of the explainable loss (that of the best constant minus the least possible), for a
/// second test with less noise. The mean of capped losses is never above the mean of the losses.
const CUT: f64 = 10.0;

/// Mean loss reported to the user, with which the losses of the sampled rows are compared.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Printed {
    /// Mean loss of the rows of the run, each scored before it was learnt.
    AsTheyCame(f64),
    /// Mean loss of `rows` rows, such as held-out rows. The sampled rows are not among them, or it is unknown which
    /// are.
    Loss { loss: f64, rows: u64 },
}

/// Losses of one sampled row: that of the final model, and that of the model at the time when the row was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLosses {
    /// Label as encoded by [`LabelEncoder`](crate::labels::encoder::LabelEncoder).
    pub(super) y: f64,
    /// Offset of the row.
    pub(super) offset: f64,
    /// Weight of the row in the mean loss of the final model.
    pub(super) weight: f64,
    /// Loss of the final model at the row.
    pub(super) value: f64,
    /// Weight of the row in the progressive mean loss, in which rows are scored when they are read.
    pub(super) counted: f64,
    /// Loss of the row when it was read, before it was learnt.
    pub(super) came: f64,
}

/// Losses of all rows in the sample.
#[derive(Debug)]
pub(super) struct SampleLosses {
    pub(super) loss: Loss,
    /// Number of rows of the run from which the sample was drawn.
    seen: u64,
    pub(super) rows: Vec<RowLosses>,
}

/// Returns the weighted mean of pairs (weight, number), and for each pair its influence on the mean: weight times
/// deviation from the mean, divided by the mean weight.
pub(super) fn mean(rows: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, Vec<f64>) {
    let (weight, count) = rows.clone().fold((0.0, 0.0), |(weight, count), row| (weight + row.0, count + 1.0));
    let mean: f64 = rows.clone().map(|(w, x)| w / weight * x).sum();
    (mean, rows.map(|(w, x)| w / weight * count * (x - mean)).collect())
}

/// Returns the standard deviation of the given numbers, whose mean is 0.
pub(super) fn deviation(moves: impl ExactSizeIterator<Item = f64>) -> f64 {
    let degrees = moves.len().saturating_sub(1) as f64;
    (moves.map(|x| x * x).sum::<f64>() / degrees).sqrt()
}

impl SampleLosses {
    pub(super) fn new(loss: Loss, seen: u64) -> SampleLosses {
        SampleLosses { loss, seen, rows: Vec::new() }
    }

    pub(super) fn add(&mut self, row: &RowLosses) {
        self.rows.push(*row);
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the mean loss of the final model over the sample.
    pub(super) fn mean_loss(&self) -> f64 {
        mean(self.of_model()).0
    }

    /// Returns the standard deviation of the rows' influences on the mean loss of the final model.
    pub(super) fn deviation(&self) -> f64 {
        deviation(mean(self.of_model()).1.into_iter())
    }

    /// Returns the standard error of the final model's mean loss that is due to sampling rows.
    pub(super) fn noise(&self) -> f64 {
        self.deviation() * self.sampling_factor()
    }

    fn of_model(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        self.rows.iter().map(|row| (row.weight, row.value))
    }

    /// Returns the factor that converts a standard deviation to the standard error of the sample mean about the mean
    /// of all rows, with the finite population correction.
    fn sampling_factor(&self) -> f64 {
        let rows = self.rows.len() as f64;
        ((1.0 - (rows / self.seen as f64).min(1.0)) / rows).sqrt()
    }

    /// Returns the mean loss of the best constant prediction on the sample, and the explainable loss; `None` if the
    /// constant is unknown or nothing can be explained.
    pub(super) fn best_constant(&self) -> Option<BestConstant> {
        let (mut losses, loss) = (ProgressiveLoss::default(), self.loss);
        self.rows.iter().for_each(|row| losses.add(loss, row.y, row.weight, row.came, row.offset));
        let (least, _) = mean(self.rows.iter().map(|row| (row.weight, loss.minimum(row.y))));
        let constant = losses.constant(loss, 1.0)?;
        Some(BestConstant { loss: constant, range: constant - least }).filter(|constant| constant.range > 0.0)
    }

    /// Returns an alarm if the final model's loss exceeds the reported loss by more than noise explains; `None`
    /// otherwise.
    pub(super) fn alarm(&self, printed: Printed) -> Option<OrderAlarm> {
        if self.rows.len() < FEW {
            return None;
        }
        let range = self.best_constant()?.range;
        let reported = self.reported(printed);
        let exceeds_noise = |most: f64| {
            let Difference { excess, model } = self.difference(&reported, most);
            // The reported mean may consist mostly of a few huge losses, which a sample can miss.
            let least = excess.min(excess + reported.of_sample - reported.loss);
            let error = deviation(model.iter().copied()) / (reported.rows as f64).sqrt();
            let threshold = (ERRORS * error).max(SHARE * range);
            excess - NOISE_ERRORS * self.difference_noise(&model, &reported) > threshold && least > threshold
        };
        let loss = reported.loss + self.difference(&reported, f64::INFINITY).excess;
        let alarm = OrderAlarm {
            loss: Some(loss).filter(|loss| loss.is_finite()),
            printed: reported.loss,
            rows: self.seen,
            scored: self.rows.len() as u64,
        };
        let alarms = exceeds_noise(f64::INFINITY) || exceeds_noise(reported.of_sample + CUT * range);
        alarms.then_some(alarm).filter(OrderAlarm::is_sound)
    }

    /// Whether the final model's loss over all rows is surely, up to sampling noise, not so far above the reported
    /// loss that an alarm would be raised.
    pub(super) fn rules_out_alarm(&self, printed: Printed) -> bool {
        let Some(BestConstant { range, .. }) = self.best_constant() else { return false };
        let reported = self.reported(printed);
        let Difference { excess, model } = self.difference(&reported, f64::INFINITY);
        excess + RULED_OUT_ERRORS * self.difference_noise(&model, &reported) <= SHARE * range
    }

    fn reported(&self, printed: Printed) -> Reported {
        let (of_sample, moves) = mean(self.rows.iter().map(|row| (row.counted, row.came)));
        match printed {
            Printed::AsTheyCame(loss) => Reported { loss, of_sample, moves, rows: self.seen },
            Printed::Loss { loss, rows } => Reported { loss, of_sample: loss, moves: Vec::new(), rows },
        }
    }

    /// Returns the mean loss of the final model over the scored rows, in which each loss counts at most `most`, minus
    /// the reported loss of the same rows if it is known, otherwise of all rows.
    fn difference(&self, reported: &Reported, most: f64) -> Difference {
        let value = |row: &RowLosses| if row.value < most { row.value } else { most };
        let (loss, model) = mean(self.rows.iter().map(|row| (row.weight, value(row))));
        Difference { excess: loss - reported.of_sample, model }
    }

    /// Returns the standard error of a [`Difference`] that is due to sampling, given the influences `model` of the
    /// scored rows on the mean loss of the final model; their influences on the reported loss are subtracted.
    fn difference_noise(&self, model: &[f64], reported: &Reported) -> f64 {
        let shared = |k: usize| reported.moves.get(k).copied().unwrap_or_default();
        let moves = model.iter().enumerate().map(|(k, x)| x - shared(k));
        deviation(moves) * self.sampling_factor()
    }
}

/// Loss of the best constant prediction on the sample.
pub(super) struct BestConstant {
    /// Mean loss of the best constant prediction.
    pub(super) loss: f64,
    /// Explainable loss, above 0: `loss` minus the mean of the least loss that any margin has for the label of each row.
    pub(super) range: f64,
}

/// Reported mean loss, and what is known about it from the scored rows.
struct Reported {
    /// Mean loss that is reported to the user.
    loss: f64,
    /// Reported mean loss of the scored rows, if these are part of the reported mean; otherwise the reported loss.
    of_sample: f64,
    /// Influence of each scored row on `of_sample`; empty if the scored rows are not part of the reported mean.
    moves: Vec<f64>,
    /// Number of rows whose losses make up the reported mean.
    rows: u64,
}

/// Mean loss of the final model minus the reported loss, on the scored rows.
struct Difference {
    excess: f64,
    /// Influence of each scored row on the mean loss of the final model.
    model: Vec<f64>,
}
