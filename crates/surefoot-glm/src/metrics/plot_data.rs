//! Data for plots of predictions (curves and sampled points), in bounded memory.

use super::CalibrationBin;

/// Data for plots of predictions; a list is empty, and a number `None`, if it does not apply to the loss.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotData {
    /// ROC curve of two classes: false and true positive rate at falling thresholds, from (0, 0) to (1, 1).
    pub roc: Vec<(f64, f64)>,
    /// Precision-recall curve of two classes: recall and precision at the thresholds of `roc`.
    pub precision: Vec<(f64, f64)>,
    /// Fraction of the row weight that belongs to the positive class, for two classes.
    pub positive: Option<f64>,
    /// Calibration bins: predicted probabilities of the positive class, or of the likeliest of many classes, with
    /// observed frequencies.
    pub calibration: Vec<CalibrationBin>,
    /// Pairs of prediction and label of a uniform sample of the rows, for regression.
    pub sample: Vec<(f64, f64)>,
}

/// Approximate maximum number of points of a curve in [`PlotData`].
pub(super) const POINTS: usize = 300;

/// Uniform sample of a stream of rows (reservoir sampling, Vitter 1985, algorithm R). Its pseudo-random numbers have a
/// fixed seed, so equal streams give equal samples.
#[derive(Clone, Debug)]
pub(super) struct ReservoirSample {
    /// Prediction and label of each sampled row.
    rows: Vec<(f64, f64)>,
    /// Number of rows of the stream seen so far.
    met: u64,
    /// State of the pseudo-random number generator.
    state: u64,
}

impl ReservoirSample {
    /// Number of rows in the sample, once the stream has at least as many.
    pub(super) const ROWS: usize = 1500;

    pub(super) fn new() -> ReservoirSample {
        ReservoirSample { rows: Vec::new(), met: 0, state: 1 }
    }

    pub(super) fn add(&mut self, predicted: f64, label: f64) {
        self.met += 1;
        if self.rows.len() < Self::ROWS {
            return self.rows.push((predicted, label));
        }
        // The random number is from Knuth's generator; the upper half of its product with a range is the position, a
        // method of Lemire.
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let at = (u128::from(self.state) * u128::from(self.met)) >> 64;
        if let Some(row) = self.rows.get_mut(at as usize) {
            *row = (predicted, label);
        }
    }

    pub(super) fn rows(&self) -> &[(f64, f64)] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_as_likely_as_any_other() {
        let mut sample = ReservoirSample::new();
        let rows = 100 * ReservoirSample::ROWS;
        (0..rows).for_each(|k| sample.add(k as f64, 0.0));
        assert_eq!(sample.rows().len(), ReservoirSample::ROWS);
        // The mean of 1500 uniform numbers has a standard error of 0.0075.
        let mean = sample.rows().iter().map(|row| row.0 / rows as f64).sum::<f64>() / ReservoirSample::ROWS as f64;
        assert!((mean - 0.5).abs() < 0.03, "{mean}");
    }
}
