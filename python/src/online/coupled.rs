//! The certificate of Algorithm 4, which is told the changes in loss from query to output.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use surefoot::certificate::Rise;

use super::certificate::{Certificate, gradients, outcome};
use super::check::fault;
use super::domain::Domain;
use super::fault::raised;
use super::row::Row;

/// The sums of the certificate of Algorithm 4.
#[pyclass(module = "surefoot.online")]
pub(crate) struct Coupled {
    sums: surefoot::certificate::Coupled,
    dim: usize,
    steps: u64,
}

#[pymethods]
impl Coupled {
    #[new]
    fn new(dim: usize) -> Self {
        Self { sums: surefoot::certificate::Coupled::new(dim), dim, steps: 0 }
    }

    #[pyo3(signature = (weight, indices, values, scale, iterate, kind, rise))]
    #[expect(clippy::too_many_arguments, reason = "a round has so many parts")]
    fn record(
        &mut self,
        weight: f64,
        indices: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
        iterate: PyReadonlyArray1<'_, f64>,
        kind: &str,
        rise: (f64, f64, f64),
    ) -> PyResult<()> {
        let rise = match kind {
            "measured" => Rise::Measured(rise.0),
            "slope" => Rise::Slope(rise.0),
            "smooth" => Rise::Smooth { rate: rise.0, norm: rise.1, smoothness: rise.2 },
            _ => return Err(PyValueError::new_err(format!("no change in loss of the kind {kind:?}"))),
        };
        let row = Row::new(indices.as_ref(), &values, scale)?;
        if let Some(found) = fault(&row, self.dim, weight) {
            return Err(found.error("gradient", self.steps + 1));
        }
        let iterate = iterate.as_array();
        self.sums.record(weight, &row, |i| iterate[i], rise);
        self.steps += 1;
        Ok(())
    }

    fn certificate(&self, py: Python<'_>, domain: &Domain, kind: &str) -> PyResult<Certificate> {
        let certified = self.sums.certificate(&domain.part, gradients(kind)?);
        raised()?;
        outcome(py, certified)
    }
}
