//! Curves and points for plots of predictions, in bounded memory.

use super::CalibrationBin;

/// Curves and points to plot; empty where they do not apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotData {
    /// Two classes: false and true positive rate at falling thresholds, from (0, 0) to (1, 1).
    pub roc: Vec<(f64, f64)>,
    /// Two classes: recall and precision at the same thresholds.
    pub precision: Vec<(f64, f64)>,
    /// Two classes: share of the weight that is positive.
    pub positive: Option<f64>,
    /// Calibration: probabilities of the positive class, or of the likeliest of many, against observed frequencies.
    pub calibration: Vec<CalibrationBin>,
    /// Regression: prediction and label of a uniform sample of rows.
    pub sample: Vec<(f64, f64)>,
}

/// Approximate maximum number of points of a curve in [`PlotData`].
pub(super) const POINTS: usize = 300;

/// A uniform sample of a stream of rows (reservoir sampling, Vitter 1985, algorithm R). Deterministic for a given
/// stream.
#[derive(Clone, Debug)]
pub(super) struct ReservoirSample {
    rows: Vec<(f64, f64)>,
    met: u64,
    state: u64,
}

impl ReservoirSample {
    /// Size of the sample.
    pub(super) const ROWS: usize = 1500;

    pub(super) fn new() -> ReservoirSample {
        ReservoirSample { rows: Vec::new(), met: 0, state: 1 }
    }

    pub(super) fn add(&mut self, predicted: f64, label: f64) {
        self.met += 1;
        if self.rows.len() < Self::ROWS {
            return self.rows.push((predicted, label));
        }
        // Knuth's generator; its upper half times a range, as Lemire has it.
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
