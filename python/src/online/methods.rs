//! Conversions as Python holds them: made of parts that Python has checked, asked and told.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use surefoot::{
    Accelerated, Anytime, CompositeAnytime, DenseAnytime, General, Optimistic, Squares, Status, StronglyConvex, Vector,
};

use super::build::Learner;
use super::certificate::{Certificate, gradients, outcome};
use super::check::{Refusal, refusal};
use super::domain::{AnyDomain, Domain};
use super::fault::raised;
use super::ledger::Ledger;
use super::method::{DynMethod, Place};
use super::row::Row;
use super::weights::{AnyWeights, Weights};

/// A method at work.
#[pyclass(module = "surefoot.online")]
pub(crate) struct Method {
    inner: Box<dyn DynMethod>,
    weights: AnyWeights,
    /// Whether a part is written in Python, so that a step may raise half-way.
    own: bool,
    /// Gradients that are longer than this are refused.
    bound: f64,
    /// Whether the current round has a hint.
    hinted: bool,
}

impl Method {
    fn of(inner: impl DynMethod + 'static, weights: AnyWeights, own: bool, bound: f64) -> PyResult<Self> {
        raised()?;
        let own = own || matches!(weights, AnyWeights::Own(_));
        Ok(Self { inner: Box::new(inner), weights, own, bound, hinted: false })
    }

    /// Changes the method, or leaves it as it was if a part written in Python raises.
    fn change<T>(&mut self, change: impl FnOnce(&mut dyn DynMethod) -> T) -> PyResult<T> {
        let before = self.own.then(|| self.inner.copy());
        let answer = change(&mut *self.inner);
        raised().inspect_err(|_| {
            if let Some(before) = before {
                self.inner = before;
            }
        })?;
        Ok(answer)
    }

    /// Refuses `gradient` if it is longer than the bound; the status is told of it, as of all refusals.
    fn restrain(&mut self, gradient: &Row) -> PyResult<()> {
        let norm = Squares::of(1.0, gradient).root();
        if norm <= self.bound || !norm.is_finite() {
            return Ok(());
        }
        let mut largest = (0, 0.0_f64);
        gradient.each(|i, x| largest = if x.abs() > largest.1.abs() { (i, x) } else { largest });
        self.change(|inner| inner.tell(&Row::one(largest.0, f64::INFINITY)))?;
        let words = format!("is {:e}, and the gradient is longer than its bound {:e}", largest.1, self.bound);
        Err(Refusal::new(Some(largest.0), words).error("gradient", self.inner.steps() + 1))
    }

    /// Returns why `vector` was refused.
    fn refused(&self, what: &str, vector: &Row) -> PyErr {
        let step = self.inner.steps() + 1;
        let weight = surefoot::Weights::weight(&self.weights, step);
        match raised() {
            Ok(()) => refusal(vector, self.inner.dim(), weight).error(what, step),
            Err(error) => error,
        }
    }
}

/// Reads the name of a point.
fn place(name: &str) -> PyResult<Place> {
    match name {
        "query" => Ok(Place::Query),
        "output" => Ok(Place::Output),
        "iterate" => Ok(Place::Iterate),
        _ => Err(PyValueError::new_err(format!("no point {name:?}; there are query, output and iterate"))),
    }
}

#[pymethods]
impl Method {
    #[staticmethod]
    fn anytime(
        learner: &Learner,
        weights: &Weights,
        beta: f64,
        rise: u64,
        certified: bool,
        bound: f64,
    ) -> PyResult<Self> {
        let weights = weights.checked(rise)?;
        let mut method = Anytime::new(learner.part.clone(), weights.clone());
        method = if rise > 0 { method.rise(rise) } else { method.interpolate(beta) };
        method = if certified { method.certified() } else { method };
        Self::of(method, weights, learner.fits().own, bound)
    }

    #[staticmethod]
    fn dense_anytime(
        learner: &Learner,
        weights: &Weights,
        beta: f64,
        rise: u64,
        certified: bool,
        bound: f64,
    ) -> PyResult<Self> {
        let weights = weights.checked(rise)?;
        let mut method = DenseAnytime::new(learner.part.clone(), weights.clone());
        method = if rise > 0 { method.rise(rise) } else { method.interpolate(beta) };
        method = if certified { method.certified() } else { method };
        Self::of(method, weights, learner.fits().own, bound)
    }

    #[staticmethod]
    fn optimistic(learner: &Learner, weights: &Weights, shrunk: bool, certified: bool, bound: f64) -> PyResult<Self> {
        let weights = weights.checked(0)?;
        let method = Anytime::new(learner.part.clone(), weights.clone());
        let method = Optimistic::over(if certified { method.certified() } else { method });
        let method = if shrunk { method.shrunk() } else { method };
        Self::of(method, weights, learner.fits().own, bound)
    }

    #[staticmethod]
    fn dense_optimistic(
        learner: &Learner,
        weights: &Weights,
        shrunk: bool,
        certified: bool,
        bound: f64,
    ) -> PyResult<Self> {
        let weights = weights.checked(0)?;
        let method = DenseAnytime::new(learner.part.clone(), weights.clone());
        let method = Optimistic::over(if certified { method.certified() } else { method });
        let method = if shrunk { method.shrunk() } else { method };
        Self::of(method, weights, learner.fits().own, bound)
    }

    #[staticmethod]
    fn general(learner: &Learner, weights: &Weights, certified: bool, bound: f64) -> PyResult<Self> {
        let weights = weights.checked(0)?;
        let method = General::new(learner.part.clone(), weights.clone());
        let method = if certified { method.certified() } else { method };
        Self::of(method, weights, learner.fits().own, bound)
    }

    #[staticmethod]
    fn strongly_convex(
        dim: usize,
        domain: &Domain,
        curvature: f64,
        weights: &Weights,
        certified: bool,
        bound: f64,
    ) -> PyResult<Self> {
        let weights = weights.checked(0)?;
        let method: StronglyConvex<f64, AnyDomain, AnyWeights> =
            StronglyConvex::new(dim, domain.part.clone(), curvature, weights.clone());
        let method = if certified { method.certified() } else { method };
        Self::of(method, weights, domain.is_own(), bound)
    }

    #[staticmethod]
    fn accelerated(
        learner: &Learner,
        diameter: f64,
        kappa: f64,
        epsilon: f64,
        certified: bool,
        bound: f64,
    ) -> PyResult<Self> {
        let method = Accelerated::new(learner.part.clone(), diameter).with_kappa(kappa).with_epsilon(epsilon);
        let method = if certified { method.certified() } else { method };
        Self::of(method, AnyWeights::Linear, learner.fits().own, bound)
    }

    #[staticmethod]
    fn dense_accelerated(
        learner: &Learner,
        diameter: f64,
        kappa: f64,
        epsilon: f64,
        certified: bool,
        bound: f64,
    ) -> PyResult<Self> {
        let method = Accelerated::dense(learner.part.clone(), diameter).with_kappa(kappa).with_epsilon(epsilon);
        let method = if certified { method.certified() } else { method };
        Self::of(method, AnyWeights::Linear, learner.fits().own, bound)
    }

    #[staticmethod]
    fn composite_anytime(learner: &Learner, weights: &Weights, certified: bool, bound: f64) -> PyResult<Self> {
        let weights = weights.checked(0)?;
        let learner = learner.part.0.composite().ok_or_else(|| PyTypeError::new_err("needs CompositeAveraging"))?;
        let method = CompositeAnytime::new(learner, weights.clone());
        let method = if certified { method.certified() } else { method };
        Self::of(method, weights, false, bound)
    }

    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn steps(&self) -> u64 {
        self.inner.steps()
    }

    fn total_weight(&self) -> f64 {
        self.inner.total_weight()
    }

    fn next_weight(&self) -> PyResult<f64> {
        let weight = surefoot::Weights::weight(&self.weights, self.inner.steps() + 1);
        raised().map(|()| weight)
    }

    /// The kind of the status, and step and index of the first refusal.
    fn status(&self) -> (&'static str, Option<u64>, Option<usize>) {
        match self.inner.status() {
            Status::Sound => ("sound", None, None),
            Status::Refused { step, index } => ("refused", Some(step), index),
            Status::Strayed => ("strayed", None, None),
        }
    }

    fn point<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let point = self.inner.point(place(name)?);
        Ok(PyArray1::from_iter(py, (0..self.inner.dim()).map(point)))
    }

    fn point_at<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        indices: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (point, dim) = (self.inner.point(place(name)?), self.inner.dim());
        let read = |&i: &i64| {
            let fine = i >= 0 && (i as usize) < dim;
            fine.then(|| point(i as usize))
                .ok_or_else(|| PyValueError::new_err(format!("coordinate {i} is outside of the {dim} coordinates")))
        };
        let values: Vec<f64> = indices.as_array().iter().map(read).collect::<PyResult<_>>()?;
        Ok(PyArray1::from_vec(py, values))
    }

    #[pyo3(signature = (name, indices, values, scale))]
    fn dot(
        &self,
        name: &str,
        indices: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
    ) -> PyResult<f64> {
        let row = Row::new(indices.as_ref(), &values, scale)?;
        let (point, dim) = (self.inner.point(place(name)?), self.inner.dim());
        let (mut sum, mut outside) = (0.0, None);
        row.each(|i, x| if i < dim { sum += point(i) * x } else { outside = Some(i as i64) });
        match outside {
            None => Ok(sum),
            Some(i) => Err(PyValueError::new_err(format!("coordinate {i} is outside of the {dim} coordinates"))),
        }
    }

    #[pyo3(signature = (indices, values, scale))]
    fn tell(
        &mut self,
        indices: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
    ) -> PyResult<()> {
        let row = Row::new(indices.as_ref(), &values, scale)?;
        self.restrain(&row)?;
        let steps = self.inner.steps();
        self.change(|inner| inner.tell(&row))?;
        if self.inner.steps() == steps {
            return Err(self.refused("gradient", &row));
        }
        self.hinted = false;
        Ok(())
    }

    #[pyo3(signature = (indices, values, scale))]
    fn hint(
        &mut self,
        indices: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
    ) -> PyResult<()> {
        let row = Row::new(indices.as_ref(), &values, scale)?;
        if self.hinted {
            return Err(PyValueError::new_err("this round has a hint already; tell its gradient first"));
        }
        match self.change(|inner| inner.hint(&row))? {
            None => Err(PyTypeError::new_err("this conversion over this learner takes no hints from its caller")),
            Some(false) => Err(self.refused("hint", &row)),
            Some(true) => {
                self.hinted = true;
                Ok(())
            }
        }
    }

    fn skip(&mut self, steps: u64, weight: f64) -> PyResult<()> {
        let done = self.change(|inner| inner.skip(steps, weight))?;
        let done = done.ok_or_else(|| PyTypeError::new_err("only Anytime skips rounds"))?;
        self.hinted &= done.is_err() || steps == 0;
        done.map_err(|why| PyValueError::new_err(why.to_string()))
    }

    fn certificate(&self, py: Python<'_>, domain: &Domain, kind: &str) -> PyResult<Certificate> {
        let certified = self.inner.certificate(&domain.part, gradients(kind)?);
        raised()?;
        outcome(py, certified)
    }

    fn ledger(&self) -> Option<Ledger> {
        self.inner.ledger().map(|ledger| Ledger::of(ledger.clone()))
    }

    #[pyo3(signature = (distance=None))]
    fn regret_bound(&self, distance: Option<f64>) -> PyResult<Option<f64>> {
        let bound = self.inner.regret_bound(distance);
        raised().map(|()| bound)
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.inner.number(name)
    }

    /// A copy; parts written in Python are shared with it.
    fn copy(&self) -> Self {
        let (inner, weights) = (self.inner.copy(), self.weights.clone());
        Self { inner, weights, ..*self }
    }

    /// The numbers and arrays of the run.
    #[expect(clippy::type_complexity, reason = "a tuple for Python")]
    fn state<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyArray1<f64>>, Vec<(&'static str, Bound<'py, PyArray1<f64>>)>)>> {
        if self.hinted {
            return Err(PyValueError::new_err("the current round has a hint, which is not saved; tell its gradient"));
        }
        let Some(memory) = self.inner.memory() else { return Ok(None) };
        let (mut numbers, mut arrays) = (Vec::new(), Vec::new());
        memory.each_number(&mut |x| numbers.push(*x));
        memory.each_array(&mut |name, array| arrays.push((name, PyArray1::from_slice(py, array))));
        raised()?;
        Ok(Some((PyArray1::from_vec(py, numbers), arrays)))
    }

    /// Restores what `state` of a method of the same parts has returned.
    fn restore(
        &mut self,
        numbers: PyReadonlyArray1<'_, f64>,
        arrays: Vec<(String, PyReadonlyArray1<'_, f64>)>,
    ) -> PyResult<()> {
        let misfit = || PyValueError::new_err("the state is that of a method with other parts");
        let memory = self.inner.memory().ok_or_else(misfit)?;
        let mut sizes = Vec::new();
        let mut count = 0;
        memory.each_number(&mut |_| count += 1);
        memory.each_array(&mut |name, array| sizes.push((name, array.len())));
        let given = arrays.iter().map(|(name, array)| (name.as_str(), array.as_array().len()));
        if count != numbers.as_array().len() || !sizes.iter().copied().eq(given) {
            return Err(misfit());
        }
        let (numbers, mut next) = (numbers.as_array(), 0);
        self.change(|inner| {
            let Some(memory) = inner.memory() else { return };
            memory.each_number(&mut |x| {
                *x = numbers[next];
                next += 1;
            });
            let mut arrays = arrays.iter();
            memory.each_array(&mut |_, array| {
                if let Some((_, saved)) = arrays.next() {
                    array.iter_mut().zip(saved.as_array()).for_each(|(x, saved)| *x = *saved);
                }
            });
        })
    }
}
