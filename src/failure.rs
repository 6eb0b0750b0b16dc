//! How a command ends.

use crate::signals::Signal;
use std::fmt;

/// Exit status: the data or a file is at fault.
pub(crate) const DATA: u8 = 1;
/// Exit status: the command line is at fault.
pub(crate) const USAGE: u8 = 2;

/// A command that could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: u8,
    /// One line that names the place, what is wrong and what to do; empty where silence is the answer.
    pub(crate) message: String,
}

impl Failure {
    /// The data or a file is at fault.
    pub(crate) fn data(message: impl Into<String>) -> Failure {
        Failure { status: DATA, message: message.into() }
    }

    /// The command line is at fault.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { status: USAGE, message: message.into() }
    }

    /// A signal came before there was anything to save.
    pub(crate) fn signalled(signal: Signal, message: impl Into<String>) -> Failure {
        Failure { status: signal.status(), message: message.into() }
    }

    /// Standard output cannot be written.
    pub(crate) fn stdout(error: &std::io::Error) -> Failure {
        let text = error.to_string();
        Failure::data(format!("standard output: {}", text.split(" (os error").next().unwrap_or(&text)))
    }

    /// Adds what became of the work to the message.
    pub(crate) fn and(mut self, what: impl fmt::Display) -> Failure {
        self.message = format!("{}; {what}", self.message);
        self
    }
}

impl From<surefoot_io::Error> for Failure {
    fn from(error: surefoot_io::Error) -> Failure {
        let status = match error.kind() {
            surefoot_io::ErrorKind::Both { .. }
            | surefoot_io::ErrorKind::Setting { .. }
            | surefoot_io::ErrorKind::Asked { .. } => USAGE,
            _ => DATA,
        };
        Failure { status, message: error.to_string() }
    }
}
