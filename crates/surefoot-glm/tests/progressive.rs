//! Tests of progressive metrics: each row is measured with the model that a save just before the row would have stored.

use surefoot_glm::{Ball, Batch, Loss, Measured, Model, Plan, Settings, Trainer};

/// Returns `n` rows of three features in [0, 1), with label `labels[k]` if the noisy sum of the features is in [k, k +
/// 1).
fn rows(n: u64, labels: [f64; 3]) -> Batch {
    let (mut batch, mut state) = (Batch::default(), 7_u64);
    let mut uniform = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / 9007199254740992.0
    };
    for t in 0..n {
        let x = [uniform(), uniform(), uniform()];
        let part = (x.iter().sum::<f64>() + 0.3 * (uniform() - 0.5)).clamp(0.0, 2.9) as usize;
        // The first rows show one label only.
        let label = if t < 5 { labels[0] } else { labels[part] };
        batch.push(Some(label), 1.0 + (t % 3) as f64, &[(0, x[0]), (1, x[1]), (2, x[2])]);
    }
    batch
}

fn settings(loss: Loss, radius: Option<f64>) -> Settings {
    Settings { loss, ball: radius.map(|radius| Ball { radius, row_norm: None, delta: 0.1 }), ..Settings::default() }
}

/// Trains on the rows one by one with progressive metrics. Returns the model as it was before each row, the metrics,
/// and the trainer.
fn both(settings: Settings, batch: &Batch) -> (Vec<Model>, Measured, Trainer) {
    let mut trainer = Trainer::new(settings, Plan::ONE_PASS);
    trainer.enable_progressive_metrics();
    let mut models = Vec::new();
    for r in 0..batch.len() {
        models.push(trainer.model());
        trainer.learn(batch, r, r + 1).unwrap();
    }
    let measured = trainer.progressive_metrics().unwrap().0;
    (models, measured, trainer)
}

#[test]
fn each_row_is_measured_by_the_model_before_it() {
    for (loss, labels, radius) in [
        (Loss::Logistic, [0.0, 0.0, 1.0], None),
        // The second label turns the sign of the first.
        (Loss::Logistic, [1.0, 1.0, 2.0], None),
        (Loss::Logistic, [1.0, 1.0, -1.0], None),
        (Loss::Hinge, [1.0, 1.0, 2.0], None),
        (Loss::Logistic, [1.0, 1.0, 2.0], Some(3.0)),
        (Loss::Squared, [0.0, 5.0, 9.0], None),
        (Loss::Poisson, [0.0, 1.0, 4.0], None),
    ] {
        let batch = rows(200, labels);
        let (models, found, trainer) = both(settings(loss, radius), &batch);
        let last = trainer.model();
        let margins = models.iter().enumerate().map(|(r, model)| {
            let row = batch.row(r);
            // The first label alone may be coded the other way round.
            let turned = model.labels.positive.is_some_and(|label| last.labels.encode(label) == Some(-1.0))
                || model.labels.negative.is_some_and(|label| last.labels.encode(label) == Some(1.0));
            let margin = surefoot_glm::Predictor::new(model).score(&row).unwrap().margin;
            (row, if turned { -margin } else { margin })
        });
        let mut metrics = surefoot_glm::Metrics::new(loss);
        for (row, margin) in margins {
            let label = row.label.unwrap();
            metrics.add(last.labels.encode(label).filter(|_| loss.classifies()).unwrap_or(label), row.weight, margin);
        }
        assert_eq!(found, metrics.measured(), "{loss:?} {labels:?} {radius:?}");
        assert_eq!(found.loss, trainer.summary().loss, "{loss:?}: the printed loss is of the same models");
    }
}

#[test]
fn many_classes_are_counted_in_their_order() {
    let batch = rows(300, [7.0, -1.0, 3.0]);
    let (_, found, trainer) = both(settings(Loss::Softmax, None), &batch);
    let confusion = found.confusion.unwrap();
    let labels = trainer.labels().classes;
    assert_eq!(labels, [-1.0, 3.0, 7.0]);
    for (place, label) in labels.iter().enumerate() {
        let weight: f64 = (0..300).map(|r| batch.row(r)).filter(|r| r.label == Some(*label)).map(|r| r.weight).sum();
        let found: f64 = confusion.cells.iter().filter(|cell| cell.0 == place).map(|cell| cell.2).sum();
        assert_eq!(found, weight, "{label}");
    }
    assert!((found.loss.unwrap() - trainer.summary().loss.unwrap()).abs() < 1e-12);
    assert!(confusion.cells.is_sorted_by_key(|cell| (cell.0, cell.1)) && found.accuracy > Some(0.5));
}

#[test]
fn measuring_changes_no_model() {
    for loss in [Loss::Logistic, Loss::Softmax] {
        let batch = rows(300, [1.0, 1.0, 2.0]);
        let (_, _, measured) = both(settings(loss, None), &batch);
        let mut plain = Trainer::new(settings(loss, None), Plan::ONE_PASS);
        plain.learn(&batch, 0, batch.len()).unwrap();
        assert_eq!(plain.model(), measured.model());
        assert_eq!((plain.progressive_metrics(), plain.recent_progressive_loss()), (None, None));
    }
}

/// Checks that the kept model's loss on the held-out rows equals the loss reported in the summary.
#[test]
fn held_out_rows_are_measured_by_the_kept_model() {
    let batch = rows(300, [1.0, 1.0, 2.0]);
    let mut trainer = Trainer::new(Settings::default(), Plan { passes: 2, holdout: Some(10), ..Plan::ONE_PASS });
    for _ in 0..2 {
        trainer.learn(&batch, 0, batch.len()).unwrap();
        trainer.end_pass().unwrap();
    }
    let found = trainer.measure_held_out().unwrap().measured();
    assert_eq!((found.rows, found.loss), (30, trainer.summary().loss));
}
