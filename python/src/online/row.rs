//! Gradients and rows as they come from Python, and vectors of any type behind one pointer.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use surefoot::Vector;

/// A dense or sparse vector, times a number.
pub(super) struct Row {
    /// Indices of the values; `None` if all coordinates are given in order. A negative index has become a huge one,
    /// which is outside of every dimension.
    indices: Option<Vec<usize>>,
    values: Vec<f64>,
    scale: f64,
}

impl Row {
    /// Copies the arrays, so that callbacks may change them while the row is used.
    pub(super) fn new(
        indices: Option<&PyReadonlyArray1<'_, i64>>,
        values: &PyReadonlyArray1<'_, f64>,
        scale: f64,
    ) -> PyResult<Self> {
        let values: Vec<f64> = values.as_array().iter().copied().collect();
        let indices: Option<Vec<usize>> =
            indices.map(|indices| indices.as_array().iter().map(|&i| i as usize).collect());
        if indices.as_ref().is_some_and(|indices| indices.len() != values.len()) {
            return Err(PyValueError::new_err("a sparse vector needs as many values as indices"));
        }
        Ok(Self { indices, values, scale })
    }

    /// The vector whose only entry is `value` at coordinate `i`.
    pub(super) fn one(i: usize, value: f64) -> Self {
        Self { indices: Some(vec![i]), values: vec![value], scale: 1.0 }
    }
}

impl Vector<f64> for Row {
    fn each(&self, mut visit: impl FnMut(usize, f64)) {
        match &self.indices {
            None => self.values.iter().enumerate().for_each(|(i, x)| visit(i, self.scale * x)),
            Some(indices) => indices.iter().zip(&self.values).for_each(|(&i, x)| visit(i, self.scale * x)),
        }
    }
}

/// A [`Vector`] of which only its type is unknown; every vector is one.
pub(super) trait DynVector {
    fn each_dyn(&self, visit: &mut dyn FnMut(usize, f64));
}

impl<V: Vector<f64>> DynVector for V {
    fn each_dyn(&self, visit: &mut dyn FnMut(usize, f64)) {
        self.each(visit);
    }
}

/// A vector of any type, as a vector of one type.
#[derive(Clone, Copy)]
pub(super) struct Erased<'a>(pub(super) &'a dyn DynVector);

impl Vector<f64> for Erased<'_> {
    fn each(&self, mut visit: impl FnMut(usize, f64)) {
        self.0.each_dyn(&mut visit);
    }
}
