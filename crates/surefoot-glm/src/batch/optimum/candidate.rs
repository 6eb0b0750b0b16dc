//! Candidate for the best point (weights and intercept) that an optimisation has found so far.

/// Point (weights and intercept) with its objective and the error bound that decide whether it becomes the best point
/// found so far.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'s> {
    /// Coordinates of the point, one per column of the design matrix (the intercept included); for several classes,
    /// those of class 0, then of class 1, and so on.
    pub(super) point: &'s [f64],
    pub(super) objective: f64,
    /// Upper bound on the rounding error of the objective.
    pub(super) objective_error: f64,
    /// Whether the loss of every row keeps decreasing, without a minimum, along a direction of recession: the point
    /// separates the classes, or all labels of a loss with a log link are 0.
    pub(super) recedes: bool,
}
