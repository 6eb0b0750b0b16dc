//! Weights as text, and models without their state.

use crate::sandbox::{Sandbox, rows};

#[test]
fn weights_are_those_that_predict() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(200));
    box_.ok("fit a.svm");
    let csv = box_.ok("export model.surefoot -o -").out;
    box_.ok("export model.surefoot -o w.csv");
    assert_eq!(csv, box_.text("w.csv"));
    box_.ok("export model.surefoot -o w.json");
    let json: serde_json::Value = serde_json::from_str(&box_.text("w.json")).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("feature,slot,weight"));
    let number = |text: &str| text.parse::<f64>().unwrap();
    let intercept = number(lines.next().and_then(|line| line.strip_prefix("(intercept),,")).unwrap());
    assert_eq!(json["intercept"], intercept);
    assert_eq!(json["labels"], serde_json::json!({"positive": "1", "negative": "0"}));
    let mut weights = Vec::new();
    for (line, object) in lines.zip(json["weights"].as_array().unwrap()) {
        let cells: Vec<_> = line.split(',').collect();
        assert_eq!((cells[0], cells[1]), (object["feature"].as_str().unwrap(), &*object["slot"].to_string()));
        assert_eq!(number(cells[2]), object["weight"].as_f64().unwrap());
        weights.push((cells[1].to_owned(), number(cells[2])));
    }
    assert_eq!(weights.len(), 10);
    // One row a feature: its margin is the intercept plus its weight.
    let text: String = weights.iter().map(|(index, _)| format!("0 {index}:1\n")).collect();
    box_.write("one.svm", text);
    let margins = box_.ok("predict model.surefoot one.svm --type margin").out;
    for (margin, (_, weight)) in margins.lines().zip(&weights) {
        assert_eq!(number(margin), intercept + weight);
    }
}

#[test]
fn a_slim_model_predicts_the_same_and_learns_no_more() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(100));
    box_.ok("fit a.svm");
    box_.ok("export model.surefoot -o slim.surefoot --slim");
    box_.ok("export model.surefoot -o again.surefoot");
    assert!(box_.read("again.surefoot") == box_.read("model.surefoot"));
    assert!(box_.read("slim.surefoot").len() < box_.read("model.surefoot").len() / 2);
    let [all, slim] = ["model", "slim"].map(|name| box_.ok(&format!("predict {name}.surefoot a.svm")).out);
    assert_eq!(all, slim);
    assert!(box_.fails(1, "fit a.svm --resume slim.surefoot").err.contains("slim"));
}

#[test]
fn what_cannot_be_exported_is_refused_at_once() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(10));
    box_.ok("fit a.svm");
    assert!(box_.fails(2, "export model.surefoot -o w.txt").err.contains("--to csv"));
    assert!(box_.fails(2, "export model.surefoot -o w.csv --slim").err.contains("--slim"));
    assert!(box_.fails(2, "export model.surefoot -o model.surefoot").err.contains("both input and output"));
    assert!(box_.fails(1, "export a.svm -o w.csv").err.contains("not a surefoot model"));
    assert!(box_.fails(1, "export model.surefoot -o no/w.csv").err.contains("No such file"));
    assert_eq!(box_.names(), ["a.svm", "model.surefoot"]);
}
