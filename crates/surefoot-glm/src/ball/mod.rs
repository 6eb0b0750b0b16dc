//! Learning in a ball around 0, with certificates.
//!
//! May use [`pass`](crate::pass) and what that uses, and the learners of the library.

pub(crate) mod full_pass;
pub(crate) mod in_ball;
