//! Experiments that compare the theorems behind surefoot with measurements.
//!
//! An [`Experiment`] is a table: each [`Row`] specifies a run, its range and its number of seeds, and the [`Claim`]s made of the numbers.
//! [`Lab`] runs the rows on several threads, whose number does not affect the result; a [`Report`] holds numbers and verdicts, and writes
//! them as text, CSV, plots and one HTML page.
//!
//! Rows with a *planted* error repeat others with one mistake in them, such as a hint that comes one round late. Their claims must fail,
//! which shows that the checks can detect errors.
//!
//! ```
//! use surefoot_lab::{Claim, Experiment, Lab, Reading, Row};
//!
//! // The mean of n fair coin tosses decreases like 1/√n.
//! let mean = |n: f64, mut random: surefoot_lab::Random| {
//!     Reading::of(((0..n as u32).map(|_| random.sign(0.5)).sum::<f64>() / n).abs())
//! };
//! let row = Row::points("mean of coins", &[10.0, 100.0, 1000.0], mean).seeds(400);
//! let rows = vec![row.claim(Claim::Slope { from: 0.0, least: -0.6, most: -0.4 })];
//! let experiment = Experiment { name: "V0", title: "", about: "", axis: "n", measured: "", bound: "", rows };
//! let report = Lab::new(vec![experiment], 1).run(2, |_| {});
//! assert!(report.passes());
//! ```
#![forbid(unsafe_code)]

mod claim;
mod engine;
mod experiment;
mod fit;
mod method;
mod paper;
pub mod problem;
mod random;
mod report;
mod table;

pub use claim::{Check, Claim};
pub use engine::Lab;
pub use experiment::experiments;
pub use random::Random;
pub use report::{Finding, Point, Report, Section};
pub use surefoot_plot::{Figure, Scale, Series, Style};
pub use table::{Experiment, Form, Reading, Row};
