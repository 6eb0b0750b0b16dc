//! A distributed run in progress, as whoever coordinates it sees it.

use crate::{
    errors,
    fit::{Fitted, Messages, listener},
    interrupt::answering_signals,
};
use pyo3::{buffer::PyBuffer, exceptions::PyRuntimeError, prelude::*, types::PyBytes};
use std::sync::{Arc, Mutex, PoisonError};
use surefoot_cli::distributed;

/// Messages for workers: the number of the worker, and the head and the body of the message. Equal bodies are one object.
type Letters<'py> = Vec<(u64, Bound<'py, PyBytes>, Bound<'py, PyBytes>)>;

/// Place of a run, which is empty once its result was taken.
#[derive(Clone)]
pub(crate) struct Slot(Arc<Mutex<Option<distributed::Run>>>);

impl Slot {
    pub(crate) fn of(run: distributed::Run) -> Slot {
        Slot(Arc::new(Mutex::new(Some(run))))
    }

    pub(crate) fn take(&self) -> Option<distributed::Run> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Distributed run in progress: it is told what happens to workers, and returns the messages that they are to get.
#[pyclass(frozen, module = "surefoot._surefoot")]
pub(crate) struct Run {
    slot: Slot,
    messages: Messages,
}

impl Run {
    /// Wraps the run of a command, which keeps its messages itself.
    pub(crate) fn new(slot: Slot) -> Run {
        Run { slot, messages: Messages::default() }
    }

    /// Calls a function with the run, without the interpreter lock.
    fn with<T: Send>(&self, py: Python<'_>, call: impl FnOnce(&mut distributed::Run) -> T + Send) -> PyResult<T> {
        py.detach(|| self.slot.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(call)).ok_or_else(over)
    }

    fn letters<'py>(
        &self,
        py: Python<'py>,
        call: impl FnOnce(&mut distributed::Run) -> distributed::Letters + Send,
    ) -> PyResult<Letters<'py>> {
        Ok(of_python(py, &self.with(py, call)?))
    }
}

#[pymethods]
impl Run {
    /// Prepares the run of a command line of `surefoot fit`, `predict` or `eval`. `tell` is as that of `fit`.
    #[staticmethod]
    #[pyo3(signature = (line, tell=None))]
    fn prepare(py: Python<'_>, line: Vec<String>, tell: Option<Py<PyAny>>) -> PyResult<Run> {
        let messages = Messages::default();
        let listener = listener(Messages::clone(&messages), tell);
        let (run, raised) = answering_signals(py, |stop| {
            drop(stop);
            distributed::Run::prepare(line, surefoot_fit::StopConditions::default(), listener)
        });
        match (raised, run) {
            (Some(raised), _) => Err(raised),
            (None, Ok(run)) => Ok(Run { slot: Slot::of(run), messages }),
            (None, Err(error)) => Err(errors::refused(&error)),
        }
    }

    /// Name or address of the engine.
    #[getter]
    fn address(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |run| run.address().to_owned())
    }

    /// Number of workers that was asked for.
    #[getter]
    fn workers(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        self.with(py, |run| run.workers())
    }

    /// Number of shards.
    #[getter]
    fn shards(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |run| run.shards())
    }

    /// Whether the run has ended, with or without a result.
    #[getter]
    fn has_ended(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |run| run.has_ended())
    }

    /// Gets ready for this many workers, and waits this many milliseconds for those that are missing.
    fn start(&self, py: Python<'_>, workers: usize, patience: u64) -> PyResult<()> {
        self.with(py, |run| run.start(workers, patience))?.map_err(|error| errors::refused(&error))
    }

    /// Takes note of a new worker.
    fn joined<'py>(&self, py: Python<'py>, worker: u64) -> PyResult<Letters<'py>> {
        self.letters(py, |run| run.joined(worker))
    }

    /// Takes note that a worker is lost, and why.
    fn lost<'py>(&self, py: Python<'py>, worker: u64, how: &str) -> PyResult<Letters<'py>> {
        let how = how.to_owned();
        self.letters(py, move |run| run.lost(worker, &how))
    }

    /// Takes a message of a worker: bytes, or an array of them.
    fn received<'py>(&self, py: Python<'py>, worker: u64, message: PyBuffer<u8>) -> PyResult<Letters<'py>> {
        let message = message.to_vec(py)?;
        self.letters(py, move |run| run.received(worker, &message))
    }

    /// Takes note of the time.
    fn tick<'py>(&self, py: Python<'py>) -> PyResult<Letters<'py>> {
        self.letters(py, distributed::Run::tick)
    }

    /// Asks the run to end early, with the best model so far.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, distributed::Run::stop)
    }

    /// Ends the run with an error.
    fn fail(&self, py: Python<'_>, message: String) -> PyResult<()> {
        self.with(py, move |run| run.fail(message))
    }

    /// Prints a note.
    fn note(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        let text = text.to_owned();
        self.with(py, move |run| run.note(&text))
    }

    /// Where the run stands, as JSON.
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |run| run.status().to_string())
    }

    /// Returns the result of a run that has ended, as that of a fit.
    fn conclude(&self, py: Python<'_>) -> PyResult<Fitted> {
        let run = py.detach(|| self.slot.take()).ok_or_else(over)?;
        let concluded = py.detach(|| run.conclude()).map_err(|error| errors::refused(&error))?;
        Fitted::of_distributed(py, concluded, &self.messages)
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("the result of the run was taken already")
}

/// Returns messages as objects of Python; the bodies of messages that say the same to several workers are one object.
fn of_python<'py>(py: Python<'py>, letters: &distributed::Letters) -> Letters<'py> {
    let mut last: Option<(&[u8], Bound<'py, PyBytes>)> = None;
    let mut sent = Letters::with_capacity(letters.len());
    for (worker, message) in letters {
        let (head, body) = message.split_at(head(message));
        let shared = last.as_ref().filter(|(bytes, _)| *bytes == body).map(|(_, object)| object.clone());
        let object = shared.unwrap_or_else(|| PyBytes::new(py, body));
        last = Some((body, object.clone()));
        sent.push((*worker, PyBytes::new(py, head), object));
    }
    sent
}

/// Returns the length of what precedes the body of a message: the length of its head as four bytes, and the head.
fn head(message: &[u8]) -> usize {
    let length = message.first_chunk::<4>().map_or(0, |length| u32::from_le_bytes(*length) as usize);
    length.saturating_add(4).min(message.len())
}
