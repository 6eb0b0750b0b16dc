//! Tests that row groups and record batches, read by several readers, hold the rows of the whole table.

use std::sync::Arc;

use super::common::parts::{divided, whole};
use super::twin::{Cells, arrow_file, arrow_stream, batch, options, parquet_with};
use arrow_array::{ArrayRef, Float64Array, ListArray, RecordBatch, StringArray, types::Float64Type};
use parquet::basic::Compression;
use proptest::prelude::*;
use surefoot_io::{InputName, PartRange, split_inputs};

fn table() -> impl Strategy<Value = RecordBatch> {
    let row = (
        prop::option::weighted(0.97, 0..2_u8),
        prop::option::weighted(0.9, -9..9_i8),
        prop::option::weighted(0.9, prop::sample::select(vec!["red", "blue", "a b"])),
    );
    prop::collection::vec(row, 0..60).prop_map(|rows| {
        let labels = Cells::Numbers(rows.iter().map(|row| row.0.map(f64::from)).collect());
        let numbers = Cells::Whole(rows.iter().map(|row| row.1.map(i64::from)).collect());
        let words = Cells::Words(rows.iter().map(|row| row.2.map(str::to_owned)).collect());
        batch(&[("y", labels.array()), ("n", numbers.array()), ("w", words.array())])
    })
}

fn sorted(mut seen: Vec<String>) -> Vec<String> {
    // A label that statistics show to be missing is reported before the first row of a reader.
    seen.sort_unstable();
    seen
}

fn check(bytes: &[u8], indicator: bool, shards: usize) {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [InputName::Path(folder.path().join("table"))];
    std::fs::write(inputs[0].path().unwrap(), bytes).unwrap();
    let options = options(indicator);
    // What ends the reading of the whole ends that of one part alone.
    let expected = whole(&inputs, &options);
    assert_eq!(sorted(divided(&inputs, &options, shards)), sorted(expected), "{shards}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn row_groups_read_the_same_in_parts(
        table in table(), group in 1..9_usize, indicator: bool, shards in 1..20_usize,
    ) {
        check(&parquet_with(&table, group, Compression::SNAPPY, 3), indicator, shards);
    }

    #[test]
    fn record_batches_read_the_same_in_parts(
        table in table(), rows in 1..9_usize, indicator: bool, shards in 1..20_usize, stream: bool,
    ) {
        let bytes = if stream { arrow_stream(&table, rows, None) } else { arrow_file(&table, rows) };
        check(&bytes, indicator, shards);
    }
}

#[test]
fn lists_are_as_long_as_in_the_first_rows() {
    let lists = |length: usize| Some((0..length).map(|k| Some(k as f64 + 1.0)).collect::<Vec<_>>());
    let cells: Vec<_> = (0..20).map(|_| lists(3)).collect();
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(cells));
    let labels: ArrayRef = Arc::new(Float64Array::from(vec![1.0; 20]));
    let words: ArrayRef = Arc::new(StringArray::from(vec!["a"; 20]));
    let table = batch(&[("y", labels), ("l", list), ("w", words)]);
    for shards in [1, 3, 20] {
        check(&parquet_with(&table, 4, Compression::UNCOMPRESSED, 10), false, shards);
        check(&arrow_file(&table, 3), false, shards);
    }
}

#[test]
fn a_part_names_its_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let labels: ArrayRef = Arc::new(Float64Array::from_iter_values((0..1000).map(f64::from)));
    let table = batch(&[("y", labels.clone()), ("x", labels)]);
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, parquet_with(&table, 100, Compression::UNCOMPRESSED, 1000)).unwrap();
    let inputs = [InputName::Path(path)];
    let ranges = |shards| {
        let shards = split_inputs(&inputs, &options(false), shards).unwrap();
        let range = |input: InputName| match input {
            InputName::Part(part) => part.range().clone(),
            other => panic!("{other:?}"),
        };
        shards.into_iter().flatten().map(range).collect::<Vec<_>>()
    };
    assert_eq!(ranges(2), [PartRange::RowGroups(0..5), PartRange::RowGroups(5..10)]);
    assert_eq!(ranges(4).len(), 4);
    assert_eq!(ranges(50).len(), 10);
}
