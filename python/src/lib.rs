//! The extension module `surefoot._surefoot`: what the Python package `surefoot` computes, it computes here.
//!
//! | file | content |
//! | --- | --- |
//! | `rows`, `matrix`, `table` | rows to learn or to predict, read where Python keeps them |
//! | `numbers`, `beside` | arrays of NumPy; labels, weights and offsets of rows |
//! | `fit`, `incremental` | a fit in one call, and one part by part |
//! | `model` | a trained model: numbers, predictions, file |
//! | `distributed` | fits of several processes, for engines written in Python |
//! | `interrupt` | Ctrl-C while Rust works |
//! | `errors` | errors as exceptions |
//! | `online` | learners and conversions for researchers |
//!
//! Policy (which flags a parameter stands for, what an attribute is called) is in the Python files; mathematics is in the crates.

// Arguments come from Python as values of their own.
#![allow(clippy::needless_pass_by_value)]

#[cfg(windows)]
compile_error!("surefoot does not run on Windows yet: use WSL, where it is the Linux version");

mod beside;
mod distributed;
mod errors;
mod fit;
mod incremental;
mod interrupt;
mod matrix;
mod model;
mod numbers;
mod online;
mod rows;
mod table;

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command line `surefoot` and returns its exit status.
#[pyfunction]
fn command(py: Python<'_>, line: Vec<OsString>) -> u8 {
    py.detach(|| surefoot_cli::command(line))
}

/// The module as Python sees it.
#[pymodule]
fn _surefoot(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<fit::Fitted>()?;
    module.add_class::<incremental::Incremental>()?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    distributed::add(module)?;
    online::add(module)
}
