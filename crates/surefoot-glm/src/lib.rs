//! Losses, rows and the one-pass trainer of generalised linear models.

mod fault;
mod loss;
mod metrics;
mod model;
mod pages;
mod rows;
mod settings;
mod shelf;
mod trainer;

pub use fault::{Fault, Part};
pub use loss::Loss;
pub use metrics::{Measured, Metrics};
pub use model::{Array, Labels, Lane, Model, Numbers, Predictor, Scored, State, Summary};
pub use rows::{Batch, Place, Row};
pub use settings::{Plan, Settings};
pub use shelf::{InMemory, Shelf};
pub use trainer::Trainer;
