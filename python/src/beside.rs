//! Labels, weights and offsets that are given apart from the features of rows.

use crate::numbers::Numbers;
use pyo3::{exceptions::PyValueError, prelude::*};
use std::sync::{Arc, OnceLock};
use surefoot_glm::{Batch, Part};
use surefoot_io::{Located, Location};

/// Codes of classes whose labels are texts, set once a model has assigned them.
pub(crate) type Codes = Arc<OnceLock<Vec<f64>>>;

/// Numbers that belong to rows beside their features.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) label: Option<Numbers<f64>>,
    /// Codes that a model has for the classes by whose places labels are given; `None` if labels are numbers of their own.
    codes: Option<Codes>,
    weight: Option<Numbers<f64>>,
    offset: Option<Numbers<f64>>,
}

impl Beside {
    /// Takes one-dimensional arrays of doubles; each may be absent.
    pub(crate) fn new(
        label: Option<&Bound<'_, PyAny>>,
        weight: Option<&Bound<'_, PyAny>>,
        offset: Option<&Bound<'_, PyAny>>,
        codes: Option<Codes>,
    ) -> PyResult<Beside> {
        let numbers = |array: Option<&Bound<'_, PyAny>>| array.map(Numbers::of_vector).transpose();
        Ok(Beside { codes, label: numbers(label)?, weight: numbers(weight)?, offset: numbers(offset)? })
    }

    /// Checks that each array has one number for each of `rows` rows.
    pub(crate) fn check(&self, rows: usize) -> PyResult<()> {
        let all = [("y", &self.label), ("sample_weight", &self.weight), ("offset", &self.offset)];
        match all.into_iter().find(|(_, numbers)| numbers.as_ref().is_some_and(|numbers| numbers.len() != rows)) {
            None => Ok(()),
            Some((name, _)) => {
                Err(PyValueError::new_err(format!("{name}: one number for each of the {rows} rows is needed")))
            }
        }
    }

    /// Returns the label of a row (NaN if there is none), its weight and its offset.
    pub(crate) fn of(&self, row: usize) -> (f64, f64, f64) {
        let number = |numbers: &Option<Numbers<f64>>, usual| numbers.as_ref().map_or(usual, |it| it.get(row, 0));
        (self.coded(number(&self.label, f64::NAN)), number(&self.weight, 1.0), number(&self.offset, 0.0))
    }

    /// Returns the number by which a label goes in the model: NaN for the place of a class without a code.
    fn coded(&self, label: f64) -> f64 {
        let Some(codes) = &self.codes else { return label };
        codes.get().and_then(|codes| codes.get(label as usize)).copied().unwrap_or(f64::NAN)
    }

    /// Returns the location of a label or a weight that is given here, of row `number`; `None` for other parts.
    pub(crate) fn locate(&self, batch: &Batch, row: usize, number: u64, part: Part) -> Option<Located> {
        let (file, token) = match part {
            Part::Label if self.label.is_some() => ("y", batch.label[row]),
            Part::Weight if self.weight.is_some() => ("sample_weight", batch.weight[row]),
            _ => return None,
        };
        let location = Location::Cell { row: number, column: None };
        Some(Located { file: file.to_owned(), location, token: token.to_string() })
    }

    /// Gives the rows of a batch their numbers, where there are any; `row` returns the index of a row of the batch in the arrays.
    pub(crate) fn fill(&self, batch: &mut Batch, row: impl Fn(&Batch, usize) -> usize) {
        let rows: Vec<usize> = (0..batch.len()).map(|r| row(batch, r)).collect();
        let numbers = |numbers: &Numbers<f64>| rows.iter().map(|&row| numbers.get(row, 0)).collect();
        if let Some(label) = &self.label {
            batch.label = rows.iter().map(|&row| self.coded(label.get(row, 0))).collect();
        }
        if let Some(weight) = &self.weight {
            batch.weight = numbers(weight);
        }
        if let Some(offset) = &self.offset {
            batch.offset = numbers(offset);
        }
    }
}
