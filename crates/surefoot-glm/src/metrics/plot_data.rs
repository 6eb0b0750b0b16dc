//! What there is to draw of predictions, in memory that does not grow.

use super::CalibrationBin;

/// Curves and dots of predictions; empty where they do not apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotData {
    /// Two classes: false and true positive rate at falling thresholds, from (0, 0) to (1, 1).
    pub roc: Vec<(f64, f64)>,
    /// Two classes: recall and precision at the same thresholds.
    pub precision: Vec<(f64, f64)>,
    /// Two classes: the share of weight that is positive.
    pub positive: Option<f64>,
    /// Probabilities of the positive class, or of the likeliest of many, and how often it was it.
    pub calibration: Vec<CalibrationBin>,
    /// Numbers: prediction and label of rows drawn at random, each row as likely as any other.
    pub sample: Vec<(f64, f64)>,
}

/// The largest number of points of a curve in a [`PlotData`], about.
pub(super) const POINTS: usize = 300;

/// Rows drawn at random from a stream, each as likely as any other (Vitter 1985, algorithm R). The same rows for the same
/// stream.
#[derive(Clone, Debug)]
pub(super) struct ReservoirSample {
    rows: Vec<(f64, f64)>,
    met: u64,
    state: u64,
}

impl ReservoirSample {
    /// Rows that are kept.
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
