//! The sums of Theorem 1, kept by a caller's own loop.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use surefoot::View;

use super::certificate::{Certificate, gradients, outcome};
use super::check::fault;
use super::domain::Domain;
use super::fault::raised;
use super::row::Row;

/// The sums from which a certificate follows.
#[pyclass(module = "surefoot.online")]
pub(crate) struct Ledger {
    sums: surefoot::Ledger,
    steps: u64,
}

impl Ledger {
    pub(super) fn of(sums: surefoot::Ledger) -> Self {
        Self { sums, steps: 0 }
    }
}

#[pymethods]
impl Ledger {
    #[new]
    fn new(dim: usize) -> Self {
        Self::of(surefoot::Ledger::new(dim))
    }

    fn dim(&self) -> usize {
        self.sums.gradients().len()
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
        if let Some(found) = fault(&row, self.dim(), weight) {
            return Err(found.error("gradient", self.steps + 1));
        }
        let iterate = iterate.as_array();
        self.sums.record(weight, &row, |i| iterate[i]);
        self.steps += 1;
        Ok(())
    }

    fn linear(&self) -> f64 {
        self.sums.linear()
    }

    fn gradients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.sums.gradients())
    }

    fn regret(&self, domain: &Domain) -> PyResult<f64> {
        let regret = self.sums.regret(&domain.part);
        raised().map(|()| regret)
    }

    fn certificate(
        &self,
        py: Python<'_>,
        total: f64,
        domain: &Domain,
        output: PyReadonlyArray1<'_, f64>,
        kind: &str,
    ) -> PyResult<Certificate> {
        let output = output.as_array();
        let output = View::new(output.len(), |i| output[i]);
        let certified = self.sums.certificate(total, &domain.part, &output, gradients(kind)?);
        raised()?;
        outcome(py, certified)
    }

    fn copy(&self) -> Self {
        Self { sums: self.sums.clone(), ..*self }
    }
}
