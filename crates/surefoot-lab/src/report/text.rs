//! The table of checks for a terminal, and the text format of numbers and intervals.

use std::fmt::Write;

use super::Report;
use crate::claim::Check;

/// Widths in characters of the columns for row, check, measured value and allowed range.
const WIDTHS: [usize; 4] = [42, 26, 17, 20];

pub(super) fn table(report: &Report) -> String {
    let mut text = String::new();
    for section in &report.sections {
        let _ = writeln!(text, "{}  {}", section.name, section.title);
        for (finding, check) in section.checks() {
            let row = if finding.planted { format!("planted: {}", finding.label) } else { finding.label.clone() };
            let cells = [row, check.what.clone(), measured(check), allowed(check)];
            let line: String = cells.iter().zip(WIDTHS).map(|(cell, width)| padded(cell, width)).collect();
            let _ = writeln!(text, "  {line}{}", verdict(check));
        }
    }
    let (all, failed) = report.counts();
    let _ = writeln!(text, "{all} checks, {failed} failed");
    text
}

/// Pads a cell with blanks to a width; at least two blanks follow the text.
fn padded(cell: &str, width: usize) -> String {
    format!("{cell}{}", " ".repeat(width.saturating_sub(cell.chars().count()).max(2)))
}

pub(super) fn measured(check: &Check) -> String {
    let value = number(check.measured);
    if check.error > 0.0 { format!("{value} ± {}", number(1.96 * check.error)) } else { value }
}

pub(super) fn allowed(check: &Check) -> String {
    let (least, most) = (number(check.least), number(check.most));
    match (check.planted, check.least.is_finite(), check.most.is_finite()) {
        (false, true, true) => format!("{least} to {most}"),
        (false, true, false) => format!("≥ {least}"),
        (false, false, _) => format!("≤ {most}"),
        (true, true, true) => format!("not {least} to {most}"),
        (true, true, false) => format!("< {least}"),
        (true, false, _) => format!("> {most}"),
    }
}

pub(super) fn verdict(check: &Check) -> &'static str {
    match (check.passes(), check.planted) {
        (true, false) => "holds",
        (true, true) => "found out",
        (false, false) => "FAILS",
        (false, true) => "NOT FOUND OUT",
    }
}

/// Formats a number with four significant digits, without trailing zeros.
pub(super) fn number(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    if !(1e-3..1e5).contains(&x.abs()) {
        return format!("{x:.2e}");
    }
    let decimals = (3 - x.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let cases = [
            (0.0, "0"),
            (-1.9403, "-1.94"),
            (0.27871, "0.2787"),
            (1.0, "1"),
            (1.000_000_001, "1"),
            (12345.6, "12346"),
            (1e-9, "1.00e-9"),
            (0.00145, "0.00145"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
    }

    #[test]
    fn cells_never_touch() {
        assert_eq!(padded("abc", 6), "abc   ");
        assert_eq!(padded("±±±±±±", 6), "±±±±±±  ");
    }
}
