//! The extension module `surefoot._surefoot`: what the Python package `surefoot` computes, it computes here.

mod online;

use pyo3::prelude::*;

/// The module as Python sees it.
#[pymodule]
fn _surefoot(module: &Bound<'_, PyModule>) -> PyResult<()> {
    online::add(module)
}
