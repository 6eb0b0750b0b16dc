//! Tests of model files that are no models, are damaged, or were written by a later version.

use crate::sandbox::{Sandbox, rows};

#[test]
fn what_is_no_model_is_named_as_such() {
    let box_ = Sandbox::new();
    box_.write("train.svm", rows(20));
    box_.write("empty", "");
    box_.write("png", b"\x89PNG\r\n\x1a\n and so on");
    box_.write("json", "{\"loss\": \"logistic\"}");
    box_.write("gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03");
    for file in ["train.svm", "empty", "png", "json", "gz"] {
        for line in [
            format!("predict {file} train.svm -o p"),
            format!("inspect {file}"),
            format!("fit train.svm --resume {file} -o p"),
        ] {
            let ran = box_.fails(1, &line);
            assert!(ran.err.contains(file) && ran.err.contains("not a surefoot model"), "{line}: {}", ran.err);
        }
    }
    assert!(!box_.has("p"));
}

#[test]
fn a_cut_or_flipped_file_is_never_used() {
    let box_ = Sandbox::new();
    box_.write("train.svm", "1 1:1 2:2\n0 2:1\n");
    box_.ok("fit train.svm -o m");
    let whole = box_.read("m");
    // Every position would take a process each; the loader itself is tested on all of them.
    let step = (whole.len() / 40).max(1) | 1;
    for at in (0..whole.len()).step_by(step) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        for bad in [&whole[..at], &flipped] {
            box_.write("bad", bad);
            box_.fails(1, "predict bad train.svm -o p");
        }
    }
    assert!(!box_.has("p"));
}

#[test]
fn a_model_of_format_1_is_refused_with_what_to_do() {
    let box_ = Sandbox::new();
    box_.write("old", include_bytes!("../../crates/surefoot-io/tests/data/models/format-1.surefoot"));
    box_.write("train.svm", rows(20));
    for line in [
        "predict old train.svm",
        "eval old train.svm",
        "inspect old",
        "export old -o w.csv",
        "fit train.svm --resume old -o m",
    ] {
        let says = box_.fails(1, line).err;
        assert!(
            says.contains("old: ") && says.contains("format 1") && says.contains("train it anew"),
            "{line}: {says}"
        );
    }
}
