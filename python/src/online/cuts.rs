//! Lower bounds on a convex loss from its values and gradients.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use surefoot::Penalty;
use surefoot::certificate::{Comparator, Inside};

use super::certificate::{Certificate, outcome};
use super::check::fault;
use super::domain::{AnyDomain, Domain};
use super::fault::raised;
use super::row::Row;

/// A domain as the penalty that is 0 inside and infinite outside, which owns its domain.
#[derive(Clone)]
struct Within(AnyDomain);

impl Penalty for Within {
    fn value(&self, dim: usize, x: impl Fn(usize) -> f64) -> f64 {
        Inside::<f64, _>::new(&self.0).value(dim, x)
    }

    fn conjugate(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        Inside::<f64, _>::new(&self.0).conjugate(dim, z)
    }

    fn farthest(&self, dim: usize, z: impl Fn(usize) -> f64, slack: f64) -> f64 {
        Inside::<f64, _>::new(&self.0).farthest(dim, z, slack)
    }

    fn comparator(&self) -> Comparator {
        Comparator::Domain
    }
}

/// Cuts over a domain.
#[pyclass(module = "surefoot.online")]
pub(crate) struct Cuts {
    cuts: surefoot::certificate::Cuts<Within>,
    dim: usize,
    steps: u64,
}

#[pymethods]
impl Cuts {
    #[new]
    fn new(dim: usize, domain: &Domain) -> Self {
        Self { cuts: surefoot::certificate::Cuts::new(dim, Within(domain.part.clone())), dim, steps: 0 }
    }

    #[pyo3(signature = (weight, value, indices, values, scale, query))]
    fn record(
        &mut self,
        weight: f64,
        value: f64,
        indices: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
        query: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<()> {
        let row = Row::new(indices.as_ref(), &values, scale)?;
        if let Some(found) = fault(&row, self.dim, weight) {
            return Err(found.error("gradient", self.steps + 1));
        }
        if !value.is_finite() {
            return Err(PyValueError::new_err(format!("the value of step {} is {value}", self.steps + 1)));
        }
        let query = query.as_array();
        self.cuts.record(weight, value, &row, |i| query[i]);
        self.steps += 1;
        Ok(())
    }

    fn tighten(&mut self) -> PyResult<f64> {
        let floor = self.cuts.tighten();
        raised().map(|()| floor)
    }

    fn floor(&self) -> f64 {
        self.cuts.floor()
    }

    fn certificate(&self, py: Python<'_>, value: f64) -> PyResult<Certificate> {
        outcome(py, self.cuts.certificate(value))
    }

    fn copy(&self) -> Self {
        Self { cuts: self.cuts.clone(), ..*self }
    }
}
