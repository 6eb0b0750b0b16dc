//! Tests of what rows, labels and names do to one pass of several processes: each as in one process, for any number of workers.

use crate::{
    distributed::{WORKERS, wait},
    sandbox::{Sandbox, rows, signal},
};
use std::time::{Duration, Instant};

/// Fits with all numbers of workers; returns the JSON of the first, after a check that the bytes are the same.
fn fitted(box_: &Sandbox, flags: &str) -> serde_json::Value {
    let mut first = None;
    for workers in WORKERS {
        let line = format!("fit {flags} -o model --json --engine local --workers {workers}");
        let (json, bytes) = (box_.ok(&line).json(), box_.read("model"));
        let (_, expected) = first.get_or_insert_with(|| (json, bytes.clone()));
        assert!(bytes == *expected, "{line}: other bytes than with one worker");
    }
    first.unwrap().0
}

/// More rows in turn are refused than a round takes from a shard; the rows behind them are learnt all the same.
#[test]
fn a_round_whose_rows_are_all_refused_does_not_end_the_pass() {
    let box_ = Sandbox::new();
    let mut lines: Vec<String> = rows(12_000).lines().map(str::to_owned).collect();
    for shards in [1, 3] {
        let each = lines.len() / shards;
        for shard in 0..shards {
            (0..90).for_each(|r| lines[shard * each + 3000 + r].replace_range(..1, "7"));
        }
        box_.write("a.svm", lines.join("\n"));
        let json = fitted(&box_, &format!("a.svm --skip-bad-rows 500 --shards {shards}"));
        let refused = lines.iter().filter(|line| line.starts_with('7')).count();
        assert_eq!((&json["rows"], &json["rows_skipped"]), (&(12_000 - refused).into(), &refused.into()), "{shards}");
    }
}

/// A fault that shows only when a row is learnt, as a third class among the first rows, names its place and can be skipped.
#[test]
fn a_fault_among_the_first_rows_names_its_place() {
    let box_ = Sandbox::new();
    let mut lines: Vec<String> = rows(1500).lines().map(str::to_owned).collect();
    lines[1200].replace_range(..1, "7");
    box_.write("a.svm", lines.join("\n"));
    let plain = box_.fails(1, "fit a.svm").err;
    for workers in WORKERS {
        let err = box_.fails(1, &format!("fit a.svm --engine local --workers {workers}")).err;
        assert!(err.contains("a.svm:1201:1: '7'") && plain.contains("a.svm:1201:1: '7'"), "{err}{plain}");
    }
    let json = fitted(&box_, "a.svm --skip-bad-rows 3");
    assert_eq!((&json["rows"], &json["rows_skipped"]), (&1499.into(), &1.into()));
}

/// Weights of classes whose labels are text are those of their names, whichever worker has met the class.
#[test]
fn class_weights_by_name_are_the_same_for_any_number_of_workers() {
    let box_ = Sandbox::new();
    box_.write("few.csv", "label,x\nham,1\nspam,2\nham,1.5\nspam,3\n");
    let sorted: String = (0..9000)
        .map(|r| format!("{},{},{}\n", if r < 5000 { "ham" } else { "spam" }, r * 7 % 11 + r / 3000, r % 5))
        .collect();
    box_.write("sorted.csv", format!("label,x,y\n{sorted}"));
    for (file, weights) in [("few", "spam=3"), ("sorted", "spam=5"), ("sorted", "ham=5"), ("sorted", "balanced")] {
        let json = fitted(&box_, &format!("{file}.csv --label label --class-weight {weights}"));
        let plain = box_.ok(&format!("fit {file}.csv --label label --class-weight {weights} --json")).json();
        assert_eq!(json["rows"], plain["rows"], "{file} {weights}");
    }
}

/// Three classes, each in a file of its own, are refused by their names.
#[test]
fn classes_of_different_files_are_told_apart() {
    let box_ = Sandbox::new();
    for class in ["a", "b", "c"] {
        let text: String = (0..900).map(|r| format!("{class},{}\n", r % 7)).collect();
        box_.write(&format!("{class}.csv"), format!("label,x\n{text}"));
    }
    for (files, shards) in [("a.csv b.csv c.csv", 3), ("c.csv b.csv a.csv", 16)] {
        for workers in [1, 3] {
            let flags = format!("{files} --label label --engine local --workers {workers} --shards {shards}");
            let err = box_.fails(1, &format!("fit {flags} -o model")).err;
            assert!(err.contains("'a'") && err.contains("'b'") && err.contains("'c'"), "{err}");
            assert!(!box_.has("model"), "{err}");
        }
    }
    let json = fitted(&box_, "a.csv c.csv --label label --shards 2");
    assert_eq!(json["rows"], 1800);
}

/// A run that goes on from a state, or whose worker was lost, and is stopped then, saves a model that knows its classes and names.
#[test]
fn a_model_that_is_saved_early_has_the_names_of_its_classes_and_features() {
    let box_ = Sandbox::new();
    let text: String = (0..150_000)
        .map(|r| format!("{},{},{}\n", if r * 7 % 11 > 5 { "spam" } else { "ham" }, r * 3 % 17, ["u", "v", "w"][r % 3]))
        .collect();
    box_.write("a.csv", format!("label,x,c\n{text}"));
    let line = "fit a.csv --label label --engine local --workers 2 --checkpoint state -o m";
    let began = Instant::now();
    box_.ok(line);
    let (time, mut saved) = (began.elapsed().as_secs_f64(), 0);
    for (first, second) in [(0.5, 0.5), (0.6, 0.3), (0.7, 0.4), (0.8, 0.5)] {
        for part in [first, second] {
            let child = box_.start(line);
            std::thread::sleep(Duration::from_secs_f64(part * time));
            signal(&child, "INT");
            let (_, err) = wait(child);
            if err.contains("has the best model so far") {
                saved += 1;
                let shown = box_.ok("inspect m").out;
                assert!(shown.contains("spam") && shown.contains("ham"), "{err}{shown}");
            }
            assert!(!err.contains("different results"), "{err}");
        }
    }
    box_.ok(line);
    assert!(saved > 1, "{saved}");
}

/// Penalty factors and bounds of named features hold for any number of workers, and are those of the plain command.
#[test]
fn penalty_factors_and_bounds_of_named_features_hold() {
    let box_ = Sandbox::new();
    let text: String = (0..4000)
        .map(|r| {
            let (a, b) = (f64::from(r % 17) / 8.0 - 1.0, ["u", "v", "w"][(r * r) as usize % 3]);
            format!("{},{a},{b}\n", u8::from(a + f64::from(r * 7 % 13) / 6.5 > 1.0))
        })
        .collect();
    box_.write("a.csv", format!("y,a,b\n{text}"));
    box_.write("a.svm", rows(3000));
    for flags in [
        "a.csv --label y --l2 1e-3 --bounds a=-0.2,0.2",
        "a.csv --label y --l2 1 --penalty-factor b=0",
        "a.csv --label y --l1 0.01 --penalty-factor b=100",
        "a.svm --l2 1e-3 --bounds 1-2=-0.1,0.1 --penalty-factor 3=10",
        "a.svm --l2 1e-3 --bounds 1-2=-0.1,0.1 --standardize yes",
    ] {
        let plain = box_.ok(&format!("fit {flags} --passes auto --tol 1e-9 --json -o plain")).json();
        let json = fitted(&box_, &format!("{flags} --passes auto --tol 1e-9"));
        let [ours, theirs] = [&json, &plain].map(|json| json["objective"].as_f64().unwrap());
        assert!((ours - theirs).abs() <= 1e-8 * theirs, "{flags}: {ours} is not {theirs}");
    }
    let typo = box_.ok("fit a.svm --l2 1 --bounds 900-950=0,1 --passes auto --engine local --workers 2");
    assert!(typo.err.contains("--bounds 900-950"), "{}", typo.err);
}

/// A fit that cannot be computed or saved is an error, and loses nothing.
#[test]
fn a_run_without_a_model_fails_and_keeps_its_checkpoint() {
    let box_ = Sandbox::new();
    let text: String =
        (0..3000).map(|r| format!("{},{},{}\n", r % 3, r % 7, if r == 2000 { 800 } else { 0 })).collect();
    box_.write("a.csv", format!("y,x,w\n{text}"));
    for workers in [1, 2] {
        let flags =
            format!("--label y --offset w --loss poisson --l2 1e-3 --passes auto --engine local --workers {workers}");
        let ran = box_.run(&format!("fit a.csv {flags} -o none"));
        assert!(ran.status == 1 && ran.err.contains("not a finite number") && !box_.has("none"), "{}", ran.err);
    }
    box_.write("b.svm", rows(500));
    // The place of the model is taken by a folder while the rows are read.
    std::fs::create_dir(box_.path("out")).unwrap();
    let line = "fit b.svm --passes auto --l2 1e-3 --engine local --workers 2 --checkpoint state -o out/m";
    let child = box_.start(line);
    std::fs::remove_dir_all(box_.path("out")).unwrap();
    let (ended, err) = wait(child);
    if !ended && err.contains("the same command goes on") {
        assert!(box_.has("state"), "{err}");
    }
    std::fs::create_dir_all(box_.path("out")).unwrap();
    box_.ok(line);
    assert!(!box_.has("state") && box_.has("out/m"));
    for (flags, says) in [("--radius 2", "--radius"), ("--shards 65535", "10000"), ("--shuffle", "one pass reads")] {
        let ran = box_.run(&format!("fit b.svm --engine local {flags}"));
        assert!(ran.status > 0 && ran.err.contains(says), "{flags}: {}", ran.err);
    }
}
