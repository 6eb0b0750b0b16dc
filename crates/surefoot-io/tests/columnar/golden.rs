//! Tests on Parquet and Arrow files that were written by pyarrow: see `tests/data/columnar/make.py`.

use super::twin::{all, options};
use surefoot_glm::Batch;
use surefoot_io::{ColumnSelection, InputName, Options, Reader, RowSource};

fn path(name: &str) -> InputName {
    InputName::new(format!("{}/tests/data/columnar/{name}", env!("CARGO_MANIFEST_DIR")))
}

/// Reads a test file; returns the label of each row and its pairs of feature name and value, sorted by name.
fn named(file: &str, options: &Options) -> Vec<(f64, Vec<(String, f64)>)> {
    let mut reader = Reader::open(&[path(file)], options.clone()).unwrap();
    let (mut rows, mut batch) = (Vec::new(), Batch::default());
    while reader.read(&mut batch).unwrap() {
        for row in (0..batch.len()).map(|r| batch.row(r)) {
            let names = options.found.names(row.index);
            let name = |id: &u64| names.of(*id).expect("names are kept").to_owned();
            let mut pairs: Vec<_> = row.index.iter().map(name).zip(row.value.iter().copied()).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            rows.push((row.label.unwrap(), pairs));
        }
    }
    rows
}

/// Expected values in the four rows written by make.py, by feature name; `None` where a row does not have the feature.
const TYPES: &[(&str, [Option<f64>; 4])] = &[
    ("b", [Some(1.0), None, None, Some(1.0)]),
    ("b=", [None, None, Some(1.0), None]),
    ("i8", [Some(-128.0), Some(127.0), None, None]),
    ("i8=", [None, None, None, Some(1.0)]),
    ("i16", [Some(-32768.0), Some(32767.0), None, Some(1.0)]),
    ("i32", [Some(-2147483648.0), Some(2147483647.0), None, Some(1.0)]),
    ("i64", [Some(-9007199254740992.0), Some(9007199254740992.0), None, Some(1.0)]),
    ("u8", [None, Some(255.0), Some(1.0), Some(2.0)]),
    ("u16", [None, Some(65535.0), Some(1.0), Some(2.0)]),
    ("u32", [None, Some(4294967295.0), Some(1.0), Some(2.0)]),
    ("u64", [None, Some(18446744073709551615.0), Some(1.0), Some(2.0)]),
    ("f16", [Some(0.5), Some(-2.0), Some(65504.0), None]),
    ("f16=", [None, None, None, Some(1.0)]),
    ("f32", [Some(0.1f32 as f64), Some(-2.5), None, Some(1e30f32 as f64)]),
    ("f32=", [None, None, Some(1.0), None]),
    ("f64", [Some(0.1), Some(-2.5), None, Some(1e300)]),
    ("f64=", [None, None, Some(1.0), None]),
    ("dec", [Some(1.1), Some(-0.07), None, Some(12345678.99)]),
    ("dec=", [None, None, Some(1.0), None]),
    ("big", [Some(123456789012345678901234567890.12345), Some(0.1), None, Some(-1.0)]),
    ("big=", [None, None, Some(1.0), None]),
    ("s=red", [Some(1.0), None, None, None]),
    ("s=green", [None, Some(1.0), None, None]),
    // An empty text is a missing cell, as it is where all cells are text.
    ("s=", [None, None, Some(1.0), Some(1.0)]),
    ("ls=a\\x3Db", [Some(1.0), None, None, None]),
    ("ls=c\\x2Ad", [None, Some(1.0), None, None]),
    ("ls=e\\x5Ef", [None, None, Some(1.0), None]),
    ("ls=g\\x5Ch", [None, None, None, Some(1.0)]),
    ("bin=red", [Some(1.0), None, None, None]),
    ("bin=\\xFF", [None, Some(1.0), None, None]),
    ("bin=", [None, None, Some(1.0), Some(1.0)]),
    ("d=x", [Some(1.0), None, Some(1.0), None]),
    ("d=y", [None, Some(1.0), None, None]),
    ("d=", [None, None, None, Some(1.0)]),
    ("l[0]", [Some(1.0), None, Some(4.0), None]),
    ("l[1]", [Some(2.0), None, None, None]),
    ("l[1]=", [None, None, Some(1.0), None]),
    ("l[2]", [Some(3.0), None, Some(6.0), Some(7.0)]),
    ("l=", [None, Some(1.0), None, None]),
    ("fl[0]", [Some(1.0), Some(3.0), None, Some(5.0)]),
    ("fl[1]", [Some(2.0), Some(4.0), None, Some(6.0)]),
    ("fl=", [None, None, Some(1.0), None]),
    ("ts", [Some(1.0), Some(1709164800.0), None, Some(-86400.0)]),
    ("ts=", [None, None, Some(1.0), None]),
    ("day", [Some(1.0), Some(19782.0), None, Some(-1.0)]),
    ("day=", [None, None, Some(1.0), None]),
    ("t", [Some(1.0), Some(43200.0), None, None]),
    ("t=", [None, None, Some(1.0), None]),
    ("dur", [Some(1.0), None, None, Some(-86400.0)]),
    ("dur=", [None, None, Some(1.0), None]),
];

#[test]
fn all_types_are_read() {
    let numeric = ["l", "fl", "ts", "day", "t", "dur"].map(str::to_owned).to_vec();
    for file in ["types.parquet", "types.arrow"] {
        let mut options = options(true);
        options.wanted = ColumnSelection { numeric: numeric.clone(), ignore: vec!["st".to_owned()], ..options.wanted };
        let rows = named(file, &options);
        assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), [1.0, 0.0, 1.0, 0.0], "{file}");
        for (r, (_, pairs)) in rows.iter().enumerate() {
            let mut expected: Vec<_> =
                TYPES.iter().filter_map(|(name, cells)| Some(((*name).to_owned(), cells[r]?))).collect();
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(*pairs, expected, "row {} of {file}", r + 1);
        }
        let missing = options.found.missing();
        assert_eq!((missing["l"], missing["fl"], missing["s"], missing.get("i16")), (2, 1, 2, None), "{file}");
        let notes = options.found.notes();
        let has = |words: &str| notes.iter().any(|note| note.contains(file) && note.contains(words));
        assert!(has("row 2, column 'i64': a whole number beyond 2^53"), "{notes:?}");
        assert!(has("row 2, column 'u64': a whole number beyond 2^53"), "{notes:?}");
        assert!(has("column 'ts' is used as a number: seconds since 1970 in UTC"), "{notes:?}");
        assert!(has("column 'day' is used as a number: days since 1970"), "{notes:?}");
        assert!(has("column 't' is used as a number: seconds since midnight"), "{notes:?}");
        assert!(has("column 'dur' is used as a number: seconds"), "{notes:?}");
        assert_eq!(notes.len(), 6, "{notes:?}");
    }
}

#[test]
fn all_compressions_are_read() {
    let expected = named("types.arrows", &options(true));
    assert_eq!(expected.len(), 4);
    assert_eq!(expected[0].1, [("f64".to_owned(), 0.1), ("s=red".to_owned(), 1.0)]);
    for codec in ["gzip", "brotli", "zstd", "lz4"] {
        assert_eq!(named(&format!("{codec}.parquet"), &options(true)), expected, "{codec}");
    }
}

#[test]
fn numbers_and_times_may_be_categories() {
    let mut options = options(true);
    let categorical = ["i64", "u64", "b", "dec", "i8", "f16", "f32", "f64", "ts", "day"].map(str::to_owned).to_vec();
    let ignore = ["l", "fl", "t", "dur", "st"].map(str::to_owned).to_vec();
    options.wanted = ColumnSelection { categorical, ignore, ..options.wanted };
    let rows = named("types.parquet", &options);
    let has = |row: usize, name: &str| rows[row].1.iter().any(|pair| pair == &(name.to_owned(), 1.0));
    for (row, name) in [
        (1, "i64=9007199254740993"),
        (1, "u64=18446744073709551615"),
        (0, "b=1"),
        (1, "b=0"),
        (2, "b="),
        (0, "dec=1.10"),
        (1, "dec=-0.07"),
        (0, "i8=-128"),
        (2, "i8=0"),
        (1, "f16=-2"),
        (0, "f32=0.1"),
        (1, "f32=-2.5"),
        (2, "f32="),
        (0, "f64=0.1"),
        (0, "ts=1970-01-01 00:00:01+00:00"),
        (1, "ts=2024-02-29 00:00:00+00:00"),
        (0, "day=1970-01-02"),
        (1, "day=2024-02-29"),
    ] {
        assert!(has(row, name), "{name} in row {}: {:?}", row + 1, rows[row]);
    }
    assert!(options.found.notes().is_empty());
}

#[test]
fn types_that_cannot_be_used_are_named_with_the_flag_that_helps() {
    let (_, errors) = all(&mut Reader::open(&[path("types.parquet")], options(true)).unwrap());
    let message = errors[0].1.to_string();
    assert!(message.ends_with(
        "types.parquet: column 'l' (list of float32) holds lists; --numeric l makes each of their numbers a feature, \
         --ignore l passes over it"
    ), "{message}");
}
