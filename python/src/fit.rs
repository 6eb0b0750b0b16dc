//! One call that trains a model.

use crate::{errors, interrupt::answering_signals, model::Model, rows::Rows};
use pyo3::{exceptions::PyKeyboardInterrupt, prelude::*};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use surefoot_cli::{
    distributed::Concluded,
    embedded::{Message, Prepared},
};
use surefoot_fit::StopReason;

/// Least time between two calls about progress.
const PERIOD: Duration = Duration::from_millis(100);

/// Notes and warnings of a fit: pairs of `note` or `warning` and the message.
pub(crate) type Messages = Arc<Mutex<Vec<(&'static str, String)>>>;

/// Result of a fit.
#[pyclass(frozen, get_all, module = "surefoot._surefoot")]
#[derive(Debug)]
pub(crate) struct Fitted {
    /// Trained model; `None` if no row was learnt.
    model: Option<Py<Model>>,
    /// Why the fit ended early: `requested`, `budget` or `gap`; `None` if it did not.
    stop: Option<&'static str>,
    /// Results as JSON, as the last line of `surefoot fit --json`.
    results: String,
    /// Recorded losses as JSON.
    curve: String,
    /// Report page, if it was asked for.
    page: Option<String>,
    /// Notes and warnings: pairs of `note` or `warning` and the message.
    messages: Vec<(&'static str, String)>,
    /// Exception of a signal handler that stopped the fit, to be raised once the model is kept.
    raised: Option<Py<PyAny>>,
}

/// Trains a model with the flags of `surefoot fit`. `tell`, if given, is called with `("line", text)` for each line that the command
/// would print, and at most ten times a second with `("progress", (read, all))`.
#[pyfunction]
#[pyo3(signature = (flags, rows, start=None, report=false, tell=None))]
pub(crate) fn fit(
    py: Python<'_>,
    flags: Vec<String>,
    rows: &Rows,
    start: Option<&Model>,
    report: bool,
    tell: Option<Py<PyAny>>,
) -> PyResult<Fitted> {
    let prepared = Prepared::new(&flags, &rows.data, start.map(|model| &*model.0));
    let prepared = prepared.map_err(|error| errors::refused(&error))?;
    rows.name_classes(|text| prepared.class(text));
    let messages = Messages::default();
    let listener = listener(Messages::clone(&messages), tell);
    let (finished, raised) = answering_signals(py, |stop| prepared.run(&rows.data, stop, report, listener));
    let finished = finished.map_err(|error| errors::refused(&error))?;
    let model = finished.has_learnt.then(|| Py::new(py, Model(Arc::new(finished.model)))).transpose()?;
    let stop = finished.stop.map(name_of);
    let raised = raised.map(|error| error.into_value(py).into_any());
    let messages = taken(&messages);
    let (results, curve) = (finished.results.to_string(), finished.curve.to_string());
    Ok(Fitted { model, stop, results, curve, page: finished.page, messages, raised })
}

impl Fitted {
    /// Returns the result of a distributed fit.
    pub(crate) fn of_distributed(py: Python<'_>, found: Concluded, messages: &Messages) -> PyResult<Fitted> {
        let model = found.model.map(|model| Py::new(py, Model(Arc::new(model)))).transpose()?;
        let (results, curve) = (found.results.to_string(), found.curve.to_string());
        let (stop, messages) = (found.stop.map(name_of), taken(messages));
        Ok(Fitted { model, stop, results, curve, page: found.page, messages, raised: None })
    }
}

/// Returns the name of a reason for Python.
fn name_of(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Requested => "requested",
        StopReason::Budget => "budget",
        StopReason::Gap => "gap",
    }
}

fn taken(messages: &Messages) -> Vec<(&'static str, String)> {
    std::mem::take(&mut *messages.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns the receiver of messages: it keeps notes and warnings, and passes the others to Python.
pub(crate) fn listener(messages: Messages, tell: Option<Py<PyAny>>) -> impl Fn(Message<'_>) + Send + Sync + 'static {
    let last = Mutex::new(None::<Instant>);
    move |message| {
        let kept = |kind, text: &str| {
            messages.lock().unwrap_or_else(PoisonError::into_inner).push((kind, text.to_owned()));
        };
        match message {
            Message::Note(text) => kept("note", text),
            Message::Warning(text) => kept("warning", text),
            _ => {}
        }
        let Some(tell) = &tell else { return };
        match message {
            Message::Line(text) => call(tell, |py, tell| tell.call1(py, ("line", text))),
            Message::Progress(read, all) => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.is_none_or(|last| last.elapsed() >= PERIOD) {
                    *last = Some(Instant::now());
                    call(tell, |py, tell| tell.call1(py, ("progress", (read, all))));
                }
            }
            _ => {}
        }
    }
}

/// Calls Python; an exception there does not end the fit, and is shown as one in a destructor would be.
fn call(tell: &Py<PyAny>, with: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<Py<PyAny>>) {
    Python::attach(|py| {
        if let Err(error) = with(py, tell)
            && !error.is_instance_of::<PyKeyboardInterrupt>(py)
        {
            error.write_unraisable(py, None);
        }
    });
}
