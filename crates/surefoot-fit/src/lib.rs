//! Library behind the `surefoot` command: fits, evaluates and saves linear models, and predicts with them.
//!
//! | task | where |
//! | --- | --- |
//! | settings, with defaults | [`Fit`] |
//! | rows: files, pipes, memory, a stream | [`Data`], [`OpenRows`] |
//! | learn rows part by part as they arrive | [`Incremental`] |
//! | follow a fit | [`Event`], [`Observer`] |
//! | stop a fit | [`StopConditions`] |
//! | result of a fit | [`Outcome`], [`Failed`] |
//! | rows in shards, of several processes | [`Fit::run_shards`], [`Fit::run_rounds`] |
//! | evaluate a model | [`Labelled`] |
//! | predict with a model | [`Prediction`] |
//!
//! A fit prints nothing and does not depend on command-line flags: errors and events are enums, and the calling program words the messages.

mod bad_rows;
mod certificates;
mod check;
mod data;
mod error;
mod evaluation;
mod event;
mod fit;
mod incremental;
mod outcome;
mod position;
mod prediction;
mod rows;
mod saver;
mod session;
mod setting;
mod sharded;
mod shuffling;
mod stop;
mod unmet;

pub use bad_rows::BadRows;
pub use certificates::certified_gap;
pub use data::{Data, OpenRows, Source, Stream};
pub use error::FitError;
pub use evaluation::{Evaluation, LabelFault, Labelled};
pub use event::{Event, Observer};
pub use fit::{Fit, TOLERANCE, options_for, options_of};
pub use incremental::Incremental;
pub use outcome::{Failed, Outcome};
pub use prediction::{PredictedRow, Prediction, Response, Unpredicted};
pub use rows::{Next, Rows, watch_rows};
pub use saver::Snapshot;
pub use session::Session;
pub use setting::Contradiction;
pub use sharded::{Rounds, ShardedOutcome, UnusedGroups};
pub use stop::{Interrupt, StopConditions, StopReason};
pub use unmet::{Purpose, UnmetName, unmet_names};
