//! Cases of unusual lines, encodings and labels in text.

use super::{predictions, refused};
use crate::sandbox::Sandbox;

/// Three rows in each text format: file name, content, and the flags to read them.
const ROWS: [(&str, &str, &str); 4] = [
    ("a.svm", "1 1:1 2:0.5\n0 1:2\n1 2:0.25\n", ""),
    ("a.csv", "y,a,b\n1,1,0.5\n0,2,0\n1,0,0.25\n", " --label y"),
    ("a.tsv", "y\ta\tb\n1\t1\t0.5\n0\t2\t0\n1\t0\t0.25\n", " --label y"),
    ("a.vw", "1 | a:1 b:0.5\n0 | a:2\n1 | b:0.25\n", ""),
];

#[test]
fn blank_lines_are_no_rows_in_any_format() {
    for (file, rows, flags) in ROWS {
        let box_ = Sandbox::new();
        box_.write(file, rows.replace('\n', "\n\n   \n") + "\n \n");
        let done = box_.ok(&format!("fit {file} --passes 5 --json{flags}")).json();
        assert_eq!(done["rows"], 15, "{file}");
        assert_eq!(predictions(&box_, &format!("model.surefoot {file}")).len(), 3, "{file}");
        // The row at fault is behind all of these, and its line is counted so.
        let before = box_.text(file);
        let bad = if file.ends_with("svm") { "1 1:z\n" } else { rows.lines().next().unwrap_or_default() };
        let bad = if file.ends_with("vw") { "1 | a:nan\n" } else { bad };
        box_.write(file, before.clone() + bad);
        refused(&box_, &format!("fit {file} -o m{flags}"), &[&format!("{file}:{}:", before.lines().count() + 1)]);
    }
}

#[test]
fn ends_of_lines_and_marks_of_encodings_change_nothing() {
    for (file, rows, flags) in ROWS {
        let box_ = Sandbox::new();
        let mut model = None;
        for same in [
            rows.to_owned(),
            rows.replace('\n', "\r\n"),
            rows.trim_end().to_owned(),
            rows.trim_end().replace('\n', "\r\n"),
            format!("\u{feff}{rows}"),
            rows.replacen('\n', "\r\n", 1),
        ] {
            box_.write(file, &same);
            box_.ok(&format!("fit {file}{flags}"));
            let read = box_.read("model.surefoot");
            assert!(*model.get_or_insert_with(|| read.clone()) == read, "{same:?}");
        }
    }
}

#[test]
fn other_encodings_are_named() {
    for (file, rows, flags) in ROWS {
        let box_ = Sandbox::new();
        let wide = |bytes: fn(u16) -> [u8; 2], rows: &str| rows.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        for text in [rows.to_owned(), format!("\u{feff}{rows}")] {
            for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                box_.write(file, wide(bytes, &text));
                refused(&box_, &format!("fit {file}{flags}"), &[&format!("{file}:1:1: "), "UTF-16"]);
            }
        }
        box_.write(file, rows.replace('\n', "\r"));
        refused(&box_, &format!("fit {file}{flags}"), &[&format!("{file}:1:"), "carriage return", "LF"]);
    }
}

#[test]
fn words_written_twice_are_counts() {
    let box_ = Sandbox::new();
    box_.write("twice.vw", "1 | red red dress\n0 | red dress dress\n1 | hat red red red\n0 | hat dress\n");
    box_.write("count.vw", "1 | red:2 dress\n0 | red dress:2\n1 | hat red:3\n0 | hat dress\n");
    box_.ok("fit twice.vw --passes 10 -o twice");
    box_.ok("fit count.vw --passes 10 -o count");
    assert_eq!(predictions(&box_, "twice count.vw"), predictions(&box_, "count twice.vw"));
}

#[test]
fn two_classes_are_the_same_whatever_they_are_called() {
    let box_ = Sandbox::new();
    let yes = [true, true, false, true, false, false, true, false];
    let x = [2.0, 1.5, 1.0, 0.5, -0.5, -1.0, -1.5, -2.0];
    let mut seen = None;
    // In numbers the larger, in texts the later one is positive.
    for (no, one) in [
        ("0", "1"),
        ("-1", "+1"),
        ("1", "2"),
        ("0.0", "1.0"),
        ("0e0", "1E0"),
        ("2", "4"),
        ("no", "yes"),
        ("False", "True"),
        ("\"a, b\"", "\"a, c\""),
        ("<=50K", ">50K"),
    ] {
        let rows: String = yes.iter().zip(x).map(|(yes, x)| format!("{},{x}\n", if *yes { one } else { no })).collect();
        box_.write("a.csv", format!("y,x\n{rows}"));
        // Neither the size of the table of features nor the order of rows has a say in it.
        for flags in ["", " --bits 1", " --bits 32"] {
            let ran = box_.ok(&format!("fit a.csv --label y --passes 20{flags}"));
            let said = [one, no].map(|label| label.trim_matches(['"', '+']).to_owned());
            // Booleans are numbers.
            let said = said.map(|label| match label.as_str() {
                "True" => "1".to_owned(),
                "False" => "0".to_owned(),
                _ => label.parse().map_or(label, |number: f64| number.to_string()),
            });
            assert!(ran.err.contains(&format!("{} is positive, {} negative", said[0], said[1])), "{}", ran.err);
            let p = predictions(&box_, "model.surefoot a.csv");
            assert_eq!(*seen.get_or_insert_with(|| p.clone()), p, "{no} {one}{flags}");
        }
    }
}

#[test]
fn labels_that_are_no_classes_are_refused_where_they_stand() {
    let box_ = Sandbox::new();
    for (rows, says) in [
        ("y,x\n151,1\n75,2\n", &["a.csv:2:1: '151'", "--loss squared"][..]),
        ("y,x\n1,1\n0.5,2\n", &["a.csv:3:1: '0.5'", "--loss squared"]),
        ("y,x\n1,1\n0,2\n2,2\n", &["a.csv:4:1: '2'", "third class"]),
        ("y,x\na,1\nb,2\nB,2\n", &["a.csv:4:1: 'B'", "third class", "'a' and 'b'"]),
        ("y,x\nb,1\nc,2\na,2\n", &["a.csv:4:1: 'a'", "third class", "'b' and 'c'"]),
        ("y,x\n1,1\nyes,2\n", &["a.csv:3:1: 'yes'", "label"]),
        ("y,x\nyes,1\n1,2\n", &["a.csv:3:1: '1'", "label"]),
        ("y,x\n1,1\n,2\n", &["a.csv:3:1: ''", "label is missing"]),
        ("y,x\n1,1\nnan,2\n", &["a.csv:3:1: 'nan'", "label is missing"]),
        ("y,x\n1,1\ninf,2\n", &["a.csv:3:1: 'inf'", "label"]),
    ] {
        box_.write("a.csv", rows);
        refused(&box_, "fit a.csv --label y --missing indicator", says);
    }
}
