//! CSV output of the numbers, each as the shortest decimal that is read back as the same value.

use std::fmt::Write;

use super::Report;

pub(super) fn checks(report: &Report) -> String {
    let mut text = "experiment,row,planted,check,measured,error,least,most,holds,passes\n".to_owned();
    for section in &report.sections {
        for (finding, check) in section.checks() {
            let numbers = [check.measured, check.error, check.least, check.most].map(number).join(",");
            let (row, what) = (quoted(&finding.label), quoted(&check.what));
            let (name, planted) = (section.name, finding.planted);
            let _ = writeln!(text, "{name},{row},{planted},{what},{numbers},{},{}", check.holds(), check.passes());
        }
    }
    text
}

pub(super) fn points(report: &Report) -> String {
    let mut text = "experiment,row,planted,seeds,x,measured,error,bound,floor\n".to_owned();
    for section in &report.sections {
        for finding in &section.findings {
            let row = format!("{},{},{},{}", section.name, quoted(&finding.label), finding.planted, finding.seeds);
            for point in &finding.points {
                let numbers = [point.x, point.measured, point.error, point.bound, point.floor].map(number).join(",");
                let _ = writeln!(text, "{row},{numbers}");
            }
        }
    }
    text
}

/// Formats a number as a CSV cell, which is empty for infinity (no limit) and NaN.
fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { String::new() }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
