//! Learners, conversions, domains and certificates for Python.

use pyo3::prelude::*;

/// Adds the classes of this folder to the extension module.
pub(crate) fn add(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    Ok(())
}
