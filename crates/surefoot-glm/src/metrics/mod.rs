//! Metrics of predictions on labelled rows: streamed, weighted, in bounded memory.
//!
//! Sums are compensated (Neumaier), so a billion rows lose no digit that is printed. The area under the ROC
//! curve needs an order of all margins: it is exact up to [`Metrics::EXACT`] rows. Beyond that, margins go
//! into a fixed histogram of 2²⁰ cells, each the set of f32 numbers that share their leading 20 bits, so a
//! cell spans a relative width of at most 2⁻¹¹. A pair of a positive and a negative row in one cell counts
//! as a tie, one half, where its true share is 0, ½ or 1: the error is at most half the weight of such
//! pairs, and that bound is reported as [`Measured::auc_error`]. The average precision likewise takes the rows of a cell as
//! ties; [`Measured::pr_auc_error`] is how far all positive rows first, or all negative ones, would be from that.

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

pub use calibration::CalibrationBin;
pub use classes::{ClassMetrics, Confusion};
pub use plot_data::PlotData;
pub(crate) use progressive::ProgressiveMetrics;
pub use rates::Rates;
pub use tally::Tally;

use calibration::Calibration;
use plot_data::{POINTS, ReservoirSample};
use ranking::Ranking;

use crate::{
    data::rows::check_weight,
    loss::Loss,
    numeric::sums::{Mean, Moments, Sum},
};

/// Metrics of losses with one margin, accumulated row by row. O(1) per row; up to 16 bytes per row until [`Metrics::EXACT`] rows for
/// classification, then constant memory.
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
    /// Whether an invalid row was added.
    spoilt: bool,
    /// Whether any label is a proportion.
    shares: bool,
    value: Mean,
    correct: Mean,
    squares: Mean,
    sizes: Mean,
    excess: Mean,
    saturated: Mean,
    labels: Moments,
    /// Two classes: weight by label and by predicted class.
    taken: [[Sum; 2]; 2],
    ranking: Ranking,
    brier: Mean,
    calibration: Calibration,
    sample: ReservoirSample,
}

/// Values of metrics; `None` where a metric does not apply or is not defined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Rows added, rows of weight 0 included.
    pub rows: u64,
    /// Sum of their weights.
    pub weight: f64,
    /// Weighted mean loss.
    pub loss: Option<f64>,
    /// Classification with probabilities: weighted mean of −ln p of the label's class; for logistic and softmax it equals the loss.
    pub log_loss: Option<f64>,
    /// Classification: the share of weight whose class is predicted right; a margin of 0 predicts −1.
    pub accuracy: Option<f64>,
    /// Classification: the chance that a positive row has a larger margin than a negative one, a tie counting
    /// one half. Not defined with one class only.
    pub auc: Option<f64>,
    /// How far `auc` can be from the exact value: 0 up to [`Metrics::EXACT`] rows.
    pub auc_error: f64,
    /// Classification: the average precision, Σ (recall_k − recall_{k−1})·precision_k over falling thresholds, which is the area
    /// under the precision-recall curve in steps. Not defined without positive rows.
    pub pr_auc: Option<f64>,
    /// How far `pr_auc` can be from the exact value: 0 up to [`Metrics::EXACT`] rows.
    pub pr_auc_error: f64,
    /// Two classes: precision, recall and F1 of the positive one.
    pub rates: Option<Rates>,
    /// Classification with probabilities: Brier score, the weighted mean of (p − \[label\])² for the positive class; for many classes the
    /// sum over all classes.
    pub brier: Option<f64>,
    /// Classification with probabilities: the expected calibration error, the mean over rows of |probability − share| of the bin
    /// that the row is in; ten bins of equal width of the probability of the positive class, of many classes of the
    /// likeliest one.
    pub calibration_error: Option<f64>,
    /// Regression: weighted mean squared error.
    pub mse: Option<f64>,
    /// Regression: its square root.
    pub rmse: Option<f64>,
    /// Regression: weighted mean absolute error.
    pub mae: Option<f64>,
    /// Regression without a log link: 1 − (squared error) / (squared error of the mean label). Not defined for equal
    /// labels.
    pub r2: Option<f64>,
    /// With a log link, and of shares: weighted mean deviance, twice by how much the loss exceeds the least that the labels can have.
    pub deviance: Option<f64>,
    /// With a log link, and of shares: 1 − deviance / (deviance of the mean label). Not defined for equal labels.
    pub d2: Option<f64>,
    /// Classification: confusion matrix; with two classes the negative one is the first.
    pub confusion: Option<Confusion>,
}

impl Measured {
    /// The main metric, at most 1: accuracy, R² or D².
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        self.accuracy.or(self.r2).or(self.d2)
    }
}

impl Metrics {
    /// Rows up to which the area under the ROC curve is exact.
    pub const EXACT: usize = 1_000_000;

    /// No rows yet.
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

    /// Adds a row: its label (for classes −1 or +1, or what lies between for a share of both), its weight and the margin predicted for it.
    ///
    /// If one of them is not finite, the weight is negative or not from 1e-300 to 1e240, or the loss has no such label, nothing is known of the rows from then on but
    /// how many they are.
    pub fn add(&mut self, label: f64, weight: f64, margin: f64) {
        self.rows += 1;
        if weight == 0.0 || self.spoilt {
            return;
        }
        // Of many classes one is held against the rest here.
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
            // That of the share itself: 0 of one class.
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

    /// Adds a row of one class to what is measured of classes.
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

    /// The numbers for the rows added so far.
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

    /// Curves and points to plot, for the rows added so far.
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

    /// Mean excess loss of predicting the mean label: with a log link its mean loss is the minimum for that label, since
    /// losses are linear in labels.
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
