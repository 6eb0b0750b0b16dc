//! Output about the workers of a distributed fit: lines and a table for people, JSON lines for programs.

use super::workers::{Incident, Workers};
use crate::words::number;
use serde_json::{Value, json};
use surefoot_distributed::WorkerStatus;

/// Greatest number of workers in the printed table.
const SHOWN: usize = 16;

/// Returns where the run stands, in a line; `latest` is its loss or objective so far.
pub(crate) fn state(workers: &Workers, latest: &str) -> String {
    let read = match (workers.share(), workers.total) {
        (Some(share), Some(total)) => format!("{:.0} % of {} read", 100.0 * share, number::bytes(total)),
        _ => format!("{} read", number::bytes(workers.bytes())),
    };
    format!("{read}, {}", speed(workers, latest))
}

/// Returns the speed of the run, its loss or objective so far, and the number of workers.
pub(crate) fn speed(workers: &Workers, latest: &str) -> String {
    let speed = number::count(workers.present_speed() as u64);
    let latest = if latest.is_empty() { String::new() } else { format!("{latest}, ") };
    let (working, exchanged) = (workers.status.working(), number::bytes(workers.exchanged()));
    let noun = if working == 1 { "worker" } else { "workers" };
    format!("{speed} rows/s, {latest}{working} {noun}, {exchanged} exchanged")
}

/// Returns what happened to a worker, in a line; `None` if a note says it already.
pub(crate) fn incident(incident: &Incident, shards: usize) -> Option<String> {
    match incident {
        Incident::Joined(worker) => Some(format!("worker {worker}: joined")),
        Incident::Shards(worker, from, to) if to - from == 1 => {
            Some(format!("worker {worker}: has shard {} of {shards}", from + 1))
        }
        Incident::Shards(worker, from, to) => {
            Some(format!("worker {worker}: has shards {}-{to} of {shards}", from + 1))
        }
        Incident::Lost(..) => None,
    }
}

/// Returns the note about a worker that was lost.
pub(crate) fn lost(worker: u64, how: &str) -> String {
    let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
    format!("worker {worker} was lost{how}; another one repeats its part")
}

/// Returns the table of all workers at the end of the run: those that were waited for longest, if there are many.
pub(crate) fn table(workers: &Workers) -> Vec<String> {
    let mut all: Vec<&WorkerStatus> = workers.status.all().collect();
    let more = all.len().saturating_sub(SHOWN);
    if more > 0 {
        all.sort_by_key(|worker| std::cmp::Reverse(worker.waited_for));
        all.truncate(SHOWN);
    }
    all.sort_by_key(|worker| worker.worker);
    let head = "        worker        rows      rows/s        sent    received  waited for".to_owned();
    let mut lines = vec![head];
    lines.extend(all.into_iter().map(|worker| row(workers, worker)));
    if more > 0 {
        lines.push(format!("{:>14}  others were waited for less", number::count(more as u64)));
    }
    lines
}

fn row(workers: &Workers, worker: &WorkerStatus) -> String {
    let lost = workers.lost_at(worker.worker).map_or_else(String::new, |at| format!("  lost at {at:.2} s"));
    format!(
        "{:>14}{:>12}{:>12}{:>12}{:>12}{:>10.2} s{lost}",
        worker.worker,
        number::count(worker.progress.rows),
        number::count(workers.speed(worker) as u64),
        number::bytes(worker.sent),
        number::bytes(worker.received),
        worker.waited_for as f64 / 1000.0
    )
}

/// Returns the JSON line about an incident.
pub(crate) fn incident_event(incident: &Incident, seconds: f64) -> Value {
    let (worker, what, shards, reason) = match incident {
        Incident::Joined(worker) => (worker, "joined", Value::Null, Value::Null),
        Incident::Shards(worker, from, to) => (worker, "shards", json!([from + 1, to]), Value::Null),
        Incident::Lost(worker, how) if how.is_empty() => (worker, "lost", Value::Null, Value::Null),
        Incident::Lost(worker, how) => (worker, "lost", Value::Null, json!(how)),
    };
    let seconds = number::number_or_null(Some(seconds));
    json!({ "event": "worker", "worker": worker, "what": what, "shards": shards, "reason": reason, "seconds": seconds })
}

/// Returns the JSON line about all workers.
pub(crate) fn event(workers: &Workers) -> Value {
    json!({
        "event": "workers",
        "seconds": number::number_or_null(Some(workers.seconds)),
        "rows": workers.rows(),
        "rows_per_second": number::number_or_null(Some(workers.present_speed())),
        "bytes": workers.bytes(),
        "bytes_total": workers.total,
        "share": workers.share().map_or(Value::Null, |share| number::number_or_null(Some(share))),
        "exchanges": workers.status.exchanges,
        "lost": workers.status.lost,
        "workers": list(workers),
    })
}

/// Returns what is known of each worker, as JSON.
pub(crate) fn list(workers: &Workers) -> Vec<Value> {
    let mut all: Vec<&WorkerStatus> = workers.status.all().collect();
    all.sort_by_key(|worker| worker.worker);
    let of = |worker: &WorkerStatus| {
        json!({
            "worker": worker.worker,
            "shards": if worker.own.is_empty() { Value::Null } else { json!([worker.own.start + 1, worker.own.end]) },
            "rows": worker.progress.rows,
            "visited": worker.progress.visited,
            "rows_per_second": number::number_or_null(Some(workers.speed(worker))),
            "bytes": worker.progress.bytes,
            "sent": worker.sent,
            "received": worker.received,
            "waited_for": worker.waited_for as f64 / 1000.0,
            "is_lost": workers.lost_at(worker.worker).is_some(),
        })
    };
    all.into_iter().map(of).collect()
}
