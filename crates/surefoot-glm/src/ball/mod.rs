//! Online learning with weights in a ball around 0, and certificates of the learnt models.
//!
//! Dependencies allowed here: [`pass`](crate::pass), every module that `pass` may use, and the learners of the
//! `surefoot` crate.

pub(crate) mod full_pass;
pub(crate) mod in_ball;
