//! Tables that come through the Arrow C stream interface, without a copy.

use pyo3::prelude::*;
use surefoot_fit::Data;

pub(crate) fn data(_tables: &[Bound<'_, PyAny>]) -> PyResult<Data> {
    todo!()
}
