//! The trainer: settings to a learner, batches to the row loop, and the model that a save stores.
//!
//! The only room that knows all learners. Another one is added to `choice`.

mod choice;
pub(crate) mod trainer;
mod validity;
