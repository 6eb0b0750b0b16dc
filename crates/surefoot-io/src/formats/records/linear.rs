//! Tests that the work of text parsers is linear: each byte is examined and moved a bounded number of times, even if records are long or
//! invalid.

use super::work;
use crate::{
    formats::registry::Parser,
    table::{format::Format, options::Options},
};
use surefoot_glm::Batch;

/// Returns test texts of about `bytes` bytes with long, invalid or blank records, each with its format and a description.
fn texts(bytes: usize) -> Vec<(&'static str, &'static str, String)> {
    let lines = |line: &str| line.repeat(bytes / line.len());
    let quoted = |line: &str| format!("y,x\n0,\"{}\"\n1,2\n", lines(line));
    vec![
        ("csv", "blank lines before the header", lines("\n") + "y,x\n0,1\n1,2\n"),
        ("csv", "blank lines of CRLF", lines("\r\n") + "y,x\r\n0,1\r\n1,2\r\n"),
        ("csv", "lines of blanks", lines("  \n") + "y,x\n0,1\n1,2\n"),
        ("csv", "one line of blanks", lines(" ") + "\ny,x\n0,1\n1,2\n"),
        ("csv", "blank lines behind the header", "y,x\n".to_owned() + &lines("\n") + "0,1\n1,2\n"),
        ("csv", "blank lines between rows", "y,x\n0,1\n".to_owned() + &lines("\n") + "1,2\n"),
        ("csv", "line breaks within quotes", quoted("\n")),
        ("csv", "quotes within quotes", quoted("\"\"\n")),
        ("csv", "many quoted cells in a row", format!("y,x\n0,{}1\n1,2\n", lines("\"a\nb\","))),
        ("csv", "line breaks in a quoted name", format!("y,\"{}\"\n0,1\n1,2\n", lines("x\n"))),
        ("csv", "a long cell", quoted("x")),
        ("csv", "rows at fault", "y,x\n".to_owned() + &lines("0,1\n?\n")),
        ("vw", "a long row", "1 |".to_owned() + &lines(" x") + "\n"),
        ("vw", "rows at fault", lines("1 |\nx |\n")),
        ("svmlight", "a long row", "1".to_owned() + &lines(" ") + "\n1 1:1\n"),
        ("svmlight", "rows at fault", lines("1 1:1\n?\n")),
        ("svmlight", "a long comment", "#".to_owned() + &lines("x") + "\n1 1:1\n"),
    ]
}

/// Returns the number of bytes that the parser of `format` examines or moves to read `text` when it arrives in pieces of `piece` bytes.
fn work_of(format: &str, text: &str, piece: usize) -> usize {
    let mut options = Options::default();
    options.wanted.label = Some("y".to_owned());
    let Some(Parser::Text(mut parser)) = Format::named(format).map(|format| format.parser(&options)) else {
        unreachable!()
    };
    let mut batch = Batch::default();
    work::counted();
    for bytes in text.as_bytes().chunks(piece) {
        batch.clear();
        _ = parser.push(bytes, &mut batch);
        while parser.waiting() {
            batch.clear();
            _ = parser.push(&[], &mut batch);
        }
    }
    _ = parser.finish(&mut batch);
    work::counted()
}

#[test]
fn work_is_linear_in_bytes() {
    for bytes in [1 << 17, 1 << 18] {
        for (format, what, text) in texts(bytes) {
            let work = work_of(format, &text, 4 << 10);
            assert!(work <= 10 * text.len(), "{format}, {what}: {work} of {}", text.len());
        }
    }
}
