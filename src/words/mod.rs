//! Formatting of numbers, labels, certificates and errors as text, for all modules that show them.
//!
//! Depends on no other top-level module of this crate.

pub(crate) mod certificates;
pub(crate) mod command_line;
pub(crate) mod contradictions;
pub(crate) mod labels;
pub(crate) mod number;
pub(crate) mod unmet;
pub(crate) mod weights;
