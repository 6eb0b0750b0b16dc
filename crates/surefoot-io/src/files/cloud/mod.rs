//! Inputs in object stores (S3, Google Cloud Storage, Azure Blob Storage) and on the web.
//!
//! Only [`runtime`] knows of threads and of the asynchronous runtime; what reads an object waits for it.

mod access;
mod cache;
mod failure;
mod fetch;
pub(crate) mod list;
pub(crate) mod object_name;
mod runtime;
mod store;
mod stream;
