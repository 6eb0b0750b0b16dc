//! Reader of the rows of inputs, one input after the other.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use surefoot_glm::{Batch, FeatureKey};

use crate::{
    error::{self, Error, ErrorKind, Located, Location, stream_error},
    files::{
        input::{InputName, check_inputs},
        part::PartRange,
    },
    formats::{parse_error::ParseError, parser::CHANGED, registry::Parser, unreadable},
    table::{format::Format, options::Options, partitions::Partitions},
};

use super::{
    admission::admit,
    held_error::HeldError,
    line_numbers,
    source::{Counted, ExamineError, FIRST, MOST, Source, Stream},
};

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
            Partitions::find(inputs, &options.wanted, &options.found)?
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
            total: inputs.iter().try_fold(0_u64, |total, input| Some(total.saturating_add(input.size()?))),
        })
    }

    /// Builds a reader of the rows in the bytes of `from`, which is called `name` in messages.
    ///
    /// # Errors
    /// If a setting is out of its range, or `from` cannot be read.
    pub fn with_reader(name: &str, from: impl Read + Send + 'static, options: Options) -> Result<Reader, Error> {
        let mut reader = Reader::open(&[], options)?;
        reader.total = None;
        reader.source = Some(reader.start(name.to_owned(), Box::new(from)));
        Ok(reader)
    }

    /// Returns the number of stored (possibly compressed) bytes read so far and the total number (`None` if unknown), for a progress
    /// bar.
    #[must_use]
    pub fn bytes(&self) -> (u64, Option<u64>) {
        (self.position.load(Ordering::Relaxed), self.total)
    }

    fn start(&self, name: String, raw: Box<dyn Read + Send>) -> Source {
        let raw = Counted { raw, position: self.position.clone() };
        let before = self.position.load(Ordering::Relaxed);
        let stream = Stream::Stored(Some(Box::new(raw)));
        Source { name, access: None, part: None, before, stream, unseen: true, is_within: false }
    }

    /// Opens an input. Of a part, the whole input is opened first, for its head.
    fn start_input(&self, input: &InputName) -> Result<Source, Error> {
        let raw = input.open()?;
        let mut source = self.start(input.to_string(), Box::new(io::empty()));
        source.stream = match input {
            InputName::Part(part) => {
                source.part = Some(part.clone());
                Stream::Stored(Some(raw))
            }
            _ => Stream::Stored(Some(Box::new(Counted { raw, position: self.position.clone() }))),
        };
        source.access = input.random_access()?;
        Ok(source)
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
            self.source = Some(self.start_input(input)?);
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
        let is_part = source_is_part(self.source.as_ref());
        if is_part {
            self.refuse_utf16(&head)?;
        }
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
            if is_part {
                self.enter_part()?;
            }
        }
        Ok(true)
    }

    /// Opens the current input and determines its format; `None` if there are no more inputs. For a text, also passes its start to the
    /// parser, and returns the number of bytes before the first row.
    ///
    /// # Errors
    /// If the input cannot be read, or has a fault before the first row.
    pub(super) fn examine(&mut self) -> Result<Option<(u64, &mut Parser, &mut Source)>, Error> {
        while self.parser().is_none() {
            if !self.step(&mut Batch::default())? {
                return Ok(None);
            }
        }
        let first = self.examine_text()?;
        let parser = self.current.and_then(|current| self.parsers.get_mut(current));
        Ok(parser.zip(self.source.as_mut()).map(|((_, parser), source)| (first, parser, source)))
    }

    /// Passes the start of a text to its parser; returns the number of bytes before the first row, 0 for a table that is not text.
    fn examine_text(&mut self) -> Result<u64, Error> {
        let parser = self.current.and_then(|current| self.parsers.get_mut(current));
        let (Some((_, Parser::Text(parser))), Some(source)) = (parser, &mut self.source) else { return Ok(0) };
        source.examine(&mut **parser).map_err(|error| match error {
            ExamineError::Stream((codec, error)) => self.stream_error(codec, error),
            ExamineError::Parse(fault) => self.row_error(fault),
        })
    }

    /// Continues a text, whose start was opened, with the part of it that is to be read.
    fn enter_part(&mut self) -> Result<(), Error> {
        let first = self.examine_text()?;
        let parser = self.current.and_then(|current| self.parsers.get_mut(current));
        let (Some((_, Parser::Text(parser))), Some(source)) = (parser, &mut self.source) else { return Ok(()) };
        let Some(part) = &source.part else { return Ok(()) };
        let PartRange::Bytes(range) = part.range() else { return Err(changed(&source.name)) };
        if source.codec().is_some() {
            return Err(changed(&source.name));
        }
        if range.start > 0 {
            parser.skip();
            source.is_within = true;
        }
        let raw = part.of().open_range(range.start.max(first), range.end)?;
        source.stream = Stream::Open(None, Box::new(Counted { raw, position: self.position.clone() }));
        source.unseen = false;
        Ok(())
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
        let (Some((_, Parser::Text(_))), Some(source)) = (parser, &mut self.source) else { return Ok(false) };
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
        if std::mem::take(&mut source.unseen) {
            self.refuse_utf16(&self.bytes[..n])?;
        }
        let parser = self.current.and_then(|current| self.parsers.get_mut(current));
        let Some((_, Parser::Text(parser))) = parser else { return Ok(false) };
        let parsed = if n == 0 { parser.finish(batch) } else { parser.push(&self.bytes[..n], batch) };
        // After a row at fault, later rows may remain when the input ends; another call returns them.
        let ended = n == 0 && !parser.waiting();
        let parsed = parsed.map(|()| true).map_err(|fault| self.row_error(fault));
        if ended {
            self.source = None;
        }
        parsed
    }

    /// Refuses an input that begins with these bytes if they are UTF-16.
    fn refuse_utf16(&self, head: &[u8]) -> Result<(), Error> {
        if !is_utf16(head) {
            return Ok(());
        }
        let place = Located {
            file: self.file(),
            location: Location::Text { line: 1, column: 1 },
            token: error::token(&head[..head.len().min(2)]),
        };
        Err(ErrorKind::Input { place, message: "this is UTF-16; save the file as UTF-8".to_owned() }.into())
    }

    fn file(&self) -> String {
        self.source.as_ref().map_or_else(String::new, |source| source.name.clone())
    }

    fn row_error(&self, fault: ParseError) -> Error {
        let ParseError { line, column, token, message, fatal, asked, .. } = fault;
        let place = Located { file: self.file(), location: Location::Text { line, column }, token };
        let place = match self.source.as_ref().filter(|source| source.is_within).and_then(|source| source.part.as_ref())
        {
            Some(part) => line_numbers::of_whole(part, place),
            None => place,
        };
        if asked {
            return ErrorKind::Asked { place: place.to_string(), message }.into();
        }
        if fatal { ErrorKind::Input { place, message }.into() } else { place.error(message) }
    }

    fn stream_error(&self, codec: Option<&'static str>, source: io::Error) -> Error {
        stream_error(self.file(), codec, self.bytes().0, source)
    }
}

fn source_is_part(source: Option<&Source>) -> bool {
    source.is_some_and(|source| source.part.is_some())
}

fn changed(file: &str) -> Error {
    ErrorKind::Table { file: file.to_owned(), message: CHANGED.to_owned() }.into()
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
