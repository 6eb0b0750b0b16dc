//! Tests of details of text formats: blank lines, comments, repeated or unsorted indices, the index base, and
//! compressed files.

use crate::sandbox::{Sandbox, skipped};

#[test]
fn blank_lines_are_no_rows_but_count_as_lines() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n\n0 2:1\n1 1:1 2:1\n\n\n");
    let done = box_.ok("fit a.svm --passes 5 --json").json();
    assert_eq!(done["rows"], 15);
    assert_eq!(box_.ok("predict model.surefoot a.svm").out.lines().count(), 3);
    box_.write("b.svm", "\n\n1 1:1\n\n0 1:z\n");
    assert!(box_.fails(1, "predict model.surefoot b.svm").err.contains("b.svm:5:3: '1:z'"));
}

#[test]
fn comments_and_group_ids_are_not_features() {
    let box_ = Sandbox::new();
    box_.write("plain.svm", "1 1:1 2:0.5\n0 3:2\n1 2:1\n0 1:0.1 3:1\n");
    box_.write("comments.svm", b"# 7:100\n1 1:1 2:0.5 # 8:5 9:9\n0 3:2 #\xe9\n1 2:1#x\n0 1:0.1 3:1\n");
    box_.write(
        "groups.svm",
        "1 qid:72048431380967004 1:1 2:0.5\n0 qid:72048431380967004 3:2\n1 qid:2 2:1\n0 qid:2 1:0.1 3:1\n",
    );
    box_.ok("fit plain.svm -o a --passes 20");
    for other in ["comments.svm", "groups.svm"] {
        box_.ok(&format!("fit {other} -o b --passes 20"));
        assert!(box_.read("a") == box_.read("b"), "{other}");
    }
    assert_eq!(box_.ok("inspect a --json").json()["features"], 3);
}

#[test]
fn the_order_of_pairs_does_not_matter() {
    let box_ = Sandbox::new();
    box_.write("sorted.svm", "1 1:1 2:0.5 7:3\n0 3:2 9:1\n");
    box_.write("shuffled.svm", "1 7:3 1:1 2:0.5\n0 9:1 3:2\n");
    box_.ok("fit sorted.svm -o a --passes 10");
    box_.ok("fit shuffled.svm -o b --passes 10");
    assert!(box_.read("a") == box_.read("b"));
}

#[test]
fn an_index_twice_is_an_error() {
    let box_ = Sandbox::new();
    box_.write("dup.svm", "1 1:1\n0 1:1 3:1 3:2\n");
    let ran = box_.fails(1, "fit dup.svm");
    assert!(ran.err.contains("dup.svm:2:11: '3:2'") && ran.err.contains("twice"), "{}", ran.err);
    assert_eq!(box_.names(), ["dup.svm"]);
}

#[test]
fn the_index_base_is_a_setting_of_the_model() {
    let box_ = Sandbox::new();
    box_.write("base0.svm", "100 1:1\n10 0:1\n1000 2:1\n1010 0:1 2:1\n");
    box_.write("no_zero.svm", "0 1:1\n");
    box_.ok("fit base0.svm --loss squared --no-intercept --passes 20 --holdout none");
    let at_1: f64 = box_.ok("predict model.surefoot no_zero.svm").out.trim().parse().unwrap();
    // 100·x1 is what the rows say of index 1, a shifted reading would say 10 or 1000.
    assert!((at_1 - 100.0).abs() < 30.0, "{at_1}");
    let ran = box_.fails(1, "fit base0.svm --loss squared --index-base 1");
    assert!(ran.err.contains("base0.svm:2:4: '0:1'"), "{}", ran.err);
    assert_eq!(box_.ok("inspect model.surefoot --json").json()["settings"]["index_base"], 0);
}

#[test]
fn compressed_rows_are_rows() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n0 2:1\n");
    let gzip = std::process::Command::new("gzip").arg("-k").arg(box_.path("a.svm")).status();
    if !gzip.is_ok_and(|status| status.success()) {
        return skipped("there is no gzip");
    }
    box_.ok("fit a.svm -o a --passes 3");
    box_.ok("fit a.svm.gz -o b --passes 3");
    assert!(box_.read("a") == box_.read("b"));
}
