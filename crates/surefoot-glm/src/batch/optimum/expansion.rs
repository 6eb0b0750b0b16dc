//! The second-order Taylor expansion of a loss at one margin.

/// φ, φ' and φ'' at one margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expansion {
    pub(super) value: f64,
    pub(super) derivative: f64,
    pub(super) curvature: f64,
}
