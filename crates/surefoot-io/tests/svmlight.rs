//! Tests of the svmlight reader: accepted texts and their rows, refused texts and their messages, and the locations of
//! errors.

mod common;

use common::{error, plain, reader, rows};
use surefoot_glm::{Batch, Part, Schema};
use surefoot_io::{ErrorKind, InputName, Location, Options, RowSource, Svmlight};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Reader options that matter for svmlight: number of hash bits (`None`: no hashing), lowest index, and whether labels
/// are ignored.
#[derive(Clone, Copy)]
struct Rules {
    bits: Option<u8>,
    index_base: u8,
    unlabelled: bool,
}

const PLAIN: Rules = Rules { bits: None, index_base: 0, unlabelled: false };
const BASE_1: Rules = Rules { index_base: 1, ..PLAIN };
const UNLABELLED: Rules = Rules { unlabelled: true, ..PLAIN };
const BITS: Rules = Rules { bits: Some(18), ..PLAIN };

impl From<Rules> for Options {
    fn from(rules: Rules) -> Options {
        let Rules { bits, index_base, unlabelled } = rules;
        let reading = Schema { bits, index_base, ..Schema::default() };
        Options { reading, unlabelled, ..Options::default() }
    }
}

#[test]
fn rows_are_read() {
    // Text, options, and per row: line, label, pairs.
    type Row<'a> = (u64, Option<f64>, &'a [(u64, f64)]);
    let cases: &[(&[u8], Rules, &[Row<'_>])] = &[
        (b"", PLAIN, &[]),
        (b"\n", PLAIN, &[]),
        (b"1", PLAIN, &[(1, Some(1.0), &[])]),
        (b"1\n", PLAIN, &[(1, Some(1.0), &[])]),
        (
            b"\n1 1:1\n\n0 1:2\n   \n1 1:0.5\n\n\n",
            PLAIN,
            &[(2, Some(1.0), &[(1, 1.0)]), (4, Some(0.0), &[(1, 2.0)]), (6, Some(1.0), &[(1, 0.5)])],
        ),
        (
            b"# a row? no 9:9\n1 1:2 3:1 # 7:100 q\n-1 2:1#8:5\n   # in\n1 2:0.5 # caf\xe9\n-1 3:2 #\n",
            PLAIN,
            &[
                (2, Some(1.0), &[(1, 2.0), (3, 1.0)]),
                (3, Some(-1.0), &[(2, 1.0)]),
                (5, Some(1.0), &[(2, 0.5)]),
                (6, Some(-1.0), &[(3, 2.0)]),
            ],
        ),
        (b"\xef\xbb\xbf+1 1:1", PLAIN, &[(1, Some(1.0), &[(1, 1.0)])]),
        (
            b"-1.5e-3\t4:-.5  2:+2\t\t3:5. \r\n7 1:1e2\r",
            PLAIN,
            &[(1, Some(-0.0015), &[(2, 2.0), (3, 5.0), (4, -0.5)]), (2, Some(7.0), &[(1, 100.0)])],
        ),
        (
            b"1 18446744073709551615:1 4294967296:3 9007199254740993:2\n",
            PLAIN,
            &[(1, Some(1.0), &[(4294967296, 3.0), (9007199254740993, 2.0), (u64::MAX, 1.0)])],
        ),
        (b"1 4294967295:1 0:2 10:-0\n", PLAIN, &[(1, Some(1.0), &[(0, 2.0), (10, -0.0), (4294967295, 1.0)])]),
        (
            b"1 qid:72048431380967004 1:0.5 2:1\n0 qid:18446744073709551615\n",
            PLAIN,
            &[(1, Some(1.0), &[(1, 0.5), (2, 1.0)]), (2, Some(0.0), &[])],
        ),
        (b"1 1:0 2:0.0 3:1\n", PLAIN, &[(1, Some(1.0), &[(1, 0.0), (2, 0.0), (3, 1.0)])]),
        (
            b"1 1:12345678.12345678 123456789:0.12345678901234567890123 3:1e-400\n",
            PLAIN,
            &[(1, Some(1.0), &[(1, 12345678.12345678), (3, 0.0), (123456789, 0.123_456_789_012_345_68)])],
        ),
        (
            b"1:2 3:4\nqid:5 3:1\nfoo 1:1\n2\n# no\n  nan#x\n",
            UNLABELLED,
            &[
                (1, None, &[(1, 2.0), (3, 4.0)]),
                (2, None, &[(3, 1.0)]),
                (3, None, &[(1, 1.0)]),
                (4, None, &[]),
                (6, None, &[]),
            ],
        ),
        (b"1 1:2\n", BASE_1, &[(1, Some(1.0), &[(1, 2.0)])]),
    ];
    for (text, options, expected) in cases {
        let (found, errors) = rows(&mut reader(text, *options));
        assert!(errors.is_empty(), "{}: {errors:?}", text.escape_ascii());
        let expected: Vec<_> = expected.iter().map(|row| (0, row.0, row.1, row.2.to_vec())).collect();
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{}", text.escape_ascii());
    }
}

#[test]
fn faults_are_where_they_are() {
    let long = [&b"1 "[..], &[b'x'; 500]].concat();
    // Text, options, line, column, token, and a part of what is said.
    type Case<'a> = (&'a [u8], Rules, u64, u64, &'a str, &'a str);
    let cases: &[Case<'_>] = &[
        (b"1 1:1 2:1\n0 1:1 3:1 3:2\n1 2:1\n", PLAIN, 2, 11, "3:2", "index 3 appears twice in the row"),
        (b"0 3:1 1:1 3:2 1:5\n", PLAIN, 1, 11, "3:2", "index 3 appears twice in the row"),
        (b"0 3:1 03:1\n", PLAIN, 1, 7, "03:1", "index 3 appears twice"),
        (b"0 3:1 3:1\n", BITS, 1, 7, "3:1", "index 3 appears twice"),
        (b"0\n10 0:1\n", BASE_1, 2, 4, "0:1", "index 0 "),
        (b"1 1:1\n1 2:nan\n", PLAIN, 2, 3, "2:nan", "not a finite number"),
        (b"1 2:-inf", PLAIN, 1, 3, "2:-inf", "not a finite number"),
        (b"1 2:Infinity", PLAIN, 1, 3, "2:Infinity", "not a finite number"),
        (b"1 2:1e999\n", PLAIN, 1, 3, "2:1e999", "too large"),
        (b"1 2:-1e999\n", PLAIN, 1, 3, "2:-1e999", "too large"),
        (b"1 2:\n", PLAIN, 1, 3, "2:", "the value is missing"),
        (b"1 2: 3:1\n", PLAIN, 1, 3, "2:", "the value is missing"),
        (b"1 :5\n", PLAIN, 1, 3, ":5", "the index is missing"),
        (b"1 2\n", PLAIN, 1, 3, "2", "the colon is missing"),
        (b"1  \t 2 3:1\n", PLAIN, 1, 6, "2", "the colon is missing"),
        (b"1 2:1x\n", PLAIN, 1, 3, "2:1x", "the value is not a number"),
        (b"1 2:1e\n", PLAIN, 1, 3, "2:1e", "the value is not a number"),
        (b"1 2:1:x\n", PLAIN, 1, 3, "2:1:x", "the value is not a number"),
        (b"1 2:1,5\n", PLAIN, 1, 3, "2:1,5", "the value is not a number"),
        (b"1 2:-\n", PLAIN, 1, 3, "2:-", "the value is not a number"),
        (b"1 2:.\n", PLAIN, 1, 3, "2:.", "the value is not a number"),
        (b"1 2:--1\n", PLAIN, 1, 3, "2:--1", "the value is not a number"),
        (b"1 2:1-2\n", PLAIN, 1, 3, "2:1-2", "the value is not a number"),
        (b"1 2:1\r3:4\n", PLAIN, 1, 3, "2:1\\x0D3:4", "a carriage return within the row"),
        (b"1 2:1\r\r\n", PLAIN, 1, 3, "2:1\\x0D", "a carriage return within the row"),
        (b"1 2:1\0\n", PLAIN, 1, 3, "2:1\\x00", "the value is not a number"),
        (b"1 -2:1\n", PLAIN, 1, 3, "-2:1", "the index is not a whole number"),
        (b"1 +2:1\n", PLAIN, 1, 3, "+2:1", "the index is not a whole number"),
        (b"1 2.0:1\n", PLAIN, 1, 3, "2.0:1", "the index is not a whole number"),
        (b"1 caf\xe9:1\n", PLAIN, 1, 3, "caf\\xE9:1", "the index is not a whole number"),
        (b"1 18446744073709551616:1\n", PLAIN, 1, 3, "18446744073709551616:1", "the index does not fit into 64 bits"),
        (b"1 18446744073709551616:1\n", BITS, 1, 3, "18446744073709551616:1", "64 bits"),
        (b"1 sid:3 1:1\n", PLAIN, 1, 3, "sid:3", "only qid"),
        (b"1 cost:3 1:1\n", PLAIN, 1, 3, "cost:3", "only qid"),
        (b"1 1:1 qid:3\n", PLAIN, 1, 7, "qid:3", "qid stands once, right after the label"),
        (b"1 qid:3 qid:4\n", PLAIN, 1, 9, "qid:4", "qid stands once"),
        (b"1 qid:18446744073709551616\n", PLAIN, 1, 3, "qid:18446744073709551616", "the group id does not fit"),
        (b"1 qid:x\n", PLAIN, 1, 3, "qid:x", "the group id"),
        (b"1:1 2:1\n", PLAIN, 1, 1, "1:1", "the label is missing"),
        (b"\n  qid:1 2:1\n", PLAIN, 2, 3, "qid:1", "the label is missing"),
        (b"nan 2:1\n", PLAIN, 1, 1, "nan", "the label is not a finite number"),
        (b"1e999 2:1\n", PLAIN, 1, 1, "1e999", "the label is too large"),
        (b"spam 2:1\n", PLAIN, 1, 1, "spam", "the label is not a number"),
        (b"\xef\xbb\xbfspam 2:1\n", PLAIN, 1, 1, "spam", "the label is not a number"),
        (b"1 2:1\n\xef\xbb\xbf1 2:1\n", PLAIN, 2, 1, "\\xEF\\xBB\\xBF1", "the label is not a number"),
        (b"1:1 2:x\n", UNLABELLED, 1, 5, "2:x", "the value is not a number"),
        (b"a 2\n", UNLABELLED, 1, 3, "2", "the colon is missing"),
        (&long, PLAIN, 1, 3, &format!("{}...", "x".repeat(77)), "the colon is missing"),
    ];
    for (text, options, line, column, token, message) in cases {
        let error = error(text, *options);
        let ErrorKind::Row { place, message: said } = error.kind() else { panic!("{error}") };
        let location = Location::Text { line: *line, column: *column };
        assert_eq!((&place.location, &*place.token), (&location, *token), "{}", text.escape_ascii());
        assert!(said.contains(message), "{said}");
        let message = error.to_string();
        assert!(message.starts_with(&format!("f.svm:{line}:{column}: '{token}': ")), "{message}");
        assert!(message.len() <= 500 && message.is_ascii() && !message.contains('\n'));
    }
}

#[test]
fn rows_around_a_fault_are_delivered() {
    let text = "1 1:1\n2 1:1\n\nx 1:1\n4 1:1\n5 1:y\n6 1:1\n7 z";
    for size in [1, 2, 5, 7, 100] {
        let pieces = common::Pieces::new(text.as_bytes(), &[size]);
        let mut reader = surefoot_io::Reader::with_reader("f.svm", pieces, PLAIN.into()).unwrap();
        let (rows, errors) = rows(&mut reader);
        assert_eq!(
            rows.iter().map(|row| (row.1, row.2)).collect::<Vec<_>>(),
            [(1, Some(1.0)), (2, Some(2.0)), (5, Some(4.0)), (7, Some(6.0))]
        );
        let errors: Vec<_> = errors.iter().map(|(before, error)| (*before, error.to_string())).collect();
        assert_eq!(errors.iter().map(|error| error.0).collect::<Vec<_>>(), [2, 3, 4]);
        assert!(errors[1].1.starts_with("f.svm:6:3: '1:y': "), "{}", errors[1].1);
        assert!(errors[2].1.starts_with("f.svm:8:3: 'z': "), "{}", errors[2].1);
    }
}

#[test]
fn hashed_ids_are_xxh3_and_values_that_meet_add_up() {
    let id = |index: u64, bits: u32| xxh3_64(&index.to_le_bytes()) >> (64 - bits);
    let text = "1 5:0.25 18446744073709551615:2 0:4 7:1e3\n";
    for bits in [1u8, 2, 18, 32, 63, 64] {
        let (rows, _) = rows(&mut reader(text, Rules { bits: Some(bits), ..PLAIN }));
        let mut expected = std::collections::BTreeMap::new();
        for (index, value) in [(0, 4.0), (5, 0.25), (7, 1e3), (u64::MAX, 2.0)] {
            *expected.entry(id(index, bits.into())).or_insert(0.0) += value;
        }
        assert_eq!(rows[0].3, expected.into_iter().collect::<Vec<_>>());
    }
    // Some of four ids meet in two slots.
    let error = error("1 1:1.7e308 2:1.7e308 3:1.7e308 4:1.7e308\n", Rules { bits: Some(1), ..PLAIN });
    assert!(error.to_string().starts_with("f.svm:1:1: '1': values that share a slot"), "{error}");
}

#[test]
fn places_and_hashes_are_as_specified() {
    let text = b"\xef\xbb\xbf# head\n1 1:1 # c\n\n2 2:2\r\n# between\n3\n4 4:4";
    let ends = [20, 28, 40, 45];
    let shown: [&[u8]; 4] = [b"1 1:1 # c", b"2 2:2\r", b"3", b"4 4:4"];
    for size in 1..=text.len() {
        let mut parser = Svmlight::new(&PLAIN.into());
        let mut batch = Batch::default();
        batch.clear();
        for piece in text.chunks(size) {
            parser.push(piece, &mut batch).unwrap();
        }
        parser.finish(&mut batch).unwrap();
        // The second input: its first segment begins with what the first left over, here nothing.
        parser.push(b"# x\n5 1:1\n# left\n# over", &mut batch).unwrap();
        parser.finish(&mut batch).unwrap();
        parser.push(b"6\n", &mut batch).unwrap();
        let (mut hash, mut from) = (0, 0);
        for (r, &end) in ends.iter().enumerate() {
            let place = batch.place[r];
            hash = xxh3_64_with_seed(&text[from..end], hash);
            from = end;
            assert_eq!((place.input, place.end as usize, place.hash), (0, end, hash), "row {r}, pieces of {size}");
            let cut = shown[r].len().min(place.text.1 - place.text.0);
            assert_eq!(&batch.text[place.text.0..place.text.1], &shown[r][..cut]);
            assert!(cut == shown[r].len() || shown[r][cut - 1] == b'#', "only comments are cut");
        }
        hash = xxh3_64_with_seed(b"# x\n5 1:1\n", hash);
        assert_eq!((batch.place[4].input, batch.place[4].end, batch.place[4].hash), (1, 10, hash));
        hash = xxh3_64_with_seed(b"# left\n# over6\n", hash);
        assert_eq!((batch.place[5].input, batch.place[5].line, batch.place[5].end), (2, 1, 2));
        assert_eq!(batch.place[5].hash, hash);
    }
}

#[test]
fn hashes_go_over_rows_at_fault() {
    let mut reader = reader("1 1:1\nx\n2\n", PLAIN);
    let mut batch = Batch::default();
    reader.read(&mut batch).unwrap();
    let first = xxh3_64_with_seed(b"1 1:1\n", 0);
    assert_eq!(batch.place[0].hash, first);
    reader.read(&mut batch).unwrap_err();
    reader.read(&mut batch).unwrap();
    assert_eq!(batch.place[0].hash, xxh3_64_with_seed(b"x\n2\n", first));
    assert_eq!((batch.place[0].end, batch.place[0].line), (10, 3));
}

#[test]
fn parts_of_rows_are_found_again() {
    let text = "\n \u{a0} 1:1\n  -3.5 qid:4 7:2 5:1e1 300:4 # 5:1\n";
    let inputs = [InputName::new("a/b.svm")];
    for (rules, ids) in [(PLAIN, [5, 7, 300]), (BITS, [5, 7, 300])] {
        let options = Options::from(rules);
        let mut batch = Batch::default();
        batch.clear();
        let mut parser = Svmlight::new(&options);
        parser.push(text.as_bytes(), &mut batch).unwrap_err();
        parser.push(b"", &mut batch).unwrap();
        let at = |part| {
            let place = options.describe(&inputs, &batch, 0, part);
            let Location::Text { line, column } = place.location else { panic!("{place:?}") };
            assert_eq!((&*place.file, line), ("a/b.svm", 3));
            (column, place.token)
        };
        assert_eq!(at(Part::Label), (3, "-3.5".into()));
        assert_eq!(at(Part::Weight), (3, "-3.5".into()));
        assert_eq!(at(Part::Row), (3, "-3.5".into()));
        let mut found: Vec<_> = (0..3).map(|pair| at(Part::Pair(pair))).collect();
        found.sort();
        assert_eq!(found, [(14, "7:2".into()), (18, "5:1e1".into()), (24, "300:4".into())], "{ids:?}");
    }
    let mut by_hand = Batch::default();
    by_hand.push(Some(1.0), 1.0, &[(1, 1.0)]);
    assert_eq!(Options::from(PLAIN).describe(&inputs, &by_hand, 0, Part::Pair(0)).token, "");
}

#[test]
fn order_and_comments_make_no_difference() {
    let sorted = "1 22:0.06 25:1.34 31:-0.492 33:-0.62\n0 18:-1.267 25:0.271\n";
    let unsorted = "1 33:-0.62 22:0.06 31:-0.492 25:1.34 # x\n\n0 25:0.271 18:-1.267\n";
    for bits in [None, Some(2)] {
        let options = Rules { bits, ..PLAIN };
        let pairs = |text: &str| rows(&mut reader(text, options)).0.into_iter().map(|row| row.3).collect::<Vec<_>>();
        assert_eq!(pairs(sorted), pairs(unsorted));
    }
}

#[test]
fn memory_grows_with_rows_not_with_comments_or_nonsense() {
    let mut parser = Svmlight::new(&PLAIN.into());
    let mut batch = Batch::default();
    batch.clear();
    parser.push(b"1 1:1 # ", &mut batch).unwrap();
    let piece = [b'x'; 1 << 16];
    for _ in 0..64 {
        parser.push(&piece, &mut batch).unwrap();
    }
    parser.push(b"\n2 2:2\n", &mut batch).unwrap();
    assert_eq!(plain(&batch), [(0, 1, Some(1.0), vec![(1, 1.0)]), (0, 2, Some(2.0), vec![(2, 2.0)])]);
    assert_eq!(batch.place[0].end, 8 + 64 * (1 << 16) + 1);
    assert!(batch.text.capacity() < 1 << 16);

    // A line without end that is no row is refused long before it ends, and passed over.
    let mut batch = Batch::default();
    batch.clear();
    let mut bytes = 0u64;
    let fault = loop {
        bytes += piece.len() as u64;
        match parser.push(&piece, &mut batch) {
            Ok(()) => assert!(bytes < 1 << 22),
            Err(fault) => break fault,
        }
    };
    assert_eq!((fault.line, fault.column), (3, 1));
    parser.push(&piece, &mut batch).unwrap();
    parser.push(b"\n3\nx 1:1\n", &mut batch).unwrap_err();
    let before = 8 + 64 * (1 << 16) + 1 + 6;
    assert_eq!((batch.place[0].line, batch.place[0].end), (4, before + bytes + piece.len() as u64 + 3));
    let mut whole = vec![b'x'; (bytes as usize) + piece.len()];
    whole.extend_from_slice(b"\n3\n");
    let comment = [&b"1 1:1 # "[..], &vec![b'x'; 64 << 16], b"\n"].concat();
    let hash = xxh3_64_with_seed(b"2 2:2\n", xxh3_64(&comment));
    assert_eq!(batch.place[0].hash, xxh3_64_with_seed(&whole, hash));
}

#[test]
fn a_long_line_is_looked_at_again_and_again() {
    let mut parser = Svmlight::new(&PLAIN.into());
    let mut batch = Batch::default();
    let pairs: String = (0..250_000).map(|i| format!(" {i}:1")).collect();
    parser.push(b"1", &mut batch).unwrap();
    parser.push(pairs.as_bytes(), &mut batch).unwrap();
    parser.push(b" x", &mut batch).unwrap();
    let fault = (0..200).find_map(|_| parser.push(&[b'y'; 1 << 16], &mut batch).err()).expect("found before 13 MB");
    assert_eq!((fault.line, fault.column as usize), (1, pairs.len() + 3));
    parser.push(b"\n7\n", &mut batch).unwrap();
    assert_eq!((batch.len(), batch.place[0].line), (1, 2));
}

#[test]
fn long_rows_are_read() {
    let mut text = String::from("1");
    for i in 0..300_000 {
        text.push_str(&format!(" {i}:0.5"));
    }
    text.push('\n');
    let pieces = common::Pieces::new(text.as_bytes(), &[65536]);
    let mut reader = surefoot_io::Reader::with_reader("f.svm", pieces, PLAIN.into()).unwrap();
    let (rows, errors) = rows(&mut reader);
    assert!(errors.is_empty());
    assert_eq!(rows[0].3.len(), 300_000);
}
