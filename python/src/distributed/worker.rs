//! A worker of a distributed fit, which turns messages into messages.

use pyo3::{buffer::PyBuffer, prelude::*, types::PyBytes};
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use surefoot_cli::distributed::program;
use surefoot_distributed as distributed;

/// Time between two messages about progress among the answers of a worker.
const PULSE: Duration = Duration::from_millis(500);

/// Worker of a distributed fit. The fit itself runs on a thread of its own, and only while `handle` runs.
#[pyclass(frozen, module = "surefoot._surefoot")]
pub(crate) struct Worker {
    worker: Mutex<distributed::Worker>,
    pulse: distributed::Pulse,
    told: Mutex<Instant>,
}

impl Worker {
    /// Returns the answers to a message, and from time to time one about progress.
    fn answers(&self, message: &[u8]) -> Vec<Vec<u8>> {
        let mut answers = self.worker.lock().unwrap_or_else(PoisonError::into_inner).handle(message);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= PULSE {
            *told = Instant::now();
            answers.extend(self.pulse.message());
        }
        answers
    }
}

#[pymethods]
impl Worker {
    #[new]
    fn new() -> Worker {
        let worker = distributed::Worker::new(program());
        let (pulse, told) = (worker.pulse(), Mutex::new(Instant::now()));
        Worker { worker: Mutex::new(worker), pulse, told }
    }

    /// Returns the messages to send when the worker starts.
    fn tick<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        let messages = py.detach(|| self.worker.lock().unwrap_or_else(PoisonError::into_inner).tick());
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
        let answers = py.detach(|| self.answers(&message));
        Ok(answers.iter().map(|answer| PyBytes::new(py, answer)).collect())
    }

    /// Returns a message about progress, to be sent at any time; `None` if there is no news. Works while `handle` runs.
    fn pulse<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.pulse.message().map(|message| PyBytes::new(py, &message))
    }

    /// Whether the head of a message says that the run has ended, so that the worker is not needed any more.
    #[staticmethod]
    fn is_told_to_end(head: &[u8]) -> bool {
        distributed::Worker::is_told_to_end(head)
    }
}
