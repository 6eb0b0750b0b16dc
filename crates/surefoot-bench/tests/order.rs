//! Tests the alarm about the order of rows on synthetic rows, for each loss and each kind of training.

use surefoot_bench::{Dice, Set};
use surefoot_glm::{Ball, Batch, ClassWeights, Loss, Settings};

/// Generates a data set whose labels a linear model predicts well.
fn set(loss: Loss, rows: usize, weighted: bool, offsets: bool) -> Set {
    let (mut dice, mut batch) = (Dice::new(11), Batch::default());
    for _ in 0..rows {
        let mut normal = || (0..4).map(|_| dice.roll()).sum::<f64>() - 2.0;
        let x = [normal(), normal(), normal()];
        let m = 3.0 * x[0] - 2.0 * x[1] + 0.3 * normal();
        let label = match loss {
            _ if loss.is_multiclass() => f64::from(u8::from(m > -1.0) + u8::from(m > 1.0)),
            _ if loss.classifies() => f64::from(m > 0.0),
            Loss::Poisson | Loss::Tweedie { .. } => (0.5 * m).exp().round(),
            Loss::Gamma => (0.5 * m).exp(),
            _ => 50.0 + 10.0 * m,
        };
        let (weight, offset) = (0.5 + dice.roll(), if offsets { dice.roll() } else { 0.0 });
        batch.push_offset(offset);
        batch.push(Some(label), if weighted { weight } else { 1.0 }, &[(1, x[0]), (2, x[1]), (3, x[2])]);
    }
    Set { name: loss.name().to_owned(), rows: batch, settings: Settings { loss, ..Settings::default() } }
}

fn all() -> impl Iterator<Item = Loss> {
    Loss::ALL.into_iter()
}

/// Asserts that the alarm is raised exactly when it should be, for shuffled and for sorted rows, and returns the number
/// of alarms for sorted rows.
fn check(set: &Set, passes: u32) -> usize {
    let what = |order: &str| format!("{} {passes} {order}", set.name);
    for seed in 0..3 {
        let judged = set.judge(&set.shuffled(seed), passes).unwrap();
        assert!(!judged.alarm && !judged.is_cause(), "{}: {judged:?}", what("shuffled"));
    }
    let mut order = set.by_label();
    let mut alarms = 0;
    for turn in ["up", "down"] {
        let judged = set.judge(&order, passes).unwrap();
        assert_eq!(judged.alarm, judged.is_cause(), "{}: {judged:?}", what(turn));
        alarms += usize::from(judged.alarm);
        order.reverse();
    }
    alarms
}

#[test]
fn every_loss() {
    let mut harmed = Vec::new();
    for loss in all() {
        if check(&set(loss, 400, false, false), 1) > 0 {
            harmed.push(loss);
        }
        check(&set(loss, 300, true, !loss.is_multiclass()), 1);
    }
    // Sorted rows do no harm to some losses, for which the alarm rightly stays silent.
    assert!(harmed.len() >= all().count() / 2, "sorted rows harmed {harmed:?} alone");
}

#[test]
fn every_engine_and_several_passes() {
    let ball = Some(Ball { radius: 5.0, row_norm: None, delta: 0.05 });
    for loss in [Loss::Logistic, Loss::Squared, Loss::Hinge] {
        let set = set(loss, 400, false, false);
        check(&Set { settings: Settings { ball, ..set.settings.clone() }, ..set }, 1);
    }
    for loss in [Loss::Logistic, Loss::Softmax, Loss::Poisson] {
        check(&set(loss, 400, false, false), 4);
    }
}

#[test]
fn a_sample_of_many_rows_is_enough() {
    let set = set(Loss::Logistic, 30_000, false, false);
    assert_eq!(check(&set, 1), 2);
}

#[test]
fn balanced_classes() {
    for loss in [Loss::Logistic, Loss::Softmax] {
        let set = set(loss, 400, false, false);
        let class_weights = Some(ClassWeights::Balanced);
        let set = Set { settings: Settings { class_weights, ..set.settings.clone() }, ..set };
        check(&set, 1);
    }
}
