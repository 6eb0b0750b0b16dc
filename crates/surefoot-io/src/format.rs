//! The table of formats, and the settings that say how rows are read.

use std::path::Path;

use surefoot_glm::{Batch, Part};

use crate::error::{Error, ErrorKind, Located};
use crate::input::InputName;
use crate::svmlight::{self, Svmlight, TextFault};

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
    pub(crate) parser: fn(&Options) -> Box<dyn TextParser>,
    describe: fn(&Options, &Batch, usize, Part) -> (u64, String),
}

/// The formats that can be read. The first is taken where the extension says nothing.
pub static FORMATS: &[Format] = &[Format {
    name: "svmlight",
    extensions: &["svm", "svmlight", "libsvm"],
    parser: |options| Box::new(Svmlight::new(options)),
    describe: svmlight::describe,
}];

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
        if matches!(extension.as_str(), "gz" | "zst" | "bgz") {
            return Format::by_extension(path.file_stem()?.as_ref());
        }
        FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str()))
    }

    /// The format of a list of inputs: that of the first known extension, else svmlight.
    #[must_use]
    pub fn of(inputs: &[InputName]) -> &'static Format {
        let mut paths = inputs.iter().filter_map(|input| match input {
            InputName::Path(path) => Some(path),
            _ => None,
        });
        paths.find_map(|path| Format::by_extension(path)).unwrap_or(&FORMATS[0])
    }
}

/// How rows are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The format; by default that of the first known extension.
    pub format: Option<&'static Format>,
    /// Hash every feature id to this many bits, 1 to 64.
    pub bits: Option<u8>,
    /// The smallest legal index, 0 or 1. Ids are stored as they are either way.
    pub index_base: u8,
    /// Rows may lack their label, and labels are ignored.
    pub unlabelled: bool,
}

impl Options {
    /// Checks the settings that a user may get wrong.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn check(&self) -> Result<(), Error> {
        let says = match self {
            Options { bits: Some(0 | 65..), .. } => "--bits takes a number from 1 to 64",
            Options { index_base: 2.., .. } => "--index-base takes 0 or 1",
            _ => return Ok(()),
        };
        Err(ErrorKind::Setting { says: says.to_owned() }.into())
    }

    /// Where a part of row `row` of `batch` stands, for a fault that shows only after reading.
    ///
    /// The batch must have been filled with these options and inputs. Costs a scan of the row.
    ///
    /// ```
    /// use surefoot_glm::{Batch, Part};
    /// use surefoot_io::{InputName, Options, Svmlight};
    ///
    /// let options = Options::default();
    /// let mut batch = Batch::default();
    /// batch.clear();
    /// Svmlight::new(&options).push(b"\n151 1:0.03\n", &mut batch).unwrap();
    /// let place = options.describe(&[InputName::new("real.svm")], &batch, 0, Part::Label);
    /// assert_eq!(place.error("not a class label").to_string(), "real.svm:2:1: '151': not a class label");
    /// ```
    #[must_use]
    pub fn describe(&self, inputs: &[InputName], batch: &Batch, row: usize, part: Part) -> Located {
        let format = self.format.unwrap_or_else(|| Format::of(inputs));
        let place = batch.place.get(row).copied().unwrap_or_default();
        let (column, token) = (format.describe)(self, batch, row, part);
        let file = inputs.get(place.input as usize).map_or_else(|| "input".to_owned(), InputName::to_string);
        Located { file, line: place.line, column, token }
    }
}
