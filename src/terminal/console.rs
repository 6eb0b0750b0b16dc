//! Messages on standard error, by urgency.
//!
//! | kind | default | `--json` | `--quiet` |
//! | --- | --- | --- | --- |
//! | progress, results | yes | no | no |
//! | notes | yes | yes | no |
//! | warnings, the error | yes | yes | yes |
//!
//! Nothing here fails: if standard error is gone, nobody is left to tell.

use crate::failure::Failure;
use indicatif::ProgressBar;
use std::io::Write;
use surefoot_io::printable;

/// The longest line of an error or a warning in bytes, the line break included.
const LIMIT: usize = 500;

/// Standard error, shared with a progress bar where there is one.
#[derive(Debug)]
pub(crate) struct Console {
    talks: bool,
    notes: bool,
    bar: Option<ProgressBar>,
}

impl Console {
    pub(crate) fn new(quiet: bool, json: bool) -> Console {
        Console { talks: !quiet && !json, notes: !quiet, bar: None }
    }

    /// Whether progress is wanted here.
    pub(crate) fn talks(&self) -> bool {
        self.talks
    }

    /// Lines printed from now on stand above `bar`.
    pub(crate) fn share(&mut self, bar: &ProgressBar) {
        self.bar = Some(bar.clone());
    }

    /// Progress and results.
    pub(crate) fn say(&self, line: &str) {
        if self.talks {
            self.print(line);
        }
    }

    /// Something worth knowing that is no reason to act.
    pub(crate) fn note(&self, line: &str) {
        if self.notes {
            self.print(&clip(&format!("surefoot: note: {line}")));
        }
    }

    /// Something that the user should act on.
    pub(crate) fn warn(&self, line: &str) {
        self.print(&clip(&format!("surefoot: warning: {line}")));
    }

    fn print(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print(line)),
            None => print(line),
        }
    }
}

/// Prints the one line of a failure, if it has one.
pub(crate) fn fail(failure: &Failure) {
    if !failure.message.is_empty() {
        print(&clip(&format!("surefoot: {}", failure.message)));
    }
}

/// One write a line, so that lines of several programs do not mix.
fn print(text: &str) {
    // Results have several lines; what of them comes from files was made printable where the line breaks were still known.
    let lines: String = text.split('\n').map(|line| format!("{}\n", printable(line))).collect();
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

/// One line of at most [`LIMIT`] bytes.
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
