//! Writing and reading of model files, which are archives of named arrays.
//!
//! This module may use [`error`](crate::error). The content of a model is defined in the trainer's crate. A new array is added in
//! `model_file`.

pub(crate) mod archive;
pub(crate) mod model_file;
