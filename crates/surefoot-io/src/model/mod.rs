//! A model as a file: an archive of named arrays.
//!
//! May use [`error`](crate::error); what is in a model the crate of the trainer says. An array is added in `model_file`.

pub(crate) mod archive;
pub(crate) mod model_file;
