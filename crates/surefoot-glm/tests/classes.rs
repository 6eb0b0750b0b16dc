//! Tests of training with multiclass losses: against a dense reference implementation (the twin), against the model's own saves, and
//! for invariance to label names, the order of rows, units and weights.

mod common;

use common::resumed;
use surefoot_glm::{
    Ball, Batch, ClassMetrics, Loss, MemoryHoldout, Model, Plan, Predictor, RowMargins, Settings, Tally, Trainer,
};
use surefoot_oracle::{classes as oracle, trainer::Row};

/// Pseudo-random number generator (linear congruential); the seed determines the sequence.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.roll()).sum::<f64>() - 6.0
    }
}

const FEATURES: usize = 6;
const SIZES: [f64; 1 + FEATURES] = [1.0, 1e-3, 1.0, 1e4, 1.0, 30.0, 1.0];

/// Returns `n` sparse random rows (label, pairs of feature id and value) with labels 0 to `classes` − 1 that depend on the values,
/// with noise. The scales of columns differ by up to 10⁷; one column and the last class first occur in later rows.
fn rows(classes: usize, n: usize, seed: u64) -> Vec<(f64, Vec<(u64, f64)>)> {
    let mut dice = Dice(seed);
    let weights: Vec<Vec<f64>> = (0..classes).map(|_| (0..=FEATURES).map(|_| dice.normal()).collect()).collect();
    (0..n)
        .map(|t| {
            let (mut pairs, mut margins) = (Vec::new(), vec![0.0; classes]);
            for j in 1..=FEATURES {
                if dice.roll() < 0.6 && (j < FEATURES || t > n / 2) {
                    let x = dice.normal();
                    margins.iter_mut().zip(&weights).for_each(|(m, w)| *m += x * w[j]);
                    pairs.push((j as u64, x * SIZES[j]));
                }
            }
            let known = if t > n / 3 || classes < 3 { classes } else { classes - 1 };
            margins.iter_mut().for_each(|m| *m += 2.0 * dice.normal());
            let label = (0..known).max_by(|&a, &b| margins[a].total_cmp(&margins[b])).unwrap();
            (label as f64, pairs)
        })
        .collect()
}

fn batch(rows: &[(f64, Vec<(u64, f64)>)]) -> Batch {
    let mut batch = Batch::default();
    rows.iter().for_each(|(label, pairs)| batch.push(Some(*label), 1.0, pairs));
    batch
}

fn settings(loss: Loss) -> Settings {
    Settings { loss, ..Settings::default() }
}

fn fit(loss: Loss, plan: Plan, batch: &Batch) -> Trainer {
    let mut trainer = Trainer::new(settings(loss), plan);
    for _ in 0..plan.passes {
        trainer.learn(batch, 0, batch.len()).unwrap();
        trainer.end_pass().unwrap();
    }
    trainer
}

/// Returns the margins of row `r` of the batch, one per class by ascending label.
fn margins(model: &Model, batch: &Batch, r: usize) -> Vec<f64> {
    let mut scores = RowMargins::default();
    Predictor::new(model).score_classes(&batch.row(r), &mut scores).unwrap();
    scores.margins
}

#[test]
fn agrees_with_its_dense_twin() {
    let kinds = [(Loss::Softmax, oracle::Loss::Softmax), (Loss::Ovr, oracle::Loss::Ovr)];
    for ((loss, twin), (classes, intercept)) in
        kinds.into_iter().flat_map(|kind| [(2, true), (4, true), (4, false), (7, true)].map(|shape| (kind, shape)))
    {
        let plain = rows(classes, 200, 5);
        let mut batch = batch(&plain);
        batch.weight.iter_mut().enumerate().for_each(|(t, w)| *w = [1.0, 0.5, 3.0][t % 3]);
        // The twin wants classes by the order in which they come.
        let mut order: Vec<f64> = Vec::new();
        plain.iter().for_each(|(label, _)| {
            if !order.contains(label) {
                order.push(*label);
            }
        });
        let dense: Vec<Row> = (0..batch.len())
            .map(|t| {
                let mut values = vec![0.0; 1 + FEATURES];
                values[0] = f64::from(u8::from(intercept));
                plain[t].1.iter().for_each(|&(j, x)| values[j as usize] = x);
                let label = order.iter().position(|label| *label == plain[t].0).unwrap() as f64;
                Row { label, weight: batch.weight[t], values }
            })
            .collect();
        let mut trainer = Trainer::new(Settings { intercept, ..settings(loss) }, Plan::ONE_PASS);
        let scales: Vec<f64> = trainer.summary().lanes.iter().map(|lane| lane.scale).collect();
        let told = oracle::train(twin, &scales, &dense);
        // f32 lanes against f64: rounding at 6e-8 of values of order 1 to 10, in a closed loop over 200 rows.
        let close = |a: f64, b: f64| (a - b).abs() <= 2e-5 * (1.0 + b.abs());
        let mut expected = told.margins.iter();
        for (t, row) in dense.iter().enumerate() {
            let model = trainer.model();
            let found = margins(&model, &batch, t);
            let known = order.iter().filter(|label| model.labels.classes.contains(label)).count();
            for (c, &m) in (&mut expected).take(known.max(row.label as usize + 1)).enumerate() {
                let at = model.labels.classes.iter().position(|label| *label == order[c]);
                // A class that is new has margin 0.
                let margin = at.map_or(0.0, |at| found[at]);
                assert!(close(margin, m), "{loss} {classes} row {t} class {c}: {margin} and {m}");
            }
            trainer.learn(&batch, t, t + 1).unwrap();
        }
        let model = trainer.model();
        assert_eq!(model.labels.classes.len(), classes);
        assert!(intercept || model.intercept.iter().all(|b| *b == 0.0), "{loss}: {:?}", model.intercept);
        for (c, label) in order.iter().enumerate() {
            let at = model.labels.classes.iter().position(|class| class == label).unwrap();
            let weights = &told.weights[c * (1 + FEATURES)..][..1 + FEATURES];
            assert!(close(model.intercept[at], weights[0]), "{loss}: {} and {}", model.intercept[at], weights[0]);
            for (i, &id) in model.index.iter().enumerate() {
                let (size, weight) = (SIZES[id as usize], model.weight[i * classes + at]);
                let expected = weights[id as usize];
                assert!(close(weight * size, expected * size), "{loss} {id} {c}: {weight} and {expected}");
            }
        }
        for (lane, expected) in trainer.summary().lanes.iter().zip(&told.shares) {
            assert!((lane.share - expected).abs() < 1e-3, "{loss}: {lane:?} and {expected}");
        }
    }
}

#[test]
fn each_row_is_scored_by_the_model_that_a_save_would_have_stored() {
    for loss in Loss::MULTICLASS {
        let batch = batch(&rows(5, 300, 11));
        let mut trainer = Trainer::new(settings(loss), Plan::ONE_PASS);
        let mut honest = ClassMetrics::new(loss);
        for t in 0..batch.len() {
            let model = trainer.model();
            let mut margins = margins(&model, &batch, t);
            let class = model.labels.encode(batch.label[t]).map_or(margins.len(), |class| class as usize);
            // A class never met has margin 0 beside the known ones.
            margins.resize(margins.len().max(class + 1), 0.0);
            honest.add(class, 1.0, &margins);
            trainer.learn(&batch, t, t + 1).unwrap();
            assert_eq!(trainer.summary().loss, honest.measured().loss, "{loss:?} row {t}");
        }
    }
}

#[test]
fn resuming_anywhere_gives_the_same_model_to_the_bit() {
    for loss in Loss::MULTICLASS {
        let batch = batch(&rows(4, 60, 3));
        for plan in [
            Plan::ONE_PASS,
            Plan { passes: 3, holdout: Some(7), ..Plan::ONE_PASS },
            Plan { passes: 2, holdout: None, ..Plan::ONE_PASS },
        ] {
            let whole = fit(loss, plan, &batch);
            for stop in (1..batch.len() * plan.passes as usize).step_by(if plan == Plan::ONE_PASS { 1 } else { 7 }) {
                let model = resumed(&settings(loss), plan, &batch, stop);
                assert_eq!(model, whole.model(), "{loss:?} {plan:?} from {stop}");
            }
        }
    }
}

#[test]
fn a_finished_model_takes_new_rows_and_classes_as_one_call_would() {
    for loss in Loss::MULTICLASS {
        let batch = batch(&rows(5, 200, 8));
        let whole = fit(loss, Plan::ONE_PASS, &batch).model();
        // The last class comes after a third of the rows.
        let mut first = Trainer::new(settings(loss), Plan::ONE_PASS);
        first.learn(&batch, 0, 60).unwrap();
        first.end_pass().unwrap();
        let left = first.model();
        assert_eq!(left.labels.classes, [0.0, 1.0, 2.0, 3.0]);
        let mut second = Trainer::resume(&left, Plan::ONE_PASS, Box::<MemoryHoldout>::default()).unwrap();
        assert_eq!(second.model().weight, left.weight, "no row, no change");
        second.learn(&batch, 60, 200).unwrap();
        second.end_pass().unwrap();
        assert_eq!(second.model(), whole);
    }
}

#[test]
fn names_of_classes_do_not_matter() {
    for (loss, plan) in Loss::MULTICLASS
        .into_iter()
        .flat_map(|l| [1, 3].map(|p| (l, Plan { passes: p, holdout: Some(9), ..Plan::ONE_PASS })))
    {
        let plain = rows(4, 200, 51);
        let names = [7.0, -2.0, 65_536.0, 0.0];
        let renamed: Vec<_> = plain.iter().map(|(y, pairs)| (names[*y as usize], pairs.clone())).collect();
        let (a, b) = (fit(loss, plan, &batch(&plain)).model(), fit(loss, plan, &batch(&renamed)).model());
        assert_eq!(b.labels.classes, [-2.0, 0.0, 7.0, 65_536.0]);
        let places = [2, 0, 3, 1];
        for (c, &place) in places.iter().enumerate() {
            assert_eq!(a.intercept[c], b.intercept[place]);
            (0..a.index.len()).for_each(|i| assert_eq!(a.weight[4 * i + c], b.weight[4 * i + place], "{loss} {i} {c}"));
        }
        // Terms are added in the order of the labels.
        assert!((a.summary.loss.unwrap() - b.summary.loss.unwrap()).abs() < 1e-14);
    }
}

#[test]
fn two_classes_by_softmax_are_logistic_regression() {
    let batch = batch(&rows(2, 400, 13));
    let plan = Plan { passes: 200, holdout: None, ..Plan::ONE_PASS };
    let [one, two] = [Loss::Logistic, Loss::Softmax].map(|loss| fit(loss, plan, &batch).model());
    let predictor = Predictor::new(&one);
    for r in 0..batch.len() {
        let mut p = margins(&two, &batch, r);
        Loss::Softmax.probabilities(&mut p);
        let logistic = Loss::Logistic.mean(predictor.score(&batch.row(r)).unwrap().margin);
        // What 200 passes leave of the way to the optimum.
        assert!((p[1] - logistic).abs() < 5e-3, "row {r}: {} and {logistic}", p[1]);
    }
}

#[test]
fn powers_of_two_of_columns_and_weights_change_no_bit() {
    for loss in Loss::MULTICLASS {
        let plain = batch(&rows(4, 200, 21));
        let mut scaled = plain.clone();
        let factors = [1.0, 1024.0, 1.0, 2f64.powi(-300), 0.5, 2f64.powi(200), 1.0];
        scaled.value.iter_mut().zip(&plain.index).for_each(|(x, &id)| *x *= factors[id as usize]);
        scaled.weight.fill(2f64.powi(-40));
        let (a, b) = (fit(loss, Plan::ONE_PASS, &plain).model(), fit(loss, Plan::ONE_PASS, &scaled).model());
        (0..plain.len()).for_each(|r| assert_eq!(margins(&a, &plain, r), margins(&b, &scaled, r), "{loss} {r}"));
    }
}

#[test]
fn rows_of_weight_zero_leave_no_trace() {
    for loss in Loss::MULTICLASS {
        let rows = rows(4, 120, 61);
        let plain = batch(&rows);
        let mut with = Batch::default();
        for (t, (label, pairs)) in rows.iter().enumerate() {
            if t % 7 == 0 {
                with.push(Some(-7.5), 0.0, &[(1, 1e9), (999, 1.0)]);
                with.push(None, 1.0, &[(2, 5.0)]);
            }
            with.push(Some(*label), 1.0, pairs);
        }
        for plan in [Plan::ONE_PASS, Plan { passes: 2, holdout: Some(10), ..Plan::ONE_PASS }] {
            let (a, b) = (fit(loss, plan, &plain).model(), fit(loss, plan, &with).model());
            assert_eq!((&a.index, &a.weight, &a.intercept), (&b.index, &b.weight, &b.intercept));
            assert_eq!((a.labels, a.summary.loss), (b.labels, b.summary.loss));
        }
    }
}

#[test]
fn what_is_no_class_is_refused_and_changes_nothing() {
    let good = batch(&rows(3, 50, 81));
    for loss in Loss::MULTICLASS {
        let mut trainer = fit(loss, Plan::ONE_PASS, &good);
        let before = trainer.model();
        for label in [0.5, 65_537.0, -1e300, f64::INFINITY] {
            let mut bad = Batch::default();
            bad.push(Some(label), 1.0, &[(1, 1.0)]);
            let (row, fault) = trainer.learn(&bad, 0, 1).unwrap_err();
            assert!(row == 0 && fault.message.contains("is not a class label"), "{label}: {}", fault.message);
            assert!(fault.message.contains("--loss squared"));
        }
        assert_eq!(trainer.model(), before);
        // Numbers that stand for texts may be any.
        trainer.treat_labels_as_class_names(Vec::new);
        let mut text = Batch::default();
        text.push(Some(0.5), 1.0, &[(1, 1.0)]);
        trainer.learn(&text, 0, 1).unwrap();
        assert_eq!(trainer.labels().classes, [0.0, 0.5, 1.0, 2.0]);
    }
}

#[test]
fn a_class_that_is_only_held_out_is_known_from_then_on() {
    for loss in Loss::MULTICLASS {
        let mut rows = rows(3, 40, 91);
        (rows[9].0, rows[19].0) = (8.0, 1.0);
        let batch = batch(&rows);
        let mut trainer = Trainer::new(settings(loss), Plan { passes: 2, holdout: Some(10), ..Plan::ONE_PASS });
        trainer.learn(&batch, 0, 10).unwrap();
        let model = trainer.model();
        assert_eq!((model.labels.classes.last(), model.intercept.last()), (Some(&8.0), Some(&0.0)));
        trainer.learn(&batch, 10, 40).unwrap();
        trainer.end_pass().unwrap();
        // Rows of other classes count against it.
        let model = trainer.model();
        assert!(model.labels.classes == [0.0, 1.0, 2.0, 8.0] && model.intercept[3] < 0.0, "{:?}", model.intercept);
        assert!(model.summary.loss.is_some_and(f64::is_finite));
    }
}

#[test]
fn one_class_alone_is_nothing_to_tell_apart() {
    let mut batch = Batch::default();
    (0..20).for_each(|t| batch.push(Some(4.0), 1.0, &[(1, f64::from(t))]));
    let trainer = fit(Loss::Softmax, Plan::ONE_PASS, &batch);
    assert_eq!((trainer.single_label(), trainer.summary().loss), (Some(4.0), Some(0.0)));
    assert_eq!(trainer.summary().loss_constant, Some(0.0));
    assert!(trainer.model().weight.iter().all(|w| *w == 0.0));
}

#[test]
fn the_best_constant_is_that_of_the_shares() {
    let mut batch = Batch::default();
    let labels = [3.0, 1.0, 1.0, 2.0, 1.0, 3.0, 1.0, 1.0];
    labels.iter().for_each(|&label| batch.push(Some(label), 2.0, &[(1, 1.0)]));
    let shares = [5.0 / 8.0, 1.0 / 8.0, 2.0 / 8.0];
    let entropy: f64 = shares.iter().map(|p: &f64| -p * p.ln()).sum();
    let each: f64 = shares.iter().map(|p: &f64| -p * p.ln() - (1.0 - p) * (1.0 - p).ln()).sum();
    for (loss, expected) in [(Loss::Softmax, entropy), (Loss::Ovr, each)] {
        let constant = fit(loss, Plan::ONE_PASS, &batch).summary().loss_constant.unwrap();
        assert!((constant - expected).abs() < 1e-14, "{loss}: {constant} and {expected}");
    }
}

#[test]
fn measured_as_scikit_learn_does() {
    // sklearn.metrics.log_loss, accuracy_score and confusion_matrix of softmax of these margins, with these weights.
    let margins = [[0.5, -1.0, 2.0], [1.5, 0.25, 0.0], [-0.5, 0.5, 0.5], [3.0, 2.5, -2.0]];
    let (labels, weights) = ([2, 1, 1, 0], [1.0, 2.0, 0.5, 4.0]);
    let mut metrics = ClassMetrics::new(Loss::Softmax);
    for ((margins, &label), &weight) in margins.iter().zip(&labels).zip(&weights) {
        metrics.add(label, weight, margins);
    }
    metrics.add(0, 0.0, &[f64::NAN; 3]);
    let measured = metrics.measured();
    assert!((measured.loss.unwrap() - 0.7878791582709025).abs() < 1e-15, "{measured:?}");
    assert_eq!((measured.log_loss, measured.accuracy), (measured.loss, Some(5.5 / 7.5)));
    assert_eq!((measured.rows, measured.weight), (5, 7.5));
    assert_eq!(measured.confusion.unwrap().cells, [(0, 0, 4.0), (1, 0, 2.0), (1, 1, 0.5), (2, 2, 1.0)]);
}

#[test]
fn a_tally_counts_rows_of_weight_zero_whatever_their_label() {
    let batch = batch(&rows(3, 60, 101));
    let model = fit(Loss::Softmax, Plan::ONE_PASS, &batch).model();
    let mut tally = Tally::new(&model);
    let mut row = batch.row(0);
    tally.add(0.0, &row).unwrap();
    let before = tally.measured();
    row.weight = 0.0;
    tally.add(77.0, &row).unwrap();
    assert_eq!((tally.measured().rows, tally.measured().loss), (2, before.loss));
}

#[test]
fn there_are_no_classes_in_a_ball() {
    let ball = Some(Ball { radius: 1.0, row_norm: None, delta: 0.05 });
    let mut trainer = Trainer::new(Settings { ball, ..settings(Loss::Softmax) }, Plan::ONE_PASS);
    let mut batch = Batch::default();
    batch.push(Some(1.0), 1.0, &[(0, 1.0)]);
    let (row, fault) = trainer.learn(&batch, 0, 1).unwrap_err();
    assert!(row == 0 && fault.message.contains("a ball with a loss of more than two classes"), "{fault}");
}
