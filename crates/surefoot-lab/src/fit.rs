//! Least-squares slopes with standard errors, and quantiles.

use crate::claim::Readings;

/// Slope of a fitted straight line, with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) slope: f64,
    pub(crate) error: f64,
}

/// Fits a straight line to ln(mean reading) over ln(x) for x ≥ `from`, by least squares. The standard error of its slope follows from the
/// standard errors of the mean readings.
pub(crate) fn slope(readings: &Readings<'_>, from: f64) -> Line {
    let chosen = (0..readings.axis.len()).filter(|&i| readings.axis[i] >= from);
    let points: Vec<_> = chosen
        .map(|i| {
            let (mean, error) = readings.mean(i, |r| r.measured);
            (readings.axis[i].ln(), mean.ln(), error / mean)
        })
        .collect();
    line(&points)
}

/// Fits a straight line to points (x, y, standard error of y) by least squares with equal weights, and returns its slope.
fn line(points: &[(f64, f64, f64)]) -> Line {
    let centre = points.iter().map(|p| p.0).sum::<f64>() / points.len() as f64;
    let spread = points.iter().map(|p| (p.0 - centre).powi(2)).sum::<f64>();
    let slope = points.iter().map(|p| (p.0 - centre) / spread * p.1).sum();
    let error = points.iter().map(|p| ((p.0 - centre) / spread * p.2).powi(2)).sum::<f64>().sqrt();
    Line { slope, error }
}

/// Returns the quantile at level `share` (between 0 and 1) of sorted values, interpolated linearly.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(sorted.len() - 1);
    // Avoids 0·∞ and ∞ − ∞.
    if part == 0.0 || sorted[low] == sorted[high] {
        return sorted[low];
    }
    sorted[low] + part * (sorted[high] - sorted[low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let points = [(0.0, 1.0, 0.1), (1.0, -1.0, 0.0), (2.0, -3.0, 0.1)];
        let found = line(&points);
        // The weights of the points are −½, 0, ½.
        assert!((found.slope + 2.0).abs() < 1e-15 && (found.error - 0.005_f64.sqrt()).abs() < 1e-15);
        assert!(line(&[(0.0, f64::NAN, 0.0), (1.0, 1.0, 0.0)]).slope.is_nan());
    }

    #[test]
    fn quantiles() {
        let values = [1.0, 2.0, 4.0];
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|q| quantile(&values, q)), [1.0, 1.5, 2.0, 3.0, 4.0]);
        assert_eq!(quantile(&[7.0], 0.9), 7.0);
        let infinite = [1.0, f64::INFINITY, f64::INFINITY];
        assert_eq!(
            [0.0, 0.25, 0.75, 1.0].map(|q| quantile(&infinite, q)),
            [1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY]
        );
    }
}
