//! Reader of the rows of inputs, one input after the other.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use surefoot_glm::{Batch, FeatureKey};

use crate::{
    error::{self, Error, ErrorKind, Located, Location, stream_error},
    files::{
        compression,
        input::{InputName, check_inputs},
        interrupted::uninterrupted,
    },
    formats::{parse_error::ParseError, parser::Opened, registry::Parser, unreadable},
    table::{format::Format, options::Options, partitions::Partitions},
};

use super::{admission::admit, held_error::HeldError};

/// Source of rows, read in batches.
pub trait RowSource {
    /// Replaces the content of `batch` by the next rows, at least one; returns `false` at the end of the source.
    ///
    /// # Errors
    /// If the next row or the input is invalid; all rows before it have then been delivered. After an invalid row ([`Error::is_row`]),
    /// reading can continue with the row after it; after any other error it cannot continue.
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error>;

    /// Returns the number of stored (possibly compressed) bytes read so far, and the total number (`None` if unknown).
    fn progress(&self) -> (u64, Option<u64>);
}

impl<S: RowSource + ?Sized> RowSource for Box<S> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        (**self).read(batch)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (**self).progress()
    }
}

/// Maximum number of bytes of text in the first batch; small, so that the rows of small files and pipes are delivered with little
/// delay.
const FIRST: usize = 4 << 10;
/// Maximum number of bytes of text in each later batch.
const MOST: usize = 256 << 10;

/// Row source that reads a list of inputs one after the other and decompresses them as needed.
///
/// A batch holds the rows of one read of the input, up to 256 KiB: a single line that arrives through a pipe is delivered at once.
pub struct Reader {
    inputs: Vec<InputName>,
    next: usize,
    source: Option<Source>,
    options: Options,
    /// Parsers of all formats that have occurred in the inputs so far.
    parsers: Vec<(&'static Format, Parser)>,
    /// Position in `parsers` of the parser for the current input; `None` until the format of the input is known.
    current: Option<usize>,
    bytes: Vec<u8>,
    size: usize,
    held: HeldError,
    position: Arc<AtomicU64>,
    total: Option<u64>,
}

impl Reader {
    /// Checks all inputs and the options. The first input is opened only when the first rows are read.
    ///
    /// # Errors
    /// If an input cannot be read or a setting is out of its range.
    pub fn open(inputs: &[InputName], options: Options) -> Result<Reader, Error> {
        options.check()?;
        check_inputs(inputs)?;
        if let Some(format) = options.format {
            format.check(&options)?;
        }
        let partitions = if is_table(inputs, &options) {
            Partitions::find(inputs, &options.wanted, options.found.table())?
        } else {
            Partitions::default()
        };
        let options = Options { partitions, ..options };
        Ok(Reader {
            inputs: inputs.to_vec(),
            next: 0,
            source: None,
            parsers: Vec::new(),
            current: None,
            options,
            bytes: Vec::new(),
            size: FIRST,
            held: HeldError::default(),
            position: Arc::default(),
            total: inputs.iter().map(InputName::size).sum(),
        })
    }

    /// Builds a reader of the rows in the bytes of `from`, which is called `name` in messages.
    ///
    /// # Errors
    /// If a setting is out of its range, or `from` cannot be read.
    pub fn with_reader(name: &str, from: impl Read + Send + 'static, options: Options) -> Result<Reader, Error> {
        let mut reader = Reader::open(&[], options)?;
        reader.total = None;
        reader.source = Some(reader.start(name.to_owned(), None, Box::new(from)));
        Ok(reader)
    }

    /// Returns the number of stored (possibly compressed) bytes read so far and the total number (`None` if unknown), for a progress
    /// bar.
    #[must_use]
    pub fn bytes(&self) -> (u64, Option<u64>) {
        (self.position.load(Ordering::Relaxed), self.total)
    }

    fn start(&self, name: String, file: Option<(Arc<File>, u64)>, raw: Box<dyn Read + Send>) -> Source {
        let raw = Counted { raw, position: self.position.clone() };
        let before = self.position.load(Ordering::Relaxed);
        Source { name, file, before, stream: Stream::Stored(Some(Box::new(raw))), unseen: true }
    }

    /// Performs one read from the current input, or opens the next input; returns `false` if no input is left.
    fn step(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        if let Some(Parser::Text(parser)) = self.parser()
            && parser.waiting()
        {
            let parsed = parser.push(&[], batch);
            return parsed.map(|()| true).map_err(|fault| self.row_error(fault));
        }
        if self.source.is_none() {
            let Some(input) = self.inputs.get(self.next) else { return Ok(false) };
            self.source = Some(self.start(input.to_string(), input.file()?, input.open()?));
            self.next += 1;
            self.current = None;
        }
        match self.parser() {
            Some(Parser::Table(_)) => self.table(batch),
            Some(Parser::Text(_)) => self.text(batch),
            None => self.begin(),
        }
    }

    /// Returns the parser of the current input; `None` until the format of the input is known.
    fn parser(&mut self) -> Option<&mut Parser> {
        Some(&mut self.parsers.get_mut(self.current?)?.1)
    }

    /// Detects the format of the current input from its first bytes, and puts these bytes back for the parser; returns `false` if no
    /// input is open.
    fn begin(&mut self) -> Result<bool, Error> {
        let Some(source) = &mut self.source else { return Ok(false) };
        let head = match source.head() {
            Ok(head) => head,
            Err((codec, error)) => return Err(self.stream_error(codec, error)),
        };
        let name = source.name.clone();
        let format = self.format(&name, &head)?;
        if let Some(source) = &mut self.source {
            source.unread(head);
        }
        let known = self.parsers.iter().position(|parser| parser.0.name == format.name);
        self.current = Some(known.unwrap_or_else(|| {
            self.parsers.push((format, format.parser(&self.options)));
            self.parsers.len() - 1
        }));
        let input = u32::try_from(self.next.saturating_sub(1)).unwrap_or(u32::MAX);
        if let Some(Parser::Text(parser)) = self.parser() {
            parser.start(input);
        }
        Ok(true)
    }

    /// Returns the format of the input `name`, whose first bytes are `head`. Returns an error if the format does not fit the earlier
    /// inputs or the model.
    fn format(&self, name: &str, head: &[u8]) -> Result<&'static Format, Error> {
        let Options { format: given, found, .. } = &self.options;
        let refused = |message: String| ErrorKind::Table { file: name.to_owned(), message };
        // An explicit format is not questioned, so that the result does not depend on how many bytes arrived at once.
        if given.is_none()
            && !Format::is_stored(head)
            && !is_utf16(head)
            && let Some(kind) = unreadable::named(head, true)
        {
            return Err(refused(format!("this is {kind}")).into());
        }
        let wants_columns = self.options.wanted.label.is_some();
        let by = found.by().unwrap_or(if wants_columns { FeatureKey::Column } else { FeatureKey::Index });
        let format = given.unwrap_or_else(|| Format::of(name.as_ref(), head, by));
        if let Some(named) = Format::by_extension(name.as_ref())
            && given.is_none()
            && named.name != format.name
        {
            found.note(format!("{name}: read as {}, as its content says, whatever its name", format.name));
        }
        admit(name, format, &self.options)?;
        Ok(format)
    }

    /// Reads the next rows of a columnar table (Parquet or Arrow), which is opened on the first call; returns `false` at its end.
    fn table(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let parser = self.current.and_then(|current| self.parsers.get_mut(current));
        let (Some((_, Parser::Table(parser))), Some(source)) = (parser, &mut self.source) else { return Ok(false) };
        let more = match source.open(&self.position, self.next.saturating_sub(1) as u32) {
            None => parser.read(batch)?,
            Some(Ok(opened)) => parser.open(opened).map(|()| true)?,
            Some(Err(error)) => return Err(self.stream_error(None, error)),
        };
        if !more {
            self.source = None;
        }
        Ok(true)
    }

    fn text(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let parser = self.current.and_then(|current| self.parsers.get_mut(current));
        let (Some((_, Parser::Text(parser))), Some(source)) = (parser, &mut self.source) else { return Ok(false) };
        self.bytes.resize(self.size, 0);
        self.size = (2 * self.size).min(MOST);
        let mut n = 0;
        loop {
            match source.read(&mut self.bytes[n..]) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err((codec, error)) => return Err(self.stream_error(codec, error)),
            }
            if !source.unseen || n >= SIGN || self.bytes[..n].contains(&b'\n') {
                break;
            }
        }
        if std::mem::take(&mut source.unseen) && is_utf16(&self.bytes[..n]) {
            let (file, token) = (source.name.clone(), error::token(&self.bytes[..2]));
            let place = Located { file, location: Location::Text { line: 1, column: 1 }, token };
            return Err(ErrorKind::Input { place, message: "this is UTF-16; save the file as UTF-8".to_owned() }.into());
        }
        let parsed = if n == 0 { parser.finish(batch) } else { parser.push(&self.bytes[..n], batch) };
        // After a row at fault, later rows may remain when the input ends; another call returns them.
        let ended = n == 0 && !parser.waiting();
        let parsed = parsed.map(|()| true).map_err(|fault| self.row_error(fault));
        if ended {
            self.source = None;
        }
        parsed
    }

    fn file(&self) -> String {
        self.source.as_ref().map_or_else(String::new, |source| source.name.clone())
    }

    fn row_error(&self, fault: ParseError) -> Error {
        let ParseError { line, column, token, message, fatal, asked, .. } = fault;
        let place = Located { file: self.file(), location: Location::Text { line, column }, token };
        if asked {
            return ErrorKind::Asked { place: place.to_string(), message }.into();
        }
        if fatal { ErrorKind::Input { place, message }.into() } else { place.error(message) }
    }

    fn stream_error(&self, codec: Option<&'static str>, source: io::Error) -> Error {
        stream_error(self.file(), codec, self.bytes().0, source)
    }
}

/// Whether the first input whose format can be determined is a table (CSV, Parquet or Arrow).
fn is_table(inputs: &[InputName], options: &Options) -> bool {
    let known = options.format.or_else(|| options.found.format());
    known.or_else(|| Format::guess(inputs, FeatureKey::Column)).is_some_and(|format| format.by == FeatureKey::Column)
}

/// Number of bytes at the start of a text that suffice to recognise UTF-16 encoding.
const SIGN: usize = 4;

/// Whether a text begins like UTF-16: with its byte order mark, or with two ASCII characters of two bytes each.
fn is_utf16(head: &[u8]) -> bool {
    // Only the first line is inspected, so that a line through a pipe is parsed before the next one arrives.
    let head = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let (low, high) = match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return true,
        [a, b, c, d, ..] => ((a.min(c), b.max(d)), (b.min(d), a.max(c))),
        _ => return false,
    };
    [low, high].into_iter().any(|(character, zero)| *character > 0 && *zero == 0)
}

impl RowSource for Reader {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        loop {
            batch.clear();
            self.held.take()?;
            let stepped = self.step(batch);
            if let Err(error) = &stepped
                && !error.is_row()
            {
                self.source = None;
                self.next = self.inputs.len();
            }
            if let Some(done) = self.held.hold(stepped, batch) {
                return done;
            }
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.bytes()
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("inputs", &self.inputs).field("next", &self.next).finish_non_exhaustive()
    }
}

/// Input that is open for reading, with its stream.
struct Source {
    name: String,
    /// File behind the stream and its size in bytes; `None` if the input is not a regular file.
    file: Option<(Arc<File>, u64)>,
    /// Number of stored (possibly compressed) bytes of all previous inputs.
    before: u64,
    stream: Stream,
    /// Whether no bytes of the input have been parsed yet.
    unseen: bool,
}

enum Stream {
    /// Stored bytes of which none was read, so that the compression is unknown; `None` only during its detection.
    Stored(Option<Box<dyn Read + Send>>),
    Open(Option<&'static str>, Box<dyn Read + Send>),
    /// Placeholder after the stream was handed over to a parser that reads its input itself.
    Lent,
}

impl Source {
    /// Reads the first decompressed bytes of the input: at least one line, unless it is very long. Does not wait for bytes after the
    /// first line.
    fn head(&mut self) -> Result<Vec<u8>, (Option<&'static str>, io::Error)> {
        let (mut head, mut n) = (vec![0; FIRST], 0);
        while n < FIRST {
            match self.read(&mut head[n..])? {
                0 => break,
                more => n += more,
            }
            if head[..n].contains(&b'\n') {
                break;
            }
        }
        head.truncate(n);
        Ok(head)
    }

    /// Puts bytes that were already read back at the front of the stream.
    fn unread(&mut self, bytes: Vec<u8>) {
        if let Stream::Open(codec, stream) = std::mem::replace(&mut self.stream, Stream::Lent) {
            self.stream = Stream::Open(codec, Box::new(Cursor::new(bytes).chain(stream)));
        }
    }

    /// Hands the input over to a parser that reads its input itself; `None` if it was handed over before.
    fn open(&mut self, position: &Arc<AtomicU64>, input: u32) -> Option<io::Result<Opened>> {
        let (codec, stream) = match std::mem::replace(&mut self.stream, Stream::Lent) {
            Stream::Stored(raw) => match compression::decode(raw?) {
                Ok(decoded) => decoded,
                Err(error) => return Some(Err(error)),
            },
            Stream::Open(codec, stream) => (codec, stream),
            Stream::Lent => return None,
        };
        let file = self.file.take().filter(|_| codec.is_none());
        Some(Ok(Opened {
            name: self.name.clone(),
            input,
            file,
            stream,
            codec,
            position: position.clone(),
            before: self.before,
        }))
    }

    /// Reads decompressed bytes. An error comes with the name of the compression codec, `None` for uncompressed data.
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, (Option<&'static str>, io::Error)> {
        loop {
            match &mut self.stream {
                Stream::Stored(raw) => {
                    let Some(raw) = raw.take() else { return Ok(0) };
                    let (codec, stream) = compression::decode(raw).map_err(|error| (None, error))?;
                    self.stream = Stream::Open(codec, stream);
                }
                Stream::Open(codec, stream) => return stream.read(bytes).map_err(|error| (*codec, error)),
                Stream::Lent => return Ok(0),
            }
        }
    }
}

/// Reader that adds the number of bytes read to a shared counter, which the progress bar shows.
struct Counted {
    raw: Box<dyn Read + Send>,
    position: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = uninterrupted(|| self.raw.read(bytes))?;
        self.position.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}
