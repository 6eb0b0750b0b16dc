//! Errors of the libraries as Python exceptions.

use pyo3::{
    exceptions::{PyOSError, PyValueError},
    prelude::*,
};
use surefoot_cli::embedded::Refused;
use surefoot_fit::{FitError, Interrupt};
use surefoot_io::ErrorKind;

/// Converts an error into a `ValueError` with the message of the command, whose flags the Python package puts in Python's words.
pub(crate) fn refused(error: &Refused) -> PyErr {
    PyValueError::new_err(error.message.clone())
}

/// Converts an error of a fit or a prediction.
pub(crate) fn of_fit(error: FitError) -> PyErr {
    refused(&error.into())
}

/// Converts an error of a model file: one of the system is an `OSError`.
pub(crate) fn of_file(error: surefoot_io::Error) -> PyErr {
    match error.kind() {
        ErrorKind::Read { .. } | ErrorKind::Write { .. } => PyOSError::new_err(error.to_string()),
        _ => of_fit(FitError::Read(error)),
    }
}

/// Converts the end of an interrupted work: an error, or a request to stop, for which `Ok` is returned.
pub(crate) fn unless_stopped(interrupt: Interrupt) -> PyResult<()> {
    match interrupt {
        Interrupt::Error(error) => Err(of_fit(error)),
        Interrupt::Stop(_) => Ok(()),
    }
}
