//! The command line with the engines of the package.

use super::run::{Run, Slot};
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command line `surefoot` and returns its exit status. A distributed run is carried out by `engines`, which is called with
/// its `Run` and returns when that has ended.
#[pyfunction]
pub(crate) fn command_with_engines(py: Python<'_>, line: Vec<OsString>, engines: Py<PyAny>) -> u8 {
    py.detach(|| surefoot_cli::command_with_engines(line, &mut |run| Python::attach(|py| carry_out(py, run, &engines))))
}

fn carry_out(
    py: Python<'_>,
    run: surefoot_cli::distributed::Run,
    engines: &Py<PyAny>,
) -> Option<surefoot_cli::distributed::Run> {
    let slot = Slot::of(run);
    let called = Bound::new(py, Run::new(Slot::clone(&slot))).and_then(|run| engines.call1(py, (run,)));
    let mut run = slot.take()?;
    if let Err(error) = called {
        run.fail(words(py, &error));
    }
    Some(run)
}

/// Returns what an exception says, or its kind if it says nothing.
fn words(py: Python<'_>, error: &PyErr) -> String {
    let says = error.value(py).to_string();
    if says.is_empty() { error.get_type(py).to_string() } else { says }
}
