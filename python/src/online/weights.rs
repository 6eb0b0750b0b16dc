//! Weights of rounds: those of the library, or any callable.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use surefoot::{Linear, Power, Uniform, Weights as _};

use super::fault;

/// Weights of rounds of any kind.
pub(super) enum AnyWeights {
    Uniform,
    Linear,
    Power(f64),
    /// A callable that maps the number of a round to its weight.
    Own(Py<PyAny>),
}

impl Clone for AnyWeights {
    fn clone(&self) -> Self {
        match self {
            Self::Uniform => Self::Uniform,
            Self::Linear => Self::Linear,
            Self::Power(power) => Self::Power(*power),
            Self::Own(function) => Self::Own(Python::attach(|py| function.clone_ref(py))),
        }
    }
}

impl surefoot::Weights for AnyWeights {
    fn weight(&self, step: u64) -> f64 {
        match self {
            Self::Uniform => Uniform.weight(step),
            Self::Linear => Linear.weight(step),
            Self::Power(power) => Power(*power).weight(step),
            Self::Own(function) => fault::guard(f64::NAN, |py| function.bind(py).call1((step,))?.extract()),
        }
    }
}

/// Weights of rounds, as Python holds them.
#[pyclass(frozen, module = "surefoot.online")]
pub(crate) struct Weights {
    pub(super) part: AnyWeights,
}

impl Weights {
    /// Returns the weights, if the first one is such that a run can begin, and those of `rounds` rounds have a finite
    /// sum.
    pub(super) fn checked(&self, rounds: u64) -> PyResult<AnyWeights> {
        let first = self.part.weight(1);
        fault::raised()?;
        if !(first > 0.0 && first.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "the weight of round 1 must be positive and finite, not {first}"
            )));
        }
        let total: f64 = (1..=rounds).map(|t| self.part.weight(t)).sum();
        fault::raised()?;
        if rounds > 0 && !(total > 0.0 && total.is_finite()) {
            return Err(PyValueError::new_err(format!("the weights of {rounds} rounds sum to {total}")));
        }
        Ok(self.part.clone())
    }
}

#[pymethods]
impl Weights {
    #[staticmethod]
    fn uniform() -> Self {
        Self { part: AnyWeights::Uniform }
    }

    #[staticmethod]
    fn linear() -> Self {
        Self { part: AnyWeights::Linear }
    }

    #[staticmethod]
    fn power(power: f64) -> Self {
        Self { part: AnyWeights::Power(power) }
    }

    #[staticmethod]
    fn own(function: Py<PyAny>) -> Self {
        Self { part: AnyWeights::Own(function) }
    }

    /// The weight of round `step`.
    fn weight(&self, step: u64) -> PyResult<f64> {
        let weight = self.part.weight(step);
        fault::raised().map(|()| weight)
    }
}
