//! Tests of the output formats of a report: text, CSV and HTML.

use surefoot_lab::{Claim, Experiment, Lab, Reading, Report, Row};

fn report() -> Report {
    let row = |label: &str, power: f64| {
        let slope = Claim::Slope { from: 0.0, least: -1.1, most: -0.9 };
        Row::points(label, &[1.0, 10.0, 100.0], move |x, mut random| {
            Reading::of(x.powf(power) * (1.0 + 0.01 * random.unit())).under(2.0 / x).over(0.5 / x)
        })
        .seeds(20)
        .claim(slope)
    };
    let rows = vec![
        row("one, \"1/x\" & <more>", -1.0).claim(Claim::Bounded).claim(Claim::Coverage { delta: 0.1 }).certificate(),
        row("two", -0.5),
        row("three", -0.5).planted(),
    ];
    let (title, about) = ("A title & more", "What <it> is about.");
    let experiment = Experiment { name: "V0", title, about, axis: "x", measured: "y", bound: "2/x", rows };
    Lab::new(vec![experiment], 3).run(2, |_| {})
}

/// Splits a line of CSV into fields, and removes the quotes around them.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().expect("a field").push(c),
        }
    }
    fields
}

#[test]
fn verdicts() {
    let report = report();
    assert_eq!(report.counts(), (5, 1));
    assert!(!report.passes());
    let table = report.table();
    let verdicts: Vec<_> = table.lines().filter_map(|line| line.rsplit("  ").next()).collect();
    assert_eq!(verdicts, ["A title & more", "holds", "holds", "holds", "FAILS", "found out", "5 checks, 1 failed"]);
}

#[test]
fn numbers_as_csv_read_back() {
    let report = report();
    let (checks, points) = (report.checks_csv(), report.points_csv());
    assert_eq!((checks.lines().count(), points.lines().count()), (6, 10));
    for text in [&checks, &points] {
        let width = fields(text.lines().next().expect("a head")).len();
        assert!(text.lines().all(|line| fields(line).len() == width), "{text}");
    }
    let first = fields(points.lines().nth(1).expect("a point"));
    let point = report.sections[0].findings[0].points[0];
    let numbers: Vec<f64> = first[4..].iter().map(|x| x.parse().expect("a number")).collect();
    assert_eq!(numbers, [point.x, point.measured, point.error, point.bound, point.floor]);
    let bounded = fields(checks.lines().nth(2).expect("a check"));
    assert_eq!((bounded[6].as_str(), bounded[8].as_str()), ("", "true"), "no least value");
}

/// The HTML page is self-contained (no scripts, no references to other files), its tags are balanced, and texts are
/// escaped.
#[test]
fn the_page_is_whole() {
    let page = report().html();
    for outside in ["src=", "href=\"http", "@import", "url(", "<script", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("&quot;1/x&quot; &amp; &lt;more&gt;") && !page.contains("<more>") && !page.contains("<it>"));
    assert_eq!(page.matches("<svg").count(), report().figures().len());
    assert_eq!(page.matches("<tr class=\"failed\"").count(), 1);
    for tag in ["figure", "table", "section", "tr", "td", "p", "svg", "text"] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn figures_are_drawn() {
    let figures = report().figures();
    let names: Vec<_> = figures.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["slopes", "certificates", "coverage", "v0"]);
    for (name, figure) in figures {
        let svg = figure.svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{name}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
}
