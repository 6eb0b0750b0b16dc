//! Domains: those of the library, or a set written in Python.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use surefoot::{Ball, BoxDomain, L1Ball, Project, Radial, Separable, Simplex, Squares, WholeSpace};

use super::fault;

/// A domain of any kind.
#[derive(Clone)]
pub(super) enum AnyDomain {
    Whole(WholeSpace),
    Ball(Ball<f64>),
    Cuboid(BoxDomain<f64>),
    Simplex(Simplex),
    L1(L1Ball),
    Own(OwnDomain),
}

/// Calls a method of the trait `surefoot::Domain` on whatever domain it is.
macro_rules! any {
    ($self:expr, $domain:ident => $call:expr) => {
        match $self {
            AnyDomain::Whole($domain) => $call,
            AnyDomain::Ball($domain) => $call,
            AnyDomain::Cuboid($domain) => $call,
            AnyDomain::Simplex($domain) => $call,
            AnyDomain::L1($domain) => $call,
            AnyDomain::Own($domain) => $call,
        }
    };
}

impl surefoot::Domain<f64> for AnyDomain {
    fn centre(&self, i: usize) -> f64 {
        any!(self, domain => domain.centre(i))
    }

    fn reach(&self) -> f64 {
        any!(self, domain => surefoot::Domain::<f64>::reach(domain))
    }

    fn bounded(&self) -> bool {
        any!(self, domain => surefoot::Domain::<f64>::bounded(domain))
    }

    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        any!(self, domain => surefoot::Domain::<f64>::support(domain, dim, z))
    }

    fn contains(&self, dim: usize, x: impl Fn(usize) -> f64) -> bool {
        any!(self, domain => surefoot::Domain::<f64>::contains(domain, dim, x))
    }
}

impl Project<f64> for AnyDomain {
    fn project(&self, x: &mut [f64]) {
        any!(self, domain => domain.project(x));
    }
}

/// Only for domains with [`Domain::radial`]; others are refused before a learner asks.
impl Radial<f64> for AnyDomain {
    fn shrink(&self, norm: f64) -> f64 {
        match self {
            AnyDomain::Ball(ball) => ball.shrink(norm),
            _ => 1.0,
        }
    }
}

/// Only for domains with [`Domain::separable`]; others are refused before a learner asks.
impl Separable<f64> for AnyDomain {
    fn width(&self, i: usize) -> f64 {
        match self {
            AnyDomain::Whole(space) => space.width(i),
            AnyDomain::Cuboid(cuboid) => cuboid.width(i),
            _ => 2.0 * surefoot::Domain::<f64>::reach(self),
        }
    }

    fn clip(&self, i: usize, x: f64) -> f64 {
        match self {
            AnyDomain::Cuboid(cuboid) => cuboid.clip(i, x),
            _ => x,
        }
    }
}

/// A domain written in Python: an object with `project(x)`, `centre` and `reach`, and optionally `support(z)` and
/// `contains(x)`.
pub(super) struct OwnDomain {
    object: Py<PyAny>,
    centre: Vec<f64>,
    reach: f64,
    supports: bool,
    contains: bool,
}

impl Clone for OwnDomain {
    fn clone(&self) -> Self {
        let object = Python::attach(|py| self.object.clone_ref(py));
        Self { object, centre: self.centre.clone(), ..*self }
    }
}

impl OwnDomain {
    fn new(object: &Bound<'_, PyAny>, dim: usize) -> PyResult<Self> {
        let centre = match object.getattr_opt("centre")? {
            Some(centre) => array(&centre, dim, "the centre of the domain")?,
            None => vec![0.0; dim],
        };
        let reach = object.getattr_opt("reach")?.map_or(Ok(f64::INFINITY), |reach| reach.extract::<f64>())?;
        if reach.is_nan() || reach <= 0.0 {
            return Err(PyValueError::new_err(format!("the reach of a domain must be positive, not {reach}")));
        }
        let (supports, contains) = (object.hasattr("support")?, object.hasattr("contains")?);
        Ok(Self { object: object.clone().unbind(), centre, reach, supports, contains })
    }

    /// Calls the method `name` of the object with the point `x`.
    fn call<'py>(&self, py: Python<'py>, name: &str, x: &[f64]) -> PyResult<Bound<'py, PyAny>> {
        self.object.bind(py).call_method1(name, (PyArray1::from_slice(py, x),))
    }
}

impl surefoot::Domain<f64> for OwnDomain {
    fn centre(&self, i: usize) -> f64 {
        self.centre.get(i).copied().unwrap_or_default()
    }

    fn reach(&self) -> f64 {
        self.reach
    }

    fn bounded(&self) -> bool {
        self.reach.is_finite()
    }

    /// Without a `support` of its own the domain is known to lie in a ball, whose support function is an upper bound.
    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        let z: Vec<f64> = (0..dim).map(z).collect();
        if self.supports {
            return fault::guard(f64::INFINITY, |py| self.call(py, "support", &z)?.extract());
        }
        let mut squares = Squares::default();
        z.iter().for_each(|z| squares.add(*z));
        let inner: f64 = z.iter().enumerate().map(|(i, z)| z * self.centre(i)).sum();
        if squares.root() == 0.0 { 0.0 } else { inner + self.reach * squares.root() }
    }

    fn contains(&self, dim: usize, x: impl Fn(usize) -> f64) -> bool {
        let x: Vec<f64> = (0..dim).map(x).collect();
        if self.contains {
            return fault::guard(false, |py| self.call(py, "contains", &x)?.is_truthy());
        }
        // A projection does not move a point of the domain, but by rounding.
        let mut nearest = x.clone();
        self.project(&mut nearest);
        let (mut away, mut size) = (Squares::default(), Squares::default());
        x.iter().zip(&nearest).for_each(|(x, y)| {
            away.add(x - y);
            size.add(*x);
        });
        let scale = if self.reach.is_finite() { self.reach } else { 0.0 };
        away.root() <= f64::EPSILON.sqrt() * (scale + size.root())
    }
}

impl Project<f64> for OwnDomain {
    fn project(&self, x: &mut [f64]) {
        let nearest = fault::guard(Vec::new(), |py| {
            array(&self.call(py, "project", x)?, x.len(), "what project() of the domain returned")
        });
        if nearest.len() == x.len() {
            x.copy_from_slice(&nearest);
        }
    }
}

/// Reads `dim` finite numbers from a Python object; `what` names it in errors.
pub(super) fn array(object: &Bound<'_, PyAny>, dim: usize, what: &str) -> PyResult<Vec<f64>> {
    let py = object.py();
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (object, "float64"))?;
    let array = array.cast::<PyArray1<f64>>().map_err(|_| PyTypeError::new_err(format!("{what} has one axis")))?;
    let numbers: Vec<f64> = array.readonly().as_array().iter().copied().collect();
    if numbers.len() != dim {
        return Err(PyValueError::new_err(format!("{what} has {} coordinates instead of {dim}", numbers.len())));
    }
    if let Some(i) = numbers.iter().position(|x| !x.is_finite()) {
        return Err(PyValueError::new_err(format!("coordinate {i} of {what} is {}", numbers[i])));
    }
    Ok(numbers)
}

/// A domain, as Python holds it.
#[pyclass(frozen, module = "surefoot.online")]
pub(crate) struct Domain {
    pub(super) part: AnyDomain,
}

impl Domain {
    pub(super) fn is_own(&self) -> bool {
        matches!(self.part, AnyDomain::Own(_))
    }
}

#[pymethods]
impl Domain {
    #[staticmethod]
    fn whole(reach: f64) -> Self {
        Self { part: AnyDomain::Whole(WholeSpace::new(reach)) }
    }

    #[staticmethod]
    fn ball(centre: PyReadonlyArray1<'_, f64>, radius: f64) -> Self {
        Self { part: AnyDomain::Ball(Ball::around(centre.as_array().to_vec(), radius)) }
    }

    #[staticmethod]
    fn cuboid(lower: PyReadonlyArray1<'_, f64>, upper: PyReadonlyArray1<'_, f64>) -> Self {
        Self { part: AnyDomain::Cuboid(BoxDomain::new(lower.as_array().to_vec(), upper.as_array().to_vec())) }
    }

    #[staticmethod]
    fn simplex(dim: usize) -> Self {
        Self { part: AnyDomain::Simplex(Simplex::new(dim)) }
    }

    #[staticmethod]
    fn l1(radius: f64) -> Self {
        Self { part: AnyDomain::L1(L1Ball::new(radius)) }
    }

    #[staticmethod]
    fn own(object: &Bound<'_, PyAny>, dim: usize) -> PyResult<Self> {
        Ok(Self { part: AnyDomain::Own(OwnDomain::new(object, dim)?) })
    }

    /// Whether a point is projected by scaling its offset from the centre.
    fn radial(&self) -> bool {
        matches!(self.part, AnyDomain::Whole(_) | AnyDomain::Ball(_))
    }

    /// Whether a point is projected coordinate by coordinate.
    fn separable(&self) -> bool {
        matches!(self.part, AnyDomain::Whole(_) | AnyDomain::Cuboid(_))
    }

    fn reach(&self) -> f64 {
        surefoot::Domain::<f64>::reach(&self.part)
    }

    fn bounded(&self) -> bool {
        surefoot::Domain::<f64>::bounded(&self.part)
    }

    fn centre<'py>(&self, py: Python<'py>, dim: usize) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, (0..dim).map(|i| surefoot::Domain::<f64>::centre(&self.part, i)))
    }

    fn project<'py>(&self, py: Python<'py>, x: PyReadonlyArray1<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut x = x.as_array().to_vec();
        self.part.project(&mut x);
        fault::raised()?;
        Ok(PyArray1::from_vec(py, x))
    }

    fn support(&self, z: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let z = z.as_array();
        let value = surefoot::Domain::<f64>::support(&self.part, z.len(), |i| z[i]);
        fault::raised().map(|()| value)
    }

    fn contains(&self, x: PyReadonlyArray1<'_, f64>) -> PyResult<bool> {
        let x = x.as_array();
        let inside = surefoot::Domain::<f64>::contains(&self.part, x.len(), |i| x[i]);
        fault::raised().map(|()| inside)
    }
}
