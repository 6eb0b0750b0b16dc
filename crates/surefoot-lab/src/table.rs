//! Experiments as data: the runs, their ranges, and the claims made of the numbers.

use std::fmt;

use crate::{Claim, Random};

/// Extent of the experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All experiments in less than a minute: shorter ranges, fewer seeds, the same claims.
    Short,
    /// The ranges and numbers of seeds for which the claims were made.
    Full,
}

impl Form {
    /// Returns `short` for the short form and `full` for the full one.
    pub(crate) fn pick<T>(self, short: T, full: T) -> T {
        match self {
            Form::Short => short,
            Form::Full => full,
        }
    }
}

/// Measurement of one run at one point of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Quantity that the claims are about: an excess, an error or a ratio.
    pub measured: f64,
    /// Upper bound by theory; NaN if there is none.
    pub bound: f64,
    /// Lower bound for any method; NaN if none is known.
    pub floor: f64,
}

impl Reading {
    /// Creates a reading without bounds.
    #[must_use]
    pub fn of(measured: f64) -> Self {
        Self { measured, bound: f64::NAN, floor: f64::NAN }
    }

    /// Sets the upper bound.
    #[must_use]
    pub fn under(self, bound: f64) -> Self {
        Self { bound, ..self }
    }

    /// Returns the reading divided by its bound: ∞ if the bound is NaN, or if it is not positive and exceeded; 0 if it is not positive but kept.
    pub(crate) fn ratio(&self) -> f64 {
        match (self.bound > 0.0, self.measured <= self.bound) {
            (true, _) => self.measured / self.bound,
            (false, true) => 0.0,
            (false, false) => f64::INFINITY,
        }
    }

    /// Sets the lower bound.
    #[must_use]
    pub fn over(self, floor: f64) -> Self {
        Self { floor, ..self }
    }
}

type Trial = Box<dyn Fn(&[f64], Random) -> Vec<Reading> + Send + Sync>;

/// Row of an experiment: one method on one problem, a range, a number of seeds, and claims.
pub struct Row {
    pub(crate) label: String,
    pub(crate) axis: Vec<f64>,
    pub(crate) seeds: u32,
    /// Whether one run serves the whole axis; otherwise each point has runs of its own.
    pub(crate) path: bool,
    pub(crate) trial: Trial,
    pub(crate) claims: Vec<Claim>,
    pub(crate) planted: bool,
    /// Whether the bounds are certificates of single runs, to be plotted against the truth.
    pub(crate) certificate: bool,
}

impl Row {
    /// Creates a row whose points are separate runs, such as problems made for T steps.
    pub fn points<T>(label: impl Into<String>, axis: &[f64], trial: T) -> Self
    where
        T: Fn(f64, Random) -> Reading + Send + Sync + 'static,
    {
        let each = move |axis: &[f64], random: Random| axis.iter().map(|&x| trial(x, random.clone())).collect();
        Self::new(label.into(), axis, false, Box::new(each))
    }

    /// Creates a row whose runs pass through all points of the axis, such as checkpoints.
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

    /// Sets the number of seeds with which every run is repeated.
    #[must_use]
    pub fn seeds(self, seeds: u32) -> Self {
        Self { seeds, ..self }
    }

    /// Adds a claim.
    #[must_use]
    pub fn claim(mut self, claim: Claim) -> Self {
        self.claims.push(claim);
        self
    }

    /// Marks the row as having a planted error, so that each of its claims must fail.
    #[must_use]
    pub fn planted(self) -> Self {
        Self { planted: true, ..self }
    }

    /// Marks the bounds as certificates of single runs.
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

/// Group of rows that belong to one statement of the theory.
#[derive(Debug)]
pub struct Experiment {
    /// Name of the experiment, `V1` … `V21`.
    pub name: &'static str,
    /// Short title of the experiment.
    pub title: &'static str,
    /// Description: the statement of theory, the expectation, and differences found.
    pub about: &'static str,
    /// Name of the axis.
    pub axis: &'static str,
    /// Name of the measured quantity.
    pub measured: &'static str,
    /// Name of the bound.
    pub bound: &'static str,
    /// Rows of the experiment.
    pub rows: Vec<Row>,
}
