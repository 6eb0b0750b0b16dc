//! Shuffled order of rows, determined by a seed, the number of the pass (over the data), and the number of each row.
//!
//! | part | content |
//! | --- | --- |
//! | [`order`] | the order, defined by a sort key per row |
//! | [`record`] | the encoding of a row as bytes |
//! | [`store`] | the records in memory and, beyond it, in [`runs`] in a temporary file, which are merged when they are read |
//! | [`source`] | all rows of a source, read once, in the order of any pass |

pub(crate) mod order;
mod record;
mod runs;
pub(crate) mod source;
mod store;
