//! A point with the problem that it is a point of.

use super::{
    design::Sample,
    state::{Objective, State},
};

/// A point on all rows, and the objective that it is to minimise.
#[derive(Clone, Copy)]
pub(super) struct AtPoint<'s, 'a> {
    pub(super) sample: &'s Sample<'a>,
    pub(super) objective: &'s Objective<'s>,
    pub(super) state: &'s State,
}
