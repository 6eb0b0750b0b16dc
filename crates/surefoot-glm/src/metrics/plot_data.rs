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
        let at = self.random(self.met);
        if let Some(row) = self.rows.get_mut(at as usize) {
            *row = (predicted, label);
        }
    }

    /// Returns a pseudo-random number below `end`: the generator is Knuth's, and the upper half of the product of its
    /// number with a range is the position, a method of Lemire.
    fn random(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((u128::from(self.state) * u128::from(end)) >> 64) as u64
    }

    /// Returns a uniform sample of all rows of several streams, one after the other, from a sample of each: draws
    /// without replacement, each from a stream with the chance that its remaining rows have.
    pub(super) fn of_all(mut streams: Vec<ReservoirSample>) -> ReservoirSample {
        let met = streams.iter().map(|stream| stream.met).sum();
        let mut sample = ReservoirSample { met, ..ReservoirSample::new() };
        if met <= Self::ROWS as u64 {
            sample.rows = streams.into_iter().flat_map(|stream| stream.rows).collect();
            return sample;
        }
        for drawn in 0..Self::ROWS as u64 {
            let mut at = sample.random(met - drawn);
            let stream = streams.iter_mut().find(|stream| {
                let is_here = at < stream.met;
                at -= if is_here { 0 } else { stream.met };
                is_here
            });
            let Some(stream) = stream.filter(|stream| !stream.rows.is_empty()) else { break };
            stream.met -= 1;
            let row = sample.random(stream.rows.len() as u64) as usize;
            sample.rows.push(stream.rows.swap_remove(row));
        }
        sample
    }

    /// Returns the number of rows of the stream, that of sampled rows, and these.
    pub(super) fn parts(&self) -> Vec<f64> {
        let rows = self.rows.iter().flat_map(|(predicted, label)| [*predicted, *label]);
        [self.met as f64, self.rows.len() as f64].into_iter().chain(rows).collect()
    }

    /// Reads the next sample of a list of [parts](ReservoirSample::parts); `None` at its end.
    pub(super) fn of_parts(list: &mut impl Iterator<Item = f64>) -> Option<ReservoirSample> {
        let (met, count) = (list.next()? as u64, list.next()? as usize);
        let rows = (0..count).map_while(|_| Some((list.next()?, list.next()?))).collect();
        Some(ReservoirSample { rows, met, ..ReservoirSample::new() })
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

    #[test]
    fn a_sample_of_several_streams_has_each_in_proportion() {
        let streams = [100, 2000, 0, 40_000];
        let stream = |k: usize| {
            let mut sample = ReservoirSample::new();
            (0..streams[k]).for_each(|_| sample.add(k as f64, 0.0));
            sample
        };
        let sample = ReservoirSample::of_all((0..4).map(stream).collect());
        let share = |k: usize| sample.rows().iter().filter(|row| row.0 == k as f64).count() as f64 / 1500.0;
        assert_eq!((sample.rows().len(), sample.met), (1500, 42_100));
        for (k, rows) in streams.into_iter().enumerate() {
            // Four standard errors of a share of 1500 rows.
            let expected = rows as f64 / 42_100.0;
            assert!((share(k) - expected).abs() <= 4.0 * (expected * (1.0 - expected) / 1500.0).sqrt(), "{k}");
        }
        let few = |from: u32| {
            let mut sample = ReservoirSample::new();
            (from..from + 3).for_each(|x| sample.add(x.into(), 1.0));
            sample
        };
        let all = ReservoirSample::of_all(vec![few(0), few(3)]);
        assert!(all.rows().iter().map(|row| row.0).eq((0..6).map(f64::from)));
        let mut parts = few(0).parts().into_iter().chain(few(3).parts());
        assert_eq!(ReservoirSample::of_parts(&mut parts).unwrap().rows(), few(0).rows());
        assert_eq!(ReservoirSample::of_parts(&mut parts).unwrap().rows(), few(3).rows());
        assert!(ReservoirSample::of_parts(&mut parts).is_none());
    }
}
