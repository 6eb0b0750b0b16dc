//! Statistical test behind the alarm about the order of rows: compares the final model's losses on sampled rows with
//! the reported loss.

use super::{ERRORS, NOISE_ERRORS, SHARE};
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

    /// Returns the mean loss of the best constant prediction on the sample; `None` if it is unknown.
    pub(super) fn constant(&self) -> Option<f64> {
        let (mut losses, loss) = (ProgressiveLoss::default(), self.loss);
        self.rows.iter().for_each(|row| losses.add(loss, row.y, row.weight, row.came, row.offset));
        losses.constant(loss, 1.0)
    }

    /// Returns the explainable loss: the mean loss of the best constant prediction minus the mean of the least loss
    /// that any margin has for the label of each row. `None` if this is not positive.
    pub(super) fn explainable_loss(&self) -> Option<f64> {
        let (least, _) = mean(self.rows.iter().map(|row| (row.weight, self.loss.minimum(row.y))));
        Some(self.constant()? - least).filter(|range| *range > 0.0)
    }

    /// Returns an alarm if the final model's loss exceeds the reported loss by more than noise explains; `None`
    /// otherwise.
    pub(super) fn alarm(&self, printed: Printed) -> Option<OrderAlarm> {
        if self.rows.len() < FEW {
            return None;
        }
        let range = self.explainable_loss()?;
        let came = mean(self.rows.iter().map(|row| (row.counted, row.came)));
        // If sampled rows are part of the reported mean, their influence on it is known.
        let (printed, of_sample, moves, rows) = match printed {
            Printed::AsTheyCame(loss) => (loss, came.0, &came.1[..], self.seen),
            Printed::Loss { loss, rows } => (loss, loss, &[][..], rows),
        };
        let excess = |most: f64| {
            let value = |row: &RowLosses| if row.value < most { row.value } else { most };
            let (model, of_model) = mean(self.rows.iter().map(|row| (row.weight, value(row))));
            (model - of_sample, of_model)
        };
        let exceeds_noise = |most: f64| {
            let (excess, of_model) = excess(most);
            // The reported mean may consist mostly of a few huge losses, which a sample can miss.
            let least = excess.min(excess + of_sample - printed);
            self.exceeds_noise([excess, least], &of_model, moves, rows, range)
        };
        let loss = printed + excess(f64::INFINITY).0;
        let alarm = OrderAlarm {
            loss: Some(loss).filter(|loss| loss.is_finite()),
            printed,
            rows: self.seen,
            scored: self.rows.len() as u64,
        };
        let alarms = exceeds_noise(f64::INFINITY) || exceeds_noise(of_sample + CUT * range);
        alarms.then_some(alarm).filter(OrderAlarm::is_sound)
    }

    /// Whether the model's excess over the reported mean loss of `rows` rows is more than noise explains, and large
    /// enough to matter (relative to the explainable loss `range`). `excess` is relative to the reported losses of the
    /// sampled rows; `least` is the lesser of this and the excess over the reported mean. `model` and `came` hold the
    /// influence of each sampled row on the two means; their difference is the sampling noise.
    fn exceeds_noise(&self, [excess, least]: [f64; 2], model: &[f64], came: &[f64], rows: u64, range: f64) -> bool {
        let error = deviation(model.iter().copied()) / (rows as f64).sqrt();
        let shared = |k: usize| came.get(k).copied().unwrap_or_default();
        let moves = model.iter().enumerate().map(|(k, x)| x - shared(k));
        let noise = deviation(moves) * self.sampling_factor();
        let most = (ERRORS * error).max(SHARE * range);
        excess - NOISE_ERRORS * noise > most && least > most
    }
}
