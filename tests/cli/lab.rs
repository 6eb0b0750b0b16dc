//! Tests of `lab`, which compares theorems with measurements: its output files and exit status. Tests of the numbers
//! are in the crate `surefoot-lab`.

use crate::sandbox::Sandbox;

#[test]
fn a_report_is_written_and_the_table_printed() {
    let box_ = Sandbox::new();
    let ran = box_.ok("lab v9 V13 --short --out found/here --quiet");
    assert_eq!(ran.err, "");
    let last = ran.out.lines().last().unwrap();
    assert!(last.ends_with(" checks, 0 failed"), "{last}");
    let checks = ran.out.lines().filter(|line| line.starts_with("  ")).count();
    assert_eq!(last, format!("{checks} checks, 0 failed"));
    assert!(
        ran.out
            .lines()
            .all(|line| line.starts_with("V9") || line.starts_with("V13") || line.starts_with("  ") || line == last)
    );
    assert_eq!(box_.text("found/here/checks.csv").lines().count(), checks + 1);
    for name in ["report.html", "points.csv", "claims.md", "v9.svg", "v13.svg"] {
        assert!(!box_.read(&format!("found/here/{name}")).is_empty(), "{name}");
    }
    let claims = box_.text("found/here/claims.md");
    assert!(
        claims.contains("| **Theorem O** ") && claims.contains("V13 hint one round late") && !claims.contains("| V4 ")
    );
    assert!(!box_.has("found/here/v4.svg") && box_.names() == ["found"]);
}

#[test]
fn neither_threads_nor_time_show_in_the_files() {
    let box_ = Sandbox::new();
    let (one, two) =
        (box_.ok("lab V7 V11 --short --threads 1 --out a"), box_.ok("lab V7 V11 --short --threads 3 --out b"));
    assert_eq!(one.out, two.out);
    assert!(one.err.contains("report.html"));
    for name in ["report.html", "checks.csv", "points.csv", "claims.md", "v7.svg"] {
        assert!(box_.read(&format!("a/{name}")) == box_.read(&format!("b/{name}")), "{name}");
    }
}

#[test]
fn one_object_a_check() {
    let box_ = Sandbox::new();
    let ran = box_.ok("lab V9 --short --json --seed 7");
    assert_eq!(ran.err, "");
    let lines: Vec<serde_json::Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (done, checks) = lines.split_last().unwrap();
    assert_eq!((&done["event"], &done["failed"], &done["seed"]), (&"done".into(), &0.into(), &7.into()));
    assert_eq!(done["checks"], checks.len());
    assert!(checks.iter().all(|check| check["event"] == "check" && check["passes"] == true));
    assert!(checks.iter().any(|check| check["planted"] == true && check["holds"] == false));
    assert!(box_.has("surefoot-lab/report.html"));
}

#[test]
fn experiments_are_listed_and_wrong_names_refused() {
    let box_ = Sandbox::new();
    let list = box_.ok("lab --list").out;
    assert_eq!(list.lines().count(), 21);
    assert!(list.starts_with("V1 ") && box_.ok("lab v12 --list").out.starts_with("V12 "));
    let ran = box_.fails(2, "lab V22");
    assert!(ran.err.contains("V22") && ran.err.contains("--list"), "{}", ran.err);
    box_.fails(2, "lab --threads 0");
    assert_eq!(box_.names(), [""; 0]);
}

#[test]
fn a_folder_that_cannot_be_made_is_told_before_the_work() {
    let box_ = Sandbox::new();
    box_.write("taken", "a file");
    let ran = box_.fails(1, "lab --out taken");
    assert!(ran.err.contains("taken"), "{}", ran.err);
    assert_eq!(box_.text("taken"), "a file");
}
