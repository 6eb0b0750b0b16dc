//! Tests of the reader of Vowpal Wabbit text: accepted texts and their rows, refused texts and their messages, and the
//! locations of errors.

mod common;

use std::collections::{BTreeMap, HashSet};

use common::{Pieces, rows};
use proptest::prelude::*;
use surefoot_glm::{Batch, Part, Schema};
use surefoot_io::{ErrorKind, Format, InputName, Location, Options, Reader, RowSource};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

fn vw(reading: Schema) -> Options {
    Options { format: Format::named("vw"), reading, ..Options::default() }
}

fn reader(text: &[u8], options: &Options) -> Reader {
    Reader::with_reader("f.vw", std::io::Cursor::new(text.to_vec()), options.clone()).unwrap()
}

/// Row with feature names instead of ids: label, weight, and value by feature name.
type Named = (Option<f64>, f64, BTreeMap<String, f64>);

fn named(text: &[u8], options: &Options) -> Vec<Named> {
    let mut reader = reader(text, options);
    let (mut batch, mut rows) = (Batch::default(), Vec::new());
    while reader.read(&mut batch).unwrap_or_else(|error| panic!("{}: {error}", text.escape_ascii())) {
        for row in (0..batch.len()).map(|r| batch.row(r)) {
            assert_eq!(row.index.iter().collect::<HashSet<_>>().len(), row.index.len(), "an id stands twice");
            let names = options.found.names(row.index);
            let name = |id| names.of(id).unwrap_or("nameless").to_owned();
            rows.push((
                row.label,
                row.weight,
                row.index.iter().map(|&id| name(id)).zip(row.value.iter().copied()).collect(),
            ));
        }
    }
    rows
}

fn features(text: &[u8], options: &Options) -> BTreeMap<String, f64> {
    let mut rows = named(text, options);
    assert_eq!(rows.len(), 1, "{}", text.escape_ascii());
    rows.remove(0).2
}

fn map(pairs: &[(&str, f64)]) -> BTreeMap<String, f64> {
    pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
}

/// Tests that the features of a line are those that `vw --audit` (9.11.9) prints, which writes `^` for our `=`, and ids
/// for the numbers of unnamed features.
#[test]
fn features_are_those_of_vowpal_wabbit() {
    type Case<'a> = (&'a [u8], &'a [(&'a str, f64)]);
    let cases: &[Case<'_>] = &[
        (
            b"1 1.0 0 'tag|a:2 x:3 y z:0 x|b u:v 5 |c:0.5 q :3 :4 :v",
            &[
                ("a^x", 8.0),
                ("a^y", 2.0),
                ("b^u=v", 1.0),
                ("b^5", 1.0),
                ("c^q", 0.5),
                ("c^0", 1.5),
                ("c^1", 2.0),
                ("c^=v", 1.0),
            ],
        ),
        (b"1|x a", &[("x^a", 1.0)]),
        (b"1 tag|x a", &[("x^a", 1.0)]),
        (b"| a", &[("a", 1.0)]),
        (b"  |n a", &[("n^a", 1.0)]),
        (b"1 'q|n  a  b:1e3 ", &[("n^a", 1.0), ("n^b", 1000.0)]),
        (b"1 | a:b:c b", &[("a=b:c", 1.0), ("b", 1.0)]),
        (b"1 |n d:-x e:..", &[("n^d=-x", 1.0), ("n^e=..", 1.0)]),
        (b"1 | a^b c\\x20d \xc3\xa9:2", &[("a\\x5Eb", 1.0), ("c\\x5Cx20d", 1.0), ("\u{e9}", 2.0)]),
        (b"1 |n:3|m a |  |m b|", &[("m^a", 1.0), ("m^b", 1.0)]),
        (b"1 | |n", &[]),
        (b"1 |", &[]),
        (b"1 |n\ta:2\tb\t|m\tc\t", &[("n^a", 2.0), ("n^b", 1.0), ("m^c", 1.0)]),
        (b"1 | a\x00b:2", &[("a\\x00b", 2.0)]),
        (b"1 |n b:.5 c:+3 d:5. e:-0", &[("n^b", 0.5), ("n^c", 3.0), ("n^d", 5.0)]),
        (b"1 |n:2 a:v b|n :5 c :0 :6", &[("n^a=v", 1.0), ("n^b", 2.0), ("n^0", 5.0), ("n^c", 1.0), ("n^2", 6.0)]),
        (b"1 | 007 7 +7", &[("007", 1.0), ("7", 1.0), ("+7", 1.0)]),
        (b"1 |N^x:2 a", &[("N\\x5Ex^a", 2.0)]),
        (b"1 |n:1e2 a:2e-1", &[("n^a", 20.0)]),
        (b"1 |n:0 a b:2", &[]),
        (b"1 |n:-1 a", &[("n^a", -1.0)]),
        (b"1 | caf\xe9:2 x", &[("caf\\xE9", 2.0), ("x", 1.0)]),
        (b"1 |\xff \xfe", &[("\\xFF^\\xFE", 1.0)]),
    ];
    for (line, expected) in cases {
        assert_eq!(features(line, &vw(Schema::default())), map(expected), "{}", line.escape_ascii());
    }
}

#[test]
fn labels_weights_and_tags_are_told_apart() {
    let cases: &[(&[u8], Option<f64>, f64)] = &[
        (b"1 | a", Some(1.0), 1.0),
        (b"-1.5e1 | a", Some(-15.0), 1.0),
        (b"+3 0.25 | a", Some(3.0), 0.25),
        (b"3 0 | a", Some(3.0), 0.0),
        (b"1 2 0 | a", Some(1.0), 2.0),
        (b"1 2 0.0 'tag | a", Some(1.0), 2.0),
        (b"1 2 -0 tag| a", Some(1.0), 2.0),
        (b"1 2 'tag | a", Some(1.0), 2.0),
        (b"1 tag| a", Some(1.0), 1.0),
        (b"  1  2  |n a", Some(1.0), 2.0),
        (b"\t1 2 | a", Some(1.0), 2.0),
        (b"1 ' | a", Some(1.0), 1.0),
        // The token that touches the bar is a tag, even if it is a number.
        (b"1| a", None, 1.0),
        (b"1 2| a", Some(1.0), 1.0),
        (b"'tag | a", None, 1.0),
        (b"tag| a", None, 1.0),
        (b"| a", None, 1.0),
        (b" \t | a", None, 1.0),
    ];
    for (line, label, weight) in cases {
        let row = &named(line, &vw(Schema::default()))[0];
        assert_eq!((row.0, row.1), (*label, *weight), "{}", line.escape_ascii());
    }
    let unlabelled = Options { unlabelled: true, ..vw(Schema::default()) };
    assert_eq!(named(b"a b 0 'tag | a\n1 | a\n", &unlabelled), vec![(None, 1.0, map(&[("a", 1.0)])); 2]);
}

#[test]
fn blank_lines_are_no_rows_but_count() {
    let text = b"\xef\xbb\xbf1 | x:1\n\n0 | x:2\r\n   \n\t\n1 | x:0.5\n\n\r\n";
    for size in [1, 2, 3, 4, 100] {
        let mut reader = Reader::with_reader("f.vw", Pieces::new(text, &[size]), vw(Schema::default())).unwrap();
        let (rows, errors) = rows(&mut reader);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(rows.iter().map(|row| (row.1, row.2.unwrap())).collect::<Vec<_>>(), [(1, 1.0), (3, 0.0), (6, 1.0)]);
    }
}

#[test]
fn faults_are_where_they_are() {
    let scale = "the scale of the namespace ";
    // Text, line, column, token, and what is said in part.
    let cases: &[(&[u8], u64, u64, &str, &str)] = &[
        (b"1 | a:1\n1 -1.0 | a:1 b\n0 2 | b\n", 2, 3, "-1.0", "a weight must be 0 or more"),
        (b"1 1.0 | a:1\n0 nan | b\n", 2, 3, "nan", "a weight must be a finite number"),
        (b"1 inf | a", 1, 3, "inf", "a weight must be a finite number"),
        (b"1 1e999 | a", 1, 3, "1e999", "the weight is too large"),
        (b"1 x | a", 1, 3, "x", "the weight is not a number"),
        (b"a | a", 1, 1, "a", "the label is not a number"),
        (b"1,5 | a", 1, 1, "1,5", "the label is not a number"),
        (b"nan | a", 1, 1, "nan", "the label is not a finite number"),
        (b"shared | a", 1, 1, "shared", "the label is not a number"),
        (b"1:0.5 2:1 | a", 1, 1, "1:0.5", "labels with costs are not supported"),
        (b"1 1 x | a", 1, 5, "x", "the base is not a number"),
        (b"1 2 0 4 | a", 1, 7, "4", "before the bar stand label, importance, base and a tag"),
        (b"1 2 0 4 5 6 7| a", 1, 7, "4", "before the bar stand label, importance, base and a tag"),
        (b"'tag 1 | a", 1, 1, "'tag", "the label is not a number"),
        (b"1\t| a", 1, 1, "1", "a tab before the bar"),
        (b"1 2\tx| a", 1, 1, "1", "a tab before the bar"),
        (b"\n 1 2\n", 2, 2, "1", "no bar in this row"),
        (b"1 1:1 2:1", 1, 1, "1", "no bar in this row"),
        (b"1 |n a:1x b", 1, 6, "a:1x", "the value is not a number"),
        (b"1 |n a:1:2 b", 1, 6, "a:1:2", "the value is not a number"),
        (b"1 |n a:12-01|m b", 1, 6, "a:12-01", "the value is not a number"),
        (b"1 |n a:0x1f", 1, 6, "a:0x1f", "the value is not a number"),
        (b"1 |n a:-", 1, 6, "a:-", "the value is not a number"),
        (b"1 |n a:.", 1, 6, "a:.", "the value is not a number"),
        (b"1 |n a:1e999", 1, 6, "a:1e999", "the value is too large"),
        (b"1 |n a:NaN", 1, 6, "a:NaN", "the value is not a finite number"),
        (b"1 |n a:-Infinity b", 1, 6, "a:-Infinity", "the value is not a finite number"),
        (b"1 |n a: b", 1, 6, "a:", "the value is missing"),
        (b"1 |n a:|m b", 1, 6, "a:", "the value is missing"),
        (b"1 |n a : 3", 1, 8, ":", "the value is missing"),
        (b"1 |n a:\r\r\n", 1, 6, "a:\\x0D", "a carriage return within the row"),
        (b"1 |n a:b\rc", 1, 6, "a:b\\x0Dc", "a carriage return within the row"),
        (b"1 |n a\rb c\n", 1, 6, "a\\x0Db", "a carriage return within the row"),
        (b"1 |n\r a\n", 1, 5, "\\x0D", "a carriage return within the row"),
        (b"1 |n a:b|m c", 1, 6, "a:b", "a value that is text ends with a space"),
        (b"1 |:2 a", 1, 4, ":2", "a scale needs a namespace"),
        (b"1 |n: a", 1, 4, "n:", &format!("{scale}is missing")),
        (b"1 |n:x a", 1, 4, "n:x", &format!("{scale}is not a number")),
        (b"1 |n:inf a", 1, 4, "n:inf", &format!("{scale}is not a finite number")),
        (b"1 |n:1:2 a", 1, 4, "n:1:2", &format!("{scale}is not a number")),
        (b"1 |n:1e300 a:1e300", 1, 12, "a:1e300", "the value times the scale"),
        (b"1 | a:1e308 a:1e308", 1, 1, "1", "features that share an id, or a product, add up to more"),
        (b"1 | \xe9\x07:1x", 1, 5, "\\xE9\\x07:1x", "the value is not a number"),
    ];
    for (text, line, column, token, message) in cases {
        let (_, errors) = all(text, &vw(Schema::default()));
        assert_eq!(errors.len(), 1, "{}: {errors:?}", text.escape_ascii());
        let ErrorKind::Row { place, message: said } = errors[0].kind() else { panic!("{:?}", errors[0]) };
        let location = Location::Text { line: *line, column: *column };
        assert_eq!((&place.location, &*place.token), (&location, *token), "{}", text.escape_ascii());
        assert!(said.contains(message), "{said}");
        let message = errors[0].to_string();
        assert!(message.len() <= 500 && message.is_ascii() && !message.contains('\n'));
    }
}

/// Reads a text; returns line number and label of each row, and all errors.
fn all(text: &[u8], options: &Options) -> (Vec<(u64, f64)>, Vec<surefoot_io::Error>) {
    from(reader(text, options))
}

fn from(mut source: impl RowSource) -> (Vec<(u64, f64)>, Vec<surefoot_io::Error>) {
    let (mut batch, mut rows, mut errors) = (Batch::default(), Vec::new(), Vec::new());
    loop {
        match source.read(&mut batch) {
            Ok(true) => rows.extend((0..batch.len()).map(|r| (batch.place[r].line, batch.label[r]))),
            Ok(false) => return (rows, errors),
            Err(error) => errors.push(error),
        }
    }
}

#[test]
fn rows_around_a_fault_are_delivered() {
    let text = b"1 | a\n2 | a\n\nx | a\n4 | a\n5 | a:\n6 | a\n7 z";
    for size in [1, 2, 5, 7, 100] {
        let pieces = Pieces::new(text, &[size]);
        let (rows, errors) = from(Reader::with_reader("f.vw", pieces, vw(Schema::default())).unwrap());
        assert_eq!(rows, [(1, 1.0), (2, 2.0), (5, 4.0), (7, 6.0)]);
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        let starts = ["f.vw:4:1: 'x': ", "f.vw:6:5: 'a:': ", "f.vw:8:1: '7': "];
        assert!(errors.iter().zip(starts).all(|(error, start)| error.starts_with(start)), "{errors:?}");
        assert_eq!(errors.len(), 3);
    }
}

/// Tests that feature ids are the documented hashes of namespaces and names, because stored models rely on them.
#[test]
fn ids_are_as_specified() {
    let id = |group: &[u8], name: &[u8]| xxh3_64_with_seed(name, xxh3_64(group));
    let cases: &[(&[u8], u64)] = &[
        (b"1 | price", id(b"", b"price")),
        (b"1 |n price", id(b"n", b"price")),
        (b"1 | :1", id(b"", b"0")),
        // A text is the value of a category.
        (b"1 | city:paris", id(b"city", b"paris")),
        (b"1 |city paris", id(b"city", b"paris")),
        (b"1 |n city:paris", xxh3_64_with_seed(b"paris", id(b"n", b"city"))),
    ];
    for (line, id) in cases {
        for bits in [None, Some(20)] {
            let mut batch = Batch::default();
            assert!(reader(line, &vw(Schema { bits, ..Schema::default() })).read(&mut batch).unwrap());
            assert_eq!(batch.index, [id >> bits.map_or(0, |bits| 64 - bits)], "{}", line.escape_ascii());
        }
    }
}

#[test]
fn namespaces_are_kept_ignored_and_multiplied() {
    let line = b"1 |user:2 age:3 |item x y | plain |use z |user w";
    let only = |keep: &[&str], ignore: &[&str], interact: &[(&str, &str)]| {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let interact = interact.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
        features(line, &vw(Schema { keep: owned(keep), ignore: owned(ignore), interact, ..Schema::default() }))
    };
    assert_eq!(only(&["user"], &[], &[]), map(&[("user^age", 6.0), ("user^w", 1.0)]));
    assert_eq!(only(&["use", ""], &[], &[]), map(&[("use^z", 1.0), ("plain", 1.0)]));
    assert_eq!(only(&[], &["user", "item"], &[]), map(&[("use^z", 1.0), ("plain", 1.0)]));
    assert_eq!(only(&["user", "use"], &["user"], &[]), map(&[("use^z", 1.0)]));
    assert_eq!(
        only(&["user", "use"], &[], &[("user", "use"), ("user", "item")]),
        map(&[("user^age", 6.0), ("user^w", 1.0), ("use^z", 1.0), ("user^age*use^z", 6.0), ("user^w*use^z", 1.0)])
    );
    // What is wrong is wrong even where it is not used; names of what is not used are not kept.
    let options = vw(Schema { ignore: vec!["n".into()], ..Schema::default() });
    assert_eq!(all(b"1 |n a:1x", &options).1.len(), 1);
    assert_eq!(features(b"1 |n a b |m a", &options), map(&[("m^a", 1.0)]));
    assert!(options.found.names(&[xxh3_64_with_seed(b"a", xxh3_64(b"n"))]).is_empty());
}

#[test]
fn parts_of_rows_are_found_again() {
    let text = b"\n 3.5 2 'tag |u age:4 |skip b |w b:0 b:2 :7 u\n | e\n";
    for bits in [None, Some(40)] {
        let interact = vec![("u".to_owned(), "w".to_owned())];
        let reading = Schema { bits, interact, ignore: vec!["skip".into()], ..Schema::default() };
        let options = vw(reading);
        let mut batch = Batch::default();
        assert!(reader(text, &options).read(&mut batch).unwrap());
        let at = |row, part| {
            let place = options.describe(&[InputName::new("f.vw")], &batch, row, part);
            let Location::Text { line, column } = place.location else { panic!("{place:?}") };
            (line, column, place.token)
        };
        assert_eq!(at(0, Part::Row), (2, 2, "3.5".into()));
        assert_eq!(at(0, Part::Label), (2, 2, "3.5".into()));
        assert_eq!(at(0, Part::Weight), (2, 6, "2".into()));
        assert_eq!(at(1, Part::Label), (3, 2, "|".into()));
        let mut found: Vec<_> = (0..7).map(|pair| at(0, Part::Pair(pair))).collect();
        found.sort();
        // The three products are found at the start of the row.
        let expected = [(2, "3.5"), (2, "3.5"), (2, "3.5"), (16, "age:4"), (37, "b:2"), (41, ":7"), (44, "u")];
        assert_eq!(found, expected.map(|(column, token)| (2, column, token.to_owned())));
    }
}

#[test]
fn repeated_names_are_counts() {
    let repeat = b"1 | red red dress\n0 | red dress dress\n1 | hat red red red\n0 | hat dress\n";
    let count = b"1 | red:2 dress\n0 | red dress:2\n1 | hat red:3\n0 | hat dress\n";
    let ids = |text: &[u8]| rows(&mut reader(text, &vw(Schema::default()))).0;
    assert_eq!(ids(repeat), ids(count));
    assert_eq!(ids(repeat)[2].3.len(), 2);
}

/// Tests that a feature has the same id in a later file, where rows may lack labels, and that names not seen in
/// training have other ids.
#[test]
fn words_are_the_same_in_other_files() {
    let options = vw(Schema::default());
    let train = rows(&mut reader(b"1 | known\n0 | other\n", &options)).0;
    let (new, errors) = rows(&mut reader(b"| known brand_new:7\n| other |ns fresh\n| never_seen\n", &options));
    assert!(errors.is_empty(), "{errors:?}");
    let known = [train[0].3[0].0, train[1].3[0].0];
    let seen = |row: usize| new[row].3.iter().map(|pair| pair.0).filter(|id| known.contains(id)).collect::<Vec<_>>();
    assert_eq!([seen(0), seen(1), seen(2)], [vec![known[0]], vec![known[1]], vec![]]);
    assert_eq!(new.iter().map(|row| (row.2, row.3.len())).collect::<Vec<_>>(), [(None, 2), (None, 2), (None, 1)]);
}

#[test]
fn content_tells_the_format() {
    let yes: &[&[u8]] =
        &[b"1 | a", b"\n\n| a", b"|n a b:2", b"1 2 'tag|n a", b"'tag | a", b"\xef\xbb\xbf-1 tag|n a\n", b"  1 |"];
    let no: &[&[u8]] =
        &[b"", b"\n", b"1 1:1", b"1 1:1 # a |b", b"a|b|c\n1|2|3\n", b"1|2|3\n", b"a,b\n1,\"x | y\"\n", b"1"];
    for text in yes.iter().chain(no) {
        assert_eq!(Format::by_content(text).name == "vw", yes.contains(text), "{}", text.escape_ascii());
    }
    assert_eq!(Format::by_extension("a.vw.gz".as_ref()).unwrap().name, "vw");
}

/// Generates a feature of a Vowpal Wabbit line: name and value (`None` if the value is left out).
fn any_feature() -> impl Strategy<Value = (String, Option<f64>)> {
    let name = "[a-e][^ \t\r\n:|]{0,3}";
    (name, prop::option::of((-999i32..999, 0..3u8).prop_map(|(n, scale)| f64::from(n) / 10f64.powi(scale.into()))))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_come_back_however_they_are_cut(
        written in prop::collection::vec((-9i32..9, prop::collection::vec(
            ("[n-p]{0,2}", prop::collection::vec(any_feature(), 0..5)), 0..4)), 0..20),
        sizes in prop::collection::vec(1..300usize, 1..8),
        blanks: bool,
    ) {
        let gap = if blanks { " \t " } else { " " };
        let mut text = String::new();
        let mut expected = Vec::new();
        for (label, namespaces) in &written {
            text.push_str(&label.to_string());
            text.push(' ');
            if namespaces.is_empty() {
                text.push('|');
            }
            let mut row = BTreeMap::<u64, f64>::new();
            for (namespace, features) in namespaces {
                text.push('|');
                text.push_str(namespace);
                for (name, value) in features {
                    text.push_str(gap);
                    text.push_str(name);
                    value.iter().for_each(|value| text.push_str(&format!(":{value}")));
                    let value = value.unwrap_or(1.0);
                    if value != 0.0 {
                        let id = xxh3_64_with_seed(name.as_bytes(), xxh3_64(namespace.as_bytes()));
                        *row.entry(id).or_default() += value;
                    }
                }
            }
            text.push_str(if blanks { " \r\n \n" } else { "\n" });
            expected.push((f64::from(*label), row));
        }
        let mut reader = Reader::with_reader("f.vw", Pieces::new(text.as_bytes(), &sizes), vw(Schema::default())).unwrap();
        let (found, errors) = rows(&mut reader);
        prop_assert!(errors.is_empty(), "{:?}", errors);
        prop_assert_eq!(found.len(), expected.len());
        for (found, (label, row)) in found.iter().zip(&expected) {
            prop_assert_eq!(found.2, Some(*label));
            prop_assert!(found.3.iter().map(|pair| pair.0).eq(row.keys().copied()));
            // Values that meet are added in another order.
            prop_assert!(found.3.iter().zip(row.values()).all(|(pair, sum)| (pair.1 - sum).abs() < 1e-10));
        }
    }
}

#[test]
fn features_stay_where_they_are_met_first() {
    let options = vw(Schema::default());
    let mut batch = Batch::default();
    assert!(reader(b"1 |z q:1 a:2 q:3 |b q a:0 c\n", &options).read(&mut batch).unwrap());
    let names = options.found.names(&batch.index);
    let row: Vec<_> = batch.index.iter().map(|&id| names.of(id).unwrap()).zip(batch.value.iter().copied()).collect();
    assert_eq!(row, [("z^q", 4.0), ("z^a", 2.0), ("b^q", 1.0), ("b^c", 1.0)]);
}
