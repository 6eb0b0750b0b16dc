//! Prediction of margins with a trained model.

use super::{
    state::{Array, State},
    trained_model::Model,
};
use crate::{
    data::{
        fault::{Fault, Part},
        rows::Row,
    },
    labels::{class_index::ClassIndex, encoder::LabelEncoder},
    loss::Loss,
    memory::feature_map::FeatureMap,
    numeric::check::{NEGLIGIBLE, all, need},
    simd::margin::MarginSum,
};
use bytemuck::Zeroable;
use std::alloc::Layout;

/// Predictor of margins: the weights of a trained model in a lookup table by feature id.
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
///
/// Models with multiclass losses have one margin per class: see [`Predictor::score_classes`].
#[derive(Debug)]
pub struct Predictor {
    /// Classes in the order of their columns, by ascending label; empty for a model with one margin.
    classes: ClassIndex,
    /// Intercepts: one per class in a multiclass model, otherwise a single one.
    intercept: Vec<f64>,
    weights: FeatureMap<Slot>,
    /// Weights of a multiclass model, row-major with one row per feature and one column per class; empty for a model
    /// with one margin, whose weights are in the lookup table.
    columns: Vec<f64>,
    /// Reason why the model is invalid, for which every row is refused; `None` if the model is valid.
    unfit: Option<String>,
}

/// Entry of the lookup table: weight and number of one feature.
#[derive(Clone, Copy, Debug, Zeroable)]
struct Slot {
    /// Weight of the feature in a model with one margin; 0 in a multiclass model.
    weight: f64,
    /// Number of the feature, which is its position in the model's index (and its row in `columns`) plus 1; 0 for an
    /// unseen feature.
    seen: u64,
}

/// Margin predicted for one row, and the number of the row's unseen features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowMargin {
    /// Margin: intercept + Σ weight·value + offset, added in a fixed order, in f64.
    pub margin: f64,
    /// Number of features of the row that were not seen in training, and so do not contribute to the margin.
    pub unseen: usize,
}

/// Margins predicted for one row, one per class; can be reused from row to row as a buffer.
#[derive(Clone, Debug, Default)]
pub struct RowMargins {
    /// Margins, one per class by ascending label: intercept + Σ weight·value, added in a fixed order, in f64.
    pub margins: Vec<f64>,
    /// Number of features of the row that were not seen in training, and so do not contribute to the margins.
    pub unseen: usize,
    sums: Vec<MarginSum>,
}

impl RowMargins {
    /// Returns the position of the class with the largest margin, the first of several; 0 if there are no classes.
    #[must_use]
    pub fn likeliest(&self) -> usize {
        likeliest(&self.margins)
    }
}

/// Returns the position of the largest of the given margins, the first of several; 0 if there are none.
pub(crate) fn likeliest(margins: &[f64]) -> usize {
    margins.iter().enumerate().fold(0, |best, (k, &m)| if m > margins[best] { k } else { best })
}

impl Predictor {
    /// Builds the lookup table from the weights of a model. Costs O(features · classes). If the model is invalid (see
    /// [`Model::check`]), the predictor refuses every row with the reason.
    #[must_use]
    pub fn new(model: &Model) -> Predictor {
        if let Err(message) = model.check_prediction() {
            return Predictor { unfit: Some(message), ..Predictor::of(0.0, std::iter::empty()) };
        }
        match model.settings.loss.is_multiclass() {
            true => {
                let (classes, intercept) = (model.labels.classes.clone(), model.intercept.clone());
                Predictor::of_columns(classes, intercept, &model.index, model.weight.clone())
            }
            false => {
                let vector = model.index.iter().copied().zip(model.weight.iter().copied());
                Predictor::of(model.intercept.first().copied().unwrap_or(0.0), vector)
            }
        }
    }

    /// Builds a predictor with one margin from an intercept and pairs of feature id and weight.
    pub(crate) fn of(intercept: f64, vector: impl Iterator<Item = (u64, f64)>) -> Predictor {
        let mut weights = FeatureMap::default();
        for ((id, weight), seen) in vector.zip(1..) {
            set(&mut weights, id, Slot { weight, seen });
        }
        Predictor {
            classes: ClassIndex::default(),
            intercept: vec![intercept],
            weights,
            columns: Vec::new(),
            unfit: None,
        }
    }

    /// Builds a multiclass predictor from the ascending labels of the classes, one intercept per class, and the
    /// weights of the features `index`, row-major with one row per feature and one column per class.
    pub(crate) fn of_columns(labels: Vec<f64>, intercept: Vec<f64>, index: &[u64], columns: Vec<f64>) -> Predictor {
        let mut weights = FeatureMap::for_at_least(index.len());
        for (&id, seen) in index.iter().zip(1..) {
            set(&mut weights, id, Slot { weight: 0.0, seen });
        }
        Predictor { classes: ClassIndex::of(labels), intercept, weights, columns, unfit: None }
    }

    /// Computes the margin of a row, for losses with one margin. Costs O(nonzeros).
    ///
    /// # Errors
    /// Returns a fault for an invalid row or model, for a multiclass model, and for a margin that is not finite,
    /// which happens for values near the end of the f64 range.
    pub fn score(&self, row: &Row<'_>) -> Result<RowMargin, Fault> {
        self.check(row, true)?;
        let (mut margin, mut unseen) = (MarginSum::default(), 0);
        for (k, (id, value)) in pairs(row).enumerate() {
            match self.slot(id) {
                Some(slot) => margin.add_one(k, slot.weight * value),
                None => unseen += 1,
            }
        }
        let margin = margin.total(self.intercept.first().copied().unwrap_or(0.0)) + row.offset;
        if margin.is_finite() { Ok(RowMargin { margin, unseen }) } else { Err(Fault::overflow()) }
    }

    /// Computes the margins of a row for all classes of a multiclass model. Costs O(nonzeros · classes).
    ///
    /// # Errors
    /// Returns a fault in the same cases as [`score`](Predictor::score), but for a model of one margin instead of a
    /// multiclass model.
    pub fn score_classes(&self, row: &Row<'_>, scores: &mut RowMargins) -> Result<(), Fault> {
        self.check(row, false)?;
        let RowMargins { margins, unseen, sums } = scores;
        let columns = self.intercept.len();
        sums.clear();
        sums.resize(columns, MarginSum::default());
        *unseen = 0;
        for (k, (id, value)) in pairs(row).enumerate() {
            match self.slot(id) {
                Some(slot) => {
                    let weights = &self.columns[(slot.seen as usize - 1) * columns..][..columns];
                    sums.iter_mut().zip(weights).for_each(|(sum, weight)| sum.add_one(k, weight * value));
                }
                None => *unseen += 1,
            }
        }
        margins.clear();
        margins.extend(sums.iter().zip(&self.intercept).map(|(sum, &intercept)| sum.total(intercept)));
        if margins.iter().all(|m| m.is_finite()) { Ok(()) } else { Err(Fault::overflow()) }
    }

    /// Checks that the row is valid, and that the model is valid and gives one margin (if `one`) or one margin per
    /// class (otherwise).
    fn check(&self, row: &Row<'_>, one: bool) -> Result<(), Fault> {
        let cannot = |message: &str| Err(Fault::new(Part::Row, format!("the model cannot predict: {message}")));
        let has_one = self.classes.is_empty() && !self.intercept.is_empty();
        match &self.unfit {
            Some(message) => cannot(message),
            None if one && !has_one => cannot("it has a margin for each class, not one"),
            None if !one && has_one => cannot("it has one margin, not one for each class"),
            None => row.check(),
        }
    }

    /// Computes the loss of the prediction for a labelled row; a class that the predictor does not know has the margin
    /// 0.
    pub(crate) fn loss(&self, row: &Row<'_>, loss: Loss, encoder: &LabelEncoder) -> Result<f64, Fault> {
        let label = row.label.unwrap_or(f64::NAN);
        if !loss.is_multiclass() {
            let y = encoder.encode(loss, label)?;
            return Ok(loss.value(y * encoder.sign(), self.score(row)?.margin));
        }
        let mut scores = RowMargins::default();
        self.score_classes(row, &mut scores)?;
        let column = self.classes.number(label).unwrap_or(scores.margins.len());
        // All classes seen by the encoder are part of the model, whether or not the predictor has columns for them.
        scores.margins.resize(encoder.classes().len().max(column + 1), 0.0);
        Ok(loss.multiclass_value(column, &scores.margins))
    }

    /// Returns the number of margins per row: the number of classes in a multiclass model, otherwise 1.
    pub(crate) fn columns_of_classes(&self) -> usize {
        self.intercept.len()
    }

    /// Whether the feature `id` was seen in training.
    #[must_use]
    pub fn knows(&self, id: u64) -> bool {
        self.slot(id).is_some()
    }

    /// Returns the intercepts of the classes with the given labels, and the weights of the features `index`, row-major
    /// with one column per class.
    pub(crate) fn columns(&self, labels: &[f64], index: &[u64]) -> (Vec<f64>, Vec<f64>) {
        if labels.is_empty() {
            let weight = |&id: &u64| self.slot(id).map_or(0.0, |slot| slot.weight);
            return (self.intercept.clone(), index.iter().map(weight).collect());
        }
        let places: Vec<Option<usize>> = labels.iter().map(|&label| self.classes.number(label)).collect();
        let row = |row: &[f64]| places.iter().map(|place| place.map_or(0.0, |at| row[at])).collect::<Vec<f64>>();
        let (columns, none) = (self.intercept.len(), vec![0.0; self.intercept.len()]);
        let of = |id| self.slot(id).map_or(&none[..], |slot| &self.columns[(slot.seen as usize - 1) * columns..]);
        (row(&self.intercept), index.iter().flat_map(|&id| row(of(id))).collect())
    }

    /// Writes the predictor to named arrays: the class labels, and the weights of the features `index` followed by the
    /// intercepts.
    pub(crate) fn to_arrays(&self, name: &str, index: &[u64]) -> [Array; 2] {
        let labels = self.classes.labels();
        let (intercept, mut weight) = self.columns(&labels, index);
        weight.extend(intercept);
        [Array::flat(&format!("{name}.classes"), labels), Array::flat(name, weight)]
    }

    /// Reads a predictor written by [`Predictor::to_arrays`]; `None` if the state does not contain one.
    pub(crate) fn from_arrays(name: &str, index: &[u64], state: &State) -> Result<Option<Predictor>, String> {
        let (named, list) = (|array: &&Array, name: &str| array.name == name, format!("{name}.classes"));
        let Some(array) = state.arrays.iter().find(|array| named(array, &list)) else { return Ok(None) };
        let labels = state.wide(&list, array.shape.iter().product())?;
        let columns = labels.len().max(1);
        let data = state.wide(name, (index.len() + 1) * columns)?;
        let (weight, intercept) = data.split_at(index.len() * columns);
        Ok(Some(match labels {
            [] => Predictor::of(intercept[0], index.iter().copied().zip(weight.iter().copied())),
            _ => Predictor::of_columns(labels.to_vec(), intercept.to_vec(), index, weight.to_vec()),
        }))
    }

    /// Checks that the arrays of a predictor, read from a file, fit the model and that their numbers are within their
    /// ranges.
    pub(crate) fn check_arrays(name: &str, model: &Model, state: &State) -> Result<(), String> {
        let list = format!("{name}.classes");
        let Some(array) = state.arrays.iter().find(|array| array.name == list) else { return Ok(()) };
        let labels = state.wide(&list, array.shape.iter().product())?;
        let data = state.wide(name, (model.index.len() + 1) * labels.len().max(1))?;
        let kind = model.settings.loss.is_multiclass() != labels.is_empty();
        let known = |label: &f64| model.labels.encode(*label).is_some();
        let sound = kind && labels.is_sorted_by(|a, b| a < b) && labels.iter().all(known);
        need(sound && all(data, |x| x.is_finite()), "an earlier model of the run is out of its range")
    }

    #[inline]
    fn slot(&self, id: u64) -> Option<&Slot> {
        self.weights.get(id).filter(|slot| slot.seen > 0)
    }
}

fn set(weights: &mut FeatureMap<Slot>, id: u64, slot: Slot) {
    let Some(at) = weights.get_mut(id) else { std::alloc::handle_alloc_error(Layout::new::<Slot>()) };
    *at = slot;
}

/// Returns the nonzeros of a row, without the negligibly small values, which training skips too.
fn pairs<'a>(row: &Row<'a>) -> impl Iterator<Item = (u64, f64)> + use<'a> {
    row.index.iter().copied().zip(row.value.iter().copied()).filter(|(_, value)| value.abs() >= NEGLIGIBLE)
}

impl Fault {
    /// Returns the fault to report for a row whose margin overflows.
    pub(crate) fn overflow() -> Fault {
        Fault::new(Part::Row, "the margin of this row overflows: its values are out of all proportion, rescale them")
    }
}
