//! Cases of tables as text.

use super::{misused, predictions, refused};
use crate::sandbox::{Sandbox, rows};

#[test]
fn no_column_is_lost_to_its_name() {
    let box_ = Sandbox::new();
    for (header, says) in [
        ("y,x,x,z", &["a.csv:1:5: 'x'", "columns 2 and 3"][..]),
        ("y,\"x\",x,z", &["a.csv:1:7: 'x'", "columns 2 and 3"]),
        ("y,x,y,z", &["a.csv:1:5: 'y'", "columns 1 and 3"]),
        ("y,x,,z", &["a.csv:1:1: ", "column 3 has no name"]),
    ] {
        box_.write("a.csv", format!("{header}\n0,0,0,0\n1,1,0,0\n10,0,1,0\n"));
        refused(&box_, "fit a.csv --label y --loss squared", says);
    }
    // Names that differ at all are names of two columns.
    box_.write("a.csv", "y,x,X,z\n0,0,0,0\n1,1,0,0\n10,0,1,0\n100,0,0,1\n");
    box_.ok("fit a.csv --label y --loss squared");
    assert_eq!(box_.ok("inspect model.surefoot --json").json()["features"], 3);
}

#[test]
fn a_missing_cell_is_an_error_or_a_feature_but_no_number_and_no_class() {
    let box_ = Sandbox::new();
    let table = |cell: &str| format!("y,x1,x2\n1,1,10\n0,2,{cell}\n0,3,7\n1,4,-999\n");
    for cell in ["", " ", "\"\"", "NA", "N/A", "nan", "NaN", "NAN", "-nan", "NULL", "null", "None", "#N/A", " NA "] {
        box_.write("a.csv", table(cell));
        refused(&box_, "fit a.csv --label y", &["a.csv:3:5: ", "column 3 ('x2')", "--missing"]);
        let ran = box_.ok("fit a.csv --label y --missing indicator --json -o m");
        assert_eq!(ran.json()["missing"], serde_json::json!({"x2": 1}), "{cell}");
        assert!(ran.err.contains("missing cells: 1 in x2"), "{cell}: {}", ran.err);
        assert!(predictions(&box_, "m a.csv").iter().all(|p| p.is_finite()), "{cell}");
        // The policy is the model's: with one that knows no missing cells they are errors still.
        box_.write("whole.csv", table("1"));
        box_.ok("fit whole.csv --label y -o whole");
        refused(&box_, "predict whole a.csv -o p", &["a.csv:3:5: ", "x2"]);
        std::fs::remove_file(box_.path("m")).unwrap();
        std::fs::remove_file(box_.path("whole")).unwrap();
    }
    for cell in ["?", "-", "missing", "x!z", "inf", "1e999"] {
        box_.write("a.csv", table(cell));
        refused(&box_, "fit a.csv --label y --missing indicator", &[&format!("a.csv:3:5: '{cell}'"), "('x2')"]);
        let ran = box_.ok(&format!("fit a.csv --label y --missing indicator --na {cell},-999 -o m"));
        assert!(ran.err.contains("missing cells: 2 in x2"), "{cell}: {}", ran.err);
        std::fs::remove_file(box_.path("m")).unwrap();
    }
}

#[test]
fn rows_of_another_length_are_errors() {
    let box_ = Sandbox::new();
    for (row, found) in [("0,1,2", 3), ("0", 1), ("0,1,2,3,4", 5), ("0,1,2,3,", 5), ("0,1,\"2,3\"", 3)] {
        box_.write("a.csv", format!("y,a,b,c\n1,1,2,3\n{row}\n1,4,5,6\n"));
        let says = [&*format!("a.csv:3:1: '{row}'"), &format!("expected 4 fields, found {found}")].map(str::to_owned);
        refused(&box_, "fit a.csv --label y", &says.each_ref().map(|says| &**says));
        let ran = box_.ok("fit a.csv --label y --skip-bad-rows 1 -o m --json");
        assert!(ran.json()["rows"] == 2 && ran.err.contains("warning: a.csv:3:1: "), "{}", ran.err);
        std::fs::remove_file(box_.path("m")).unwrap();
    }
}

#[test]
fn what_looks_like_a_number_to_people_is_never_half_read() {
    let box_ = Sandbox::new();
    for (cell, says) in [
        ("1,234.5", "thousands"),
        ("2,000", "thousands"),
        ("1.234.567", "thousands"),
        ("1 234.5", "thousands"),
        ("1'234", "thousands"),
        ("1_000", "thousands"),
        ("1.234,5", "decimal comma"),
        ("1,5", "decimal comma"),
        ("-1,5", "decimal comma"),
        ("$5", "unit"),
        ("5%", "unit"),
        ("'5'", "quotes"),
        ("2020-01-02", "date"),
        ("12:30", "date"),
        ("0x1F", "not a number"),
        ("1d5", "not a number"),
        ("\u{2212}5", "not a number"),
    ] {
        let all = format!("y;x\n1;{cell}\n0;{cell}\n1;{cell}\n");
        for table in [format!("y;x\n1;12\n0;7\n1;{cell}\n"), all] {
            box_.write("a.csv", table);
            let ran = box_.run("fit a.csv --delimiter ; --label y");
            // Where every cell is so, it may be a name, but not what looks like a number.
            let named = says == "not a number" && ran.status == 0;
            assert!(named || (ran.status == 1 && ran.err.contains(says)), "{cell}: {}", ran.err);
            assert_eq!(box_.has("model.surefoot"), named, "{cell}");
            let _ = std::fs::remove_file(box_.path("model.surefoot"));
        }
    }
}

#[test]
fn the_type_of_a_column_does_not_change_half_way() {
    let table = |odd: &str| {
        let cell = |i: usize| if i == 1500 { odd.to_owned() } else { (i % 7).to_string() };
        let rows: String = (1..=2000).map(|i| format!("{},{},{}\n", i % 2, i * 37 % 101, cell(i))).collect();
        format!("y,a,c\n{rows}")
    };
    let box_ = Sandbox::new();
    for number in ["0.5", "1e3", "-7", "12345678901234567890", "true"] {
        box_.write("late.csv", table(number));
        let done = box_.ok("fit late.csv --label y --json").json();
        assert_eq!((&done["rows"], &done["features"]), (&2000.into(), &2.into()), "{number}");
        std::fs::remove_file(box_.path("model.surefoot")).unwrap();
    }
    for word in ["n.a.", "x", "yes", "1 000"] {
        box_.write("late.csv", table(word));
        refused(&box_, "fit late.csv --label y", &["late.csv:1501:", &format!("'{word}'"), "column 3 ('c')"]);
    }
}

#[test]
fn many_columns_are_read_and_named() {
    let columns = 20_000;
    let table = |bad: bool| {
        let header: String = (0..columns).map(|j| format!("f{j},")).collect();
        let cell = |i: usize, j: usize| if bad && (i, j) == (17, 12_345) { 9 } else { (i * 7 + j * 3) % 5 };
        let row = |i| (0..columns).map(|j| format!("{},", cell(i, j))).collect::<String>() + &format!("{}\n", i % 2);
        let text: String = (1..=20).map(row).collect();
        format!("{header}y\n{text}").replace(",9,", ",x!z,")
    };
    let box_ = Sandbox::new();
    box_.write("wide.csv", table(false));
    let done = box_.ok("fit wide.csv --label y --passes 3 --json -o m").json();
    assert_eq!((&done["rows"], &done["features"]), (&60.into(), &columns.into()));
    box_.write("bad.csv", table(true));
    refused(&box_, "fit bad.csv --label y -o n", &["bad.csv:18:24691: 'x!z'", "column 12346 ('f12345')"]);
}

#[test]
fn another_delimiter_is_found_and_said() {
    let box_ = Sandbox::new();
    let plain = "\"y\",\"a b\",c\n1,1,u\n0,2,v\n0,4.5,v\n";
    box_.write("a.csv", plain);
    box_.ok("fit a.csv --label y -o plain");
    for (delimiter, says) in
        [(";", "';' between cells"), ("|", "'|' between cells"), ("\t", "tabs between"), ("  ", "runs of blanks")]
    {
        box_.write("b.csv", plain.replace(',', delimiter));
        let ran = box_.ok("fit b.csv --label y -o found");
        assert!(
            ran.err.lines().next().unwrap().contains(says) && ran.err.contains("line 1 is a header"),
            "{}",
            ran.err
        );
        assert!(box_.read("found") == box_.read("plain"), "{delimiter}");
        // What stands between cells is no business of the model; what is said is not doubted.
        assert_eq!(box_.ok("predict plain b.csv").out, box_.ok("predict plain a.csv").out);
        box_.fails(1, "predict plain b.csv --delimiter ,");
        if matches!(delimiter, ";" | "|") {
            box_.ok(&format!("predict plain b.csv --delimiter {delimiter}"));
        }
    }
}

#[test]
fn columns_are_chosen_by_range_and_pattern() {
    let box_ = Sandbox::new();
    box_.write("a.csv", "y,x1,x2,z,c-1\n1,1,2,3,4\n0,2,3,4,5\n1,3,1,5,6\n");
    let by_name = "fit a.csv --label y --categorical x1,x2 --ignore z,c-1 -o by_name";
    box_.ok(by_name);
    for same in
        ["--categorical 2-3 --ignore 4-5", "--categorical x* --ignore 4,c*1", "--categorical 2,*2 --ignore z*,5"]
    {
        box_.ok(&format!("fit a.csv --label y {same} -o m"));
        assert!(box_.read("m") == box_.read("by_name"), "{same}");
        box_.ok(&format!("predict by_name a.csv {same}"));
    }
    // A name wins, and what means no column is an error.
    box_.ok("fit a.csv --label y --ignore c-1 -o m");
    for (none, says) in [("5-6", "'5-6'"), ("3-2", "'3-2'"), ("w*", "'w*'"), ("0", "'0'")] {
        misused(&box_, &format!("fit a.csv --label y --ignore {none}"), &["--ignore", says]);
    }
    misused(&box_, "fit a.csv --label 1-2", &["--label", "'1-2'"]);
    let ran = box_.fails(2, "predict by_name a.csv --categorical 2-4");
    assert!(ran.err.contains("--categorical 2-4"), "{}", ran.err);
}

/// Generates a table with the text labels `yes` and `no`; with `bad`, it also has rows to be skipped, whose labels
/// occur in no other row: their values are missing or exceed the bound on the norm of rows.
fn labelled(bad: bool) -> String {
    let mut text = "y,x\n".to_owned();
    for (i, row) in rows(60).lines().enumerate() {
        let (label, x) = (if row.starts_with('1') { "yes" } else { "no" }, row.split(':').nth(1).unwrap_or_default());
        let x: f64 = x.split(' ').next().unwrap_or_default().parse().unwrap();
        if bad && i == 0 {
            text += "sometimes,1000\nnever,\n";
        }
        text += &format!("{label},{x}\n");
        if bad && i % 20 == 7 {
            text += "maybe,-1000\n";
        }
    }
    text
}

#[test]
fn labels_of_rows_that_are_passed_over_are_no_classes() {
    let box_ = Sandbox::new();
    box_.write("good.csv", labelled(false));
    box_.write("bad.csv", labelled(true));
    let fit = "--label y --radius 3 --row-norm 2 --json";
    let good = box_.ok(&format!("fit good.csv {fit} -o good")).json();
    let ran = box_.ok(&format!("fit bad.csv {fit} -o bad --skip-bad-rows 9"));
    assert_eq!(ran.json()["rows_skipped"], 5, "{}", ran.err);
    assert_eq!(ran.json()["loss"], good["loss"]);
    for kind in ["probability", "class"] {
        let of = |model: &str| box_.ok(&format!("predict {model} good.csv --type {kind}")).out;
        assert_eq!(of("good"), of("bad"));
    }
    let classes = &box_.ok("inspect bad --json").json()["settings"]["classes"];
    let texts: Vec<_> = classes.as_array().unwrap().iter().map(|class| class["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["no", "yes"]);
}

#[test]
fn rows_that_are_passed_over_leave_no_names() {
    let box_ = Sandbox::new();
    // Hashed to one bit, features share their numbers, and the first of a number gives its name.
    let good: String = (0..40).map(|i| format!("{},a{},b{}\n", i % 2, i % 5, i % 3)).collect();
    let bad: String = (0..40).map(|i| format!("{},zz{i},zz{i},1\nx{i},zz{i},b{i}\n,yy{i},b{i}\n", i % 2)).collect();
    box_.write("good.csv", format!("y,c,d\n{good}"));
    box_.write("bad.csv", format!("y,c,d\n{}{bad}{}", &good[..16], &good[16..]));
    let fit = "--label y --bits 3 --categorical c,d --interact c:d";
    box_.ok(&format!("fit good.csv {fit} -o good"));
    box_.ok(&format!("fit bad.csv {fit} -o bad --skip-bad-rows 200"));
    assert!(box_.read("good") == box_.read("bad"));
}
