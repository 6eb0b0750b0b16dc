//! Losses, rows and the one-pass trainer of generalised linear models.

mod block;
mod board;
mod clock;
mod coding;
mod coordinate;
mod fault;
mod features;
mod lanes;
mod lead;
mod loss;
mod margin;
mod metrics;
mod model;
mod pace;
mod pages;
mod passes;
mod predictor;
mod rows;
mod settings;
mod shelf;
mod stack;
mod state;
mod sums;
mod trainer;
mod units;

pub use fault::{Fault, Part};
pub use lanes::LANES;
pub use loss::Loss;
pub use metrics::{Measured, Metrics};
pub use model::{Array, Labels, Lane, Model, Numbers, State, Summary};
pub use predictor::{Predictor, Scored};
pub use rows::{Batch, Place, Row};
pub use settings::{Plan, Settings};
pub use shelf::{InMemory, Shelf};
pub use trainer::Trainer;
