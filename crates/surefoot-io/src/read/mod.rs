//! Reading of inputs into batches of rows, one input after the other.
//!
//! This module may use all others except [`shuffle`](crate::shuffle), which reads rows in another order.

mod describe;
pub(crate) mod prefetch;
pub(crate) mod reader;
