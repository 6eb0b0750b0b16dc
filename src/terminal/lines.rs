//! Progress of a run: lines of a table for people on standard error, JSON lines for programs on standard output.

use crate::{failure::Failure, words::number};
use serde_json::{Value, json};
use std::{
    fs::File,
    io::{self, ErrorKind, Write},
    os::fd::AsFd,
};
use surefoot_glm::{PathPoint, Summary, optimum::Optimum};

/// Pairs each line with a heading: `name` for the first line, empty for the others.
pub(crate) fn headed(name: &'static str, lines: Vec<String>) -> impl Iterator<Item = (&'static str, String)> {
    lines.into_iter().enumerate().map(move |(n, line)| (if n == 0 { name } else { "" }, line))
}

/// Writes to standard output. If it is a pipe whose reader has closed it, this counts as success.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    printed(stdout().and_then(|mut stdout| stdout.write_all(bytes)))
}

/// Opens standard output directly, because [`io::Stdout`] silently accepts writes to a closed descriptor.
fn stdout() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Converts an I/O result of standard output to an error of the command; a broken pipe counts as success.
pub(crate) fn printed(outcome: io::Result<()>) -> Result<(), Failure> {
    match outcome {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::stdout(&error)),
        _ => Ok(()),
    }
}

/// Writer of JSON lines to standard output, enabled by `--json`. After a failed write it writes nothing more, while the
/// run continues.
#[derive(Debug, Default)]
pub(crate) struct Events {
    on: bool,
    failure: Option<Failure>,
}

impl Events {
    pub(crate) fn new(on: bool) -> Events {
        Events { on, failure: None }
    }

    pub(crate) fn emit(&mut self, event: &Value) {
        if !self.on {
            return;
        }
        let line = format!("{event}\n");
        if let Err(error) = stdout().and_then(|mut stdout| stdout.write_all(line.as_bytes())) {
            self.on = false;
            self.failure = (error.kind() != ErrorKind::BrokenPipe).then(|| Failure::stdout(&error));
        }
    }

    /// Returns the first error that occurred while writing; a broken pipe counts as success.
    pub(crate) fn close(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

/// Line of the progress table of a fit, printed as text or as JSON.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) summary: &'a Summary,
    /// Mean loss of the rows since the previous line; `None` if there are none.
    pub(crate) recent: Option<f64>,
    pub(crate) seconds: f64,
    /// Number of bytes that this run has read, summed over all passes.
    pub(crate) bytes: u64,
}

/// Heading of the progress table; its columns match those of [`Line::text`].
pub(crate) const COLUMNS: &str = "          rows        loss  since last    constant    lane  seconds";

impl Line<'_> {
    pub(crate) fn text(&self) -> String {
        format!(
            "{:>14}{:>12}{:>12}{:>12}{:>8}{:>9.2}",
            number::count(self.summary.rows),
            number::loss(self.summary.loss),
            number::loss(self.recent),
            number::loss(self.summary.loss_constant),
            number::lane(self.summary.lane),
            self.seconds
        )
    }

    pub(crate) fn event(&self) -> Value {
        json!({
            "event": "progress",
            "rows": self.summary.rows,
            "weight": number::number_or_null(Some(self.summary.weight)),
            "loss": number::number_or_null(self.summary.loss),
            "loss_recent": number::number_or_null(self.recent),
            "loss_constant": number::number_or_null(self.summary.loss_constant),
            "lane": number::number_or_null(self.summary.lane),
            "seconds": number::number_or_null(Some(self.seconds)),
            "bytes": self.bytes,
        })
    }
}

/// Line about an iteration of the search for the optimum, with the best model found so far, printed as text or as JSON.
#[derive(Debug)]
pub(crate) struct Iteration<'a> {
    pub(crate) found: &'a Optimum,
    pub(crate) seconds: f64,
}

/// Heading of the table of iterations; its columns match those of [`Iteration::text`].
pub(crate) const SEARCH_COLUMNS: &str = "        passes   objective           gap    relative                 seconds";

impl Iteration<'_> {
    pub(crate) fn text(&self) -> String {
        let small = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2e}"));
        format!(
            "{:>14.1}{:>12}{:>14}{:>12}{:>24.2}",
            self.found.passes,
            number::loss(Some(self.found.objective)),
            small(self.found.gap),
            small(self.found.relative_gap()),
            self.seconds
        )
    }

    pub(crate) fn event(&self) -> Value {
        json!({
            "event": "search",
            "passes": number::number_or_null(Some(self.found.passes)),
            "objective": number::number_or_null(Some(self.found.objective)),
            "gap": number::number_or_null(self.found.gap),
            "relative": number::number_or_null(self.found.relative_gap()),
            "seconds": number::number_or_null(Some(self.seconds)),
        })
    }
}

/// Line about one of the penalties that were tried, printed as text or as JSON.
#[derive(Debug)]
pub(crate) struct PathLine<'a> {
    pub(crate) point: &'a PathPoint,
    pub(crate) seconds: f64,
}

/// Heading of the table of penalties; its columns match those of [`PathLine::text`].
pub(crate) const PATH_COLUMNS: &str = "          --l1          --l2    held-out loss    standard error     seconds";

impl PathLine<'_> {
    pub(crate) fn text(&self) -> String {
        let PathPoint { l1, l2, loss, error } = *self.point;
        let (loss, error) = (number::loss(Some(loss)), number::loss(error));
        format!("{l1:>14.3e}{l2:>14.3e}{loss:>17}{error:>18}{:>12.2}", self.seconds)
    }

    pub(crate) fn event(&self) -> Value {
        json!({
            "event": "path",
            "l1": number::number_or_null(Some(self.point.l1)),
            "l2": number::number_or_null(Some(self.point.l2)),
            "loss": number::number_or_null(Some(self.point.loss)),
            "standard_error": number::number_or_null(self.point.error),
            "seconds": number::number_or_null(Some(self.seconds)),
        })
    }
}
