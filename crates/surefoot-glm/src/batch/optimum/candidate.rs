//! Candidate for the best point of an optimisation.

/// Point with the numbers that decide whether it is the best so far.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'s> {
    /// Coordinates of the point, one per column of the design matrix (the intercept included); for several classes,
    /// those of class 0, then of class 1, and so on.
    pub(super) point: &'s [f64],
    pub(super) objective: f64,
    /// Upper bound on the rounding error of the objective.
    pub(super) objective_error: f64,
    /// Whether the loss of every row keeps decreasing without a minimum as its margin grows in the present direction (a
    /// direction of recession).
    pub(super) recedes: bool,
}
