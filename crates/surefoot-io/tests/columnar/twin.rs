//! Test tables in memory: writers for each format, and an independent implementation of the rules by which tables
//! become rows.

use std::collections::HashSet;
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray, types};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use surefoot_glm::{Batch, Missing, Schema, TableSchema};
use surefoot_io::{ColumnSelection, Error, Format, Options, Reader, RowSource};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Cells of a column of a test table; `None` is a missing cell.
#[derive(Clone, Debug)]
pub(crate) enum Cells {
    Numbers(Vec<Option<f64>>),
    Whole(Vec<Option<i64>>),
    Flags(Vec<Option<bool>>),
    Texts(Vec<Option<String>>),
    /// Texts that are written as a dictionary-encoded column.
    Words(Vec<Option<String>>),
}

/// Row of a table: line (row number from 1), label, and pairs of feature id and value.
pub(crate) type Row = (u64, Option<f64>, Vec<(u64, f64)>);

pub(crate) fn number_id(column: &str) -> u64 {
    xxh3_64_with_seed(column.as_bytes(), xxh3_64(b""))
}

pub(crate) fn text_id(column: &str, text: &str) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), xxh3_64(column.as_bytes()))
}

/// Reads a table without errors; returns for each row its pairs of feature id and value.
pub(crate) fn pairs(bytes: Vec<u8>, options: &Options) -> Vec<Vec<(u64, f64)>> {
    let (rows, errors) = read(bytes, options);
    assert!(errors.is_empty(), "{errors:?}");
    rows.into_iter().map(|row| row.2).collect()
}

pub(crate) fn missing_id(column: &str) -> u64 {
    xxh3_64_with_seed(&xxh3_64(b"").to_le_bytes(), xxh3_64(column.as_bytes()))
}

impl Cells {
    pub(crate) fn array(&self) -> ArrayRef {
        match self {
            Cells::Numbers(cells) => Arc::new(Float64Array::from(cells.clone())),
            Cells::Whole(cells) => Arc::new(Int64Array::from(cells.clone())),
            Cells::Flags(cells) => Arc::new(BooleanArray::from(cells.clone())),
            Cells::Texts(cells) => Arc::new(StringArray::from(cells.clone())),
            Cells::Words(cells) => {
                Arc::new(cells.iter().map(Option::as_deref).collect::<DictionaryArray<types::Int32Type>>())
            }
        }
    }

    /// Returns the expected feature of a cell, as id and value, if missing cells are allowed; `None` if the value is 0.
    fn pair(&self, name: &str, row: usize) -> Option<(u64, f64)> {
        let pair = match self {
            Cells::Numbers(cells) => cells[row].filter(|x| !x.is_nan()).map(|x| (number_id(name), x)),
            Cells::Whole(cells) => cells[row].map(|x| (number_id(name), x as f64)),
            Cells::Flags(cells) => cells[row].map(|x| (number_id(name), f64::from(x))),
            Cells::Texts(cells) | Cells::Words(cells) => {
                // Of the words for what is missing none is met by chance.
                let text = cells[row].as_ref().map(|text| text.trim_ascii());
                text.filter(|text| !text.is_empty()).map(|text| (text_id(name, text), 1.0))
            }
        };
        Some(pair.unwrap_or((missing_id(name), 1.0))).filter(|pair| pair.1 != 0.0)
    }
}

/// Returns the expected rows of a table whose first column is the label.
pub(crate) fn expected(columns: &[(String, Cells)], rows: usize) -> Vec<Row> {
    let Cells::Numbers(labels) = &columns[0].1 else { panic!("labels are numbers") };
    let row = |row: usize| {
        let pairs = columns[1..].iter().filter_map(|(name, cells)| cells.pair(name, row)).collect();
        (row as u64 + 1, labels[row], pairs)
    };
    (0..rows).map(row).collect()
}

pub(crate) fn batch(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = arrow_schema::Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.iter().map(|column| column.1.clone()).collect()).unwrap()
}

pub(crate) fn parquet_with(table: &RecordBatch, group: usize, properties: Compression, page_rows: usize) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .set_data_page_row_count_limit(page_rows)
        .set_write_batch_size(page_rows.min(1024))
        // Small pages have small dictionaries, so that some columns go on without.
        .set_dictionary_page_size_limit(page_rows.saturating_mul(8))
        .set_compression(properties)
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, table.schema(), Some(properties)).unwrap();
    writer.write(table).unwrap();
    writer.close().unwrap();
    bytes
}

pub(crate) fn parquet(table: &RecordBatch) -> Vec<u8> {
    parquet_with(table, 3, Compression::SNAPPY, 1000)
}

fn pieces(table: &RecordBatch, rows: usize) -> impl Iterator<Item = RecordBatch> {
    let starts = (0..table.num_rows().max(1)).step_by(rows);
    starts.map(move |start| table.slice(start, rows.min(table.num_rows() - start)))
}

pub(crate) fn arrow_file(table: &RecordBatch, rows: usize) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &table.schema()).unwrap();
    pieces(table, rows).for_each(|piece| writer.write(&piece).unwrap());
    writer.into_inner().unwrap()
}

pub(crate) fn arrow_stream(table: &RecordBatch, rows: usize, codec: Option<arrow_ipc::CompressionType>) -> Vec<u8> {
    let how = arrow_ipc::writer::IpcWriteOptions::default().try_with_compression(codec).unwrap();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new_with_options(Vec::new(), &table.schema(), how).unwrap();
    pieces(table, rows).for_each(|piece| writer.write(&piece).unwrap());
    writer.into_inner().unwrap()
}

/// Returns reader options with `y` as the label; `indicator` allows missing cells, which are otherwise refused.
pub(crate) fn options(indicator: bool) -> Options {
    let missing = if indicator { Missing::Indicator } else { Missing::Refuse };
    Options {
        reading: Schema { table: TableSchema { missing, ..TableSchema::default() }, ..Schema::default() },
        wanted: ColumnSelection { label: Some("y".to_owned()), ..ColumnSelection::default() },
        ..Options::default()
    }
}

/// Reads a table, called `f` in messages, to its end; returns the rows and the errors. Arrow data are also read as a table in memory, which
/// must give the same errors.
pub(crate) fn read(bytes: Vec<u8>, options: &Options) -> (Vec<Row>, Vec<Error>) {
    let in_memory = super::memory::faults(&bytes, options);
    let (rows, errors) = read_file(bytes, options);
    if let Some(in_memory) = in_memory {
        assert_eq!(in_memory, errors.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    (rows, errors)
}

/// Reads a table, called `f` in messages, which may be damaged, to its end; returns the rows and the errors.
pub(crate) fn read_file(bytes: Vec<u8>, options: &Options) -> (Vec<Row>, Vec<Error>) {
    let (rows, errors) = all(&mut Reader::with_reader("f", Cursor::new(bytes), options.clone()).unwrap());
    (rows, errors.into_iter().map(|error| error.1).collect())
}

/// Reads to the end; returns all rows, and each error with the number of rows before it.
pub(crate) fn all(reader: &mut Reader) -> (Vec<Row>, Vec<(usize, Error)>) {
    let (mut rows, mut errors, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    loop {
        match reader.read(&mut batch) {
            Ok(false) => return (rows, errors),
            Err(error) => errors.push((rows.len(), error)),
            Ok(true) => {
                assert!(!batch.is_empty());
                rows.extend((0..batch.len()).map(|r| {
                    let row = batch.row(r);
                    assert_eq!(row.index.iter().collect::<HashSet<_>>().len(), row.index.len(), "an id stands twice");
                    let pairs = row.index.iter().copied().zip(row.value.iter().copied()).collect();
                    (batch.place[r].line, row.label, pairs)
                }));
            }
        }
    }
}

/// Writes a table as a Parquet file and returns the message of the only error that reading it gives.
pub(crate) fn error(columns: &[(&str, ArrayRef)], options: &Options) -> String {
    let (_, errors) = read(parquet(&batch(columns)), options);
    let [error] = &errors[..] else { panic!("{errors:?}") };
    let in_memory = super::memory::faults(&arrow_stream(&batch(columns), 3, None), options);
    assert!(in_memory.is_none_or(|in_memory| in_memory == [error.to_string()]), "{error}");
    error.to_string()
}

pub(crate) fn format(name: &str) -> Option<&'static Format> {
    Some(Format::named(name).unwrap())
}

pub(crate) fn of_type(of: &DataType, rows: usize) -> ArrayRef {
    arrow_array::new_null_array(of, rows)
}
