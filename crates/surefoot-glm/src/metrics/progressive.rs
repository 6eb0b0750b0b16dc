//! Metrics of rows as they come, each by the model that has not learnt it yet.

use super::{ClassMetrics, Confusion, Measured, Metrics, PlotData};
use crate::{labels::encoder::LabelEncoder, loss::Loss, numeric::sums::Mean};

/// What is measured while a trainer learns. Classes are numbered as they are met, and put in order at the end.
#[derive(Debug)]
pub(crate) struct ProgressiveMetrics {
    kind: Kind,
    /// Losses since they were last asked for.
    recent: Mean,
    /// Of the row that was asked last: one, or one a class by number.
    pub(crate) margins: Vec<f64>,
}

#[derive(Debug)]
enum Kind {
    /// As the signs of labels are, and as they would be if the second label turns them.
    One(Box<[Metrics; 2]>),
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

    /// Adds the row whose margins are there: its label in training's own terms, its weight and its loss, and the coding after
    /// its label was met.
    pub(crate) fn add(&mut self, encoder: &LabelEncoder, y: f64, weight: f64, value: f64, sign: f64) {
        self.recent.add(value, weight);
        match &mut self.kind {
            Kind::Many(metrics) => metrics.add(y as usize, weight, &self.margins),
            Kind::One(metrics) => {
                let margin = self.margins.first().copied().unwrap_or_default();
                // In training's own terms, which the second label may turn.
                let (own, turn) = (sign * margin, encoder.sign());
                metrics[0].add(turn * y, weight, turn * own);
                if encoder.only_class().is_some() {
                    metrics[1].add(-turn * y, weight, -turn * own);
                }
            }
        }
    }

    /// Says that the second label has turned the sign of the first.
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
