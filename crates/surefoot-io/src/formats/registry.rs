//! Registry of the supported formats, and detection of the format of an input.

use std::path::Path;

use surefoot_glm::{Batch, FeatureKey, Part};

#[cfg(feature = "parquet")]
use super::columnar;
use super::{
    csv,
    parser::{TableParser, TextParser},
    records::Records,
    svmlight::{self, Svmlight},
    unreadable,
    vw::{self, Vw},
};
use crate::{
    error::{Error, Location},
    files::{compression, input::InputName},
    table::{format::Format, options::Options},
};

/// Parser of any format: a push parser for text, or a parser that reads its inputs itself.
pub(crate) enum Parser {
    Text(Box<dyn TextParser>),
    Table(Box<dyn TableParser>),
}

/// Constructor of the parser of a format.
enum Access {
    /// Constructor of a push parser of text.
    Text(fn(&Options) -> Box<dyn TextParser>),
    /// Constructor of a parser that reads the input itself: as a stream, or by random access if the input is a file.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
    Table(fn(&Options) -> Box<dyn TableParser>),
}

/// Data format with the functions that detect, check and parse it; each is a row of [`REGISTRY`].
struct Entry {
    format: Format,
    /// Whether data look like this format, judged by their first bytes (of any number).
    begins: fn(&[u8]) -> bool,
    /// Checks that the features named by the user in the options can occur in this format.
    check: fn(&Options) -> Result<(), Error>,
    access: Access,
    /// Returns the location and the text of a part of a row, such as the label or a feature, for error messages.
    describe: fn(&Options, &Batch, usize, Part) -> (Location, String),
}

/// Table of all supported formats, in the order in which they are tried on the content of an input. The last one, svmlight, is the default
/// if neither the extension nor the content determines the format.
static REGISTRY: &[Entry] = &[
    #[cfg(feature = "parquet")]
    Entry {
        format: Format { name: "parquet", extensions: &["parquet", "pq"], by: FeatureKey::Column },
        begins: |head| head.starts_with(b"PAR1") || head.starts_with(b"PARE"),
        check: |_| Ok(()),
        access: Access::Table(columnar::parquet),
        describe: columnar::describe,
    },
    #[cfg(feature = "parquet")]
    Entry {
        format: Format { name: "arrow", extensions: &["arrow", "arrows", "ipc", "feather"], by: FeatureKey::Column },
        // An Arrow file begins with ARROW1; an Arrow stream begins with four 0xff bytes before the length of its first message.
        begins: |head| head.starts_with(b"ARROW1") || head.starts_with(&[0xff; 4]),
        check: |_| Ok(()),
        access: Access::Table(columnar::arrow),
        describe: columnar::describe,
    },
    Entry {
        format: Format { name: "vw", extensions: &["vw"], by: FeatureKey::Name },
        begins: vw::begins,
        check: |_| Ok(()),
        access: Access::Text(|options| Box::new(Records::new(Vw::new(options)))),
        describe: vw::describe,
    },
    Entry {
        format: Format { name: "csv", extensions: &["csv"], by: FeatureKey::Column },
        begins: |head| csv::begins(head, b','),
        check: |_| Ok(()),
        access: Access::Text(|options| csv::parser(options, b',')),
        describe: |options, batch, row, part| csv::describe(options, b',', batch, row, part),
    },
    Entry {
        format: Format { name: "tsv", extensions: &["tsv"], by: FeatureKey::Column },
        begins: |head| csv::begins(head, b'\t'),
        check: |_| Ok(()),
        access: Access::Text(|options| csv::parser(options, b'\t')),
        describe: |options, batch, row, part| csv::describe(options, b'\t', batch, row, part),
    },
    Entry {
        format: Format { name: "svmlight", extensions: &["svm", "svmlight", "libsvm"], by: FeatureKey::Index },
        begins: |_| true,
        check: svmlight::check,
        access: Access::Text(|options| Box::new(Svmlight::new(options))),
        describe: svmlight::describe,
    },
];

/// Supported formats, in the order in which they are tried on the content of an input.
pub static FORMATS: &[Format] = &{
    let mut formats = [REGISTRY[0].format; REGISTRY.len()];
    let mut n = 1;
    while n < formats.len() {
        formats[n] = REGISTRY[n].format;
        n += 1;
    }
    formats
};

impl Format {
    /// Returns the format with this name, such as `csv`; `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// Returns the format that the extension of a file name denotes, ignoring an extension of compression such as `.gz`; `None` if the
    /// extension is unknown.
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

    /// Detects the format from the first decompressed bytes of an input; svmlight if they resemble no other format.
    #[must_use]
    pub fn by_content(head: &[u8]) -> &'static Format {
        let last = REGISTRY.last().expect("the table is not empty");
        &REGISTRY.iter().find(|entry| (entry.begins)(head)).unwrap_or(last).format
    }

    /// Determines the format of an input, in this order of precedence: the format that its content proves, that of its extension, the one
    /// that its content resembles, and the default text format for features identified by `by` (index, name or column).
    ///
    /// `head` holds the first decompressed bytes of the input.
    pub(crate) fn of(name: &Path, head: &[u8], by: FeatureKey) -> &'static Format {
        let looks = Some(Format::by_content(head)).filter(|format| format.name != LAST);
        let by_name = Format::by_extension(name);
        if let Some(found) = looks.filter(|format| !format.is_text()) {
            return found;
        }
        let pairs = svmlight::begins(head);
        let contradicts = |named: &Format| match named.name {
            "csv" | "tsv" => pairs,
            // Text with a colon may be svmlight with an invalid pair; spaces and tabs occur in either format.
            "svmlight" => {
                let parts = |byte: &u8| b",;|".contains(byte);
                !pairs && looks.is_some() && !head.contains(&b':') && head.iter().any(parts)
            }
            "vw" => !head.contains(&b'|') && (pairs || looks.is_some()),
            // The Parquet and Arrow parsers report binary content better themselves.
            _ => looks.is_some() && std::str::from_utf8(head).is_ok_and(|text| !text.contains('\0')),
        };
        let fallback = match by {
            FeatureKey::Index => "svmlight",
            FeatureKey::Name => "vw",
            FeatureKey::Column => "csv",
        };
        let looks = if pairs { Format::named(LAST) } else { looks };
        let named = by_name.filter(|named| head.trim_ascii().is_empty() || !contradicts(named));
        named.or(looks).or_else(|| Format::named(fallback)).unwrap_or(&FORMATS[0])
    }

    /// Detects the format from the first input that can be read more than once. If its content is ambiguous, returns the default text
    /// format for features identified by `by` (index, name or column). Returns `None` if there is no such input or its format is
    /// unsupported.
    #[must_use]
    pub fn guess(inputs: &[InputName], by: FeatureKey) -> Option<&'static Format> {
        let input = inputs.iter().find(|input| input.can_reread())?;
        let head = input.head().ok()?;
        let can_be = Format::is_stored(&head) || unreadable::named(&head, true).is_none();
        can_be.then(|| Format::of(input.to_string().as_ref(), &head, by))
    }

    /// Whether data that begin with `head` are in a supported binary format (Parquet or Arrow).
    pub(crate) fn is_stored(head: &[u8]) -> bool {
        REGISTRY.iter().any(|entry| !entry.format.is_text() && (entry.begins)(head))
    }

    /// Whether this is a text format, whose parser is a push parser.
    fn is_text(&self) -> bool {
        matches!(self.entry().access, Access::Text(_))
    }

    /// Checks that the options permit this format, and that the features named by the user can occur in it.
    pub(crate) fn check(&'static self, options: &Options) -> Result<(), Error> {
        options.accepts.check(self)?;
        (self.entry().check)(options)
    }

    /// Builds a parser of this format with the given options.
    pub(crate) fn parser(&self, options: &Options) -> Parser {
        match self.entry().access {
            Access::Text(new) => Parser::Text(new(options)),
            Access::Table(new) => Parser::Table(new(options)),
        }
    }

    /// Returns the location and the text of a part of a row, such as the label or a feature, for error messages.
    pub(crate) fn describe(&self, options: &Options, batch: &Batch, row: usize, part: Part) -> (Location, String) {
        (self.entry().describe)(options, batch, row, part)
    }

    fn entry(&self) -> &'static Entry {
        let is_own = |entry: &&Entry| entry.format.name == self.name;
        REGISTRY.iter().find(is_own).expect("there are no formats but those of the table")
    }
}

/// Name of the last format in [`REGISTRY`], which accepts any content.
const LAST: &str = "svmlight";
