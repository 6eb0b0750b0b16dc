//! Reader of the Arrow IPC format, as a stream (a sequence of messages) or as a file (a stream between magic bytes, followed by an index).
//!
//! A file is read as the stream that it contains, so it may come through a pipe and be compressed. The index at its end is not used. Of a
//! part of a file, record batches before it are passed over, but not dictionaries.
//! Arrow has no checksums: a changed byte within values cannot be detected.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::{MessageHeader, convert, reader};
use arrow_schema::{ArrowError, Schema, SchemaRef};

use super::{ReadFailure, Table, part_of};
use crate::{
    files::{
        part::PartRange,
        random_access::{RandomAccess, ReadFrom},
    },
    formats::parser::{CHANGED, Opened},
    table::{inferred::Inferred, options::Options},
};

/// First bytes of an Arrow file; padding to eight bytes follows.
const MAGIC: &[u8] = b"ARROW1";
/// First bytes of each message of an Arrow stream; old writers omit them.
const CONTINUES: [u8; 4] = [0xff; 4];
/// Number of bytes that are fetched at once.
const BUFFER: usize = 64 << 10;
/// Maximum accepted size of the metadata of a message, in bytes.
const DESCRIPTION: usize = 256 << 20;

struct Messages {
    name: String,
    stream: Chain<Cursor<Vec<u8>>, BufReader<Box<dyn Read + Send>>>,
    is_file: bool,
    schema: SchemaRef,
    columns: Vec<usize>,
    dictionaries: HashMap<i64, ArrayRef>,
    found: Arc<Inferred>,
    ended: bool,
    /// Random access to the input; `None` if it is compressed or not a regular file.
    access: Option<Arc<dyn RandomAccess>>,
    /// Number of bytes of the input before the next message.
    at: u64,
    /// Number of record batches read or passed over, and the number at which reading ends.
    batches: usize,
    end: usize,
    /// Number of rows in the record batches that were passed over.
    rows_before: u64,
    /// Count of bytes read, to which those of record batches are added if `stream` does not; `None` if it does.
    position: Option<Arc<AtomicU64>>,
}

/// Message of an Arrow stream: metadata (Flatbuffers) and body.
struct Message {
    description: Vec<u8>,
    body: Buffer,
}

pub(super) fn open(input: Opened, options: &Options) -> Result<Box<dyn Table>, ReadFailure> {
    let (part, position) = (input.part.clone(), input.position.clone());
    let mut messages = Messages::open(input, options.found.clone())?;
    if part.is_some() {
        let range = part_of(part.as_ref(), usize::MAX, |range| match range {
            PartRange::RecordBatches(batches) => Some(batches),
            _ => None,
        })?;
        messages.position = Some(position);
        messages.pass_to(&range)?;
    }
    Ok(Box::new(messages))
}

/// Returns the size of each record batch; none if the input is not a regular uncompressed file.
pub(super) fn units(input: Opened) -> Result<Vec<u64>, ReadFailure> {
    if input.access.is_none() {
        return Ok(Vec::new());
    }
    let mut messages = Messages::open(input, Arc::default())?;
    let mut sizes = Vec::new();
    while let Some(description) = messages.description()? {
        let message = arrow_ipc::root_as_message(&description).map_err(damaged)?;
        let length = u64::try_from(message.bodyLength()).map_err(damaged)?;
        messages.pass_over(length)?;
        if message.header_type() == MessageHeader::RecordBatch {
            sizes.push(length + description.len() as u64);
        }
    }
    Ok(sizes)
}

impl Messages {
    fn open(input: Opened, found: Arc<Inferred>) -> Result<Messages, ReadFailure> {
        let mut stream = BufReader::with_capacity(BUFFER, input.stream);
        let mut first = eight(&mut stream)?;
        let mut at = first.len() as u64;
        let is_file = first.starts_with(MAGIC);
        if first.starts_with(b"FEA1") {
            return Err(ReadFailure::Says(
                "is Feather of version 1, which is out of use; write it as version 2".to_owned(),
            ));
        }
        if !is_file && !first.starts_with(&CONTINUES) {
            return Err(ReadFailure::Says("not an Arrow file or stream; for another format give --format".to_owned()));
        }
        // Writers pad the magic bytes, some of them to 64 bytes.
        for _ in 0..8 {
            if is_file && (first.starts_with(MAGIC) || first == [0; 8]) {
                first = eight(&mut stream)?;
                at += first.len() as u64;
            }
        }
        let mut messages = Messages {
            name: input.name,
            at: at - first.len() as u64,
            stream: Cursor::new(first).chain(stream),
            is_file,
            schema: Arc::new(Schema::empty()),
            columns: Vec::new(),
            dictionaries: HashMap::new(),
            found,
            ended: false,
            access: input.access,
            batches: 0,
            end: usize::MAX,
            rows_before: 0,
            position: None,
        };
        let Some(first) = messages.message()? else { return Err(cut_off()) };
        let message = arrow_ipc::root_as_message(&first.description).map_err(damaged)?;
        let schema = message.header_as_schema().ok_or_else(|| damaged("it does not begin with a schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(ReadFailure::Says(
                "its numbers have the bytes of another machine's order; write it anew".to_owned(),
            ));
        }
        messages.schema = Arc::new(convert::try_fb_to_schema(schema).map_err(decoding)?);
        Ok(messages)
    }

    /// Passes over the record batches before those of a part, of which dictionaries are read.
    fn pass_to(&mut self, part: &Range<usize>) -> Result<(), ReadFailure> {
        while self.batches < part.start {
            let Some(description) = self.description()? else { return Err(ReadFailure::Says(CHANGED.to_owned())) };
            let message = arrow_ipc::root_as_message(&description).map_err(damaged)?;
            let length = u64::try_from(message.bodyLength()).map_err(damaged)?;
            if let Some(batch) = message.header_as_record_batch() {
                self.rows_before = self.rows_before.saturating_add(batch.length().unsigned_abs());
                self.batches += 1;
                self.pass_over(length)?;
            } else {
                let body = Buffer::from_vec(self.bytes(length)?);
                self.other_than_batch(&Message { description, body })?;
            }
        }
        self.end = part.end;
        if let Some(access) = &self.access {
            let rest = access.clone().stream(self.at, access.size());
            self.stream = Cursor::new(Vec::new()).chain(BufReader::with_capacity(BUFFER, rest));
        }
        Ok(())
    }

    /// Passes over `length` bytes.
    fn pass_over(&mut self, length: u64) -> Result<(), ReadFailure> {
        let Some(access) = &self.access else { return self.bytes(length).map(drop) };
        self.at = self.at.checked_add(length).filter(|&at| at <= access.size()).ok_or_else(cut_off)?;
        let rest: Box<dyn Read + Send> = Box::new(ReadFrom { access: access.clone(), at: self.at });
        self.stream = Cursor::new(Vec::new()).chain(BufReader::with_capacity(BUFFER, rest));
        Ok(())
    }

    /// Reads a message that is no record batch: keeps the dictionary that it may hold.
    fn other_than_batch(&mut self, message: &Message) -> Result<(), ReadFailure> {
        let Message { description, body } = message;
        let message = arrow_ipc::root_as_message(description).map_err(damaged)?;
        match message.header_type() {
            MessageHeader::DictionaryBatch => {
                let batch = message.header_as_dictionary_batch().ok_or_else(|| damaged("a dictionary is empty"))?;
                if let Some(data) = batch.data() {
                    check(&data, body)?;
                }
                reader::read_dictionary(body, batch, &self.schema, &mut self.dictionaries, &message.version())
                    .map_err(decoding)
            }
            MessageHeader::Schema => Err(damaged("there is a second schema")),
            _ => Ok(()),
        }
    }
}

impl Table for Messages {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), ReadFailure> {
        self.columns = columns.to_vec();
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, ReadFailure> {
        while self.batches < self.end {
            let Some(next) = self.message()? else { break };
            let message = arrow_ipc::root_as_message(&next.description).map_err(damaged)?;
            if message.header_type() != MessageHeader::RecordBatch {
                self.other_than_batch(&next)?;
                continue;
            }
            let (version, body) = (message.version(), &next.body);
            let batch = message.header_as_record_batch().ok_or_else(|| damaged("a batch is empty"))?;
            check(&batch, body)?;
            self.batches += 1;
            if let Some(position) = &self.position {
                position.fetch_add((next.description.len() + body.len()) as u64, Ordering::Relaxed);
            }
            let (schema, columns) = (self.schema.clone(), Some(self.columns.as_slice()));
            let read = reader::read_record_batch(body, batch, schema, &self.dictionaries, columns, &version);
            return read.map(Some).map_err(decoding);
        }
        Ok(None)
    }

    fn rows_before(&self) -> u64 {
        self.rows_before
    }
}

impl Messages {
    /// Reads the next message of the Arrow stream; `None` at the end of the stream.
    fn message(&mut self) -> Result<Option<Message>, ReadFailure> {
        let Some(description) = self.description()? else { return Ok(None) };
        let message = arrow_ipc::root_as_message(&description).map_err(damaged)?;
        let length = u64::try_from(message.bodyLength()).map_err(damaged)?;
        let body = Buffer::from_vec(self.bytes(length)?);
        Ok(Some(Message { description, body }))
    }

    /// Reads the metadata of the next message, which its body follows; `None` at the end of the stream.
    fn description(&mut self) -> Result<Option<Vec<u8>>, ReadFailure> {
        if self.ended || self.stream.fill_buf()?.is_empty() {
            return self.end_without_mark();
        }
        let mut length = self.word()?;
        if length == CONTINUES {
            length = self.word()?;
        }
        let length = match u32::from_le_bytes(length) as usize {
            0 => {
                self.ended = true;
                return self.end().map(|()| None);
            }
            length if length > DESCRIPTION => return Err(damaged("a message claims to be larger than any is")),
            length => length,
        };
        self.bytes(length as u64).map(Some)
    }

    /// Handles an input that ends without an end-of-stream marker: valid for an Arrow stream, which is then at its end (`None`), but an
    /// error for an Arrow file.
    fn end_without_mark(&mut self) -> Result<Option<Vec<u8>>, ReadFailure> {
        if self.is_file && !self.ended {
            return Err(cut_off());
        }
        if !self.ended {
            let name = &self.name;
            self.found.note(format!("{name}: the stream has no mark at its end: if it was cut off, rows are missing"));
        }
        self.ended = true;
        Ok(None)
    }

    /// Checks the bytes after the end-of-stream marker: an Arrow file must continue with its index and magic bytes, an Arrow stream must
    /// end.
    fn end(&mut self) -> Result<(), ReadFailure> {
        let mut last = Vec::new();
        loop {
            let bytes = self.stream.fill_buf()?;
            let n = bytes.len();
            if n == 0 {
                break;
            }
            last.extend_from_slice(&bytes[n.saturating_sub(MAGIC.len())..]);
            last.drain(..last.len().saturating_sub(MAGIC.len()));
            self.stream.consume(n);
        }
        match (self.is_file, last.is_empty()) {
            (true, _) if last != MAGIC => Err(cut_off()),
            (false, false) => Err(damaged("there is something behind its end")),
            _ => Ok(()),
        }
    }

    fn word(&mut self) -> Result<[u8; 4], ReadFailure> {
        let mut word = [0; 4];
        match self.stream.read_exact(&mut word) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(cut_off()),
            done => {
                self.at += 4;
                done.map(|()| word).map_err(ReadFailure::Stream)
            }
        }
    }

    /// Reads `length` bytes. Memory is allocated only as bytes arrive, so that a false length does not exhaust it.
    fn bytes(&mut self, length: u64) -> Result<Vec<u8>, ReadFailure> {
        let mut bytes = Vec::new();
        self.stream.by_ref().take(length).read_to_end(&mut bytes)?;
        self.at = self.at.saturating_add(length);
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(cut_off()) }
    }
}

/// Reads the next eight bytes, or fewer if the input ends before.
fn eight(stream: &mut impl Read) -> Result<Vec<u8>, ReadFailure> {
    let mut bytes = Vec::new();
    stream.take(8).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Maximum plausible compression ratio: zstd compresses a block of 128 KiB to four bytes at best; LZ4 compresses less.
const RATIO: i64 = 32 << 10;

/// Checks that all buffers of a record batch lie within its body, and that none declares an implausible decompressed size, which the
/// decoder would allocate.
fn check(batch: &arrow_ipc::RecordBatch<'_>, body: &[u8]) -> Result<(), ReadFailure> {
    for buffer in batch.buffers().into_iter().flatten() {
        let within = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = within.and_then(|(start, length)| body.get(start..start.checked_add(length)?));
        let bytes = bytes.ok_or_else(|| damaged("a column lies outside of its batch"))?;
        let claim = bytes.first_chunk().map_or(0, |claim| i64::from_le_bytes(*claim));
        if batch.compression().is_some() && claim / RATIO > bytes.len() as i64 {
            return Err(damaged("a column claims to be larger than it can be"));
        }
    }
    Ok(())
}

fn cut_off() -> ReadFailure {
    ReadFailure::Says("the Arrow data are cut off: their end is missing; get the file again".to_owned())
}

fn damaged(reason: impl std::fmt::Display) -> ReadFailure {
    ReadFailure::Says(format!("damaged Arrow data ({reason}); get the file again"))
}

fn decoding(error: ArrowError) -> ReadFailure {
    match error {
        ArrowError::IoError(_, error) if error.raw_os_error().is_some() => ReadFailure::Stream(error),
        ArrowError::NotYetImplemented(what) => ReadFailure::Says(format!("holds what cannot be read here ({what})")),
        error => damaged(error),
    }
}
