//! Tests of tables: format and delimiter are recognised, and columns are matched by name.

use crate::sandbox::Sandbox;

/// Generates a table of forty rows and three columns with this delimiter, with or without a header.
fn table(delimiter: &str, header: bool) -> String {
    let row = |i: usize| [format!("{}.5", i % 7), ["lima", "oslo", "rome"][i % 3].to_owned(), (i % 2).to_string()];
    let rows = (0..40).map(row).map(|cells| cells.join(delimiter) + "\n");
    (if header { ["x", "city", "y"].join(delimiter) + "\n" } else { String::new() }) + &rows.collect::<String>()
}

/// Copies a Parquet or Arrow file of the test data into the sandbox.
fn stored(box_: &Sandbox, from: &str, to: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/surefoot-io/tests/data/columnar/");
    std::fs::copy(format!("{folder}{from}"), box_.path(to)).unwrap();
}

#[test]
fn a_model_with_names_takes_any_format_and_order_of_columns() {
    let box_ = Sandbox::new();
    stored(&box_, "rows.parquet", "a.parquet");
    stored(&box_, "rows.arrow", "a.arrow");
    box_.write("a.csv", "y,w,e,a,b,c\n2,1,1,0.5,2,red\n1,2,1,1.5,1,blue\n2,1,2,-1,0,red\n1,1,1,2,1,blue\n");
    box_.write("b.csv", "c;b;a;e;w\nred;2;0.5;1;1\nblue;1;1.5;1;2\nred;0;-1;2;1\nblue;1;2;1;1\n");
    for data in ["a.parquet", "a.arrow", "a.csv"] {
        box_.ok(&format!("fit {data} --label y -o m"));
        let right = box_.ok("predict m a.csv").out;
        assert_eq!(right.lines().count(), 4, "{data}");
        assert_eq!(box_.ok("predict m b.csv").out, right, "{data}");
        assert_eq!(box_.ok("predict m a.parquet").out, box_.ok("predict m a.arrow").out, "{data}");
        box_.ok("fit a.csv a.parquet a.arrow --resume m --test a.arrow -o n");
    }
    // What a file is, its content says.
    stored(&box_, "rows.parquet", "misnamed.csv");
    let ran = box_.ok("fit misnamed.csv --label y -o n");
    assert!(ran.err.contains("note: misnamed.csv: read as parquet"), "{}", ran.err);
    assert!(box_.fails(2, "fit misnamed.csv --label y --format csv").err.contains("misnamed.csv:1:1"));
}

#[test]
fn a_header_is_no_row_for_a_model_without_names() {
    let box_ = Sandbox::new();
    box_.write("bare.csv", table(",", false));
    for (ignored, what) in [("--ignore 9", "numbers"), ("--ignore 1", "categories alone")] {
        let ignored = if what == "numbers" { "" } else { ignored };
        box_.ok(&format!("fit bare.csv --label 3 {ignored} -o m"));
        let right = box_.ok("predict m bare.csv").out;
        assert_eq!(right.lines().count(), 40);
        for delimiter in [",", ";", "\t", "  "] {
            box_.write("headed.csv", table(delimiter, true));
            let ran = box_.ok("predict m headed.csv");
            assert!(ran.out == right && ran.err.contains("line 1 was taken for names"), "{what}: {}", ran.err);
        }
        let said = box_.run("predict m headed.csv --header no");
        assert_eq!(said.out.lines().count(), if what == "numbers" { 0 } else { 41 });
    }
}

#[test]
fn rows_that_a_model_with_names_cannot_place_are_refused() {
    let box_ = Sandbox::new();
    box_.write("a.csv", table(",", true));
    box_.write("bare.csv", table(",", false));
    box_.write("case.csv", table(",", true).replacen("city", " City", 1));
    box_.write("a.svm", "1 3:0.5\n0 2:1\n");
    box_.write("a.vw", "1 | a\n-1 | b\n");
    box_.ok("fit a.csv --label y -o m");
    for (data, says) in [
        ("bare.csv", "--header no takes columns by their place"),
        ("case.csv", "did you mean 'City'?"),
        ("a.svm", "go by index (svmlight), those of the model by columns"),
        ("a.vw", "go by names (vw), those of the model by columns"),
    ] {
        let ran = box_.fails(1, &format!("predict m {data}"));
        assert!(ran.err.contains(says), "{data}: {}", ran.err);
    }
    assert_eq!(box_.ok("predict m bare.csv --header no").out, box_.ok("predict m a.csv").out);
    box_.ok("fit a.svm -o s");
    assert!(box_.fails(1, "predict s a.csv").err.contains("those of the model by index"));
    assert!(box_.fails(1, "fit a.svm a.csv").err.contains("those of the input before by index"));
}

#[test]
fn kinds_that_cannot_be_read_are_named() {
    let box_ = Sandbox::new();
    let tar = [vec![b'a'; 257], b"ustar\0".to_vec(), vec![0; 200]].concat();
    let cases: [(&str, &[u8], &str); 7] = [
        ("a.zip", b"PK\x03\x04\x14\0\0\0\x08\0loan.csv", "zip archive: unpack it"),
        ("a.csv", b"PK\x03\x04\x14\0\0\0\x08\0xl/workbook.xml", "Excel workbook (xlsx)"),
        ("a.tar", &tar, "tar archive: unpack it"),
        ("a.jsonl", b"{\"x\":1,\"y\":0}\n{\"x\":2,\"y\":1}\n", "JSON lines"),
        ("a.arff", b"% loans\n@relation loan\n@attribute x real\n@data\n1\n", "ARFF"),
        ("a.ffm", b"1 0:3:0.5 1:4:1\n", "libffm"),
        ("a.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
    ];
    for (name, bytes, says) in cases {
        box_.write(name, bytes);
        let ran = box_.fails(1, &format!("fit {name} --label y"));
        assert!(ran.err.starts_with(&format!("surefoot: {name}: this is ")) && ran.err.contains(says), "{}", ran.err);
        assert!(!box_.has("model.surefoot"));
    }
}

#[test]
fn test_rows_are_read_as_those_that_are_learnt() {
    let box_ = Sandbox::new();
    let table = |cell: &dyn Fn(usize) -> String| {
        let rows = (0..40).map(|n| format!("{},{},{}\n", n % 2, cell(n), n % 7));
        "y,c,x\n".to_owned() + &rows.collect::<String>()
    };
    // By themselves these few rows would be taken in another way, or in none.
    for (cell, flags, test) in [
        (&(|n: usize| format!("{:02x}", n * 37 % 256)) as &dyn Fn(usize) -> String, "", "y,c,x\n1,12,3\n0,ab,2\n"),
        (&|n| n.to_string(), "--missing mean", "x,c,y\n2,,1\n3,,0\n"),
        (&|n| format!("d{}", n % 3), "", "y,c,x\n1,2011-01-01,3\n"),
    ] {
        box_.write("train.csv", table(cell));
        box_.write("test.csv", test);
        box_.ok(&format!("fit train.csv --label y {flags} -o m"));
        let apart = box_.ok("eval m test.csv --json").json();
        let tested = box_.ok(&format!("fit train.csv --label y {flags} --test test.csv -o n --json")).json();
        assert!(apart["loss"].is_f64() && tested["test_loss"] == apart["loss"], "{test}");
    }
    // Where both are at fault, the rows that are learnt are named.
    box_.write("train.csv", "y,c\n1,2011-01-01\n0,2011-01-02\n");
    box_.write("test.csv", "y,c\n1,2011-01-03\n");
    assert!(box_.fails(1, "fit train.csv --label y --test test.csv -o n").err.contains("train.csv:2:3"));
    // What is wrong with test rows is said before any is learnt.
    box_.write("train.csv", table(&|n| n.to_string()));
    box_.write("test.csv", "y,c,x\n1,2,3\n0,z,3\n");
    let ran = box_.fails(1, "fit train.csv --label y --test test.csv -o late");
    assert!(ran.err.contains("test.csv:3:3: 'z'") && !box_.has("late"), "{}", ran.err);
    let ran = box_.feed("fit - --format csv --label y --test test.csv -o piped", table(&|n| n.to_string()).as_bytes());
    assert!(ran.status == 1 && ran.err.contains("test.csv:3:3: 'z'") && box_.has("piped"), "{}", ran.err);
}
