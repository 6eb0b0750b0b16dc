//! Tests of `--skip-bad-rows`: rows that cannot be read or learnt are skipped.

use crate::sandbox::{Sandbox, rows};

/// Inserts a bad row after each row whose index is in `bad`: alternately one that cannot be parsed and one with a third
/// label, which cannot be learnt.
fn with_faults(text: &str, bad: &[usize]) -> String {
    let fault = |k: usize| if k.is_multiple_of(2) { "1 2:x\n" } else { "7 2:1\n" };
    text.split_inclusive('\n')
        .enumerate()
        .map(|(k, line)| if bad.contains(&k) { format!("{line}{}", fault(k)) } else { line.to_owned() })
        .collect()
}

#[test]
fn rows_at_fault_leave_no_trace_but_a_count() {
    let box_ = Sandbox::new();
    let text = rows(300);
    box_.write("good.svm", &text);
    box_.write("bad.svm", with_faults(&text, &[0, 2, 7, 8, 9, 63, 127, 299]));
    for more in ["", " --passes 4", " --radius 2"] {
        box_.ok(&format!("fit good.svm -o good{more}"));
        let ran = box_.ok(&format!("fit bad.svm -o bad --json --skip-bad-rows 8{more}"));
        assert_eq!(ran.json()["rows_skipped"], 8);
        assert!(ran.err.contains("warning: 8 rows at fault were passed over"), "{}", ran.err);
        assert!(ran.err.contains("bad.svm:2:3: '2:x'") && ran.err.contains("bad.svm:5:3:"), "{}", ran.err);
        assert!(box_.read("good") == box_.read("bad"), "{more}");
    }
}

#[test]
fn one_row_at_fault_too_many_is_an_error() {
    let box_ = Sandbox::new();
    box_.write("bad.svm", with_faults(&rows(100), &[10, 21, 31]));
    let ran = box_.fails(1, "fit bad.svm --skip-bad-rows 2");
    assert!(
        ran.err.contains("bad.svm:35:1: '7'") && ran.err.contains("2 rows at fault were passed over"),
        "{}",
        ran.err
    );
    assert!(!box_.has("model.surefoot"));
    assert!(box_.fails(1, "fit bad.svm").err.contains("bad.svm:12:3: '2:x'"));
}

#[test]
fn a_run_with_faults_goes_on_after_an_interruption() {
    let box_ = Sandbox::new();
    let text = with_faults(&rows(1500), &[3, 50, 199, 700, 701, 1498]);
    box_.write("a.svm", &text);
    for more in ["", " --passes 12"] {
        let fit = format!("fit a.svm --json --skip-bad-rows 6{more}");
        assert_eq!(box_.ok(&format!("{fit} -o whole")).json()["rows_skipped"], 6);
        let mut stops = 0;
        for budget in 1..8 {
            let _ = std::fs::remove_file(box_.path("m"));
            let mut ran = box_.ok(&format!("{fit} -o m --budget {budget}ms"));
            for again in 1..60 {
                if !box_.has("m") {
                    ran = box_.ok(&format!("{fit} -o m --budget {}ms", budget + 5 * again));
                } else if box_.ok("inspect m --json").json()["unfinished"].is_object() {
                    stops += 1;
                    ran = box_.ok(&format!("{fit} --resume m -o m --budget {}ms", budget + 10 * again));
                } else {
                    break;
                }
            }
            assert_eq!(ran.json()["rows_skipped"], 6, "{}", ran.err);
            assert!(box_.read("m") == box_.read("whole"), "{budget} ms{more}");
        }
        assert!(stops > 0);
    }
}
