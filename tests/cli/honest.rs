//! Tests that the printed progressive loss is that of the models that `fit` would have saved at each row.

use crate::sandbox::{Sandbox, head, rows};
use surefoot_glm::Loss;

/// Running mean with compensated summation (Neumaier).
#[derive(Default)]
struct Mean {
    sum: f64,
    carry: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.carry += if self.sum.abs() >= x.abs() { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
        self.count += 1.0;
    }

    fn value(&self) -> f64 {
        (self.sum + self.carry) / self.count
    }
}

/// Returns the progressive losses that `fit` prints for `text`, and those of a naive loop in which the model saved
/// after k rows predicts row k + 1.
fn printed_and_looped(text: &str, loss: Loss, more: &str) -> (Vec<f64>, Vec<f64>) {
    let box_ = Sandbox::new();
    box_.write("all.svm", text);
    let fit = format!("fit --loss {} --json{more}", loss.name());
    let printed = box_.ok(&format!("{fit} all.svm"));
    let printed = printed.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let printed = printed.filter(|line| line["event"] != "data").map(|line| line["loss"].as_f64().unwrap()).collect();
    let (mut mean, mut looped) = (Mean::default(), Vec::new());
    for (k, row) in text.lines().enumerate() {
        let mut margin = 0.0;
        if k > 0 {
            box_.write("first.svm", head(text, k));
            box_.write("next.svm", format!("{row}\n"));
            box_.ok(&format!("{fit} first.svm -o k"));
            margin = box_.ok("predict k next.svm --type margin").out.trim().parse().unwrap();
        }
        let mut label: f64 = row.split(' ').next().unwrap().parse().unwrap();
        if loss.classifies() {
            label = 2.0 * label - 1.0;
        }
        mean.add(loss.value(label, margin));
        if (k + 1).is_power_of_two() {
            looped.push(mean.value());
        }
    }
    looped.push(mean.value());
    (printed, looped)
}

#[test]
fn progressive_loss_is_that_of_saved_models_scored_on_the_next_row() {
    let zeros_first = "0 1:1 2:3\n0 2:1\n0 1:-1\n".to_owned() + &rows(140);
    for more in [
        "",
        " --radius 2 --row-norm 9",
        " --l1 0.02 --l2 0.1",
        " --l2 auto",
        " --l1 auto --nonneg",
        " --l2 0.1 --penalty-factor 1-6=0.1 --bounds 2=-0.3,0",
    ] {
        let (printed, looped) = printed_and_looped(&zeros_first, Loss::Logistic, more);
        assert_eq!(printed, looped, "{more}");
    }
    let numbers: String = rows(70).lines().enumerate().map(|(i, row)| format!("{}{row}\n", 37 * i % 11)).collect();
    for more in ["", " --radius 5", " --l2 auto"] {
        let (printed, looped) = printed_and_looped(&numbers, Loss::Squared, more);
        assert_eq!(printed, looped, "{more}");
    }
}

#[test]
fn with_several_passes_it_is_that_of_held_out_rows_before_they_are_learnt() {
    let box_ = Sandbox::new();
    let text = rows(300);
    box_.write("all.svm", &text);
    for period in [10, 7] {
        let held: String = text.split_inclusive('\n').skip(period - 1).step_by(period).collect();
        box_.write("held.svm", held);
        let done = box_.ok(&format!("fit all.svm --passes 4 --holdout {period} --json")).json();
        let eval = box_.ok("eval model.surefoot held.svm --json").json();
        assert_ne!(eval["loss"], done["loss"], "{period}");
        let (eval, printed) = (eval["loss"].as_f64().unwrap(), done["loss"].as_f64().unwrap());
        assert!((eval - printed).abs() < 0.05, "{period}: {eval} {printed}");
    }
}

#[test]
fn few_rows_hold_nothing_out() {
    let box_ = Sandbox::new();
    box_.write("few.svm", rows(9));
    box_.ok("fit few.svm --passes 3 -o a");
    box_.ok("fit few.svm --passes 3 -o b --holdout none");
    assert_eq!(box_.ok("predict a few.svm").out, box_.ok("predict b few.svm").out);
}
