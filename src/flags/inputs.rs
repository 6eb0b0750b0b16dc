//! Expansion of the file names on the command line to lists of input files.

use std::ffi::OsString;
use surefoot_fit::Data;
use surefoot_io::{Error, expand};

/// Expands file names, folders and glob patterns to the list of input files.
pub(crate) fn data(names: &[OsString]) -> Result<Data, Error> {
    let mut inputs = Vec::new();
    for name in names {
        inputs.extend(expand(name)?);
    }
    Ok(Data::Inputs(inputs))
}
