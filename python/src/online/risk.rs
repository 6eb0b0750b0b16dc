//! The bound on the expected loss itself.

use pyo3::prelude::*;

use super::certificate::{Certificate, gradients, outcome};

/// The sums of the bound on the expected loss.
#[pyclass(module = "surefoot.online")]
pub(crate) struct Risk(surefoot::certificate::Risk);

#[pymethods]
impl Risk {
    #[new]
    fn new(loss: f64, slope: f64) -> Self {
        Self(surefoot::certificate::Risk::new(loss, slope))
    }

    fn open(&mut self, weight: f64, examples: u64, away: f64) {
        self.0.open(weight, examples, away);
    }

    fn example(&mut self, loss: f64, lead: f64) {
        self.0.example(loss, lead);
    }

    fn expectation(&self, py: Python<'_>, kind: &str) -> PyResult<Certificate> {
        outcome(py, self.0.expectation(gradients(kind)?))
    }

    fn certificate(&self, py: Python<'_>, kind: &str, delta: f64) -> PyResult<Certificate> {
        outcome(py, self.0.certificate(gradients(kind)?, delta))
    }
}
