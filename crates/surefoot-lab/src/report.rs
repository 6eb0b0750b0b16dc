//! Results of a run of all experiments: numbers, verdicts, and their output formats.

mod claims;
mod csv;
mod figures;
mod page;
mod text;

use crate::claim::Check;
use surefoot_plot::Figure;

/// Means over seeds of the readings (measurements with bounds) of a row of an experiment, at one point of its axis.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Position x of the point on the axis.
    pub x: f64,
    /// Mean of the readings over seeds.
    pub measured: f64,
    /// Standard error of the mean; 0 if there is one seed.
    pub error: f64,
    /// Mean over seeds of the upper bound from theory; NaN if there is none.
    pub bound: f64,
    /// Mean over seeds of the lower bound that holds for any method; NaN if there is none.
    pub floor: f64,
}

/// Result of one row of an experiment: the mean measurements and the checked claims.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Label of the row, which describes the method and the problem.
    pub label: String,
    /// Whether the row contains a planted error (a deliberate mistake), so that its claims are expected to fail.
    pub planted: bool,
    /// Whether the upper bounds of the row are certificates, that is bounds computed from each run alone.
    pub certificate: bool,
    /// Number of seeds, that is of independent runs.
    pub seeds: u32,
    /// Mean measurements at each point of the axis.
    pub points: Vec<Point>,
    /// Results of checking the claims made about the row.
    pub checks: Vec<Check>,
}

/// Results of one experiment, with its texts.
#[derive(Clone, Debug)]
pub struct Section {
    /// Name of the experiment, such as `V1`.
    pub name: &'static str,
    /// Short title of the experiment.
    pub title: &'static str,
    /// Description of the experiment: the theorem tested, the expected result, and differences found.
    pub about: &'static str,
    /// Name of the horizontal axis, such as `T`.
    pub axis: &'static str,
    /// Name of the measured quantity.
    pub measured: &'static str,
    /// Name of the upper bound.
    pub bound: &'static str,
    /// Results of the rows, in the order of the experiment's table.
    pub findings: Vec<Finding>,
}

impl Section {
    /// Iterates over all checks, each with the row to which it belongs.
    pub fn checks(&self) -> impl Iterator<Item = (&Finding, &Check)> {
        self.findings.iter().flat_map(|finding| finding.checks.iter().map(move |check| (finding, check)))
    }
}

/// Results of a run of all experiments.
#[derive(Clone, Debug)]
pub struct Report {
    /// Seed that determines all random numbers of the run.
    pub seed: u64,
    /// Results of the experiments, in order.
    pub sections: Vec<Section>,
}

impl Report {
    /// Returns the number of all checks, and the number of those with an unexpected outcome.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let checks = self.sections.iter().flat_map(Section::checks);
        checks.fold((0, 0), |(all, failed), (_, check)| (all + 1, failed + usize::from(!check.passes())))
    }

    /// Whether all checks have the expected outcome: claims hold, or fail in rows with a planted error.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.counts().1 == 0
    }

    /// Formats the results of all checks as a text table for a terminal.
    #[must_use]
    pub fn table(&self) -> String {
        text::table(self)
    }

    /// Formats the results of all checks as CSV.
    #[must_use]
    pub fn checks_csv(&self) -> String {
        csv::checks(self)
    }

    /// Formats the mean measurements at all points as CSV.
    #[must_use]
    pub fn points_csv(&self) -> String {
        csv::points(self)
    }

    /// Draws the plots of all experiments, and returns each with a file name without extension.
    #[must_use]
    pub fn figures(&self) -> Vec<(String, Figure)> {
        figures::all(self)
    }

    /// Formats the statements of the paper (Cutkosky 2019) with the results of their checks as Markdown; statements that this run
    /// did not test are omitted.
    #[must_use]
    pub fn claims(&self) -> String {
        claims::markdown(self)
    }

    /// Formats all results as one self-contained HTML page.
    #[must_use]
    pub fn html(&self) -> String {
        page::html(self)
    }
}
