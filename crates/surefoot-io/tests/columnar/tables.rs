//! Property tests that random tables are read back as they were written, in every format and however they are split
//! into row groups and pages.

use std::io::Write as _;

use super::twin::{Cells, all, arrow_file, arrow_stream, batch, expected, format, options, parquet_with};
use arrow_array::ArrayRef;
use arrow_ipc::CompressionType;
use parquet::basic::{Compression, ZstdLevel};
use proptest::prelude::*;
use surefoot_glm::Batch;
use surefoot_io::{InputName, Options, Reader, RowSource};

const ROWS: usize = 60;

fn any_cells() -> impl Strategy<Value = Cells> {
    fn column<T: Clone + std::fmt::Debug + 'static>(
        cell: impl Strategy<Value = T>,
    ) -> impl Strategy<Value = Vec<Option<T>>> {
        prop::collection::vec(prop::option::weighted(0.9, cell), ROWS)
    }
    let number = prop_oneof![
        3 => any::<f64>().prop_filter("finite or missing", |x| !x.is_infinite()),
        3 => (-1000i32..1000).prop_map(|n| f64::from(n) / 8.0),
        1 => Just(0.0),
    ];
    // Numbers and times have many spellings: `same.rs` is about them.
    let is_plain = |text: &String| !text.trim_ascii_start().starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let text = prop_oneof![3 => "[a-e]{1,2}", 1 => any::<String>().prop_filter("no number", is_plain)];
    prop_oneof![
        column(number).prop_map(Cells::Numbers),
        column(any::<i64>()).prop_map(Cells::Whole),
        column(any::<bool>()).prop_map(Cells::Flags),
        column(text.clone()).prop_map(Cells::Texts),
        column(text).prop_map(Cells::Words),
    ]
}

/// Generates a random table with a label column `y`, whose column names cannot be numbers of columns.
fn any_table() -> impl Strategy<Value = Vec<(String, Cells)>> {
    let columns = prop::collection::btree_map("[a-x=^*é]{1,6}", any_cells(), 0..6);
    let labels = prop::collection::vec((-3i32..4).prop_map(|n| Some(f64::from(n))), ROWS);
    (labels, columns).prop_map(|(labels, columns)| {
        let mut table = vec![("y".to_owned(), Cells::Numbers(labels))];
        table.extend(columns);
        table
    })
}

/// Returns the table as a file in each format and with several compressions, with the name of the format.
fn written(table: &[(String, Cells)], cut: usize, page: usize) -> Vec<(&'static str, Vec<u8>)> {
    let columns: Vec<(&str, ArrayRef)> = table.iter().map(|(name, cells)| (name.as_str(), cells.array())).collect();
    let batch = batch(&columns);
    vec![
        ("parquet", parquet_with(&batch, cut, Compression::SNAPPY, page)),
        ("parquet", parquet_with(&batch, ROWS, Compression::ZSTD(ZstdLevel::default()), page)),
        ("arrow", arrow_file(&batch, ROWS)),
        ("arrow", arrow_stream(&batch, cut, None)),
        ("arrow", arrow_stream(&batch, cut, Some(CompressionType::LZ4_FRAME))),
        ("arrow", arrow_stream(&batch, cut, Some(CompressionType::ZSTD))),
    ]
}

/// Reads all inputs; returns the line at which the last row ends and the hash of this row.
fn last(options: Options, inputs: &[InputName]) -> (u64, u64) {
    let (mut reader, mut batch) = (Reader::open(inputs, options).unwrap(), Batch::default());
    let mut last = (0, 0);
    while reader.read(&mut batch).unwrap() {
        last = batch.place.last().map(|place| (place.end, place.hash)).unwrap();
    }
    last
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_come_back(table in any_table(), cut in 1..ROWS, page in 1..ROWS) {
        let rows = expected(&table, ROWS);
        let folder = tempfile::tempdir().unwrap();
        let mut places = Vec::new();
        for (n, (of, bytes)) in written(&table, cut, page).into_iter().enumerate() {
            // From a pipe, found by content.
            let options = options(true);
            let (found, errors) = super::twin::read(bytes.clone(), &options);
            prop_assert!(errors.is_empty(), "{of} {n}: {errors:?}");
            prop_assert_eq!(&found, &rows, "{} {}", of, n);
            prop_assert_eq!(options.found.format().map(|format| format.name), Some(of));
            // From two files, of which the second has other row groups.
            let name = format!("{n}.{of}");
            let path = folder.path().join(&name);
            std::fs::write(&path, &bytes).unwrap();
            let inputs = [InputName::new(&path), InputName::new(&path)];
            let mut reader = Reader::open(&inputs, super::twin::options(true)).unwrap();
            let (found, errors) = all(&mut reader);
            prop_assert!(errors.is_empty(), "{errors:?}");
            prop_assert_eq!(found, [rows.clone(), rows.clone()].concat());
            let total = 2 * bytes.len() as u64;
            prop_assert_eq!(reader.bytes(), (total, Some(total)));
            places.push(last(super::twin::options(true), &inputs));
        }
        prop_assert!(places.iter().all(|place| *place == places[0]), "known again, whatever the format: {places:?}");
        prop_assert_eq!(places[0].0, ROWS as u64);
    }
}

#[test]
fn compressed_as_a_whole_and_through_a_pipe() {
    let table =
        [("y".to_owned(), Cells::Numbers(vec![Some(1.0); ROWS])), ("a".to_owned(), Cells::Whole(vec![Some(3); ROWS]))];
    let folder = tempfile::tempdir().unwrap();
    for (n, (of, bytes)) in written(&table, 7, 5).into_iter().enumerate() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&bytes).unwrap();
        let path = folder.path().join(format!("{n}.{of}.gz"));
        std::fs::write(&path, gzip.finish().unwrap()).unwrap();
        let options = options(false);
        let (rows, errors) = all(&mut Reader::open(&[InputName::new(&path)], options.clone()).unwrap());
        assert_eq!((rows, errors.len()), (expected(&table, ROWS), 0), "{of}");
        let spooled = options.found.notes().iter().any(|note| note.contains("spooled to a temporary file"));
        assert_eq!(spooled, of == "parquet");
    }
}

#[test]
fn a_table_without_rows_is_empty() {
    let columns = [("y".to_owned(), Cells::Numbers(Vec::new())), ("a".to_owned(), Cells::Texts(Vec::new()))];
    for (of, bytes) in written(&columns, 3, 3) {
        let (rows, errors) = super::twin::read(bytes, &Options { format: format(of), ..options(false) });
        assert!(rows.is_empty() && errors.is_empty(), "{of}: {errors:?}");
    }
}
