//! Parquet: row groups one after the other, each in batches of bounded size.
//!
//! The index of the file is at its end, so that what is no plain file is copied to one first. Pages that carry a checksum are
//! checked.

use std::fs::File;
use std::io::{self, BufReader};
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
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
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};

use super::{
    CELLS, ReadFailure, Table,
    thrift::{self, BoundedCodec, ThriftError},
};
use crate::{
    files::spool::{self, ReadAt},
    formats::parser::Opened,
    table::options::Options,
};

/// Begins and ends a file.
const MAGIC: &[u8] = b"PAR1";
/// Magic, at the end after four bytes of length: the least that a file has beside its data.
const LEAST: u64 = 12;

pub(super) fn open(input: Opened, options: &Options) -> Result<Box<dyn Table>, ReadFailure> {
    let Opened { name, file, stream, position, before, .. } = input;
    let (store, progress) = match file {
        Some((file, size)) => (ParquetFile { file, size }, Some(Progress { position, before })),
        None => {
            options
                .found
                .note(format!("{name}: spooled to a temporary file, since the index of Parquet is at its end"));
            (spooled(stream, &name)?, None)
        }
    };
    store.check()?;
    let metadata =
        ArrowReaderMetadata::load(&store, ArrowReaderOptions::new()).map_err(|error| damaged(plain(&error)))?;
    if metadata.metadata().row_groups().iter().any(|group| group.num_rows() < 0) {
        return Err(damaged("a row group has a negative number of rows"));
    }
    let mask = ProjectionMask::all();
    Ok(Box::new(RowGroups { store, metadata, mask, batch: 1, next: 0, open: None, left: 0, done: 0, progress }))
}

/// A plain file of what came through a pipe, or was compressed as a whole.
fn spooled(stream: Box<dyn io::Read + Send>, name: &str) -> Result<ParquetFile, ReadFailure> {
    let copy = spool::copy(stream, name, ReadFailure::Stream)?;
    Ok(ParquetFile { size: copy.size(), file: copy.file() })
}

struct RowGroups {
    store: ParquetFile,
    metadata: ArrowReaderMetadata,
    /// Columns to decode.
    mask: ProjectionMask,
    /// Rows that are decoded at once.
    batch: usize,
    /// The next row group.
    next: usize,
    open: Option<ParquetRecordBatchReader>,
    /// Rows of the open row group, and of all before, that are still to come, or came.
    left: u64,
    done: u64,
    progress: Option<Progress>,
}

/// Where a progress bar sees how much of the file is read.
struct Progress {
    position: Arc<AtomicU64>,
    before: u64,
}

impl Table for RowGroups {
    fn schema(&self) -> SchemaRef {
        self.metadata.schema().clone()
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), ReadFailure> {
        self.mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        self.batch = (CELLS / self.leaves(&self.mask).count().max(1)).clamp(1, 8 << 10);
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
            let Some(group) = self.metadata.metadata().row_groups().get(self.next) else { return Ok(None) };
            self.left = group.num_rows().unsigned_abs();
            self.next += 1;
            self.check_pages(self.next - 1, &self.mask)?;
            let opened = self.group(self.next - 1, self.mask.clone());
            self.open = Some(opened.map_err(|error| self.blame(&plain(&error)))?);
        }
    }

    /// By the statistics of the row groups, which a writer may leave out. What is damaged is left to be found later.
    fn first_null(&self, column: usize) -> Result<Option<u64>, ReadFailure> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [column]);
        let Some(leaf) = self.leaves(&mask).next() else { return Ok(None) };
        let mut before = 0_u64;
        for (at, group) in self.metadata.metadata().row_groups().iter().enumerate() {
            let statistics = group.columns().get(leaf).and_then(|column| column.statistics());
            if statistics.and_then(|statistics| statistics.null_count_opt()).is_some_and(|nulls| nulls > 0) {
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
}

impl RowGroups {
    /// The columns as they are stored, of those that a mask lets through.
    fn leaves<'a>(&'a self, mask: &'a ProjectionMask) -> impl Iterator<Item = usize> + 'a {
        (0..self.metadata.parquet_schema().num_columns()).filter(|&leaf| mask.leaf_included(leaf))
    }

    /// Asks for text that is stored as dictionaries in that form, so that each of their texts is hashed once.
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
        // Otherwise the text comes as it always does.
        if let Ok(metadata) = ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options) {
            self.metadata = metadata;
        }
    }

    /// Whether all pages of a column hold places in a dictionary, as far as the index of the file tells.
    fn is_of_dictionaries(&self, column: usize) -> bool {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [column]);
        let Some(leaf) = self.leaves(&mask).next() else { return false };
        let is_one = |of: &EncodingMask| of.is_only(Encoding::RLE_DICTIONARY) || of.is_only(Encoding::PLAIN_DICTIONARY);
        let groups = self.metadata.metadata().row_groups();
        groups
            .iter()
            .all(|group| group.columns().get(leaf).and_then(|of| of.page_encoding_stats_mask()).is_some_and(is_one))
    }

    /// Checks what the pages of a row group claim of themselves: the decoder makes room for it.
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
                    // A page that is cut off is a fault of the file that shows later.
                    let head = self.store.bytes(data, 10.min(header.compressed.max(0) as usize)).unwrap_or_default();
                    found = header.check(squeezed, &head, values);
                    if found.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                },
            );
            let message = match (walked, found) {
                (_, Err(message)) => message,
                (Err(ThriftError::Says(message)), _) => message.to_owned(),
                // What else is wrong with headers, the decoder says.
                _ => continue,
            };
            let column = column.column_path().string();
            return Err(damaged(format!("row group {}, column '{column}', page {page}: {message}", group + 1)));
        }
        Ok(())
    }

    /// A reader of a row group.
    fn group(&self, group: usize, mask: ProjectionMask) -> Result<ParquetRecordBatchReader, ParquetError> {
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.store.clone(), self.metadata.clone())
            .with_projection(mask)
            .with_row_groups(vec![group])
            .with_batch_size(self.batch)
            .build()
    }

    /// Moves the progress by the share of rows, in bytes.
    fn report(&self) {
        let rows = self.metadata.metadata().row_groups().iter().map(|group| group.num_rows() as f64).sum::<f64>();
        if let Some(Progress { position, before }) = &self.progress {
            let share = (self.done as f64 / rows).min(1.0);
            position.store(before + (self.store.size as f64 * share) as u64, Ordering::Relaxed);
        }
    }

    fn miscounted(&self) -> ReadFailure {
        damaged(format!("row group {} has another number of rows than its index says", self.next))
    }

    /// The damage, with the first page at fault of the open row group, if one alone is.
    fn blame(&self, message: &str) -> ReadFailure {
        let (schema, group) = (self.metadata.parquet_schema(), self.next);
        match self.leaves(&self.mask).find_map(|leaf| Some((leaf, self.damaged_page(leaf)?))) {
            None => damaged(format!("row group {group}: {message}")),
            Some((_, (_, ParquetError::External(error)))) if error.is::<io::Error>() => match error.downcast() {
                Ok(error) => ReadFailure::Stream(*error),
                Err(error) => damaged(error),
            },
            Some((leaf, (page, error))) => {
                let column = schema.column(leaf).path().string();
                damaged(format!("row group {group}, column '{column}', page {page}: {}", plain(&error)))
            }
        }
    }

    /// The first page of a column, from 1, that cannot be read.
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

/// A file that is read here and there. Lengths that it claims itself are not believed.
#[derive(Clone)]
struct ParquetFile {
    file: Arc<File>,
    size: u64,
}

impl ParquetFile {
    /// Checks what a file begins and ends with, for a message that says more than the decoder can.
    fn check(&self) -> Result<(), ReadFailure> {
        let (mut first, mut last) = ([0; 4], [0; 8]);
        if self.size >= MAGIC.len() as u64 {
            self.file.read_exact_at(&mut first, 0)?;
        }
        if first == *b"PARE" {
            return Err(ReadFailure::Says("an encrypted Parquet file, which cannot be read".to_owned()));
        }
        if first != MAGIC {
            return Err(ReadFailure::Says("not a Parquet file; for another format give --format".to_owned()));
        }
        if self.size >= LEAST {
            self.file.read_exact_at(&mut last, self.size - 8)?;
        }
        if !last.ends_with(MAGIC) {
            let message = "the Parquet file is cut off: its end is missing; get the file again";
            return Err(ReadFailure::Says(message.to_owned()));
        }
        let index = u64::from(u32::from_le_bytes([last[0], last[1], last[2], last[3]]));
        if index > self.size - LEAST {
            let size = self.size;
            return Err(damaged(format!("its index claims {index} bytes, the file has {size}")));
        }
        thrift::check_index(&self.bytes(self.size - 8 - index, index as usize)?).map_err(damaged)
    }

    /// So many bytes from a place on.
    fn bytes(&self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(bytes)
    }
}

impl Length for ParquetFile {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for ParquetFile {
    type T = BufReader<ReadAt>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(ReadAt { file: self.file.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.size) {
            return Err(ParquetError::EOF("it claims bytes behind the end of the file".to_owned()));
        }
        self.bytes(start, length).map(Bytes::from).map_err(|error| ParquetError::External(error.into()))
    }
}

/// How much a compression makes of its input at most.
fn squeezed(compression: Compression) -> BoundedCodec {
    match compression {
        Compression::SNAPPY => BoundedCodec::Snappy,
        Compression::UNCOMPRESSED => BoundedCodec::Times(1),
        // 258 bytes of two bits.
        Compression::GZIP(_) => BoundedCodec::Times(1032),
        // A byte of length adds 255 bytes.
        Compression::LZ4 | Compression::LZ4_RAW => BoundedCodec::Times(256),
        // A block of 128 KiB, of four bytes.
        Compression::ZSTD(_) => BoundedCodec::Times(1 << 15),
        Compression::BROTLI(_) | Compression::LZO => BoundedCodec::Times(i64::MAX),
    }
}

fn damaged(reason: impl std::fmt::Display) -> ReadFailure {
    ReadFailure::Says(format!("damaged Parquet data ({reason}); get the file again"))
}

/// The words of the decoder without the kind of its error.
fn plain(error: &ParquetError) -> String {
    match error {
        ParquetError::General(message) | ParquetError::EOF(message) | ParquetError::ArrowError(message) => {
            message.clone()
        }
        ParquetError::NYI(what) => format!("not supported: {what}"),
        other => other.to_string(),
    }
}
