//! Tests that columns in later files are matched by name with those of the model or the first file.

use std::sync::Arc;

use super::twin::{Cells, arrow_file, arrow_stream, batch, number_id, options, parquet, read};
use arrow_array::{ArrayRef, DictionaryArray, FixedSizeListArray, Float64Array, StringArray, types};
use surefoot_glm::{Batch, FeatureNames, Part};
use surefoot_io::{Inferred, Options, Reader, RowSource};

fn full(cells: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(cells.to_vec()))
}

fn texts(cells: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(cells.to_vec()))
}

/// Returns the reader options for a model trained on a label `y` and numeric columns `a` and `b`.
fn model(unlabelled: bool) -> Options {
    let first = options(false);
    read(parquet(&batch(&[("y", full(&[1.0])), ("a", full(&[2.0])), ("b", full(&[3.0]))])), &first);
    let found = Arc::new(Inferred::of_model(&first.reading(), &FeatureNames::default()));
    Options { reading: first.reading(), found, unlabelled, ..Options::default() }
}

#[test]
fn columns_are_matched_by_name() {
    let here = batch(&[("b", full(&[3.0])), ("d", texts(&["new"])), ("a", full(&[2.0]))]);
    let (rows, errors) = read(parquet(&here), &model(true));
    let message = "f: column 2 ('d') is not a column of the model; --ignore d passes over it";
    assert_eq!((rows.len(), errors[0].to_string()), (0, message.to_owned()));
    let mut options = model(true);
    options.wanted.ignore = vec!["d".to_owned()];
    let (rows, errors) = read(parquet(&here), &options);
    assert!(errors.is_empty(), "{errors:?}");
    let mut pairs = vec![(number_id("a"), 2.0), (number_id("b"), 3.0)];
    pairs.sort_by_key(|pair| pair.0);
    assert_eq!(rows, [(1, None, pairs)]);
    assert_eq!(options.found.table().unwrap().columns.len(), 3, "nothing is added to the model");
}

#[test]
fn columns_that_are_missing_are_named() {
    for (here, unlabelled, message) in [
        (batch(&[("a", full(&[2.0]))]), true, "column 'b' of the model is missing; the columns here are a"),
        (
            batch(&[("a", full(&[2.0])), ("b", full(&[2.0]))]),
            false,
            "column 'y' of the model is missing; the columns here are a, b",
        ),
        (
            batch(&[("a", full(&[2.0])), ("b", texts(&["x"]))]),
            true,
            "row 1, column 'b': 'x': is not a number, as it was for the model",
        ),
    ] {
        let (rows, errors) = read(parquet(&here), &model(unlabelled));
        assert_eq!((rows.len(), errors[0].to_string()), (0, format!("f: {message}")));
    }
}

#[test]
fn text_labels_become_classes() {
    let mut options = options(false);
    options.classes = true;
    let table = batch(&[("y", texts(&["spam", "ham", "spam", "eggs"])), ("a", full(&[1.0; 4]))]);
    let mut reader = Reader::with_reader("f", std::io::Cursor::new(parquet(&table)), options.clone()).unwrap();
    let mut batch = Batch::default();
    assert!(reader.read(&mut batch).unwrap());
    let labels: Vec<_> = batch.label.clone();
    assert_eq!(labels[..3], [0.0, -1.0, 0.0]);
    let place = options.describe(&[], &batch, 1, Part::Label);
    assert_eq!(place.error("wrong").to_string(), "input: row 2, column 'y': 'ham': wrong");
    let place = options.describe(&[], &batch, 2, Part::Pair(0));
    assert_eq!(place.error("wrong").to_string(), "input: row 3, column 'a': '1': wrong");
}

#[test]
fn the_index_of_pandas_is_no_feature() {
    let table = [("y", full(&[1.0])), ("a", full(&[2.0])), ("__index_level_0__", full(&[7.0]))];
    let options = options(false);
    let (rows, _) = read(parquet(&batch(&table)), &options);
    assert_eq!(rows, [(1, Some(1.0), vec![(number_id("a"), 2.0)])]);
    assert!(
        options.found.notes().iter().any(|note| note.contains("'__index_level_0__' is the index of a pandas table"))
    );
}

#[test]
fn declared_texts_are_missing() {
    let mut options = options(true);
    options.reading.table.na = vec!["?".to_owned()];
    let (rows, _) = read(parquet(&batch(&[("y", full(&[1.0, 1.0])), ("t", texts(&["?", "a"]))])), &options);
    assert_eq!(rows[0].2, [(super::twin::missing_id("t"), 1.0)]);
    assert_eq!(rows[1].2, [(super::twin::text_id("t", "a"), 1.0)]);
    assert_eq!(options.found.missing()["t"], 1);
}

#[test]
fn labels_are_text_or_numbers() {
    let mut options = options(false);
    options.classes = true;
    let message = super::twin::error(&[("y", texts(&["a", "1", "b"])), ("x", full(&[1.0; 3]))], &options);
    assert_eq!(message, "f: row 2, column 'y': '1': the label is a number, but those before are text");
    // A later file with labels of another kind.
    let (rows, errors) = read(parquet(&batch(&[("y", full(&[1.0])), ("x", full(&[1.0]))])), &options);
    let message = "f: row 1, column 'y': '1': the label is a number, but those before are text";
    assert_eq!((rows.len(), errors[0].to_string()), (0, message.to_owned()));
    let numbers = Options { classes: true, ..super::twin::options(false) };
    let (rows, errors) = read(parquet(&batch(&[("y", texts(&["1", " -2e0", "b"])), ("x", full(&[1.0; 3]))])), &numbers);
    assert_eq!(rows.iter().map(|row| row.1.unwrap()).collect::<Vec<_>>(), [1.0, -2.0]);
    let message = "f: row 3, column 'y': 'b': the label is not a number as those before are";
    assert_eq!(errors[0].to_string(), message);
}

#[test]
fn columns_interact() {
    let mut options = options(false);
    options.reading.interact = vec![("a".to_owned(), "t".to_owned())];
    let table = [("y", full(&[1.0])), ("a", full(&[3.0])), ("t", texts(&["u"]))];
    let (rows, _) = read(parquet(&batch(&table)), &options);
    let ids: Vec<_> = rows[0].2.iter().map(|pair| pair.0).collect();
    let names = options.found.names(&ids);
    let mut pairs: Vec<_> = rows[0].2.iter().map(|&(id, x)| (names.of(id).unwrap(), x)).collect();
    pairs.sort_by(|a, b| a.0.cmp(b.0));
    assert_eq!(pairs, [("a", 3.0), ("a*t=u", 3.0), ("t=u", 1.0)]);
    options.reading.interact = vec![("a".to_owned(), "y".to_owned())];
    options.found = Arc::default();
    let message = super::twin::error(&table, &options);
    assert_eq!(message, "f: --interact: no feature is made of a column 'y'; the columns are y, a, t");
}

#[test]
fn columns_of_later_files_are_put_in_the_order_of_the_first() {
    let options = options(false);
    let one = [("y", full(&[1.0])), ("b", full(&[3.0])), ("t", texts(&["u"])), ("a", full(&[2.0]))];
    let (first, _) = read(parquet(&batch(&one)), &options);
    let [y, b, t, a] = one;
    let (second, _) = read(parquet(&batch(&[a, t, y, b])), &options);
    assert_eq!(first, second);
    assert_eq!(first[0].2.iter().map(|pair| pair.1).collect::<Vec<_>>(), [3.0, 1.0, 2.0]);
}

#[test]
fn a_column_is_not_called_like_a_number_of_a_list() {
    let list = FixedSizeListArray::from_iter_primitive::<types::Float64Type, _, _>([Some([Some(1.0), Some(2.0)])], 2);
    let table = [("y", full(&[1.0])), ("v", Arc::new(list) as ArrayRef), ("v[1]", full(&[3.0]))];
    let message = "f: column 'v[1]' has the name of a number of the list 'v': --ignore one of them, or rename it";
    let mut options = options(false);
    options.wanted.numeric = vec!["v".to_owned()];
    assert_eq!(super::twin::error(&table, &options), message);
    options.found = Arc::default();
    options.wanted.ignore = vec!["v[1]".to_owned()];
    let (rows, _) = read(parquet(&batch(&table)), &options);
    assert_eq!(rows[0].2.iter().map(|pair| pair.1).collect::<Vec<_>>(), [1.0, 2.0]);
}

#[test]
fn missing_cells_are_counted_once() {
    let options = options(true);
    let table = parquet(&batch(&[("y", full(&[1.0; 2])), ("a", full(&[f64::NAN, 1.0]))]));
    (0..3).for_each(|_| assert_eq!(read(table.clone(), &options).0.len(), 2));
    assert_eq!(options.found.missing()["a"], 1);
}

#[test]
fn a_label_of_text_may_be_missing_in_a_row() {
    let labels = ["u", "v", "u"].map(|label| Some(label.to_owned()));
    for at in 0..3 {
        let mut labels = labels.to_vec();
        labels[at] = None;
        let numbers = Cells::Numbers(vec![Some(1.0); 3]);
        for labels in [Cells::Words(labels.clone()), Cells::Texts(labels)] {
            let table = batch(&[("y", labels.array()), ("a", numbers.array())]);
            for bytes in [parquet(&table), arrow_stream(&table, 2, None)] {
                let (rows, errors) = read(bytes, &Options { classes: true, ..options(false) });
                assert_eq!((rows.len(), errors.len()), (2, 1), "{errors:?}");
                let message = format!("f: row {}, column 'y': the label is null; a row to be learnt needs one", at + 1);
                assert_eq!(errors[0].to_string(), message);
            }
        }
    }
}

#[test]
fn names_that_a_refused_row_brings_first_are_stored_with_the_next() {
    let words = ["red", "red", "blue"].into_iter().collect::<DictionaryArray<types::Int32Type>>();
    let table = batch(&[
        ("y", Arc::new(Float64Array::from(vec![1.0, 0.0, 1.0]))),
        ("x", Arc::new(Float64Array::from(vec![2.0, 3.0, 4.0]))),
        ("c", Arc::new(words)),
        ("z", Arc::new(Float64Array::from(vec![f64::INFINITY, 5.0, 6.0]))),
    ]);
    for bytes in [parquet(&table), arrow_file(&table, 3)] {
        let options = options(false);
        let (rows, errors) = read(bytes, &options);
        assert_eq!((rows.len(), errors.len()), (2, 1));
        let mut names = Vec::new();
        options.found.each_name(|_, name| names.push(name.to_owned()));
        names.sort();
        assert_eq!(names, ["c=blue", "c=red", "x", "z"]);
    }
}
