//! The certificate for a loss with an elastic net in place of a domain.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use surefoot::{ElasticNet, Penalty};

use super::certificate::{Certificate, gradients, outcome};
use super::check::fault;
use super::row::Row;

/// The sums of the certificate for a penalised loss.
#[pyclass(module = "surefoot.online")]
pub(crate) struct Composite {
    sums: surefoot::certificate::Composite,
    net: ElasticNet,
    dim: usize,
    steps: u64,
}

#[pymethods]
impl Composite {
    #[new]
    fn new(dim: usize, l1: f64, l2: f64) -> Self {
        Self { sums: surefoot::certificate::Composite::new(dim), net: ElasticNet::new(l1, l2), dim, steps: 0 }
    }

    /// The value of the penalty at a point.
    fn penalty(&self, x: PyReadonlyArray1<'_, f64>) -> f64 {
        let x = x.as_array();
        self.net.value(x.len(), |i| x[i])
    }

    #[pyo3(signature = (weight, indices, values, scale, iterate))]
    fn record(
        &mut self,
        weight: f64,
        indices: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
        iterate: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<()> {
        let row = Row::new(indices.as_ref(), &values, scale)?;
        if let Some(found) = fault(&row, self.dim, weight) {
            return Err(found.error("gradient", self.steps + 1));
        }
        let iterate = iterate.as_array();
        let penalty = self.net.value(self.dim, |i| iterate[i]);
        self.sums.record(weight, &row, |i| iterate[i], penalty);
        self.steps += 1;
        Ok(())
    }

    fn certificate(&self, py: Python<'_>, total: f64, kind: &str) -> PyResult<Certificate> {
        outcome(py, self.sums.certificate(total, &self.net, gradients(kind)?))
    }
}
