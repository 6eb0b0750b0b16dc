//! Results of a run of the lab: numbers, verdicts, and their output formats.

mod claims;
mod csv;
mod figures;
mod page;
mod text;

use crate::claim::Check;
use surefoot_plot::Figure;

/// Means of a row over its seeds, at one point of its axis.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Position on the axis.
    pub x: f64,
    /// Mean reading over seeds.
    pub measured: f64,
    /// Standard error of the mean reading; 0 for one seed.
    pub error: f64,
    /// Mean bound; NaN if there is none.
    pub bound: f64,
    /// Mean floor; NaN if there is none.
    pub floor: f64,
}

/// Result of one row.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Label of the row.
    pub label: String,
    /// Whether the row has a planted error.
    pub planted: bool,
    /// Whether the bounds of the row are certificates of single runs.
    pub certificate: bool,
    /// Number of seeds.
    pub seeds: u32,
    /// Means at the points of the axis.
    pub points: Vec<Point>,
    /// Outcomes of the row's claims.
    pub checks: Vec<Check>,
}

/// Result of one experiment.
#[derive(Clone, Debug)]
pub struct Section {
    /// Name of the experiment, such as `V1`.
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
    /// Results of the rows.
    pub findings: Vec<Finding>,
}

impl Section {
    /// Returns all checks with the rows that they concern.
    pub fn checks(&self) -> impl Iterator<Item = (&Finding, &Check)> {
        self.findings.iter().flat_map(|finding| finding.checks.iter().map(move |check| (finding, check)))
    }
}

/// Results of one run of the lab.
#[derive(Clone, Debug)]
pub struct Report {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Results of the experiments, one section each.
    pub sections: Vec<Section>,
}

impl Report {
    /// Returns the number of checks, and the number of those with an unexpected outcome.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let checks = self.sections.iter().flat_map(Section::checks);
        checks.fold((0, 0), |(all, failed), (_, check)| (all + 1, failed + usize::from(!check.passes())))
    }

    /// Whether all checks had the expected outcome.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.counts().1 == 0
    }

    /// Returns the table of checks for a terminal.
    #[must_use]
    pub fn table(&self) -> String {
        text::table(self)
    }

    /// Returns all checks as CSV.
    #[must_use]
    pub fn checks_csv(&self) -> String {
        csv::checks(self)
    }

    /// Returns all points as CSV.
    #[must_use]
    pub fn points_csv(&self) -> String {
        csv::points(self)
    }

    /// Returns the plots, each with a suitable file name without extension.
    #[must_use]
    pub fn figures(&self) -> Vec<(String, Figure)> {
        figures::all(self)
    }

    /// Returns the statements of the paper with the checks of each, as Markdown; statements that no experiment of this run concerns are
    /// omitted.
    #[must_use]
    pub fn claims(&self) -> String {
        claims::markdown(self)
    }

    /// Returns the whole report as one HTML page, which opens without a network.
    #[must_use]
    pub fn html(&self) -> String {
        page::html(self)
    }
}
