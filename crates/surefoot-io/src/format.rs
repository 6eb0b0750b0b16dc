//! The table of formats.

use std::path::Path;

use surefoot_glm::{Batch, Part};

use crate::codec;
use crate::csv;
use crate::error::Spot;
use crate::input::InputName;
use crate::options::Options;
use crate::records::Records;
use crate::svmlight::{self, Svmlight, TextFault};
use crate::vw::{self, Vw};

/// Bytes to rows, however the bytes are cut. What a text format implements.
pub(crate) trait TextParser: Send {
    /// Takes the next bytes of the input and appends the rows that they complete.
    fn push(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), TextFault>;
    /// Ends the input, and with it a last row without line break; the next push starts the next input.
    fn finish(&mut self, batch: &mut Batch) -> Result<(), TextFault>;
    /// Whether complete lines wait behind a row at fault: push them, with no bytes, before reading on.
    fn waiting(&self) -> bool;
}

/// A format of data; a new one is a row of [`FORMATS`].
#[derive(Debug)]
pub struct Format {
    /// The name to give to `--format`.
    pub name: &'static str,
    /// File name extensions, without that of a compression.
    pub extensions: &'static [&'static str],
    /// Whether data that begin with these bytes, cut anywhere, look like this format.
    pub(crate) begins: fn(&[u8]) -> bool,
    pub(crate) parser: fn(&Options) -> Box<dyn TextParser>,
    pub(crate) describe: fn(&Options, &Batch, usize, Part) -> (Spot, String),
}

/// The formats that can be read, in the order in which content is held against them. The last is taken where neither
/// extension nor content says anything.
pub static FORMATS: &[Format] = &[
    Format {
        name: "vw",
        extensions: &["vw"],
        begins: vw::begins,
        parser: |options| Box::new(Records::new(Vw::new(options))),
        describe: vw::describe,
    },
    Format {
        name: "csv",
        extensions: &["csv"],
        begins: |head| csv::begins(head, b','),
        parser: |options| csv::parser(options, b','),
        describe: |options, batch, row, part| csv::describe(options, b',', batch, row, part),
    },
    Format {
        name: "tsv",
        extensions: &["tsv"],
        begins: |head| csv::begins(head, b'\t'),
        parser: |options| csv::parser(options, b'\t'),
        describe: |options, batch, row, part| csv::describe(options, b'\t', batch, row, part),
    },
    Format {
        name: "svmlight",
        extensions: &["svm", "svmlight", "libsvm"],
        begins: |_| true,
        parser: |options| Box::new(Svmlight::new(options)),
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
        if codec::EXTENSIONS.contains(&extension.as_str()) {
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

    /// The format of a list of inputs: that of the first known extension, else that of the content of the first file that
    /// can be read again. `None` if there are only pipes, which tell once they are read.
    #[must_use]
    pub fn of(inputs: &[InputName]) -> Option<&'static Format> {
        let mut paths = inputs.iter().filter_map(|input| match input {
            InputName::Path(path) => Some(path),
            _ => None,
        });
        let file = || inputs.iter().find(|input| input.can_reread())?.head().ok();
        paths.find_map(|path| Format::by_extension(path)).or_else(|| Some(Format::by_content(&file()?)))
    }
}
