//! Rows to learn or to predict: a matrix, a table or files.

use crate::{
    beside::{Beside, Codes},
    errors,
    matrix::{Matrix, MatrixRows},
    table,
};
use pyo3::prelude::*;
use std::{ffi::OsString, sync::Arc};
use surefoot_cli::embedded;
use surefoot_fit::Data;

/// Rows to learn or to predict, read where they lie.
#[pyclass(frozen, module = "surefoot._surefoot")]
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) data: Data,
    /// Texts of the classes, for labels that are places in this list; empty if labels are numbers of their own.
    pub(crate) classes: Vec<String>,
    codes: Codes,
}

impl Rows {
    fn new(classes: Vec<String>, data: impl FnOnce(Option<Codes>) -> PyResult<Data>) -> PyResult<Rows> {
        let codes = Codes::default();
        let data = data((!classes.is_empty()).then(|| Codes::clone(&codes)))?;
        Ok(Rows { data, classes, codes })
    }

    /// Sets the codes of the classes, each as `code` returns it for the text of the class.
    pub(crate) fn name_classes(&self, code: impl Fn(&str) -> f64) {
        let _ = self.codes.set(self.classes.iter().map(|text| code(text)).collect());
    }
}

#[pymethods]
impl Rows {
    /// Takes a two-dimensional array of floats.
    #[staticmethod]
    #[pyo3(signature = (array, label=None, weight=None, offset=None, classes=Vec::new()))]
    fn dense(
        array: &Bound<'_, PyAny>,
        label: Option<&Bound<'_, PyAny>>,
        weight: Option<&Bound<'_, PyAny>>,
        offset: Option<&Bound<'_, PyAny>>,
        classes: Vec<String>,
    ) -> PyResult<Rows> {
        Rows::new(classes, |codes| {
            let matrix = Matrix::dense(array, Beside::new(label, weight, offset, codes)?)?;
            Ok(Data::source(MatrixRows(Arc::new(matrix))))
        })
    }

    /// Takes the arrays `(data, indices, indptr)` of a matrix in compressed rows.
    #[staticmethod]
    #[pyo3(signature = (parts, width, label=None, weight=None, offset=None, classes=Vec::new()))]
    fn sparse(
        parts: [Bound<'_, PyAny>; 3],
        width: usize,
        label: Option<&Bound<'_, PyAny>>,
        weight: Option<&Bound<'_, PyAny>>,
        offset: Option<&Bound<'_, PyAny>>,
        classes: Vec<String>,
    ) -> PyResult<Rows> {
        Rows::new(classes, |codes| {
            let beside = Beside::new(label, weight, offset, codes)?;
            let matrix = Matrix::sparse(parts.each_ref(), width, beside)?;
            Ok(Data::source(MatrixRows(Arc::new(matrix))))
        })
    }

    /// Takes a table: an object with `__arrow_c_stream__`. Without labels apart, a column has to hold them.
    #[staticmethod]
    #[pyo3(signature = (table, label=None, weight=None, offset=None, classes=Vec::new()))]
    fn table(
        table: &Bound<'_, PyAny>,
        label: Option<&Bound<'_, PyAny>>,
        weight: Option<&Bound<'_, PyAny>>,
        offset: Option<&Bound<'_, PyAny>>,
        classes: Vec<String>,
    ) -> PyResult<Rows> {
        let table = table::of_stream(table)?;
        Rows::new(classes, |codes| table::data(table, Beside::new(label, weight, offset, codes)?))
    }

    /// Takes a table as pairs of a name and a column: an array of doubles, NaN where a cell is missing.
    #[staticmethod]
    #[pyo3(signature = (columns, label=None, weight=None, offset=None, classes=Vec::new()))]
    fn columns(
        columns: Vec<(String, Bound<'_, PyAny>)>,
        label: Option<&Bound<'_, PyAny>>,
        weight: Option<&Bound<'_, PyAny>>,
        offset: Option<&Bound<'_, PyAny>>,
        classes: Vec<String>,
    ) -> PyResult<Rows> {
        let table = table::of_columns(&columns)?;
        Rows::new(classes, |codes| table::data(table, Beside::new(label, weight, offset, codes)?))
    }

    /// Takes files, folders and glob patterns, and checks that the files can be opened.
    #[staticmethod]
    fn files(names: Vec<OsString>) -> PyResult<Rows> {
        let data = embedded::files(&names).map_err(|error| errors::refused(&error))?;
        Rows::new(Vec::new(), |_| Ok(data))
    }
}
