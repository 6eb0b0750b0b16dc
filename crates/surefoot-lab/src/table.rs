//! Experiments as data: what is run over which range, and what is claimed of the numbers.

use std::fmt;

use crate::{Claim, Random};

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All experiments in less than a minute: shorter ranges, fewer seeds, the same claims.
    Short,
    /// The ranges and seeds that the claims were made for.
    Full,
}

impl Form {
    /// The first for the short form, the second for the full one.
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
    /// The quantity that claims are about: an excess, an error, a ratio.
    pub measured: f64,
    /// Upper bound by theory; NaN if there is none.
    pub bound: f64,
    /// Lower bound for any method; NaN if none is known.
    pub floor: f64,
}

impl Reading {
    /// A number alone.
    #[must_use]
    pub fn of(measured: f64) -> Self {
        Self { measured, bound: f64::NAN, floor: f64::NAN }
    }

    /// With a bound.
    #[must_use]
    pub fn under(self, bound: f64) -> Self {
        Self { bound, ..self }
    }

    /// The reading over its bound. There is nothing under a bound that is not there, and little under a negative one.
    pub(crate) fn ratio(&self) -> f64 {
        match (self.bound > 0.0, self.measured <= self.bound) {
            (true, _) => self.measured / self.bound,
            (false, true) => 0.0,
            (false, false) => f64::INFINITY,
        }
    }

    /// With a lower bound.
    #[must_use]
    pub fn over(self, floor: f64) -> Self {
        Self { floor, ..self }
    }
}

type Trial = Box<dyn Fn(&[f64], Random) -> Vec<Reading> + Send + Sync>;

/// A row of the table: one method on one problem, a range, seeds, and claims.
pub struct Row {
    pub(crate) label: String,
    pub(crate) axis: Vec<f64>,
    pub(crate) seeds: u32,
    /// Whether one run serves the whole axis, or each point has runs of its own.
    pub(crate) path: bool,
    pub(crate) trial: Trial,
    pub(crate) claims: Vec<Claim>,
    pub(crate) planted: bool,
    /// Whether bounds are certificates of single runs, to be shown against the truth.
    pub(crate) certificate: bool,
}

impl Row {
    /// A row whose points are runs of their own, such as problems made for T steps.
    pub fn points<T>(label: impl Into<String>, axis: &[f64], trial: T) -> Self
    where
        T: Fn(f64, Random) -> Reading + Send + Sync + 'static,
    {
        let each = move |axis: &[f64], random: Random| axis.iter().map(|&x| trial(x, random.clone())).collect();
        Self::new(label.into(), axis, false, Box::new(each))
    }

    /// A row whose runs pass all points of the axis, such as checkpoints.
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

    /// Repeats every run with so many seeds.
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

    /// Says that the row has an error in it, planted to see each of its claims fail.
    #[must_use]
    pub fn planted(self) -> Self {
        Self { planted: true, ..self }
    }

    /// Says that the bounds are certificates of single runs.
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

/// A group of rows that belong to one statement of the theory.
#[derive(Debug)]
pub struct Experiment {
    /// `V1` … `V21`.
    pub name: &'static str,
    /// Short title.
    pub title: &'static str,
    /// The statement of theory, the expectation, and differences found.
    pub about: &'static str,
    /// Name of the axis.
    pub axis: &'static str,
    /// Name of the measured quantity.
    pub measured: &'static str,
    /// Name of the bound.
    pub bound: &'static str,
    /// The table.
    pub rows: Vec<Row>,
}
