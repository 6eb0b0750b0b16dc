//! Tests of the roles given to table columns, of warnings about suspicious columns, and of values that did not occur in training.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Returns a pseudo-random number in \[0, 1), determined by `n`.
fn noise(n: usize) -> f64 {
    ((n as f64 * 12.9898).sin() * 43758.5453).fract().abs()
}

/// Generates a CSV table of `rows` rows whose first column is a random label `y`, 0 or 1; `cells` writes the other cells, given the
/// row number and the label.
fn table(rows: usize, header: &str, cells: impl Fn(usize, bool) -> String) -> String {
    let mut text = format!("y,{header}\n");
    for n in 0..rows {
        let y = noise(n) > 0.5;
        let _ = writeln!(text, "{},{}", u8::from(y), cells(n, y));
    }
    text
}

/// Returns the warnings about columns in the results of a fit: the kind of each warning, and the names of its columns.
fn warned(done: &Value) -> Vec<(String, Vec<String>)> {
    let all = done["warnings"].as_array().unwrap().iter().filter(|warning| warning["columns"].is_array());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    all.map(|warning| (text(&warning["kind"]), warning["columns"].as_array().unwrap().iter().map(text).collect()))
        .collect()
}

#[test]
fn columns_that_are_likely_to_be_wrong_are_named_with_a_remedy() {
    let box_ = Sandbox::new();
    let words = ["late", "soon", "tea", "rain", "bus", "home", "call", "meet"];
    let word = |n: usize| words[(noise(n) * 8.0) as usize % 8];
    let prose = |n: usize| (0..7).map(|k| word(7 * n + k)).collect::<Vec<_>>().join(" ");
    let near = |y: bool, n: usize| if n % 400 == 399 { !y } else { y };
    type Make<'a> = &'a dyn Fn(usize, bool) -> String;
    let kinds: [(&str, &str, Make<'_>, &str, &str); 18] = [
        ("column_ids", "a", &|n, _| format!("{}", 5 + n), "", "--ignore"),
        ("column_ids", "a", &|n, _| format!("{}", 70_000 + 25 * n), "", "--ignore"),
        ("column_ids", "customerId", &|n, _| format!("{}", 7 + n * n), "", "--ignore"),
        ("column_codes", "store_id", &|n, _| format!("{}", 3 + n % 20), "", "--categorical"),
        ("column_codes", "a", &|n, _| format!("{}", 10_007 + 211 * (n * 7 % 300)), "", "--categorical"),
        ("column_values", "a", &|n, _| format!("k{n}"), "", "--ignore"),
        (
            "column_values",
            "a",
            &|n, _| if n % 3 == 0 { String::new() } else { format!("k{n}") },
            "--missing indicator",
            "--ignore",
        ),
        ("column_prose", "a", &|n, _| prose(n), "", "--text"),
        ("column_dates", "a", &|n, _| format!("20{:02}-03-{:02}", n % 7, 1 + n % 28), "--categorical a", "--ignore"),
        ("column_units", "a", &|n, _| format!("{:.1} kg", 1.0 + noise(n + 9) * 99.0), "", "--ignore"),
        ("column_units", "a", &|n, _| format!("{}{}", 1 + n % 40, ["g", "mg"][n % 2]), "", "--ignore"),
        ("column_units", "a", &|n, _| format!("\"{},{:03} CC\"", 1 + n % 3, n % 900), "", "--ignore"),
        ("column_constant", "a", &|_, _| "3".to_owned(), "", "--ignore"),
        ("column_constant", "a", &|_, _| "0".to_owned(), "", "--ignore"),
        ("column_constant", "a", &|_, _| "red".to_owned(), "", "--ignore"),
        (
            "column_leak",
            "a",
            &|n, y| format!("{:.3}", f64::from(u8::from(near(y, n))) * 40.0 - noise(n + 5)),
            "",
            "--ignore",
        ),
        ("column_leak", "a", &|n, y| format!("{}{}", if near(y, n) { "won" } else { "lost" }, n % 5), "", "--ignore"),
        (
            "column_leak",
            "a",
            &|n, y| if y { format!("{:.2}", noise(n + 3)) } else { String::new() },
            "--missing mean",
            "--ignore",
        ),
    ];
    for (k, (kind, name, make, flags, remedy)) in kinds.into_iter().enumerate() {
        let honest = |n: usize, y: bool| format!("{:.4}", f64::from(u8::from(y)) + 2.0 * noise(n + 77));
        let data = table(900, &format!("b,{name}"), |n, y| format!("{},{}", honest(n, y), make(n, y)));
        box_.write("a.csv", data);
        for more in ["", " --passes auto --l2 0.01"] {
            let ran = box_.ok(&format!("fit a.csv --label y {flags}{more} --json -o m"));
            assert_eq!(warned(&ran.json()), [(kind.to_owned(), vec![name.to_owned()])], "{k}{more}: {}", ran.err);
            assert!(ran.err.contains(&format!("{remedy} {name} ")), "{k}: {}", ran.err);
        }
        // The remedy is one.
        let cured = box_
            .ok(&format!("fit a.csv --label y {} {remedy} {name} --json -o m", flags.replace("--categorical a", "")));
        assert_eq!(warned(&cured.json()), [], "{k}: {}", cured.err);
    }
}

#[test]
fn measurements_are_no_ids_and_good_columns_are_no_leaks() {
    let box_ = Sandbox::new();
    let normal = |n: usize| (0..12).map(|k| noise(12 * n + k)).sum::<f64>() - 6.0;
    let header = "age,pay,people,year,flag_id,good,city,street,salary,second";
    let data = table(2000, header, |n, y| {
        let (age, year) = (18 + (noise(n + 1) * 60.0) as u64, 1990 + n % 30);
        let pay = 1000 * (20 + (noise(n + 2) * 60.0) as u64);
        let people = (normal(n) * 2.0 + 11.0).exp() as u64;
        let good = f64::from(u8::from(y)) * 2.5 + normal(n + 5000);
        let (city, street) = (n % 50, (noise(n + 4) * 700.0) as u64);
        let (salary, second) = (20_000 + (noise(n + 6) * 90_000.0) as u64, n * 86_400 / 2000 + n % 7);
        format!("{age},{pay},{people},{year},{},{good:.5},c{city},s{street},{salary},{second}", n % 2)
    });
    box_.write("a.csv", data);
    for flags in ["", "--passes auto --l2 0.01", "--passes 2", "--loss squared", "--bits 22"] {
        let ran = box_.ok(&format!("fit a.csv --label y {flags} --json -o m"));
        assert_eq!(warned(&ran.json()), [], "{flags}: {}", ran.err);
    }
}

#[test]
fn leaks_of_numbers_and_of_many_classes_are_found() {
    let box_ = Sandbox::new();
    let mut text = "y,near,far,code,kind\n".to_owned();
    for n in 0..600 {
        let y = (noise(n) * 3.0).floor();
        let _ = writeln!(text, "{y},{:.4},{:.4},{},k{y}", y + 0.2 * noise(n + 3), y + 2.5 * noise(n + 4), 7.0 * y);
    }
    box_.write("a.csv", text);
    for loss in ["softmax", "squared", "poisson"] {
        let done = box_.ok(&format!("fit a.csv --label y --loss {loss} --json -o m")).json();
        let leaks = warned(&done).into_iter().find(|(kind, _)| kind == "column_leak").unwrap().1;
        let expected: &[&str] = if loss == "softmax" { &["near", "code", "kind"] } else { &["code", "kind"] };
        assert_eq!(leaks, expected, "{loss}");
    }
}

#[test]
fn a_leak_is_found_in_one_value_of_many_and_with_zeros_of_either_sign() {
    let box_ = Sandbox::new();
    let reason = |n: usize, y: bool| if y { "none".to_owned() } else { format!("case {n}") };
    box_.write("a.csv", table(600, "reason,w", |n, y| format!("{},{}", reason(n, y), 1 + n % 3)));
    for (flags, counted) in [("--ignore w", false), ("--weight w", true)] {
        let ran = box_.ok(&format!("fit a.csv --label y {flags} --json -o m"));
        assert!(warned(&ran.json()).contains(&("column_leak".to_owned(), vec!["reason".to_owned()])), "{}", ran.err);
        assert_eq!(ran.err.contains("% of it is told, each row counted once"), counted, "{}", ran.err);
    }
    let zeros = |n: usize, y: bool| format!("{:.3},{}", f64::from(u8::from(y)) * 40.0 - noise(n + 5), n % 7);
    let text = table(600, "a,b", zeros).replace("\n0,", "\n-0,").replacen("\n-0,", "\n0,", 100);
    box_.write("a.csv", text);
    let done = box_.ok("fit a.csv --label y --json -o m").json();
    assert_eq!(warned(&done), [("column_leak".to_owned(), vec!["a".to_owned()])]);
}

/// Writes a table of 100 rows as CSV, and copies the same table as Parquet and Arrow, written by pyarrow: with plain columns, and with
/// a dictionary column that has an unused entry.
fn in_all_formats(box_: &Sandbox) {
    let mut text = "y,x,city,one,id\n".to_owned();
    for n in 0..100 {
        let _ = writeln!(text, "{},{},c{},same,{n}", n * 31 % 97 % 2, f64::from(n * 37 % 101) / 8.0, n % 7);
    }
    box_.write("a.csv", text);
    box_.write("a.parquet", include_bytes!("columns/plain.parquet"));
    box_.write("d.parquet", include_bytes!("columns/dictionary.parquet"));
    box_.write("a.arrow", include_bytes!("columns/plain.arrow"));
    box_.write("d.arrow", include_bytes!("columns/dictionary.arrow"));
}

#[test]
fn a_table_is_described_alike_in_all_formats_and_ways() {
    let box_ = Sandbox::new();
    in_all_formats(&box_);
    let whole = box_.ok("fit a.csv --label y --ignore x --json -o m").json();
    let expected = json!([
        {"name": "y", "role": "label"},
        {"name": "x", "role": "ignored", "flag": "--ignore"},
        {"name": "city", "role": "category", "values": 7, "at_least": false},
        {"name": "one", "role": "category", "values": 1, "at_least": false},
        {"name": "id", "role": "number"},
    ]);
    assert_eq!(whole["columns"], expected);
    let names = |name: &str| vec![name.to_owned()];
    assert_eq!(warned(&whole), [("column_ids".to_owned(), names("id")), ("column_constant".to_owned(), names("one"))]);
    assert_eq!(box_.ok("inspect m --json").json()["columns"], expected);
    let model = box_.read("m");
    for data in ["a.parquet", "d.parquet", "a.arrow", "d.arrow", "a.csv --threads 1", "a.csv --snapshot 7"] {
        let done = box_.ok(&format!("fit {data} --label y --ignore x --json -o n")).json();
        assert_eq!((&done["columns"], &done["warnings"]), (&whole["columns"], &whole["warnings"]), "{data}");
        assert!(box_.read("n") == model, "{data}");
    }
    let kept = box_.ok("fit a.csv --label y --keep city --json -o n").json();
    assert_eq!(kept["columns"][1], json!({"name": "x", "role": "ignored", "flag": "--keep"}));
    let table = box_.ok("fit a.csv --label y --ignore x -o n").err;
    assert!(table.contains("2 of categories (values): city (7), one (1)\n"), "{table}");
    assert!(table.contains("label y; 1 ignored: x\n"), "{table}");
    assert!(box_.ok("inspect n").out.contains("1 of numbers: id\n"));
    box_.ok("fit a.csv --label y --ignore x -o n --report r.html");
    let page = box_.text("r.html");
    assert!(page.contains("city (7), one (1)") && page.contains("Column &#39;id&#39;") || page.contains("Column 'id'"));
}

#[test]
fn many_columns_stay_short() {
    let box_ = Sandbox::new();
    let header: Vec<String> = (0..500).map(|n| format!("column_{n}")).collect();
    let cells =
        |n: usize| (0..500).map(move |k| if k < 9 { "5".to_owned() } else { format!("{:.2}", noise(n * 500 + k)) });
    box_.write("a.csv", table(40, &header.join(","), |n, _| cells(n).collect::<Vec<_>>().join(",")));
    let ran = box_.ok("fit a.csv --label y -o m");
    assert!(ran.err.lines().all(|line| line.len() < 500), "{}", ran.err);
    assert!(ran.err.contains("500 of numbers: column_0, column_1") && ran.err.contains(" more\n"), "{}", ran.err);
    assert!(ran.err.contains("and 4 more hold one value in all 40 rows"), "{}", ran.err);
    assert!(box_.ok("inspect m").out.contains("column_499"));
}

#[test]
fn what_training_never_saw_is_said_by_column() {
    let box_ = Sandbox::new();
    let x = |n: usize| noise(n + 3);
    box_.write("a.csv", table(300, "city,plan,x", |n, _| format!("c{},p{},{:.3}", n % 5, n % 2, x(n))));
    let new = |n: usize| match n {
        0..3 => "Osl=o*,p0,1".to_owned(),
        3 => "Rome,p1,".to_owned(),
        _ => format!("c{},p{},{}", n % 5, n % 2, if n < 6 { "" } else { "2" }),
    };
    box_.write("b.csv", table(40, "city,plan,x", |n, _| new(n)));
    let values = json!([{"column": "city", "rows": 4, "values": 2, "at_least": false, "examples": ["Osl=o*", "Rome"]}]);
    let gaps = json!([{"column": "x", "rows": 3}]);
    let line = "column 'city': 4 of 40 rows hold 2 values never seen in training, e.g. 'Osl=o*', 'Rome'";
    let warning = "column 'x' is missing in 3 of 40 rows and was in none of training";
    for flags in ["", "--passes auto --l2 0.01", "--loss softmax"] {
        let fit = format!("fit a.csv --label y --missing indicator {flags} --test b.csv -o m");
        let done = box_.ok(&format!("{fit} --json")).json();
        assert_eq!((&done["unseen_values"], &done["unseen_gaps"]), (&values, &gaps), "{flags}");
        let said = box_.ok(&fit).err;
        assert!(said.contains(line) && said.contains(warning), "{said}");
        let eval = box_.ok("eval m b.csv --json");
        let found = eval.json();
        assert_eq!((&found["unseen_values"], &found["unseen_gaps"]), (&values, &gaps), "{flags}");
        assert_eq!(found["warnings"][0]["columns"], json!(["x"]));
        for said in [eval.err, box_.ok("predict m b.csv").err] {
            assert!(said.contains(line) && said.contains(warning), "{said}");
        }
        // A warning is for people who want to be left alone, too; a note is not.
        let quiet = box_.ok("predict m b.csv --quiet").err;
        assert!(quiet.contains(warning) && !quiet.contains("Rome"), "{quiet}");
        assert_eq!(box_.ok("eval m a.csv --json").json()["unseen_values"], json!([]));
    }
    // Ids of few bits are shared: values are told by their names, rows by what is known.
    box_.ok("fit a.csv --label y --missing indicator --bits 3 -o m");
    let found = box_.ok("eval m b.csv --json").json();
    let told = &found["unseen_values"][0];
    assert_eq!((&told["column"], &told["values"], &told["at_least"]), (&json!("city"), &json!(2), &json!(true)));
    assert_eq!(box_.ok("eval m a.csv --json").json()["unseen_values"], json!([]));
}

/// A list in one row may hold several new values: each is counted, and the row once. The file `tags.parquet`, written by pyarrow, has
/// the labels 1, 0, 1 and the lists [a], [b] and [a, c, d, e].
#[test]
#[cfg(feature = "parquet")]
fn a_list_may_hold_all_new_values_in_one_row() {
    let box_ = Sandbox::new();
    let stored = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/data/tags.parquet");
    std::fs::copy(stored, box_.path("tags.parquet")).unwrap();
    box_.write("a.csv", "y,tags\n1,a\n0,b\n".repeat(20).replace("\ny,tags", ""));
    for (bits, at_least) in [("", false), ("--bits 3", true)] {
        box_.ok(&format!("fit a.csv --label y -o m {bits}"));
        let told = &box_.ok("eval m tags.parquet --json").json()["unseen_values"];
        let right =
            json!([{"column": "tags", "rows": 1, "values": 3, "at_least": at_least, "examples": ["c", "d", "e"]}]);
        assert_eq!(told, &right, "{bits}");
    }
}
