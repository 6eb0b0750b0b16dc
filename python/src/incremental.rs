//! Learning part by part.

use crate::{errors, interrupt::answering_signals, model::Model, rows::Rows};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use surefoot_cli::embedded::Prepared;

/// Trainer that learns rows part by part in one pass.
#[pyclass(frozen, module = "surefoot._surefoot")]
#[derive(Debug)]
pub(crate) struct Incremental(Mutex<surefoot_fit::Incremental>);

#[pymethods]
impl Incremental {
    /// Creates a trainer with the flags of `surefoot fit`, for rows like these, which are not learnt yet.
    #[new]
    #[pyo3(signature = (flags, rows, start=None))]
    fn new(flags: Vec<String>, rows: &Rows, start: Option<&Model>) -> PyResult<Incremental> {
        let prepared = Prepared::new(&flags, &rows.data, start.map(|model| &*model.0));
        let prepared = prepared.map_err(|error| errors::refused(&error))?;
        let trainer = prepared.incremental().map_err(|error| errors::refused(&error))?;
        Ok(Incremental(Mutex::new(trainer)))
    }

    /// Learns rows. A row at fault is a `ValueError`, and none of them is learnt then. Ctrl-C ends the learning within them.
    fn learn(&self, py: Python<'_>, rows: &Rows) -> PyResult<()> {
        let (learnt, raised) = answering_signals(py, |stop| {
            let mut trainer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            rows.name_classes(|text| trainer.options().found.class(text));
            trainer.learn(&rows.data, &stop)
        });
        match (learnt, raised) {
            (_, Some(raised)) => Err(raised),
            (Err(interrupt), None) => errors::unless_stopped(interrupt),
            (Ok(()), None) => Ok(()),
        }
    }

    /// Returns the number of rows learnt so far.
    fn rows(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).summary().rows)
    }

    /// Returns the model so far.
    fn model(&self, py: Python<'_>) -> Model {
        py.detach(|| Model(Arc::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).model())))
    }
}
