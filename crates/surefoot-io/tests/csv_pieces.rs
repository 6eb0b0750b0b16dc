//! Tests that what a CSV text means does not depend on the pieces in which its bytes arrive.

mod common;

use std::sync::Arc;

use common::Pieces;
use proptest::prelude::*;
use surefoot_glm::{Batch, Missing, Part, Quote};
use surefoot_io::{ColumnSelection, Format, Options, Reader, RowSource};

/// Sizes of pieces in bytes; the last is the whole text, of which a read takes as much as it can.
const SIZES: [usize; 5] = [1, 2, 7, 4096, 1 << 20];

/// Builds options for CSV with a label column, modified by `change`.
fn options(label: &str, change: impl FnOnce(&mut Options)) -> Options {
    let wanted = ColumnSelection { label: Some(label.to_owned()), ..ColumnSelection::default() };
    let mut options = Options { format: Format::named("csv"), wanted, ..Options::default() };
    change(&mut options);
    options
}

/// Reads a text in pieces of `size` bytes; returns all that a user can see of it: rows, locations, faults, and what was inferred.
fn read(text: &[u8], size: usize, options: &Options) -> Vec<String> {
    let options = Options { found: Arc::default(), ..options.clone() };
    let mut reader = Reader::with_reader("f.csv", Pieces::new(text, &[size]), options.clone()).unwrap();
    let (mut batch, mut seen) = (Batch::default(), Vec::new());
    loop {
        match reader.read(&mut batch) {
            Ok(false) => break,
            Ok(true) => (0..batch.len()).for_each(|r| {
                seen.push(format!("{:?} {:?}", batch.place[r].line, batch.row(r)));
                let place = |part| options.describe(&[], &batch, r, part).error("x").to_string();
                seen.extend([Part::Row, Part::Label, Part::Pair(0)].map(place));
            }),
            Err(error) => seen.push(error.to_string()),
        }
    }
    let found = &options.found;
    seen.push(format!("{:?} {:?} {:?}", found.head(), found.table(), found.classes()));
    seen.push(format!("{:?} {:?}", found.notes(), found.missing()));
    seen
}

/// Checks that a text reads the same in pieces of all sizes.
fn check(text: &[u8], options: &Options) {
    let whole = read(text, SIZES[SIZES.len() - 1], options);
    for size in SIZES {
        assert_eq!(read(text, size, options), whole, "{size}: {:?}", String::from_utf8_lossy(text));
    }
}

#[test]
fn the_delimiter_is_that_of_the_same_lines() {
    let zeros = "0".repeat(40);
    let texts = [
        // A line of two cells, the second of which is quoted and spans lines, or a line of one cell.
        format!(" ;\n{zeros};\"{zeros}\n00\"000\n"),
        // The same, where the quotes of the second line end it, with a third line that agrees.
        "y;x\n0;\"a\nb\"\n1;c\n".to_owned(),
        // The first line of one candidate is a part of that of another.
        "y;\"x\nz\"\n1;2\n3;4\n".to_owned(),
        "y;\"x,z\n\";w\n1,2;3;4\n".to_owned(),
        // A quote that opens with some candidates alone, and never closes.
        format!("y,x \"z\n{}", "1,2\n".repeat(30)),
        "y,x \"z\n1,2\n".to_owned(),
        // Ten lines of one candidate are fewer of another.
        format!("y;x|\"z\n1;2|\"\n{}", "3;4|5\n".repeat(20)),
    ];
    for text in texts {
        for label in ["y", "1"] {
            check(text.as_bytes(), &options(label, |_| {}));
            check(text.replace('\n', "\r\n").as_bytes(), &options(label, |_| {}));
        }
    }
}

#[test]
fn roles_are_those_of_the_same_rows() {
    // The thousand records from which roles are inferred include blank lines, whose number must not let more rows in.
    let blanks = |rows: usize| "1,2\n\n".repeat(rows);
    for rows in [400, 499, 500, 501, 600] {
        let text = format!("y,x\n{}{}1,2\n", blanks(rows), "1,oslo\n1,rome\n".repeat(300));
        check(text.as_bytes(), &options("y", |_| {}));
        check(text.as_bytes(), &options("1", |_| {}));
        let of_labels = format!("y,x\n{}1,2\n", "true,2\n\n".repeat(rows) + &"maybe,2\n".repeat(300));
        check(of_labels.as_bytes(), &options("y", |o| o.classes = true));
    }
}

/// Text of a few cells, of all that makes a difference to the parser.
fn any_text() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        4 => prop::sample::select(vec!["1", "0", "2.5", "a", "bc", "NA", "true", "2020-01-31", "0012"]),
        4 => prop::sample::select(vec![",", ";", "\t", "|", " "]),
        3 => prop::sample::select(vec!["\n", "\r\n", "\n\n"]),
        2 => prop::sample::select(vec!["\"", "\"\"", "\"a\"", "\"a;b\"", "\"a\nb\"", ";\"", ",\""]),
        1 => prop::sample::select(vec!["\r", "\u{feff}", "é", "'", "-"]),
    ];
    prop::collection::vec(token, 0..120).prop_map(|tokens| tokens.concat())
}

/// Table of lines that mostly have the same number of cells, so that rows come of it.
fn any_lines() -> impl Strategy<Value = String> {
    let cell = prop_oneof![
        6 => prop::sample::select(vec!["1", "0", "-2.5", "3"]),
        2 => prop::sample::select(vec!["a", "bc", "NA", "", "true", "no"]),
        2 => prop::sample::select(vec!["\"a\"", "\"a;b\"", "\"a,b\"", "\"a\nb\"", "\"x\"\"y\"", " \"z\" "]),
        1 => prop::sample::select(vec!["\"", "a\"b", "1 2", "2020-01-31"]),
    ];
    let line = prop::collection::vec(cell, 3);
    let delimiter = prop::sample::select(vec![",", ";", "\t", "|", " "]);
    let ending = prop::sample::select(vec!["\n", "\r\n"]);
    (delimiter, ending, prop::collection::vec(line, 0..40))
        .prop_map(|(delimiter, ending, lines)| lines.iter().map(|line| line.join(delimiter) + ending).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_reads_the_same_in_any_pieces(
        text in prop_oneof![any_text(), any_lines()],
        mark: bool,
        head in prop::sample::select(vec!["", "y,x,z\n", "y;x;z\r\n", "y\tx\tz\n", "\"y\" \"x\"\n"]),
        set in 0..64u8,
    ) {
        let text = [if mark { "\u{feff}" } else { "" }, head, &text].concat();
        let options = options(if set & 1 == 1 { "1" } else { "y" }, |o| {
            o.classes = set & 2 == 2;
            if set & 4 == 4 { o.reading.table.missing = Missing::Indicator; }
            if set & 24 == 24 { o.wanted.header = Some(set & 1 == 1); }
            if set & 24 == 8 { o.wanted.numeric = vec!["2".to_owned()]; }
            if set & 24 == 16 { o.wanted.quote = Some(Quote::None); }
            o.unlabelled = set & 32 == 32;
        });
        check(text.as_bytes(), &options);
    }
}
