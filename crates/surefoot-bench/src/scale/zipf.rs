//! Number of features that occur in rows, if feature f has a share of 1/(H·f) in all nonzeros (Zipf's law).

/// Number of frequent features that are counted one by one.
const ONE_BY_ONE: f64 = 64.0;
/// Ratio of the ends of a range of features that are counted together.
const RATIO: f64 = 1.15;

/// Returns the expected number of features that occur among this many nonzeros, of this many features. A feature that is
/// expected c times occurs with probability 1 − exp(−c).
pub(super) fn distinct(nonzeros: f64, features: f64) -> f64 {
    let harmonic = features.ln() + 0.577_215_7 + 0.5 / features;
    let occurs = |f: f64| -f64::exp_m1(-nonzeros / (harmonic * f));
    let mut sum = 0.0;
    let mut f = 1.0;
    while f <= features.min(ONE_BY_ONE) {
        sum += occurs(f);
        f += 1.0;
    }
    let (mut low, end) = (f - 0.5, features + 0.5);
    while low < end {
        let high = (low * RATIO).min(end);
        sum += (high - low) * occurs((low * high).sqrt());
        low = high;
    }
    sum
}

/// Returns the share of accesses that miss a cache, if it keeps what is accessed most, by Zipf's law: of `count` things it has
/// room for `room`.
pub(super) fn misses(count: f64, room: f64) -> f64 {
    if count <= room { 0.0 } else { 1.0 - room.ln() / count.ln() }
}

/// Returns the share of numbers that are read from memory, if all of them are read in turn and a cache has room for `room`.
pub(super) fn beyond(count: f64, room: f64) -> f64 {
    (1.0 - room / count).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_features_are_those_of_the_sum() {
        for (nonzeros, features) in [(10.0, 1000), (1e4, 1000), (1e4, 100_000), (1e7, 100_000)] {
            let harmonic: f64 = (1..=features).map(|f| 1.0 / f64::from(f)).sum();
            let occurs = |f: u32| 1.0 - f64::exp(-nonzeros / (harmonic * f64::from(f)));
            let expected: f64 = (1..=features).map(occurs).sum();
            let found = distinct(nonzeros, f64::from(features));
            assert!((found / expected - 1.0).abs() < 2e-3, "{nonzeros} {features}: {found} {expected}");
            assert!(found <= nonzeros && found <= f64::from(features) + 0.5);
        }
    }

    #[test]
    fn caches_serve_what_fits_into_them() {
        assert_eq!([misses(10.0, 100.0), beyond(10.0, 100.0)], [0.0, 0.0]);
        assert_eq!(beyond(200.0, 100.0), 0.5);
        assert!((misses(1e4, 1e2) - 0.5).abs() < 1e-12);
    }
}
