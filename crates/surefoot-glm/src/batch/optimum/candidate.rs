//! A point that a search may end at.

/// A point, and what a search has to know of it to keep the best one.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'s> {
    /// Coordinates of the design, those of each class behind those of the one before.
    pub(super) point: &'s [f64],
    pub(super) objective: f64,
    /// How far rounding may have put it off.
    pub(super) objective_error: f64,
    /// Whether the losses of all rows fall for ever.
    pub(super) recedes: bool,
}
