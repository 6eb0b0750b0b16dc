//! Tests of the trainer with single-margin losses: against a dense reference implementation (the twin), against its own
//! saved models, and for invariance to units, labels, weights and the order of rows.

mod common;

use common::resumed;
use surefoot::{AskTell, DenseAnytime, DualAdaGrad, Learner, Point, Vector};
use surefoot_glm::{Batch, Loss, MemoryHoldout, Model, Plan, Predictor, Settings, Trainer};
use surefoot_oracle::trainer as oracle;

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

const FEATURES: u64 = 6;

/// Returns `n` sparse random rows (label, pairs of feature id and value) with labels from a noisy linear model. The
/// scales of columns differ by up to 10⁷, and one column first occurs in later rows.
fn rows(loss: Loss, n: usize, seed: u64) -> Vec<(f64, Vec<(u64, f64)>)> {
    let mut dice = Dice(seed);
    (0..n)
        .map(|t| {
            let (mut pairs, mut margin) = (Vec::new(), 0.3);
            for j in 1..=FEATURES {
                if dice.roll() < 0.6 && (j < FEATURES || t > n / 2) {
                    let x = dice.normal();
                    margin += x * [0.0, 1.0, -2.0, 0.5, 0.0, 1.5, -1.0][j as usize];
                    pairs.push((j, x * [1.0, 1e-3, 1.0, 1e4, 1.0, 30.0, 1.0][j as usize]));
                }
            }
            (label(loss, &mut dice, margin), pairs)
        })
        .collect()
}

/// Returns a random label for a margin: for classification 0 or 1, with a log link a count or amount with mean about
/// exp(margin/2), otherwise the margin plus noise.
fn label(loss: Loss, dice: &mut Dice, margin: f64) -> f64 {
    let mean = (0.5 * margin).exp();
    match loss {
        Loss::Poisson => (mean + mean.sqrt() * dice.normal()).round().max(0.0),
        Loss::Gamma => mean * (0.5 * dice.normal()).exp(),
        Loss::Tweedie { .. } => (mean * (1.0 + dice.normal())).max(0.0),
        _ if loss.classifies() => f64::from(dice.roll() < 1.0 / (1.0 + (-margin).exp())),
        _ => margin + 0.3 * dice.normal(),
    }
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
    fit_passes(loss, plan, plan.passes, batch)
}

/// Trains for `passes` of the passes of the plan. Before the last pass ends, no held-out row is learnt.
fn fit_passes(loss: Loss, plan: Plan, passes: u32, batch: &Batch) -> Trainer {
    let mut trainer = Trainer::new(settings(loss), plan);
    for _ in 0..passes {
        trainer.learn(batch, 0, batch.len()).unwrap();
        trainer.end_pass().unwrap();
    }
    trainer
}

fn margins(model: &Model, batch: &Batch) -> Vec<f64> {
    let predictor = Predictor::new(model);
    (0..batch.len()).map(|r| predictor.score(&batch.row(r)).unwrap().margin).collect()
}

/// Online learner of a lane (one of the learners trained side by side): AdaGrad in its dual-averaging form, with step
/// sizes smaller by 1/√(1 + 4/n) after n gradients of a coordinate. It does not use the weights of rounds.
struct LaneLearner {
    adagrad: DualAdaGrad<f64>,
    updates: Vec<f64>,
}

impl LaneLearner {
    fn new(dim: usize, scale: f64) -> LaneLearner {
        LaneLearner { adagrad: DualAdaGrad::new(dim, scale), updates: vec![0.0; dim] }
    }
}

impl Learner<f64> for LaneLearner {
    fn dim(&self) -> usize {
        self.updates.len()
    }

    fn at(&self, i: usize) -> f64 {
        if self.updates[i] == 0.0 { 0.0 } else { self.adagrad.at(i) / (1.0 + 4.0 / self.updates[i]).sqrt() }
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, _: f64, gradient: &V) {
        gradient.each(|i, g| self.updates[i] += f64::from(g != 0.0));
        self.adagrad.tell(1.0, gradient);
    }
}

/// A lane of the dense reference implementation, which the trainer is tested against, is the library's anytime
/// conversion (Algorithm 1) of [`LaneLearner`], with averaging weights A_t = t^{3/2} and gradients taken at β = 0.4, up
/// to f64 rounding. Its model before row t predicts with the margins of the average x_t, which contains the iterate of
/// round t, and which for β = 1 is the query point of that round. Values are −1, 0 or 1, since the change of scale at a
/// larger value is not part of the algorithm; the loss is logistic, whose gradients are never 0 where values are not.
#[test]
fn a_lane_is_algorithm_1_of_the_library() {
    let total = |t: u64| (t as f64).powf(1.5);
    for seed in [17, 18, 19] {
        let mut dice = Dice(seed);
        let rows: Vec<oracle::Row> = (0..400)
            .map(|_| {
                let value = |dice: &mut Dice| [-1.0, 0.0, 1.0][(3.0 * dice.roll()) as usize];
                let values: Vec<f64> = [1.0].into_iter().chain((0..7).map(|_| value(&mut dice))).collect();
                let score = values[1] - 0.7 * values[2] + 0.4 * values[3] + 0.2 + 0.6 * dice.normal();
                oracle::Row { label: score.signum(), weight: 1.0, values }
            })
            .collect();
        for scale in [0.1, 1.0, 10.0] {
            let told = oracle::train(oracle::Loss::Logistic, &[scale], &rows);
            let weights = move |t: u64| total(t) - total(t - 1);
            let learner = || LaneLearner::new(rows[0].values.len(), scale);
            let mut average = DenseAnytime::new(learner(), weights);
            let mut method = DenseAnytime::new(learner(), weights).interpolate(0.4);
            for (t, (row, expected)) in rows.iter().zip(&told.lanes).enumerate() {
                let expected = expected[0];
                let margin = average.query().dot(&row.values[..]);
                // A gradient below 2⁻³⁰ of the first counts as 0 in the trainer, and the largest scale is 10.
                let close = (margin - expected).abs() <= 1e-7 * (1.0 + expected.abs());
                assert!(close, "seed {seed}, scale {scale}, row {t}: {margin} and {expected}");
                let query = method.query().dot(&row.values[..]);
                let derivative = oracle::Loss::Logistic.derivative(row.label, query);
                let gradient: Vec<f64> = row.values.iter().map(|x| derivative * x).collect();
                method.tell(&gradient);
                average.tell(&gradient);
            }
        }
    }
}

fn twin(loss: Loss) -> oracle::Loss {
    match loss {
        Loss::Logistic => oracle::Loss::Logistic,
        Loss::Squared => oracle::Loss::Squared,
        Loss::Huber { delta } => oracle::Loss::Huber(delta),
        Loss::Absolute => oracle::Loss::Absolute,
        Loss::Quantile { tau } => oracle::Loss::Quantile(tau),
        Loss::Hinge => oracle::Loss::Hinge,
        Loss::SquaredHinge => oracle::Loss::SquaredHinge,
        Loss::SmoothedHinge => oracle::Loss::SmoothedHinge,
        Loss::Poisson => oracle::Loss::Poisson,
        Loss::Gamma => oracle::Loss::Gamma,
        Loss::Tweedie { power } => oracle::Loss::Tweedie(power),
        Loss::Softmax | Loss::Ovr => unreachable!("a loss of many margins has another twin"),
    }
}

#[test]
fn agrees_with_its_dense_twin() {
    // With a small delta the large lanes are chaotic: rounding errors grow to 3e-5, and are gone again some rows later.
    let more = [Loss::Huber { delta: 2.0 }, Loss::Quantile { tau: 0.9 }, Loss::Tweedie { power: 1.2 }];
    let all = Loss::SCALAR.into_iter().chain(more).map(|loss| (loss, true));
    let without = [Loss::Logistic, Loss::Squared, Loss::Poisson, Loss::Gamma, Loss::Tweedie { power: 1.2 }]
        .map(|loss| (loss, false));
    for (loss, intercept) in all.chain(without) {
        let (twin, rows) = (twin(loss), rows(loss, 300, 8));
        let dense: Vec<oracle::Row> = rows
            .iter()
            .enumerate()
            .map(|(t, (label, pairs))| {
                let mut values = vec![0.0; 1 + FEATURES as usize];
                values[0] = f64::from(intercept);
                pairs.iter().for_each(|&(j, x)| values[j as usize] = x);
                let label = if loss.classifies() { 2.0 * label - 1.0 } else { *label };
                oracle::Row { label, weight: [1.0, 0.5, 3.0][t % 3], values }
            })
            .collect();
        let mut batch = batch(&rows);
        batch.weight.iter_mut().enumerate().for_each(|(t, w)| *w = [1.0, 0.5, 3.0][t % 3]);
        let mut trainer = Trainer::new(Settings { intercept, ..settings(loss) }, Plan::ONE_PASS);
        let scales: Vec<f64> = trainer.summary().lanes.iter().map(|lane| lane.scale).collect();
        let told = oracle::train(twin, &scales, &dense);
        // f32 lanes against f64: rounding at 6e-8 of values of order 1 to 10, in a closed loop over 300 rows.
        let close = |a: f64, b: f64, size: f64| (a - b).abs() <= 2e-5 * (1.0 + size);
        for (t, &expected) in told.margins.iter().enumerate() {
            let margin = margins(&trainer.model(), &batch)[t];
            assert!(close(margin, expected, expected.abs()), "{loss:?} row {t}: {margin} and {expected}");
            trainer.learn(&batch, t, t + 1).unwrap();
        }
        let model = trainer.model();
        let scale = [1.0, 1e-3, 1.0, 1e4, 1.0, 30.0, 1.0];
        assert!(close(model.intercept[0], told.weights[0], 1.0));
        assert!(intercept || model.intercept == [0.0], "{loss:?}: {:?}", model.intercept);
        for (&id, &weight) in model.index.iter().zip(&model.weight) {
            let (unit, expected) = (scale[id as usize], told.weights[id as usize]);
            assert!(close(weight * unit, expected * unit, 1.0), "{loss:?} {id}: {weight} and {expected}");
        }
        for (lane, expected) in trainer.summary().lanes.iter().zip(&told.shares) {
            assert!((lane.share - expected).abs() < 1e-3, "{loss:?}: {lane:?} and {expected}");
        }
    }
}

#[test]
fn each_row_is_scored_by_the_model_that_a_save_would_have_stored() {
    for loss in Loss::SCALAR {
        let batch = batch(&rows(loss, 400, 11));
        let mut trainer = Trainer::new(settings(loss), Plan::ONE_PASS);
        let mut honest = surefoot_glm::Metrics::new(loss);
        for t in 0..batch.len() {
            let model = trainer.model();
            let row = batch.row(t);
            let margin = Predictor::new(&model).score(&row).unwrap().margin;
            trainer.learn(&batch, t, t + 1).unwrap();
            let label = row.label.unwrap();
            // The label that this row was the first to show is mapped once the row is counted.
            honest.add(if loss.classifies() { trainer.labels().encode(label).unwrap() } else { label }, 1.0, margin);
            assert_eq!(trainer.summary().loss, honest.measured().loss, "{loss:?} row {t}");
        }
    }
}

#[test]
fn resuming_anywhere_gives_the_same_model_to_the_bit() {
    for loss in Loss::SCALAR {
        let batch = batch(&rows(loss, 90, 3));
        for plan in [
            Plan::ONE_PASS,
            Plan { passes: 3, holdout: Some(10), ..Plan::ONE_PASS },
            Plan { passes: 3, holdout: None, ..Plan::ONE_PASS },
        ] {
            let whole = fit(loss, plan, &batch);
            for stop in [1, 9, 10, 47, 90, 91, 135, 180, 261] {
                let model = resumed(&settings(loss), plan, &batch, stop);
                assert_eq!(model, whole.model(), "{loss:?} {plan:?} from {stop}");
            }
        }
    }
}

#[test]
fn a_finished_model_takes_new_rows_as_one_call_would() {
    for loss in Loss::SCALAR {
        let batch = batch(&rows(loss, 200, 8));
        let whole = fit(loss, Plan::ONE_PASS, &batch).model();
        let mut first = Trainer::new(settings(loss), Plan::ONE_PASS);
        first.learn(&batch, 0, 120).unwrap();
        first.end_pass().unwrap();
        let left = first.model();
        let mut second = Trainer::resume(&left, Plan::ONE_PASS, Box::<MemoryHoldout>::default()).unwrap();
        assert_eq!(second.model().weight, left.weight, "no row, no change");
        second.learn(&batch, 120, 200).unwrap();
        second.end_pass().unwrap();
        assert_eq!(second.model(), whole);
    }
}

#[test]
fn powers_of_two_in_a_column_change_no_bit_of_a_prediction() {
    for loss in Loss::SCALAR {
        let plain = rows(loss, 300, 21);
        let mut scaled = plain.clone();
        for pairs in scaled.iter_mut().map(|row| &mut row.1) {
            pairs.iter_mut().for_each(|pair| {
                pair.1 *= [1.0, 1024.0, 1.0, 2f64.powi(-300), 0.5, 2f64.powi(200), 1.0][pair.0 as usize];
            });
        }
        let (plain, scaled) = (batch(&plain), batch(&scaled));
        let [a, b] = [&plain, &scaled].map(|batch| margins(&fit(loss, Plan::ONE_PASS, batch).model(), batch));
        assert_eq!(a, b, "{loss:?}");
    }
}

#[test]
fn powers_of_ten_in_a_column_change_predictions_by_less_than_a_thousandth() {
    for loss in Loss::SCALAR {
        let plain = rows(loss, 300, 22);
        let mut scaled = plain.clone();
        for pairs in scaled.iter_mut().map(|row| &mut row.1) {
            pairs.iter_mut().for_each(|pair| pair.1 *= [1.0, 1e-6, 1e6, 1e3, 1e-8, 1e8, 1.0][pair.0 as usize]);
        }
        let (plain, scaled) = (batch(&plain), batch(&scaled));
        let [a, b] = [&plain, &scaled].map(|batch| margins(&fit(loss, Plan::ONE_PASS, batch).model(), batch));
        for (a, b) in a.iter().zip(&b) {
            assert!((loss.mean(*a) - loss.mean(*b)).abs() < 1e-3, "{loss:?}: {a} and {b}");
        }
    }
}

#[test]
fn labels_of_any_scale_give_the_same_model_up_to_that_scale() {
    for loss in [Loss::Squared, Loss::Huber { delta: 0.5 }, Loss::Absolute, Loss::Quantile { tau: 0.3 }] {
        scaled_labels(loss);
    }
}

fn scaled_labels(loss: Loss) {
    let plain = rows(loss, 300, 31);
    let of = |factor: f64| {
        let scaled: Vec<_> = plain.iter().map(|(y, pairs)| (y * factor, pairs.clone())).collect();
        let batch = batch(&scaled);
        let loss = match loss {
            Loss::Huber { delta } => Loss::Huber { delta: delta * factor },
            _ => loss,
        };
        margins(&fit(loss, Plan { passes: 2, holdout: Some(10), ..Plan::ONE_PASS }, &batch).model(), &batch)
    };
    let base = of(1.0);
    for power in [-900, -20, 1, 30, 900] {
        let factor = 2f64.powi(power);
        let scaled: Vec<f64> = base.iter().map(|m| m * factor).collect();
        // At 2^±900 losses leave the range of f64, so the shares of the lanes may differ; the rest holds to the bit.
        if power.abs() < 400 {
            assert_eq!(of(factor), scaled, "{loss} 2^{power}");
        } else {
            assert!(of(factor).iter().all(|m| m.is_finite()), "2^{power}");
        }
    }
    for factor in [1e-6, 1e6] {
        for (a, b) in of(factor).iter().zip(&base) {
            assert!((a / factor - b).abs() < 1e-3 * (1.0 + b.abs()), "{factor}: {a} and {b}");
        }
    }
}

#[test]
fn with_a_log_link_the_scale_of_labels_is_a_shift_of_margins() {
    for (loss, power) in [Loss::Poisson, Loss::Gamma, Loss::Tweedie { power: 1.5 }]
        .into_iter()
        .flat_map(|loss| [-900, -20, 1, 30, 900].map(|power| (loss, power)))
    {
        let mut rows = rows(loss, 300, 31);
        // Before the first event there is no unit but 1.
        rows[0].0 = 2.0;
        let of = |factor: f64| {
            let scaled: Vec<_> = rows.iter().map(|(y, pairs)| (y * factor, pairs.clone())).collect();
            let batch = batch(&scaled);
            margins(&fit(loss, Plan { passes: 2, holdout: Some(10), ..Plan::ONE_PASS }, &batch).model(), &batch)
        };
        let shift = f64::from(power) * std::f64::consts::LN_2;
        for (a, b) in of(2f64.powi(power)).iter().zip(of(1.0)) {
            // Lanes see the same numbers; the logarithm of the unit is rounded.
            assert!((a - shift - b).abs() < 1e-12 * (1.0 + shift.abs()), "{loss} 2^{power}: {a} and {b}");
        }
    }
}

#[test]
fn rows_without_events_are_met_with_ever_lower_rates() {
    let mut batch = Batch::default();
    (0..50).for_each(|_| batch.push(Some(0.0), 1.0, &[(1, 1.0)]));
    batch.push(Some(3.0), 1.0, &[(1, 1.0)]);
    (0..50).for_each(|_| batch.push(Some(0.0), 1.0, &[(1, 1.0)]));
    for (loss, intercept) in
        [Loss::Poisson, Loss::Tweedie { power: 1.5 }].into_iter().flat_map(|l| [(l, true), (l, false)])
    {
        let mut trainer = Trainer::new(Settings { intercept, ..settings(loss) }, Plan::ONE_PASS);
        trainer.learn(&batch, 0, 50).unwrap();
        let rate = |trainer: &Trainer| loss.mean(margins(&trainer.model(), &batch)[0]);
        let before = rate(&trainer);
        assert!(!intercept || (before - 1.0 / 51.0).abs() < 1e-12, "{loss}: {before}");
        trainer.learn(&batch, 50, 101).unwrap();
        let after = rate(&trainer);
        assert!(after > 0.0 && after < 0.2, "{loss} {intercept}: {after}");
        assert!(trainer.summary().loss.is_some());
    }
}

#[test]
fn a_margin_far_too_large_is_forgiven() {
    // Counts as e^x is, but for a row whose x asks for e^20.
    let mut dice = Dice(7);
    let mut batch = Batch::default();
    for t in 0..2000 {
        let x = if t == 200 { 20.0 } else { dice.roll() };
        batch.push(Some((x.min(1.0).exp() * 4.0 * dice.roll()).round()), 1.0, &[(1, x)]);
    }
    let model = fit(Loss::Poisson, Plan::ONE_PASS, &batch).model();
    let mean = |x: f64| (model.intercept[0] + model.weight[0] * x).exp();
    // The row itself pulls the slope down; what is learnt is finite and of the size of the labels.
    assert!((1..=10).all(|k| (1.0..8.0).contains(&mean(0.1 * f64::from(k)))), "{} {}", mean(0.0), mean(1.0));
}

#[test]
fn labels_grow_out_of_their_first_unit() {
    let mut rows = rows(Loss::Squared, 60, 41);
    for (t, row) in rows.iter_mut().enumerate() {
        row.0 = match t {
            0 | 1 => 0.0,
            2 => 1e-250,
            _ => row.0 * 1e12,
        };
    }
    let batch = batch(&rows);
    let model = fit(Loss::Squared, Plan::ONE_PASS, &batch).model();
    assert!(margins(&model, &batch).iter().all(|m| m.is_finite() && m.abs() < 1e15));
    assert!(margins(&model, &batch).iter().any(|m| m.abs() > 1e10));
}

#[test]
fn the_model_does_not_depend_on_which_class_comes_first() {
    for (loss, passes) in Loss::SCALAR.into_iter().filter(|loss| loss.classifies()).flat_map(|l| [(l, 1), (l, 3)]) {
        let plain = rows(loss, 200, 51);
        let swapped: Vec<_> = plain.iter().map(|(y, pairs)| (1.0 - y, pairs.clone())).collect();
        let coded: Vec<_> = plain.iter().map(|(y, pairs)| (y + 1.0, pairs.clone())).collect();
        let [plain, swapped, coded] = [plain, swapped, coded].map(|rows| {
            let batch = batch(&rows);
            let model = fit(loss, Plan { passes, holdout: Some(10), ..Plan::ONE_PASS }, &batch).model();
            margins(&model, &batch)
        });
        assert_eq!(plain, coded);
        assert_eq!(plain, swapped.iter().map(|m| -m).collect::<Vec<_>>());
    }
}

#[test]
fn rows_of_weight_zero_leave_no_trace() {
    for loss in Loss::SCALAR {
        let rows = rows(loss, 120, 61);
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
            let (a, b) = (fit(loss, plan, &plain), fit(loss, plan, &with));
            let (a, b) = (a.model(), b.model());
            assert_eq!((&a.index, &a.weight, &a.intercept), (&b.index, &b.weight, &b.intercept));
            assert_eq!((a.labels, a.summary.loss), (b.labels, b.summary.loss));
            assert_eq!(b.summary.rows_zero_weight, 36 * u64::from(plan.passes));
        }
    }
}

#[test]
fn weights_scaled_by_a_power_of_two_give_the_same_model() {
    for loss in Loss::SCALAR {
        let mut one = batch(&rows(loss, 200, 71));
        one.weight.iter_mut().enumerate().for_each(|(t, w)| *w = 1.0 + (t % 5) as f64);
        let base = fit(loss, Plan::ONE_PASS, &one).model();
        for power in [-600, -3, 10, 600] {
            let mut other = one.clone();
            other.weight.iter_mut().for_each(|w| *w *= 2f64.powi(power));
            assert_eq!(fit(loss, Plan::ONE_PASS, &other).model().weight, base.weight, "{loss:?} 2^{power}");
        }
    }
}

#[test]
fn a_refused_row_changes_nothing() {
    let good = batch(&rows(Loss::Logistic, 50, 81));
    let mut bad = Batch::default();
    bad.push(Some(3.0), 1.0, &[(1, 1.0)]);
    bad.push(Some(1.0), 1e300, &[(1, 1.0)]);
    let mut trainer = fit(Loss::Logistic, Plan::ONE_PASS, &good);
    let before = trainer.model();
    for (r, named) in [(0, "third class"), (1, "weight is too large")] {
        let (at, fault) = trainer.learn(&bad, r, r + 1).unwrap_err();
        assert!(at == r && fault.message.contains(named), "{fault}");
        assert_eq!(trainer.model(), before);
    }
}

#[test]
fn extreme_values_leave_everything_finite() {
    for loss in Loss::SCALAR {
        for first in [5e-324, 1e-310, 1e-200, 1e-30, 1e30, 1e150] {
            let mut rows = rows(loss, 80, 91);
            rows[0].1 = vec![(1, first)];
            let batch = batch(&rows);
            let mut trainer = Trainer::new(settings(loss), Plan::ONE_PASS);
            trainer.learn(&batch, 0, batch.len()).unwrap();
            let model = trainer.model();
            assert!(model.weight.iter().all(|w| w.is_finite()), "{loss:?} {first}");
            // A first value of 1e-200 makes a weight near 1e200, and an honest squared loss of the next row 1e400.
            assert_eq!(model.summary.loss.is_some(), loss != Loss::Squared || first != 1e-200, "{loss:?} {first}");
        }
    }
}

#[test]
fn a_label_out_of_all_proportion_is_learnt_whole_or_not_at_all() {
    let mut line = Batch::default();
    (0..600).for_each(|t| line.push(Some(3.1 * [1.0, -1.0, 0.5][t % 3]), 1.0, &[(1, [1.0, -1.0, 0.5][t % 3])]));
    let mut trainer = fit(Loss::Squared, Plan::ONE_PASS, &line);
    let before = trainer.model();
    let mut bad = Batch::default();
    bad.push(Some(1e12), 1.0, &[(1, 1.7e308)]);
    bad.push(Some(1e200), 1.0, &[(1, 1.7e308)]);
    for r in 0..2 {
        assert!(trainer.learn(&bad, r, r + 1).is_err());
        assert_eq!(trainer.model(), before);
    }
    // A row that is accepted is scored by the model as it was before the label changed the units.
    let mut far = Batch::default();
    far.push(Some(3e15), 1.0, &[(1, 1e12)]);
    let margin = Predictor::new(&before).score(&far.row(0)).unwrap().margin;
    let mut fresh = Trainer::resume(&before, Plan::ONE_PASS, Box::<MemoryHoldout>::default()).unwrap();
    fresh.recent_loss();
    fresh.learn(&far, 0, 1).unwrap();
    assert_eq!(fresh.recent_loss(), Some(Loss::Squared.value(3e15, margin)));
}

#[test]
fn a_held_out_label_does_not_touch_training() {
    let mut rows = rows(Loss::Squared, 60, 101);
    let plan = Plan { passes: 4, holdout: Some(10), ..Plan::ONE_PASS };
    let plain = fit_passes(Loss::Squared, plan, 3, &batch(&rows)).summary();
    rows[9].0 = 1e60;
    let with = fit_passes(Loss::Squared, plan, 3, &batch(&rows));
    let model = with.model();
    assert!(model.weight.iter().any(|w| w.abs() > 0.1) && model.weight.iter().all(|w| w.abs() < 1e6), "{model:?}");
    assert_eq!(with.summary().rows, plain.rows);
}

#[test]
fn weights_at_the_end_of_the_range_are_refused_or_harmless() {
    for (weight, sound) in [(1e308, false), (1e239, true), (1e-300, true)] {
        let mut heavy = batch(&rows(Loss::Logistic, 40, 111));
        heavy.weight.fill(weight);
        let mut trainer = Trainer::new(settings(Loss::Logistic), Plan::ONE_PASS);
        assert_eq!(trainer.learn(&heavy, 0, 40).is_ok(), sound, "{weight}");
        assert!(trainer.summary().lanes.iter().all(|lane| lane.share.is_finite()));
    }
}

#[test]
fn a_model_of_several_passes_stands_until_a_new_row_is_learnt() {
    for loss in Loss::SCALAR {
        let rows = rows(loss, 200, 121);
        let (old, new) = (batch(&rows[..150]), batch(&rows[150..]));
        let left = fit(loss, Plan { passes: 8, holdout: Some(10), ..Plan::ONE_PASS }, &old).model();
        let resume = |model: &Model| Trainer::resume(model, Plan::ONE_PASS, Box::<MemoryHoldout>::default()).unwrap();
        let paused = resume(&left).pause(serde_json::json!(null));
        let mut paused = Model { unfinished: Some(serde_json::json!("here")), ..paused };
        for _ in 0..2 {
            assert_eq!((&paused.weight, &paused.intercept), (&left.weight, &left.intercept), "{loss:?}");
            paused = resume(&paused).pause(serde_json::json!("here"));
        }
        let mut trainer = resume(&left);
        let row = new.row(0);
        let margin = Predictor::new(&left).score(&row).unwrap().margin;
        let label = row.label.unwrap();
        let y = if loss.classifies() { left.labels.encode(label).unwrap() } else { label };
        trainer.learn(&new, 0, 1).unwrap();
        assert_eq!(trainer.recent_loss(), Some(loss.value(y, margin)), "{loss:?}");
        assert_ne!(trainer.model().weight, left.weight);
    }
}

#[test]
fn values_too_small_to_divide_by_count_as_zero_everywhere() {
    let mut tiny = Batch::default();
    (0..40).for_each(|t| tiny.push(Some(f64::from(t % 2)), 1.0, &[(1, 2e-291 * f64::from(2 * (t % 2) - 1))]));
    let mut trainer = fit(Loss::Logistic, Plan::ONE_PASS, &tiny);
    let mut small = Batch::default();
    small.push(Some(1.0), 1.0, &[(1, 0.9e-292)]);
    let margin = Predictor::new(&trainer.model()).score(&small.row(0)).unwrap().margin;
    trainer.recent_loss();
    trainer.learn(&small, 0, 1).unwrap();
    assert_eq!(trainer.recent_loss(), Some(Loss::Logistic.value(1.0, margin)));
}

#[test]
fn ids_of_64_bits_are_as_good_as_small_ones() {
    // Ascending as the small ids are: hashes of names, beside raw indices.
    let large = |id: u64| if id < 4 { id } else { (1 << 63) + id * 0x0123_4567_89ab };
    for loss in Loss::SCALAR {
        let small = rows(loss, 400, 5);
        let mapped: Vec<_> = small
            .iter()
            .map(|(label, pairs)| (*label, pairs.iter().map(|&(id, x)| (large(id), x)).collect::<Vec<_>>()))
            .collect();
        let (small, mapped) = (batch(&small), batch(&mapped));
        let (one, other) = (fit(loss, Plan::ONE_PASS, &small).model(), fit(loss, Plan::ONE_PASS, &mapped).model());
        assert_eq!(one.weight, other.weight);
        assert_eq!(one.index.iter().map(|&id| large(id)).collect::<Vec<_>>(), other.index);
        assert_eq!(margins(&one, &small), margins(&other, &mapped));
        let again = Trainer::resume(&other, Plan::ONE_PASS, Box::<MemoryHoldout>::default()).unwrap();
        assert_eq!(again.model().weight, other.weight);
    }
}

/// At the end of a run the held-out rows are learnt by the learner of the kept pass, also in a run that was resumed: if
/// later passes are worse, the model equals that of a run that ends with the kept pass.
#[test]
fn held_out_rows_are_learnt_at_the_end() {
    let plan = |passes: u32| Plan { passes, holdout: Some(10), ..Plan::ONE_PASS };
    let mut returned = 0;
    for (loss, seed) in Loss::SCALAR.into_iter().flat_map(|loss| [7, 8, 9].map(|seed| (loss, seed))) {
        let (first, mut batch) = (rows(loss, 200, seed), Batch::default());
        first.iter().for_each(|(label, pairs)| batch.push(Some(*label), 1.0, pairs));
        let (before, judged) = (fit_passes(loss, plan(4), 3, &batch).model(), fit(loss, plan(3), &batch));
        assert_ne!(before.weight, judged.model().weight, "{loss} {seed}: nothing was learnt");
        assert_eq!(before.summary.loss, judged.summary().loss, "{loss} {seed}");
        let paused = fit_passes(loss, plan(3), 2, &batch).pause(serde_json::Value::Null);
        let mut resumed = Trainer::resume(&paused, plan(3), Box::<MemoryHoldout>::default()).unwrap();
        resumed.restore_holdout(&batch, 0, batch.len()).unwrap();
        resumed.learn(&batch, 0, batch.len()).unwrap();
        resumed.end_pass().unwrap();
        assert_eq!(resumed.model(), judged.model(), "{loss} {seed}");
        // The printed loss is that of the kept pass, so equal losses tell that a later pass was not kept.
        let longer = fit(loss, plan(6), &batch);
        if longer.summary().loss == judged.summary().loss {
            returned += 1;
            assert_eq!(longer.model().weight, judged.model().weight, "{loss} {seed}");
        }
    }
    assert!(returned > 0, "every later pass was kept");
}

/// Later passes whose held-out loss differs from that of the first by chance are kept for numbers, but not for class
/// probabilities.
#[test]
fn a_later_pass_has_to_be_clearly_better_for_class_probabilities() {
    let mut dice = Dice(5);
    let rows: Vec<(f64, Vec<(u64, f64)>)> = (1..=400_u32)
        .map(|t| {
            // Rows that are held out have no features, and as many labels 0 as 1.
            let x = dice.normal();
            let (label, pairs) =
                if t % 10 == 0 { (t / 10 % 2 == 0, vec![]) } else { (x + dice.normal() > 0.0, vec![(1, x)]) };
            (f64::from(label), pairs)
        })
        .collect();
    for (loss, is_kept) in [(Loss::Logistic, false), (Loss::Softmax, false), (Loss::Squared, true)] {
        let model = |passes| {
            let plan = Plan { passes, holdout: Some(10), ..Plan::ONE_PASS };
            fit(loss, plan, &batch(&rows)).model().weight
        };
        assert_eq!(model(2) != model(6), is_kept, "{loss}");
    }
}

#[test]
fn a_held_out_row_far_on_the_right_side_does_not_choose_the_pass() {
    // Mostly noise, so that later passes are worse, but not by more than chance.
    let mut seed = 3_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    };
    let noisy: Vec<_> = (0..400)
        .map(|_| {
            let pairs: Vec<(u64, f64)> = (1..=40).map(|j| (j, next() + next() + next())).collect();
            let label = f64::from(0.8 * pairs[0].1 + 1.5 * (next() + next() + next()) > 0.0);
            (label, pairs)
        })
        .collect();
    let model = |far: f64| {
        let mut rows = noisy.clone();
        // The tenth row is the first that is held out; its margin is large, on the right side, and not learnt in these passes.
        rows[9] = (1.0, vec![(1, far)]);
        let batch = batch(&rows);
        let plan = Plan { passes: 41, holdout: Some(10), ..Plan::ONE_PASS };
        let model = fit_passes(Loss::Logistic, plan, 40, &batch).model();
        let margin = margins(&model, &batch)[9];
        (model, margin)
    };
    let (base, margin) = model(1e7);
    assert!(margin > 1e5, "{margin}");
    for margin in [300.0, 360.0, 400.0, 500.0, 700.0, 800.0, 1e5] {
        // In the first pass the row is charged to the lanes, whose losses at it are small, but not 0.
        let found = model((margin - base.intercept[0]) / base.weight[0]).0.weight;
        let close = found.iter().zip(&base.weight).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs());
        assert!(close, "{margin}: {found:?} and {:?}", base.weight);
    }
}

/// Checks that invalid rows (non-finite numbers, negative weights, repeated ids) are refused by `Trainer`, `Gathered`
/// and `FullPass`, each with a fault, and leave the model unchanged.
#[test]
fn rows_that_are_none_are_refused_and_change_nothing() {
    const WRONG: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let good: [(u64, f64); 2] = [(4, 0.5), (2, -1.0)];
    // Weight, offset and pairs.
    type Parts = (f64, f64, Vec<(u64, f64)>);
    let mut bad: Vec<Parts> = Vec::new();
    bad.extend(WRONG.map(|x| (1.0, 0.0, vec![(1, 1.0), (2, x)])));
    bad.extend(WRONG.into_iter().chain([-1.0, -1e-300]).map(|weight| (weight, 0.0, good.to_vec())));
    bad.extend(WRONG.map(|offset| (1.0, offset, good.to_vec())));
    bad.push((1.0, 0.0, vec![(1, 1.0), (5, 2.0), (1, 3.0)]));
    bad.push((1.0, 0.0, vec![(1, 1.0), (1, 1.0)]));
    // Without weight it is no better.
    bad.push((0.0, 0.0, vec![(1, f64::NAN)]));
    for loss in Loss::SCALAR {
        for ball in [None, Some(surefoot_glm::Ball { radius: 2.0, row_norm: None, delta: 0.1 })] {
            if ball.is_some() && loss.is_multiclass() {
                continue;
            }
            let mut trainer = Trainer::new(Settings { loss, ball, ..Settings::default() }, Plan::ONE_PASS);
            let mut batch = Batch::default();
            (0..20).for_each(|t| batch.push(Some(f64::from(t % 2) + 1.0), 1.0, &good));
            trainer.learn(&batch, 0, 20).unwrap();
            let before = trainer.model();
            for (weight, offset, pairs) in &bad {
                let mut batch = Batch::default();
                batch.push(Some(1.0), *weight, pairs);
                batch.offset.clear();
                batch.offset.push(*offset);
                let (row, fault) = trainer.learn(&batch, 0, 1).expect_err("a fault");
                assert!(row == 0 && !fault.message.is_empty());
                assert_eq!(trainer.model(), before, "{loss:?} {weight} {offset} {pairs:?}");
                let mut gathered = surefoot_glm::Gathered::default();
                assert!(gathered.add(&batch, 0, 1).is_err(), "{loss:?} {weight} {offset} {pairs:?}");
                if let Some(mut pass) = surefoot_glm::FullPass::new(&before) {
                    assert!(pass.add(&batch, 0, 1).is_err(), "{loss:?} {weight} {offset} {pairs:?}");
                }
            }
        }
    }
}
