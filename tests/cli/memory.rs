//! The budget of memory: what would exceed it ends with an error at its rows, and leaves nothing behind.

use crate::sandbox::{Ran, Sandbox};
use std::process::Command;

/// Data that need far more memory than a hundred megabytes, and how they are fitted.
fn hungry(box_: &Sandbox) -> [(&'static str, &'static str); 2] {
    let long = |head: &str, tail: &str| [head.as_bytes(), &vec![b' '; 150 << 20], tail.as_bytes()].concat();
    let line = long("1 | a", "\n");
    box_.write("long.vw", &line);
    let far = |i: u64| format!("{} {}:1\n", i % 1500, (i + 1) << 20);
    box_.write("classes.svm", (0..3000).map(far).collect::<String>());
    [("long.vw", ""), ("classes.svm", "--loss softmax")]
}

#[test]
fn a_budget_of_memory_is_kept_or_an_error() {
    let box_ = Sandbox::new();
    let data = hungry(&box_);
    let before = box_.names();
    for (name, flags) in data {
        let ran = box_.fails(1, &format!("fit {name} --memory 100M -o m -q {flags}"));
        let says = ran.err.lines().last().unwrap();
        let whole = says.starts_with(&format!("surefoot: {name}: behind row ")) && says.contains("100.0 (--memory)");
        assert!(whole && says.len() <= 500, "{says}");
        assert_eq!(box_.names(), before, "{name}");
    }
    // Memory that the system does not give.
    let shell = format!("ulimit -v 400000; exec {} fit long.vw -o m", env!("CARGO_BIN_EXE_surefoot"));
    let ran = Ran::from(Command::new("sh").args(["-c", &shell]).current_dir(box_.path("")).output().unwrap());
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.err.contains("of memory are in use"), "{}", ran.err);
    assert_eq!(box_.names(), before);
}

#[test]
fn a_budget_that_is_enough_changes_no_byte() {
    let box_ = Sandbox::new();
    box_.write(
        "a.svm",
        (0..3000).map(|i| format!("{} {}:1 {}:2\n", i % 2, i % 50 + 1, i % 7 + 60)).collect::<String>(),
    );
    for (name, memory) in [("free", ""), ("tight", "--memory 64M"), ("wide", "--memory 1T")] {
        box_.ok(&format!("fit a.svm -q -o {name} {memory}"));
        box_.ok(&format!("predict {name} a.svm -o p {memory}"));
        box_.ok(&format!("eval {name} a.svm {memory}"));
    }
    assert!(box_.read("free") == box_.read("tight") && box_.read("free") == box_.read("wide"));
    for size in ["0", "1", "-1G", "M", "much"] {
        let ran = box_.fails(2, &format!("fit a.svm --memory={size}"));
        assert!(ran.err.contains("500M"), "{size}: {}", ran.err);
    }
}
