//! Encoding of labels for the losses, and class weights.
//!
//! This module may use [`data`](crate::data), [`loss`](crate::loss) and [`numeric`](crate::numeric).

pub(crate) mod class_index;
pub(crate) mod class_weights;
pub(crate) mod encoder;
pub(crate) mod label_set;
