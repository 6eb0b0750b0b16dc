//! Tests of models constrained to a ball: against a dense reference implementation (the twin), against models resumed from a save,
//! and of the bounds in their certificates.

mod common;

use common::resumed;
use surefoot_glm::{
    Ball, Batch, Certificate, FullPass, Loss, MemoryHoldout, Model, Plan, Predictor, Settings, Subject, Trainer,
};
use surefoot_oracle::conversions::anytime;
use surefoot_oracle::learners::DualAveraging;
use surefoot_oracle::trainer as oracle;
use surefoot_oracle::vectors::{dot, norm, plus, times};
use surefoot_oracle::{Domain, Learner};

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

/// Dense row: the encoded label, the weight, and in `values` first the constant 1 for the intercept, then the values of features 1,
/// 2, ….
#[derive(Clone, Debug)]
struct Dense {
    label: f64,
    weight: f64,
    values: Vec<f64>,
}

const FEATURES: usize = 6;

/// Returns `n` sparse random rows for the loss, with labels from a noisy linear model and weights from 1/4 to 1; some features first
/// occur in later rows.
fn rows(loss: Loss, n: usize, seed: u64) -> Vec<Dense> {
    let mut dice = Dice(seed);
    let truth = [0.3, 1.0, -2.0, 0.5, 0.0, 1.5, -1.0];
    (0..n)
        .map(|t| {
            let mut values = vec![1.0; 1 + FEATURES];
            for (j, value) in values.iter_mut().enumerate().skip(1) {
                let there = dice.roll() < 0.6 && t >= (FEATURES - j) * n / 10;
                *value = if there { 0.5 * dice.normal() } else { 0.0 };
            }
            let margin = dot(&truth, &values);
            let label = match loss {
                _ if loss.classifies() => {
                    if dice.roll() < 1.0 / (1.0 + (-margin).exp()) {
                        1.0
                    } else {
                        -1.0
                    }
                }
                Loss::Poisson => (2.0 * dice.roll() * (0.5 * margin).exp()).round(),
                Loss::Gamma | Loss::Tweedie { .. } => 2.0 * dice.roll() * (0.5 * margin).exp(),
                _ => margin + 0.3 * dice.normal(),
            };
            Dense { label, weight: [1.0, 0.5, 0.25][t % 3], values }
        })
        .collect()
}

fn batch(rows: &[Dense]) -> Batch {
    let mut batch = Batch::default();
    for row in rows {
        let pairs = (1_u64..).zip(&row.values[1..]).filter(|(_, x)| **x != 0.0).map(|(j, &x)| (j << 33, x));
        batch.push(Some(row.label), row.weight, &pairs.collect::<Vec<_>>());
    }
    batch
}

/// Returns the weights of a model as a dense vector: the intercept, then features 1, 2, … in order.
fn dense(model: &Model) -> Vec<f64> {
    let mut all = vec![0.0; 1 + FEATURES];
    all[0] = model.intercept[0];
    model.index.iter().zip(&model.weight).for_each(|(&id, &weight)| all[(id >> 33) as usize] = weight);
    all
}

fn settings(loss: Loss, radius: f64, row_norm: Option<f64>) -> Settings {
    Settings { loss, ball: Some(Ball { radius, row_norm, delta: 0.1 }), ..Settings::default() }
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
        Loss::Softmax | Loss::Ovr => unreachable!("no model of many margins is in a ball"),
    }
}

fn value(loss: Loss, y: f64, m: f64) -> f64 {
    twin(loss).value(y, m)
}

fn derivative(loss: Loss, y: f64, m: f64) -> f64 {
    twin(loss).derivative(y, m)
}

/// Returns the weighted mean loss of the dense weights `w` on the rows, and its gradient.
fn mean(loss: Loss, rows: &[Dense], w: &[f64]) -> (f64, Vec<f64>) {
    let (mut total, mut sum, mut gradient) = (0.0, 0.0, vec![0.0; w.len()]);
    for row in rows {
        let margin = dot(&row.values, w);
        total += row.weight;
        sum += row.weight * value(loss, row.label, margin);
        gradient = plus(&gradient, row.weight * derivative(loss, row.label, margin), &row.values);
    }
    (sum / total, times(1.0 / total, &gradient))
}

/// Returns the least mean loss over the ball of the given radius, by projected gradient descent to a gap below 1e-10. For losses
/// without a bound on the second derivative, returns the least value found in 3000 steps, which is slightly above the minimum.
fn least(loss: Loss, rows: &[Dense], radius: f64) -> f64 {
    let ball = Domain::Ball(vec![0.0; 1 + FEATURES], radius);
    let mut w = vec![0.0; 1 + FEATURES];
    let Some(curvature) = loss.smoothness() else {
        let (mut squares, mut least) = (0.0, f64::INFINITY);
        for _ in 0..3000 {
            let (value, gradient) = mean(loss, rows, &w);
            (squares, least) = (squares + dot(&gradient, &gradient), f64::min(least, value));
            w = ball.project(&plus(&w, -0.5 * radius / squares.max(1e-300).sqrt(), &gradient));
        }
        return least;
    };
    // The Hessian is at most that times the square length of the longest row.
    let rate = 1.0 / (curvature * rows.iter().map(|row| dot(&row.values, &row.values)).fold(0.0, f64::max));
    for _ in 0..20_000 {
        let (value, gradient) = mean(loss, rows, &w);
        if radius * norm(&gradient) + dot(&w, &gradient) < 1e-10 {
            return value;
        }
        w = ball.project(&plus(&w, -rate, &gradient));
    }
    panic!("not at the optimum");
}

fn fit(settings: Settings, plan: Plan, batch: &Batch) -> Trainer {
    let mut trainer = Trainer::new(settings, plan);
    for _ in 0..plan.passes {
        trainer.learn(batch, 0, batch.len()).unwrap();
        trainer.end_pass().unwrap();
    }
    trainer
}

fn full_pass(model: &Model, batch: &Batch) -> (f64, f64) {
    let mut pass = FullPass::new(model).expect("a ball");
    pass.add(batch, 0, batch.len()).unwrap();
    let (certificate, objective) = pass.certificate();
    assert!(matches!(certificate, Certificate::Deterministic(_)), "{certificate:?}");
    let bound = certificate.bound().unwrap();
    assert_eq!(bound.subject, Subject::Excess);
    assert_eq!(bound.relative, Some(bound.value / objective.unwrap()));
    (bound.value, objective.unwrap())
}

/// The pass that is kept is chosen by the held-out rows, so that nothing is certified about fresh rows, whichever pass it is.
#[test]
fn several_passes_certify_nothing_about_fresh_rows() {
    let (mut kept_earlier, fresh) = (0, |trainer: &Trainer| {
        trainer.certificates().iter().any(|c| !matches!(c, Certificate::None { .. } | Certificate::Deterministic(_)))
    });
    for seed in 1..6 {
        let batch = batch(&rows(Loss::Logistic, 60, seed));
        let settings = settings(Loss::Logistic, 50.0, Some(100.0));
        let plan = |passes| Plan { passes, holdout: Some(10), ..Plan::ONE_PASS };
        assert!(fresh(&fit(settings.clone(), Plan::ONE_PASS, &batch)), "{seed}");
        let (two, six) = (fit(settings.clone(), plan(2), &batch), fit(settings, plan(6), &batch));
        assert!(!fresh(&two) && !fresh(&six), "{seed}: {:?} {:?}", two.certificates(), six.certificates());
        kept_earlier += u32::from(two.summary().loss == six.summary().loss);
    }
    assert!(kept_earlier > 0, "the last pass was always kept");
}

#[test]
fn agrees_with_its_dense_twin() {
    for loss in Loss::SCALAR {
        for radius in [0.5, 3.0] {
            let rows = rows(loss, 500, 5);
            let ball = Domain::Ball(vec![0.0; 1 + FEATURES], radius);
            let mut twin: Box<dyn Learner> = Box::new(DualAveraging::new(1 + FEATURES, ball, 0.0));
            let plain = |row: &Dense| oracle::Row { label: row.label, weight: row.weight, values: Vec::new() };
            let plain: Vec<oracle::Row> = rows.iter().map(plain).collect();
            let told = anytime(&mut *twin, &|_| 1.0, 0.4, 500, &mut |t, query| {
                let (t, row) = (t as usize - 1, &rows[t as usize - 1]);
                let derivative = derivative(loss, row.label, dot(&row.values, query));
                times(row.weight * self::twin(loss).cut(derivative, &plain[t], &plain[..t]), &row.values)
            });
            let batch = batch(&rows);
            let mut trainer = Trainer::new(settings(loss, radius, None), Plan::ONE_PASS);
            for (t, round) in told.iter().enumerate() {
                trainer.learn(&batch, t, t + 1).unwrap();
                let model = dense(&trainer.model());
                // Both in f64, in a closed loop over 500 rows that does not amplify.
                let away = norm(&plus(&model, -1.0, &round.output));
                assert!(away <= 1e-11 * radius, "{loss:?} in {radius}, row {t}: {away:e}");
            }
        }
    }
}

#[test]
fn each_row_is_scored_by_the_model_that_a_save_would_have_stored() {
    for loss in Loss::SCALAR {
        let batch = batch(&rows(loss, 300, 11));
        let mut trainer = Trainer::new(settings(loss, 2.0, None), Plan::ONE_PASS);
        let mut honest = surefoot_glm::Metrics::new(loss);
        for t in 0..batch.len() {
            let (model, row) = (trainer.model(), batch.row(t));
            let margin = Predictor::new(&model).score(&row).unwrap().margin;
            trainer.learn(&batch, t, t + 1).unwrap();
            let label = row.label.unwrap();
            let label = if loss.classifies() { trainer.labels().encode(label).unwrap() } else { label };
            honest.add(label, row.weight, margin);
            assert_eq!(trainer.summary().loss, honest.measured().loss, "{loss:?} row {t}");
        }
    }
}

#[test]
fn resuming_anywhere_gives_the_same_model_to_the_bit() {
    let with = [(Loss::Logistic, Some(5.0)), (Loss::SquaredHinge, Some(5.0))];
    for (loss, row_norm) in Loss::SCALAR.into_iter().map(|loss| (loss, None)).chain(with) {
        let batch = batch(&rows(loss, 90, 3));
        for plan in [
            Plan::ONE_PASS,
            Plan { passes: 3, holdout: Some(10), ..Plan::ONE_PASS },
            Plan { passes: 3, holdout: None, ..Plan::ONE_PASS },
        ] {
            let whole = fit(settings(loss, 2.0, row_norm), plan, &batch);
            for stop in [1, 9, 10, 47, 90, 91, 135, 180, 261] {
                let model = resumed(&settings(loss, 2.0, row_norm), plan, &batch, stop);
                assert_eq!(model, whole.model(), "{loss:?} {plan:?} from {stop}");
            }
        }
    }
}

#[test]
fn a_full_pass_is_never_below_the_true_gap() {
    for loss in Loss::SCALAR {
        let rows = rows(loss, 200, 7);
        let batch = batch(&rows);
        for radius in [0.3, 1.0, 3.0, 30.0] {
            // In the smaller balls the best model is at the boundary, in the largest inside.
            let least = least(loss, &rows, radius);
            for plan in [
                Plan::ONE_PASS,
                Plan { passes: 3, holdout: Some(10), ..Plan::ONE_PASS },
                Plan { passes: 40, holdout: None, ..Plan::ONE_PASS },
            ] {
                let model = fit(settings(loss, radius, None), plan, &batch).model();
                let (bound, objective) = full_pass(&model, &batch);
                let (truth, gradient) = mean(loss, &rows, &dense(&model));
                assert!((objective - truth).abs() <= 1e-13 * (1.0 + truth.abs()), "{loss:?}: {objective} and {truth}");
                assert!(bound >= truth - least - 1e-10, "{loss:?} in {radius}, {plan:?}: {bound} {}", truth - least);
                let gap = radius * norm(&gradient) + dot(&dense(&model), &gradient);
                assert!((bound - gap).abs() <= 1e-12 * (1.0 + gap), "{loss:?} in {radius}: {bound} and {gap}");
                assert!(norm(&dense(&model)) <= radius * (1.0 + 1e-14));
            }
        }
    }
}

#[test]
fn features_that_were_never_learnt_count_in_a_full_pass() {
    let mut first = Batch::default();
    first.push(Some(1.0), 1.0, &[(1, 1.0)]);
    first.push(Some(-1.0), 1.0, &[(1, -1.0)]);
    let model = fit(settings(Loss::Logistic, 1.0, None), Plan::ONE_PASS, &first).model();
    let mut all = first.clone();
    all.push(Some(1.0), 1.0, &[(5, 10.0)]);
    // A row of weight 0 is passed over, whatever it says.
    all.push(Some(7.0), 0.0, &[(6, 1e6)]);
    let ((less, _), (more, _)) = (full_pass(&model, &first), full_pass(&model, &all));
    // At weight 0 the new row alone has a slope of about ½, times 10, over three rows.
    assert!(more > 1.0 && less < 1.0, "{less} {more}");
}

/// Finite population of rows from which rows are drawn, so that the mean loss over the population is the expected loss of a draw.
struct Population {
    rows: Vec<Dense>,
    batch: Batch,
    least: f64,
}

const RADIUS: f64 = 2.0;
const LONGEST: f64 = 3.0;

impl Population {
    fn new() -> Population {
        let mut rows = rows(Loss::Logistic, 60, 21);
        for row in &mut rows {
            row.weight = 1.0;
            let excess = norm(&row.values) / LONGEST;
            row.values[1..].iter_mut().for_each(|x| *x /= excess.max(1.0));
        }
        let (batch, least) = (batch(&rows), least(Loss::Logistic, &rows, RADIUS));
        Population { rows, batch, least }
    }

    /// Trains on `draws` rows chosen by `draw`, and checks the certificates after 8, 16, 32, … rows. Returns whether a bound on the
    /// excess loss was ever false, whether a bound on the risk was, and the last reason given for a missing bound (`None` if there
    /// always was one).
    fn ever_false(&self, draws: u32, mut draw: impl FnMut(u32) -> usize) -> (bool, bool, Option<String>) {
        let mut trainer = Trainer::new(settings(Loss::Logistic, RADIUS, Some(LONGEST)), Plan::ONE_PASS);
        let mut ever = (false, false, None);
        for t in 1..=draws {
            let r = draw(t);
            trainer.learn(&self.batch, r, r + 1).unwrap();
            if t >= 8 && t.is_power_of_two() {
                let certificates = trainer.certificates();
                if let Certificate::None { reason } = &certificates[0] {
                    ever.2 = Some(reason.clone());
                    continue;
                }
                let [excess, risk] = [0, 1].map(|k| certificates[k].bound().expect("a bound").clone());
                assert_eq!((excess.subject, risk.subject), (Subject::Excess, Subject::Risk));
                assert_eq!((excess.delta, risk.delta), (Some(0.1), Some(0.1)));
                assert!(!excess.weighted && !risk.weighted);
                let truth = mean(Loss::Logistic, &self.rows, &dense(&trainer.model())).0;
                ever.0 |= truth - self.least > excess.value;
                ever.1 |= truth > risk.value;
            }
        }
        ever
    }
}

#[test]
fn bounds_of_streams_hold_together_in_all_but_a_share_of_runs() {
    const RUNS: u64 = 200;
    let population = Population::new();
    let size = population.rows.len();
    let (mut wrong, mut refuted) = (0, 0);
    for seed in 0..RUNS {
        let mut dice = Dice(1_000_003 * (seed + 1));
        let (excess, risk, said) = population.ever_false(512, |_| (dice.roll() * size as f64) as usize);
        wrong += u64::from(excess || risk);
        refuted += u64::from(said.is_some_and(|said| said.contains("order")));
    }
    assert!(wrong <= RUNS / 10, "{wrong} of {RUNS}");
    // The tests of the order have a hundredth of δ.
    assert!(refuted <= 1, "{refuted} of {RUNS} draws taken for an order");
}

/// Checks that no bound is given for rows sorted by class, alternating by label, or sorted by norm, for which the bounds on random
/// draws would be false.
#[test]
fn bounds_of_streams_need_rows_that_are_draws() {
    let population = Population::new();
    let of = |sign: f64| -> Vec<usize> {
        (0..population.rows.len()).filter(|&r| population.rows[r].label * sign > 0.0).collect()
    };
    let (ones, others) = (of(1.0), of(-1.0));
    let (.., said) = population.ever_false(512, |t| ones[t as usize % ones.len()]);
    assert!(said.expect("no bound").contains("one label"));
    for change in [64, 200, 400] {
        let next = |t: u32| if t < change { &ones } else { &others };
        let (.., said) = population.ever_false(512, |t| next(t)[t as usize % next(t).len()]);
        assert!(said.expect("no bound").contains("order"), "{change}");
    }
    // Labels that alternate, and rows that grow.
    let (.., said) = population.ever_false(512, |t| if t % 2 == 0 { ones[0] } else { others[0] });
    assert!(said.expect("no bound").contains("order"));
    let mut sorted: Vec<usize> = (0..population.rows.len()).collect();
    sorted.sort_by(|&a, &b| norm(&population.rows[a].values).total_cmp(&norm(&population.rows[b].values)));
    let half = sorted.len() / 2;
    sorted.rotate_left(half);
    let (.., said) = population.ever_false(512, |t| sorted[t as usize * sorted.len() / 513]);
    assert!(said.expect("no bound").contains("order"));
}

/// Checks both bounds against their formulas, evaluated over all T rows by the dense reference implementation. The bound on the
/// excess loss is (Σ g·w + r‖Σ g‖ + c)/T, with gradients g, iterates w, the radius r of the ball and a confidence term c; that on
/// the risk is (Σ Y + c)/T, with the loss Y of each row linearised to its iterate.
#[test]
fn bounds_of_streams_are_what_the_theory_says() {
    let mut rows = rows(Loss::Logistic, 300, 9);
    for row in &mut rows {
        let excess = norm(&row.values) / LONGEST;
        row.values[1..].iter_mut().for_each(|x| *x /= excess.max(1.0));
    }
    let ball = Domain::Ball(vec![0.0; 1 + FEATURES], RADIUS);
    let mut gradients = Vec::new();
    let told = anytime(&mut DualAveraging::new(1 + FEATURES, ball, 0.0), &|_| 1.0, 0.4, 300, &mut |t, query| {
        let row = &rows[t as usize - 1];
        let derivative = row.weight * derivative(Loss::Logistic, row.label, dot(&row.values, query));
        gradients.push(times(derivative, &row.values));
        gradients[t as usize - 1].clone()
    });
    let (mut linear, mut z, mut spread, mut reach) = (0.0, vec![0.0; 1 + FEATURES], 0.0, Vec::new());
    let (mut risk, mut stray, mut reach_of_risk, mut losses) = (0.0, 0.0, Vec::new(), Vec::new());
    let largest = (RADIUS * LONGEST).exp().ln_1p();
    for ((row, round), gradient) in rows.iter().zip(&told).zip(&gradients) {
        let far = RADIUS + norm(&round.iterate);
        linear += dot(gradient, &round.iterate);
        z = plus(&z, 1.0, gradient);
        spread += (far * norm(gradient)).powi(2);
        reach.push(far * LONGEST);
        let loss = row.weight * value(Loss::Logistic, row.label, dot(&row.values, &round.query));
        let y = loss + dot(gradient, &plus(&round.iterate, -1.0, &round.query));
        let before = losses.iter().sum::<f64>() / (losses.len() as f64).max(1.0);
        risk += y;
        stray += (y - before).powi(2);
        reach_of_risk.push(largest + LONGEST * 0.4 * far);
        losses.push(loss);
    }
    let most = |ranges: &[f64]| ranges.iter().copied().fold(0.0, f64::max);
    let level =
        |v: f64, ranges: &[f64]| surefoot::certificate::boundary(v.sqrt(), most(ranges), ranges[0], 0.99 * 0.05);
    let expected =
        [(linear + RADIUS * norm(&z) + level(spread, &reach)) / 300.0, (risk + level(stray, &reach_of_risk)) / 300.0];
    let trainer = fit(settings(Loss::Logistic, RADIUS, Some(LONGEST)), Plan::ONE_PASS, &batch(&rows));
    for (certificate, expected) in trainer.certificates().iter().zip(expected) {
        let bound = certificate.bound().expect("a bound");
        assert!(bound.weighted && bound.assumptions.iter().any(|words| words.contains("weight times their loss")));
        let found = bound.value;
        assert!((found - expected).abs() < 1e-11, "{certificate:?} and {expected}");
    }
}

fn reason(trainer: &Trainer) -> String {
    match trainer.certificates().as_slice() {
        [Certificate::None { reason }] => reason.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_certified_says_why() {
    let [classes, numbers] = [Loss::Logistic, Loss::Squared].map(|loss| batch(&rows(loss, 50, 2)));
    let twice = Plan { passes: 2, holdout: None, ..Plan::ONE_PASS };
    let learn = |settings: Settings, batch: &Batch| fit(settings, Plan::ONE_PASS, batch);
    let again = fit(settings(Loss::Logistic, 1.0, Some(9.0)), twice, &classes);
    assert!(reason(&again).contains("rows were used more than once"), "{}", reason(&again));
    let resumed = Trainer::resume(&again.model(), Plan::ONE_PASS, Box::<MemoryHoldout>::default()).unwrap();
    assert_eq!(reason(&resumed), reason(&again));
    for (trainer, says) in [
        (
            learn(settings(Loss::Squared, 1.0, Some(9.0)), &numbers),
            "labels that are numbers, and with them losses, have no bound",
        ),
        (learn(settings(Loss::Logistic, 1.0, None), &classes), "--row-norm B"),
        (learn(Settings::default(), &classes), "--radius R"),
        (Trainer::new(settings(Loss::Logistic, 1.0, Some(9.0)), Plan::ONE_PASS), "no round has been closed"),
    ] {
        assert!(reason(&trainer).contains(says), "{says}: {}", reason(&trainer));
    }
    assert!(FullPass::new(&learn(Settings::default(), &classes).model()).is_none());
}

#[test]
fn a_row_beyond_what_was_declared_is_refused_and_changes_nothing() {
    let mut batch = Batch::default();
    batch.push(Some(1.0), 1.0, &[(1, 2.0), (2, -2.0)]);
    batch.push(Some(0.0), 1.0, &[(1, 2.0), (3, 2.01)]);
    batch.push(Some(0.0), 1.5, &[(1, 2.0)]);
    let mut trainer = Trainer::new(settings(Loss::Logistic, 1.0, Some(3.0)), Plan::ONE_PASS);
    trainer.learn(&batch, 0, 1).unwrap();
    let before = trainer.model();
    for (row, says) in [(1, "norm of this row is 3.006"), (2, "weight 1.5 is above 1")] {
        let (at, fault) = trainer.learn(&batch, row, row + 1).unwrap_err();
        assert!(at == row && fault.message.contains(says), "{fault}");
        assert_eq!(trainer.model(), before);
    }
}
