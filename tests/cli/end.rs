//! Tests of a standard output that fails: the reader of a pipe has closed it, or the disk is full.

use crate::sandbox::{Ran, Sandbox, rows, skipped};
use std::fs::OpenOptions;
use std::process::{Command, Stdio};

/// Runs `surefoot LINE | head -1`, and returns the exit status and standard error of surefoot.
fn into_head(box_: &Sandbox, line: &str) -> Ran {
    let mut command = box_.command(line.split(' '));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pipe = child.stdout.take().unwrap();
    let head = Command::new("head").arg("-1").stdin(pipe).output().unwrap();
    assert_eq!(head.stdout.iter().filter(|&&byte| byte == b'\n').count(), 1, "{line}");
    Ran::from(child.wait_with_output().unwrap())
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(20_000));
    box_.ok("fit a.svm -o m");
    for line in [
        "predict m a.svm",
        "predict m a.svm --flush line",
        "man",
        "inspect m",
        "eval m a.svm",
        "completions bash",
        "--help",
    ] {
        let ran = into_head(&box_, line);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{line}");
    }
    let whole = box_.read("m");
    std::fs::remove_file(box_.path("m")).unwrap();
    let ran = into_head(&box_, "fit a.svm -o m --json");
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert!(box_.read("m") == whole);
}

#[test]
fn a_full_disk_is_an_error_that_names_the_output() {
    let Ok(_) = OpenOptions::new().write(true).open("/dev/full") else { return };
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(100));
    box_.ok("fit a.svm -o m");
    for line in
        ["predict m a.svm", "eval m a.svm", "inspect m", "man", "fit a.svm -o n --json", "fit a.svm -o - --quiet"]
    {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = Ran::from(box_.command(line.split(' ')).stdout(full).output().unwrap());
        assert_eq!(ran.status, 1, "{line}: {}", ran.err);
        assert!(ran.err.contains("standard output: No space left on device"), "{line}: {}", ran.err);
    }
    assert!(box_.read("n") == box_.read("m"), "the model is saved although nobody could be told");
    for line in ["predict m a.svm -o /dev/full", "fit a.svm -o /dev/full"] {
        let ran = box_.fails(1, line);
        assert!(ran.err.contains("surefoot: /dev/full: No space left on device"), "{}", ran.err);
    }
}

#[test]
fn a_model_that_does_not_fit_on_the_disk_leaves_the_earlier_one() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(100));
    box_.ok("fit a.svm -o m");
    let before = box_.read("m");
    box_.write("b.svm", (0..500).map(|i| format!("{} {i}:1\n", i % 2)).collect::<String>());
    // Files of more than 16 blocks of 512 bytes cannot be written.
    let shell = format!("ulimit -f 16; exec {} fit b.svm -o m", env!("CARGO_BIN_EXE_surefoot"));
    let folder = box_.path("");
    let ran = Ran::from(Command::new("sh").args(["-c", &shell]).current_dir(folder).output().unwrap());
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.err.lines().last().unwrap().starts_with("surefoot: m: File too large"), "{}", ran.err);
    assert!(box_.read("m") == before);
    assert_eq!(box_.names(), ["a.svm", "b.svm", "m"]);
}

#[test]
fn memory_that_ends_is_an_error_at_its_row() {
    let box_ = Sandbox::new();
    // Each class has features of its own.
    box_.write("a.svm", (0..3000).map(|i| format!("{} {i}:1\n", i % 300)).collect::<String>());
    let shell = format!("ulimit -v 700000; exec {} fit a.svm --loss softmax -o m", env!("CARGO_BIN_EXE_surefoot"));
    let folder = box_.path("");
    let ran = Ran::from(Command::new("sh").args(["-c", &shell]).current_dir(folder).output().unwrap());
    assert_eq!(ran.status, 1, "{}", ran.err);
    let says = ran.err.lines().last().unwrap();
    assert!(says.starts_with("surefoot: a.svm:") && says.contains("no memory") && says.contains("--bits"), "{says}");
    assert_eq!(box_.names(), ["a.svm"]);
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        return skipped("this system has no /dev/full");
    };
    for arguments in [&["help"][..], &["--version"], &["fit", "--help"], &[]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        let ran = Ran::from(command.args(arguments).stdout(full.try_clone().unwrap()).output().unwrap());
        assert!(ran.status == 1 && ran.err.contains("standard output"), "{arguments:?}: {}", ran.err);
    }
}
