//! Messages on standard error, filtered by urgency.
//!
//! | kind | default | `--json` | `--quiet` |
//! | --- | --- | --- | --- |
//! | progress, results | yes | no | no |
//! | notes | yes | yes | no |
//! | warnings, the error | yes | yes | yes |
//!
//! Errors of writing to standard error are ignored, since there is no other place to report them.

use crate::failure::Failure;
use indicatif::ProgressBar;
use std::{fmt, io::Write, sync::Arc};
use surefoot_io::printable;

/// Greatest length of a printed error or warning in bytes, including the line break.
const LIMIT: usize = 500;

/// Message of a run for a program that shows it by its own means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Message<'a> {
    /// Line of progress or results.
    Line(&'a str),
    /// Information that requires no action by the user.
    Note(&'a str),
    /// Information that requires action by the user.
    Warning(&'a str),
    /// Part of the data that was read, of all if the total is known.
    Progress(u64, Option<u64>),
}

/// Receiver of all messages in place of standard error.
#[derive(Clone)]
pub(crate) struct Listener(pub(crate) Arc<dyn Fn(Message<'_>) + Send + Sync>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// Output to standard error, which prints lines above the progress bar if there is one; or to a listener.
#[derive(Debug)]
pub(crate) struct Console {
    talks: bool,
    notes: bool,
    bar: Option<ProgressBar>,
    listener: Option<Listener>,
}

impl Console {
    pub(crate) fn new(quiet: bool, json: bool) -> Console {
        Console { talks: !quiet && !json, notes: !quiet, bar: None, listener: None }
    }

    /// Creates the output to a listener, which receives everything.
    pub(crate) fn to(listener: Listener) -> Console {
        Console { listener: Some(listener), ..Console::new(false, false) }
    }

    /// Whether messages go to standard error, where a progress bar may be drawn.
    pub(crate) fn is_terminal(&self) -> bool {
        self.listener.is_none()
    }

    /// Tells the listener, if there is one, how much of the data was read.
    pub(crate) fn progress(&self, read: u64, all: Option<u64>) {
        self.tell(Message::Progress(read, all));
    }

    /// Passes a message to the listener; returns false if there is none.
    fn tell(&self, message: Message<'_>) -> bool {
        self.listener.as_ref().is_some_and(|listener| {
            (listener.0)(message);
            true
        })
    }

    /// Whether progress and results are printed, that is whether neither `--json` nor `--quiet` is given.
    pub(crate) fn talks(&self) -> bool {
        self.talks
    }

    /// Makes all later lines appear above the progress bar `bar`.
    pub(crate) fn share(&mut self, bar: &ProgressBar) {
        self.bar = Some(bar.clone());
    }

    /// Prints a line of progress or results, unless `--json` or `--quiet` is given.
    pub(crate) fn say(&self, line: &str) {
        if self.talks && !self.tell(Message::Line(line)) {
            self.print(line);
        }
    }

    /// Prints a note: information that requires no action by the user.
    pub(crate) fn note(&self, line: &str) {
        if self.notes && !self.tell(Message::Note(line)) {
            self.print(&clip(&format!("surefoot: note: {line}")));
        }
    }

    /// Prints a warning: information that requires action by the user.
    pub(crate) fn warn(&self, line: &str) {
        if !self.tell(Message::Warning(line)) {
            self.print(&clip(&format!("surefoot: warning: {line}")));
        }
    }

    fn print(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print(line)),
            None => print(line),
        }
    }
}

/// Prints the error message with which a command failed, unless it is empty.
pub(crate) fn fail(failure: &Failure) {
    if !failure.message.is_empty() {
        print(&clip(&format!("surefoot: {}", failure.message)));
    }
}

/// Prints text in a single write call, so that the lines of several processes are not interleaved.
fn print(text: &str) {
    // Results have several lines; text from files was made printable before they were joined.
    let lines: String = text.split('\n').map(|line| format!("{}\n", printable(line))).collect();
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

/// Shortens text to one printable line of at most [`LIMIT`] bytes.
fn clip(text: &str) -> String {
    let mut line = printable(text).into_owned();
    if line.len() >= LIMIT {
        line.truncate(line.floor_char_boundary(LIMIT - 4));
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use crate::terminal::console::clip;

    #[test]
    fn lines_are_short_and_single() {
        assert_eq!(clip("a\nb\u{202e}"), r"a\u{a}b\u{202e}");
        let long = clip(&"é".repeat(400));
        assert!(long.len() < 500 && long.ends_with("é..."));
    }
}
