//! Reading of inputs into batches of rows, one input after the other.
//!
//! This module may use all others except [`shuffle`](crate::shuffle), which reads rows in another order.

mod admission;
mod describe;
mod divide;
mod held_error;
mod line_numbers;
#[cfg(feature = "parquet")]
pub(crate) mod memory_table;
pub(crate) mod prefetch;
pub(crate) mod reader;
mod row_starts;
mod schema_of_inputs;
mod source;
pub(crate) mod split;
#[cfg(feature = "parquet")]
pub(crate) mod table_rows;
