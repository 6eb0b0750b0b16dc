//! A prediction vector, laid out for fast lookup.

use crate::{Array, Fault, Model, Part, Row, State, coordinate::NEGLIGIBLE, features::Features, margin::Margin};
use bytemuck::Zeroable;
use std::alloc::Layout;

/// The prediction vector of a model, laid out for fast lookup.
///
/// ```
/// use surefoot_glm::{Batch, Plan, Predictor, Settings, Trainer};
/// let mut trainer = Trainer::new(Settings::default(), Plan::ONE_PASS);
/// let mut batch = Batch::default();
/// batch.push(Some(1.0), 1.0, &[(7, 0.5)]);
/// batch.push(Some(0.0), 1.0, &[(8, 2.0)]);
/// trainer.learn(&batch, 0, 2).unwrap();
/// let predictor = Predictor::new(&trainer.model());
/// assert!(predictor.score(&batch.row(0)).unwrap().margin > 0.0);
/// ```
#[derive(Debug)]
pub struct Predictor {
    intercept: f64,
    weights: Features<Slot>,
}

#[derive(Clone, Copy, Debug, Zeroable)]
struct Slot {
    weight: f64,
    /// 1 if the feature was seen in training.
    seen: u64,
}

/// The margin of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// intercept + Σ weight·value, added in a fixed order, in f64.
    pub margin: f64,
    /// How many features of the row were never seen in training.
    pub unseen: usize,
}

impl Predictor {
    /// Lays out a model's vector: O(features).
    #[must_use]
    pub fn new(model: &Model) -> Predictor {
        Predictor::of(model.intercept, model.index.iter().copied().zip(model.weight.iter().copied()))
    }

    pub(crate) fn of(intercept: f64, vector: impl Iterator<Item = (u64, f64)>) -> Predictor {
        let mut weights = Features::default();
        for (id, weight) in vector {
            let Some(slot) = weights.get_mut(id) else { std::alloc::handle_alloc_error(Layout::new::<Slot>()) };
            *slot = Slot { weight, seen: 1 };
        }
        Predictor { intercept, weights }
    }

    /// The margin of a row: O(nnz).
    ///
    /// # Errors
    /// If the margin is not finite, which only values near the end of the f64 range can bring about.
    pub fn score(&self, row: &Row<'_>) -> Result<Scored, Fault> {
        let (mut margin, mut unseen) = (Margin::default(), 0);
        // As in training: such a value counts as none.
        let pairs = row.index.iter().zip(row.value).filter(|(_, value)| value.abs() >= NEGLIGIBLE);
        for (k, (&id, &value)) in pairs.enumerate() {
            match self.slot(id) {
                Some(slot) => margin.add_one(k, slot.weight * value),
                None => unseen += 1,
            }
        }
        let margin = margin.with(self.intercept);
        if margin.is_finite() { Ok(Scored { margin, unseen }) } else { Err(Fault::overflow()) }
    }

    /// Whether a feature was seen in training.
    #[must_use]
    pub fn knows(&self, id: u64) -> bool {
        self.slot(id).is_some()
    }

    pub(crate) fn intercept(&self) -> f64 {
        self.intercept
    }

    /// The weight of a feature; 0 for one not seen.
    pub(crate) fn weight(&self, id: u64) -> f64 {
        self.slot(id).map_or(0.0, |slot| slot.weight)
    }

    /// The weights of these features, and the intercept last.
    pub(crate) fn to_array(&self, name: &str, index: &[u64]) -> Array {
        Array::flat(name, index.iter().map(|&id| self.weight(id)).chain([self.intercept]).collect())
    }

    /// From what [`Predictor::to_array`] gave, if the state holds it.
    pub(crate) fn from_array(name: &str, index: &[u64], state: &State) -> Result<Option<Predictor>, String> {
        if !state.arrays.iter().any(|array| array.name == name) {
            return Ok(None);
        }
        let data = state.wide(name, index.len() + 1)?;
        Ok(Some(Predictor::of(data[index.len()], index.iter().copied().zip(data.iter().copied()))))
    }

    #[inline]
    fn slot(&self, id: u64) -> Option<&Slot> {
        self.weights.get(id).filter(|slot| slot.seen == 1)
    }
}

impl Fault {
    pub(crate) fn overflow() -> Fault {
        Fault::new(Part::Row, "the margin of this row overflows: its values are out of all proportion, rescale them")
    }
}
