//! Losses, rows and the one-pass trainer of generalised linear models.

mod ball;
mod batch;
mod data;
mod labels;
mod loss;
mod memory;
mod metrics;
mod model;
mod numeric;
mod online;
mod pass;
mod simd;
pub mod threads;
mod train;

pub use ball::full_pass::FullPass;
pub use batch::{
    gathered::Gathered,
    optimum,
    path::Step,
    problem::{Caution, Problem},
};
pub use data::{
    fault::{Fault, Part},
    feature_groups::{Bounds, Groups, Rule},
    holdout_store::{InMemory, Shelf},
    rows::{Batch, Place, Row},
    schema::{By, Class, Column, Missing, Names, Quote, Role, Schema, TableSchema},
};
pub use labels::{class_weights::ClassWeights, label_set::Labels};
pub use loss::Loss;
pub use memory::{id_hash::Mixer, paged_map::watch_pages};
pub use metrics::{Bin, ClassMetrics, Confusion, Measured, Metrics, Picture, Rates, Tally};
pub use model::{
    certificate::{Bound, Certificate, Subject},
    order_alarm::OrderAlarm,
    path_end::PathEnd,
    predictor::{Predictor, Scored, Scores},
    settings::{Axis, Ball, Penalty, Plan, Select, Settings},
    state::{Array, Numbers, State},
    summary::{Lane, PathPoint, Summary},
    trained_model::Model,
};
pub use pass::order::Losing;
pub use simd::lanes::LANES;
pub use train::trainer::Trainer;
