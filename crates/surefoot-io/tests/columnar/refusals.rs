//! Tests of tables that are refused, and of the error messages.

use std::sync::Arc;

use super::twin::{Cells, arrow_stream, batch, error, expected, of_type, options, parquet, read};
use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit};
use surefoot_io::{ColumnSelection, Options};

fn numbers(cells: &[Option<f64>]) -> ArrayRef {
    Arc::new(Float64Array::from(cells.to_vec()))
}

fn full(cells: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(cells.to_vec()))
}

fn texts(cells: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(cells.to_vec()))
}

#[test]
fn types_are_refused_by_name() {
    let list = |of| DataType::List(Arc::new(Field::new("item", of, true)));
    let tuple = DataType::Struct(Fields::from(vec![Field::new("p", DataType::Int8, true)]));
    for (of, message) in [
        (
            DataType::Timestamp(TimeUnit::Millisecond, None),
            "column 'c' (timestamp) holds times; --ignore c passes over it, --numeric c takes it as seconds since 1970, --categorical c as text",
        ),
        (
            DataType::Date32,
            "column 'c' (date) holds times; --ignore c passes over it, --numeric c takes it as days since 1970, --categorical c as text",
        ),
        (
            DataType::Time32(TimeUnit::Second),
            "column 'c' (time) holds times; --ignore c passes over it, --numeric c takes it as seconds since midnight",
        ),
        (
            DataType::Duration(TimeUnit::Nanosecond),
            "column 'c' (duration) holds times; --ignore c passes over it, --numeric c takes it as seconds",
        ),
        (
            DataType::Interval(IntervalUnit::YearMonth),
            "column 'c' (interval) cannot be used; --ignore c passes over it",
        ),
        (tuple, "column 'c' (struct) cannot be used; --ignore c passes over it"),
        (
            list(DataType::Int32),
            "column 'c' (list of int32) holds lists; --numeric c makes each of their numbers a feature, --ignore c passes over it",
        ),
        (
            list(list(DataType::Float32)),
            "column 'c' (list of list of float32) cannot be used; --ignore c passes over it",
        ),
    ] {
        let table = batch(&[("y", full(&[1.0])), ("c", of_type(&of, 1))]);
        let bytes = arrow_stream(&table, 10, None);
        let (rows, errors) = read(bytes.clone(), &options(false));
        assert_eq!((rows.len(), errors[0].to_string()), (0, format!("f: {message}")));
        let mut ignoring = options(false);
        ignoring.wanted.ignore = vec!["2".to_owned()];
        let (rows, errors) = read(bytes, &ignoring);
        assert_eq!((rows, errors.len()), (vec![(1, Some(1.0), Vec::new())], 0), "{message}");
    }
}

#[test]
fn columns_are_refused() {
    let table = [
        ("y", full(&[1.0, 0.0])),
        ("a", full(&[1.0, 2.0])),
        ("t", texts(&[Some("u"), Some("v")])),
        ("when", of_type(&DataType::Date32, 2)),
    ];
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let y = ColumnSelection { label: Some("y".to_owned()), ..ColumnSelection::default() };
    for (wanted, message) in [
        (ColumnSelection::default(), "which column is the label? say --label COL; the columns are y, a, t, when"),
        (
            ColumnSelection { label: Some("z".to_owned()), ..ColumnSelection::default() },
            "--label: there is no column 'z'; the columns are y, a, t, when",
        ),
        (
            ColumnSelection { label: Some("5".to_owned()), ..ColumnSelection::default() },
            "--label: there is no column '5'; the columns are y, a, t, when",
        ),
        (
            ColumnSelection { label: Some("0".to_owned()), ..ColumnSelection::default() },
            "--label: there is no column '0'; the columns are y, a, t, when",
        ),
        (
            ColumnSelection { ignore: list(&["a"]), numeric: list(&["2"]), ..y.clone() },
            "--ignore: column 2 ('a') has another use already; give each column one",
        ),
        (
            ColumnSelection { label: Some("when".to_owned()), ..ColumnSelection::default() },
            "column 'when' (date) cannot be the label: it holds no numbers; give another --label",
        ),
    ] {
        let options = Options { wanted, ..Options::default() };
        assert_eq!(error(&table, &options), format!("f: {message}"));
    }
    let words = [("y", full(&[1.0])), ("t", texts(&[Some("u")]))];
    for (wanted, message) in [
        (ColumnSelection { numeric: list(&["t"]), ..y.clone() }, "is not a number; --categorical t, or --ignore t"),
        (ColumnSelection { weight: Some("t".to_owned()), ..y }, "is no weight; a finite number of 0 or more is needed"),
    ] {
        let options = Options { wanted, ..Options::default() };
        assert_eq!(error(&words, &options), format!("f: row 1, column 't': 'u': {message}"));
    }
    let twice = [("y", full(&[1.0])), ("a", full(&[1.0])), ("a", full(&[2.0]))];
    assert_eq!(error(&twice, &options(false)), "f: column 3 has the name 'a' of one before it; --ignore 3");
}

#[test]
fn cells_are_refused_at_their_row_and_reading_goes_on() {
    let some = |text| Some(text);
    let ones = full(&[1.0; 5]);
    let inf = f64::INFINITY;
    for (columns, message) in [
        (
            vec![("y", numbers(&[Some(1.0), Some(0.0), Some(1.0), None, Some(1.0)])), ("a", ones.clone())],
            "f: row 4, column 'y': the label is null; a row to be learnt needs one",
        ),
        (
            vec![("y", full(&[1.0, 0.0, 1.0, f64::NAN, 1.0])), ("a", ones.clone())],
            "f: row 4, column 'y': the label is null; a row to be learnt needs one",
        ),
        (
            vec![("y", full(&[1.0, 0.0, 1.0, inf, 1.0])), ("a", ones.clone())],
            "f: row 4, column 'y': 'inf': the label is not finite",
        ),
        (
            vec![("y", texts(&[some("1"), some("0"), some("1"), some("x"), some("1")])), ("a", ones.clone())],
            "f: row 4, column 'y': 'x': the label is not a number; labels that are text need --loss logistic",
        ),
        (
            vec![("y", ones.clone()), ("a", numbers(&[Some(1.0), Some(2.0), Some(3.0), None, Some(5.0)]))],
            "f: row 4, column 'a': is null; --missing indicator makes missing cells features of their own, --missing mean also takes the column's mean",
        ),
        (
            vec![("y", ones.clone()), ("a", full(&[1.0, 2.0, 3.0, f64::NAN, 5.0]))],
            "f: row 4, column 'a': 'NaN': is no number; --missing indicator makes missing cells features of their own, --missing mean also takes the column's mean",
        ),
        (
            vec![("y", ones.clone()), ("a", full(&[1.0, 2.0, 3.0, -inf, 5.0]))],
            "f: row 4, column 'a': '-inf': is not finite; correct it or leave the row out",
        ),
        (
            vec![("y", ones.clone()), ("t", texts(&[some("a"), some("b"), some("c"), None, some("e")]))],
            "f: row 4, column 't': is null; --missing indicator makes missing cells features of their own, --missing mean also takes the column's mean",
        ),
        (
            vec![("y", ones.clone()), ("w", full(&[1.0, 0.0, 2.0, -0.5, 1.0]))],
            "f: row 4, column 'w': '-0.5': is no weight; a finite number of 0 or more is needed",
        ),
        (
            vec![("y", ones.clone()), ("w", numbers(&[Some(1.0), Some(0.0), Some(2.0), None, Some(1.0)]))],
            "f: row 4, column 'w': the weight is null; every row needs one",
        ),
    ] {
        let mut options = options(false);
        if columns[1].0 == "w" {
            options.wanted.weight = Some("w".to_owned());
        }
        let (rows, errors) = read(parquet(&batch(&columns)), &options);
        let lines: Vec<_> = rows.iter().map(|row| row.0).collect();
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), [message]);
        assert!(errors[0].is_row());
        assert_eq!(lines, [1, 2, 3, 5], "{message}");
    }
}

#[test]
fn values_that_add_up_to_infinity_are_refused() {
    let column = || full(&[1e308, 1.0]);
    // Three columns in two slots.
    let table = batch(&[("y", full(&[1.0; 2])), ("a", column()), ("b", column()), ("c", column())]);
    let mut options = options(false);
    options.reading.bits = Some(1);
    let (rows, errors) = read(parquet(&table), &options);
    let message = "f: row 1: features that share an id, or a product, add up to more than a number of 64 bits holds";
    assert_eq!((rows.len(), errors[0].to_string()), (1, message.to_owned()));
    assert_eq!(rows[0].2.iter().map(|pair| pair.1).sum::<f64>(), 3.0);
}

#[test]
fn lists_have_one_length() {
    let lists = |lengths: &[Option<usize>]| {
        let mut builder = ListBuilder::new(Float64Builder::new());
        for length in lengths {
            (0..length.unwrap_or(0)).for_each(|k| builder.values().append_value(k as f64));
            builder.append(length.is_some());
        }
        Arc::new(builder.finish()) as ArrayRef
    };
    let mut options = options(true);
    options.wanted.numeric = vec!["l".to_owned()];
    let message = error(&[("y", full(&[1.0; 3])), ("l", lists(&[None, Some(3), Some(2)]))], &options);
    assert_eq!(
        message,
        "f: row 3, column 'l': holds a list of 2, the lists before have 3; correct it or leave the row out"
    );
    let columns: Vec<_> = options.found.table().unwrap().columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(columns, ["y", "l[0]", "l[1]", "l[2]"]);
    // A later file has to have the same length.
    let message = error(&[("y", full(&[1.0])), ("l", lists(&[Some(4)]))], &options);
    assert_eq!(
        message,
        "f: row 1, column 'l': holds a list of 4, the lists before have 3; correct it or leave the row out"
    );
    let none = Options { found: Arc::default(), ..options };
    let message = error(&[("y", full(&[1.0; 2])), ("l", lists(&[None, None]))], &none);
    assert_eq!(
        message,
        "f: column 'l': the first 2 rows hold no list, so that its length is not known; --ignore l passes over it"
    );
}

#[test]
fn rows_behind_a_fault_are_those_of_the_table() {
    let cells: Vec<_> = (0..2000).map(|i| if i % 7 == 3 { None } else { Some(f64::from(i)) }).collect();
    let labels = Cells::Numbers(vec![Some(1.0); cells.len()]);
    let columns = [("y".to_owned(), labels), ("a".to_owned(), Cells::Numbers(cells.clone()))];
    let table = batch(&[("y", columns[0].1.array()), ("a", columns[1].1.array())]);
    let (rows, errors) = read(parquet(&table), &options(false));
    let whole = expected(&columns, cells.len());
    let wanted: Vec<_> = whole.into_iter().filter(|row| cells[row.0 as usize - 1].is_some()).collect();
    assert_eq!(rows, wanted);
    assert_eq!(errors.len(), cells.iter().filter(|cell| cell.is_none()).count());
}

#[test]
fn whole_numbers_up_to_two_to_the_53rd_are_exact() {
    let edge = 1i64 << 53;
    for (cells, noted) in [([edge, -edge], false), ([edge, edge + 1], true), ([0, i64::MIN], true)] {
        let options = options(false);
        let (rows, errors) = read(
            parquet(&batch(&[("y", full(&[1.0; 2])), ("a", Arc::new(Int64Array::from(cells.to_vec())))])),
            &options,
        );
        assert_eq!((rows.len(), errors.len()), (2, 0));
        let message = "f: row 2, column 'a': a whole number beyond 2^53 is rounded to a number of 64 bits; \
                    --categorical a takes it as it is";
        let notes: Vec<_> = options.found.notes().into_iter().filter(|note| note.contains("2^53")).collect();
        assert_eq!(notes, if noted { vec![message.to_owned()] } else { Vec::new() });
    }
}
