//! Tests of the help texts, shell completions and manual page, and of errors in the command line.

use crate::sandbox::Sandbox;

#[test]
fn without_arguments_there_is_short_help() {
    let box_ = Sandbox::new();
    let ran = box_.ok("");
    assert!(ran.out.contains("surefoot fit train.svm") && ran.out.lines().count() <= 24, "{}", ran.out);
    assert_eq!(ran.err, "");
    assert_eq!(box_.ok("--help").err, "");
    assert!(box_.ok("help predict").out.contains("--unlabelled"));
    assert!(box_.ok("fit --help").out.contains("--snapshot"));
    assert!(box_.ok("--version").out.starts_with("surefoot "));
}

#[test]
fn completions_and_the_manual_know_every_command() {
    let box_ = Sandbox::new();
    let manual = box_.ok("man").out;
    for command in ["fit", "predict", "eval", "inspect", "lab"] {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            assert!(box_.ok(&format!("completions {shell}")).out.contains(command), "{shell} {command}");
        }
        assert!(manual.contains(&format!("SUREFOOT {}", command.to_uppercase())));
    }
    assert!(manual.contains("\\-\\-resume"));
}

#[test]
fn wrong_usage_is_one_line_and_status_2() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n0 1:2\n");
    for line in [
        "fit",
        "frobnicate",
        "fit a.svm --loss hubert",
        "fit a.svm --l2 -1",
        "fit a.svm --l1 auto --l2 auto",
        "fit a.svm --l2 1 --radius 2",
        "fit a.svm --l2 auto --loss softmax",
        "fit a.svm --tol 1e-3",
        "fit a.svm --passes auto --holdout 5",
        "fit a.svm --passes auto --radius 2",
        "fit a.svm --until-gap 0.1",
        "fit a.svm --passes 0",
        "fit a.svm --budget 10",
        "fit a.svm --holdout 1",
        "fit a.svm --snapshot 0",
        "fit a.svm --order file",
        "fit a.svm --seed 1",
        "fit a.svm --shuffle --seed x",
        "fit a.svm --threads 0",
        "fit a.svm --index-base 2",
        "fit a.svm --bits 0",
        "fit a.svm -o - --json",
        "fit - -",
        "fit - --test -",
        "predict",
        "predict m",
        "inspect",
    ] {
        let ran = box_.fails(2, line);
        assert_eq!(ran.err.lines().count(), 1, "{line}: {}", ran.err);
        assert_eq!(ran.out, "");
    }
    assert_eq!(box_.names(), ["a.svm"]);
}
