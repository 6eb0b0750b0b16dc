//! The certificate for strongly convex losses.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use super::certificate::{Certificate, gradients, outcome};
use super::check::fault;
use super::row::Row;

/// The sums of the certificate for strongly convex losses.
#[pyclass(module = "surefoot.online")]
pub(crate) struct Curved {
    sums: surefoot::certificate::Curved,
    dim: usize,
    steps: u64,
}

#[pymethods]
impl Curved {
    #[new]
    fn new(dim: usize, curvature: f64) -> Self {
        Self { sums: surefoot::certificate::Curved::new(dim, curvature), dim, steps: 0 }
    }

    #[pyo3(signature = (weight, indices, values, scale, query))]
    fn record(
        &mut self,
        weight: f64,
        indices: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
        query: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<()> {
        let row = Row::new(indices.as_ref(), &values, scale)?;
        if let Some(found) = fault(&row, self.dim, weight) {
            return Err(found.error("gradient", self.steps + 1));
        }
        let query = query.as_array();
        self.sums.record(weight, &row, |i| query[i]);
        self.steps += 1;
        Ok(())
    }

    fn certificate(&self, py: Python<'_>, kind: &str) -> PyResult<Certificate> {
        outcome(py, self.sums.certificate(gradients(kind)?))
    }

    fn copy(&self) -> Self {
        Self { sums: self.sums.clone(), ..*self }
    }
}
