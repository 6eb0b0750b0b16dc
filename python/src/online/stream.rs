//! The bound in probability for gradients of bounded length.

use pyo3::prelude::*;

use super::certificate::{Certificate, outcome};
use super::domain::Domain;

/// The sums of the bound in probability.
#[pyclass(module = "surefoot.online")]
pub(crate) struct Stream(surefoot::certificate::Stream);

#[pymethods]
impl Stream {
    #[new]
    fn new(domain: &Domain, bound: f64) -> Self {
        Self(surefoot::certificate::Stream::new::<f64, _>(&domain.part, bound))
    }

    fn open(&mut self, weight: f64, examples: u64, distance: f64) {
        self.0.open(weight, examples, distance);
    }

    fn example(&mut self, norm: f64) {
        self.0.example(norm);
    }

    fn certificate(&self, py: Python<'_>, mean: &Certificate, total: f64, delta: f64) -> PyResult<Certificate> {
        outcome(py, self.0.certificate(&mean.0, total, delta, None))
    }
}
