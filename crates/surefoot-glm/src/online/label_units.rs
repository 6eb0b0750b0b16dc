//! Units in which labels, margins and gradients are stored in f32, and the scale of labels.
//!
//! A lane (one of the learners trained side by side) stores numbers as f32. Margins are stored as multiples of a unit,
//! the first nonzero label, and gradients as multiples of the first nonzero gradient. This keeps labels from 1e-300 to
//! 1e300 within the range of f32, and makes the stored numbers independent of the scale of labels: to the bit for
//! powers of two, otherwise up to f64 rounding, which is rarely visible in f32. The *scale* is a separate global
//! factor of all points, the magnitude of the labels so far; state learnt under an older scale is re-expressed in the
//! current one, as if the current scale had been known from the start.
//!
//! With a log link, a unit u of labels shifts margins by ln u; weights stay small, but the constant term is large.
//! The lanes then learn corrections to an *offset*: with an intercept, the logarithm of the mean label so far, which
//! is part of the model's intercept.

pub(super) mod in_rounds;

use crate::{
    loss::{Loss, derivative_cut::LabelRange},
    numeric::check::{MOST_ROWS, is_magnitude, need},
};
use serde::{Deserialize, Serialize};

/// Largest multiple of a unit (the number by which stored numbers are divided) that a number may be; beyond it, the
/// number becomes the new unit. The fourth power of this limit still fits into an f32.
pub(crate) const FAR: f64 = 4_294_967_296.0;

/// Units of labels, margins and gradients, of which the learner stores numbers as multiples, and statistics of the
/// labels so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LabelUnits {
    /// Unit of labels (the number by which stored labels are divided), and without a log link also of margins; 0 as
    /// long as all labels are 0.
    label: f64,
    /// Unit of gradients, the first nonzero one (row weight times derivative of the loss, where margins are in their
    /// unit); 0 as long as all gradients are 0.
    pub(crate) gradient: f64,
    /// Number of rows learnt, over which the field `moment` is a mean.
    rows: u64,
    /// Mean of |label| (for squared loss, of label²) over the rows learnt, for labels in the unit `label`.
    moment: f64,
    /// Mean and range of the labels, divided by the unit `label`, for losses with a log link; `None` for other losses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label_range: Option<LabelRange>,
}

/// Constant offset that is added to the margins of all rows, in addition to each row's own offset.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offset {
    /// Offset of the margins of the lanes (learners trained side by side), divided by the unit of margins.
    pub(crate) lanes: f64,
    /// Offset of the margins of the model, which is saved as part of the model's intercept.
    pub(crate) model: f64,
}

impl LabelUnits {
    pub(crate) fn new(loss: Loss) -> LabelUnits {
        let label = if loss.classifies() { 1.0 } else { 0.0 };
        let label_range = loss.variance_power().map(|_| LabelRange::default());
        LabelUnits { label, gradient: 0.0, rows: 0, moment: 0.0, label_range }
    }

    /// Checks that the units and statistics, read from a file, are within their ranges.
    pub(crate) fn check(&self, loss: Loss) -> Result<(), String> {
        let label = if loss.classifies() { self.label == 1.0 } else { is_magnitude(self.label) };
        let label_range = self.label_range.is_some() == loss.variance_power().is_some()
            && self.label_range.iter().all(LabelRange::is_sound);
        let sizes = is_magnitude(self.gradient) && is_magnitude(self.moment) && self.rows <= MOST_ROWS;
        need(label && label_range && sizes, "the units of the state are out of their range")
    }

    /// Returns the unit of which the lanes (learners trained side by side) store margins as multiples: 1 with a log
    /// link, otherwise the unit of labels.
    pub(crate) fn margin(&self) -> f64 {
        if self.label_range.is_some() { 1.0 } else { self.label }
    }

    /// Returns the factor by which iterates are scaled, in the unit of margins: 1 for classification and with a log
    /// link, the root mean square of the labels for squared loss, and their mean absolute value for robust losses,
    /// because it is less sensitive to outliers.
    pub(crate) fn scale(&self, loss: Loss) -> f64 {
        match loss {
            Loss::Squared => self.moment.sqrt(),
            _ if loss.classifies() || self.label_range.is_some() => 1.0,
            _ => self.moment,
        }
    }

    /// Returns the offset that is added to all margins: with a log link and an intercept the logarithm of the mean
    /// label so far (or of 1/(t + 1) as long as no label in t rows is above 0) minus that of the mean exposure; with a
    /// log link alone minus the logarithm of the unit of labels, for the learners trained side by side, and 0 for the
    /// model; otherwise 0.
    pub(crate) fn offset(&self, intercept: bool) -> Offset {
        let Some(label_range) = &self.label_range else { return Offset::default() };
        let unit = if self.label > 0.0 { libm::log(self.label) } else { 0.0 };
        if !intercept {
            return Offset { lanes: -unit, model: 0.0 };
        }
        let mean = if label_range.mean() > 0.0 { label_range.mean() } else { 1.0 / (self.rows + 1) as f64 };
        let lanes = libm::log(mean) - label_range.exposure();
        Offset { lanes, model: lanes + unit }
    }

    /// Returns the offset of a row as a multiple of the unit of margins; 0 as long as that unit has not been chosen.
    pub(crate) fn offset_in_units(&self, offset: f64) -> f64 {
        let unit = self.margin();
        if unit > 0.0 { offset / unit } else { 0.0 }
    }

    /// Returns the label `y` as a multiple of the unit of labels; 0 as long as that unit has not been chosen.
    pub(crate) fn label_in_units(&self, y: f64) -> f64 {
        if self.label > 0.0 { y / self.label } else { 0.0 }
    }

    /// Returns the loss as a function of label and margin divided by their units; it equals `loss` of the undivided
    /// numbers up to a constant factor.
    pub(crate) fn loss_in_units(&self, loss: Loss) -> Loss {
        loss.in_units(self.label)
    }

    /// Returns the bounds (down, up) at which derivatives of a loss with a log link are clipped, as numbers in the
    /// units of labels and margins; (0, 0) as long as the unit of labels has not been chosen; `None` for other losses.
    pub(crate) fn derivative_bounds(&self, loss: Loss, y: f64) -> Option<(f64, f64)> {
        let label_range = self.label_range.as_ref()?;
        Some(if self.label > 0.0 { label_range.derivative_bounds(loss, y) } else { (0.0, 0.0) })
    }

    /// Updates the statistics with the label `y` of a row, from which the row's offset is subtracted first unless the
    /// loss has a log link.
    pub(crate) fn count(&mut self, loss: Loss, y: f64, offset: f64, weight: f64) {
        self.rows += 1;
        let y = self.label_in_units(y);
        let left = if loss.classifies() || self.label_range.is_some() { y } else { y - self.offset_in_units(offset) };
        let size = if loss == Loss::Squared { left * left } else { left.abs() };
        self.moment += (size - self.moment) / self.rows as f64;
        if let Some(label_range) = &mut self.label_range {
            label_range.count(y, offset, weight);
        }
    }

    /// Chooses a new unit of labels, by which stored labels are divided, if there is none yet, or if the label `y` (or,
    /// without a log link, the row's offset) is too large a multiple of the current unit; returns true if the unit has
    /// changed.
    pub(crate) fn fit_label(&mut self, loss: Loss, y: f64, offset: f64) -> bool {
        let old = self.label;
        let size = if self.label_range.is_some() { y } else { y.abs().max(offset.abs()) };
        if !loss.classifies()
            && let Some(ratio) = fit(&mut self.label, size)
        {
            self.moment *= if loss == Loss::Squared { ratio * ratio } else { ratio };
            self.label_range.iter_mut().for_each(|label_range| label_range.rescale(ratio));
        }
        self.label != old
    }

    /// Chooses a new unit of gradients, by which stored gradients are divided, if there is none yet, or if the gradient
    /// `g` is too large a multiple of the current unit. Returns the factor by which stored gradients have to be
    /// multiplied; `None` if none are stored, or if the unit stays.
    pub(crate) fn fit_gradient(&mut self, g: f64) -> Option<f64> {
        fit(&mut self.gradient, g)
    }

    /// Replaces the unit of gradients by a larger one, which rows of a round have chosen. Returns the factor by which
    /// stored gradients have to be multiplied; `None` if the unit stays.
    pub(crate) fn fit_gradient_unit(&mut self, unit: f64) -> Option<f64> {
        let old = self.gradient;
        self.gradient = old.max(unit);
        (unit > old).then(|| old / unit)
    }
}

/// Makes |`x`| the new unit if there is no unit yet and `x` is not 0, or if |`x`| is more than [`FAR`] times the unit.
/// Returns the ratio of the old unit to the new one; `None` if there was no unit, or if it stays.
fn fit(unit: &mut f64, x: f64) -> Option<f64> {
    if x == 0.0 || x.abs() <= *unit * FAR && *unit > 0.0 {
        return None;
    }
    let old = std::mem::replace(unit, x.abs().max(f64::MIN_POSITIVE));
    (old > 0.0).then(|| old / *unit)
}
