//! Second-order Taylor expansion of a loss at one margin.

/// Value, first and second derivative of the loss of a row at one margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expansion {
    pub(super) value: f64,
    pub(super) derivative: f64,
    pub(super) curvature: f64,
}
