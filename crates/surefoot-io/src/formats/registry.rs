//! The table of formats.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use surefoot_glm::{Batch, By, Part};

#[cfg(feature = "parquet")]
use super::{
    columnar, csv,
    records::Records,
    svmlight::{self, Svmlight, TextFault},
    unreadable,
    vw::{self, Vw},
};
use crate::files::compression;
use crate::{
    error::{Error, Spot},
    files::input::InputName,
    table::options::Options,
};

/// Bytes to rows, however the bytes are cut. What a text format implements.
pub(crate) trait TextParser: Send {
    /// What follows is the input of this number.
    fn start(&mut self, input: u32);
    /// Takes the next bytes of the input and appends the rows that they complete.
    fn push(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), TextFault>;
    /// Ends the input, and with it a last row without line break; the next push starts the next input.
    fn finish(&mut self, batch: &mut Batch) -> Result<(), TextFault>;
    /// Whether complete lines wait behind a row at fault: push them, with no bytes, before reading on.
    fn waiting(&self) -> bool;
}

/// Rows of inputs that are no text. What a format implements that wants an input as a whole.
pub(crate) trait TableParser: Send {
    /// Starts the next input, which is read to its end or to an error that is no row's before another is started.
    ///
    /// # Errors
    /// The input cannot be used.
    fn open(&mut self, input: Opened) -> Result<(), Error>;
    /// Appends the next rows; `false` at the end of the input.
    ///
    /// # Errors
    /// What is wrong with a row or the input; the rows before it are in the batch. As with [`Reader`](crate::Reader) reading
    /// may go on behind a row.
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error>;
}

/// An input, open in every way in which a [`TableParser`] may want to read it.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
pub(crate) struct Opened {
    /// The input as shown to the user, and its number.
    pub(crate) name: String,
    pub(crate) input: u32,
    /// The file that `stream` reads, if it is a regular one and not compressed, and its size.
    pub(crate) file: Option<(Arc<File>, u64)>,
    /// The bytes from the start, decompressed.
    pub(crate) stream: Box<dyn Read + Send>,
    /// The compression.
    pub(crate) codec: Option<&'static str>,
    /// Bytes of all inputs that were read, as stored. `stream` counts its own.
    pub(crate) position: Arc<AtomicU64>,
    /// What `position` was before this input.
    pub(crate) before: u64,
}

/// How a format makes rows of an input.
#[derive(Debug)]
pub(crate) enum Access {
    /// Its text is pushed as it comes.
    Text(fn(&Options) -> Box<dyn TextParser>),
    /// It reads the input itself: as a stream, or here and there if it is a file.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
    Table(fn(&Options) -> Box<dyn TableParser>),
}

/// A format of data; a new one is a row of [`FORMATS`].
#[derive(Debug)]
pub struct Format {
    /// The name to give to `--format`.
    pub name: &'static str,
    /// File name extensions, without that of a compression.
    pub extensions: &'static [&'static str],
    /// What its features go by.
    pub by: By,
    /// Whether data that begin with these bytes, cut anywhere, look like this format.
    pub(crate) begins: fn(&[u8]) -> bool,
    pub(crate) access: Access,
    pub(crate) describe: fn(&Options, &Batch, usize, Part) -> (Spot, String),
}

/// The formats that can be read, in the order in which content is held against them. The last is taken where neither
/// extension nor content says anything.
pub static FORMATS: &[Format] = &[
    #[cfg(feature = "parquet")]
    Format {
        name: "parquet",
        extensions: &["parquet", "pq"],
        by: By::Column,
        begins: |head| head.starts_with(b"PAR1") || head.starts_with(b"PARE"),
        access: Access::Table(columnar::parquet),
        describe: columnar::describe,
    },
    #[cfg(feature = "parquet")]
    Format {
        name: "arrow",
        extensions: &["arrow", "arrows", "ipc", "feather"],
        by: By::Column,
        // A file, or a stream: the mark that a message goes on with its length.
        begins: |head| head.starts_with(b"ARROW1") || head.starts_with(&[0xff; 4]),
        access: Access::Table(columnar::arrow),
        describe: columnar::describe,
    },
    Format {
        name: "vw",
        extensions: &["vw"],
        by: By::Name,
        begins: vw::begins,
        access: Access::Text(|options| Box::new(Records::new(Vw::new(options)))),
        describe: vw::describe,
    },
    Format {
        name: "csv",
        extensions: &["csv"],
        by: By::Column,
        begins: |head| csv::begins(head, b','),
        access: Access::Text(|options| csv::parser(options, b',')),
        describe: |options, batch, row, part| csv::describe(options, b',', batch, row, part),
    },
    Format {
        name: "tsv",
        extensions: &["tsv"],
        by: By::Column,
        begins: |head| csv::begins(head, b'\t'),
        access: Access::Text(|options| csv::parser(options, b'\t')),
        describe: |options, batch, row, part| csv::describe(options, b'\t', batch, row, part),
    },
    Format {
        name: "svmlight",
        extensions: &["svm", "svmlight", "libsvm"],
        by: By::Index,
        begins: |_| true,
        access: Access::Text(|options| Box::new(Svmlight::new(options))),
        describe: svmlight::describe,
    },
];

impl Format {
    /// The format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The format that the extension stands for, with a compression's extension taken off first.
    ///
    /// ```
    /// use surefoot_io::Format;
    /// assert_eq!(Format::by_extension("day1.svm.gz".as_ref()).unwrap().name, "svmlight");
    /// assert!(Format::by_extension("notes".as_ref()).is_none());
    /// ```
    #[must_use]
    pub fn by_extension(path: &Path) -> Option<&'static Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        if compression::EXTENSIONS.contains(&extension.as_str()) {
            return Format::by_extension(path.file_stem()?.as_ref());
        }
        FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str()))
    }

    /// The format that these first bytes of data, decompressed, look like.
    #[must_use]
    pub fn by_content(head: &[u8]) -> &'static Format {
        let last = FORMATS.last().expect("the table is not empty");
        FORMATS.iter().find(|format| (format.begins)(head)).unwrap_or(last)
    }

    /// The format of an input: that which its content is beyond doubt, else that of its extension, else that which the content
    /// looks like; where nothing tells, the text whose features go by `by`.
    ///
    /// `head` are the first bytes, decompressed.
    pub(crate) fn of(name: &Path, head: &[u8], by: By) -> &'static Format {
        let looks = FORMATS.iter().find(|format| (format.begins)(head)).filter(|format| format.name != LAST);
        let by_name = Format::by_extension(name);
        if let Some(found) = looks.filter(|format| !format.is_text()) {
            return found;
        }
        let pairs = svmlight::begins(head);
        let contradicts = |named: &Format| match named.name {
            "csv" | "tsv" => pairs,
            // A colon that is at fault is that of a pair, and a row may have none; blanks stand in both.
            "svmlight" => {
                let parts = |byte: &u8| b",;|".contains(byte);
                !pairs && looks.is_some() && !head.contains(&b':') && head.iter().any(parts)
            }
            "vw" => !head.contains(&b'|') && (pairs || looks.is_some()),
            // Its own error says more of what is no text.
            _ => looks.is_some() && std::str::from_utf8(head).is_ok_and(|text| !text.contains('\0')),
        };
        let fallback = match by {
            By::Index => "svmlight",
            By::Name => "vw",
            By::Column => "csv",
        };
        let looks = if pairs { Format::named(LAST) } else { looks };
        let named = by_name.filter(|named| head.trim_ascii().is_empty() || !contradicts(named));
        named.or(looks).or_else(|| Format::named(fallback)).unwrap_or(&FORMATS[0])
    }

    /// The format of the first input that can be looked at before it is read; where nothing tells, the text whose features
    /// go by `by`. `None` if it is of a kind that cannot be read.
    #[must_use]
    pub fn guess(inputs: &[InputName], by: By) -> Option<&'static Format> {
        let input = inputs.iter().find(|input| input.can_reread())?;
        let head = input.head().ok()?;
        let can_be = Format::is_stored(&head) || unreadable::named(&head, true).is_none();
        can_be.then(|| Format::of(input.to_string().as_ref(), &head, by))
    }

    /// Whether data that begin so are of a format that is no text and can be read.
    pub(crate) fn is_stored(head: &[u8]) -> bool {
        FORMATS.iter().any(|format| !format.is_text() && (format.begins)(head))
    }

    /// Whether its parser is fed with text.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.access, Access::Text(_))
    }
}

/// The text that content cannot be told from any other.
const LAST: &str = "svmlight";
