//! Readers of training data and model files for surefoot.
//!
//! | task | where |
//! | --- | --- |
//! | name inputs and check them before any work | [`InputName`], [`expand`], [`check_inputs`] |
//! | read rows, decompressed on the way | [`Reader`], or [`Prefetch`] on a thread of its own |
//! | parse bytes that the caller brings | [`Svmlight`] |
//! | say where a row's fault stands | [`Options::describe`] |
//! | read standard input several times | [`spool()`] |
//! | read rows in another order in each pass | [`Shuffle`], [`Order`] |
//! | replace a file atomically | [`Output`] |
//! | store and load a model | [`Archive`] |
//!
//! Every [`Error`] is one line of at most [`Error::LIMIT`] bytes that names the file and, where it is known,
//! the line, the column and the token.
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

mod archive;
mod bytes;
mod cell_index;
mod codec;
#[cfg(feature = "parquet")]
mod columnar;
mod csv;
mod digest;
mod distinct;
mod error;
mod folder;
mod format;
mod groups;
mod ids;
mod input;
mod means;
mod model_file;
mod number;
mod options;
mod output;
mod partition;
mod prefetch;
mod reader;
mod records;
mod row;
mod shelf;
mod shuffle;
mod spool;
mod svmlight;
mod text;
mod unite;
mod unreadable;
mod value;
mod vw;
mod words;

pub use archive::{Archive, Dtype, Tensor};
pub use cell_index::{Cell, CellIndex};
pub use csv::columns::{columns_meant, flagged};
pub use csv::{is_date, unit};
pub use error::{Error, ErrorKind, Located, Spot};
pub use folder::expand;
pub use format::{FORMATS, Format};
pub use groups::list_element;
pub use input::{Identity, InputName, check_inputs};
pub use means::ColumnMeans;
pub use model_file::{load_model, save_model};
pub use options::{Accepts, Found, Head, Options, Wanted};
pub use output::{Output, create_no_more_outputs};
pub use partition::Partitions;
pub use prefetch::Prefetch;
pub use reader::{Reader, RowSource};
pub use shelf::SpooledShelf;
pub use shuffle::order::Order;
pub use shuffle::source::{Shuffle, ShuffledRows};
pub use spool::{Spooled, spool};
pub use svmlight::{Svmlight, TextFault};
pub use text::printable;
