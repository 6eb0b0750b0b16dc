//! Metrics of predictions on labelled rows: weighted, computed in one pass with bounded memory.
//!
//! Sums are compensated (Neumaier), so a billion rows lose no digit that is reported. The area under the ROC curve
//! needs the order of all margins: it is exact up to [`Metrics::EXACT`] rows. Beyond that, margins go into a fixed
//! histogram of 2²⁰ cells, each of which holds the f32 numbers that share their leading 20 bits, so a cell spans a
//! relative width of at most 2⁻¹¹. A positive and a negative row in the same cell count as a tie, one half, where the
//! exact contribution is 0, ½ or 1: the error is at most half the weight of such pairs of rows, and this bound is
//! reported as [`Measured::auc_error`]. The average precision also counts the rows of a cell as ties;
//! [`Measured::pr_auc_error`] is its largest possible difference from the average precision with all positive rows of
//! each cell first, or with all negative rows first.

mod calibration;
mod classes;
pub(crate) mod label_sketch;
pub(crate) mod offset_constant;
mod plot_data;
mod progressive;
pub(crate) mod progressive_loss;
mod ranking;
mod rates;
mod tally;
mod totals;

pub use calibration::CalibrationBin;
pub use classes::{ClassMetrics, Confusion};
pub use plot_data::PlotData;
pub(crate) use progressive::ProgressiveMetrics;
pub use rates::Rates;
pub use tally::Tally;
pub use totals::MetricTotals;

use calibration::Calibration;
use plot_data::{POINTS, ReservoirSample};
use ranking::Ranking;

use crate::{
    data::rows::check_weight,
    loss::Loss,
    numeric::sums::{Mean, Moments, Sum},
};

/// Accumulator for the metrics of predictions with one margin, fed row by row. Costs O(1) per row; for classification
/// it takes up to 16 bytes of memory per row for the first [`Metrics::EXACT`] rows, then constant memory.
///
/// ```
/// use surefoot_glm::{Loss, Metrics};
/// let mut metrics = Metrics::new(Loss::Logistic);
/// metrics.add(1.0, 1.0, 2.0);
/// metrics.add(-1.0, 1.0, -0.5);
/// let measured = metrics.measured();
/// assert_eq!((measured.rows, measured.accuracy, measured.auc), (2, Some(1.0), Some(1.0)));
/// ```
#[derive(Clone, Debug)]
pub struct Metrics {
    loss: Loss,
    rows: u64,
    /// Whether an invalid row was added, after which no metric is defined.
    spoilt: bool,
    /// Whether some label is a proportion, that is, neither −1 nor +1.
    shares: bool,
    /// Weighted mean loss of the rows.
    value: Mean,
    /// Fraction of the weight of rows whose class is predicted correctly.
    correct: Mean,
    /// Weighted mean squared error of the predictions.
    squares: Mean,
    /// Weighted mean absolute error of the predictions.
    sizes: Mean,
    /// Weighted mean of the loss minus the least loss that any margin has for the row's label.
    excess: Mean,
    /// Weighted mean, over the rows, of the least loss that any margin has for the row's label.
    saturated: Mean,
    /// Weighted mean and variance of the labels.
    labels: Moments,
    /// Confusion matrix for two classes: weights by label class, then by predicted class.
    taken: [[Sum; 2]; 2],
    ranking: Ranking,
    brier: Mean,
    calibration: Calibration,
    sample: ReservoirSample,
}

/// Values of metrics over a set of rows; a metric is `None` if it does not apply to the loss, or is undefined for the
/// rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Number of rows measured, including rows of weight 0.
    pub rows: u64,
    /// Total weight of the rows.
    pub weight: f64,
    /// Weighted mean loss of the rows.
    pub loss: Option<f64>,
    /// Weighted mean of −ln p, where p is the probability predicted for the label's class; for classification with
    /// probabilities. For logistic and softmax loss it equals the loss.
    pub log_loss: Option<f64>,
    /// Fraction of the weight of rows whose class is predicted correctly, for classification; with two classes, a
    /// margin of 0 predicts the negative class.
    pub accuracy: Option<f64>,
    /// Area under the ROC curve, for two classes: the probability that a positive row has a larger margin than a
    /// negative row, where a tie counts one half. Undefined if only one class occurs.
    pub auc: Option<f64>,
    /// Largest possible error of `auc`; 0 for up to [`Metrics::EXACT`] rows.
    pub auc_error: f64,
    /// Average precision, for two classes: Σ (recall_k − recall_{k−1})·precision_k over falling thresholds, the area
    /// under the precision-recall curve as a step function. Undefined without positive rows.
    pub pr_auc: Option<f64>,
    /// Largest possible error of `pr_auc`; 0 for up to [`Metrics::EXACT`] rows.
    pub pr_auc_error: f64,
    /// Precision, recall and F1 of the positive class, for two classes.
    pub rates: Option<Rates>,
    /// Brier score, for classification with probabilities: for two classes the weighted mean of (p − y)², where p is
    /// the predicted probability of the positive class and y is 1 for a positive row, else 0; for many classes the sum
    /// of such means over all classes.
    pub brier: Option<f64>,
    /// Expected calibration error, for classification with probabilities: the weighted mean over ten bins of |mean
    /// predicted probability − observed frequency|. Bins of equal width divide the predicted probability of the
    /// positive class, or for many classes that of the likeliest class.
    pub calibration_error: Option<f64>,
    /// Weighted mean squared error, for regression.
    pub mse: Option<f64>,
    /// Square root of the weighted mean squared error, for regression.
    pub rmse: Option<f64>,
    /// Weighted mean absolute error, for regression.
    pub mae: Option<f64>,
    /// Coefficient of determination R², for regression without a log link: 1 − (squared error) / (squared error of the
    /// mean label). Undefined if all labels are equal.
    pub r2: Option<f64>,
    /// Weighted mean deviance, for losses with a log link and for labels that are proportions: twice the mean of the
    /// loss minus the least loss that any margin has for the label.
    pub deviance: Option<f64>,
    /// Explained deviance D², for losses with a log link and for labels that are proportions: 1 − deviance / (deviance
    /// of the mean label). Undefined if all labels are equal.
    pub d2: Option<f64>,
    /// Confusion matrix, for classification; with two classes, class 0 is the negative class.
    pub confusion: Option<Confusion>,
}

impl Measured {
    /// Returns the metric that summarises the model, at most 1: accuracy for classification, otherwise R² or D²;
    /// `None` if it is undefined.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        self.accuracy.or(self.r2).or(self.d2)
    }
}

impl Metrics {
    /// Number of rows up to which the areas under the ROC and precision-recall curves are exact; beyond it, margins
    /// are counted in a histogram.
    pub const EXACT: usize = 1_000_000;

    /// Returns an accumulator for the given loss, to which no rows have been added.
    #[must_use]
    pub fn new(loss: Loss) -> Metrics {
        Metrics {
            loss,
            rows: 0,
            spoilt: false,
            shares: false,
            value: Mean::default(),
            correct: Mean::default(),
            squares: Mean::default(),
            sizes: Mean::default(),
            excess: Mean::default(),
            saturated: Mean::default(),
            labels: Moments::default(),
            taken: Default::default(),
            ranking: Ranking::Exact(Vec::new()),
            brier: Mean::default(),
            calibration: Calibration::default(),
            sample: ReservoirSample::new(),
        }
    }

    /// Adds a row, given its encoded label (−1 or +1 for classes, a number between them for a proportion), its weight,
    /// and its predicted margin.
    ///
    /// After an invalid row all metrics are `None`, and rows are only counted. A row is invalid if one of the numbers
    /// is not finite, the weight is neither 0 nor within 1e-300 to 1e240, or the label is outside the domain of the
    /// loss.
    pub fn add(&mut self, label: f64, weight: f64, margin: f64) {
        self.rows += 1;
        if weight == 0.0 || self.spoilt {
            return;
        }
        // For a multiclass loss, one class is compared with the rest here.
        let takes = if self.loss.is_multiclass() { label.abs() <= 1.0 } else { self.loss.takes(label, 2) };
        self.spoilt = !takes || check_weight(weight).is_err() || !margin.is_finite();
        if self.spoilt {
            *self = Metrics { rows: self.rows, spoilt: true, ..Metrics::new(self.loss) };
            return;
        }
        self.value.add(self.loss.value(label, margin), weight);
        if self.loss.classifies() && label.abs() < 1.0 {
            self.shares = true;
            self.add_class(1.0, weight * 0.5 * (1.0 + label), margin);
            self.add_class(-1.0, weight * 0.5 * (1.0 - label), margin);
        } else if self.loss.classifies() {
            self.add_class(label, weight, margin);
        }
        if self.loss == Loss::Logistic {
            // The least loss of a proportion is its entropy, which is 0 if the label is a class.
            let least = self.loss.constant(label, 0.0).unwrap_or_default();
            self.excess.add((self.loss.value(label, margin) - least).max(0.0), weight);
            self.saturated.add(least, weight);
            self.labels.add(label, weight);
        } else if !self.loss.classifies() {
            let predicted = self.loss.mean(margin);
            self.sample.add(predicted, label);
            let error = (predicted - label).abs();
            self.squares.add(error * error, weight);
            self.sizes.add(error, weight);
            self.excess.add(self.loss.excess(label, margin), weight);
            self.saturated.add(self.loss.minimum(label), weight);
            self.labels.add(label, weight);
        }
    }

    /// Adds a row to the metrics of two-class classification.
    fn add_class(&mut self, label: f64, weight: f64, margin: f64) {
        self.correct.add(f64::from((margin > 0.0) == (label > 0.0)), weight);
        self.taken[usize::from(label > 0.0)][usize::from(margin > 0.0)].add(weight);
        self.ranking.add(margin, weight * label, Metrics::EXACT);
        if self.loss.has_probabilities() {
            let (probability, came_true) = (self.loss.mean(margin), label > 0.0);
            self.brier.add((probability - f64::from(came_true)).powi(2), weight);
            self.calibration.add(probability, came_true, weight);
        }
    }

    /// Returns the metrics of the rows added so far.
    #[must_use]
    pub fn measured(&self) -> Measured {
        let classes = self.loss.classifies();
        let areas = if classes { self.ranking.areas() } else { ranking::Areas::default() };
        let [negative, positive] = self.taken.map(|taken| taken.map(|sum| sum.value()));
        let rates = Rates::of(positive[1], negative[1] + positive[1], positive[0] + positive[1]);
        let mse = self.squares.value();
        let counts = self.loss.variance_power().is_some();
        let r2 =
            mse.map(|mse| 1.0 - mse * self.labels.weight() / self.labels.squares()).filter(|_| !counts && !classes);
        let excess = self.excess.value().filter(|_| counts || self.shares);
        let d2 = excess.zip(self.excess_of_constant()).map(|(excess, constant)| 1.0 - excess / constant);
        Measured {
            rows: self.rows,
            weight: self.value.weight(),
            loss: self.value.value(),
            log_loss: self.value.value().filter(|_| self.loss.has_probabilities()),
            accuracy: self.correct.value(),
            auc: areas.roc.map(|(area, _)| area),
            auc_error: areas.roc.map_or(0.0, |(_, doubt)| doubt),
            pr_auc: areas.precision.map(|(area, _)| area),
            pr_auc_error: areas.precision.map_or(0.0, |(_, doubt)| doubt),
            rates: self.correct.value().map(|_| rates),
            brier: self.brier.value(),
            calibration_error: self.calibration.error(),
            mse,
            rmse: mse.map(f64::sqrt),
            mae: self.sizes.value(),
            r2: r2.filter(|r2| r2.is_finite()),
            deviance: excess.map(|excess| 2.0 * excess).filter(|deviance| deviance.is_finite()),
            d2: d2.filter(|d2| d2.is_finite()),
            confusion: classes.then(|| Confusion::of_two([negative, positive])),
        }
    }

    /// Returns the data for plots of the rows added so far.
    #[must_use]
    pub fn plot_data(&self) -> PlotData {
        if !self.loss.classifies() {
            return PlotData { sample: self.sample.rows().to_vec(), ..PlotData::default() };
        }
        let thresholds = self.ranking.thresholds(POINTS);
        let [negative, positive] = thresholds.last().copied().unwrap_or_default();
        let both = negative > 0.0 && positive > 0.0;
        let rates = thresholds.iter().filter(|_| both);
        let beyond = thresholds.iter().skip(1).filter(|_| both);
        PlotData {
            roc: rates.map(|[n, p]| (n / negative, p / positive)).collect(),
            precision: beyond.map(|[n, p]| (p / positive, p / (n + p))).collect(),
            positive: Some(positive / (negative + positive)).filter(|share| share.is_finite()),
            calibration: self.calibration.bins(),
            sample: Vec::new(),
        }
    }

    /// Returns the mean excess loss (loss minus the least loss for the row's label) of predicting the mean label. With
    /// a log link, losses are linear in labels, so the mean loss of this prediction is the least loss for the mean
    /// label.
    fn excess_of_constant(&self) -> Option<f64> {
        let mean = self.labels.mean();
        if self.shares {
            return Some(self.loss.constant(mean, 0.0)? - self.saturated.value()?).filter(|excess| *excess > 0.0);
        }
        Some(self.loss.minimum(mean) - self.saturated.value()?).filter(|excess| *excess > 0.0)
    }
}

#[cfg(test)]
mod tests;
