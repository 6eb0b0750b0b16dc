//! Rows in an order that depends on nothing but a seed, the pass and the number of each row.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`order`] | the order: a key for each row |
//! | [`record`] | a row as bytes |
//! | [`store`] | records in memory, the rest in [`runs`] in a temporary file, which are merged when they are read |
//! | [`source`] | all rows of a source, read once, in the order of any pass |

pub(crate) mod order;
mod record;
mod runs;
pub(crate) mod source;
mod store;
