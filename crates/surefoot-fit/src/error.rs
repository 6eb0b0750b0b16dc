//! Errors of a fit, as data, so that a program can choose its own messages.

use crate::{setting::Contradiction, unmet::UnmetName};
use std::{fmt, io};
use surefoot_io::Error;

/// An error of a fit or an evaluation.
#[derive(Debug)]
#[non_exhaustive]
pub enum FitError {
    /// Contradictory settings, or one out of its range. Nothing was read or written.
    Setting(Contradiction),
    /// An input that cannot be read, or a row at fault; the error names the location.
    Read(Error),
    /// The model cannot be written.
    Save(Error),
    /// More rows at fault than may be skipped.
    TooManyBadRows {
        /// Number of rows skipped.
        allowed: u64,
        /// The error of the next one.
        next: Error,
    },
    /// The data hold no rows.
    NoRows {
        /// The data.
        data: String,
    },
    /// All rows have weight 0.
    NoWeight {
        /// The data.
        data: String,
    },
    /// No row has a feature that is used, since the names to keep do not occur.
    NoFeature {
        /// The data.
        data: String,
        /// The first of those names.
        name: UnmetName,
    },
    /// An input differs from the one that was learnt before.
    Changed {
        /// The input.
        input: String,
    },
    /// The data are not those of the interrupted run.
    OtherData {
        /// The difference.
        reason: String,
    },
    /// Rows have to be read several times, and an input can be read only once.
    ReadOnce {
        /// The input.
        input: String,
    },
    /// The optimum cannot be computed for these rows.
    Optimum {
        /// The reason.
        reason: String,
    },
    /// Held-out rows cannot be stored.
    Holdout(io::Error),
    /// A model cannot be trained further.
    Resume {
        /// The reason.
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
