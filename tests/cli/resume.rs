//! Tests that an interrupted run resumes where it stopped and ends in the same bytes as an uninterrupted one.

use crate::sandbox::{Ran, Sandbox, Uniform, head, rows, signal};
use std::io::Write;

/// Sends the first `k` rows to `surefoot LINE` through a pipe that stays open, waits for the snapshot after row `k`,
/// and ends the run with SIGTERM.
fn stopped_at(box_: &Sandbox, text: &str, k: usize, line: &str) {
    let _ = std::fs::remove_file(box_.path("m"));
    let mut child = box_.start(&format!("{line} --snapshot {k}"));
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(head(text, k).as_bytes()).unwrap();
    box_.wait_for(|name| name == "m");
    signal(&child, "TERM");
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.status, 143, "{}", ran.err);
    assert!(ran.err.contains(&format!("after row {k};")), "{}", ran.err);
}

#[test]
fn one_pass_goes_on_at_any_row() {
    let box_ = Sandbox::new();
    let text = rows(400);
    let mut u = Uniform(3);
    for more in ["", " --radius 2 --row-norm 4 --error-probability 0.1"] {
        box_.feed(&format!("fit - -o whole{more}"), text.as_bytes());
        for k in [1, 399, 400].into_iter().chain((0..4).map(|_| 1 + (398.0 * u.next()) as usize)) {
            stopped_at(&box_, &text, k, &format!("fit - -o m{more}"));
            let ran = box_.feed("fit - --resume m -o m", text.as_bytes());
            assert!(ran.status == 0 && ran.err.contains("m is unfinished"), "{}", ran.err);
            assert!(box_.read("m") == box_.read("whole"), "stopped at {k}{more}");
        }
    }
}

#[test]
fn several_passes_go_on_at_any_moment() {
    let box_ = Sandbox::new();
    let text = rows(1500);
    let cut = text.match_indices('\n').nth(700).unwrap().0 + 1;
    box_.write("a.svm", &text[..cut]);
    box_.write("b.svm", &text[cut..]);
    for holdout in ["10", "none", "10 --radius 2"] {
        let fit = format!("fit a.svm b.svm --holdout {holdout} --passes 30");
        box_.ok(&format!("{fit} -o whole"));
        let mut stops = 0;
        for budget in [1, 3, 7, 15, 30] {
            let _ = std::fs::remove_file(box_.path("m"));
            let mut ran = box_.ok(&format!("{fit} -o m --budget {budget}ms"));
            // Interrupted again and again until it is through; a longer budget each time, since every start reads
            // its way back.
            for again in 1..60 {
                if !box_.has("m") {
                    ran = box_.ok(&format!("{fit} -o m --budget {}ms", budget + 5 * again));
                } else if box_.ok("inspect m --json").json()["unfinished"].is_object() {
                    stops += 1;
                    ran = box_.ok(&format!("fit a.svm b.svm --resume m -o m --budget {}ms", budget + 10 * again));
                } else {
                    break;
                }
            }
            assert!(box_.read("m") == box_.read("whole"), "budget {budget} ms, holdout {holdout}: {}", ran.err);
        }
        assert!(stops > 0, "no run was interrupted");
    }
}

#[test]
fn a_snapshot_left_by_a_kill_goes_on_too() {
    let box_ = Sandbox::new();
    box_.write("all.svm", rows(1000));
    box_.ok("fit all.svm -o whole --passes 40");
    let child = box_.start("fit all.svm -o m --passes 40 --snapshot 333");
    box_.wait_for(|name| name == "m");
    signal(&child, "KILL");
    child.wait_with_output().unwrap();
    box_.ok("fit all.svm --resume m -o m --snapshot 777");
    assert!(box_.read("m") == box_.read("whole"));
}

#[test]
fn other_data_are_refused_and_named() {
    let box_ = Sandbox::new();
    let text = rows(100);
    box_.write("all.svm", text.clone() + "1 1:x\n");
    box_.fails(1, "fit all.svm -o m --snapshot 60");
    let before = box_.read("m");
    let other = text.replacen("1:", "2:", 0).replacen("1 1:", "0 1:", 1) + "1 1:x\n";
    assert_eq!(other.len(), text.len() + 6);
    box_.write("other.svm", other);
    box_.write("longer.svm", text.clone() + "1 1:1\n1 1:1\n");
    box_.write("short.svm", head(&text, 50));
    for (data, says) in [
        ("other.svm", "surefoot: other.svm: its bytes are not those"),
        ("longer.svm", "longer.svm: has "),
        ("short.svm", "short.svm: has "),
        ("all.svm all.svm", "inputs given: 2, the interrupted run has 1 (all.svm)"),
    ] {
        let ran = box_.fails(1, &format!("fit {data} --resume m -o m"));
        assert!(ran.err.contains(says), "{data}: {}", ran.err);
    }
    let ran = box_.feed("fit - --resume m -o m", head(&text, 50).as_bytes());
    assert!(ran.status == 1 && ran.err.contains("standard input: its bytes are not those"), "{}", ran.err);
    assert!(box_.fails(2, "fit all.svm --resume m -o m --passes 3").err.contains("--passes 1"));
    assert!(box_.read("m") == before);
}

#[test]
fn a_finished_model_takes_new_rows() {
    let box_ = Sandbox::new();
    let text = rows(600);
    let cut = text.match_indices('\n').nth(249).unwrap().0 + 1;
    box_.write("a.svm", &text[..cut]);
    box_.write("b.svm", &text[cut..]);
    box_.ok("fit a.svm b.svm -o whole");
    box_.ok("fit a.svm -o m");
    let ran = box_.ok("fit b.svm --resume m -o m --json");
    assert!(ran.err.contains("m is finished after row 250"), "{}", ran.err);
    assert_eq!(ran.json()["rows"], 600);
    assert!(box_.read("m") == box_.read("whole"));
    box_.write("empty.svm", "");
    assert!(box_.fails(1, "fit empty.svm --resume m -o m").err.contains("no rows"));
}

#[test]
fn a_finished_model_remembers_nothing_of_how_it_was_made() {
    let box_ = Sandbox::new();
    box_.write("a-telling-name.svm", rows(100));
    box_.ok("fit a-telling-name.svm -o a --passes 2 --shuffle --seed 5 --threads 1 --snapshot 17");
    let text = String::from_utf8_lossy(&box_.read("a")).into_owned();
    for word in ["telling", "holdout", "snapshot", "seed", "threads"] {
        assert!(!text.contains(word), "{word}");
    }
}
