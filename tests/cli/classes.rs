//! Tests of multiclass models: training, prediction, evaluation, export and inspection.

use crate::sandbox::Sandbox;

/// Generates `n` svmlight rows of the classes 2, 5 and 9; the class is the one of features 1 to 3 that is present, but
/// wrong in every seventh row.
fn rows(n: usize) -> String {
    let classes = [5, 2, 9];
    (0..n)
        .map(|t| {
            let label = if t % 7 == 6 { classes[(t + 1) % 3] } else { classes[t % 3] };
            format!("{label} {}:1.5 4:{} 5:{}\n", 1 + t % 3, 0.1 * (t % 4) as f64, 0.3 * (t % 5) as f64)
        })
        .collect()
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(' ').map(|number| number.parse().unwrap()).collect()
}

/// Returns for each svmlight row its class (as an index) and its margins, computed by hand from exported weights.
fn by_hand(csv: &str, rows: &str) -> Vec<(usize, Vec<f64>)> {
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["feature", "slot", "weight:2", "weight:5", "weight:9"]);
    let weights = |feature: &str| {
        let line = lines.iter().find(|line| line[0] == feature);
        line.map_or(vec![0.0; 3], |line| line[2..].iter().map(|w| w.parse().unwrap()).collect::<Vec<f64>>())
    };
    rows.lines()
        .map(|row| {
            let (label, pairs) = row.split_once(' ').unwrap();
            let mut margins = weights("(intercept)");
            for (feature, value) in pairs.split(' ').map(|pair| pair.split_once(':').unwrap()) {
                let value: f64 = value.parse().unwrap();
                margins.iter_mut().zip(weights(feature)).for_each(|(m, w)| *m += w * value);
            }
            (["2", "5", "9"].iter().position(|class| *class == label).unwrap(), margins)
        })
        .collect()
}

fn probabilities(loss: &str, margins: &[f64]) -> Vec<f64> {
    let of = |m: &f64| if loss == "softmax" { m.exp() } else { 1.0 / (1.0 + (-m).exp()) };
    let sum: f64 = margins.iter().map(of).sum();
    margins.iter().map(|m| of(m) / sum).collect()
}

#[test]
fn predictions_and_measures_are_those_of_the_exported_weights() {
    for loss in ["softmax", "ovr"] {
        let box_ = Sandbox::new();
        box_.write("a.svm", rows(120));
        box_.write("b.svm", rows(50));
        box_.ok(&format!("fit a.svm --loss {loss} -o m.surefoot"));
        box_.ok("export m.surefoot -o w.csv");
        let expected = by_hand(&box_.text("w.csv"), &rows(50));
        let [p, m, c] = ["probability", "margin", "class"]
            .map(|kind| box_.ok(&format!("predict m.surefoot b.svm --type {kind}")).out);
        assert_eq!(box_.ok("predict m.surefoot b.svm").out, p);
        let (mut losses, mut logs, mut right, mut confusion) = (0.0, 0.0, 0.0, [[0.0; 3]; 3]);
        for ((((y, margins), p), m), c) in expected.iter().zip(p.lines()).zip(m.lines()).zip(c.lines()) {
            // Sums of a few terms of order 1, in another order.
            let close = |a: &[f64], b: &[f64]| a.len() == 3 && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
            let exact = probabilities(loss, margins);
            assert!(close(&numbers(p), &exact) && close(&numbers(m), margins), "{loss}: {p}, {exact:?}");
            let likeliest = (0..3).max_by(|&a, &b| margins[a].total_cmp(&margins[b])).unwrap();
            assert_eq!(c, ["2", "5", "9"][likeliest]);
            logs -= exact[*y].ln() / 50.0;
            losses += match loss {
                "softmax" => -exact[*y].ln() / 50.0,
                _ => {
                    (0..3).map(|k| (1.0 + (if k == *y { -margins[k] } else { margins[k] }).exp()).ln()).sum::<f64>()
                        / 50.0
                }
            };
            right += f64::from(u8::from(likeliest == *y)) / 50.0;
            confusion[*y][likeliest] += 1.0;
        }
        let found: serde_json::Value = serde_json::from_str(&box_.ok("eval m.surefoot b.svm --json").out).unwrap();
        let close = |name: &str, expected: f64| (found[name].as_f64().unwrap() - expected).abs() < 1e-12;
        assert!(close("loss", losses) && close("log_loss", logs) && close("accuracy", right), "{loss}: {found}");
        assert_eq!(found["confusion"]["labels"], serde_json::json!(["2", "5", "9"]));
        assert_eq!(found["confusion"]["weights"], serde_json::json!(confusion));
        let table = box_.ok("eval m.surefoot b.svm").out;
        assert!(table.contains("label  taken for\n        2   5   9\n"), "{table}");
        assert_eq!(table.contains("log loss"), loss == "ovr", "{table}");
    }
}

#[test]
fn what_was_never_trained_on_is_refused_by_name() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(60));
    box_.write("new.svm", "5 1:1\n7 1:1\n");
    box_.write("half.svm", "2 1:1\n2.5 1:1\n");
    box_.ok("fit a.svm --loss softmax -o m");
    let says = "new.svm:2:1: '7': not a label that the model was trained on (2, 5, 9)";
    assert!(box_.fails(1, "eval m new.svm").err.contains(says));
    assert!(box_.fails(1, "fit a.svm --loss softmax --test new.svm").err.contains(says));
    let ran = box_.fails(1, "fit half.svm --loss softmax -o n");
    assert!(ran.err.contains("half.svm:2:1: '2.5'") && ran.err.contains("whole numbers"), "{}", ran.err);
    assert!(!box_.has("n"));
    assert!(box_.fails(1, "fit a.svm").err.contains("--loss softmax"));
    assert!(box_.fails(2, "fit a.svm --loss softmax --radius 1").err.contains("--radius"));
}

#[test]
fn interrupted_and_resumed_runs_end_in_the_same_bytes() {
    for (loss, more) in [("softmax", ""), ("ovr", ""), ("softmax", "--passes 3")] {
        let box_ = Sandbox::new();
        box_.write("a.svm", rows(20_000));
        box_.ok(&format!("fit a.svm --loss {loss} {more} -o whole"));
        let ran = box_.run(&format!("fit a.svm --loss {loss} {more} -o part --snapshot 700 --budget 15ms"));
        assert_eq!(ran.status, 0, "{}", ran.err);
        if box_.has("part") {
            box_.ok("fit a.svm --resume part -o part");
            assert!(box_.read("part") == box_.read("whole"), "{loss} {more}");
        }
        // A slim copy predicts the same.
        box_.ok("export whole -o slim.surefoot --slim");
        let [a, b] = ["whole", "slim.surefoot"].map(|model| box_.ok(&format!("predict {model} a.svm")).out);
        assert!(a == b);
    }
}

#[test]
fn weights_are_shown_by_feature_and_class() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(120));
    box_.ok("fit a.svm --loss softmax -o m");
    let table = box_.ok("inspect m --top 2").out;
    assert!(table.contains("3 classes: 2, 5, 9") && table.contains("feature  class    weight"), "{table}");
    let found: serde_json::Value = serde_json::from_str(&box_.ok("inspect m --top 1 --json").out).unwrap();
    assert_eq!(found["intercept"].as_array().unwrap().len(), 3);
    box_.ok("export m -o w.json");
    let weights: serde_json::Value = serde_json::from_str(&box_.text("w.json")).unwrap();
    assert_eq!((&weights["labels"], &weights["intercept"]), (&serde_json::json!(["2", "5", "9"]), &found["intercept"]));
    let all = weights["weights"].as_array().unwrap().iter().flat_map(|w| w["weight"].as_array().unwrap());
    let largest = all.map(|w| w.as_f64().unwrap()).fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    assert_eq!(found["top"][0]["weight"].as_f64(), Some(largest));
    assert!(["2", "5", "9"].contains(&found["top"][0]["class"].as_str().unwrap()));
}

#[test]
fn texts_are_classes_in_any_number_and_order() {
    let names = ["emu", "ant", "cat", "bee", "dog", "asp"];
    let table = |order: &[usize]| {
        let row = |&k: &usize| format!("{},{},{}\n", names[k], k % 3, k / 3);
        format!("y,a,b\n{}", order.iter().cycle().take(240).map(row).collect::<String>())
    };
    for order in [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [3, 1, 5, 0, 4, 2]] {
        let box_ = Sandbox::new();
        box_.write("a.csv", table(&order));
        box_.write("b.csv", "y,a,b\nfox,1,1\n");
        let ran = box_.ok("fit a.csv --label y --loss softmax -o m");
        assert!(ran.err.contains("6 classes: ant, asp, bee, cat, dog, emu"), "{}", ran.err);
        let classes = box_.ok("predict m a.csv --type class").out;
        assert!(classes.lines().all(|class| names.contains(&class)), "{classes}");
        assert!(box_.ok("eval m a.csv").out.contains("asp"));
        let ran = box_.fails(1, "eval m b.csv");
        assert!(ran.err.contains("'fox': not a label that the model was trained on (ant, asp"), "{}", ran.err);
    }
}
