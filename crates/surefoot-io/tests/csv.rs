//! Tests of the CSV reader: accepted texts and their rows, refused texts and their messages, and the locations of
//! errors.

mod common;

use std::collections::BTreeMap;

use common::{Pieces, plain, reader, rows};
use proptest::prelude::*;
use surefoot_glm::{Batch, Missing, Part, Quote, Role};
use surefoot_io::{
    ColumnSelection, Error, ErrorKind, Format, Inferred, InputName, Location, Options, Reader, RowSource,
};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Builds options for CSV with a label column `y`, modified by `change`.
fn options(change: impl FnOnce(&mut Options)) -> Options {
    let wanted = ColumnSelection { label: Some("y".into()), ..ColumnSelection::default() };
    let mut options = Options { format: Format::named("csv"), wanted, ..Options::default() };
    change(&mut options);
    options
}

fn indicator(options: &mut Options) {
    options.reading.table.missing = Missing::Indicator;
}

fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Row with feature names instead of ids: line number, label, and value by feature name.
type Named = (u64, Option<f64>, BTreeMap<String, f64>);

fn named(source: &mut impl RowSource, options: &Options) -> (Vec<Named>, Vec<(usize, Error)>) {
    let (rows, errors) = rows(source);
    let row = |(_, line, label, pairs): common::Plain| {
        let names = options.found.names(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
        let name = |id| names.of(id).unwrap_or("?").to_owned();
        (line, label, pairs.into_iter().map(|(id, value)| (name(id), value)).collect())
    };
    (rows.into_iter().map(row).collect(), errors)
}

/// Reads a text and returns its first error; panics if there is none.
fn error(text: impl AsRef<[u8]>, options: impl Into<Options>) -> Error {
    rows(&mut reader(text, options)).1.into_iter().next().expect("an error").1
}

fn pairs(expected: &[(&str, f64)]) -> BTreeMap<String, f64> {
    expected.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

type Change = fn(&mut Options);
const PLAIN: Change = |_| {};

#[test]
fn rows_are_read() {
    // Text, options, and per row: line, label, named values.
    type Row<'a> = (u64, Option<f64>, &'a [(&'a str, f64)]);
    let cases: &[(&str, Change, &[Row<'_>])] = &[
        ("", PLAIN, &[]),
        ("\n\n", PLAIN, &[]),
        ("y,x\n", PLAIN, &[]),
        ("y,x", PLAIN, &[]),
        ("y,x\n1,2\n", PLAIN, &[(2, Some(1.0), &[("x", 2.0)])]),
        ("y,x\n1,2", PLAIN, &[(2, Some(1.0), &[("x", 2.0)])]),
        (
            "\u{feff}y,x\r\n\r\n1,-.5\r\n\n  \n0, 1e3 \r\n",
            PLAIN,
            &[(3, Some(1.0), &[("x", -0.5)]), (6, Some(0.0), &[("x", 1000.0)])],
        ),
        ("\"y\",\"a,b\",\"c\"\"d\"\n1,\"2\",\"3\"\n", PLAIN, &[(2, Some(1.0), &[("a,b", 2.0), ("c\"d", 3.0)])]),
        (
            "y,c,x\n1,\"two\r\nlines, \"\"q\"\"\",1\n0,a\"b,2\n",
            PLAIN,
            &[
                (2, Some(1.0), &[("c=two\\x0D\\x0Alines, \"q\"", 1.0), ("x", 1.0)]),
                (4, Some(0.0), &[("c=a\"b", 1.0), ("x", 2.0)]),
            ],
        ),
        (
            "y,c\n1,\n0,\" a\"\n1, a\n",
            indicator,
            &[(2, Some(1.0), &[("c=", 1.0)]), (3, Some(0.0), &[("c=a", 1.0)]), (4, Some(1.0), &[("c=a", 1.0)])],
        ),
        // Zeros leave nothing; a number may be long, or not the shortest.
        (
            "a,y,b\n0,1,-0.0\n+1,0,12345678901234567890.5\n0001.500,1,1E-2\n",
            PLAIN,
            &[
                (2, Some(1.0), &[]),
                (3, Some(0.0), &[("a", 1.0), ("b", 12_345_678_901_234_567_890.5)]),
                (4, Some(1.0), &[("a", 1.5), ("b", 0.01)]),
            ],
        ),
        // Without names.
        (
            "1,5,a\n0,6,b\n",
            |o| o.wanted.label = Some("1".into()),
            &[(1, Some(1.0), &[("2", 5.0), ("3=a", 1.0)]), (2, Some(0.0), &[("2", 6.0), ("3=b", 1.0)])],
        ),
        ("5,6,1\n", |o| o.wanted.label = Some("3".into()), &[(1, Some(1.0), &[("1", 5.0), ("2", 6.0)])]),
        ("x,y\n5,1\n", |o| o.wanted.label = Some("2".into()), &[(2, Some(1.0), &[("x", 5.0)])]),
        // A name wins over a number.
        (
            "2,1,z\n5,1,q\n",
            |o| {
                o.wanted.label = Some("1".into());
                o.wanted.header = Some(true);
            },
            &[(2, Some(1.0), &[("2", 5.0), ("z=q", 1.0)])],
        ),
        (
            "y,k,n,i\n1,7,8,9\n",
            |o| {
                o.wanted.categorical = list(&["k"]);
                o.wanted.numeric = list(&["3"]);
                o.wanted.ignore = list(&["i"]);
            },
            &[(2, Some(1.0), &[("k=7", 1.0), ("n", 8.0)])],
        ),
        (
            "y;x\n1;2,5\n",
            |o| {
                o.reading.table.delimiter = Some(';');
                o.wanted.categorical = list(&["x"]);
            },
            &[(2, Some(1.0), &[("x=2,5", 1.0)])],
        ),
        // A nameless column may be left out.
        (",y,x\n7,1,2\n", |o| o.wanted.ignore = list(&["1"]), &[(2, Some(1.0), &[("x", 2.0)])]),
        ("y,a^b\n1,u=v\n", PLAIN, &[(2, Some(1.0), &[("a\\x5Eb=u\\x3Dv", 1.0)])]),
        (
            "y,a,b,c\n1,2,u,3\n0,0,v,1\n",
            |o| o.reading.interact = vec![("a".into(), "b".into())],
            &[
                (2, Some(1.0), &[("a", 2.0), ("b=u", 1.0), ("a*b=u", 2.0), ("c", 3.0)]),
                (3, Some(0.0), &[("b=v", 1.0), ("c", 1.0)]),
            ],
        ),
        (
            "y,a,b\n1,,u\n",
            |o| {
                indicator(o);
                o.reading.interact = vec![("a".into(), "b".into())];
            },
            &[(2, Some(1.0), &[("a=", 1.0), ("b=u", 1.0), ("a=*b=u", 1.0)])],
        ),
        // The label may be missing where none is wanted.
        ("y,x\n,2\nspam,3\n", |o| o.unlabelled = true, &[(2, None, &[("x", 2.0)]), (3, None, &[("x", 3.0)])]),
        (
            "x\n2\n",
            |o| {
                o.unlabelled = true;
                o.wanted.label = None;
                o.wanted.header = Some(true);
            },
            &[(2, None, &[("x", 2.0)])],
        ),
    ];
    for (text, change, expected) in cases {
        let options = options(change);
        let (found, errors) = named(&mut reader(text, options.clone()), &options);
        assert!(errors.is_empty(), "{text:?}: {errors:?}");
        let expected: Vec<Named> = expected.iter().map(|row| (row.0, row.1, pairs(row.2))).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn faults_are_where_they_are() {
    let wide = format!("y,{}\n", (0..2000).map(|n| format!("column{n}")).collect::<Vec<_>>().join(","));
    let long = format!("y,x\n1,{}\n", "9x".repeat(5000));
    // Text, options, line, column, token, and parts of what is said.
    type Case<'a> = (&'a str, Change, u64, u64, &'a str, &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        ("y,x,x,z\n0,0,0,0\n", PLAIN, 1, 5, "x", &["the name stands at columns 2 and 3"]),
        (
            "y,x1,x2\n1,1,10\n0,2,\n",
            PLAIN,
            3,
            5,
            "",
            &["column 3 ('x2') is empty here", "--missing indicator", "--ignore x2"],
        ),
        ("y,x1\n1,1\n1,NA\n", PLAIN, 3, 3, "NA", &["column 2 ('x1') is missing here", "--missing indicator"]),
        ("y,c\n1,a\n1,\"\"\n", PLAIN, 3, 3, "", &["column 2 ('c') is empty here"]),
        (
            "y,x\n1,1\n1,?\n",
            indicator,
            3,
            3,
            "?",
            &["column 2 ('x') is not a number", "missing value is suspected", "--na"],
        ),
        ("y,a,b,c\n1,1,2,3\n0,1,2\n", PLAIN, 3, 1, "0,1,2", &["expected 4 fields, found 3"]),
        ("y,a,b,c\n1,1,2,3\n0,1,2,3,4\n", PLAIN, 3, 1, "0,1,2,3,4", &["expected 4 fields, found 5"]),
        (
            "y,x\n1,\"1,234.5\"\n0,\"2,000\"\n1,12\n",
            PLAIN,
            2,
            3,
            "1,234.5",
            &["column 2 ('x') is not a number", "thousands separator"],
        ),
        ("y,x\n1,\"1,234.5\"\n", PLAIN, 2, 3, "1,234.5", &["thousands separator"]),
        (
            "y;x\n1;1.234,5\n0;2.000\n1;12\n",
            |o| o.reading.table.delimiter = Some(';'),
            2,
            3,
            "1.234,5",
            &["decimal comma"],
        ),
        ("y,x\n1,5%\n", PLAIN, 2, 3, "5%", &["a unit is suspected"]),
        ("y,c\n1,5\n0,n.a.\n", PLAIN, 3, 3, "n.a.", &["column 2 ('c') is not a number", "--na"]),
        ("y,c\n1,5\n0,red\n", PLAIN, 3, 3, "red", &["is not a number", "--categorical c", "--ignore c"]),
        ("y,c\n1,red\n0,5\n", PLAIN, 2, 3, "red", &["is not a number"]),
        (
            "y,d d\n1,2011-01-01\n",
            PLAIN,
            2,
            3,
            "2011-01-01",
            &["column 2 ('d d') holds dates", "--ignore 2", "--categorical 2"],
        ),
        ("y,d\n1,3\n1,2011-01-01\n", PLAIN, 3, 3, "2011-01-01", &["is not a number", "a date is suspected"]),
        ("y,x\n1,inf\n", |o| o.wanted.numeric = list(&["x"]), 2, 3, "inf", &["is no finite number"]),
        ("y,x\n1,1e999\n0,1\n", PLAIN, 2, 3, "1e999", &["too large"]),
        (
            "y,w,x\n1,1,0.5\n0,-2,0.25\n",
            |o| o.wanted.weight = Some("w".into()),
            3,
            3,
            "-2",
            &["column 2 ('w'): a weight must be 0 or more"],
        ),
        (
            "y,w,x\n1,nan,0.5\n",
            |o| o.wanted.weight = Some("w".into()),
            2,
            3,
            "nan",
            &["a weight must be a finite number"],
        ),
        ("y,w,x\n1,,0.5\n", |o| o.wanted.weight = Some("w".into()), 2, 3, "", &["the weight is missing"]),
        ("y,w,x\n1,x,0.5\n", |o| o.wanted.weight = Some("w".into()), 2, 3, "x", &["a weight must be a finite number"]),
        ("y,x\n1,2\n,2\n", PLAIN, 3, 1, "", &["column 1 ('y'): the label is missing"]),
        ("y,x\n1,2\nNA,2\n", |o| o.classes = true, 3, 1, "NA", &["the label is missing"]),
        ("y,x\nyes,2\n", PLAIN, 2, 1, "yes", &["the label is not a number", "--loss logistic"]),
        ("y,x\n1,2\nyes,2\n", |o| o.classes = true, 3, 1, "yes", &["the label is not a number as those before"]),
        ("y,x\nyes,2\n1,2\n", |o| o.classes = true, 3, 1, "1", &["the label is a number, but those before are text"]),
        ("y,x\n1e999,2\n", PLAIN, 2, 1, "1e999", &["the label is not a finite number"]),
        ("a,b\n1,2\n", |o| o.wanted.label = None, 1, 1, "a,b", &["--label COL", "a, b"]),
        ("a,b\n1,2\n", PLAIN, 1, 1, "a,b", &["--label: there is no column 'y'", "a, b"]),
        (
            &wide,
            |o| o.wanted.label = Some("q".into()),
            1,
            1,
            &format!("{}...", &wide[..77]),
            &["no column 'q'", "(2001 columns)"],
        ),
        ("y,x\n1,2\n", |o| o.wanted.ignore = list(&["3"]), 1, 1, "y,x", &["--ignore: there is no column '3'"]),
        ("y,x\n1,2\n", |o| o.wanted.ignore = list(&["y"]), 1, 1, "y,x", &["--ignore: column 1 ('y') has another use"]),
        (
            "y,x\n1,2\n",
            |o| o.reading.interact = vec![("x".into(), "q".into())],
            1,
            1,
            "y,x",
            &["--interact: 'q' is no column"],
        ),
        (
            "y,x\n1,2\n",
            |o| o.reading.interact = vec![("x".into(), "y".into())],
            1,
            1,
            "y,x",
            &["--interact: 'y' is no feature"],
        ),
        ("y,,x\n1,2,3\n", PLAIN, 1, 1, "y,,x", &["column 2 has no name", "--ignore 2"]),
        ("a,b\n", |o| o.wanted.label = Some("1".into()), 1, 1, "a,b", &["--header yes or --header no"]),
        (
            "y,c\n1,a\n\n0,\"open\nand so on\n1,b\n",
            PLAIN,
            4,
            3,
            "\"open",
            &["the quote that opens here is never closed"],
        ),
        ("y,c\n1,\"a\"b\n", PLAIN, 2, 3, "\"a\"b", &["behind the closing quote"]),
        ("\u{feff}y,c\n1,\"a\nb\",\n", PLAIN, 2, 1, "1,\"a\\x0Ab\",", &["expected 2 fields, found 3"]),
        ("y,c,x\n1,\"a\nb\",1\n1,\"a\nb\",z\n", PLAIN, 5, 4, "z", &["column 3 ('x') is not a number"]),
        ("y,x\n1,1\u{e9}\n1,1\n", PLAIN, 2, 3, "1\\xC3\\xA9", &["is not a number"]),
        (
            &long,
            |o| o.wanted.numeric = list(&["x"]),
            2,
            3,
            &format!("{}...", &"9x".repeat(50)[..77]),
            &["is not a number"],
        ),
        ("\u{7f}y\0,x\n1,1\n", |o| o.wanted.label = None, 1, 1, "\\x7Fy\\x00,x", &["--label COL"]),
    ];
    for (text, change, line, column, token, message) in cases {
        let error = error(text, options(change));
        let said = match error.kind() {
            ErrorKind::Row { place, message } | ErrorKind::Input { place, message } => {
                let location = Location::Text { line: *line, column: *column };
                assert_eq!((&place.location, &*place.token), (&location, *token), "{text:?}: {message}");
                message
            }
            // Its place is text, and is looked at in the message.
            ErrorKind::Asked { message, .. } => message,
            _ => panic!("{error}"),
        };
        message.iter().for_each(|message| assert!(said.contains(message), "{said}"));
        let message = error.to_string();
        assert!(message.starts_with(&format!("f.svm:{line}:{column}: '{token}': ")), "{message}");
        assert!(message.len() <= 500 && !message.contains('\n'), "{message}");
    }
    let error = error(b"\xff\xfey\0,\0", options(PLAIN));
    assert!(error.to_string().contains("UTF-16"), "{error}");
}

#[test]
fn settings_are_checked() {
    for c in ['"', '\n', 'é'] {
        let options = options(|o| o.reading.table.delimiter = Some(c));
        assert!(matches!(Reader::open(&[], options).unwrap_err().kind(), ErrorKind::Setting { .. }));
    }
}

#[test]
fn ids_are_those_of_every_format() {
    let (found, _) = rows(&mut reader("y,n,c\n1,3,v\n0,,\n", options(indicator)));
    let id = |group: &[u8], name: &[u8]| xxh3_64_with_seed(name, xxh3_64(group));
    let gap = |name: &[u8]| xxh3_64_with_seed(&xxh3_64(b"").to_le_bytes(), xxh3_64(name));
    let sorted = |pairs: &[(u64, f64)]| pairs.iter().map(|pair| (pair.0, pair.1)).collect::<BTreeMap<_, _>>();
    assert_eq!(sorted(&found[0].3), BTreeMap::from([(id(b"", b"n"), 3.0), (id(b"c", b"v"), 1.0)]));
    assert_eq!(sorted(&found[1].3), BTreeMap::from([(gap(b"n"), 1.0), (gap(b"c"), 1.0)]));
    // Hashed to few bits, those that meet add up.
    let (hashed, _) = rows(&mut reader("y,n,c\n1,3,v\n0,,\n", options(|o| o.reading.bits = Some(1))));
    assert!(hashed.is_empty() || hashed[0].3.iter().map(|pair| pair.1).sum::<f64>() == 4.0);
}

#[test]
fn missing_cells_are_counted_once() {
    let text = "y,x1,x2\n1,1,10\n0,2,\n1,3,NA\n0,4,nan\n1,5,-999\n0,6,NULL\n1,7,?\n0,8,N/A\n";
    let undeclared = options(indicator);
    let (found, errors) = rows(&mut reader(text, undeclared));
    assert_eq!((found.len(), errors.len()), (7, 1));
    assert!(errors[0].1.to_string().starts_with("f.svm:8:5: '?': "), "{}", errors[0].1);
    let declared = options(|o| {
        indicator(o);
        o.reading.table.na = list(&["?"]);
    });
    for _ in 0..2 {
        let (found, errors) = named(&mut reader(text, declared.clone()), &declared);
        assert!(errors.is_empty());
        let expected = [
            pairs(&[("x1", 1.0), ("x2", 10.0)]),
            pairs(&[("x1", 2.0), ("x2=", 1.0)]),
            pairs(&[("x1", 3.0), ("x2=", 1.0)]),
            pairs(&[("x1", 4.0), ("x2=", 1.0)]),
            pairs(&[("x1", 5.0), ("x2", -999.0)]),
        ];
        assert_eq!(found.iter().take(5).map(|row| row.2.clone()).collect::<Vec<_>>(), expected);
        assert_eq!(declared.found.missing(), BTreeMap::from([("x2".to_owned(), 6)]));
    }
}

#[test]
fn types_come_from_the_first_rows() {
    let text = |late: &[(usize, &str)], early: &str| {
        let cell = |n| late.iter().find(|cell| cell.0 == n).map_or(early, |cell| cell.1);
        (1..=20_000).fold("y,a,c\n".to_owned(), |text, n| text + &format!("{},{},{}\n", n % 2, n % 101, cell(n)))
    };
    let (found, errors) = rows(&mut reader(text(&[(15_000, "0.5")], "3"), options(PLAIN)));
    assert_eq!((found.len(), errors.len()), (20_000, 0));
    let half = xxh3_64_with_seed(b"c", xxh3_64(b""));
    assert!(found[14_999].3.contains(&(half, 0.5)));

    let late = error(text(&[(15_000, "0.5"), (19_000, "n.a.")], "3"), options(PLAIN)).to_string();
    assert!(late.starts_with("f.svm:19001:") && late.contains("'n.a.': column 3 ('c') is not a number"), "{late}");
    let late = error(text(&[(1_001, "5")], "a"), options(PLAIN)).to_string();
    assert!(late.starts_with("f.svm:1002:") && late.contains("holds no number in the first rows"), "{late}");
    let declared = options(|o| o.wanted.categorical = list(&["c"]));
    assert!(rows(&mut reader(text(&[(1_001, "5")], "a"), declared)).1.is_empty());
    // The 1000th row still counts.
    let early = error(text(&[(1_000, "5")], "a"), options(PLAIN)).to_string();
    assert!(early.starts_with("f.svm:2:5: 'a': column 3 ('c') is not a number"), "{early}");
}

#[test]
fn labels_that_are_text_are_numbered_in_their_order() {
    let text = "y,x\nyes,2\nno,1\nyes,0.5\n";
    let options = options(|o| o.classes = true);
    let (found, errors) = rows(&mut reader(text, options.clone()));
    assert!(errors.is_empty());
    assert_eq!(found.iter().map(|row| row.2).collect::<Vec<_>>(), [Some(0.0), Some(-1.0), Some(0.0)]);
    let classes = options.found.classes();
    assert_eq!(
        classes.iter().map(|class| (&*class.text, class.code)).collect::<Vec<_>>(),
        [("no", -1.0), ("yes", 0.0)]
    );
}

#[test]
fn a_table_of_a_model_is_not_guessed_again() {
    let training = options(|o| o.classes = true);
    let text = "y,a,b,c\n1,1,u,2\n0,0,v,1\n";
    let (trained, _) = rows(&mut reader(text, training.clone()));
    let reading = training.reading();
    let roles: Vec<_> = reading.table.columns.iter().map(|column| (&*column.name, column.role)).collect();
    assert_eq!(roles, [("y", Role::Label), ("a", Role::Number), ("b", Role::Category), ("c", Role::Number)]);
    assert!(reading.table.header);
    let model = |unlabelled: bool| {
        let found = Inferred::of_model(&reading, &training.found.names(&[]));
        Options {
            format: Format::named("csv"),
            reading: reading.clone(),
            unlabelled,
            classes: true,
            found: found.into(),
            ..Options::default()
        }
    };
    // Any order, no label; a number in a category is a value like any other.
    let (found, errors) = rows(&mut reader("c,a,b\n2,1,u\n1,0,v\n1,1,7\n", model(true)));
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(
        found[..2].iter().map(|row| &row.3).collect::<Vec<_>>(),
        trained.iter().map(|row| &row.3).collect::<Vec<_>>()
    );
    assert_eq!((found.len(), found[2].2), (3, None));
    let (found, _) = rows(&mut reader("c,a,b,y\n2,1,u,1\n1,0,v,0\n", model(false)));
    assert_eq!(found.iter().map(|row| row.2).collect::<Vec<_>>(), [Some(1.0), Some(0.0)]);
    let cases: &[(&str, bool, &str)] = &[
        ("a,c\n1,2\n", true, "f.svm:1:1: 'a,c': column 'b' of the model is missing; the columns here are a, c"),
        ("c,a,b,d\n2,1,u,1\n", true, "f.svm:1:7: 'd': column 4 ('d') is not a column of the model"),
        ("a,b,c\n1,u,2\n", false, "f.svm:1:1: 'a,b,c': column 'y' of the model is missing"),
        ("a,b,a,c\n", true, "f.svm:1:5: 'a': the name stands at columns 1 and 3"),
        ("a,b,c\nx,u,2\n", true, "f.svm:2:1: 'x': column 1 ('a') is not a number, as it was for the model"),
        (
            "y,a,b,c\nspam,1,u,2\n",
            false,
            "f.svm:2:1: 'spam': column 1 ('y'): the label is not a number as those before",
        ),
    ];
    for (text, unlabelled, message) in cases {
        let error = error(text, model(*unlabelled));
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn tables_without_names_go_by_place() {
    let training = options(|o| o.wanted.label = Some("2".into()));
    let (trained, _) = rows(&mut reader("5,1,u\n6,0,v\n", training.clone()));
    let reading = training.reading();
    let model = || Options {
        format: Format::named("csv"),
        reading: reading.clone(),
        unlabelled: true,
        found: Inferred::of_model(&reading, &training.found.names(&[])).into(),
        ..Options::default()
    };
    for text in ["5,1,u\n6,0,v\n", "5,u\n6,v\n"] {
        let (found, errors) = rows(&mut reader(text, model()));
        assert!(errors.is_empty(), "{errors:?}");
        let pairs = |rows: &[common::Plain]| rows.iter().map(|row| row.3.clone()).collect::<Vec<_>>();
        assert_eq!(pairs(&found), pairs(&trained));
    }
    let error = error("5,1,u,7\n", model());
    assert!(error.to_string().contains("expected 3 fields, found 4: a field that"), "{error}");
}

#[test]
fn each_file_has_its_own_header() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        InputName::Path(folder.path().join(name))
    };
    let inputs = [
        file("1.csv", "y,a,b\n1,2,u\n"),
        file("2.csv", ""),
        file("3.csv", "b,y,a\n\"v\nw\",0,3\n\nu,1,4e9"),
        file("4.csv", "a,b,y\n"),
    ];
    let options = options(|_| {});
    let mut reader = Reader::open(&inputs, options.clone()).unwrap();
    let (mut batch, mut found) = (Batch::default(), Vec::new());
    while reader.read(&mut batch).unwrap() {
        for r in 0..batch.len() {
            let label = options.describe(&inputs, &batch, r, Part::Label);
            let names = options.found.names(batch.row(r).index);
            let parts = (0..batch.row(r).index.len()).map(|i| {
                let place = options.describe(&inputs, &batch, r, Part::Pair(i));
                (names.of(batch.row(r).index[i]).unwrap().to_owned(), (place.location, place.token))
            });
            let parts: BTreeMap<_, _> = parts.collect();
            found.push((plain(&batch)[r].1, (label.location, label.token), parts));
        }
    }
    let at = |line, column, token: &str| (Location::Text { line, column }, token.to_owned());
    let parts =
        |parts: [(&str, (Location, String)); 2]| parts.map(|(name, at)| (name.to_owned(), at)).into_iter().collect();
    assert_eq!(
        found,
        [
            (2, at(2, 1, "1"), parts([("a", at(2, 3, "2")), ("b=u", at(2, 5, "u"))])),
            (2, at(3, 4, "0"), parts([("a", at(3, 6, "3")), ("b=v\\x0Aw", at(2, 1, "v\\x0Aw"))])),
            (5, at(5, 3, "1"), parts([("a", at(5, 5, "4e9")), ("b=u", at(5, 1, "u"))])),
        ]
    );
    let inputs = [inputs[0].clone(), file("5.csv", "y,a,q\n1,2,u\n")];
    let (_, errors) = rows(&mut Reader::open(&inputs, common_options()).unwrap());
    assert!(
        errors[0].1.to_string().contains("5.csv:1:1: 'y,a,q': column 'b' of the first file is missing"),
        "{errors:?}"
    );
}

/// Tests that the features of a row are in the column order of the first file, whatever the column order of a later
/// file: the order determines the rounding of sums over the row.
#[test]
fn pairs_stand_in_the_order_of_the_columns() {
    let options = options(indicator);
    let names = |text: &str| {
        let mut reader = Reader::with_reader("f", std::io::Cursor::new(text.to_owned()), options.clone()).unwrap();
        let mut batch = Batch::default();
        assert!(reader.read(&mut batch).unwrap());
        let names = options.found.names(&batch.index);
        batch.index.iter().map(|&id| names.of(id).unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    let columns = "z,y,c,b,a,d,e";
    assert_eq!(names(&format!("{columns}\n1,1,u,2,3,v,4\n")), "z c=u b a d=v e");
    assert_eq!(names(&format!("{columns}\n1,1,,2,,v,0\n")), "z c= b a= d=v");
    assert_eq!(names("e,d,c,b,a,z,y\n1,u,v,2,3,4,1\n"), "z c=v b a d=u e");
}

fn common_options() -> Options {
    options(|_| {})
}

#[test]
fn weights_are_described_and_read() {
    let options = options(|o| o.wanted.weight = Some("w".into()));
    let mut reader = reader("y,w,x\n1,2.5,3\n0,0,4\n", options.clone());
    let mut batch = Batch::default();
    let mut weights = Vec::new();
    while reader.read(&mut batch).unwrap() {
        weights.extend(batch.weight.iter().copied());
        let place = options.describe(&[], &batch, 0, Part::Weight);
        assert_eq!((place.location, &*place.token), (Location::Text { line: 2, column: 3 }, "2.5"));
    }
    assert_eq!(weights, [2.5, 0.0]);
}

#[test]
fn rows_around_a_fault_are_delivered() {
    let text = "y,x,c\n1,1,\"a\n\"\n2,z,a\n3,1\n4,1,b\n\n5,1,\"b\"x\n6,1,\"a,\"\"\"\n7,z,b";
    for size in [1, 2, 5, 100] {
        let pieces = Pieces::new(text.as_bytes(), &[size]);
        let options = options(|o| o.wanted.numeric = list(&["x"]));
        let (rows, errors) = rows(&mut Reader::with_reader("f.csv", pieces, options).unwrap());
        let found: Vec<_> = rows.iter().map(|row| (row.1, row.2)).collect();
        assert_eq!(found, [(2, Some(1.0)), (6, Some(4.0)), (9, Some(6.0))]);
        let errors: Vec<_> = errors.iter().map(|(before, error)| (*before, error.to_string())).collect();
        let starts = ["f.csv:4:3: ", "f.csv:5:1: ", "f.csv:8:5: ", "f.csv:10:3: "];
        assert_eq!(errors.iter().map(|error| error.0).collect::<Vec<_>>(), [1, 1, 2, 3]);
        errors.iter().zip(starts).for_each(|(error, start)| assert!(error.1.starts_with(start), "{}", error.1));
    }
}

#[test]
fn nothing_follows_what_cannot_be_told() {
    for text in ["y,y\n1,2\n3,4\n", "y,x\n1,\"2\n3,4\n"] {
        let (rows, errors) = rows(&mut reader(text, options(|_| {})));
        assert_eq!((rows.len(), errors.len()), (0, 1));
        assert!(!errors[0].1.is_row());
    }
}

#[test]
fn with_columns_known_rows_do_not_wait() {
    let (from, mut to) = std::io::pipe().unwrap();
    let declared = options(|o| o.wanted.numeric = list(&["x"]));
    let mut source = Reader::with_reader("pipe", from, declared).unwrap();
    let mut batch = Batch::default();
    for line in ["y,x\n1,2\n", "0,5\n"] {
        std::io::Write::write_all(&mut to, line.as_bytes()).unwrap();
        assert!(source.read(&mut batch).unwrap());
        assert_eq!(batch.len(), 1);
    }
}

#[test]
fn very_many_columns() {
    let columns = 150_000;
    let mut text = (0..columns).map(|j| format!("f{j},")).collect::<String>() + "y\n";
    for i in 0..3 {
        text += &((0..columns).map(|j| format!("{},", (i * 7 + j * 3) % 5)).collect::<String>() + "1\n");
    }
    let (found, errors) = rows(&mut reader(&text, options(PLAIN)));
    assert!(errors.is_empty());
    assert_eq!(found.iter().map(|row| row.3.len()).collect::<Vec<_>>(), [120_000; 3]);
    let cell = text.match_indices(',').nth(columns + 123_455).unwrap().0;
    text.replace_range(cell + 1..cell + 2, "x!z");
    let message = error(&text, options(PLAIN)).to_string();
    assert!(message.contains("'x!z': column 123457 ('f123456') is not a number") && message.len() <= 500, "{message}");
}

#[test]
fn a_quote_without_end_takes_bounded_memory() {
    let text = "y,c\n1,a\n1,\"".to_owned() + &"open\n".repeat(4 << 20);
    let (rows, errors) = rows(&mut reader(&text, options(|o| o.wanted.categorical = list(&["c"]))));
    assert_eq!((rows.len(), errors.len()), (1, 1));
    assert!(errors[0].1.to_string().starts_with("f.svm:3:3: '\"open': the quote that opens here is never closed"));
}

#[test]
fn formats_are_told_by_their_content() {
    let cases: &[(&str, &str)] = &[
        ("y,x\n1,2\n", "csv"),
        ("\n\"a b\",c\n", "csv"),
        ("\"a b\";\"c\"\n1;2\n", "csv"),
        ("1|2|3\n4|5|6\n", "csv"),
        ("1 | a b\n", "vw"),
        ("18.0   8  307.0 \"chevrolet\"\n15.0   8  350.0 \"buick sky\"\n", "csv"),
        ("1\n0\n", "svmlight"),
        ("1 2\n0 3:1\n", "svmlight"),
        ("y\tx\n1\t2\n", "tsv"),
        ("ham\tGo until jurong point\n", "tsv"),
        ("1\t3:0.5\n", "svmlight"),
        ("1 3:0.5 # a, b\n", "svmlight"),
        ("# made by x, y\n1 3:0.5\n", "svmlight"),
        ("1 3:1,5\n", "svmlight"),
        ("", "svmlight"),
    ];
    for (text, name) in cases {
        assert_eq!(Format::by_content(text.as_bytes()).name, *name, "{text:?}");
    }
    for (path, name) in [("a.csv.gz", "csv"), ("a.TSV", "tsv")] {
        assert_eq!(Format::by_extension(path.as_ref()).unwrap().name, name);
    }
}

/// Generates texts for categories and column names, with delimiters, quotes, line breaks and other unusual characters
/// inside.
fn any_text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec!["a", "b c", ",", "\"", "\n", "\r\n", "é", " ", "\t", "#", "=", "x\"y", "\\"]);
    // A letter in front and behind: neither empty nor a number, a date or a mark for what is missing, and no blanks that do
    // not count.
    prop::collection::vec(odd, 0..5).prop_map(|parts| format!("t{}t", parts.concat()))
}

/// Random table: number of numeric columns, names of all columns (numeric ones first), and rows of label, numbers and
/// categories.
type Made = (usize, Vec<String>, Vec<(i8, Vec<f64>, Vec<String>)>);

fn any_table() -> impl Strategy<Value = Made> {
    let number = prop_oneof![
        4 => (-99_999i64..99_999, 0..6u32).prop_map(|(n, scale)| n as f64 / 10f64.powi(scale as i32)),
        1 => Just(0.0),
        1 => any::<f64>().prop_filter("finite", |value| value.is_finite()),
    ];
    (1..4usize, 0..3usize).prop_flat_map(move |(numbers, categories)| {
        let names = prop::collection::btree_set(any_text(), numbers + categories);
        let names = names.prop_map(|names| names.into_iter().collect());
        let row =
            (-1..2i8, prop::collection::vec(number.clone(), numbers), prop::collection::vec(any_text(), categories));
        (Just(numbers), names, prop::collection::vec(row, 0..30))
    })
}

fn written((_, names, rows): &Made, style: u8) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new();
    if style & 1 == 1 {
        writer.terminator(csv::Terminator::CRLF);
    }
    if style & 2 == 2 {
        writer.quote_style(csv::QuoteStyle::Always);
    }
    let mut writer = writer.from_writer(Vec::new());
    let mut header = vec!["y".to_owned()];
    header.extend(names.iter().cloned());
    writer.write_record(&header).unwrap();
    for (label, numbers, texts) in rows {
        let number = |x: &f64| if style & 4 == 4 { format!("{x:e}") } else { x.to_string() };
        let cells = std::iter::once(label.to_string()).chain(numbers.iter().map(number)).chain(texts.iter().cloned());
        writer.write_record(cells).unwrap();
    }
    writer.into_inner().unwrap()
}

/// Returns the expected rows of a random table, with feature ids computed independently of the reader: label, and bits
/// of the value by id.
fn expected((numbers, names, rows): &Made) -> Vec<(Option<f64>, BTreeMap<u64, u64>)> {
    let id = |group: &str, name: &str| xxh3_64_with_seed(name.as_bytes(), xxh3_64(group.as_bytes()));
    let row = |(label, values, texts): &(i8, Vec<f64>, Vec<String>)| {
        let values =
            names.iter().zip(values).filter(|pair| *pair.1 != 0.0).map(|(name, x)| (id("", name), x.to_bits()));
        let texts = names[*numbers..].iter().zip(texts).map(|(name, text)| (id(name, text), 1f64.to_bits()));
        (Some(f64::from(*label)), values.chain(texts).collect())
    };
    rows.iter().map(row).collect()
}

fn found(rows: &[common::Plain]) -> Vec<(Option<f64>, BTreeMap<u64, u64>)> {
    rows.iter().map(|row| (row.2, row.3.iter().map(|pair| (pair.0, pair.1.to_bits())).collect())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_come_back_however_they_are_written_and_cut(
        table in any_table(),
        style in 0..8u8,
        sizes in prop::collection::vec(1..200usize, 1..8),
    ) {
        let text = written(&table, style);
        let pieces = Pieces::new(&text, &sizes);
        let (rows, errors) = rows(&mut Reader::with_reader("f.csv", pieces, options(|_| {})).unwrap());
        prop_assert!(errors.is_empty(), "{errors:?}");
        prop_assert_eq!(found(&rows), expected(&table));
    }

    #[test]
    fn any_bytes_give_rows_or_faults(
        bytes in prop::collection::vec(prop_oneof![
            6 => prop::sample::select(b"0123456789.-,,,,\"\"\n\n\r ;yxNA/".to_vec()),
            1 => any::<u8>(),
        ], 0..300),
        with_head: bool,
        declared in 0..8u8,
        sizes in prop::collection::vec(1..50usize, 1..5),
        bits: bool,
    ) {
        let text = [if with_head { &b"y,x,z\n"[..] } else { b"" }, &bytes].concat();
        let options = options(|o| {
            if declared & 1 == 1 { indicator(o); }
            if declared & 2 == 2 { o.wanted.label = Some("1".into()); }
            o.classes = declared & 4 == 4;
            o.reading.bits = bits.then_some(4);
        });
        let read = |sizes: &[usize]| {
            let options = Options { found: std::sync::Arc::default(), ..options.clone() };
            let mut reader = Reader::with_reader("f.csv", Pieces::new(&text, sizes), options.clone()).unwrap();
            let (mut batch, mut found) = (Batch::default(), Vec::new());
            loop {
                match reader.read(&mut batch) {
                    Ok(false) => return found,
                    Ok(true) => for r in 0..batch.len() {
                        for part in [Part::Row, Part::Label, Part::Weight, Part::Pair(0)] {
                            let place = options.describe(&[], &batch, r, part);
                            found.push(place.error("x").to_string());
                        }
                        found.push(format!("{:?}", batch.row(r)));
                    },
                    Err(error) => {
                        assert!(error.to_string().len() <= 500);
                        found.push(error.to_string());
                    }
                }
            }
        };
        prop_assert_eq!(read(&sizes), read(&[1 << 20]));
    }
}

/// Reads a text with the label in column `label`; returns the number of rows, whether the first line is a header, the
/// delimiter, and whether the decision about the header is certain.
fn shape(text: &str, label: &str, categorical: &[&str]) -> (usize, bool, u8, bool) {
    let options = options(|o| {
        o.wanted.label = Some(label.into());
        o.reading.table.missing = Missing::Indicator;
        o.reading.table.na = list(&["?"]);
        o.wanted.decimal = text.contains(';').then_some(',');
        o.wanted.categorical = list(categorical);
        o.classes = true;
    });
    let (rows, errors) = rows(&mut reader(text, options.clone()));
    assert!(errors.is_empty(), "{text}: {errors:?}");
    let head = options.found.head().unwrap();
    (rows.len(), head.is_header, head.delimiter, head.is_sure)
}

#[test]
fn the_first_line_is_told_by_those_below_it() {
    let below = |head: &str, row: &dyn Fn(usize) -> String| {
        format!("{head}\n{}", (0..40).map(|i| row(i) + "\n").collect::<String>())
    };
    let hash = |i: usize| format!("{:08x}", (i as u32 % 7).wrapping_mul(2_654_435_761));
    let clicks = |i: usize| format!("{},{},{},{},{}", i % 2, i * 7 % 13, i * 5 % 11, hash(i), hash(i * 3));
    let country = |i: usize| format!("c{i},{}.5,{}.25,{}", i % 9, i % 7, i % 2);
    let words = |i: usize| format!("{},{}", ["yes", "no"][i % 2], ["red", "green", "blue"][i % 3]);
    let cases: &[(String, &str, bool)] = &[
        // Numbers over numbers beside words of any kind.
        (below("0,10,17,4c25124b,5d350c86", &clicks), "1", false),
        (below("0,,17,4c25124b,", &clicks), "1", false),
        (below("0,?,NA,00000000,9e3779b1", &clicks), "1", false),
        (below("label,I1,I2,C1,C2", &clicks), "1", true),
        // Names that are numbers.
        (below("country,2019,2020,2021", &country), "4", true),
        (below("country,2019,2020,y", &country), "y", true),
        (below("country,2019,2020,2021", &country), "2021", true),
        (below("c,1.5,2.25,1", &country), "4", false),
        (below("0,1,2,3", &|i| format!("{}.5,{}.5,{}.5,{}", i % 5, i % 7, i % 3, i % 2)), "4", true),
        (below("2,5,1", &|i| format!("{},{},{}", i % 5, i % 7, i % 2)), "3", false),
        // Words over words: new ones over words that come again, or one of them.
        (below("answer,colour", &words), "1", true),
        (below("answer,colour", &words), "colour", true),
        (below("no,green", &words), "1", false),
        (below("a", &|i| (i % 5).to_string()), "1", true),
    ];
    for (text, label, is_header) in cases {
        let hashes: &[&str] = if text.contains("9e3779b1") { &["4-5"] } else { &[] };
        let (rows, found, _, _) = shape(text, label, hashes);
        assert_eq!((rows, found), (41 - usize::from(*is_header), *is_header), "{text}");
    }
    // Said, it is not doubted; words that never come again tell nothing, and that is said.
    let doubt = below("id,name", &|i| format!("i{i},n{}", i * i));
    assert!(!shape(&doubt, "1", &[]).3 && shape(&below("0,10,17,4c25124b,5d350c86", &clicks), "1", &["4-5"]).3);
}

#[test]
fn delimiters_are_found_where_the_first_lines_agree() {
    let cases: &[(&str, u8, usize)] = &[
        ("\"fixed acidity\";\"y\"\n9.0;1\n7,5;0\n".replace(',', ".").leak(), b';', 2),
        ("\"a b\"\t\"y\"\n9.0\t1\n", b'\t', 1),
        ("a|y\n9.0|1\n8|0\n", b'|', 2),
        ("a, y\n9.0, 1\n8, 0\n", b',', 2),
        ("a b, y\n9.0, 1\n", b',', 1),
        // Of both, the one whose cells look like one value.
        ("a;b;y\n1,5;2,5;1\n2,5;3,5;0\n", b';', 2),
        ("18.0   8   307.0\t\"y\"\n15.0   1   350.0\t\"buick sky\"\n", b' ', 1),
        ("a   y\n  9.0   1\n 8 \t 0  \n", b' ', 2),
        ("y\n1\n", b',', 1),
    ];
    for (text, delimiter, expected) in cases {
        let categorical: &[&str] = if text.starts_with('y') { &[] } else { &["1"] };
        let (rows, _, found, _) = shape(text, "y", categorical);
        assert_eq!((rows, char::from(found)), (*expected, char::from(*delimiter)), "{text}");
    }
}

#[test]
fn quotes_are_those_that_are_asked_for() {
    let none = |o: &mut Options| o.wanted.quote = Some(Quote::None);
    let single = |o: &mut Options| o.wanted.quote = Some(Quote::Mark('\''));
    type Case<'a> = (&'a str, Change, &'a [(u64, &'a str)]);
    let cases: &[Case<'_>] = &[
        ("y,c\n1,\"a\"\n0,\"\n1,\"b\" c\n", none, &[(2, "c=\"a\""), (3, "c=\""), (4, "c=\"b\" c")]),
        ("y;c\n1;\"a\n0; d\"\"e \n", none, &[(2, "c=\"a"), (3, "c=d\"\"e")]),
        ("\"y c\n1 \"a\n0 b\"\n", |o| o.wanted.quote = Some(Quote::None), &[(2, "c=\"a"), (3, "c=b\"")]),
        (
            "y,c\n1,'a, b'\n0,'it''s'\n1,\"\n0, 'c\nd' \n",
            single,
            &[(2, "c=a, b"), (3, "c=it's"), (4, "c=\""), (5, "c=c\\x0Ad")],
        ),
        // What a model remembers holds unless something else is asked for.
        ("y,c\n1,\"a\"\n", |o| o.reading.table.quote = Some(Quote::None), &[(2, "c=\"a\"")]),
        (
            "y,c\n1,\"a\"\n",
            |o| {
                o.reading.table.quote = Some(Quote::None);
                o.wanted.quote = Some(Quote::Mark('"'));
            },
            &[(2, "c=a")],
        ),
    ];
    for (text, change, expected) in cases {
        for size in [1, 3, 1 << 20] {
            let options = options(|o| {
                o.wanted.label = Some(if text.starts_with('"') { "\"y" } else { "y" }.into());
                change(o);
            });
            let (found, errors) = named(
                &mut Reader::with_reader("f.csv", Pieces::new(text.as_bytes(), &[size]), options.clone()).unwrap(),
                &options,
            );
            assert!(errors.is_empty(), "{text}: {errors:?}");
            let found: Vec<_> = found.iter().map(|row| (row.0, row.2.keys().next().unwrap().as_str())).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }
    for (quote, delimiter) in [(Quote::Mark('1'), None), (Quote::Mark('é'), None), (Quote::Mark('\''), Some('\''))] {
        let options = options(|o| (o.wanted.quote, o.wanted.delimiter) = (Some(quote), delimiter));
        assert!(matches!(Reader::open(&[], options).unwrap_err().kind(), ErrorKind::Setting { .. }));
    }
}

#[test]
fn blanks_around_cells_do_not_count() {
    let plain = "y,c,x\nno,\"red, dark\",1.5\nyes,blue,2\n";
    let blank = "y, c ,x\nno, \"red, dark\" , 1.5\n yes ,\tblue,\" 2 \"\n";
    let read = |text: &str| {
        let options = options(|o| o.classes = true);
        let (rows, errors) = rows(&mut reader(text, options.clone()));
        assert!(errors.is_empty(), "{errors:?}");
        (rows.iter().map(|row| (row.2, row.3.clone())).collect::<Vec<_>>(), options.found.classes())
    };
    assert_eq!(read(plain), read(blank));
    assert_eq!(read(plain), read("y c x\nno \"red, dark\"   1.5\n  yes blue 2 \n"));
}

#[test]
fn decimal_commas_are_read_where_they_are_said() {
    let said = |o: &mut Options| o.wanted.decimal = Some(',');
    let (found, errors) = named(&mut reader("y;x\n1;2,5\n0;-1.000\n1;3\n", options(said)), &options(said));
    let values: Vec<_> = found.iter().map(|row| row.1).collect();
    assert_eq!(values, [Some(1.0), Some(1.0)]);
    assert!(errors[0].1.to_string().contains("f.svm:3:3: '-1.000': column 2 ('x') is not a number; with --decimal ,"));
    let (found, _) = rows(&mut reader("y;x\n1;2,5\n0;-1e2\n", options(said)));
    assert_eq!(found.iter().map(|row| row.3[0].1).collect::<Vec<_>>(), [2.5, -100.0]);
}
