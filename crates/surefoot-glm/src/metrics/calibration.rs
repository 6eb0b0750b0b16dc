//! Calibration of classifiers: predicted probabilities compared with observed frequencies.

use crate::numeric::sums::{Mean, Sum};

/// Accumulator for calibration: predicted probabilities and observed frequencies in ten bins of equal width.
#[derive(Clone, Debug, Default)]
pub(super) struct Calibration {
    /// Mean predicted probability and observed frequency (mean of 0 and 1) in each bin.
    bins: [(Mean, Mean); Calibration::BINS],
}

/// One bin of a calibration plot: rows whose predicted probability lies in the bin's interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// Total weight of the rows in the bin.
    pub weight: f64,
    /// Mean predicted probability of the rows in the bin.
    pub probability: f64,
    /// Observed frequency, among the rows of the bin, of the positive class or, for many classes, of correct
    /// predictions.
    pub share: f64,
}

impl Calibration {
    /// Number of bins, of equal width over [0, 1]; each includes its lower end, the last one also its upper end.
    pub(super) const BINS: usize = 10;

    pub(super) fn add(&mut self, probability: f64, came_true: bool, weight: f64) {
        let bin = ((probability * Self::BINS as f64) as usize).min(Self::BINS - 1);
        self.bins[bin].0.add(probability, weight);
        self.bins[bin].1.add(f64::from(came_true), weight);
    }

    /// Returns all sums, in a fixed order.
    pub(super) fn sums_mut(&mut self) -> impl Iterator<Item = &mut Sum> {
        self.bins.iter_mut().flat_map(|(probability, share)| [probability, share]).flat_map(Mean::sums_mut)
    }

    /// Returns the bins that contain rows, in ascending order of probability.
    pub(super) fn bins(&self) -> Vec<CalibrationBin> {
        let bin = |(probability, share): &(Mean, Mean)| {
            Some(CalibrationBin { weight: share.weight(), probability: probability.value()?, share: share.value()? })
        };
        self.bins.iter().filter_map(bin).collect()
    }

    /// Returns the expected calibration error: the weighted mean over bins of |mean predicted probability − observed
    /// frequency|; `None` without rows.
    pub(super) fn error(&self) -> Option<f64> {
        let (mut error, mut weight) = (Sum::default(), Sum::default());
        for bin in self.bins() {
            error.add(bin.weight * (bin.probability - bin.share).abs());
            weight.add(bin.weight);
        }
        Some(error.value() / weight.value()).filter(|error| error.is_finite())
    }
}
