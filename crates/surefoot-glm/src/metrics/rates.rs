//! Precision, recall and F1 per class and averaged over classes.

use super::Confusion;
use std::collections::BTreeMap;

/// Precision, recall and F1 score of a class; each is 0 if its denominator is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Fraction of the row weight predicted as this class whose label is this class.
    pub precision: f64,
    /// Fraction of the row weight labelled with this class that is predicted as this class.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
}

impl Rates {
    /// Computes the rates from the weights of true positives (`both`), of predicted positives (`taken`) and of actual
    /// positives (`real`).
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
    /// Returns the position, rates and total label weight of each class that occurs as a label or a prediction. Costs
    /// O(cells of the matrix).
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

    /// Returns the macro average and the weight-averaged rates over all classes that occur; `None` if there are none.
    #[must_use]
    pub fn averages(&self) -> Option<[Rates; 2]> {
        let rates: Vec<_> = self.rates().into_iter().map(|(_, rates, real)| (rates, real)).collect();
        (!rates.is_empty()).then(|| [Rates::mean(&rates, |_| 1.0), Rates::mean(&rates, |real| real)])
    }
}
