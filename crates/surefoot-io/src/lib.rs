//! Readers of training data, and readers and writers of model files, for surefoot.
//!
//! | task | where |
//! | --- | --- |
//! | name inputs and check them before any work | [`InputName`], [`expand`], [`check_inputs`] |
//! | divide inputs among several readers | [`split_inputs`], [`InferredSchema`] |
//! | read rows, decompressed on the way | [`Reader`], or [`Prefetch`] on a thread of its own |
//! | parse bytes in memory | [`Svmlight`] |
//! | select features of rows that a program keeps itself | [`IndexedFeatures`] |
//! | read the rows of a table in memory | `TableRows`, `MemoryTable`, with the feature `parquet` |
//! | locate a fault in a row | [`Options::describe`] |
//! | read standard input several times | [`spool()`] |
//! | read rows in another order in each pass | [`Shuffle`], [`ShuffleOrder`] |
//! | replace a file atomically | [`Output`] |
//! | store and load a model | [`save_model`], [`load_model`], in memory [`model_to_bytes`], [`model_from_bytes`]; both as an [`Archive`] |
//!
//! The message of an [`Error`] is one line of at most [`Error::LIMIT`] bytes that names the file and, where known, the line, the column and
//! the token.
//!
//! ```
//! use surefoot_glm::Batch;
//! use surefoot_io::{Options, Reader, RowSource};
//!
//! let text = &b"1 3:0.5 7:1\n-1 2:4 # a comment\n"[..];
//! let mut reader = Reader::with_reader("data.svm", text, Options::default())?;
//! let mut batch = Batch::default();
//! let mut rows = 0;
//! while reader.read(&mut batch)? {
//!     rows += batch.len();
//! }
//! assert_eq!(rows, 2);
//! # Ok::<(), surefoot_io::Error>(())
//! ```

mod error;
mod features;
mod files;
mod formats;
mod ids;
mod model;
mod read;
mod shuffle;
mod table;
mod text;

pub use error::{Error, ErrorKind, Located, Location};
pub use features::{
    cell_index::{Cell, CellIndex},
    column_means::ColumnMeans,
    feature_groups::list_element,
};
#[cfg(feature = "cloud")]
pub use files::cloud::object_name::ObjectName;
pub use files::{
    atomic_output::{Output, create_no_more_outputs},
    expand::expand,
    holdout_store::SpooledHoldout,
    input::{FileIdentity, InputName, check_inputs, spool},
    part::{InputPart, PartRange},
    parts_folder::PartsFolder,
    spool::Spooled,
};
pub use formats::{
    csv::{is_date, unit},
    parse_error::ParseError,
    registry::FORMATS,
    svmlight::{Svmlight, indexed_features::IndexedFeatures},
};
pub use model::{
    archive::{Archive, Dtype, Tensor},
    model_file::{load_model, model_from_bytes, model_to_bytes, save_model},
};
#[cfg(feature = "parquet")]
pub use read::{memory_table::MemoryTable, table_rows::TableRows};
pub use read::{
    prefetch::Prefetch,
    reader::{Reader, RowSource},
    split::split_inputs,
};
pub use shuffle::{
    order::ShuffleOrder,
    source::{Shuffle, ShuffledRows},
};
pub use table::{
    column_names::{columns_meant, flagged},
    column_selection::ColumnSelection,
    format::Format,
    inferred::{Head, Inferred},
    inferred_schema::InferredSchema,
    options::{Accepts, Options},
    partitions::Partitions,
};
pub use text::printable::printable;
