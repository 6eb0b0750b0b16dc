//! Errors of a fit, as an enum rather than text, so that the calling program can word its own messages.

use crate::{setting::Contradiction, unmet::UnmetName};
use std::{fmt, io};
use surefoot_io::Error;

/// Error of a fit or of an evaluation.
#[derive(Debug)]
#[non_exhaustive]
pub enum FitError {
    /// Contradictory settings, or a setting out of its range. The fit has read and written nothing.
    Setting(Contradiction),
    /// Input that cannot be read, or a bad row (one that cannot be parsed or learnt). The error contains the location.
    Read(Error),
    /// Model that could not be written.
    Save(Error),
    /// More bad rows (rows that cannot be parsed or learnt) than may be skipped.
    TooManyBadRows {
        /// Maximum number of rows to skip, all of which were skipped.
        allowed: u64,
        /// Error of the first bad row that could not be skipped.
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
    /// Data without a usable feature: the caller selected features by name to keep, but none of them occurs in any row.
    NoFeature {
        /// Name of the data, for the message.
        data: String,
        /// First of the names to keep that occurs in no row.
        name: UnmetName,
    },
    /// Input whose bytes changed between two passes, or since an interrupted run read them.
    Changed {
        /// Name of the changed input, such as a file name.
        input: String,
    },
    /// Data that differ from those of the interrupted run to be resumed.
    OtherData {
        /// Description of how the data differ from those of the interrupted run.
        reason: String,
    },
    /// Input that can be read only once, although the fit needs to read it several times.
    ReadOnce {
        /// Name of the input that can be read only once.
        input: String,
    },
    /// Optimum over all rows that cannot be computed.
    Optimum {
        /// Reason why the optimum cannot be computed, for the message.
        reason: String,
    },
    /// Rows of several shards that do not go together, or settings that a fit to shards does not take.
    Shards {
        /// Reason why the fit cannot go on, for the message.
        reason: String,
    },
    /// I/O error while storing the held-out rows in a temporary file.
    Holdout(io::Error),
    /// Model that cannot be trained further.
    Resume {
        /// Reason why the model cannot be trained further, for the message.
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
            FitError::Shards { reason } => f.write_str(reason),
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

impl FitError {
    /// Returns the error of too many rows at fault in all shards together.
    ///
    /// ```
    /// let error = surefoot_fit::FitError::too_many_in_shards(5, 3);
    /// assert_eq!(error.to_string(), "5 rows of all shards are at fault, and 3 may be skipped");
    /// ```
    #[must_use]
    pub fn too_many_in_shards(skipped: u64, allowed: u64) -> FitError {
        let reason = format!("{skipped} rows of all shards are at fault, and {allowed} may be skipped");
        FitError::Shards { reason }
    }
}
