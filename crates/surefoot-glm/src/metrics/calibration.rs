//! Whether what is said to be likely happens as often.

use crate::numeric::sums::{Mean, Sum};

/// Probabilities in bins of equal width, and how often what they were given to came true.
#[derive(Clone, Debug, Default)]
pub(super) struct Calibration {
    /// Mean probability, and share that came true.
    bins: [(Mean, Mean); Calibration::BINS],
}

/// A bin of probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// Weight of the rows whose probability lies in the bin.
    pub weight: f64,
    /// Their mean probability.
    pub probability: f64,
    /// The share of them for which it came true.
    pub share: f64,
}

impl Calibration {
    /// From 0 to 1, each with its lower end, the last with both.
    pub(super) const BINS: usize = 10;

    pub(super) fn add(&mut self, probability: f64, came_true: bool, weight: f64) {
        let bin = ((probability * Self::BINS as f64) as usize).min(Self::BINS - 1);
        self.bins[bin].0.add(probability, weight);
        self.bins[bin].1.add(f64::from(came_true), weight);
    }

    /// The bins that rows are in, ascending.
    pub(super) fn bins(&self) -> Vec<CalibrationBin> {
        let bin = |(probability, share): &(Mean, Mean)| {
            Some(CalibrationBin { weight: share.weight(), probability: probability.value()?, share: share.value()? })
        };
        self.bins.iter().filter_map(bin).collect()
    }

    /// The mean over rows of |probability − share| of their bins.
    pub(super) fn error(&self) -> Option<f64> {
        let (mut error, mut weight) = (Sum::default(), Sum::default());
        for bin in self.bins() {
            error.add(bin.weight * (bin.probability - bin.share).abs());
            weight.add(bin.weight);
        }
        Some(error.value() / weight.value()).filter(|error| error.is_finite())
    }
}
