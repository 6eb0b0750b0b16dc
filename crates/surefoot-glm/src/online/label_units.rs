//! Units of labels and gradients.
//!
//! Lanes store f32. Margins and gradients are stored in units of the first nonzero label and gradient, which keeps
//! 1e-300 and 1e300 within range, and makes the numbers of the lanes independent of the scale of labels: to the bit
//! for powers of two, and up to f64 rounding, rarely visible in f32, otherwise. The *scale* of points is separate: a global factor of
//! all points, the magnitude of the labels so far; state learnt under an older scale is re-expressed
//! in the current one, as if that had been known from the start.
//!
//! With a log link, a unit u of labels is a shift ln u of margins; weights stay small, but the constant term is large. The lanes
//! then learn corrections to an *offset*: the logarithm of the mean label so far, if there
//! is an intercept, into which the model adds it.

use crate::{
    loss::{Loss, derivative_cut::LabelRange},
    numeric::check::{MOST_ROWS, is_magnitude, need},
};
use serde::{Deserialize, Serialize};

/// A number beyond this many units makes a new unit: its fourth power still fits an f32.
const FAR: f64 = 4_294_967_296.0;

/// Units of margins and gradients, and the scale of labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LabelUnits {
    /// Unit of labels, and of margins without a log link; 0 as long as all labels are 0.
    label: f64,
    /// Unit of gradients (in units of margins) times weights; 0 as long as all are 0.
    pub(crate) gradient: f64,
    /// Number of rows learnt, and mean absolute (squared loss: mean squared) label, in units of labels.
    rows: u64,
    moment: f64,
    /// With a log link: mean and maximum of labels, in their unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label_range: Option<LabelRange>,
}

/// Offset of all margins, before the offset of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offset {
    /// For margins of the lanes, in their units.
    pub(crate) lanes: f64,
    /// For margins of the model.
    pub(crate) model: f64,
}

impl LabelUnits {
    pub(crate) fn new(loss: Loss) -> LabelUnits {
        let label = if loss.classifies() { 1.0 } else { 0.0 };
        let label_range = loss.variance_power().map(|_| LabelRange::default());
        LabelUnits { label, gradient: 0.0, rows: 0, moment: 0.0, label_range }
    }

    /// Checks units read from a file.
    pub(crate) fn check(&self, loss: Loss) -> Result<(), String> {
        let label = if loss.classifies() { self.label == 1.0 } else { is_magnitude(self.label) };
        let label_range = self.label_range.is_some() == loss.variance_power().is_some()
            && self.label_range.iter().all(LabelRange::is_sound);
        let sizes = is_magnitude(self.gradient) && is_magnitude(self.moment) && self.rows <= MOST_ROWS;
        need(label && label_range && sizes, "the units of the state are out of their range")
    }

    /// Unit of margins.
    pub(crate) fn margin(&self) -> f64 {
        if self.label_range.is_some() { 1.0 } else { self.label }
    }

    /// Scale of iterates, in units of margins: 1 for classification and with a log link; for squared loss the root mean
    /// square of labels; for robust losses their mean absolute value, which outliers move less.
    pub(crate) fn scale(&self, loss: Loss) -> f64 {
        match loss {
            Loss::Squared => self.moment.sqrt(),
            _ if loss.classifies() || self.label_range.is_some() => 1.0,
            _ => self.moment,
        }
    }

    /// Offset of margins: with an intercept the logarithm of the mean label so far, or of 1/t as long as no label in t rows is
    /// above 0; without one the unit of labels alone.
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

    /// A row's offset in units of margins; 0 as long as there is no unit.
    pub(crate) fn offset_in_units(&self, offset: f64) -> f64 {
        let unit = self.margin();
        if unit > 0.0 { offset / unit } else { 0.0 }
    }

    /// A label in units of labels; 0 as long as there is no unit.
    pub(crate) fn label_in_units(&self, y: f64) -> f64 {
        if self.label > 0.0 { y / self.label } else { 0.0 }
    }

    /// The loss for labels and margins in their units.
    pub(crate) fn loss_in_units(&self, loss: Loss) -> Loss {
        loss.in_units(self.label)
    }

    /// With a log link, bounds (down, up) at which derivatives are clipped, in units; 0 as long as there is no unit.
    pub(crate) fn derivative_bounds(&self, loss: Loss, y: f64) -> Option<(f64, f64)> {
        let label_range = self.label_range.as_ref()?;
        Some(if self.label > 0.0 { label_range.derivative_bounds(loss, y) } else { (0.0, 0.0) })
    }

    /// Adds the label of a row, less its offset without a log link.
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

    /// Chooses another unit of labels if the label `y`, or without a log link the row's offset, is out of range; returns whether it did.
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

    /// Chooses another unit of gradients if `g` is out of range; returns the factor for state in the old unit.
    pub(crate) fn fit_gradient(&mut self, g: f64) -> Option<f64> {
        fit(&mut self.gradient, g)
    }
}

/// Chooses a unit for `x` if there is none yet or `x` is far above it; returns the ratio of the old unit to the new one.
fn fit(unit: &mut f64, x: f64) -> Option<f64> {
    if x == 0.0 || x.abs() <= *unit * FAR && *unit > 0.0 {
        return None;
    }
    let old = std::mem::replace(unit, x.abs().max(f64::MIN_POSITIVE));
    (old > 0.0).then(|| old / *unit)
}
