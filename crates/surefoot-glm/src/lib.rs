//! Losses, rows, and the one-pass trainer for generalised linear models.
//!
//! | task | items |
//! | --- | --- |
//! | rows | [`Batch`], [`Row`] |
//! | loss, penalty, passes | [`Loss`], [`Settings`], [`Plan`] |
//! | train in passes | [`Trainer`] |
//! | train in one pass over shards of the rows | [`RoundTrainer`] |
//! | train to the optimum | [`Gathered`], [`Problem`], [`mod@optimum`] |
//! | predict | [`Model`], [`Predictor`] |
//! | evaluate | [`Tally`], [`Measured`] |
//! | certificates | [`Certificate`], [`FullPass`] |
//!
//! The caller owns the loop over batches: they come from memory or from a reader of `surefoot-io`, and a model can be
//! taken after any row. `surefoot-fit` is such a loop, with saving and resuming. This crate neither reads nor writes
//! files.
//!
//! ```
//! use surefoot_glm::{Batch, Loss, Plan, Predictor, Settings, Trainer};
//!
//! let mut rows = Batch::default();
//! for t in 0..500_u32 {
//!     let (a, b) = (f64::from(t % 7), f64::from(t % 11));
//!     rows.push(Some(f64::from(a > b)), 1.0, &[(0, a), (1, b)]); // label, weight, pairs of feature id and value
//! }
//! let mut trainer = Trainer::new(Settings::default(), Plan::ONE_PASS);
//! trainer.learn(&rows, 0, rows.len()).unwrap();
//! let summary = trainer.summary();
//! assert!(summary.loss < summary.loss_constant);
//!
//! let scored = Predictor::new(&trainer.model()).score(&rows.row(10)).unwrap();
//! assert!(Loss::Logistic.mean(scored.margin) < 0.5); // a = 3, b = 10
//! ```

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
mod rounds;
pub mod shards;
mod simd;
pub mod threads;
mod train;

pub use ball::full_pass::FullPass;
pub use batch::{
    census::Census,
    gathered::Gathered,
    optimum,
    path::Step,
    problem::{Caution, Problem},
};
pub use data::{
    fault::{Fault, Part},
    feature_groups::{Bounds, FeatureGroups, Rule},
    holdout_store::{HoldoutStore, MemoryHoldout},
    rows::{Batch, Place, Row},
    schema::{Class, Column, FeatureKey, FeatureNames, Missing, Quote, Role, Schema, TableSchema},
};
pub use labels::{class_weights::ClassWeights, label_set::Labels};
pub use loss::Loss;
pub use memory::{id_hash::IdHasher, paged_map::count_page_memory};
pub use metrics::{CalibrationBin, ClassMetrics, Confusion, Measured, MetricTotals, Metrics, PlotData, Rates, Tally};
pub use model::{
    certificate::{Bound, Certificate, Subject},
    order_alarm::OrderAlarm,
    path_end::PathEnd,
    predictor::{Predictor, RowMargin, RowMargins},
    settings::{Ball, LossBounds, Penalty, PenaltyTerm, Plan, Select, Settings},
    state::{Array, Numbers, State},
    summary::{ConstantLane, Lane, PathPoint, Summary},
    trained_model::Model,
};
pub use pass::judgement::WorseThanConstant;
pub use rounds::{
    partial::Partial,
    trainer::{RefusedRow, RoundTrainer},
    work::RoundWork,
};
pub use simd::lanes::LANES;
pub use train::trainer::Trainer;
