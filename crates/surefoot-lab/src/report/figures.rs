//! The plots of a report: one per experiment, and three about all experiments.

use super::{Finding, Point, Report, Section};
use crate::claim::{Check, Claim};
use surefoot_plot::{Figure, Scale, Series, Style};

/// Draws all plots, and returns each with its file name without extension.
pub(super) fn all(report: &Report) -> Vec<(String, Figure)> {
    let overviews =
        [("slopes", slopes(report)), ("certificates", certificates(report)), ("coverage", coverage(report))];
    let overviews = overviews.into_iter().filter(|(_, figure)| !figure.series.is_empty());
    let own = report.sections.iter().map(|section| (section.name.to_lowercase(), experiment(section)));
    overviews.map(|(name, figure)| (name.to_owned(), figure)).chain(own).collect()
}

/// Draws the mean measurements of an experiment and their bounds along its axis. The legend has one entry for all upper bounds and one for
/// all lower bounds; each is drawn in the colour of its row.
fn experiment(section: &Section) -> Figure {
    let (mut measured, mut bounds, mut floors) = (Vec::new(), Vec::new(), Vec::new());
    // If some rows hold certificates of runs, the others are in other units.
    let certificates = section.findings.iter().any(|finding| finding.certificate);
    let shown = |finding: &&Finding| !finding.planted && (finding.certificate || !certificates);
    for (colour, finding) in section.findings.iter().filter(shown).enumerate() {
        let curve = |style, label: &str, of: fn(&Point) -> (f64, f64)| {
            let points = finding.points.iter().map(|point| (point.x, of(point).0, of(point).1));
            let points = points.filter(|point| point.1.is_finite()).collect();
            Series { label: label.to_owned(), style, colour, points }
        };
        measured.push(curve(Style::Measured, &finding.label, |p| (p.measured, 1.96 * p.error)));
        bounds.push(curve(Style::Bound, section.bound, |p| (p.bound, 0.0)));
        floors.push(curve(Style::Floor, "what no method can beat", |p| (p.floor, 0.0)));
    }
    let series = [measured, labelled_once(bounds), labelled_once(floors)].concat();
    let (x, y) = ((section.axis.to_owned(), Scale::Log), (section.measured.to_owned(), Scale::Log));
    Figure { title: format!("{}  {}", section.name, section.title), x, y, series, ..Figure::default() }
}

/// Removes series without points, and the labels of all series except the first, so that the legend has a single entry for them.
fn labelled_once(series: Vec<Series>) -> Vec<Series> {
    let mut series: Vec<_> = series.into_iter().filter(|series| !series.points.is_empty()).collect();
    series.iter_mut().skip(1).for_each(|series| series.label.clear());
    series
}

/// Draws a plot with one line per check: the measured value and the interval that its claim allows.
fn intervals(title: &str, x: &str, checks: Vec<(String, Check)>) -> Figure {
    let (mut names, mut allowed, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let last = checks.len();
    for (i, (name, check)) in checks.into_iter().enumerate() {
        let y = (last - i) as f64;
        names.push((y, name));
        // An interval open on one side is drawn as a stub.
        let stub = 0.05 * (1.0 + check.measured.abs());
        let low = if check.least.is_finite() { check.least } else { check.measured.min(check.most) - stub };
        let high = if check.most.is_finite() { check.most } else { check.measured.max(check.least) + stub };
        let line = |points| Series { label: String::new(), style: Style::Allowed, colour: 2, points };
        allowed.push(line(vec![(low, y, 0.0), (high, y, 0.0)]));
        let bar = [check.measured - 1.96 * check.error, check.measured + 1.96 * check.error];
        let bar = bar.map(|x| (x, y, 0.0)).to_vec();
        found.push(Series { label: String::new(), style: Style::Line, colour: 0, points: bar });
        let dot = vec![(check.measured, y, 0.0)];
        found.push(Series { label: String::new(), style: Style::Dots, colour: 0, points: dot });
    }
    let label = |mut series: Vec<Series>, at: usize, text: &str| {
        if let Some(series) = series.get_mut(at) {
            text.clone_into(&mut series.label);
        }
        series
    };
    let series = [label(allowed, 0, "allowed"), label(found, 1, "measured, 95 % interval")].concat();
    let y = (String::new(), Scale::Linear);
    let (title, x) = (title.to_owned(), (x.to_owned(), Scale::Linear));
    Figure { title, x, y, names, series, ..Figure::default() }
}

/// Returns the checks whose names begin with `begin`, with labels, without those of rows with a planted error.
fn chosen(report: &Report, begin: &str) -> Vec<(String, Check)> {
    let each = report.sections.iter().flat_map(|section| section.checks().map(move |(f, c)| (section, f, c)));
    let right = each.filter(|(_, finding, check)| !finding.planted && check.what.starts_with(begin));
    right.map(|(section, finding, check)| (format!("{} {}", section.name, finding.label), check.clone())).collect()
}

fn slopes(report: &Report) -> Figure {
    intervals("Slopes in log-log, and what is allowed", "slope", chosen(report, Claim::SLOPE))
}

fn coverage(report: &Report) -> Figure {
    let title = "Shares of runs above their bounds, and what is allowed";
    intervals(title, "share of runs", chosen(report, Claim::COVERAGE))
}

/// Draws certificates (bounds computed from a run) against the true excess loss, for all experiment rows that have certificates.
fn certificates(report: &Report) -> Figure {
    let each = report.sections.iter().flat_map(|section| section.findings.iter().map(move |f| (section, f)));
    let right: Vec<_> = each.filter(|(_, finding)| finding.certificate && !finding.planted).collect();
    let mut series: Vec<_> =
        right.iter().enumerate().map(|(i, (section, finding))| dots(section, finding, i)).collect();
    let truths = series.iter().flat_map(|s| &s.points).map(|p| p.0).filter(|x| *x > 0.0);
    let (low, high) = truths.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
    if low < high {
        let points = [low, high].map(|x| (x, x, 0.0)).to_vec();
        series.push(Series { label: "certificate = truth".to_owned(), style: Style::Floor, colour: 6, points });
    }
    let (x, y) = (("true excess".to_owned(), Scale::Log), ("certificate".to_owned(), Scale::Log));
    Figure { title: "Certificates against the truth".to_owned(), x, y, series, ..Figure::default() }
}

fn dots(section: &Section, finding: &Finding, colour: usize) -> Series {
    let points = finding.points.iter().map(|point| (point.measured, point.bound, 0.0)).collect();
    Series { label: format!("{} {}", section.name, finding.label), style: Style::Dots, colour, points }
}
