//! The results of all experiments as one HTML page.

use std::fmt::Write;

use super::text::{allowed, measured, verdict};
use super::{Report, Section, figures};
use surefoot_plot::escaped;

const STYLE: &str = "\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; border-top: 1px solid #ccc; padding-top: 1rem; }
svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: .85rem; width: 100%; margin: .5rem 0; }
th, td { text-align: left; padding: .15rem .6rem .15rem 0; border-bottom: 1px solid #e4e4e4; }
tr.planted { color: #777; } tr.failed td { background: #fbdcd3; color: #8a1c00; font-weight: bold; }
nav a { margin-right: .6rem; } .verdict { font-weight: bold; }
";

pub(super) fn html(report: &Report) -> String {
    let (all, failed) = report.counts();
    let verdict =
        if failed == 0 { format!("All {all} checks hold.") } else { format!("{failed} of {all} checks fail.") };
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Theory against numbers</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Theory against numbers</h1>\n\
         <p class=\"verdict\">{verdict}</p>\n\
         <p>Each section holds a statement of the theory against measurement. Lines in plots are means over seeds with 95 % \
         intervals; dashed lines are bounds, dotted ones what no method can beat. A row with a planted error repeats a row \
         with one mistake in it, and its checks must fail: they show that the others can. Seed {}.</p>\n<nav>",
        report.seed
    );
    for section in &report.sections {
        let _ = write!(page, "<a href=\"#{0}\">{0}</a>", section.name);
    }
    page += "</nav>\n";
    let figures = figures::all(report);
    for (_, figure) in figures.iter().filter(|(name, _)| !name.starts_with('v')) {
        let _ = writeln!(page, "<figure>{}</figure>", figure.svg());
    }
    for section in &report.sections {
        let own = figures.iter().find(|(name, _)| *name == section.name.to_lowercase());
        let picture = own.map_or_else(String::new, |(_, figure)| format!("<figure>{}</figure>\n", figure.svg()));
        page += &part(section, &picture);
    }
    page += "</body>\n</html>\n";
    page
}

fn part(section: &Section, picture: &str) -> String {
    let (name, title, about) = (section.name, escaped(section.title), escaped(section.about));
    let mut part = format!("<section id=\"{name}\">\n<h2>{name} {title}</h2>\n<p>{about}</p>\n{picture}");
    part += "<table>\n<tr><th>row</th><th>check</th><th>measured</th><th>allowed</th><th>verdict</th></tr>\n";
    for (finding, check) in section.checks() {
        let class = match (check.passes(), check.planted) {
            (false, _) => "failed",
            (true, true) => "planted",
            (true, false) => "right",
        };
        let label = if finding.planted { format!("planted: {}", finding.label) } else { finding.label.clone() };
        let cells = [label, check.what.clone(), measured(check), allowed(check), verdict(check).to_owned()];
        let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        let _ = writeln!(part, "<tr class=\"{class}\">{cells}</tr>");
    }
    part += "</table>\n</section>\n";
    part
}
