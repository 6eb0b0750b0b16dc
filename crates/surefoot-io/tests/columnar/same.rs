//! Property tests that a table yields the same rows in every format and with every column type that can hold its
//! values.

use std::io::Cursor;
use std::sync::Arc;

use super::twin::{Row, all, arrow_file, batch, format, missing_id, number_id, parquet, text_id};
use arrow_array::*;
use proptest::prelude::*;
use surefoot_glm::{FeatureNames, Missing, Schema, TableSchema};
use surefoot_io::{ColumnSelection, Inferred, Options, Reader};

const ROWS: usize = 12;
const WORDS: [&str; 8] = ["red", "a b", "007", "1.10", "1.1", "é", "14e67", "-"];

/// Values of a column, independent of the type or notation in which they are written; `None` is a missing cell.
#[derive(Clone, Debug)]
enum Values {
    Flags(Vec<Option<bool>>),
    Whole(Vec<Option<i16>>),
    Quarters(Vec<Option<i16>>),
    Words(Vec<Option<usize>>),
    Days(Vec<Option<i32>>),
}

/// Column of a random table: its values, and whether it is categorical.
type Column = (Values, bool);

fn any_column() -> impl Strategy<Value = Column> {
    fn cells<T: Clone + std::fmt::Debug>(
        cell: impl Strategy<Value = T> + Clone,
    ) -> impl Strategy<Value = Vec<Option<T>>> {
        // The first is there, so that the type of a column shows.
        (cell.clone(), prop::collection::vec(prop::option::weighted(0.8, cell), ROWS - 1))
            .prop_map(|(first, rest)| std::iter::once(Some(first)).chain(rest).collect())
    }
    let values = prop_oneof![
        cells(any::<bool>()).prop_map(Values::Flags),
        cells(-120i16..120).prop_map(Values::Whole),
        cells(-400i16..400).prop_map(Values::Quarters),
        cells(0..WORDS.len()).prop_map(Values::Words),
        cells(-30_000i32..30_000).prop_map(Values::Days),
    ];
    (values, any::<bool>()).prop_map(|(values, category)| match values {
        Values::Words(_) | Values::Days(_) => (values, true),
        _ => (values, category),
    })
}

impl Values {
    /// Returns the cell of a row as CSV text, in one of several notations, which `how` selects.
    fn csv(&self, row: usize, how: usize) -> String {
        let missing = || ["", "NA", "nan", "None", " "][how % 5].to_owned();
        let text = match self {
            Values::Flags(cells) => cells[row].map(|flag| {
                let spellings = [["False", "True"], ["FALSE", "TRUE"], ["false", "true"], ["0", "1"], ["0.0", "1.0"]];
                spellings[how % 5][usize::from(flag)].to_owned()
            }),
            Values::Whole(cells) => cells[row].map(|x| match how % 5 {
                0 => x.to_string(),
                1 => format!("{x}.0"),
                2 => format!("{x}.00"),
                3 => format!(" {x}"),
                _ => format!("\"{x}\""),
            }),
            Values::Quarters(cells) => cells[row].map(|x| f64::from(x) / 4.0).map(|x| match how % 3 {
                0 => x.to_string(),
                1 => format!(" {x}\t"),
                _ => {
                    let text = format!("{x:e}");
                    let (digits, power) = text.split_once('e').unwrap();
                    format!("{digits}e{:+03}", power.parse::<i32>().unwrap())
                }
            }),
            Values::Words(cells) => cells[row].map(|word| match how % 3 {
                0 => WORDS[word].to_owned(),
                1 => format!(" {} ", WORDS[word]),
                _ => format!("\"{} \"", WORDS[word]),
            }),
            Values::Days(cells) => cells[row].map(|day| match how % 3 {
                0 => date(day),
                1 => format!("{}T00:00:00.000", date(day)),
                _ => format!("{} 00:00:00", date(day)),
            }),
        };
        text.unwrap_or_else(missing)
    }

    /// Returns the column as an Arrow array of one of several types, which `how` selects; as text if `as_text`.
    fn array(&self, how: usize, as_text: bool) -> ArrayRef {
        let texts = |how: usize, cell: &dyn Fn(usize) -> Option<String>| -> ArrayRef {
            let cells: Vec<Option<String>> = (0..ROWS).map(cell).collect();
            match how % 5 {
                0 => Arc::new(StringArray::from(cells)),
                1 => Arc::new(LargeStringArray::from(cells)),
                2 => Arc::new(StringViewArray::from(cells)),
                3 => Arc::new(BinaryArray::from_iter(cells.iter().map(Option::as_deref).map(|c| c.map(str::as_bytes)))),
                _ => Arc::new(cells.iter().map(Option::as_deref).collect::<DictionaryArray<types::Int32Type>>()),
            }
        };
        let csv = |row: usize| Some(self.csv(row, how).trim().trim_matches('"').to_owned());
        match self {
            Values::Words(_) => texts(how, &csv),
            _ if as_text => texts(how, &csv),
            Values::Flags(cells) => match how % 3 {
                0 => Arc::new(BooleanArray::from(cells.clone())),
                1 => Arc::new(Int8Array::from_iter(cells.iter().map(|x| x.map(i8::from)))),
                _ => Arc::new(Float64Array::from_iter(cells.iter().map(|x| x.map(f64::from)))),
            },
            Values::Whole(cells) => {
                let whole = || cells.iter().map(|x| x.map(i64::from));
                match how % 7 {
                    0 => Arc::new(Int64Array::from_iter(whole())),
                    1 => Arc::new(Int8Array::from_iter(whole().map(|x| x.map(|x| x as i8)))),
                    // As pandas has whole numbers where some are missing.
                    2 => Arc::new(Float64Array::from_iter(whole().map(|x| Some(x.map_or(f64::NAN, |x| x as f64))))),
                    3 => Arc::new(Float32Array::from_iter(whole().map(|x| x.map(|x| x as f32)))),
                    4 => {
                        let cells = whole().map(|x| x.map(|x| i128::from(x) * 100));
                        Arc::new(Decimal128Array::from_iter(cells).with_precision_and_scale(12, 2).unwrap())
                    }
                    5 => {
                        let cells = whole().map(|x| x.map(|x| (x * 1000).into()));
                        Arc::new(Decimal256Array::from_iter(cells).with_precision_and_scale(50, 3).unwrap())
                    }
                    _ => {
                        let keys = Int32Array::from_iter((0..).zip(cells).map(|(n, x)| x.map(|_| n)));
                        let values = Int64Array::from_iter_values(whole().map(|x| x.unwrap_or(0)));
                        Arc::new(DictionaryArray::new(keys, Arc::new(values)))
                    }
                }
            }
            Values::Quarters(cells) => {
                let numbers = || cells.iter().map(|x| x.map(|x| f32::from(x) / 4.0));
                match how % 2 {
                    0 => Arc::new(Float64Array::from_iter(numbers().map(|x| x.map(f64::from)))),
                    _ => Arc::new(Float32Array::from_iter(numbers())),
                }
            }
            Values::Days(cells) => {
                let ticks = |per_day: i64| cells.iter().map(move |x| x.map(|x| i64::from(x) * per_day));
                match how % 5 {
                    0 => Arc::new(Date32Array::from(cells.clone())),
                    1 => Arc::new(Date64Array::from_iter(ticks(86_400_000))),
                    2 => Arc::new(TimestampSecondArray::from_iter(ticks(86_400))),
                    3 => Arc::new(TimestampMicrosecondArray::from_iter(ticks(86_400_000_000))),
                    _ => Arc::new(TimestampNanosecondArray::from_iter(ticks(86_400_000_000_000))),
                }
            }
        }
    }

    /// Returns the expected feature of a cell, as id and value; `None` if the value is 0.
    fn pair(&self, name: &str, category: bool, row: usize) -> Option<(u64, f64)> {
        let number = |x: f64| match category {
            true => (text_id(name, &(x + 0.0).to_string()), 1.0),
            false => (number_id(name), x),
        };
        let pair = match self {
            Values::Flags(cells) => cells[row].map(|x| number(f64::from(x))),
            Values::Whole(cells) => cells[row].map(|x| number(f64::from(x))),
            Values::Quarters(cells) => cells[row].map(|x| number(f64::from(x) / 4.0)),
            Values::Words(cells) => cells[row].map(|word| (text_id(name, WORDS[word]), 1.0)),
            Values::Days(cells) => cells[row].map(|day| (text_id(name, &date(day)), 1.0)),
        };
        Some(pair.unwrap_or((missing_id(name), 1.0))).filter(|pair| pair.1 != 0.0)
    }
}

/// Returns the date `day` days after 1970-01-01 as text, computed independently of the reader, year by year.
fn date(day: i32) -> String {
    let is_leap = |year: i32| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let (mut year, mut left) = (1970, day);
    while left < 0 {
        year -= 1;
        left += 365 + i32::from(is_leap(year));
    }
    while left >= 365 + i32::from(is_leap(year)) {
        left -= 365 + i32::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + i32::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    format!("{year:04}-{:02}-{:02}", month + 1, left + 1)
}

fn names(columns: &[Column], category: bool) -> Vec<String> {
    (0..columns.len()).filter(|&n| columns[n].1 == category).map(|n| format!("c{n}")).collect()
}

/// Returns reader options that state what column types leave open: the categorical columns and, if `numeric`, the
/// numeric ones.
fn options(columns: &[Column], numeric: bool) -> Options {
    let table = TableSchema { missing: Missing::Indicator, ..TableSchema::default() };
    let numeric = if numeric { names(columns, false) } else { Vec::new() };
    let (label, categorical) = (Some("y".to_owned()), names(columns, true));
    Options {
        reading: Schema { table, ..Schema::default() },
        wanted: ColumnSelection { label, categorical, numeric, ..ColumnSelection::default() },
        classes: true,
        ..Options::default()
    }
}

/// Returns the reader options for a model trained with the given options.
fn model(options: &Options) -> Options {
    let found = Arc::new(Inferred::of_model(&options.reading(), &FeatureNames::default()));
    Options { reading: options.reading(), found, classes: true, ..Options::default() }
}

fn rows(bytes: &[u8], of: &str, options: &Options) -> Vec<Row> {
    let options = Options { format: format(of), ..options.clone() };
    let (rows, errors) = all(&mut Reader::with_reader("f", Cursor::new(bytes.to_vec()), options).unwrap());
    assert!(errors.is_empty(), "{errors:?}");
    let sorted = |mut row: Row, n| {
        row.2.sort_by_key(|pair| pair.0);
        (n, row.1, row.2)
    };
    (0..).zip(rows).map(|(n, row)| sorted(row, n)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_table_gives_the_same_rows(
        labels in prop::collection::vec(any::<bool>(), ROWS),
        columns in prop::collection::vec(any_column(), 1..5),
        how in prop::collection::vec(0..105usize, 6),
    ) {
        let labels = Values::Flags(labels.into_iter().map(Some).collect());
        let expected: Vec<Row> = (0..ROWS).map(|row| {
            let Values::Flags(labels) = &labels else { unreachable!() };
            let pairs = (0..).zip(&columns).filter_map(|(n, (values, category))| values.pair(&format!("c{n}"), *category, row));
            let mut pairs: Vec<_> = pairs.collect();
            pairs.sort_by_key(|pair| pair.0);
            (row as u64, labels[row].map(f64::from), pairs)
        }).collect();
        let all = || std::iter::once(&labels).chain(columns.iter().map(|column| &column.0));
        let mut csv = (0..columns.len()).fold("y".to_owned(), |names, n| format!("{names},c{n}"));
        for row in 0..ROWS {
            // One spelling a row, as where files of several programs were joined.
            let cells: Vec<_> = all().zip(&how).map(|(values, how)| values.csv(row, how + row)).collect();
            csv = format!("{csv}\n{}", cells.join(","));
        }
        let table = |as_text: bool| {
            let arrays = (0..).zip(all()).zip(&how);
            let arrays: Vec<_> = arrays.map(|((n, values), how)| {
                let name = if n == 0 { "y".to_owned() } else { format!("c{}", n - 1) };
                (name, values.array(*how, as_text))
            }).collect();
            batch(&arrays.iter().map(|(name, array)| (name.as_str(), array.clone())).collect::<Vec<_>>())
        };
        let (typed, texts) = (table(false), table(true));
        let files = [
            (csv.into_bytes(), "csv", false),
            (parquet(&typed), "parquet", false),
            (arrow_file(&typed, 5), "arrow", false),
            // That these texts are numbers is said, or a model knows it.
            (parquet(&texts), "parquet", true),
            (arrow_file(&texts, 12), "arrow", true),
        ];
        for (bytes, of, numeric) in &files {
            let first = options(&columns, *numeric);
            prop_assert_eq!(&rows(bytes, of, &first), &expected, "{}", of);
            for (bytes, of_other, _) in &files {
                prop_assert_eq!(&rows(bytes, of_other, &model(&first)), &expected, "{} after {}", of_other, of);
            }
        }
    }
}

#[test]
fn times_are_counted_in_seconds_and_days() {
    let of = |array: ArrayRef| {
        let mut options = super::twin::options(false);
        options.wanted.numeric = vec!["t".to_owned()];
        let label = Arc::new(Float64Array::from(vec![1.0])) as ArrayRef;
        rows(&parquet(&batch(&[("y", label), ("t", array)])), "parquet", &options)[0].2[0].1
    };
    let millis = 1_580_428_800_500_i64;
    assert_eq!(of(Arc::new(TimestampMillisecondArray::from(vec![millis]))), 1_580_428_800.5);
    assert_eq!(of(Arc::new(TimestampMicrosecondArray::from(vec![millis * 1000]))), 1_580_428_800.5);
    assert_eq!(of(Arc::new(TimestampNanosecondArray::from(vec![millis * 1_000_000]))), 1_580_428_800.5);
    assert_eq!(of(Arc::new(Date64Array::from(vec![86_400_000 * 3]))), 3.0);
    assert_eq!(of(Arc::new(Date32Array::from(vec![3]))), 3.0);
}

#[test]
fn booleans_among_other_words_are_words() {
    let texts = |cells: [&str; 4]| Arc::new(StringArray::from(cells.to_vec())) as ArrayRef;
    for (cells, is_text) in [
        (["true", "false", "half-true", "true"], true),
        (["half-true", "false", "true", "true"], true),
        (["true", "false", "True", "FALSE"], false),
    ] {
        let x = Arc::new(Float64Array::from(vec![1.0; 4])) as ArrayRef;
        let csv = cells.iter().fold("y,x".to_owned(), |csv, cell| format!("{csv}\n{cell},1"));
        for (bytes, of) in [(csv.into_bytes(), "csv"), (parquet(&batch(&[("y", texts(cells)), ("x", x)])), "parquet")] {
            let options = Options { classes: true, ..super::twin::options(false) };
            let rows = rows(&bytes, of, &options);
            assert_eq!((rows.len(), options.found.has_text_labels()), (4, is_text), "{cells:?} {of}");
            assert_eq!(rows[0].1 == Some(1.0) && rows[3].1 == Some(0.0), !is_text);
        }
    }
}
