//! Why a gradient is refused, in words.

use std::collections::HashSet;

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;
use surefoot::Vector;

/// Fault of a gradient: its coordinate, if it is one, and words about it.
pub(super) struct Refusal {
    pub(super) index: Option<usize>,
    words: String,
}

impl Refusal {
    pub(super) fn new(index: Option<usize>, words: impl Into<String>) -> Self {
        Self { index, words: words.into() }
    }

    /// Returns the exception for `what` ("gradient" or "hint") of round `step`.
    pub(super) fn error(&self, what: &str, step: u64) -> PyErr {
        let place = self.index.map_or(String::new(), |i| format!("coordinate {} ", i as i64));
        PyValueError::new_err(format!("{what} of step {step} refused: {place}{}", self.words))
    }
}

/// Returns what makes `vector` unusable in `dim` dimensions in a round of weight `weight`: a coordinate outside of the
/// dimension, not finite or given twice; otherwise that it is too large, the only fault that is not seen here.
pub(super) fn refusal(vector: &impl Vector<f64>, dim: usize, weight: f64) -> Refusal {
    fault(vector, dim, weight).unwrap_or_else(|| too_large(vector, weight))
}

/// Returns the first fault of `vector` that can be seen from its entries alone.
pub(super) fn fault(vector: &impl Vector<f64>, dim: usize, weight: f64) -> Option<Refusal> {
    if !(weight >= 0.0 && weight.is_finite()) {
        return Some(Refusal::new(None, format!("the weight of the round is {weight}")));
    }
    let (mut found, mut seen) = (None, HashSet::new());
    vector.each(|i, x| {
        let words = match () {
            () if found.is_some() => return,
            () if i >= dim => format!("is outside of the {dim} coordinates"),
            () if !x.is_finite() => format!("is {x}"),
            () if !(weight * x).is_finite() => format!("is {x:e}, which overflows times the weight {weight:e}"),
            () if !seen.insert(i) => "is given twice".to_owned(),
            () => return,
        };
        found = Some(Refusal::new(Some(i), words));
    });
    found
}

/// Names the largest coordinate of `vector` as too large.
fn too_large(vector: &impl Vector<f64>, weight: f64) -> Refusal {
    let mut largest: (Option<usize>, f64) = (None, 0.0);
    vector.each(|i, x| {
        if largest.0.is_none() || x.abs() > largest.1.abs() {
            largest = (Some(i), x);
        }
    });
    let words = format!("is {:e} with weight {weight:e}, too large for sums to stay finite on this domain", largest.1);
    Refusal::new(largest.0, words)
}
