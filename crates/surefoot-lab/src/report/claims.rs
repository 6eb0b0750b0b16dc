//! The statements of the paper (Cutkosky 2019) with the results of their checks, as Markdown.

use std::fmt::Write;

use super::text::{allowed, measured, verdict};
use super::{Finding, Report, Section};
use crate::claim::Check;
use crate::paper::{PAPER, Statement};

pub(super) fn markdown(report: &Report) -> String {
    let mut text = format!(
        "# The paper, claim by claim\n\n\
         Every statement of arXiv 1903.00974 and of the theorems that strengthen it (see `surefoot::bound`), the experiments of \
         `surefoot lab` that hold it against numbers, and what came out. A row is an experiment and one of its rows; *measured ÷ bound* \
         is the largest ratio at any T, a slope that of ln(mean) over ln(T) with its 95 % interval. A row with a *planted* error \
         repeats others with one mistake in it, and its check must fail, which shows that it can. Tests are those of `crates/surefoot` \
         for the same statement.\n\n\
         Written by `surefoot lab` as `claims.md`; this is seed {}. The file in `docs` is that of `surefoot lab --short`, and a \
         test compares it with what the code gives.\n\n\
         | statement | row | check | measured | allowed | |\n| --- | --- | --- | --- | --- | --- |\n",
        report.seed
    );
    for statement in PAPER {
        let checks: Vec<_> = found(report, statement).collect();
        if checks.is_empty() {
            continue;
        }
        let mut head = format!("**{}** {}", statement.place, statement.says);
        for (section, finding, check) in checks {
            let planted = if finding.planted { "planted: " } else { "" };
            let row = format!("{} {planted}{}", section.name, finding.label);
            let cells =
                [head.clone(), row, check.what.clone(), measured(check), allowed(check), verdict(check).to_owned()];
            let _ = writeln!(text, "| {} |", cells.join(" | "));
            head.clear();
        }
        for (file, name) in statement.tests {
            let _ = writeln!(text, "| | test `{file}.rs` | `{name}` | | | |");
        }
    }
    text
}

/// Returns the results of the checks of a statement of the paper: those of its experiment rows, then those of its rows
/// with a planted error.
fn found<'a>(
    report: &'a Report,
    statement: &'static Statement,
) -> impl Iterator<Item = (&'a Section, &'a Finding, &'a Check)> {
    let chosen = [(false, statement.rows), (true, statement.errors)].into_iter();
    let chosen = chosen.flat_map(|(planted, rows)| rows.iter().map(move |(name, begin)| (planted, *name, *begin)));
    chosen.flat_map(move |(planted, name, begin)| {
        let sections = report.sections.iter().filter(move |section| section.name == name);
        sections
            .flat_map(|section| section.checks().map(move |(finding, check)| (section, finding, check)))
            .filter(move |(_, finding, _)| finding.planted == planted && finding.label.starts_with(begin))
    })
}
