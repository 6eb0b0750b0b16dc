//! The error type of all commands: an exit status and a message for the user.

use crate::{
    process::signals::Signal,
    words::{contradictions, number, unmet},
};
use std::fmt;
use surefoot_fit::FitError;

/// Exit status, 1, of a run that fails because of its data or a file.
pub(crate) const DATA: u8 = 1;
/// Exit status, 2, of a run that fails because of wrong command-line arguments.
pub(crate) const USAGE: u8 = 2;

/// Error that ends a command: its exit status and the message for the user.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: u8,
    /// One-line message for the user: the location of the problem, its cause and a remedy; empty if nothing is to be
    /// printed.
    pub(crate) message: String,
}

impl Failure {
    /// Builds the error of a run that fails because of its data or a file.
    pub(crate) fn data(message: impl Into<String>) -> Failure {
        Failure { status: DATA, message: message.into() }
    }

    /// Builds the error of a run that fails because of wrong command-line arguments.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { status: USAGE, message: message.into() }
    }

    /// Builds the error of a run that was ended by a signal; its exit status is that of the signal.
    pub(crate) fn signalled(signal: Signal, message: impl Into<String>) -> Failure {
        Failure { status: signal.status(), message: message.into() }
    }

    /// Builds the error of a run that cannot write to standard output.
    pub(crate) fn stdout(error: &std::io::Error) -> Failure {
        let text = error.to_string();
        Failure::data(format!("standard output: {}", text.split(" (os error").next().unwrap_or(&text)))
    }

    /// Appends `what`, usually the fate of the work done so far, to the message.
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

impl From<FitError> for Failure {
    fn from(error: FitError) -> Failure {
        match error {
            FitError::Setting(contradiction) => Failure::usage(contradictions::words(&contradiction)),
            FitError::Read(error) | FitError::Save(error) => error.into(),
            FitError::TooManyBadRows { allowed, next } => {
                let (rows, were) = (number::rows(allowed), if allowed == 1 { "was" } else { "were" });
                let all = format!("{rows} at fault {were} passed over before, all that --skip-bad-rows allows");
                Failure::from(next).and(all)
            }
            FitError::NoFeature { data, name } => {
                let says = "no row has a feature that is used, so that nothing was learnt";
                let flag = unmet::flag(&name);
                Failure::data(format!("{data}: {says}: {flag} names a namespace or index that is nowhere"))
            }
            FitError::Changed { input } => {
                Failure::data(format!("{input}: its bytes are not those that were learnt before; give the same DATA"))
            }
            FitError::OtherData { reason } => Failure::data(format!("{reason}; give the same DATA")),
            FitError::ReadOnce { input } => Failure::data(format!(
                "{input}: a pipe cannot be read several times; give it as standard input (-), which is spooled"
            )),
            other => Failure::data(other.to_string()),
        }
    }
}

/// Error of a fit, or flags that it cannot be run with.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Message of one line, as the command prints it, with its remedy in terms of flags.
    pub message: String,
    /// Whether the flags are at fault, not the data or a file.
    pub is_usage: bool,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refused {}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Refused {
        Refused { is_usage: failure.status == USAGE, message: failure.message }
    }
}

impl From<FitError> for Refused {
    fn from(error: FitError) -> Refused {
        Failure::from(error).into()
    }
}
