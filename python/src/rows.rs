//! Rows to learn or to predict: a matrix, a table or files.

use crate::{
    beside::Beside,
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
    /// Texts of the labels, for labels that are 0, 1, … in their order; empty if labels are numbers of their own.
    pub(crate) classes: Vec<String>,
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
        let matrix = Matrix::dense(array, Beside::new(label, weight, offset)?)?;
        Ok(Rows { data: Data::source(MatrixRows(Arc::new(matrix))), classes })
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
        let matrix = Matrix::sparse(parts.each_ref(), width, Beside::new(label, weight, offset)?)?;
        Ok(Rows { data: Data::source(MatrixRows(Arc::new(matrix))), classes })
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
        Ok(Rows { data: table::data(table, Beside::new(label, weight, offset)?)?, classes })
    }

    /// Takes a table as pairs of a name and a column: an array of doubles, NaN where a cell is missing, or a list of texts and `None`.
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
        Ok(Rows { data: table::data(table, Beside::new(label, weight, offset)?)?, classes })
    }

    /// Takes files, folders and glob patterns, and checks that the files can be opened.
    #[staticmethod]
    fn files(names: Vec<OsString>) -> PyResult<Rows> {
        let data = embedded::files(&names).map_err(|error| errors::refused(&error))?;
        Ok(Rows { data, classes: Vec::new() })
    }
}
