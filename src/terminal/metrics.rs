//! Metrics of predictions by name, as text for people and as JSON for programs.

use super::confusion;
use crate::words::number;
use serde_json::{Value, json};
use std::fmt::Write as _;
use surefoot_glm::{Measured, Rates};
use surefoot_io::printable;

/// Formats the metrics of [`main`] in one line.
pub(crate) fn line(measured: &Measured) -> String {
    let told = main(measured);
    let pairs: Vec<_> = told.iter().map(|(name, value)| format!("{name} {}", number::loss(Some(*value)))).collect();
    if pairs.is_empty() { "too large to be added up".to_owned() } else { pairs.join(", ") }
}

/// Returns the names and values of the most important metrics for this kind of labels, such as accuracy for classes.
pub(crate) fn main(measured: &Measured) -> Vec<(&'static str, f64)> {
    let metrics = [
        ("loss", measured.loss),
        ("log loss", measured.log_loss.filter(|_| measured.log_loss != measured.loss)),
        ("accuracy", measured.accuracy),
        ("AUC", measured.auc),
        ("RMSE", measured.rmse),
        ("MSE", measured.mse),
        ("MAE", measured.mae),
        ("R²", measured.r2),
        ("deviance", measured.deviance),
        ("D²", measured.d2),
    ];
    metrics.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Returns the names and values of the metrics that apply to this kind of labels and are not in [`main`].
pub(crate) fn more(measured: &Measured) -> Vec<(&'static str, f64)> {
    let metrics = [("PR-AUC", measured.pr_auc), ("Brier", measured.brier), ("ECE", measured.calibration_error)];
    metrics.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Returns precision, recall and F1: of the positive class (`positive`) for two classes, and averaged over classes
/// (`macro`, `weighted`).
pub(crate) fn rates(measured: &Measured) -> Vec<(&'static str, Rates)> {
    let averages = measured.confusion.as_ref().and_then(|confusion| confusion.averages());
    let [all, weighted] = averages.map_or([None; 2], |averages| averages.map(Some));
    let rates = [("positive", measured.rates), ("macro", all), ("weighted", weighted)];
    rates.into_iter().filter_map(|(of, rates)| Some((of, rates?))).collect()
}

/// Returns all metrics as a JSON object; a metric that does not apply is null.
pub(crate) fn object(measured: &Measured, labels: &[String]) -> Value {
    let of_rates = |rates: Rates| json!({"precision": rates.precision, "recall": rates.recall, "f1": rates.f1});
    let averages = measured.confusion.as_ref().and_then(|confusion| confusion.averages());
    let mut object = json!({
        "rows": measured.rows,
        "weight": number::number_or_null(Some(measured.weight)),
        "loss": number::number_or_null(measured.loss),
        "log_loss": number::number_or_null(measured.log_loss),
        "accuracy": number::number_or_null(measured.accuracy),
        "auc": number::number_or_null(measured.auc),
        "auc_error": number::number_or_null(measured.auc.map(|_| measured.auc_error)),
        "pr_auc": number::number_or_null(measured.pr_auc),
        "pr_auc_error": number::number_or_null(measured.pr_auc.map(|_| measured.pr_auc_error)),
        "precision": number::number_or_null(measured.rates.map(|rates| rates.precision)),
        "recall": number::number_or_null(measured.rates.map(|rates| rates.recall)),
        "f1": number::number_or_null(measured.rates.map(|rates| rates.f1)),
        "brier": number::number_or_null(measured.brier),
        "calibration_error": number::number_or_null(measured.calibration_error),
        "mse": number::number_or_null(measured.mse),
        "rmse": number::number_or_null(measured.rmse),
        "mae": number::number_or_null(measured.mae),
        "r2": number::number_or_null(measured.r2),
        "deviance": number::number_or_null(measured.deviance),
        "d2": number::number_or_null(measured.d2),
        "confusion": measured.confusion.as_ref().map(|confusion| confusion::object(confusion, labels)),
    });
    object["macro"] = averages.map_or(Value::Null, |[all, _]| of_rates(all));
    object["weighted"] = averages.map_or(Value::Null, |[_, weighted]| of_rates(weighted));
    object
}

/// Formats all metrics as text, one line per metric.
pub(crate) fn table(measured: &Measured, labels: &[String]) -> String {
    let labels: Vec<String> = labels.iter().map(|label| printable(label).into_owned()).collect();
    let mut text = String::new();
    let _ = writeln!(text, "{:<10}{}", "rows", measured.rows);
    let _ = writeln!(text, "{:<10}{}", "weight", number::shortest(measured.weight));
    for (name, value) in main(measured).into_iter().chain(more(measured)) {
        let _ = writeln!(text, "{name:<10}{}", number::loss(Some(value)));
    }
    let two = measured.rates.is_some();
    for (of, Rates { precision, recall, f1 }) in rates(measured).into_iter().take(if two { 1 } else { 2 }) {
        let _ = writeln!(text, "{of:<10}precision {precision:.6}, recall {recall:.6}, F1 {f1:.6}");
    }
    let doubts = [("AUC", measured.auc_error), ("PR-AUC", measured.pr_auc_error)];
    for (name, doubt) in doubts.into_iter().filter(|(_, doubt)| *doubt > 0.0) {
        let _ = writeln!(text, "{name} is within {doubt:.1e} of its exact value (more than a million rows)");
    }
    if let Some(confusion) = &measured.confusion {
        text += &confusion::table(confusion, &labels);
    }
    text
}
