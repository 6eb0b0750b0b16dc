//! Training: creates the learner that the settings require, passes batches to the row loop, and saves models.
//!
//! This is the only module that knows all learners. A new learner is added to `choice`.

mod choice;
mod kept_learner;
pub(crate) mod trainer;
mod validity;
