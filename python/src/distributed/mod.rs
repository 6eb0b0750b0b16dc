//! Runs of several processes: the coordinator's side and the worker's side, for engines that are written in Python.
//!
//! | file | content |
//! | --- | --- |
//! | `run` | a distributed run in progress, as whoever coordinates it sees it |
//! | `worker` | a worker, which turns messages into messages |
//! | `command` | the command line with the engines of the package |

mod command;
mod run;
mod worker;

use pyo3::prelude::*;

/// Returns the number of bytes that rows kept in memory may use, for all workers on this machine together.
#[pyfunction]
fn memory() -> usize {
    surefoot_cli::distributed::memory()
}

/// Adds the classes and functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<run::Run>()?;
    module.add_class::<worker::Worker>()?;
    module.add_function(wrap_pyfunction!(command::command_with_engines, module)?)?;
    module.add_function(wrap_pyfunction!(memory, module)?)
}
