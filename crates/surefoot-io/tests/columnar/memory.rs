//! Tests that a table in memory gives the rows, names, counts and faults of a file with the same columns.

use std::io::Cursor;
use std::sync::Arc;

use super::twin::{arrow_file, arrow_stream, batch, options, parquet_with};
use super::vectors::{column as vectors, dense, sparse};
use arrow_array::builder::{Float64Builder, ListViewBuilder};
use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::*;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use parquet::basic::Compression;
use proptest::prelude::*;
use surefoot_glm::{Batch, FeatureNames, Missing, Part, Row};
use surefoot_io::{Error, Format, Inferred, MemoryTable, Options, Reader, RowSource, TableRows};

/// All that can be seen of the rows of a source: rows, names and places; faults, each with the number of rows before it; and what was
/// inferred.
#[derive(Debug, PartialEq)]
struct Seen {
    inferred: Vec<String>,
    faults: Vec<(usize, String)>,
    rows: Vec<String>,
}

fn see(source: &mut dyn RowSource, options: &Options) -> Seen {
    let (mut rows, mut faults, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    loop {
        match source.read(&mut batch) {
            Ok(false) => break,
            Err(error) => faults.push((rows.len(), error.to_string())),
            Ok(true) => rows.extend((0..batch.len()).map(|r| {
                let row = format!("{:?}", Row { position: 0, ..batch.row(r) });
                let place = batch.place[r];
                let text = String::from_utf8_lossy(&batch.text[place.text.0..place.text.1]).into_owned();
                format!("{row} {:?} {text} {} {} {}", batch.name(r), place.line, place.end, place.hash)
            })),
        }
    }
    let found = &options.found;
    let mut names = Vec::new();
    found.each_name(|id, name| names.push(format!("{id} {name}")));
    names.sort();
    names.push(format!("{:?} {:?} {:?}", found.table(), found.classes(), found.distinct()));
    // Only a pipe is spooled, and columns are noted batch by batch.
    let mut notes: Vec<_> = found.notes().into_iter().filter(|note| !note.contains("spooled")).collect();
    notes.sort();
    names.push(format!("{notes:?} {:?} {:?}", found.missing(), options.reading()));
    Seen { rows, faults, inferred: names }
}

/// Returns options equal to these, with nothing inferred, or only what is known of the model.
fn anew(options: &Options) -> Options {
    options.apart()
}

fn of_file(bytes: &[u8], options: &Options) -> Seen {
    let options = anew(options);
    see(&mut Reader::with_reader("table", Cursor::new(bytes.to_vec()), options.clone()).unwrap(), &options)
}

fn of_table(table: &MemoryTable, options: &Options) -> Seen {
    let options = anew(options);
    see(&mut table.rows(options.clone()).unwrap(), &options)
}

fn table(batch: &RecordBatch, cuts: impl IntoIterator<Item = usize>) -> MemoryTable {
    let (mut batches, mut from) = (Vec::new(), 0);
    for rows in cuts.into_iter().chain([usize::MAX]) {
        let rows = rows.min(batch.num_rows() - from);
        batches.push(batch.slice(from, rows));
        from += rows;
    }
    MemoryTable::new("table", batch.schema(), batches)
}

/// Decodes Arrow data; `None` if they are of another format or damaged.
fn decoded(bytes: &[u8]) -> Option<(SchemaRef, Vec<RecordBatch>)> {
    let from = Cursor::new(bytes.to_vec());
    if bytes.starts_with(b"ARROW1") {
        let reader = FileReader::try_new(from, None).ok()?;
        return Some((reader.schema(), reader.collect::<Result<_, _>>().ok()?));
    }
    let reader = StreamReader::try_new(from, None).ok().filter(|_| bytes.starts_with(&[0xff; 4]))?;
    Some((reader.schema(), reader.collect::<Result<_, _>>().ok()?))
}

/// Reads Arrow data, called `f` in messages, as a table in memory; returns the messages of the errors, or `None` if the data are of another
/// format or columns are known already.
pub(crate) fn faults(bytes: &[u8], options: &Options) -> Option<Vec<String>> {
    let (schema, batches) = decoded(bytes).filter(|_| options.found.table().is_none())?;
    let options = anew(options);
    let mut rows = TableRows::new("f", schema, batches.into_iter().map(Ok), options.clone()).unwrap();
    Some(see(&mut rows, &options).faults.into_iter().map(|fault| fault.1).collect())
}

const ROWS: usize = 23;

/// Returns the cells of a column by row; those of some rows are missing.
fn cells<T>(cell: impl Fn(usize) -> T) -> impl Iterator<Item = Option<T>> {
    (0..ROWS).map(move |row| (row % 7 != 3).then(|| cell(row)))
}

/// Returns a column of each supported type, by name.
fn columns() -> Vec<(&'static str, ArrayRef)> {
    const WORDS: [&str; 6] = ["red", "a b", "007", "1.10", "NA", "é"];
    let word = |row: usize| WORDS[row % WORDS.len()];
    let number = |row: usize| row as f64 / 4.0 - 2.0;
    let lists = || (0..ROWS).map(|row| (row % 5 != 2).then(|| [Some(row as f32), (row % 4 != 1).then_some(0.5)]));
    let mut views = ListViewBuilder::new(Float64Builder::new());
    lists().for_each(|list| views.append_option(list.map(|list| list.map(|x| x.map(f64::from)))));
    let words = DictionaryArray::<Int32Type>::from_iter(cells(word));
    let mut tags = builder::ListBuilder::new(builder::StringBuilder::new());
    (0..ROWS).for_each(|row| tags.append_option((row % 6 != 4).then(|| (0..row % 3).map(|n| Some(word(row + n))))));
    let vector = |row: usize| match row % 3 {
        0 => dense(&[Some(1.0), Some(0.0)]),
        1 => sparse(2, &[Some(1)], &[Some(-3.0)]),
        _ => None,
    };
    let flag = |row: usize| row.is_multiple_of(2);
    vec![
        ("y", Arc::new(Float64Array::from_iter_values((0..ROWS).map(|row| (row % 2) as f64)))),
        ("class", Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| ["no", "yes"][row % 2])))),
        ("w", Arc::new(Int8Array::from_iter_values((0..ROWS).map(|row| (row % 3) as i8)))),
        ("o", Arc::new(Float32Array::from_iter_values((0..ROWS).map(|row| row as f32)))),
        ("id", Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("row {row}"))))),
        ("flag", Arc::new(BooleanArray::from_iter(cells(flag)))),
        ("i8", Arc::new(Int8Array::from_iter(cells(|row| row as i8 - 9)))),
        ("i64", Arc::new(Int64Array::from_iter(cells(|row| (row as i64) << 52)))),
        ("u16", Arc::new(UInt16Array::from_iter(cells(|row| row as u16)))),
        ("u64", Arc::new(UInt64Array::from_iter(cells(|row| u64::MAX - row as u64)))),
        ("f32", Arc::new(Float32Array::from_iter(cells(|row| number(row) as f32)))),
        ("f64", Arc::new(Float64Array::from_iter(cells(|row| if row == 5 { f64::NAN } else { number(row) })))),
        ("dec", Arc::new(Decimal128Array::from_iter(cells(|row| row as i128)).with_precision_and_scale(9, 2).unwrap())),
        ("text", Arc::new(StringArray::from_iter(cells(word)))),
        ("large", Arc::new(LargeStringArray::from_iter(cells(word)))),
        ("view", Arc::new(StringViewArray::from_iter(cells(word)))),
        ("binary", Arc::new(BinaryArray::from_iter(cells(word)))),
        ("words", Arc::new(words)),
        ("day", Arc::new(Date32Array::from_iter(cells(|row| row as i32 * 400)))),
        ("time", Arc::new(TimestampMicrosecondArray::from_iter(cells(|row| row as i64 * 1_500_000)))),
        ("list", Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(lists()))),
        ("large_list", Arc::new(LargeListArray::from_iter_primitive::<Float32Type, _, _>(lists()))),
        ("fixed_list", Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(lists(), 2))),
        ("list_view", Arc::new(views.finish())),
        ("tags", Arc::new(tags.finish())),
        ("vector", vectors(&(0..ROWS).map(vector).collect::<Vec<_>>())),
        ("none", new_null_array(&arrow_schema::DataType::Null, ROWS)),
    ]
}

/// Returns options that take all of these columns, with missing cells treated in one of three ways, and with other settings by the bits of
/// `set`.
fn wanting(missing: usize, set: u32) -> Options {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let has = |bit: u32| set >> bit & 1 == 1;
    let mut options = options(false);
    options.reading.table.missing = [Missing::Refuse, Missing::Indicator, Missing::Mean][missing];
    options.reading.table.means = [("f64".to_owned(), 1.5), ("list[1]".to_owned(), 0.25)].into();
    options.reading.bits = has(0).then_some(6);
    options.wanted.categorical = list(if has(1) { &["day", "time", "tags", "i8", "flag"] } else { &["day", "time"] });
    options.wanted.text = list(if has(2) { &["text", "view", "words"] } else { &[] });
    options.wanted.numeric = list(&["list", "large_list", "fixed_list", "list_view", "vector"]);
    options.wanted.weight = has(3).then(|| "w".to_owned());
    options.wanted.offset = has(4).then(|| "o".to_owned());
    options.wanted.id = has(5).then(|| "id".to_owned());
    options.wanted.ignore = list(if has(6) { &["none", "dec", "id"] } else { &["none"] });
    options.wanted.label = Some(if has(7) { "class" } else { "y" }.to_owned());
    options.classes = has(7);
    options.unlabelled = has(8);
    options.reading.interact = if has(9) { vec![("f64".to_owned(), "text".to_owned())] } else { Vec::new() };
    options
}

/// Returns the columns of which bit `n` of `chosen` is set; the first five, which have other roles, always.
fn some_columns(chosen: u32) -> RecordBatch {
    let columns = columns().into_iter().enumerate().filter(|(n, _)| *n < 5 || chosen >> n & 1 == 1);
    batch(&columns.map(|(_, column)| column).collect::<Vec<_>>())
}

/// Reduces options to the columns that a table has.
fn fitting(mut options: Options, table: &RecordBatch) -> Options {
    let has = |name: &String| table.column_by_name(name).is_some();
    let wanted = &mut options.wanted;
    for names in [&mut wanted.categorical, &mut wanted.text, &mut wanted.numeric, &mut wanted.ignore] {
        names.retain(has);
    }
    options.reading.interact.retain(|(a, b)| has(a) && has(b));
    options
}

/// Returns the options with which a model of data read with `options` reads again.
fn of_model(options: &Options) -> Options {
    let found = Arc::new(Inferred::of_model(&options.reading(), &FeatureNames::default()));
    Options { reading: options.reading(), found, ..options.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_those_of_a_file(
        chosen in any::<u32>(),
        missing in 0..3usize,
        set in 0..1024u32,
        rows in 1..30usize,
        cuts in prop::collection::vec(0..10usize, 0..6),
    ) {
        let whole = some_columns(chosen);
        let options = fitting(wanting(missing, set), &whole);
        let expected = of_file(&arrow_file(&whole, rows), &options);
        let even = table(&whole, (0..ROWS / rows).map(|_| rows));
        prop_assert_eq!(&of_table(&even, &options), &expected);
        // The lengths of lists are those of the first batch, so that it must have some.
        let cuts = table(&whole, std::iter::once(8).chain(cuts));
        let of_parquet = of_file(&parquet_with(&whole, 100, Compression::SNAPPY, 100), &options);
        prop_assert_eq!(&of_table(&cuts, &options), &of_parquet);
        prop_assert_eq!(&expected.rows, &of_parquet.rows);
        // Whether it has been read before does not matter.
        prop_assert_eq!(&of_table(&cuts, &options), &of_parquet);
        let (learnt, is_read) = (anew(&options), !of_parquet.rows.is_empty());
        see(&mut cuts.rows(learnt.clone()).unwrap(), &learnt);
        if is_read {
            let options = of_model(&learnt);
            prop_assert_eq!(of_table(&cuts, &options), of_file(&arrow_stream(&whole, rows, None), &options));
        }
    }
}

#[test]
fn a_large_batch_is_cut_into_small_ones() {
    let lists = (0..20_000).map(|n| Some([Some(n as f32), Some(1.0)]));
    let rows: ArrayRef = Arc::new(Float64Array::from_iter_values((0..20_000).map(f64::from)));
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(lists));
    let (whole, mut options) = (batch(&[("y", rows), ("list", lists)]), options(false));
    options.wanted.numeric = vec!["list".to_owned()];
    let expected = of_file(&parquet_with(&whole, 20_000, Compression::SNAPPY, 20_000), &options);
    assert_eq!((expected.rows.len(), expected.faults.len()), (20_000, 0));
    for cuts in [&[][..], &[10_000, 1], &[0, 0, 19_999, 0]] {
        let table = table(&whole, cuts.iter().copied());
        assert_eq!((of_table(&table, &options), table.len()), (of_file(&arrow_file(&whole, 20_000), &options), 20_000));
        assert_eq!(of_table(&table, &options), expected);
        let (mut rows, mut batch) = (table.rows(anew(&options)).unwrap(), Batch::default());
        assert!(rows.read(&mut batch).unwrap() && batch.len() < 20_000);
        assert_eq!(rows.progress(), (batch.len() as u64, Some(20_000)));
        while rows.read(&mut batch).unwrap() {}
        assert_eq!(rows.progress(), (20_000, Some(20_000)));
    }
}

fn columns_of(y: &[Option<f64>], x: &[f64]) -> RecordBatch {
    let (y, x) = (Float64Array::from(y.to_vec()), Float64Array::from(x.to_vec()));
    batch(&[("y", Arc::new(y)), ("x", Arc::new(x))])
}

#[test]
fn faults_name_table_row_and_column() {
    let whole =
        columns_of(&[Some(1.0), None, Some(0.0), Some(1.0), Some(0.0)], &[1.0, 2.0, f64::INFINITY, f64::NAN, 5.0]);
    for rows in 1..6 {
        let table = table(&whole, (0..5 / rows).map(|_| rows));
        let seen = of_table(&table, &options(false));
        let expected = [
            (1, "table: row 2, column 'y': the label is null; a row to be learnt needs one"),
            (1, "table: row 3, column 'x': 'inf': is not finite; correct it or leave the row out"),
            (1, "table: row 4, column 'x': 'NaN': is no number; --missing"),
        ];
        assert_eq!((seen.rows.len(), seen.faults.len()), (2, 3));
        for (fault, (rows, message)) in seen.faults.iter().zip(expected) {
            assert!(fault.0 == rows && fault.1.starts_with(message), "{fault:?}");
        }
        assert_eq!(seen, of_file(&arrow_file(&whole, rows), &options(false)));
    }
}

#[test]
fn labels_are_not_needed_to_predict() {
    let whole = columns_of(&[Some(1.0), Some(0.0)], &[1.0, 2.0]);
    let learnt = anew(&options(false));
    see(&mut table(&whole, []).rows(learnt.clone()).unwrap(), &learnt);
    let model = Options { unlabelled: true, ..of_model(&learnt) };
    let seen = of_table(&table(&whole.project(&[1]).unwrap(), []), &model);
    assert!(seen.faults.is_empty() && seen.rows.iter().all(|row| row.contains("label: None")), "{seen:?}");
    let with_labels = of_table(&table(&whole, []), &model);
    assert_eq!((with_labels.rows, seen.rows.len()), (seen.rows, 2));
    let other = of_table(&table(&whole.project(&[0]).unwrap(), []), &model);
    assert_eq!(other.faults[0].1, "table: column 'x' of the model is missing; the columns here are y");
}

/// Reads a table whose batches come from an iterator; returns the number of rows and the messages of the errors.
fn of_stream(schema: SchemaRef, batches: Vec<Result<RecordBatch, ArrowError>>) -> (usize, Vec<String>) {
    let options = anew(&options(false));
    let mut rows = TableRows::new("t", schema, batches, options.clone()).unwrap();
    assert_eq!(rows.progress(), (0, None));
    let seen = see(&mut rows, &options);
    assert!(!rows.read(&mut Batch::default()).unwrap(), "the end stays the end");
    (seen.rows.len(), seen.faults.into_iter().map(|fault| fault.1).collect())
}

#[test]
fn a_stream_that_fails_is_a_fault_of_the_table() {
    let whole = columns_of(&[Some(1.0); 3], &[1.0; 3]);
    let schema = whole.schema();
    let read = |batches| of_stream(schema.clone(), batches);
    assert_eq!(read(vec![]), (0, vec![]));
    assert_eq!(read(vec![Ok(whole.slice(0, 0)), Ok(whole.clone())]), (3, vec![]));
    let failure = || Err(ArrowError::ComputeError("no more".to_owned()));
    let message = "t: the table cannot be read: Compute error: no more";
    assert_eq!(read(vec![Ok(whole.clone()), failure(), Ok(whole.clone())]), (3, vec![message.to_owned()]));
    assert_eq!(read(vec![failure()]), (0, vec![message.to_owned()]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let of_texts = batch(&[("y", whole.column(0).slice(0, 1)), ("x", texts)]);
    let message = "t: batch 2: column 'x' is of string, in the schema of float64";
    assert_eq!(read(vec![Ok(whole.clone()), Ok(of_texts)]), (3, vec![message.to_owned()]));
    let message = "t: batch 1 has 1 columns, the schema has 2";
    assert_eq!(read(vec![Ok(whole.project(&[0]).unwrap())]), (0, vec![message.to_owned()]));
}

#[test]
fn other_formats_and_settings_are_refused() {
    let whole = columns_of(&[Some(1.0)], &[1.0]);
    let by_index = options(false);
    let svm = Options { format: Format::named("svmlight"), ..Options::default() };
    see(&mut Reader::with_reader("f.svm", &b"1 3:1\n"[..], svm.clone()).unwrap(), &svm);
    let seen = of_table(&table(&whole, []), &Options { wanted: by_index.wanted.clone(), ..of_model(&svm) });
    let message = "table: features of this file (arrow) go by columns (csv, parquet ...), those of the model by index (svmlight): \
                   give data of the kind that it was trained on";
    assert_eq!(seen.faults, [(0, message.to_owned())]);
    let mut wrong = options(false);
    wrong.reading.bits = Some(65);
    assert!(table(&whole, []).rows(wrong).unwrap_err().to_string().contains("--bits"));
    let mut wrong = options(false);
    wrong.wanted.label = Some("z".to_owned());
    assert_eq!(of_table(&table(&whole, []), &wrong), of_file(&arrow_file(&whole, 1), &wrong));
}

#[test]
fn parts_of_rows_are_located_in_the_table() {
    let labels: ArrayRef = Arc::new(StringArray::from(vec!["no", "yes", "maybe"]));
    let x: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, 3.5]));
    let table = table(&batch(&[("y", labels), ("x", x)]), [1]);
    let options = Options { classes: true, ..anew(&options(false)) };
    let (mut rows, mut batch) = (table.rows(options.clone()).unwrap(), Batch::default());
    assert!(rows.read(&mut batch).unwrap() && rows.read(&mut batch).unwrap());
    let located = |error: Error| error.to_string();
    let at = |batch: &Batch, part| located(table.describe(&options, batch, 1, part).error("x"));
    assert_eq!(at(&batch, Part::Label), "table: row 3, column 'y': 'maybe': x");
    assert_eq!(at(&batch, Part::Pair(0)), "table: row 3, column 'x': '3.5': x");
    assert_eq!(at(&batch, Part::Pair(7)), "table: row 3: x");
    assert_eq!(located(table.describe(&options, &batch, 9, Part::Row).error("x")), "table:0:1: '': x");
    // The text of the label is read again where the batch has lost it.
    batch.text.clear();
    batch.place.iter_mut().for_each(|place| place.text = (0, 0));
    let again = table.describe_again(&options, &batch, 1, Part::Label);
    assert_eq!(located(again.error("x")), "table: row 3, column 'y': 'maybe': x");
}
