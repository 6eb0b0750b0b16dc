//! Application of a model to rows, in one process or in a worker of several: what `predict` and `eval` share with their workers.
//!
//! May use [`words`](crate::words), [`flags`](crate::flags), [`terminal`](crate::terminal) and the libraries.

pub(crate) mod predictions;
pub(crate) mod start;
pub(crate) mod told;
