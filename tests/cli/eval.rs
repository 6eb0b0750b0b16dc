//! Tests of `eval` (metrics on labelled data) and `inspect` (contents of a model).

use crate::sandbox::{Sandbox, rows};

#[test]
fn metrics_follow_from_the_predictions() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(300));
    box_.ok("fit a.svm -o m");
    let found = box_.ok("eval m a.svm --json").json();
    let (mut loss, mut right, mut pairs, mut wins) = (0.0, 0.0, 0.0, 0.0);
    let out = box_.ok("predict m a.svm --type margin").out;
    let scored: Vec<(bool, f64)> = box_
        .text("a.svm")
        .lines()
        .zip(out.lines())
        .map(|(row, m)| (row.starts_with('1'), m.parse().unwrap()))
        .collect();
    for &(yes, m) in &scored {
        loss += (1.0 + (if yes { -m } else { m }).exp()).ln() / 300.0;
        right += f64::from(u8::from(yes == (m > 0.0))) / 300.0;
        for &(_, other) in scored.iter().filter(|(other, _)| yes && !other) {
            pairs += 1.0;
            wins += if m > other { 1.0 } else { f64::from(u8::from(m == other)) / 2.0 };
        }
    }
    let close =
        |name: &str, value: f64| assert!((found[name].as_f64().unwrap() - value).abs() < 1e-12, "{name} {found}");
    close("loss", loss);
    close("accuracy", right);
    close("auc", wins / pairs);
    close("log_loss", loss);
    close("pr_auc", average_precision(&scored));
    let probabilities = scored.iter().map(|&(yes, m)| (yes, 1.0 / (1.0 + (-m).exp())));
    let squares = probabilities.clone().map(|(yes, p)| (p - f64::from(u8::from(yes))).powi(2));
    close("brier", squares.sum::<f64>() / 300.0);
    let off = (0..10).map(|bin| {
        let own = probabilities.clone().filter(|(_, p)| (p * 10.0) as usize == bin);
        own.map(|(yes, p)| p - f64::from(u8::from(yes))).sum::<f64>().abs() / 300.0
    });
    close("calibration_error", off.sum());
    let of = |yes: bool, taken: bool| scored.iter().filter(|row| row.0 == yes && (row.1 > 0.0) == taken).count() as f64;
    let (precision, recall) =
        (of(true, true) / (of(true, true) + of(false, true)), of(true, true) / (of(true, true) + of(true, false)));
    close("precision", precision);
    close("recall", recall);
    close("f1", 2.0 * precision * recall / (precision + recall));
    let matrix = serde_json::json!([[of(false, false), of(false, true)], [of(true, false), of(true, true)]]);
    assert_eq!(
        (&found["confusion"]["labels"], &found["confusion"]["weights"]),
        (&serde_json::json!(["0", "1"]), &matrix)
    );
    close("weight", 300.0);
    assert!(found["rows"] == 300 && found["mse"].is_null());
    assert!(box_.ok("eval m a.svm").out.contains("AUC"));
}

/// Computes the average precision by its definition: the mean over positive rows of the share of positive rows among
/// those with at least the same margin.
fn average_precision(scored: &[(bool, f64)]) -> f64 {
    let above = |m: f64, yes: bool| scored.iter().filter(|row| row.1 >= m && (row.0 || !yes)).count() as f64;
    let positive: Vec<f64> = scored.iter().filter(|row| row.0).map(|row| row.1).collect();
    positive.iter().map(|&m| above(m, true) / above(m, false)).sum::<f64>() / positive.len() as f64
}

#[test]
fn squared_loss_is_half_the_mse() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n2 1:2\n4 1:3\n3 2:1\n");
    box_.ok("fit a.svm --loss squared -o m");
    let found = box_.ok("eval m a.svm --json").json();
    let mse = found["mse"].as_f64().unwrap();
    assert!((found["loss"].as_f64().unwrap() - mse / 2.0).abs() < 1e-15);
    assert!((found["rmse"].as_f64().unwrap() - mse.sqrt()).abs() < 1e-15);
    assert!(
        (found["r2"].as_f64().unwrap() - (1.0 - mse / 1.25)).abs() < 1e-12,
        "the labels' variance is 1.25: {found}"
    );
    for absent in
        ["accuracy", "auc", "pr_auc", "log_loss", "brier", "calibration_error", "precision", "macro", "deviance"]
    {
        assert!(found[absent].is_null() && found.get(absent).is_some(), "{absent}: {found}");
    }
    let text = box_.ok("eval m a.svm").out;
    assert!(text.contains("RMSE") && text.contains("R²") && !text.contains("AUC"));
}

#[test]
fn labels_that_the_model_never_mapped_are_refused() {
    let box_ = Sandbox::new();
    box_.write("a.svm", "1 1:1\n-1 2:1\n");
    box_.write("b.svm", "1 1:1\n 0 2:1\n");
    box_.ok("fit a.svm -o m");
    let ran = box_.fails(1, "eval m b.svm --json");
    assert!(ran.err.contains("b.svm:2:2: '0'") && ran.err.contains("-1, 1"), "{}", ran.err);
    assert_eq!(ran.out, "");
    box_.write("empty.svm", "\n");
    assert!(box_.fails(1, "eval m empty.svm").err.contains("no rows"));
    assert!(box_.fails(1, "predict m empty.svm -o p").err.contains("no rows"));
    assert!(!box_.has("p"));
}

#[test]
fn inspect_shows_the_model() {
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(300));
    box_.ok("fit a.svm -o m");
    let text = box_.ok("inspect m --top 3").out;
    for shown in ["logistic", "svmlight", "1 is positive, 0 negative", "300 rows", "feature", "leads"] {
        assert!(text.contains(shown), "{shown} in {text}");
    }
    let found = box_.ok("inspect m --json --top 3").json();
    assert_eq!((found["features"].as_u64(), found["rows"].as_u64()), (Some(10), Some(300)));
    assert_eq!(found["size"].as_u64(), Some(box_.read("m").len() as u64));
    let weights: Vec<f64> =
        found["top"].as_array().unwrap().iter().map(|w| w["weight"].as_f64().unwrap().abs()).collect();
    assert!(weights.len() == 3 && weights.is_sorted_by(|a, b| a >= b));
    assert!(found["unfinished"].is_null() && found["state"] == true);
    let shares: f64 = found["lanes"].as_array().unwrap().iter().map(|lane| lane["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-6);
}
