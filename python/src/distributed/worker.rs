//! A worker of a distributed fit, which turns messages into messages.

use pyo3::{buffer::PyBuffer, prelude::*, types::PyBytes};
use std::sync::{Mutex, PoisonError};
use surefoot_cli::distributed::program;
use surefoot_distributed as distributed;

/// Worker of a distributed fit. The fit itself runs on a thread of its own, and only while `handle` runs.
#[pyclass(frozen, module = "surefoot._surefoot")]
pub(crate) struct Worker(Mutex<distributed::Worker>);

#[pymethods]
impl Worker {
    #[new]
    fn new() -> Worker {
        Worker(Mutex::new(distributed::Worker::new(program())))
    }

    /// Returns the messages to send when the worker starts.
    fn tick<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        let messages = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).tick());
        messages.iter().map(|message| PyBytes::new(py, message)).collect()
    }

    /// Takes a message in two parts, and returns the messages to send in return. Works without the interpreter lock.
    fn handle<'py>(
        &self,
        py: Python<'py>,
        head: PyBuffer<u8>,
        body: PyBuffer<u8>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let message = [head.to_vec(py)?, body.to_vec(py)?].concat();
        let answers = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).handle(&message));
        Ok(answers.iter().map(|answer| PyBytes::new(py, answer)).collect())
    }

    /// Whether the head of a message says that the run has ended, so that the worker is not needed any more.
    #[staticmethod]
    fn is_told_to_end(head: &[u8]) -> bool {
        distributed::Worker::is_told_to_end(head)
    }
}
