//! A learner written in Python.

use numpy::PyArray1;
use pyo3::prelude::*;
use surefoot::{Hinted, Learner, Vector};

use super::domain::array;
use super::fault;

/// An object with `iterate()` and `learn(gradient, weight)`, and optionally `hint(gradient, weight)`, `open(weight)`
/// and `regret_bound()`. Its iterate is asked for once a round and kept.
pub(super) struct OwnLearner {
    object: Py<PyAny>,
    iterate: Vec<f64>,
    opens: bool,
}

impl Clone for OwnLearner {
    /// Shares the object: what it remembers is its own affair.
    fn clone(&self) -> Self {
        let object = Python::attach(|py| self.object.clone_ref(py));
        Self { object, iterate: self.iterate.clone(), opens: self.opens }
    }
}

impl OwnLearner {
    pub(super) fn new(object: &Bound<'_, PyAny>, dim: usize) -> PyResult<Self> {
        let iterate = array(&object.call_method0("iterate")?, dim, "what iterate() of the learner returned")?;
        Ok(Self { object: object.clone().unbind(), iterate, opens: object.hasattr("open")? })
    }

    /// Makes a call that may move the iterate, and asks where it is now.
    fn play(&mut self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>) {
        let dim = self.iterate.len();
        let moved = fault::guard(None, |py| {
            let object = self.object.bind(py);
            call(object)?;
            array(&object.call_method0("iterate")?, dim, "what iterate() of the learner returned").map(Some)
        });
        self.iterate = moved.unwrap_or_else(|| std::mem::take(&mut self.iterate));
    }

    /// Calls the method `name` of the object with a gradient, as an array of all coordinates, and its weight.
    fn pass<V: Vector<f64> + ?Sized>(&mut self, name: &str, weight: f64, gradient: &V) {
        let mut dense = vec![0.0; self.iterate.len()];
        gradient.each(|i, x| dense[i] = x);
        self.play(|object| object.call_method1(name, (PyArray1::from_vec(object.py(), dense), weight)).map(drop));
    }
}

impl Learner<f64> for OwnLearner {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> f64 {
        self.iterate[i]
    }

    fn open(&mut self, weight: f64) {
        if self.opens {
            self.play(|object| object.call_method1("open", (weight,)).map(drop));
        }
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.pass("learn", weight, gradient);
    }

    fn regret_bound(&self) -> Option<f64> {
        fault::guard(None, |py| match self.object.bind(py).getattr_opt("regret_bound")? {
            Some(bound) => bound.call0()?.extract(),
            None => Ok(None),
        })
    }
}

impl Hinted<f64> for OwnLearner {
    fn hint<V: Vector<f64> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.pass("hint", weight, hint);
    }
}
