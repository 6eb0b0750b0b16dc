//! Tests of labels: which are class labels, which class is the positive one, and the messages about labels.

use crate::sandbox::Sandbox;

const FEATURES: [&str; 8] = ["1:1", "1:2", "1:3", "2:1", "2:2 1:1", "2:3", "1:1 2:3", "1:4"];
const POSITIVE: [bool; 8] = [true, true, true, false, false, false, true, false];

fn coded(negative: &str, positive: &str) -> String {
    let label = |yes| if yes { positive } else { negative };
    FEATURES.iter().zip(POSITIVE).map(|(pairs, yes)| format!("{} {pairs}\n", label(yes))).collect()
}

#[test]
fn all_codes_of_two_classes_give_the_same_probabilities() {
    let box_ = Sandbox::new();
    let mut seen = Vec::new();
    for (negative, positive) in [("0", "1"), ("-1", "1"), ("1", "2"), ("-3", "7")] {
        box_.write("a.svm", coded(negative, positive));
        let ran = box_.ok("fit a.svm --passes 5");
        assert!(ran.err.contains(&format!("{positive} is positive, {negative} negative")), "{}", ran.err);
        seen.push(box_.ok("predict model.surefoot a.svm").out);
        let classes = box_.ok("predict model.surefoot a.svm --type class").out;
        assert!(classes.lines().all(|label| label == negative || label == positive), "{classes}");
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
}

#[test]
fn the_larger_label_is_positive_whatever_comes_first() {
    let box_ = Sandbox::new();
    for rows in ["1 1:2\n0 1:-2\n", "0 1:-2\n1 1:2\n", "1 1:2\n1 1:1\n1 1:3\n0 1:-2\n"] {
        box_.write("a.svm", rows.repeat(20));
        box_.ok("fit a.svm");
        box_.write("b.svm", "1 1:2\n1 1:-2\n");
        let out = box_.ok("predict model.surefoot b.svm").out;
        let p: Vec<f64> = out.lines().map(|p| p.parse().unwrap()).collect();
        assert!(p[0] > 0.5 && p[0] > p[1], "{out}");
    }
}

#[test]
fn one_label_alone_gives_one_warning_and_a_usable_model() {
    let box_ = Sandbox::new();
    box_.write("ones.svm", "1 1:1\n1 2:1\n1 1:2\n1 3:1\n1 1:1 2:1\n");
    let ran = box_.ok("fit ones.svm --passes 50 --quiet");
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert!(ran.err.contains("warning: only one class in the data: 1"), "{}", ran.err);
    for p in box_.ok("predict model.surefoot ones.svm").out.lines() {
        let p: f64 = p.parse().unwrap();
        assert!(p > 0.5 && p <= 1.0);
    }
    assert_eq!(box_.ok("predict model.surefoot ones.svm --type class").out, "1\n".repeat(5));
    box_.write("next.svm", "0 1:1\n1 2:1\n0 3:1\n");
    let ran = box_.ok("fit next.svm --resume model.surefoot --passes 50 -o second");
    assert!(ran.err.contains("1 is positive, 0 negative"), "{}", ran.err);
    assert_eq!(box_.ok("predict second next.svm").out.lines().count(), 3);
}

#[test]
fn numbers_are_no_classes() {
    let box_ = Sandbox::new();
    box_.write("real.svm", "151 1:0.03\n75 1:-0.1\n141 1:0.05\n");
    let ran = box_.fails(1, "fit real.svm");
    assert!(ran.err.contains("real.svm:") && ran.err.contains("squared"), "{}", ran.err);
    assert!(!box_.has("model.surefoot"));
    box_.ok("fit real.svm --loss squared");
}

#[test]
fn a_third_label_is_an_error_at_its_row() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n\n0 1:1\n2 1:1\n");
    let ran = box_.fails(1, "fit a.svm");
    assert!(
        ran.err.starts_with("surefoot: a.svm:4:1: '2': ") || ran.err.contains("\nsurefoot: a.svm:4:1: '2': "),
        "{}",
        ran.err
    );
}
