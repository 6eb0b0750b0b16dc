//! Cases of models from elsewhere, and of data that do not match the model.

use super::{predictions, refused};
use crate::sandbox::Sandbox;

const TABLE: &str = "y,a,b,c\n1,1,0,2\n0,0,1,1\n1,2,1,0\n0,-1,0,1\n1,1,-1,1\n0,-2,1,0\n";

#[test]
fn a_model_in_another_format_says_so() {
    let box_ = Sandbox::new();
    box_.write("a.csv", TABLE);
    box_.ok("fit a.csv --label y -o m");
    // The version stands first, so that it can be told whatever else has changed.
    let own = br#"\"format\":2,"#;
    let whole = box_.read("m");
    let at = whole.windows(own.len()).position(|window| window == own).unwrap();
    for (other, advice) in [(br#"\"format\":9,"#, "update surefoot"), (br#"\"format\":1,"#, "train it anew")] {
        let mut bytes = whole.clone();
        bytes[at..at + other.len()].copy_from_slice(other);
        box_.write("m", bytes);
        for line in
            ["predict m a.csv -o p", "eval m a.csv", "inspect m", "export m -o p.csv", "fit a.csv --resume m -o p"]
        {
            refused(&box_, line, &["m: ", "a model in format ", "reads format 2", advice]);
        }
    }
}

#[test]
fn columns_are_those_of_the_model() {
    let box_ = Sandbox::new();
    box_.write("a.csv", TABLE);
    box_.ok("fit a.csv --label y -o m");
    let wanted = predictions(&box_, "m a.csv");
    box_.write("less.csv", "a,c\n1,2\n0,1\n");
    refused(&box_, "predict m less.csv -o p", &["less.csv:1:1: ", "column 'b' of the model is missing", "a, c"]);
    box_.write("more.csv", "a,d,b,c\n1,9,0,2\n0,9,1,1\n");
    refused(&box_, "predict m more.csv -o p", &["more.csv:1:3: 'd'", "not a column of the model", "--ignore d"]);
    for flag in ["d", "d*", "d,e"] {
        let p = predictions(&box_, &format!("m more.csv --unlabelled --ignore {flag}"));
        assert_eq!(p, wanted[..2], "{flag}");
    }
    // What the model uses cannot be passed over.
    for flag in ["a", "2", "1-2", "*"] {
        let ran = box_.fails(2, &format!("predict m more.csv --ignore {flag}"));
        assert!(ran.err.contains(&format!("--ignore {flag}")), "{}", ran.err);
    }
    // Columns go by name, in any order; labels are not asked for.
    box_.write("other.csv", "c,b,a\n2,0,1\n1,1,0\n");
    assert_eq!(predictions(&box_, "m other.csv --unlabelled"), wanted[..2]);
}

#[test]
fn words_never_seen_add_nothing_and_are_counted() {
    let box_ = Sandbox::new();
    box_.write("a.vw", "1 | known\n1 | known\n0 | known\n0 | other\n0 | other\n1 | other\n".repeat(20));
    box_.ok("fit a.vw --no-intercept -o m");
    let before = box_.read("m");
    box_.write("b.vw", "| known brand_new:7\n| known\n| other |ns fresh\n| other\n| never_seen\n|\n");
    let ran = box_.ok("predict m b.vw");
    let p: Vec<f64> = ran.out.lines().map(|p| p.parse().unwrap()).collect();
    assert_eq!((p[0], p[2], p[4], p[5]), (p[1], p[3], 0.5, 0.5));
    assert!(ran.err.contains("3 features of these rows never seen"), "{}", ran.err);
    assert!(box_.read("m") == before);
    // A value of a category is a feature too.
    box_.write("a.csv", "y,c\n".to_owned() + &"1,u\n0,v\n".repeat(20));
    box_.write("b.csv", "c\nu\nw\n");
    box_.ok("fit a.csv --label y -o m");
    let ran = box_.ok("predict m b.csv --unlabelled");
    assert!(ran.err.contains("1 feature of these rows never seen"), "{}", ran.err);
}

#[test]
fn the_extremes_of_all_options_are_stored_as_they_are() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:0.5 2:1\n0 1:-0.25 2:0.5\n1 1:0.75\n0 2:-1\n1 1:1 2:0.25\n0 1:-1 2:-0.5\n");
    for flags in [
        "--loss huber --delta 1e-300",
        "--loss huber --delta 1e300",
        "--loss quantile --tau 1e-300",
        "--loss quantile --tau 0.9999999999999999",
        "--loss tweedie --power 1.0000000000000002",
        "--loss tweedie --power 1.9999999999999998",
        "--radius 1e-300",
        "--radius 1e300",
        "--bits 1",
        "--bits 32",
        "--index-base 1",
        "--l2 0",
        "--l2=-0",
        "--l2 1e-300",
        "--l2 1e300",
        "--l1 1e300",
    ] {
        box_.ok(&format!("fit a.svm {flags} -o m"));
        assert_eq!(predictions(&box_, &format!("m a.svm {flags}")).len(), 6, "{flags}");
        for again in ["", flags] {
            box_.ok(&format!("fit a.svm --resume m {again} -o n"));
            let settings = |model: &str| box_.ok(&format!("inspect {model} --json")).json()["settings"].clone();
            assert_eq!(settings("m"), settings("n"), "{flags}");
        }
    }
}
