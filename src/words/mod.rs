//! Numbers, labels, certificates and errors in words, for all modules that show them.
//!
//! Uses no other top-level module of the command.

pub(crate) mod certificates;
pub(crate) mod command_line;
pub(crate) mod contradictions;
pub(crate) mod labels;
pub(crate) mod number;
pub(crate) mod unmet;
pub(crate) mod weights;
