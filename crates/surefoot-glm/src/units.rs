//! The units of labels and gradients.
//!
//! Lanes hold f32. Margins and gradients are kept in units of the first label and gradient that are not 0, which keeps
//! 1e-300 and 1e300 within their range, and gives lanes the same numbers whatever the scale of the labels: to the bit
//! for powers of two, and else but for a rounding of f64 that f32 hardly ever sees. The *scale* of points is another thing:
//! the root mean square of the labels so far, a global factor of all points; what was learnt under an older scale is re-expressed
//! in the current one, as if it had been known from the start.

use crate::Loss;
use serde::{Deserialize, Serialize};

/// Beyond this many units a new unit is chosen: the square of its square is still an f32.
const FAR: f64 = 4_294_967_296.0;

/// Units of margins and gradients, and the scale of labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Units {
    /// Unit of labels and margins; 0 while all labels were 0.
    pub(crate) margin: f64,
    /// Unit of gradients (in units of margins) times weights; 0 while all were 0.
    pub(crate) gradient: f64,
    /// Rows learnt and the mean square of their labels in units of margins.
    rows: u64,
    mean_square: f64,
}

impl Units {
    pub(crate) fn new(loss: Loss) -> Units {
        let margin = if loss.classifies() { 1.0 } else { 0.0 };
        Units { margin, gradient: 0.0, rows: 0, mean_square: 0.0 }
    }

    /// The scale of iterates, in units of margins: 1 for classes.
    pub(crate) fn scale(&self, loss: Loss) -> f64 {
        if loss.classifies() { 1.0 } else { self.mean_square.sqrt() }
    }

    /// A label in units of margins; 0 as long as there is no unit.
    pub(crate) fn of(&self, y: f64) -> f64 {
        if self.margin > 0.0 { y / self.margin } else { 0.0 }
    }

    /// Counts a label in units of margins.
    pub(crate) fn count(&mut self, y: f64) {
        self.rows += 1;
        self.mean_square += (y * y - self.mean_square) / self.rows as f64;
    }

    /// Chooses another unit of margins if the label `y` asks for it; whether it did.
    pub(crate) fn fit_margin(&mut self, loss: Loss, y: f64) -> bool {
        let old = self.margin;
        if !loss.classifies()
            && let Some(ratio) = fit(&mut self.margin, y)
        {
            self.mean_square *= ratio * ratio;
        }
        self.margin != old
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
