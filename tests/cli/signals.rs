//! Tests of Ctrl-C, SIGTERM and SIGKILL at arbitrary moments.

use crate::sandbox::{Ran, Sandbox, Uniform, head, rows, signal};
use std::io::Write;
use std::time::Duration;

/// Starts `surefoot LINE`, sends it the signals after `after` milliseconds, and returns how it ended.
fn interrupt(box_: &Sandbox, line: &str, after: u64, signals: &[&str]) -> Ran {
    let mut child = box_.start(line);
    // Standard input stays open to the end.
    let _pipe = child.stdin.take();
    std::thread::sleep(Duration::from_millis(after));
    for (i, name) in signals.iter().enumerate() {
        if i > 0 {
            std::thread::sleep(Duration::from_millis(3));
        }
        let _ = std::process::Command::new("kill")
            .args([&format!("-{name}"), &child.id().to_string()])
            .stderr(std::process::Stdio::null())
            .status();
    }
    Ran::from(child.wait_with_output().unwrap())
}

#[test]
fn signals_save_a_model_that_says_where_it_stands() {
    let box_ = Sandbox::new();
    box_.write("all.svm", rows(2000));
    for (name, status) in [("INT", 130), ("TERM", 143)] {
        let _ = std::fs::remove_file(box_.path("m"));
        let child = box_.start("fit all.svm --passes 1000000 -o m --snapshot 100");
        box_.wait_for(|name| name == "m");
        signal(&child, name);
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, status, "{}", ran.err);
        let rows = box_.ok("inspect m --json").json()["rows"].as_u64().unwrap();
        let message = ran.err.lines().last().unwrap();
        assert!(message.contains(&format!("after row {rows}")) && message.contains("--resume m"), "{message}");
        assert_eq!(box_.names(), ["all.svm", "m"]);
    }
}

#[test]
fn a_pipe_that_gives_no_rows_does_not_keep_it() {
    let box_ = Sandbox::new();
    for more in ["", " --threads 1"] {
        let _ = std::fs::remove_file(box_.path("m"));
        let mut child = box_.start(&format!("fit - -o m --snapshot 50{more}"));
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(rows(50).as_bytes()).unwrap();
        box_.wait_for(|name| name == "m");
        signal(&child, "TERM");
        // The pipe is open, so a run that waited for it would not end.
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 143, "{}", ran.err);
        assert_eq!(box_.ok("inspect m --json").json()["rows"], 50);
        drop(pipe);
    }
}

#[test]
fn nothing_is_written_before_the_first_row() {
    let box_ = Sandbox::new();
    for passes in ["", " --passes 3"] {
        for (name, status) in [("INT", 130), ("TERM", 143)] {
            let ran = interrupt(&box_, &format!("fit -{passes}"), 400, &[name]);
            assert_eq!(ran.status, status);
            assert!(ran.err.contains("nothing is written"), "{}", ran.err);
            assert!(box_.names().is_empty());
        }
    }
    let ran = interrupt(&box_, "predict /dev/null - -o p", 50, &["INT"]);
    assert_ne!(ran.status, 0);
    assert!(box_.names().is_empty());
}

#[test]
fn a_second_ctrl_c_damages_nothing() {
    let box_ = Sandbox::new();
    box_.write("all.svm", rows(2000));
    for after in [20, 60, 150, 300] {
        let ran = interrupt(&box_, "fit all.svm --passes 1000000 -o m --snapshot 1000", after, &["INT", "INT"]);
        assert!([130, -2].contains(&ran.status), "{} {}", ran.status, ran.err);
        if box_.has("m") {
            box_.ok("inspect m");
        }
        assert!(box_.names().iter().all(|name| ["all.svm", "m"].contains(&name.as_str())), "{:?}", box_.names());
    }
}

#[test]
fn predictions_that_are_interrupted_leave_nothing() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(50));
    box_.ok("fit a.svm -o m");
    let mut child = box_.start("predict m - -o p");
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(rows(50).as_bytes()).unwrap();
    box_.wait_for(|name| name.contains(".surefoot-tmp-"));
    signal(&child, "INT");
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.status, 130);
    assert_eq!(box_.names(), ["a.svm", "m"]);
    drop(pipe);
}

#[test]
fn killed_at_any_moment_the_file_is_a_whole_snapshot() {
    let box_ = Sandbox::new();
    let text = rows(3000);
    box_.write("all.svm", &text);
    let mut u = Uniform(7);
    let mut survived = 0;
    for _ in 0..12 {
        interrupt(&box_, "fit all.svm -o m --snapshot 50 --passes 1000", (30.0 + 150.0 * u.next()) as u64, &["KILL"]);
        if box_.has("m") {
            let found = box_.ok("inspect m --json").json();
            assert_eq!(found["rows"].as_u64().unwrap() % 50, 0);
            survived += 1;
        }
        let temporary = box_.names().iter().filter(|name| name.contains(".surefoot-tmp-")).count();
        assert!(temporary <= 1, "{:?}", box_.names());
    }
    assert!(survived > 0);
    // The next run tidies up.
    box_.write("few.svm", head(&text, 10));
    box_.ok("fit few.svm -o m");
    assert_eq!(box_.names(), ["all.svm", "few.svm", "m"]);
}
