//! The section of the HTML report about the workers of a distributed fit: what each has done, and what happened to them.

use super::html::{Card, SIZE, Table, facts, section, short};
use crate::{
    terminal::workers::{Incident, Workers},
    words::number,
};
use surefoot_distributed::WorkerStatus;
use surefoot_plot::{Figure, Scale, Series, Style};

/// Greatest number of workers in a figure: as many as there are colours.
const DRAWN: usize = 8;
/// Greatest number of incidents in the list.
const LISTED: usize = 100;

/// Speeds over time: seconds since the start, and a number per second.
type Speeds = Vec<(f64, f64)>;

/// Returns the section; empty if there are no workers.
pub(super) fn html(workers: &Workers) -> String {
    if workers.is_empty() {
        return String::new();
    }
    let mut all: Vec<&WorkerStatus> = workers.status.all().collect();
    all.sort_by_key(|worker| worker.worker);
    let cards = summary(workers, &all)
        + &speed(workers, &all).html()
        + &network(workers, &all).html()
        + &waiting(&all).html()
        + &incidents(workers);
    section("Workers", &about(workers), &cards)
}

fn about(workers: &Workers) -> String {
    let count = |n: u64, one: &str, many: &str| format!("{} {}", number::count(n), if n == 1 { one } else { many });
    format!(
        "{} at the end and {} on the way; {} of partial results, for which {} were sent.",
        count(workers.status.workers.len() as u64, "worker", "workers"),
        count(workers.status.lost, "loss", "losses"),
        count(workers.status.exchanges, "exchange", "exchanges"),
        number::bytes(workers.exchanged())
    )
}

/// Returns the card with what each worker has done.
fn summary(workers: &Workers, all: &[&WorkerStatus]) -> String {
    let head = vec!["worker", "shards", "rows read", "rows/s", "read", "sent", "received", "waited for", "lost"];
    let row = |worker: &&WorkerStatus| {
        let own = &worker.own;
        vec![
            worker.worker.to_string(),
            if own.is_empty() { "–".to_owned() } else { format!("{}–{}", own.start + 1, own.end) },
            number::count(worker.progress.rows),
            number::count(workers.speed(worker) as u64),
            number::bytes(worker.progress.bytes),
            number::bytes(worker.sent),
            number::bytes(worker.received),
            format!("{:.2} s", seconds(worker)),
            workers.lost_at(worker.worker).map_or_else(|| "–".to_owned(), |at| format!("at {at:.2} s")),
        ]
    };
    let table = Table { head, rows: all.iter().map(row).collect() };
    format!(
        "<article class=\"card workers\" id=\"workers\"><h3>Work</h3><p>Rows are those read from files; the speed counts every pass over \
         them. The others waited so long for this worker alone.</p>{}</article>\n",
        table.html()
    )
}

fn speed(workers: &Workers, all: &[&WorkerStatus]) -> Card {
    let series = |worker: u64| workers.speeds(worker);
    Card {
        id: "speed",
        title: "Rows a second".to_owned(),
        caption: "Rows that each worker has gone through, in all passes over them.".to_owned() + &drawn(all),
        views: vec![("", over_time("rows a second", all, &series))],
        numbers: numbers(all, &series),
    }
}

fn network(workers: &Workers, all: &[&WorkerStatus]) -> Card {
    let series = |worker: u64| workers.traffic(worker);
    Card {
        id: "network",
        title: "Network".to_owned(),
        caption: "Bytes of messages that each worker has sent and received.".to_owned() + &drawn(all),
        views: vec![("", over_time("bytes a second", all, &series))],
        numbers: numbers(all, &series),
    }
}

/// Returns the card with the times that workers were waited for, by which stragglers are seen.
fn waiting(all: &[&WorkerStatus]) -> Card {
    let points = all.iter().map(|worker| (worker.worker as f64, seconds(worker), 0.4)).collect();
    let figure = Figure {
        about: "How long all other workers have waited for each one alone, in seconds.".to_owned(),
        size: SIZE,
        x: ("worker".to_owned(), Scale::Linear),
        y: ("seconds waited for".to_owned(), Scale::Linear),
        series: vec![Series { label: String::new(), style: Style::Bars, colour: 1, points }],
        ..Figure::default()
    };
    let rows = all.iter().map(|worker| vec![worker.worker.to_string(), short(seconds(worker))]).collect();
    Card {
        id: "waiting",
        title: "Stragglers".to_owned(),
        caption: "The run would have been faster by so much, had this worker been as fast as the one before it."
            .to_owned(),
        views: vec![("", figure)],
        numbers: Table { head: vec!["worker", "seconds"], rows },
    }
}

/// Returns the card with what happened to the workers, the first events if there are many.
fn incidents(workers: &Workers) -> String {
    let words = |incident: &Incident| match incident {
        Incident::Joined(worker) => format!("worker {worker} joined"),
        Incident::Shards(worker, from, to) => format!("worker {worker} got shards {}–{to}", from + 1),
        Incident::Lost(worker, how) if how.is_empty() => format!("worker {worker} was lost"),
        Incident::Lost(worker, how) => format!("worker {worker} was lost: {how}"),
    };
    let line = |(at, incident): &(f64, Incident)| (format!("{at:.2} s"), words(incident));
    let list: Vec<_> = workers.incidents.iter().take(LISTED).map(line).collect();
    facts("Events", &list)
}

/// Returns the workers that are drawn: those that were waited for longest, if there are many.
fn shown<'a>(all: &[&'a WorkerStatus]) -> Vec<&'a WorkerStatus> {
    let mut shown = all.to_vec();
    if shown.len() > DRAWN {
        shown.sort_by_key(|worker| std::cmp::Reverse(worker.waited_for));
        shown.truncate(DRAWN);
        shown.sort_by_key(|worker| worker.worker);
    }
    shown
}

fn drawn(all: &[&WorkerStatus]) -> String {
    if all.len() > DRAWN { format!(" Drawn are the {DRAWN} that were waited for longest.") } else { String::new() }
}

fn over_time(axis: &str, all: &[&WorkerStatus], of: &dyn Fn(u64) -> Speeds) -> Figure {
    let series = |(k, worker): (usize, &WorkerStatus)| Series {
        label: format!("worker {}", worker.worker),
        style: Style::Line,
        colour: k,
        points: of(worker.worker).into_iter().map(|(at, speed)| (at, speed, 0.0)).collect(),
    };
    let series: Vec<Series> = shown(all).into_iter().enumerate().map(series).collect();
    Figure {
        about: format!("The {axis} of each worker against the seconds since the start."),
        size: SIZE,
        x: ("seconds".to_owned(), Scale::Linear),
        y: (axis.to_owned(), Scale::Linear),
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        ..Figure::default()
    }
}

fn numbers(all: &[&WorkerStatus], of: &dyn Fn(u64) -> Speeds) -> Table {
    let rows = shown(all).into_iter().flat_map(|worker| {
        let row = move |(at, speed): (f64, f64)| vec![worker.worker.to_string(), format!("{at:.2}"), short(speed)];
        of(worker.worker).into_iter().map(row)
    });
    Table { head: vec!["worker", "seconds", "a second"], rows: rows.collect() }
}

fn seconds(worker: &WorkerStatus) -> f64 {
    worker.waited_for as f64 / 1000.0
}
