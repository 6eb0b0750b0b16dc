//! Tests that all files are opened before any other work is done.

use crate::sandbox::{Sandbox, rows, skipped};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

#[test]
fn wrong_paths_are_found_before_the_first_row() {
    let box_ = Sandbox::new();
    box_.write("train.svm", rows(20));
    box_.ok("fit train.svm -o good");
    for (line, file, reason) in [
        ("fit no.svm", "no.svm", "No such file or directory"),
        ("fit train.svm no.svm", "no.svm", "No such file or directory"),
        ("fit train.svm -o no/M", "no/M", "No such file or directory"),
        ("fit train.svm -o .", ".", "Is a directory"),
        ("fit train.svm --test no.svm", "no.svm", "No such file or directory"),
        ("fit train.svm --resume no", "no", "No such file or directory"),
        ("predict good train.svm -o no/p", "no/p", "No such file or directory"),
        ("predict good no.svm -o p", "no.svm", "No such file or directory"),
        ("predict no train.svm", "no", "No such file or directory"),
        ("inspect .", ".", "Is a directory"),
    ] {
        let ran = box_.fails(1, line);
        assert_eq!(ran.err, format!("surefoot: {file}: {reason}\n"), "{line}");
        assert_eq!(box_.names(), ["good", "train.svm"], "{line}");
    }
}

#[test]
fn permissions_are_tried_first() {
    let box_ = Sandbox::new();
    box_.write("train.svm", rows(20));
    box_.write("secret.svm", rows(20));
    fs::set_permissions(box_.path("secret.svm"), Permissions::from_mode(0o0)).unwrap();
    fs::create_dir(box_.path("R")).unwrap();
    fs::set_permissions(box_.path("R"), Permissions::from_mode(0o555)).unwrap();
    for line in ["fit secret.svm", "fit train.svm -o R/M"] {
        let Some(ran) = box_.run_unprivileged(&[], line) else {
            return skipped("no other user than root can be had");
        };
        assert!(ran.status == 1 && ran.err.contains("Permission denied"), "{line}: {}", ran.err);
    }
    let ran = box_.run_unprivileged(&[], "fit train.svm -o m").expect("as before");
    assert_eq!(ran.status, 0, "what is allowed is done: {}", ran.err);
}

#[test]
fn no_file_is_both_input_and_output() {
    let box_ = Sandbox::new();
    box_.write("train.svm", rows(20));
    box_.ok("fit train.svm -o m");
    fs::hard_link(box_.path("train.svm"), box_.path("other")).unwrap();
    std::os::unix::fs::symlink("m", box_.path("link")).unwrap();
    let before = (box_.read("train.svm"), box_.read("m"));
    for line in [
        "fit train.svm -o train.svm",
        "fit train.svm -o other",
        "fit train.svm --test m -o m",
        "predict m train.svm -o train.svm",
        "predict m train.svm -o m",
        "predict link train.svm -o m",
    ] {
        assert!(box_.fails(2, line).err.contains("is both input and output"), "{line}");
    }
    assert!((box_.read("train.svm"), box_.read("m")) == before);
    box_.ok("fit train.svm --resume m -o m");
}
