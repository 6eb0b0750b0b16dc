//! The commands, one file each. A command checks its arguments and files, does its work, and reports the outcome.

pub(crate) mod completions;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod lab;
pub(crate) mod man;
pub(crate) mod predict;
