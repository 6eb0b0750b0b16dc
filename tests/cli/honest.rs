//! The printed loss is that of models that a save would have stored.

use crate::sandbox::{Sandbox, head, rows};
use surefoot_glm::Loss;

/// A mean with the rounding errors carried along (Neumaier).
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

#[test]
fn progressive_loss_is_that_of_saved_models_scored_on_the_next_row() {
    let box_ = Sandbox::new();
    const ROWS: usize = 130;
    let text = rows(ROWS);
    box_.write("all.svm", &text);
    let ran = box_.ok("fit all.svm --json");
    let mut mean = Mean::default();
    let mut printed = Vec::new();
    for (k, row) in text.lines().enumerate() {
        let label = if row.starts_with('1') { 1.0 } else { -1.0 };
        let margin = if k == 0 {
            0.0
        } else {
            box_.write("first.svm", head(&text, k));
            box_.write("next.svm", format!("{row}\n"));
            box_.ok("fit first.svm -o k --quiet");
            let ran = box_.ok("predict k next.svm --type margin");
            let margin: f64 = ran.out.trim().parse().unwrap();
            // While one label was seen, the model's positive class is that label.
            let flipped = !head(&text, k).lines().any(|row| row.starts_with('1'));
            if flipped { -margin } else { margin }
        };
        mean.add(Loss::Logistic.value(label, margin));
        if (k + 1).is_power_of_two() {
            printed.push(mean.value());
        }
    }
    printed.push(mean.value());
    let losses: Vec<f64> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["loss"].as_f64().unwrap())
        .collect();
    assert_eq!(losses, printed);
}

#[test]
fn with_several_passes_it_is_that_of_the_saved_model_on_the_held_out_rows() {
    let box_ = Sandbox::new();
    let text = rows(300);
    box_.write("all.svm", &text);
    for period in [10, 7] {
        let held: String = text.split_inclusive('\n').skip(period - 1).step_by(period).collect();
        box_.write("held.svm", held);
        let done = box_.ok(&format!("fit all.svm --passes 4 --holdout {period} --json")).json();
        let eval = box_.ok("eval model.surefoot held.svm --json").json();
        assert_eq!(done["loss"], eval["loss"], "{period}");
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
