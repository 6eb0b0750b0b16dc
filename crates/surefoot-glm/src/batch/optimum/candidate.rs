//! A candidate for the best point of an optimisation.

/// A point with the numbers that decide whether it is the best so far.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'s> {
    /// Coordinates of the design; for several classes, those of class 0, then of class 1, and so on.
    pub(super) point: &'s [f64],
    pub(super) objective: f64,
    /// Bounds the rounding error of the objective.
    pub(super) objective_error: f64,
    /// Whether every row's loss keeps decreasing in the direction of its margin, without a minimum (a direction of
    /// recession).
    pub(super) recedes: bool,
}
