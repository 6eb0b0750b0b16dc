//! Errors of a fit, as data, so that a program can word its own messages.

use crate::{setting::Contradiction, unmet::UnmetName};
use std::{fmt, io};
use surefoot_io::Error;

/// Error of a fit or an evaluation.
#[derive(Debug)]
#[non_exhaustive]
pub enum FitError {
    /// Contradictory settings, or a setting out of its range. Nothing was read or written.
    Setting(Contradiction),
    /// Unreadable input or row at fault. The error names the location.
    Read(Error),
    /// Failure to write the model.
    Save(Error),
    /// More rows at fault than may be skipped.
    TooManyBadRows {
        /// Number of rows that may be skipped, all of which were skipped.
        allowed: u64,
        /// Error of the next row at fault.
        next: Error,
    },
    /// Data without rows.
    NoRows {
        /// Name of the data, for the message.
        data: String,
    },
    /// Data in which every row has weight 0.
    NoWeight {
        /// Name of the data, for the message.
        data: String,
    },
    /// Data in which no row has a feature that is used, because the names of features to keep do not occur.
    NoFeature {
        /// Name of the data, for the message.
        data: String,
        /// First name to keep that does not occur.
        name: UnmetName,
    },
    /// Input whose bytes differ from those learnt before.
    Changed {
        /// Name of the input.
        input: String,
    },
    /// Data that are not those of the interrupted run.
    OtherData {
        /// Description of the difference.
        reason: String,
    },
    /// Input that can be read only once, although the rows have to be read several times.
    ReadOnce {
        /// Name of the input.
        input: String,
    },
    /// Optimum that cannot be computed for these rows.
    Optimum {
        /// Reason, for the message.
        reason: String,
    },
    /// Failure to store held-out rows.
    Holdout(io::Error),
    /// Model that cannot be trained further.
    Resume {
        /// Reason, for the message.
        reason: String,
    },
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FitError::Setting(contradiction) => contradiction.fmt(f),
            FitError::Read(error) | FitError::Save(error) => error.fmt(f),
            FitError::TooManyBadRows { allowed, next } => {
                let (rows, were) = if *allowed == 1 { ("row", "was") } else { ("rows", "were") };
                write!(f, "{next}; {allowed} {rows} at fault {were} passed over before, as many as are allowed")
            }
            FitError::NoRows { data } => write!(f, "{data}: there are no rows"),
            FitError::NoWeight { data } => {
                write!(f, "{data}: the total weight is zero: there is nothing to learn from")
            }
            FitError::NoFeature { data, name } => write!(
                f,
                "{data}: no row has a feature that is used, so that nothing was learnt: '{}' is the name of no namespace or index",
                name.name
            ),
            FitError::Changed { input } => {
                write!(f, "{input}: its bytes are not those that were learnt before; give the same data")
            }
            FitError::OtherData { reason } => write!(f, "{reason}; give the same data"),
            FitError::ReadOnce { input } => write!(
                f,
                "{input}: a pipe cannot be read several times; give it as standard input, which is copied to a file"
            ),
            FitError::Holdout(error) => {
                write!(f, "{}: held-out rows cannot be stored (TMPDIR): {error}", std::env::temp_dir().display())
            }
            FitError::Optimum { reason } => write!(f, "there is no optimum to be found: {reason}"),
            FitError::Resume { reason } => write!(f, "the model cannot be trained further: {reason}"),
        }
    }
}

impl std::error::Error for FitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FitError::Setting(contradiction) => Some(contradiction),
            FitError::Read(error) | FitError::Save(error) | FitError::TooManyBadRows { next: error, .. } => Some(error),
            FitError::Holdout(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for FitError {
    fn from(error: Error) -> FitError {
        FitError::Read(error)
    }
}

impl From<Contradiction> for FitError {
    fn from(contradiction: Contradiction) -> FitError {
        FitError::Setting(contradiction)
    }
}
