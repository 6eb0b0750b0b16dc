//! Learners of the library, made from numbers and domains that Python has checked, and running on their own.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use surefoot::{
    AdaGrad, AdaHedge, CoinBetting, CompositeAveraging, Constrained, Descent, DiagonalFreeGrad, DiagonalProximal,
    DualAdaGrad, DualAveraging, ElasticNet, FreeGrad, Hedge, Hinted as _, Leader, Learner as _, Magnitude, OgdNorm,
    OnlineNewton, PNorm, Proximal, Ridge, SignedHedge, Vector as _,
};

use super::check::{fault, refusal};
use super::domain::Domain;
use super::fault::raised;
use super::learner::{AnyLearner, Fits, curving, dense, dense_hinted, kept, penalising, sparse, sparse_hinted};
use super::own::OwnLearner;
use super::row::Row;

/// A learner at work, as Python holds it.
#[pyclass(module = "surefoot.online")]
pub(crate) struct Learner {
    pub(super) part: AnyLearner,
    /// Sum of the absolute values of all weighted entries so far; the learner says how large it may become.
    mass: f64,
    steps: u64,
    /// Whether the hint of the current round has been given.
    hinted: bool,
}

impl Learner {
    fn of(part: AnyLearner) -> PyResult<Self> {
        raised()?;
        Ok(Self { part, mass: 0.0, steps: 0, hinted: false })
    }

    pub(super) fn fits(&self) -> Fits {
        self.part.0.fits()
    }

    /// Returns the sum of absolute entries after `row`, unless `row` cannot be used in a round of weight `weight`.
    fn admit(&self, what: &str, row: &Row, weight: f64) -> PyResult<f64> {
        let dim = self.part.dim();
        if let Some(found) = fault(row, dim, weight) {
            return Err(found.error(what, self.steps + 1));
        }
        let mut mass = self.mass;
        row.each(|_, x| mass += (weight * x).abs());
        if mass <= self.part.magnitude_budget(weight) || mass == self.mass {
            Ok(mass)
        } else {
            Err(refusal(row, dim, weight).error(what, self.steps + 1))
        }
    }

    /// Changes the learner, or leaves it as it was if a part written in Python raises.
    fn change(&mut self, change: impl FnOnce(&mut AnyLearner)) -> PyResult<()> {
        let before = self.fits().own.then(|| self.part.clone());
        change(&mut self.part);
        raised().inspect_err(|_| {
            if let Some(before) = before {
                self.part = before;
            }
        })
    }
}

#[pymethods]
impl Learner {
    #[staticmethod]
    fn ada_grad(dim: usize, domain: &Domain) -> PyResult<Self> {
        Self::of(sparse(AdaGrad::new(dim, domain.part.clone()), false))
    }

    #[staticmethod]
    fn ada_hedge(dim: usize) -> PyResult<Self> {
        Self::of(dense_hinted(AdaHedge::new(dim), false))
    }

    #[staticmethod]
    fn coin_betting(dim: usize, domain: &Domain, bound: f64) -> PyResult<Self> {
        Self::of(sparse(CoinBetting::new(dim, domain.part.clone(), bound), false))
    }

    #[staticmethod]
    fn composite_averaging(dim: usize, l1: f64, l2: f64, reach: f64, bound: f64) -> PyResult<Self> {
        let learner = CompositeAveraging::new(dim, ElasticNet::new(l1, l2), reach);
        Self::of(penalising(learner.with_bound(bound)))
    }

    #[staticmethod]
    fn constrained(base: &Self, domain: &Domain) -> PyResult<Self> {
        let own = base.fits().own || domain.is_own();
        Self::of(dense(Constrained::new(base.part.clone(), domain.part.clone()), own))
    }

    #[staticmethod]
    fn descent(dim: usize, domain: &Domain) -> PyResult<Self> {
        Self::of(dense(Descent::new(dim, domain.part.clone()), domain.is_own()))
    }

    #[staticmethod]
    fn diagonal_free_grad(dim: usize, domain: &Domain) -> PyResult<Self> {
        Self::of(sparse(DiagonalFreeGrad::new(dim, domain.part.clone()), false))
    }

    #[staticmethod]
    fn diagonal_proximal(dim: usize, domain: &Domain) -> PyResult<Self> {
        Self::of(sparse_hinted(DiagonalProximal::new(dim, domain.part.clone()), false))
    }

    #[staticmethod]
    fn dual_ada_grad(dim: usize, scale: f64, damping: f64) -> PyResult<Self> {
        Self::of(sparse(DualAdaGrad::new(dim, scale).with_damping(damping), false))
    }

    #[staticmethod]
    fn dual_averaging(dim: usize, domain: &Domain, bound: f64) -> PyResult<Self> {
        Self::of(kept(DualAveraging::new(dim, domain.part.clone()).with_bound(bound), false))
    }

    #[staticmethod]
    fn free_grad(dim: usize, domain: &Domain) -> PyResult<Self> {
        Self::of(sparse(FreeGrad::new(dim, domain.part.clone()), false))
    }

    #[staticmethod]
    fn hedge(dim: usize, range: f64) -> PyResult<Self> {
        Self::of(dense_hinted(Hedge::new(dim).with_range(range), false))
    }

    #[staticmethod]
    fn leader(dim: usize, domain: &Domain, curvature: f64) -> PyResult<Self> {
        Self::of(curving(Leader::new(dim, domain.part.clone(), curvature), domain.is_own()))
    }

    #[staticmethod]
    fn magnitude(magnitude: &Self, direction: &Self) -> PyResult<Self> {
        let own = magnitude.fits().own || direction.fits().own;
        let learner = Magnitude::new(magnitude.part.clone(), direction.part.clone());
        Self::of(if direction.fits().lazy { sparse(learner, own) } else { dense(learner, own) })
    }

    #[staticmethod]
    fn ogd_norm(dim: usize, domain: &Domain) -> PyResult<Self> {
        Self::of(sparse(OgdNorm::new(dim, domain.part.clone()), false))
    }

    #[staticmethod]
    fn online_newton(dim: usize, domain: &Domain, gamma: f64, epsilon: f64) -> PyResult<Self> {
        Self::of(curving(OnlineNewton::new(dim, domain.part.clone(), gamma, epsilon), false))
    }

    #[staticmethod]
    fn p_norm(dim: usize, radius: f64) -> PyResult<Self> {
        Self::of(dense_hinted(PNorm::new(dim, radius), false))
    }

    #[staticmethod]
    fn proximal(dim: usize, domain: &Domain) -> PyResult<Self> {
        Self::of(dense_hinted(Proximal::new(dim, domain.part.clone()), domain.is_own()))
    }

    #[staticmethod]
    fn ridge(dim: usize, domain: &Domain, strength: f64) -> PyResult<Self> {
        Self::of(sparse(Ridge::new(dim, domain.part.clone(), strength), false))
    }

    #[staticmethod]
    fn signed_hedge(dim: usize, radius: f64) -> PyResult<Self> {
        Self::of(dense_hinted(SignedHedge::new(dim, radius), false))
    }

    /// A learner written in Python.
    #[staticmethod]
    fn own(object: &Bound<'_, PyAny>, dim: usize) -> PyResult<Self> {
        let learner = OwnLearner::new(object, dim)?;
        Self::of(if object.hasattr("hint")? { dense_hinted(learner, true) } else { dense(learner, true) })
    }

    /// Whether the learner has sparse steps, takes hints, learns from curvature, and has an elastic net.
    fn traits(&self) -> (bool, bool, bool, bool) {
        let fits = self.fits();
        (fits.lazy, fits.hinted, fits.quadratic, self.part.0.composite().is_some())
    }

    fn dim(&self) -> usize {
        self.part.dim()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn iterate<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, (0..self.part.dim()).map(|i| self.part.at(i)))
    }

    fn open(&mut self, weight: f64) -> PyResult<()> {
        self.change(|part| part.open(weight))
    }

    #[pyo3(signature = (indices, values, scale, weight))]
    fn learn(
        &mut self,
        indices: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
        weight: f64,
    ) -> PyResult<()> {
        let row = Row::new(indices.as_ref(), &values, scale)?;
        let mass = self.admit("gradient", &row, weight)?;
        self.change(|part| part.tell(weight, &row))?;
        (self.mass, self.hinted) = (mass, false);
        self.steps += 1;
        Ok(())
    }

    #[pyo3(signature = (indices, values, scale, weight))]
    fn hint(
        &mut self,
        indices: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        scale: f64,
        weight: f64,
    ) -> PyResult<bool> {
        if !self.fits().hinted {
            return Err(PyTypeError::new_err("this learner takes no hints"));
        }
        if self.hinted {
            return Ok(false);
        }
        let row = Row::new(indices.as_ref(), &values, scale)?;
        let mass = self.admit("hint", &row, weight)?;
        self.change(|part| part.hint(weight, &row))?;
        (self.mass, self.hinted) = (mass, true);
        Ok(true)
    }

    #[pyo3(signature = (distance=None))]
    fn regret_bound(&self, distance: Option<f64>) -> PyResult<Option<f64>> {
        let bound = match distance {
            Some(distance) => self.part.regret_bound_at(distance),
            None => self.part.regret_bound(),
        };
        raised().map(|()| bound)
    }

    fn copy(&self) -> Self {
        Self { part: self.part.clone(), ..*self }
    }
}
