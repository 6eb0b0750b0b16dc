//! A point with its objective and rows: the arguments of every duality gap.

use super::{
    design::Sample,
    state::{Objective, State},
};

/// The rows, the objective that they define, and a point with its margins and derivatives.
#[derive(Clone, Copy)]
pub(super) struct AtPoint<'s, 'a> {
    pub(super) sample: &'s Sample<'a>,
    pub(super) objective: &'s Objective<'s>,
    pub(super) state: &'s State,
}
