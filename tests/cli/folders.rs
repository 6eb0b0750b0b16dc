//! Tests of folders and recursive glob patterns as DATA, and of columns taken from folder names such as `year=2024`.

use crate::sandbox::Sandbox;
use std::fs;

fn write(box_: &Sandbox, name: &str, text: &str) {
    fs::create_dir_all(box_.path(name).parent().unwrap()).unwrap();
    box_.write(name, text);
}

/// Writes a table in two folders `year=2023` and `year=2024`, with additional files that are no data, and the same
/// table as one file with a column `year`.
fn table() -> Sandbox {
    let box_ = Sandbox::new();
    for (year, rows) in [(2023, "0,1\n1,2\n1,3\n"), (2024, "1,2\n0,-1\n1,4\n0,0.5\n")] {
        write(&box_, &format!("t/year={year}/part-0.csv"), &format!("y,x\n{rows}"));
        write(&box_, &format!("t/year={year}/.part-0.csv.crc"), "\0\0");
    }
    write(&box_, "t/_SUCCESS", "");
    write(&box_, "t/_temporary/0.csv", "torn");
    box_.write("flat.csv", "y,x,year\n0,1,2023\n1,2,2023\n1,3,2023\n1,2,2024\n0,-1,2024\n1,4,2024\n0,0.5,2024\n");
    box_.write("x.csv", "y,x\n1,2\n");
    box_
}

#[test]
fn a_folder_means_its_data_files_and_folders_in_it_columns() {
    let box_ = table();
    box_.ok("fit flat.csv --label y -o flat");
    let same = "t t/ ./t t/* t/** t/year=* t/*/*.csv t/**/*.csv t/**/part*";
    let files = "t/year=2023/part-0.csv t/year=2024/part-0.csv";
    for data in same.split(' ').chain([files]) {
        box_.ok(&format!("fit {data} --label y -o m -q"));
        assert!(box_.read("m") == box_.read("flat"), "{data}");
        assert_eq!(box_.ok(&format!("predict flat {data}")).out, box_.ok("predict flat flat.csv").out, "{data}");
    }
    box_.ok("fit t --label y --passes 3 --test t -o m");
    box_.ok("fit flat.csv --label y --passes 3 -o flat3");
    assert!(box_.read("m") == box_.read("flat3"));
    assert_eq!(box_.ok("eval m t --json").out, box_.ok("eval m flat.csv --json").out);
}

#[test]
fn what_folders_say_needs_no_quotes() {
    let box_ = Sandbox::new();
    write(&box_, "t/k=a,b/p.csv", "y,c\n1,\"u\n0,v\n");
    write(&box_, "t/k=\"c\"/p.csv", "y,c\n1,v\n0,\"u\n");
    box_.ok("fit t --label y --quote none -o m");
    let weights = box_.ok("export m -o -").out;
    for name in ["\"k=a,b\"", "\"k=\"\"c\"\"\"", "\"c=\"\"u\"", "c=v"] {
        assert!(weights.lines().any(|line| line.starts_with(&format!("{name},"))), "{name}: {weights}");
    }
}

#[test]
fn columns_of_folders_go_by_name() {
    let box_ = table();
    for (flags, features) in [
        ("--label y", "(intercept) year x"),
        ("--label y --ignore year", "(intercept) x"),
        ("--label y --categorical year", "(intercept) year=2023 year=2024 x"),
        ("--label y --categorical y*r", "(intercept) year=2023 year=2024 x"),
        ("--label year --loss squared", "(intercept) y x"),
        ("--label y --weight year", "(intercept) x"),
        ("--label y --interact x:year", "(intercept) x*year year x"),
    ] {
        box_.ok(&format!("fit t {flags} -o m"));
        let weights = box_.ok("export m -o -").out;
        let mut found: Vec<_> = weights.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        let mut expected: Vec<_> = features.split(' ').collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{flags}");
        box_.ok(&format!("predict m t {flags}"));
    }
    // One year: of use as a column of a folder, of none in the name of a file, unless it is asked for.
    for (line, has) in [
        ("fit t/year=2024 --label y", false),
        ("fit t/year=2024/part-0.csv --label y", false),
        ("fit t/year=2024/part-0.csv --label y --numeric year", true),
        ("fit t/*24 --label y", true),
    ] {
        box_.ok(&format!("{line} -o m"));
        assert_eq!(box_.ok("export m -o -").out.contains("year"), has, "{line}");
    }
}

#[test]
fn a_model_that_knows_a_column_finds_it_in_the_path() {
    let box_ = table();
    box_.ok("fit t --label y -o m");
    box_.ok("predict m t/year=2024/part-0.csv");
    for line in ["predict m x.csv", "eval m x.csv", "predict m t x.csv", "fit x.csv --resume m"] {
        let says = box_.fails(1, line).err;
        assert!(says.contains("x.csv:1:1") && says.contains("column 'year' of the model is missing"), "{says}");
    }
    box_.ok("fit x.csv --label y -o n");
    assert_eq!(box_.ok("predict n t").out.lines().count(), 7, "what a model does not know is passed over");
    let says = box_.fails(1, "fit t x.csv --label y").err;
    assert!(says.contains("x.csv: no folder 'year=...' in its path") && says.contains("--ignore year"), "{says}");
    box_.ok("fit t x.csv --label y --ignore year");
}

#[test]
fn a_run_over_a_folder_goes_on_where_it_was_stopped() {
    let box_ = table();
    box_.ok("fit t --label y --passes 2 --holdout none -o whole");
    // Stopped by a row at fault behind a snapshot.
    write(&box_, "t/year=2024/part-0.csv", "y,x\n1,2\n0,-1\n1,?\n0,0.5\n");
    box_.fails(1, "fit t --label y --passes 2 --holdout none --snapshot 1 -o m");
    write(&box_, "t/year=2024/part-0.csv", "y,x\n1,2\n0,-1\n1,4\n0,0.5\n");
    fs::rename(box_.path("t/year=2024"), box_.path("t/year=2025")).unwrap();
    assert!(box_.fails(1, "fit t --resume m -o m").err.contains("the interrupted run read t/year=2024/part-0.csv"));
    fs::rename(box_.path("t/year=2025"), box_.path("t/year=2024")).unwrap();
    box_.ok("fit t --resume m -o m");
    assert!(box_.read("m") == box_.read("whole"));
}

#[test]
fn names_that_stand_for_no_data_say_so() {
    let box_ = table();
    fs::create_dir_all(box_.path("e/_x")).unwrap();
    write(&box_, "e/.hidden", "y,x\n1,2\n");
    std::os::unix::fs::symlink("..", box_.path("t/up")).unwrap();
    for (line, says) in [
        ("fit e", "e: the folder holds no data files"),
        ("fit e/** --label y", "no data file matches"),
        ("fit e/* --label y", "no data file matches"),
        ("fit t --label y", "t/up: a link that leads back"),
        #[cfg(not(feature = "cloud"))]
        ("fit https://example.com/x.csv", "curl -L https://example.com/x.csv |"),
    ] {
        assert!(box_.fails(1, line).err.contains(says), "{line}: {}", box_.run(line).err);
    }
    assert_eq!(box_.run("fit e/.* --label y").status, 0, "hidden names that are asked for");
}
