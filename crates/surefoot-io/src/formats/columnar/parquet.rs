//! Reader of Parquet files, one row group after the other, each in record batches of bounded size.
//!
//! The index of the file is at its end; input that is not a regular uncompressed file is therefore first copied to a temporary file. Pages
//! with a checksum are verified.

use std::io::{self, BufReader};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, Encoding, EncodingMask};
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};

use super::{
    ReadFailure, Table, part_of, rows_per_batch,
    thrift::{self, BoundedCodec, ThriftError},
};
use crate::{
    files::{
        part::PartRange,
        random_access::{RandomAccess, ReadFrom, SizedFile},
        spool,
    },
    formats::parser::Opened,
    table::options::Options,
};

/// Magic bytes at the start and at the end of a Parquet file.
const MAGIC: &[u8] = b"PAR1";
/// Minimum size of a Parquet file in bytes: four magic bytes at the start; the length of the index and four magic bytes at the end.
const LEAST: u64 = 12;

pub(super) fn open(input: Opened, options: &Options) -> Result<Box<dyn Table>, ReadFailure> {
    let Opened { name, access, part, stream, position, before, .. } = input;
    let (store, progress) = match access {
        Some(access) => {
            let size = part.as_ref().map_or_else(|| access.size(), |(_, size)| *size);
            (ParquetFile(access), Some(Progress { position, before, size }))
        }
        None => {
            options
                .found
                .note(format!("{name}: spooled to a temporary file, since the index of Parquet is at its end"));
            (spooled(stream, &name)?, None)
        }
    };
    let metadata = store.metadata()?;
    let all = metadata.metadata().row_groups().len();
    let groups = part_of(part.as_ref(), all, |range| match range {
        PartRange::RowGroups(groups) => Some(groups),
        _ => None,
    })?;
    let mask = ProjectionMask::all();
    let next = groups.start;
    Ok(Box::new(RowGroups { store, metadata, groups, mask, batch: 1, next, open: None, left: 0, done: 0, progress }))
}

/// Returns the compressed size of each row group; none if the input is not a regular uncompressed file.
pub(super) fn units(input: Opened) -> Result<Vec<u64>, ReadFailure> {
    let Some(access) = input.access else { return Ok(Vec::new()) };
    let metadata = ParquetFile(access).metadata()?;
    let size = |group: &RowGroupMetaData| u64::try_from(group.compressed_size()).unwrap_or_default();
    Ok(metadata.metadata().row_groups().iter().map(size).collect())
}

/// Copies a stream that is piped, or compressed as a whole, to a temporary file, since Parquet needs random access.
fn spooled(stream: Box<dyn io::Read + Send>, name: &str) -> Result<ParquetFile, ReadFailure> {
    let copy = spool::copy(stream, name, ReadFailure::Stream)?;
    Ok(ParquetFile(Arc::new(SizedFile { size: copy.size(), file: copy.file() })))
}

struct RowGroups {
    store: ParquetFile,
    metadata: ArrowReaderMetadata,
    /// Row groups to be read, from 0.
    groups: Range<usize>,
    /// Columns to be decoded, as a mask of the stored (leaf) columns.
    mask: ProjectionMask,
    /// Maximum number of rows per record batch.
    batch: usize,
    /// Number of the next row group to open, from 0.
    next: usize,
    open: Option<ParquetRecordBatchReader>,
    /// Number of rows of the open row group that were not yet read.
    left: u64,
    /// Number of rows that were read so far.
    done: u64,
    progress: Option<Progress>,
}

/// Count of bytes read, shared with a progress bar, the value it had before this file, and the size of the file or of the part to be read.
struct Progress {
    position: Arc<AtomicU64>,
    before: u64,
    size: u64,
}

impl Table for RowGroups {
    fn schema(&self) -> SchemaRef {
        self.metadata.schema().clone()
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), ReadFailure> {
        self.mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        self.batch = rows_per_batch(self.leaves(&self.mask).count());
        self.take_dictionaries(columns);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, ReadFailure> {
        loop {
            if let Some(group) = &mut self.open {
                match group.next() {
                    Some(Ok(batch)) => {
                        let rows = batch.num_rows() as u64;
                        self.left = self.left.checked_sub(rows).ok_or_else(|| self.miscounted())?;
                        self.done += rows;
                        self.report();
                        return Ok(Some(batch));
                    }
                    Some(Err(error)) => return Err(self.blame(&error.to_string())),
                    None if self.left > 0 => return Err(self.miscounted()),
                    None => self.open = None,
                }
            }
            let group = self.metadata.metadata().row_groups().get(self.next);
            let Some(group) = group.filter(|_| self.next < self.groups.end) else { return Ok(None) };
            self.left = group.num_rows().unsigned_abs();
            self.next += 1;
            self.prefetch(self.next - 1);
            self.check_pages(self.next - 1, &self.mask)?;
            let opened = self.group(self.next - 1, self.mask.clone());
            self.open = Some(opened.map_err(|error| self.blame(&plain(&error)))?);
        }
    }

    /// Finds the first null of a column from the row group statistics, which are optional in a file. Ignores damaged statistics; damage is
    /// reported when the rows are read.
    fn first_null(&self, column: usize) -> Result<Option<u64>, ReadFailure> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [column]);
        let Some(leaf) = self.leaves(&mask).next() else { return Ok(None) };
        let mut before = 0_u64;
        for (at, group) in self.metadata.metadata().row_groups().iter().enumerate() {
            let statistics = group.columns().get(leaf).and_then(|column| column.statistics());
            if statistics.and_then(|statistics| statistics.null_count_opt()).is_some_and(|nulls| nulls > 0) {
                // Where this is not in the part to be read, another reader finds it.
                if !self.groups.contains(&at) {
                    return Ok(None);
                }
                self.check_pages(at, &mask)?;
                let Ok(batches) = self.group(at, mask) else { return Ok(None) };
                for batch in batches.map_while(Result::ok) {
                    let nulls = batch.columns().first().and_then(|column| column.logical_nulls());
                    if let Some(row) = nulls.and_then(|nulls| nulls.iter().position(|valid| !valid)) {
                        return Ok(Some(before.saturating_add(row as u64 + 1)));
                    }
                    before = before.saturating_add(batch.num_rows() as u64);
                }
                return Ok(None);
            }
            before = before.saturating_add(group.num_rows().unsigned_abs());
        }
        Ok(None)
    }

    fn rows_before(&self) -> u64 {
        let before = self.metadata.metadata().row_groups().iter().take(self.groups.start);
        before.fold(0, |rows, group| rows.saturating_add(group.num_rows().unsigned_abs()))
    }
}

impl RowGroups {
    /// Announces that the selected columns of a row group will be read.
    fn prefetch(&self, group: usize) {
        let Some(metadata) = self.metadata.metadata().row_groups().get(group) else { return };
        let columns = self.leaves(&self.mask).filter_map(|leaf| metadata.columns().get(leaf));
        let ranges = columns.map(|column| {
            let (start, length) = column.byte_range();
            start..start.saturating_add(length)
        });
        self.store.0.prefetch(&ranges.collect::<Vec<_>>());
    }

    /// Returns the positions of the stored (leaf) columns selected by a mask.
    fn leaves<'a>(&'a self, mask: &'a ProjectionMask) -> impl Iterator<Item = usize> + 'a {
        (0..self.metadata.parquet_schema().num_columns()).filter(|&leaf| mask.leaf_included(leaf))
    }

    /// Requests dictionary-encoded arrays for text columns that are stored with dictionaries, so that each distinct text is hashed only
    /// once.
    fn take_dictionaries(&mut self, columns: &[usize]) {
        let schema = self.metadata.schema();
        let as_stored = |(at, field): (usize, &Arc<Field>)| match field.data_type() {
            of @ (DataType::Utf8 | DataType::LargeUtf8) if columns.contains(&at) && self.is_of_dictionaries(at) => {
                let of = DataType::Dictionary(DataType::Int32.into(), of.clone().into());
                Arc::new(Field::clone(field).with_data_type(of))
            }
            _ => Arc::clone(field),
        };
        let fields: Fields = schema.fields().iter().enumerate().map(as_stored).collect();
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        let options = ArrowReaderOptions::new().with_schema(schema.into());
        // If this fails, the text is decoded to its usual form.
        if let Ok(metadata) = ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options) {
            self.metadata = metadata;
        }
    }

    /// Whether all pages of a column are dictionary-encoded, according to the index (footer) of the file.
    fn is_of_dictionaries(&self, column: usize) -> bool {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [column]);
        let Some(leaf) = self.leaves(&mask).next() else { return false };
        let is_one = |of: &EncodingMask| of.is_only(Encoding::RLE_DICTIONARY) || of.is_only(Encoding::PLAIN_DICTIONARY);
        let groups = self.metadata.metadata().row_groups();
        groups
            .iter()
            .all(|group| group.columns().get(leaf).and_then(|of| of.page_encoding_stats_mask()).is_some_and(is_one))
    }

    /// Checks the sizes declared in the page headers of a row group before decoding, because the decoder allocates as much memory as they
    /// declare.
    fn check_pages(&self, group: usize, mask: &ProjectionMask) -> Result<(), ReadFailure> {
        let Some(metadata) = self.metadata.metadata().row_groups().get(group) else { return Ok(()) };
        for leaf in self.leaves(mask) {
            let Some(column) = metadata.columns().get(leaf) else { continue };
            let (start, length) = column.byte_range();
            let (squeezed, values) = (squeezed(column.compression()), column.num_values());
            let (mut page, mut found) = (0, Ok(()));
            let walked = thrift::pages(
                start,
                start.saturating_add(length),
                |at, n| self.store.bytes(at, n),
                |header, at| {
                    page += 1;
                    let data = at.saturating_add(u64::try_from(header.levels).unwrap_or(0));
                    // A truncated page is reported later, by the decoder.
                    let head = self.store.bytes(data, 10.min(header.compressed.max(0) as usize)).unwrap_or_default();
                    found = header.check(squeezed, &head, values);
                    if found.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                },
            );
            let message = match (walked, found) {
                (_, Err(message)) => message,
                (Err(ThriftError::Says(message)), _) => message.to_owned(),
                // The decoder reports any other error in the headers.
                _ => continue,
            };
            let column = column.column_path().string();
            return Err(damaged(format!("row group {}, column '{column}', page {page}: {message}", group + 1)));
        }
        Ok(())
    }

    /// Opens a row group (numbered from 0) for reading the columns of `mask`.
    fn group(&self, group: usize, mask: ProjectionMask) -> Result<ParquetRecordBatchReader, ParquetError> {
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.store.clone(), self.metadata.clone())
            .with_projection(mask)
            .with_row_groups(vec![group])
            .with_batch_size(self.batch)
            .build()
    }

    /// Advances the progress bar: the share of the file's bytes counted as read is the share of its rows read.
    fn report(&self) {
        let groups = self.metadata.metadata().row_groups().get(self.groups.clone()).unwrap_or_default();
        let rows = groups.iter().map(|group| group.num_rows() as f64).sum::<f64>();
        if let Some(Progress { position, before, size }) = &self.progress {
            let share = (self.done as f64 / rows).min(1.0);
            position.store(before + (*size as f64 * share) as u64, Ordering::Relaxed);
        }
    }

    fn miscounted(&self) -> ReadFailure {
        damaged(format!("row group {} has another number of rows than its index says", self.next))
    }

    /// Builds the error about a damaged row group of the file; its message names the first unreadable page, if there is one.
    fn blame(&self, message: &str) -> ReadFailure {
        let (schema, group) = (self.metadata.parquet_schema(), self.next);
        match self.leaves(&self.mask).find_map(|leaf| Some((leaf, self.damaged_page(leaf)?))) {
            None => damaged(format!("row group {group}: {message}")),
            Some((_, (_, error @ ParquetError::External(_)))) => unreadable(error),
            Some((leaf, (page, error))) => {
                let column = schema.column(leaf).path().string();
                damaged(format!("row group {group}, column '{column}', page {page}: {}", plain(&error)))
            }
        }
    }

    /// Returns the number (from 1) of the first unreadable page of a stored (leaf) column, with the decoder's error; `None` if all pages
    /// can be read.
    fn damaged_page(&self, leaf: usize) -> Option<(usize, ParquetError)> {
        let group = self.metadata.metadata().row_groups().get(self.next.checked_sub(1)?)?;
        let (store, rows) = (Arc::new(self.store.clone()), usize::try_from(group.num_rows()).ok()?);
        let mut pages = match SerializedPageReader::new(store, group.columns().get(leaf)?, rows, None) {
            Ok(pages) => pages,
            Err(error) => return Some((1, error)),
        };
        let mut page = 0;
        loop {
            page += 1;
            match pages.get_next_page() {
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => return Some((page, error)),
            }
        }
    }
}

/// Parquet file with random access, in which reads beyond the end of the file are errors.
#[derive(Clone)]
struct ParquetFile(Arc<dyn RandomAccess>);

impl ParquetFile {
    /// Checks the file and reads its index (footer).
    fn metadata(&self) -> Result<ArrowReaderMetadata, ReadFailure> {
        self.check()?;
        let metadata = ArrowReaderMetadata::load(self, ArrowReaderOptions::new()).map_err(unreadable)?;
        if metadata.metadata().row_groups().iter().any(|group| group.num_rows() < 0) {
            return Err(damaged("a row group has a negative number of rows"));
        }
        Ok(metadata)
    }

    /// Checks the magic bytes and the index (footer) of the file, because the decoder's error messages are less clear.
    fn check(&self) -> Result<(), ReadFailure> {
        let (size, mut first, mut last) = (self.0.size(), [0; 4], [0; 8]);
        if size >= MAGIC.len() as u64 {
            self.0.read_exact_at(&mut first, 0)?;
        }
        if first == *b"PARE" {
            return Err(ReadFailure::Says("an encrypted Parquet file, which cannot be read".to_owned()));
        }
        if first != MAGIC {
            return Err(ReadFailure::Says("not a Parquet file; for another format give --format".to_owned()));
        }
        if size >= LEAST {
            self.0.read_exact_at(&mut last, size - 8)?;
        }
        if !last.ends_with(MAGIC) {
            let message = "the Parquet file is cut off: its end is missing; get the file again";
            return Err(ReadFailure::Says(message.to_owned()));
        }
        let index = u64::from(u32::from_le_bytes([last[0], last[1], last[2], last[3]]));
        if index > size - LEAST {
            return Err(damaged(format!("its index claims {index} bytes, the file has {size}")));
        }
        thrift::check_index(&self.bytes(size - 8 - index, index as usize)?).map_err(damaged)
    }

    /// Reads `length` bytes from offset `at` of the file.
    fn bytes(&self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, at)?;
        Ok(bytes)
    }
}

impl Length for ParquetFile {
    fn len(&self) -> u64 {
        self.0.size()
    }
}

impl ChunkReader for ParquetFile {
    type T = BufReader<ReadFrom>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(ReadFrom { access: self.0.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.0.size()) {
            return Err(ParquetError::EOF("it claims bytes behind the end of the file".to_owned()));
        }
        self.bytes(start, length).map(Bytes::from).map_err(|error| ParquetError::External(error.into()))
    }
}

/// Returns the bound on the decompressed size of pages for a compression codec.
fn squeezed(compression: Compression) -> BoundedCodec {
    match compression {
        Compression::SNAPPY => BoundedCodec::Snappy,
        Compression::UNCOMPRESSED => BoundedCodec::Times(1),
        // 258 bytes from two bits.
        Compression::GZIP(_) => BoundedCodec::Times(1032),
        // Each byte of length adds 255 bytes.
        Compression::LZ4 | Compression::LZ4_RAW => BoundedCodec::Times(256),
        // A block of 128 KiB from four bytes.
        Compression::ZSTD(_) => BoundedCodec::Times(1 << 15),
        Compression::BROTLI(_) | Compression::LZO => BoundedCodec::Times(i64::MAX),
    }
}

fn damaged(reason: impl std::fmt::Display) -> ReadFailure {
    ReadFailure::Says(format!("damaged Parquet data ({reason}); get the file again"))
}

/// Returns the failure for an error of the decoder, which may be one of reading the file.
fn unreadable(error: ParquetError) -> ReadFailure {
    match error {
        ParquetError::External(error) => match error.downcast() {
            Ok(error) => ReadFailure::Stream(*error),
            Err(error) => damaged(error),
        },
        error => damaged(plain(&error)),
    }
}

/// Returns the message of a decoder error without its prefix, which names the kind of error.
fn plain(error: &ParquetError) -> String {
    match error {
        ParquetError::General(message) | ParquetError::EOF(message) | ParquetError::ArrowError(message) => {
            message.clone()
        }
        ParquetError::NYI(what) => format!("not supported: {what}"),
        other => other.to_string(),
    }
}
