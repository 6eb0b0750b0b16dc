//! The cards (panels) of the HTML report about the course of training: losses, lanes (learners trained side by side) and certificates.

use super::html::{Card, SIZE, Table, short};
use crate::{
    terminal::{
        record::{Gap, Point, Record},
        results::Results,
    },
    words::{certificates, number},
};
use surefoot_glm::{Model, Plan, Summary};
use surefoot_plot::{Figure, Scale, Series, Style};

/// Ratio of the row counts at the end and at the start of the window over which the recent loss is averaged.
const RECENT: f64 = 1.5;
/// Row count below which the recent loss (mean over the latest rows) is too noisy to be shown, unless the whole run is shorter.
const FEW: u64 = 16;

type PointValue = fn(&Point) -> f64;

fn rows(point: &Point) -> f64 {
    point.summary.rows as f64
}

pub(super) fn loss(record: &Record, results: &Results<'_>, plan: Plan) -> Option<Card> {
    let all = recent(&record.points);
    let shown = shown(&record.points);
    let points = &record.points[shown..];
    points.iter().find(|point| point.summary.loss.is_some())?;
    let recent = &all[shown..];
    let test = results.test.and_then(|test| test.loss);
    let own = if plan.period().is_some() { "held-out rows" } else { "all rows so far" };
    let view = |axis: &str, scale: Scale, at: PointValue| {
        let curve = |label: &str, style, colour, of: &dyn Fn(usize, &Point) -> Option<f64>| {
            let place = |(k, point): (usize, &Point)| Some((at(point), of(k, point)?, 0.0));
            let points = points.iter().enumerate().filter_map(place).collect();
            Series { label: label.to_owned(), style, colour, points }
        };
        let series = vec![
            curve("latest rows", Style::Line, 5, &|k, _| recent[k]),
            curve("best constant", Style::Bound, 7, &|_, point| point.summary.loss_constant),
            curve("test rows, by the final model", Style::Floor, 1, &|_, _| test),
            curve(own, Style::Line, 0, &|_, point| point.summary.loss),
        ];
        let series: Vec<_> = series.into_iter().filter(|series| !series.points.is_empty()).collect();
        let scale_y = if is_wide(&series) { Scale::Log } else { Scale::Linear };
        let about = format!("The mean loss against {axis}, beside that of the best constant.");
        let (x, y) = ((axis.to_owned(), scale), ("mean loss".to_owned(), scale_y));
        Figure { title: format!("Loss over {axis}"), about, size: SIZE, x, y, series, ..Figure::default() }
    };
    let views = vec![
        ("rows, log", view("rows", Scale::Log, rows)),
        ("rows", view("rows", Scale::Linear, rows)),
        ("time", view("seconds", Scale::Linear, |point| point.seconds)),
    ];
    let numbers = losses(&record.points, &all);
    let caption = match plan.period() {
        None if results.order().is_some() => {
            "Each row is scored before it is learnt. These rows did not come in random order, so late ones were not like early ones, and \
             neither curve says how good the final model is."
                .to_owned()
        }
        None => "Each row is scored before it is learnt, by the very model that a save at that moment would store."
            .to_owned(),
        Some(period) => format!(
            "Mean over the held-out rows, one in {period}, before they are learnt at the end, after all passes."
        ),
    };
    Some(Card { id: "loss", title: "Loss".to_owned(), caption, views, numbers })
}

/// Returns the index of the first recorded point to be drawn. Earlier points are omitted: they cover less than a thousandth of the rows,
/// so that their mean losses are mostly noise.
fn shown(points: &[Point]) -> usize {
    let last = points.last().map_or(0, |point| point.summary.rows);
    points.partition_point(|point| point.summary.rows < last / 1000)
}

/// Returns for each recorded point of the run the mean loss of the latest rows, about the last third: those since the row count was
/// smaller by the factor [`RECENT`]. `None` if there are too few rows.
fn recent(points: &[Point]) -> Vec<Option<f64>> {
    let enough = points.last().map_or(0, |point| point.summary.rows.min(FEW));
    let at = |k: usize| {
        let now = points[k].summary.rows;
        let back = points[..=k].iter().rev().take_while(|point| point.summary.rows as f64 * RECENT >= now as f64);
        let (mut sum, mut count) = (0.0, 0.0);
        for (place, point) in back.enumerate() {
            let before = (k - place).checked_sub(1).map_or(0, |before| points[before].summary.rows);
            let rows = (point.summary.rows - before) as f64;
            sum += rows * point.recent?;
            count += rows;
        }
        Some(sum / count).filter(|mean| mean.is_finite() && now >= enough)
    };
    (0..points.len()).map(at).collect()
}

/// Whether all y values are positive and differ by more than a factor of 8, so that a logarithmic axis is better.
fn is_wide(series: &[Series]) -> bool {
    let values = || series.iter().flat_map(|series| &series.points).map(|point| point.1);
    let (least, largest) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    least > 0.0 && largest > 8.0 * least
}

/// Returns the table of losses at the row counts that the terminal shows, and at the end of the run.
fn losses(points: &[Point], recent: &[Option<f64>]) -> Table {
    let head = vec!["rows", "seconds", "loss", "latest", "constant", "lane"];
    let doublings = |point: &Point| point.summary.rows.max(1).ilog2();
    let has_doubled = |k: usize, point: &Point| match k {
        0 => point.summary.rows.is_power_of_two(),
        _ => doublings(point) > doublings(&points[k - 1]),
    };
    let told = |(k, point): &(usize, &Point)| has_doubled(*k, point) || k + 1 == points.len();
    let row = |(k, point): (usize, &Point)| {
        let summary = &point.summary;
        vec![
            number::count(summary.rows),
            format!("{:.2}", point.seconds),
            number::loss(summary.loss),
            number::loss(recent[k]),
            number::loss(summary.loss_constant),
            number::lane(summary.lane),
        ]
    };
    Table { head, rows: points.iter().enumerate().filter(told).map(row).collect() }
}

/// Returns the card (panel) about the share of each lane (one of the learners trained side by side) in the model; `None` if there is only
/// one lane.
pub(super) fn lanes(record: &Record) -> Option<Card> {
    let points: Vec<_> = record.points.iter().filter(|point| point.summary.lanes.len() > 1).collect();
    let last = &points.last()?.summary;
    let band = |k: usize| {
        let of = |point: &&&Point| {
            let shares: Vec<f64> = shares(&point.summary).map(|(_, share)| share).collect();
            let (below, share) = (shares[..k].iter().sum::<f64>(), shares[k]);
            (rows(point), below + share / 2.0, share / 2.0)
        };
        let label = shares(last).nth(k).map_or_else(String::new, |(name, _)| name);
        Series {
            label,
            style: Style::Band,
            colour: k,
            points: points.iter().filter(|p| p.summary.rows > 0).map(|p| of(&p)).collect(),
        }
    };
    let about = "The share that each lane, and the best constant prediction, has in the mixture, one above the other, against the number of rows.".to_owned();
    let figure = Figure {
        title: "Shares of the lanes over rows".to_owned(),
        about,
        size: SIZE,
        x: ("rows".to_owned(), Scale::Log),
        y: ("share".to_owned(), Scale::Linear),
        series: (0..shares(last).count()).map(band).collect(),
        ..Figure::default()
    };
    let caption = format!(
        "In place of a learning rate, lanes of different scales learn side by side and are mixed by how well they do. {}",
        leaders(&points)
    );
    let statistics = last.lanes.iter().map(|lane| short(lane.statistic)).chain([String::new()]);
    let rows = shares(last)
        .zip(statistics)
        .map(|((name, share), statistic)| vec![name, statistic, format!("{:.1} %", 100.0 * share)]);
    let numbers = Table { head: vec!["lane", "statistic", "share at the end"], rows: rows.collect() };
    Some(Card { id: "lanes", title: "Lanes".to_owned(), caption, views: vec![("", figure)], numbers })
}

/// Returns the names and shares of the members of the mixture: the lanes (learners trained side by side), then the constant prediction.
fn shares(summary: &Summary) -> impl Iterator<Item = (String, f64)> + '_ {
    let lanes = summary.lanes.iter().map(|lane| (number::shortest(lane.scale), lane.share));
    lanes.chain(summary.constant_lane.iter().map(|constant| ("constant".to_owned(), constant.share)))
}

/// Describes in words which lane (one of the learners trained side by side) had the largest share of the model at the end, and since which
/// row.
fn leaders(points: &[&Point]) -> String {
    let mut turns: Vec<(u64, f64)> = Vec::new();
    for point in points {
        if let Some(lane) = point.summary.lane
            && turns.last().is_none_or(|turn| turn.1 != lane)
        {
            turns.push((point.summary.rows, lane));
        }
    }
    let Some((_, lane)) = turns.last() else { return String::new() };
    let lane = number::shortest(*lane);
    match turns.len() {
        1 => format!("{lane} led throughout."),
        n => format!("{lane} leads since row {}; the lead changed {}.", number::count(turns[n - 1].0), times(n - 1)),
    }
}

fn times(n: usize) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
}

/// Returns the card (panel) with a plot of the certified gap over time and with the certificates in words; `None` if there are no
/// certificates to show.
pub(super) fn certificate(record: &Record, model: &Model) -> Option<Card> {
    let words = certificates::words(&model.certificates, &model.settings);
    let caption = words.iter().map(|words| sentence(words)).collect::<Vec<_>>().join("\n");
    let rows = record.gaps.iter().map(|gap| {
        let objective = number::loss(gap.objective);
        let seconds = format!("{:.2}", gap.seconds);
        vec![number::count(gap.rows), gap.passes.to_string(), seconds, objective, number::loss(gap.gap)]
    });
    let numbers = Table { head: vec!["rows", "passes", "seconds", "objective", "gap"], rows: rows.collect() };
    let gaps = &record.gaps;
    let view = |axis: &str, scale: Scale, at: &dyn Fn(usize) -> f64| {
        let about = format!(
            "An upper bound on how much another model could be better, against {axis}; where the line breaks off there was none."
        );
        let (x, y) = ((axis.to_owned(), scale), ("upper bound, log scale".to_owned(), Scale::Log));
        let series = bounds(gaps, at);
        Figure { title: format!("Certified gap over {axis}"), about, size: SIZE, x, y, series, ..Figure::default() }
    };
    let learnt = gaps.first().map(|gap| gap.rows) != gaps.last().map(|gap| gap.rows);
    let views = match gaps.iter().filter(|gap| gap.gap.is_some_and(|gap| gap > 0.0)).count() {
        0 | 1 => Vec::new(),
        _ => vec![
            match learnt {
                true => ("rows, log", view("rows", Scale::Log, &|k| gaps[k].rows as f64)),
                false => ("passes", view("passes", Scale::Linear, &|k| f64::from(gaps[k].passes))),
            },
            ("time", view("seconds", Scale::Linear, &|k| gaps[k].seconds)),
        ],
    };
    (!caption.is_empty()).then(|| Card { id: "certificate", title: "Certificate".to_owned(), caption, views, numbers })
}

/// Returns the series of certified bounds to be plotted: one dot per bound, and lines between dots at consecutive points of the run.
fn bounds(gaps: &[Gap], at: &dyn Fn(usize) -> f64) -> Vec<Series> {
    let place = |(k, gap): (usize, &Gap)| gap.gap.filter(|gap| *gap > 0.0).map(|gap| (at(k), gap, 0.0));
    let places: Vec<_> = gaps.iter().enumerate().map(place).collect();
    let series = |style, points: Vec<_>| Series { label: String::new(), style, colour: 2, points };
    let runs = places.split(Option::is_none).filter(|run| run.len() > 1);
    let mut all: Vec<_> = runs.map(|run| series(Style::Bound, run.iter().flatten().copied().collect())).collect();
    all.push(series(Style::Dots, places.iter().flatten().copied().collect()));
    if let Some(dots) = all.last_mut() {
        dots.label = "certified: at most".to_owned();
    }
    all
}

/// Turns words into a sentence, with a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Returns an SVG with the loss curves as two lines of hills, a decoration for the head of the page: mean losses of all rows and of the
/// latest rows over the logarithm of the row count.
pub(super) fn ridge(record: &Record) -> String {
    let (recent, shown) = (recent(&record.points), shown(&record.points));
    let far: Vec<_> =
        record.points.iter().zip(recent).skip(shown).filter_map(|(p, loss)| Some((rows(p), loss?))).collect();
    let near: Vec<_> = record.points[shown..].iter().filter_map(|p| Some((rows(p), p.summary.loss?))).collect();
    let hill = |points: &[(f64, f64)], name: &str| {
        let (low, high) = ends(points.iter().map(|p| p.1));
        let (first, last) = ends(points.iter().map(|p| p.0.ln()));
        if !(high > low && last > first) {
            return String::new();
        }
        let place = |&(x, y): &(f64, f64)| {
            format!("{:.1},{:.1}", 1000.0 * (x.ln() - first) / (last - first), 92.0 - 84.0 * (y - low) / (high - low))
        };
        let line: Vec<_> = points.iter().map(place).collect();
        format!("<polygon class=\"{name}\" points=\"0,100 {} 1000,100\"/>", line.join(" "))
    };
    let hills = hill(&far, "far") + &hill(&near, "near");
    format!(
        "<svg class=\"ridge\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{hills}</svg>"
    )
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
}
