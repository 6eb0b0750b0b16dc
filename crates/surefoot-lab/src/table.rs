//! Data types of experiments: rows with their runs, axes and claims.

use std::fmt;

use crate::{Claim, Random};

/// Size of all experiments: the ranges of their axes and their numbers of seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Shorter ranges and fewer seeds with the same claims; all experiments take less than a minute.
    Short,
    /// Full ranges and numbers of seeds, for which the claims are stated.
    Full,
}

impl Form {
    /// Returns the first argument for the short form, and the second for the full form.
    pub(crate) fn pick<T>(self, short: T, full: T) -> T {
        match self {
            Form::Short => short,
            Form::Full => full,
        }
    }
}

/// Measurement at one point of the axis in one run, with its upper and lower bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Measured quantity, about which claims are made, such as an excess loss, an error or a ratio.
    pub measured: f64,
    /// Upper bound from theory; NaN if there is none.
    pub bound: f64,
    /// Lower bound for any method; NaN if there is none.
    pub floor: f64,
}

impl Reading {
    /// Creates a reading with neither upper nor lower bound.
    #[must_use]
    pub fn of(measured: f64) -> Self {
        Self { measured, bound: f64::NAN, floor: f64::NAN }
    }

    /// Returns the same reading with this upper bound.
    #[must_use]
    pub fn under(self, bound: f64) -> Self {
        Self { bound, ..self }
    }

    /// Returns the measured value divided by its upper bound. If the bound is not positive, the ratio is 0 if the bound holds and ∞
    /// otherwise; ∞ also if the bound is NaN.
    pub(crate) fn ratio(&self) -> f64 {
        match (self.bound > 0.0, self.measured <= self.bound) {
            (true, _) => self.measured / self.bound,
            (false, true) => 0.0,
            (false, false) => f64::INFINITY,
        }
    }

    /// Returns the same reading with this lower bound.
    #[must_use]
    pub fn over(self, floor: f64) -> Self {
        Self { floor, ..self }
    }
}

type Trial = Box<dyn Fn(&[f64], Random) -> Vec<Reading> + Send + Sync>;

/// Row of an experiment's table: one method on one problem, the points of the axis, the number of seeds, and claims about the
/// measurements.
pub struct Row {
    pub(crate) label: String,
    pub(crate) axis: Vec<f64>,
    pub(crate) seeds: u32,
    /// Whether a single run per seed yields the measurements at all points of the axis; otherwise each point has its own run.
    pub(crate) path: bool,
    pub(crate) trial: Trial,
    pub(crate) claims: Vec<Claim>,
    pub(crate) planted: bool,
    /// Whether the upper bounds are certificates (bounds computed from each run alone), which are plotted against the true values.
    pub(crate) certificate: bool,
}

impl Row {
    /// Creates a row with a separate run for each point of the axis, for instance runs of T steps on problems that depend on T.
    pub fn points<T>(label: impl Into<String>, axis: &[f64], trial: T) -> Self
    where
        T: Fn(f64, Random) -> Reading + Send + Sync + 'static,
    {
        let each = move |axis: &[f64], random: Random| axis.iter().map(|&x| trial(x, random.clone())).collect();
        Self::new(label.into(), axis, false, Box::new(each))
    }

    /// Creates a row with one run per seed that yields the measurements at all points of the axis, for instance after various
    /// numbers of steps.
    pub fn path<T>(label: impl Into<String>, axis: &[f64], trial: T) -> Self
    where
        T: Fn(&[f64], Random) -> Vec<Reading> + Send + Sync + 'static,
    {
        Self::new(label.into(), axis, true, Box::new(trial))
    }

    fn new(label: String, axis: &[f64], path: bool, trial: Trial) -> Self {
        assert!(!axis.is_empty(), "an axis with a point");
        let (axis, claims) = (axis.to_vec(), Vec::new());
        Self { label, axis, seeds: 1, path, trial, claims, planted: false, certificate: false }
    }

    /// Sets the number of seeds, that is the number of independent repetitions of every run.
    #[must_use]
    pub fn seeds(self, seeds: u32) -> Self {
        Self { seeds, ..self }
    }

    /// Adds a claim about the measurements of the row.
    #[must_use]
    pub fn claim(mut self, claim: Claim) -> Self {
        self.claims.push(claim);
        self
    }

    /// Marks the row as containing a planted error (a deliberate mistake), so that each of its claims must fail.
    #[must_use]
    pub fn planted(self) -> Self {
        Self { planted: true, ..self }
    }

    /// Marks the upper bounds of the row as certificates, that is bounds computed from each run alone.
    #[must_use]
    pub fn certificate(self) -> Self {
        Self { certificate: true, ..self }
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { label, axis, seeds, claims, planted, .. } = self;
        write!(f, "Row {{ {label:?}, axis {axis:?}, {seeds} seeds, {claims:?}, planted {planted} }}")
    }
}

/// Experiment: a table whose rows test one statement of the theory.
#[derive(Debug)]
pub struct Experiment {
    /// Name of the experiment, from `V1` to `V21`.
    pub name: &'static str,
    /// Short title of the experiment.
    pub title: &'static str,
    /// Description of the experiment: the theorem tested, the expected result, and differences found.
    pub about: &'static str,
    /// Name of the horizontal axis.
    pub axis: &'static str,
    /// Name of the measured quantity.
    pub measured: &'static str,
    /// Name of the upper bound.
    pub bound: &'static str,
    /// Rows of the experiment.
    pub rows: Vec<Row>,
}
