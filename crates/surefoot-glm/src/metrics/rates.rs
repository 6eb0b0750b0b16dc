//! Precision, recall and F1 per class and on average.

use super::Confusion;
use std::collections::BTreeMap;

/// Precision, recall and F1 of a class; 0 where a denominator is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Share of the weight predicted as the class that belongs to it.
    pub precision: f64,
    /// Share of the weight of the class that is predicted as such.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

impl Rates {
    /// From the weight of true positives, of all predicted positives, and of all actual positives.
    pub(super) fn of(both: f64, taken: f64, real: f64) -> Rates {
        let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
        Rates { precision: share(both, taken), recall: share(both, real), f1: share(2.0 * both, taken + real) }
    }

    fn mean(rates: &[(Rates, f64)], weight: impl Fn(f64) -> f64) -> Rates {
        let all: f64 = rates.iter().map(|(_, real)| weight(*real)).sum();
        let mean = |of: fn(&Rates) -> f64| rates.iter().map(|(rates, real)| weight(*real) / all * of(rates)).sum();
        Rates { precision: mean(|r| r.precision), recall: mean(|r| r.recall), f1: mean(|r| r.f1) }
    }
}

impl Confusion {
    /// Position, rates and total weight of each class that occurs as a label or a prediction. O(cells).
    #[must_use]
    pub fn rates(&self) -> Vec<(usize, Rates, f64)> {
        let mut sums = BTreeMap::<usize, [f64; 3]>::new();
        for &(label, predicted, weight) in &self.cells {
            sums.entry(predicted).or_default()[1] += weight;
            sums.entry(label).or_default()[2] += weight;
            if label == predicted {
                sums.entry(label).or_default()[0] += weight;
            }
        }
        sums.into_iter().map(|(class, [both, taken, real])| (class, Rates::of(both, taken, real), real)).collect()
    }

    /// Macro average and weighted average of the rates of those classes; `None` without classes.
    #[must_use]
    pub fn averages(&self) -> Option<[Rates; 2]> {
        let rates: Vec<_> = self.rates().into_iter().map(|(_, rates, real)| (rates, real)).collect();
        (!rates.is_empty()).then(|| [Rates::mean(&rates, |_| 1.0), Rates::mean(&rates, |real| real)])
    }
}
