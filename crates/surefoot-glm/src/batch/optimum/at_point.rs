//! Point of an optimisation bundled with its rows and its objective: the argument of all functions that compute duality
//! gaps.

use super::{
    design::Sample,
    state::{Objective, State},
};

/// Rows, the objective over them, and a point (weights and intercept) with its margins and derivatives.
#[derive(Clone, Copy)]
pub(super) struct AtPoint<'s, 'a> {
    pub(super) sample: &'s Sample<'a>,
    pub(super) objective: &'s Objective<'s>,
    pub(super) state: &'s State,
}
