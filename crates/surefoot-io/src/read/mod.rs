//! Inputs to batches of rows, one input after the other.
//!
//! May use everything but [`shuffle`](crate::shuffle), which reads rows in another order.

mod describe;
pub(crate) mod prefetch;
pub(crate) mod reader;
