//! Reading of inputs into batches of rows, one input after the other.
//!
//! This module may use all others except [`shuffle`](crate::shuffle), which reads rows in another order.

mod admission;
mod describe;
mod held_error;
#[cfg(feature = "parquet")]
pub(crate) mod memory_table;
pub(crate) mod prefetch;
pub(crate) mod reader;
#[cfg(feature = "parquet")]
pub(crate) mod table_rows;
