//! Tests of the memory budget: a run that would exceed it ends with an error that names the row, and leaves no files behind.

use crate::sandbox::{Ran, Sandbox};
use std::process::Command;

/// Writes data files that cannot be fitted within a memory budget: for each, its name, the budget in MiB, and the flags of the
/// fit.
fn hungry(box_: &Sandbox) -> Vec<(&'static str, u32, &'static str)> {
    let long = |head: &str, fill: u8, tail: &str| [head.as_bytes(), &vec![fill; 90 << 20], tail.as_bytes()].concat();
    box_.write("line.vw", long("1 | a", b' ', "\n"));
    box_.write("cell.csv", long("a,y\n", b'x', ",1\n"));
    let name = |i: u32| format!("{} | {}n {}m\n", i % 2, i * 7919, i * 31);
    box_.write("names.vw", (0..200_000).map(name).collect::<String>());
    let far = |i: u64| format!("{} {}:1\n", i % 400, (i + 1) << 20);
    box_.write("classes.svm", (0..800).map(far).collect::<String>());
    vec![
        ("line.vw", 60, ""),
        ("cell.csv", 60, "--label y"),
        ("names.vw", 30, ""),
        ("names.vw", 30, "--threads 1"),
        ("names.vw", 30, "--shuffle"),
        ("names.vw", 30, "--passes auto"),
        ("classes.svm", 20, "--loss softmax"),
    ]
}

#[test]
fn a_budget_of_memory_is_kept_or_an_error() {
    let box_ = Sandbox::new();
    let data = hungry(&box_);
    box_.write("m", "an older model");
    let before = box_.names();
    for (name, budget, flags) in data {
        let ran = box_.fails(1, &format!("fit {name} --memory {budget}M -o m -q {flags}"));
        let says = ran.err.lines().last().unwrap();
        let whole = says.starts_with(&format!("surefoot: {name}: "))
            && says.contains(&format!("the budget is {budget}.0 (--memory)"));
        assert!(whole, "{name} {flags}: {says}");
        assert_eq!((box_.names(), box_.text("m").as_str()), (before.clone(), "an older model"), "{name} {flags}");
        // The figure is more than the budget, and no promise.
        let (_, figure) = says.split_once("at least ").unwrap_or_else(|| panic!("{says}"));
        let needed: f64 = figure.split(' ').next().unwrap().parse().unwrap();
        assert!(needed >= f64::from(budget), "{says}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_the_system_refuses_is_an_error() {
    let box_ = Sandbox::new();
    hungry(&box_);
    let before = box_.names();
    for (name, flags) in [("line.vw", ""), ("cell.csv", "--label y"), ("line.vw", "--threads 1")] {
        // More than the limit leaves, so that it is the system that refuses and not the budget.
        let line = format!("ulimit -v 250000; exec \"$0\" fit {name} {flags} --memory 1T -o m -q");
        let mut command = Command::new("sh");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_surefoot")]).current_dir(box_.path("."));
        let ran = Ran::from(command.output().unwrap());
        assert_eq!(ran.status, 1, "{name} {flags}: {}", ran.err);
        assert!(ran.err.contains("the system refuses"), "{name} {flags}: {}", ran.err);
        assert_eq!(box_.names(), before, "{name} {flags}");
    }
}

#[test]
fn a_budget_that_is_enough_changes_no_byte() {
    let box_ = Sandbox::new();
    let row = |i: u32| format!("{} {}:1 {}:2\n", i % 2, i % 50 + 1, i % 7 + 60);
    box_.write("a.svm", (0..3000).map(row).collect::<String>());
    for flags in ["", "--shuffle", "--l2 0.1 --passes auto"] {
        for (name, memory) in [("free", ""), ("tight", "--memory 64M"), ("wide", "--memory 1T")] {
            box_.ok(&format!("fit a.svm -q -o {name} {flags} {memory}"));
            box_.ok(&format!("predict {name} a.svm -o p {memory}"));
            box_.ok(&format!("eval {name} a.svm {memory}"));
        }
        assert!(box_.read("free") == box_.read("tight") && box_.read("free") == box_.read("wide"), "{flags}");
    }
    for size in ["0", "1", "-1G", "M", "much", "inf"] {
        let ran = box_.fails(2, &format!("fit a.svm --memory={size}"));
        assert!(ran.err.contains("500M"), "{size}: {}", ran.err);
    }
}

#[test]
fn predictions_beyond_the_budget_leave_the_file_that_was_there() {
    let box_ = Sandbox::new();
    hungry(&box_);
    box_.write("a.vw", "1 | a\n0 | b\n");
    box_.ok("fit a.vw -q -o m");
    box_.write("p", "older predictions");
    let before = box_.names();
    for (name, status) in [("line.vw", 1), ("a.vw", 0)] {
        let ran = box_.run(&format!("predict m {name} -o p --memory 60M"));
        assert_eq!((ran.status, box_.names()), (status, before.clone()), "{name}: {}", ran.err);
        assert_eq!(box_.text("p").contains("older"), status == 1, "{name}");
        assert_eq!(box_.run(&format!("eval m {name} --memory 60M")).status, status, "{name}");
    }
}

/// A list of two million numbers that is compressed to 888 bytes counts against the memory budget. The file `row.parquet`,
/// written by pyarrow, contains it as its only row.
#[test]
#[cfg(feature = "parquet")]
fn a_list_of_one_huge_row_takes_no_memory_unseen() {
    let box_ = Sandbox::new();
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/data/row.parquet"), box_.path("row.parquet"))
        .unwrap();
    for (memory, says) in [("20M", "the budget is 20.0 (--memory)"), ("200M", "a list of 2000000 numbers")] {
        let line = format!("fit row.parquet --label y --numeric x --loss squared --memory {memory} -o m");
        assert!(box_.fails(1, &line).err.contains(says), "{memory}");
    }
    assert_eq!(box_.names(), ["row.parquet"]);
}
