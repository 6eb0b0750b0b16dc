//! Progressive metrics: each row is measured with the model before the model learns the row.

use super::{ClassMetrics, Confusion, Measured, Metrics, PlotData};
use crate::{labels::encoder::LabelEncoder, loss::Loss, numeric::sums::Mean};

/// Accumulator for the metrics of rows, each predicted before it is learnt. During training, classes are numbered by
/// first occurrence; in results, they are sorted by label.
#[derive(Debug)]
pub(crate) struct ProgressiveMetrics {
    kind: Kind,
    /// Mean loss of the rows since the last call of [`take_recent`](ProgressiveMetrics::take_recent).
    recent: Mean,
    /// Margins predicted for the row that is added next: a single one, or one per class by class number.
    pub(crate) margins: Vec<f64>,
}

#[derive(Debug)]
enum Kind {
    /// Metrics for a single margin: first with the labels as currently encoded, then with all labels and margins
    /// negated, which replace the first if a second label turns out to be the larger one.
    One(Box<[Metrics; 2]>),
    /// Metrics for a multiclass loss.
    Many(Box<ClassMetrics>),
}

impl ProgressiveMetrics {
    pub(crate) fn new(loss: Loss) -> ProgressiveMetrics {
        let kind = match loss.is_multiclass() {
            true => Kind::Many(Box::new(ClassMetrics::new(loss))),
            false => Kind::One(Box::new([Metrics::new(loss), Metrics::new(loss)])),
        };
        ProgressiveMetrics { kind, recent: Mean::default(), margins: Vec::new() }
    }

    /// Adds the row whose margins are in `margins`, given its encoded label `y`, its weight and its loss `value`. The
    /// encoder has already seen the row's label, which may have flipped the sign of the model; `sign` is the sign with
    /// which the margins were computed.
    pub(crate) fn add(&mut self, encoder: &LabelEncoder, y: f64, weight: f64, value: f64, sign: f64) {
        self.recent.add(value, weight);
        match &mut self.kind {
            Kind::Many(metrics) => metrics.add(y as usize, weight, &self.margins),
            Kind::One(metrics) => {
                let margin = self.margins.first().copied().unwrap_or_default();
                // Margins are converted to the sign of encoded labels, since the second label may flip the sign of
                // the model.
                let (own, turn) = (sign * margin, encoder.sign());
                metrics[0].add(turn * y, weight, turn * own);
                if encoder.only_class().is_some() {
                    metrics[1].add(-turn * y, weight, -turn * own);
                }
            }
        }
    }

    /// Swaps the metrics of the two possible signs of labels, because the second label has flipped the sign of the
    /// model.
    pub(crate) fn swap_signs(&mut self) {
        if let Kind::One(metrics) = &mut self.kind {
            metrics.swap(0, 1);
        }
    }

    pub(crate) fn take_recent(&mut self) -> Option<f64> {
        std::mem::take(&mut self.recent).value()
    }

    pub(crate) fn measured(&self, encoder: &LabelEncoder) -> (Measured, PlotData) {
        match &self.kind {
            Kind::One(metrics) => (metrics[0].measured(), metrics[0].plot_data()),
            Kind::Many(metrics) => {
                let mut places = vec![0; encoder.classes().len()];
                encoder.classes().ascending().enumerate().for_each(|(place, number)| places[number] = place);
                let place = |&(label, predicted, weight): &_| (places[label], places[predicted], weight);
                let mut measured = metrics.measured();
                if let Some(confusion) = &mut measured.confusion {
                    let mut cells: Vec<(usize, usize, f64)> = confusion.cells.iter().map(place).collect();
                    cells.sort_unstable_by_key(|cell| (cell.0, cell.1));
                    *confusion = Confusion { cells };
                }
                (measured, metrics.plot_data())
            }
        }
    }
}
