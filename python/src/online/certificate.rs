//! Certificates, and the reasons why there is none.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use surefoot::certificate::{Assumption, Assumptions, Comparator, Gradients, Kind, Minimiser, Subject};
use surefoot::{Certified, Uncertified};

/// All assumptions; they are told apart by their words.
const ASSUMPTIONS: [Assumption; 13] = [
    Assumption::Convex,
    Assumption::ExactGradients,
    Assumption::FreshRows,
    Assumption::DrawnRows,
    Assumption::FixedWeights,
    Assumption::PredictableWeights,
    Assumption::BoundedGradients,
    Assumption::BoundedLosses,
    Assumption::StronglyConvex,
    Assumption::Smooth,
    Assumption::ExactValues,
    Assumption::FreshValues,
    Assumption::MinimiserInside,
];

/// Reads how gradients were obtained.
pub(super) fn gradients(name: &str) -> PyResult<Gradients> {
    match name {
        "exact" => Ok(Gradients::Exact),
        "fresh" => Ok(Gradients::Fresh),
        "drawn" => Ok(Gradients::Drawn),
        "reused" => Ok(Gradients::Reused),
        _ => Err(PyValueError::new_err(format!(
            "gradients are \"exact\", \"fresh\", \"drawn\" or \"reused\", not {name:?}"
        ))),
    }
}

/// Returns the certificate, or raises `surefoot.online.Uncertified` with the reason.
pub(super) fn outcome(py: Python<'_>, certified: Certified) -> PyResult<Certificate> {
    certified.map(Certificate).map_err(|why| uncertified(py, why))
}

/// Returns the exception for `why`.
fn uncertified(py: Python<'_>, why: Uncertified) -> PyErr {
    let make = || py.import("surefoot.online._errors")?.getattr("Uncertified")?.call1((why.reason(), why.remedy()));
    make().map_or_else(|error| error, PyErr::from_value)
}

/// An upper bound on the excess of a point.
///
/// Attributes
/// ----------
/// value : float
///     The bound, in units of the loss.
/// kind : str
///     ``"deterministic"``, ``"expectation"`` or ``"probability"``.
/// delta : float or None
///     The probability with which a bound of kind ``"probability"`` may fail.
/// subject : str
///     Quantity that is bounded.
/// assumptions : tuple of str
///     Conditions that the bound relies on and the library cannot check.
#[pyclass(frozen, eq, module = "surefoot.online")]
#[derive(Clone, PartialEq)]
pub(crate) struct Certificate(pub(super) surefoot::Certificate);

#[pymethods]
impl Certificate {
    /// Rebuilds a certificate from its attributes, for pickle.
    #[new]
    #[pyo3(signature = (value, kind, delta, subject, assumptions))]
    fn new(value: f64, kind: &str, delta: Option<f64>, subject: &str, assumptions: Vec<String>) -> PyResult<Self> {
        let kind = match (kind, delta) {
            ("deterministic", _) => Kind::Deterministic,
            ("expectation", _) => Kind::Expectation,
            ("probability", Some(delta)) if delta > 0.0 && delta < 1.0 => Kind::Probability { delta },
            _ => return Err(PyValueError::new_err(format!("no certificate of kind {kind:?} with delta {delta:?}"))),
        };
        let subjects = [Subject::Excess(Comparator::Domain), Subject::Excess(Comparator::Space), Subject::Risk];
        let found = subjects.into_iter().find(|known| words(*known) == subject);
        let subject = found.ok_or_else(|| PyValueError::new_err(format!("no certificate bounds {subject:?}")))?;
        let read = |name: &String| {
            let found = ASSUMPTIONS.into_iter().find(|known| known.to_string() == *name);
            found.ok_or_else(|| PyValueError::new_err(format!("no assumption {name:?}")))
        };
        let list: Vec<Assumption> = assumptions.iter().map(read).collect::<PyResult<_>>()?;
        let assumptions = Assumptions::of(&list);
        Ok(Self(surefoot::Certificate { value, kind, subject, assumptions }))
    }

    #[getter]
    fn value(&self) -> f64 {
        self.0.value
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    #[getter]
    fn delta(&self) -> Option<f64> {
        self.0.kind.delta()
    }

    #[getter]
    fn subject(&self) -> String {
        words(self.0.subject)
    }

    #[getter]
    fn assumptions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        let list: Vec<String> = self.0.assumptions.iter().map(|assumption| assumption.to_string()).collect();
        pyo3::types::PyTuple::new(py, list)
    }

    /// Return the bound as a share of the absolute value of an objective.
    fn relative(&self, objective: f64) -> f64 {
        self.0.relative(objective)
    }

    /// Return this bound against the best point of the whole space.
    ///
    /// Only if a minimiser over the whole space is known to lie in the domain, which becomes an assumption.
    fn everywhere(&self, py: Python<'_>) -> PyResult<Self> {
        outcome(py, self.0.everywhere(Minimiser::Inside))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Certificate: {}>", self.0)
    }

    #[expect(clippy::type_complexity, reason = "a tuple for Python")]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyAny>, (f64, &'static str, Option<f64>, String, Vec<String>)) {
        let list = self.0.assumptions.iter().map(|assumption| assumption.to_string()).collect();
        let class = py.get_type::<Self>().into_any();
        (class, (self.value(), self.kind(), self.delta(), self.subject(), list))
    }
}

/// Returns what a certificate bounds, in words.
fn words(subject: Subject) -> String {
    match subject {
        Subject::Excess(over) => format!("the excess over {over}"),
        Subject::Risk => "the expected loss".to_owned(),
    }
}
