//! Error that waits until the rows before it have been delivered.

use surefoot_glm::Batch;

use crate::error::Error;

/// Error that was met behind rows of the same batch, and is returned at the next call.
#[derive(Debug, Default)]
pub(super) struct HeldError(Option<Error>);

impl HeldError {
    /// Returns the error that waits, if there is one.
    pub(super) fn take(&mut self) -> Result<(), Error> {
        self.0.take().map_or(Ok(()), Err)
    }

    /// Returns what a step of a source yields as [`RowSource::read`](crate::RowSource::read) does, given the batch that it filled; `None` if
    /// another step is to follow, because there are neither rows nor an error nor the end.
    pub(super) fn hold(&mut self, stepped: Result<bool, Error>, batch: &Batch) -> Option<Result<bool, Error>> {
        match stepped {
            Ok(true) if batch.is_empty() => None,
            Err(error) if !batch.is_empty() => {
                self.0 = Some(error);
                Some(Ok(true))
            }
            other => Some(other),
        }
    }
}
