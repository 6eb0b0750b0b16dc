//! Learning in a ball around 0, with certificates.
//!
//! This module may use [`pass`](crate::pass), every module that `pass` may use, and the learners of the `surefoot`
//! crate.

pub(crate) mod full_pass;
pub(crate) mod in_ball;
