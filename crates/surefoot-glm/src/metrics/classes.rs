//! Metrics of multiclass predictions, such as accuracy, log loss and the confusion matrix.

use super::{Measured, PlotData, calibration::Calibration};
use crate::{
    data::rows::check_weight,
    loss::Loss,
    model::predictor::likeliest,
    numeric::sums::{Mean, Sum},
};
use std::collections::BTreeMap;

/// Accumulator for the metrics of multiclass predictions, fed row by row. Costs O(K) per row for K classes, and memory
/// for the cells of the confusion matrix that are not empty.
///
/// ```
/// use surefoot_glm::{ClassMetrics, Loss};
/// let mut metrics = ClassMetrics::new(Loss::Softmax);
/// metrics.add(0, 1.0, &[2.0, 0.0, 0.0]);
/// metrics.add(2, 3.0, &[0.0, 1.0, 0.5]);
/// let measured = metrics.measured();
/// assert_eq!((measured.rows, measured.accuracy), (2, Some(0.25)));
/// assert_eq!(measured.confusion.unwrap().cells, [(0, 0, 1.0), (2, 1, 3.0)]);
/// ```
#[derive(Clone, Debug)]
pub struct ClassMetrics {
    pub(super) loss: Loss,
    pub(super) rows: u64,
    /// Whether an invalid row was added, after which no metric is defined.
    pub(super) spoilt: bool,
    /// Weighted mean loss of the rows.
    pub(super) value: Mean,
    /// Weighted mean log loss −ln p of the label's class.
    pub(super) logs: Mean,
    /// Fraction of the weight of rows whose class is predicted correctly.
    pub(super) correct: Mean,
    /// Confusion matrix: weight per pair of label class and predicted class.
    pub(super) cells: BTreeMap<(usize, usize), Sum>,
    /// Weighted mean Brier score, summed over the classes.
    pub(super) brier: Mean,
    pub(super) calibration: Calibration,
    /// Buffer for the margins of the current row.
    pub(super) margins: Vec<f64>,
}

/// Sparse confusion matrix of a classifier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confusion {
    /// Cells that are not empty: class of the label, predicted class (that with the largest margin, the first if
    /// several are largest), and total weight of such rows, in ascending order. Classes are given by their position
    /// among the ascending labels.
    pub cells: Vec<(usize, usize, f64)>,
}

impl Confusion {
    /// Builds the confusion matrix of two classes from weights indexed by label class, then predicted class.
    pub(super) fn of_two(weights: [[f64; 2]; 2]) -> Confusion {
        let cells = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(label, taken)| (label, taken, weights[label][taken]));
        Confusion { cells: cells.into_iter().filter(|cell| cell.2 > 0.0).collect() }
    }
}

impl ClassMetrics {
    /// Returns an accumulator for the given loss, to which no rows have been added.
    #[must_use]
    pub fn new(loss: Loss) -> ClassMetrics {
        let (spoilt, value, logs, correct, cells, brier, calibration) = Default::default();
        ClassMetrics { loss, rows: 0, spoilt, value, logs, correct, cells, brier, calibration, margins: Vec::new() }
    }

    /// Adds a row, given the class of its label, its weight, and the margins of all classes. Costs O(K) for K classes.
    ///
    /// After an invalid row (a class without a margin, a margin that is not finite, or an invalid weight) rows are
    /// only counted, and all metrics are `None`.
    pub fn add(&mut self, class: usize, weight: f64, margins: &[f64]) {
        self.rows += 1;
        if weight == 0.0 || self.spoilt {
            return;
        }
        if class >= margins.len() || check_weight(weight).is_err() || !margins.iter().all(|m| m.is_finite()) {
            *self = ClassMetrics { rows: self.rows, spoilt: true, ..ClassMetrics::new(self.loss) };
            return;
        }
        self.value.add(self.loss.multiclass_value(class, margins), weight);
        self.margins.clear();
        self.margins.extend(margins);
        self.logs.add(self.loss.multiclass_log_loss(class, &mut self.margins), weight);
        let predicted = likeliest(margins);
        self.margins.clear();
        self.margins.extend(margins);
        self.loss.probabilities(&mut self.margins);
        let squares = |(k, p): (usize, &f64)| (p - f64::from(k == class)).powi(2);
        self.brier.add(self.margins.iter().enumerate().map(squares).sum(), weight);
        self.calibration.add(self.margins[predicted], predicted == class, weight);
        self.correct.add(f64::from(predicted == class), weight);
        self.cells.entry((class, predicted)).or_default().add(weight);
    }

    /// Returns the metrics of the rows added so far.
    #[must_use]
    pub fn measured(&self) -> Measured {
        Measured {
            rows: self.rows,
            weight: self.value.weight(),
            loss: self.value.value(),
            log_loss: self.logs.value(),
            accuracy: self.correct.value(),
            brier: self.brier.value(),
            calibration_error: self.calibration.error(),
            confusion: Some(Confusion { cells: self.cells.iter().map(|(&(a, b), sum)| (a, b, sum.value())).collect() }),
            ..Measured::default()
        }
    }

    /// Returns the data for plots of the rows added so far.
    #[must_use]
    pub fn plot_data(&self) -> PlotData {
        PlotData { calibration: self.calibration.bins(), ..PlotData::default() }
    }
}
