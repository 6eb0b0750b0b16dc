//! The units of labels and gradients.
//!
//! Lanes hold f32. Margins and gradients are kept in units of the first label and gradient that are not 0, which keeps
//! 1e-300 and 1e300 within their range, and gives lanes the same numbers whatever the scale of the labels: to the bit
//! for powers of two, and else but for a rounding of f64 that f32 hardly ever sees. The *scale* of points is another thing:
//! how large the labels so far are, a global factor of all points; what was learnt under an older scale is re-expressed
//! in the current one, as if it had been known from the start.
//!
//! With a log link a unit u of labels is a shift ln u of margins, and what is large are not the points but the constant
//! among them. The lanes learn what is to be added to an *offset*: the logarithm of the mean label so far, if there
//! is an intercept, which is part of it in the model.

use crate::{
    loss::{Loss, derivative_cut::LabelRange},
    numeric::check::{MOST_ROWS, is_magnitude, need},
};
use serde::{Deserialize, Serialize};

/// Beyond this many units a new unit is chosen: the square of its square is still an f32.
const FAR: f64 = 4_294_967_296.0;

/// Units of margins and gradients, and the scale of labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LabelUnits {
    /// Unit of labels, and of margins without a log link; 0 while all labels were 0.
    label: f64,
    /// Unit of gradients (in units of margins) times weights; 0 while all were 0.
    pub(crate) gradient: f64,
    /// Rows learnt and the mean of their labels' sizes, or squares of sizes, in units of labels.
    rows: u64,
    moment: f64,
    /// Labels with a log link, in their unit.
    #[serde(rename = "seen", default, skip_serializing_if = "Option::is_none")]
    label_range: Option<LabelRange>,
}

/// What is added to all margins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offset {
    /// To those of the lanes, in their units.
    pub(crate) lanes: f64,
    /// To those of the model.
    pub(crate) model: f64,
}

impl LabelUnits {
    pub(crate) fn new(loss: Loss) -> LabelUnits {
        let label = if loss.classifies() { 1.0 } else { 0.0 };
        let label_range = loss.variance_power().map(|_| LabelRange::default());
        LabelUnits { label, gradient: 0.0, rows: 0, moment: 0.0, label_range }
    }

    /// Checks those that were read from a file.
    pub(crate) fn check(&self, loss: Loss) -> Result<(), String> {
        let label = if loss.classifies() { self.label == 1.0 } else { is_magnitude(self.label) };
        let label_range = self.label_range.is_some() == loss.variance_power().is_some()
            && self.label_range.iter().all(LabelRange::is_sound);
        let sizes = is_magnitude(self.gradient) && is_magnitude(self.moment) && self.rows <= MOST_ROWS;
        need(label && label_range && sizes, "the units of the state are out of their range")
    }

    /// The unit of margins.
    pub(crate) fn margin(&self) -> f64 {
        if self.label_range.is_some() { 1.0 } else { self.label }
    }

    /// The scale of iterates, in units of margins: 1 for classes and with a log link; for numbers the root of the mean
    /// square of labels, or, where the loss bears outliers, the mean of their sizes, which they move less.
    pub(crate) fn scale(&self, loss: Loss) -> f64 {
        match loss {
            Loss::Squared => self.moment.sqrt(),
            _ if loss.classifies() || self.label_range.is_some() => 1.0,
            _ => self.moment,
        }
    }

    /// What margins begin with, if the model has an intercept to hold it: as long as no label was above 0, what 1/t of
    /// an event in t rows calls for.
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

    /// An offset in units of margins; 0 as long as there is none.
    pub(crate) fn relative(&self, offset: f64) -> f64 {
        let unit = self.margin();
        if unit > 0.0 { offset / unit } else { 0.0 }
    }

    /// A label in units of labels; 0 as long as there is no unit.
    pub(crate) fn of(&self, y: f64) -> f64 {
        if self.label > 0.0 { y / self.label } else { 0.0 }
    }

    /// The loss of labels and margins in their units.
    pub(crate) fn loss(&self, loss: Loss) -> Loss {
        loss.in_units(self.label)
    }

    /// The slopes between which those at a row are cut, in units; 0 and 0 with a log link as long as there is no unit.
    pub(crate) fn derivative_bounds(&self, loss: Loss, y: f64) -> Option<(f64, f64)> {
        let label_range = self.label_range.as_ref()?;
        Some(if self.label > 0.0 { label_range.derivative_bounds(loss, y) } else { (0.0, 0.0) })
    }

    /// Counts the label of a row: what the offset leaves of it to be learnt.
    pub(crate) fn count(&mut self, loss: Loss, y: f64, offset: f64, weight: f64) {
        self.rows += 1;
        let y = self.of(y);
        let left = if loss.classifies() || self.label_range.is_some() { y } else { y - self.relative(offset) };
        let size = if loss == Loss::Squared { left * left } else { left.abs() };
        self.moment += (size - self.moment) / self.rows as f64;
        if let Some(label_range) = &mut self.label_range {
            label_range.count(y, offset, weight);
        }
    }

    /// Chooses another unit of labels if the label `y`, or, without a log link, the offset of its row, asks for it; whether it did.
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

    /// The same for gradients: by what state in the old unit is to be multiplied.
    pub(crate) fn fit_gradient(&mut self, g: f64) -> Option<f64> {
        fit(&mut self.gradient, g)
    }
}

/// Chooses a unit for `x` if there is none yet or `x` is far above it; the old unit over the new one.
fn fit(unit: &mut f64, x: f64) -> Option<f64> {
    if x == 0.0 || x.abs() <= *unit * FAR && *unit > 0.0 {
        return None;
    }
    let old = std::mem::replace(unit, x.abs().max(f64::MIN_POSITIVE));
    (old > 0.0).then(|| old / *unit)
}
