//! The table of formats.

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

/// The parser of a format.
pub(crate) enum Parser {
    Text(Box<dyn TextParser>),
    Table(Box<dyn TableParser>),
}

/// Parser constructor of a format.
enum Access {
    /// Its text is pushed as it comes.
    Text(fn(&Options) -> Box<dyn TextParser>),
    /// It reads the input itself: as a stream, or here and there if it is a file.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
    Table(fn(&Options) -> Box<dyn TableParser>),
}

/// A format and how it is read; a new one is a row of [`REGISTRY`].
struct Entry {
    format: Format,
    /// Whether data that begin with these bytes, cut anywhere, look like this format.
    begins: fn(&[u8]) -> bool,
    /// Refuses options that name what its data cannot have.
    check: fn(&Options) -> Result<(), Error>,
    access: Access,
    /// Where a part of a row of a batch stands, and its token.
    describe: fn(&Options, &Batch, usize, Part) -> (Location, String),
}

/// The formats that can be read and how, in the order in which content is held against them. The last is taken where neither
/// extension nor content says anything.
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
        // A file, or a stream: the mark that a message goes on with its length.
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

/// The formats that can be read, in the order in which content is held against them.
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
    /// The format with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The format of a file extension, ignoring an extension of compression.
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

    /// The format detected from the first bytes of decompressed data.
    #[must_use]
    pub fn by_content(head: &[u8]) -> &'static Format {
        let last = REGISTRY.last().expect("the table is not empty");
        &REGISTRY.iter().find(|entry| (entry.begins)(head)).unwrap_or(last).format
    }

    /// The format of an input: that which its content is beyond doubt, else that of its extension, else that which the content
    /// looks like; where nothing tells, the text whose features go by `by`.
    ///
    /// `head` are the first bytes, decompressed.
    pub(crate) fn of(name: &Path, head: &[u8], by: FeatureKey) -> &'static Format {
        let looks = Some(Format::by_content(head)).filter(|format| format.name != LAST);
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
            FeatureKey::Index => "svmlight",
            FeatureKey::Name => "vw",
            FeatureKey::Column => "csv",
        };
        let looks = if pairs { Format::named(LAST) } else { looks };
        let named = by_name.filter(|named| head.trim_ascii().is_empty() || !contradicts(named));
        named.or(looks).or_else(|| Format::named(fallback)).unwrap_or(&FORMATS[0])
    }

    /// The format detected from the first input that can be read in advance; if undecided, the text format whose features
    /// are identified by `by`. `None` for an unsupported format.
    #[must_use]
    pub fn guess(inputs: &[InputName], by: FeatureKey) -> Option<&'static Format> {
        let input = inputs.iter().find(|input| input.can_reread())?;
        let head = input.head().ok()?;
        let can_be = Format::is_stored(&head) || unreadable::named(&head, true).is_none();
        can_be.then(|| Format::of(input.to_string().as_ref(), &head, by))
    }

    /// Whether data that begin so are of a format that is no text and can be read.
    pub(crate) fn is_stored(head: &[u8]) -> bool {
        REGISTRY.iter().any(|entry| !entry.format.is_text() && (entry.begins)(head))
    }

    /// Whether its parser is fed with text.
    fn is_text(&self) -> bool {
        matches!(self.entry().access, Access::Text(_))
    }

    /// Checks that data of this format may be read with these options, and that what a user names can be there.
    pub(crate) fn check(&'static self, options: &Options) -> Result<(), Error> {
        options.accepts.check(self)?;
        (self.entry().check)(options)
    }

    /// A parser of this format.
    pub(crate) fn parser(&self, options: &Options) -> Parser {
        match self.entry().access {
            Access::Text(new) => Parser::Text(new(options)),
            Access::Table(new) => Parser::Table(new(options)),
        }
    }

    /// Where a part of a row of a batch stands, and its token.
    pub(crate) fn describe(&self, options: &Options, batch: &Batch, row: usize, part: Part) -> (Location, String) {
        (self.entry().describe)(options, batch, row, part)
    }

    fn entry(&self) -> &'static Entry {
        let is_own = |entry: &&Entry| entry.format.name == self.name;
        REGISTRY.iter().find(is_own).expect("there are no formats but those of the table")
    }
}

/// The text that content cannot be told from any other.
const LAST: &str = "svmlight";
