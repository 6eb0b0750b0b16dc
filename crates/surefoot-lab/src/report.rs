//! Results of a run of the lab: numbers, verdicts, and their output formats.

mod claims;
mod csv;
mod figures;
mod page;
mod text;

use crate::claim::Check;
use surefoot_plot::Figure;

/// The means of a row at one point of its axis.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The point.
    pub x: f64,
    /// The mean over seeds.
    pub measured: f64,
    /// Its standard error; 0 for one seed.
    pub error: f64,
    /// The mean bound; NaN if there is none.
    pub bound: f64,
    /// The mean floor; NaN if there is none.
    pub floor: f64,
}

/// Result of one row.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The row's label.
    pub label: String,
    /// Whether the row has a planted error.
    pub planted: bool,
    /// Whether its bounds are certificates of single runs.
    pub certificate: bool,
    /// The number of seeds.
    pub seeds: u32,
    /// Means along the axis.
    pub points: Vec<Point>,
    /// The row's claims.
    pub checks: Vec<Check>,
}

/// Result of one experiment.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name.
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
    /// Its rows.
    pub findings: Vec<Finding>,
}

impl Section {
    /// All checks with the rows that they are about.
    pub fn checks(&self) -> impl Iterator<Item = (&Finding, &Check)> {
        self.findings.iter().flat_map(|finding| finding.checks.iter().map(move |check| (finding, check)))
    }
}

/// Results of one run of the lab.
#[derive(Clone, Debug)]
pub struct Report {
    /// The seed of all random numbers.
    pub seed: u64,
    /// One section for each experiment.
    pub sections: Vec<Section>,
}

impl Report {
    /// The number of checks, and how many of them did not come out as they should.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let checks = self.sections.iter().flat_map(Section::checks);
        checks.fold((0, 0), |(all, failed), (_, check)| (all + 1, failed + usize::from(!check.passes())))
    }

    /// Whether all checks came out as they should.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.counts().1 == 0
    }

    /// The table of checks for a terminal.
    #[must_use]
    pub fn table(&self) -> String {
        text::table(self)
    }

    /// All checks as CSV.
    #[must_use]
    pub fn checks_csv(&self) -> String {
        csv::checks(self)
    }

    /// All points as CSV.
    #[must_use]
    pub fn points_csv(&self) -> String {
        csv::points(self)
    }

    /// The plots, each with the name that a file of it should have.
    #[must_use]
    pub fn figures(&self) -> Vec<(String, Figure)> {
        figures::all(self)
    }

    /// The statements of the paper with the checks of each, as Markdown; those that no experiment of this run is about are left
    /// out.
    #[must_use]
    pub fn claims(&self) -> String {
        claims::markdown(self)
    }

    /// One page of HTML with everything in it, to be opened without a network.
    #[must_use]
    pub fn html(&self) -> String {
        page::html(self)
    }
}
