//! Tests of `predict`: one prediction per row, as the shortest decimal that is read back exactly, and immediate output
//! on request.

use crate::sandbox::{Sandbox, rows};
use std::io::{BufRead, BufReader, Write};

fn trained() -> Sandbox {
    let box_ = Sandbox::new();
    box_.write("train.svm", rows(200));
    box_.ok("fit train.svm -o m");
    box_
}

#[test]
fn every_row_has_its_line() {
    let box_ = trained();
    box_.write("t.svm", rows(5000));
    box_.ok("predict m t.svm -o p.txt");
    let text = box_.text("p.txt");
    assert!(text.ends_with('\n') && text.lines().count() == 5000);
    for _ in 0..3 {
        assert_eq!(box_.ok("predict m t.svm").out, text);
    }
    assert_eq!(box_.feed("predict m -", rows(5000).as_bytes()).out, text);
}

#[test]
fn the_types_agree_with_each_other_and_with_the_weights() {
    let box_ = trained();
    let numbers = |line: &str| -> Vec<f64> { box_.ok(line).out.lines().map(|line| line.parse().unwrap()).collect() };
    let margins = numbers("predict m train.svm --type margin");
    let probabilities = numbers("predict m train.svm");
    let classes = numbers("predict m train.svm --type class");
    assert_eq!(numbers("predict m train.svm --type mean"), probabilities);
    let model = box_.ok("inspect m --json --top 100").json();
    for (i, row) in box_.text("train.svm").lines().enumerate() {
        // Pair k is added to sum k mod 4, then the four and the intercept.
        let mut sums = [0.0; 4];
        for (k, pair) in row.split(' ').skip(1).enumerate() {
            let (index, value) = pair.split_once(':').unwrap();
            let top = model["top"].as_array().unwrap();
            let weight = &top.iter().find(|entry| entry["feature"] == index).unwrap()["weight"];
            sums[k % 4] += weight.as_f64().unwrap() * value.parse::<f64>().unwrap();
        }
        let [a, b, c, d] = sums;
        let margin = model["intercept"].as_f64().unwrap() + ((a + b) + (c + d));
        assert_eq!(margin, margins[i]);
        assert!((1.0 / (1.0 + (-margin).exp()) - probabilities[i]).abs() < 1e-15);
        assert_eq!(classes[i], f64::from(margin > 0.0));
    }
    box_.write("n.svm", "1.5 1:1\n2.5 1:2\n");
    box_.ok("fit n.svm --loss squared -o n");
    assert_eq!(box_.ok("predict n n.svm").out, box_.ok("predict n n.svm --type margin").out);
    assert!(box_.fails(2, "predict n n.svm --type class").err.contains("mean"));
}

#[test]
fn a_dialogue_gets_each_answer_at_once() {
    let box_ = trained();
    let mut child = box_.start("predict m - --flush line");
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for row in rows(100).lines() {
        writeln!(to, "{row}").unwrap();
        let mut line = String::new();
        // Waits for ever if the answer is kept back in a buffer.
        from.read_line(&mut line).unwrap();
        assert!(line.trim_end().parse::<f64>().is_ok());
    }
    drop(to);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_bad_row_leaves_no_file() {
    let box_ = trained();
    box_.write("bad.svm", rows(3000) + "1 1:?\n" + &rows(10));
    let ran = box_.fails(1, "predict m bad.svm -o p.txt");
    assert!(ran.err.contains("bad.svm:3001:3: '1:?'"), "{}", ran.err);
    assert_eq!(box_.names(), ["bad.svm", "m", "train.svm"]);
    box_.write("p.txt", "before");
    box_.fails(1, "predict m bad.svm -o p.txt");
    assert_eq!(box_.text("p.txt"), "before");
}

#[test]
fn unseen_features_are_counted_and_add_nothing() {
    let box_ = trained();
    box_.write("a.svm", "1 1:0.5\n");
    box_.write("b.svm", "1 1:0.5 77:3 88:1\n0 77:1 99:1\n");
    let (plain, ran) = (box_.ok("predict m a.svm"), box_.ok("predict m b.svm"));
    assert_eq!(plain.out.lines().next(), ran.out.lines().next());
    assert!(plain.err.is_empty() && ran.err.contains("3 features") && ran.err.contains("never seen"), "{}", ran.err);
}

#[test]
fn rows_may_lack_their_label_if_that_is_said() {
    let box_ = trained();
    box_.write("labelled.svm", "1 1:0.5 2:1\nx 3:1\n7\n");
    box_.write("bare.svm", "1:0.5 2:1\n3:1\n# no pairs, a label alone\n0\n");
    let with = box_.ok("predict m labelled.svm --unlabelled").out;
    assert_eq!(box_.ok("predict m bare.svm --unlabelled").out, with);
    assert_eq!(with.lines().count(), 3);
    assert!(box_.fails(1, "predict m bare.svm").err.contains("bare.svm:1:1:"));
}

#[test]
fn settings_are_compared_not_changed() {
    let box_ = trained();
    for line in
        ["predict m no.svm --loss squared", "eval m no.svm --loss squared", "fit no.svm --resume m --loss squared"]
    {
        let ran = box_.fails(2, line);
        assert!(ran.err.contains("m: ") && ran.err.contains("squared") && ran.err.contains("logistic"), "{}", ran.err);
    }
    for flag in ["--no-intercept", "--index-base 1", "--bits 10"] {
        assert!(box_.fails(2, &format!("predict m no.svm {flag}")).err.starts_with("surefoot: m: "));
    }
    box_.ok("predict m train.svm --loss logistic --index-base 0 --format svmlight");
}
