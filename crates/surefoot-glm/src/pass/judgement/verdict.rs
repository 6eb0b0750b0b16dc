//! From losses of a sample to the alarm.

use super::{ERRORS, NOISE_ERRORS, SHARE};
use crate::{loss::Loss, metrics::progressive_loss::ProgressiveLoss, model::order_alarm::OrderAlarm};

/// Rows below which an order is none.
const FEW: usize = 10;

/// Losses beyond so many times what there is to explain count as that much, where means alone are too noisy to tell: a mean of
/// losses that are cut is never above that of the losses.
const CUT: f64 = 10.0;

/// The loss that is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Printed {
    /// That of the rows of the run, each as it came.
    AsTheyCame(f64),
    /// This one, a mean over so many rows.
    Loss { loss: f64, rows: u64 },
}

/// A row of the sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLosses {
    /// The label as the loss has it.
    pub(super) y: f64,
    pub(super) offset: f64,
    /// The weight in the mean loss of the model, and that loss.
    pub(super) weight: f64,
    pub(super) value: f64,
    /// The weight in the mean loss of rows as they came, and that loss.
    pub(super) counted: f64,
    pub(super) came: f64,
}

/// The rows of the sample.
#[derive(Debug)]
pub(super) struct SampleLosses {
    pub(super) loss: Loss,
    seen: u64,
    pub(super) rows: Vec<RowLosses>,
}

/// A weighted mean, and by how much each row moves it, times the number of rows.
pub(super) fn mean(rows: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, Vec<f64>) {
    let (weight, count) = rows.clone().fold((0.0, 0.0), |(weight, count), row| (weight + row.0, count + 1.0));
    let mean: f64 = rows.clone().map(|(w, x)| w / weight * x).sum();
    (mean, rows.map(|(w, x)| w / weight * count * (x - mean)).collect())
}

/// The standard deviation of numbers whose mean is 0.
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

    /// The mean loss of the model, the deviation of its losses, and how much that mean may be off as the rows are but a sample.
    pub(super) fn own(&self) -> f64 {
        mean(self.of_model()).0
    }

    pub(super) fn deviation(&self) -> f64 {
        deviation(mean(self.of_model()).1.into_iter())
    }

    pub(super) fn noise(&self) -> f64 {
        self.deviation() * self.unseen_root()
    }

    fn of_model(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        self.rows.iter().map(|row| (row.weight, row.value))
    }

    /// By what a deviation is multiplied for the error of a mean over the rows: of all rows a sample leaves out but a share.
    fn unseen_root(&self) -> f64 {
        let rows = self.rows.len() as f64;
        ((1.0 - (rows / self.seen as f64).min(1.0)) / rows).sqrt()
    }

    /// The mean loss of the best constant.
    pub(super) fn constant(&self) -> Option<f64> {
        let (mut losses, loss) = (ProgressiveLoss::default(), self.loss);
        self.rows.iter().for_each(|row| losses.add(loss, row.y, row.weight, row.came, row.offset));
        losses.constant(loss, 1.0)
    }

    /// The excess loss of the best constant over a model that gives each row its least loss.
    pub(super) fn to_explain(&self) -> Option<f64> {
        let (least, _) = mean(self.rows.iter().map(|row| (row.weight, self.loss.minimum(row.y))));
        Some(self.constant()? - least).filter(|range| *range > 0.0)
    }

    /// The alarm, if there is cause for it.
    pub(super) fn alarm(&self, printed: Printed) -> Option<OrderAlarm> {
        if self.rows.len() < FEW {
            return None;
        }
        let range = self.to_explain()?;
        let came = mean(self.rows.iter().map(|row| (row.counted, row.came)));
        // Of a sample of rows that are in the printed mean, what they have moved it by is known.
        let (printed, of_sample, moves, rows) = match printed {
            Printed::AsTheyCame(loss) => (loss, came.0, &came.1[..], self.seen),
            Printed::Loss { loss, rows } => (loss, loss, &[][..], rows),
        };
        let excess = |most: f64| {
            let value = |row: &RowLosses| if row.value < most { row.value } else { most };
            let (model, of_model) = mean(self.rows.iter().map(|row| (row.weight, value(row))));
            (model - of_sample, of_model)
        };
        let is_cause = |most: f64| {
            let (excess, of_model) = excess(most);
            // A few rows of huge losses, which a sample can miss, may be what the printed mean is made of.
            let least = excess.min(excess + of_sample - printed);
            self.is_cause([excess, least], &of_model, moves, rows, range)
        };
        let loss = printed + excess(f64::INFINITY).0;
        let alarm = OrderAlarm {
            loss: Some(loss).filter(|loss| loss.is_finite()),
            printed,
            rows: self.seen,
            scored: self.rows.len() as u64,
        };
        let alarms = is_cause(f64::INFINITY) || is_cause(of_sample + CUT * range);
        alarms.then_some(alarm).filter(OrderAlarm::is_sound)
    }

    /// Whether an excess of the model's mean loss over that of so many rows is beyond all noise, and matters. Where the rows of the sample
    /// are among those, what they have moved that mean by is taken from the noise of the sample.
    fn is_cause(&self, [excess, least]: [f64; 2], model: &[f64], came: &[f64], rows: u64, range: f64) -> bool {
        let error = deviation(model.iter().copied()) / (rows as f64).sqrt();
        let shared = |k: usize| came.get(k).copied().unwrap_or_default();
        let moves = model.iter().enumerate().map(|(k, x)| x - shared(k));
        let noise = deviation(moves) * self.unseen_root();
        let most = (ERRORS * error).max(SHARE * range);
        excess - NOISE_ERRORS * noise > most && least > most
    }
}
