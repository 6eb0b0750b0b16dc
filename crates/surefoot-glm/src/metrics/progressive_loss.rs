//! Reported losses: the mean loss of the model, and that of the best constant prediction on the same rows.

use super::{label_sketch::LabelSketch, offset_constant::OffsetConstant};
use crate::{
    loss::Loss,
    numeric::{
        check::need,
        sums::{Mean, Moments, Sum},
    },
};
use serde::{Deserialize, Serialize};

/// Mean loss of the rows scored so far, and the label statistics from which the mean loss of the best constant
/// prediction on these rows is computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProgressiveLoss {
    loss: Mean,
    labels: Moments,
    /// Sketch of the distribution of labels, for losses whose best constant does not follow from mean and variance;
    /// `None` for other losses.
    #[serde(rename = "label_sketch", default, skip_serializing_if = "Option::is_none")]
    sketch: Option<LabelSketch>,
    /// Total weight of the rows of each class, by class number; empty unless the loss is multiclass.
    #[serde(rename = "class_weights", default, skip_serializing_if = "Vec::is_empty")]
    classes: Vec<Sum>,
    /// Statistics of offsets; `None` as long as no row has an offset, and for losses whose best constant needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offsets: Option<OffsetConstant>,
}

impl ProgressiveLoss {
    /// Checks that the statistics, read from a file, are valid for a model with `classes` classes.
    pub(crate) fn check(&self, loss: Loss, classes: usize) -> Result<(), String> {
        let sketch = self.sketch.as_ref().is_none_or(LabelSketch::is_sound) && self.labels.is_sound();
        let counts = self.loss.is_sound() && self.classes.iter().all(Sum::is_magnitude);
        // There are no class weights without a multiclass loss, and fewer than the model's classes if a class
        // occurred only in other rows.
        let few = self.classes.len() <= if loss.is_multiclass() { classes } else { 0 };
        let offsets = self.offsets.as_ref().is_none_or(|offsets| offsets.is_sound(loss));
        need(sketch && counts && few && offsets, "the losses of the state are out of their range")
    }

    /// Adds a row, given its encoded label `y`, its weight, its loss `value` and its offset.
    pub(crate) fn add(&mut self, loss: Loss, y: f64, weight: f64, value: f64, offset: f64) {
        self.loss.add(value, weight);
        if self.offsets.is_none() && offset != 0.0 {
            self.offsets = OffsetConstant::new(loss, self.labels.weight(), self.labels.mean());
        }
        self.offsets.iter_mut().for_each(|offsets| offsets.add(loss, y, weight, offset));
        // A constant in addition to offsets is a constant for labels less offsets.
        let y = if loss.classifies() || loss.variance_power().is_some() { y } else { y - offset };
        self.labels.add(y, weight);
        if matches!(loss, Loss::Huber { .. } | Loss::Absolute | Loss::Quantile { .. }) {
            self.sketch.get_or_insert_default().add(y, weight);
        }
        if loss.is_multiclass() {
            let number = y as usize;
            self.classes.resize(self.classes.len().max(number + 1), Sum::default());
            self.classes[number].add(weight);
        }
    }

    /// Adds the rows of other statistics of the same loss.
    pub(crate) fn join(&mut self, loss: Loss, other: &ProgressiveLoss) {
        self.loss.join(&other.loss);
        if self.offsets.is_some() || other.offsets.is_some() {
            // Rows without statistics of offsets have the offset 0.
            let of = |one: &ProgressiveLoss| {
                let none = || OffsetConstant::new(loss, one.labels.weight(), one.labels.mean());
                one.offsets.clone().or_else(none)
            };
            let (own, others) = (of(self), of(other));
            self.offsets = own;
            self.offsets.iter_mut().zip(&others).for_each(|(own, other)| own.join(other));
        }
        self.labels.join(&other.labels);
        if let Some(sketch) = &other.sketch {
            self.sketch.get_or_insert_default().join(sketch);
        }
        self.classes.resize(self.classes.len().max(other.classes.len()), Sum::default());
        self.classes.iter_mut().zip(&other.classes).for_each(|(sum, other)| sum.join(other));
    }

    /// Returns the mean loss of the rows as an accumulator, which also holds their total weight.
    pub(crate) fn mean(&self) -> &Mean {
        &self.loss
    }

    pub(crate) fn loss(&self) -> Option<f64> {
        self.loss.value()
    }

    pub(crate) fn weight(&self) -> f64 {
        self.loss.weight()
    }

    /// Returns the mean loss of the best constant, which is added to the offset of each row to give its margin; `sign`
    /// is −1 if the negative class is encoded as +1, otherwise 1. For losses that need a [`LabelSketch`], the result is
    /// a close lower bound.
    pub(crate) fn constant(&self, loss: Loss, sign: f64) -> Option<f64> {
        let constant = match (&self.sketch, &self.offsets) {
            (Some(sketch), _) => sketch.constant(loss),
            (None, Some(offsets)) => offsets.constant(loss, self.weight(), sign),
            _ if loss.is_multiclass() => Some(self.constant_of_classes(loss)),
            _ => loss.constant(self.labels.mean(), self.labels.squares() / self.weight()),
        };
        constant.filter(|constant| self.weight() > 0.0 && constant.is_finite())
    }

    fn constant_of_classes(&self, loss: Loss) -> f64 {
        loss.multiclass_constant(self.classes.iter().map(|sum| sum.value() / self.weight()))
    }
}
