//! Tests of the metrics. Expected values were computed with scikit-learn 1.x on the same rows (log_loss,
//! accuracy_score, roc_auc_score, average_precision_score, brier_score_loss, precision_recall_fscore_support,
//! mean_squared_error, r2_score, each with sample_weight), and calibration errors with numpy.

use super::{ranking::cell, *};

/// Linear congruential generator of uniform random numbers, which the Python script with scikit-learn repeats exactly.
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 + 0.5) / 9007199254740992.0
    }
}

fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.digits$}").parse().unwrap()
}

fn close(a: Option<f64>, b: f64, tolerance: f64) {
    let a = a.expect("a number");
    assert!((a - b).abs() <= tolerance * b.abs(), "{a} and {b}");
}

/// Returns 500 test rows (label, weight, margin), some of weight 0, and many with equal margins.
fn classes() -> Vec<(f64, f64, f64)> {
    let mut u = Uniform(2463534242);
    (0..500)
        .map(|_| {
            let (a, b, c) = (u.next(), u.next(), u.next());
            let margin = rounded(6.0 * a - 3.0, 1);
            let label = if b < 1.0 / (1.0 + (-margin).exp()) { 1.0 } else { -1.0 };
            (label, rounded(2.0 * c, 2), margin)
        })
        .collect()
}

#[test]
fn classification_agrees_with_scikit_learn() {
    let mut metrics = Metrics::new(Loss::Logistic);
    classes().iter().for_each(|&(y, w, m)| metrics.add(y, w, m));
    let found = metrics.measured();
    assert_eq!(found.rows, 500);
    close(Some(found.weight), 496.69, 1e-15);
    close(found.loss, 0.47487012181886173, 1e-14);
    close(found.accuracy, 0.7804465562020577, 1e-14);
    close(found.auc, 0.8564498337222245, 1e-14);
    close(found.pr_auc, 0.8482494736276436, 1e-14);
    close(found.log_loss, 0.47487012181886173, 1e-14);
    close(found.brier, 0.15299552832662114, 1e-14);
    close(found.calibration_error, 0.05213634140771141, 1e-13);
    let rates = found.rates.unwrap();
    close(Some(rates.precision), 0.8380772773123987, 1e-14);
    close(Some(rates.recall), 0.7259706709216625, 1e-14);
    close(Some(rates.f1), 0.7780062292612422, 1e-14);
    assert_eq!((found.auc_error, found.pr_auc_error), (0.0, 0.0));
    assert_eq!((found.mse, found.rmse, found.r2), (None, None, None));
}

#[test]
fn regression_agrees_with_scikit_learn_far_from_zero() {
    let mut u = Uniform(2463534242);
    (0..1500).for_each(|_| _ = u.next());
    let mut metrics = Metrics::new(Loss::Squared);
    for _ in 0..500 {
        let (a, b, c) = (6.0 * u.next() - 3.0, u.next(), u.next());
        metrics.add(1e6 + a + b, c, a + 1e6 + 0.3);
    }
    let found = metrics.measured();
    close(found.mse, 0.11591467583765688, 1e-14);
    close(found.rmse, 0.34046244409282045, 1e-14);
    close(found.r2, 0.9619303565319962, 1e-13);
    close(found.loss, 0.11591467583765688 / 2.0, 1e-14);
    assert_eq!((found.accuracy, found.auc), (None, None));
}

/// Returns 500 random rows of regression tests, as (margin, uniform random number, weight).
fn numbers() -> Vec<(f64, f64, f64)> {
    let mut u = Uniform(2463534242);
    (0..500).map(|_| (4.0 * u.next() - 1.0, u.next(), u.next())).collect()
}

/// Checks deviances against scikit-learn's mean_tweedie_deviance, d2_tweedie_score, mean_squared_error and
/// mean_absolute_error.
#[test]
fn deviances_agree_with_scikit_learn() {
    for (loss, whole, deviance, d2, mse, mae) in [
        (Loss::Poisson, true, 4.245112725794175, 0.6648949927024093, 55.788661093666676, 4.2410964614375395),
        (Loss::Gamma, false, 0.6676827127402807, 0.6738719085606063, 16.840908680355167, 2.4538144881025192),
        (
            Loss::Tweedie { power: 1.5 },
            true,
            2.1482994966234505,
            0.6237255248801093,
            55.788661093666676,
            4.2410964614375395,
        ),
    ] {
        let mut metrics = Metrics::new(loss);
        for (m, u, weight) in numbers() {
            let label = if whole { (3.0 * u * m.exp()).floor() } else { 2.0 * u * m.exp() };
            metrics.add(label, weight, m);
        }
        let found = metrics.measured();
        close(found.deviance, deviance, 1e-13);
        close(found.d2, d2, 1e-12);
        close(found.mse, mse, 1e-13);
        close(found.mae, mae, 1e-13);
        assert_eq!((found.r2, found.accuracy, found.score()), (None, None, found.d2));
    }
}

/// Checks quantile and absolute loss against scikit-learn's mean_pinball_loss and mean_absolute_error.
#[test]
fn pinball_and_absolute_loss_agree_with_scikit_learn() {
    let of = |loss: Loss| {
        let mut metrics = Metrics::new(loss);
        numbers().into_iter().for_each(|(m, u, weight)| metrics.add(m + u, weight, m));
        metrics.measured()
    };
    close(of(Loss::Quantile { tau: 0.9 }).loss, 0.43443791101184825, 1e-13);
    close(of(Loss::Absolute).loss, 0.48270879001316463, 1e-13);
    close(of(Loss::Squared).mae, 0.48270879001316463, 1e-13);
    assert_eq!((of(Loss::Absolute).deviance, of(Loss::Absolute).d2), (None, None));
}

/// Checks hinge losses against scikit-learn's hinge_loss, accuracy_score and roc_auc_score of the margins.
#[test]
fn hinge_losses_are_measured_by_their_margins() {
    let mut metrics = Metrics::new(Loss::Hinge);
    for (m, u, weight) in numbers() {
        metrics.add(if u < 1.0 / (1.0 + (-m).exp()) { 1.0 } else { -1.0 }, weight, m);
    }
    let found = metrics.measured();
    close(found.loss, 0.5848625724935157, 1e-13);
    close(found.accuracy, 0.7537209078881649, 1e-13);
    close(found.auc, 0.7854115276052446, 1e-13);
    close(found.pr_auc, 0.869433122713085, 1e-13);
    assert_eq!(
        (found.log_loss, found.brier, found.calibration_error),
        (None, None, None),
        "there are no probabilities"
    );
}

/// Checks precision, recall and F1 on 400 rows of five classes against scikit-learn; the fourth class is predicted but
/// labels no row.
#[test]
fn rates_of_many_classes_agree_with_scikit_learn() {
    let (mut metrics, mut u) = (ClassMetrics::new(Loss::Softmax), Uniform(99));
    for _ in 0..400 {
        let margins: Vec<f64> = (0..5).map(|_| rounded(4.0 * u.next() - 2.0, 2)).collect();
        let (weight, draw) = (rounded(u.next(), 2), u.next());
        let mut shares = margins.clone();
        Loss::Softmax.probabilities(&mut shares);
        let sums = shares.iter().scan(0.0, |sum, p| {
            *sum += p;
            Some(*sum)
        });
        let class = sums.take_while(|sum| *sum < draw).count().min(4);
        metrics.add(if class == 3 { 2 } else { class }, weight, &margins);
    }
    let found = metrics.measured();
    close(found.accuracy, 0.40255854740534397, 1e-14);
    close(found.log_loss, 1.4405357439203876, 1e-14);
    close(found.brier, 0.7261120118269987, 1e-14);
    close(found.calibration_error, 0.0822763433839088, 1e-13);
    let [all, weighted] = found.confusion.unwrap().averages().unwrap();
    for (rates, expected) in [
        (all, [0.41896588726314, 0.34029522571085385, 0.36813632837624666]),
        (weighted, [0.5336040524588048, 0.4025585474053441, 0.4493242493500829]),
    ] {
        let of = [rates.precision, rates.recall, rates.f1];
        of.into_iter().zip(expected).for_each(|(rate, expected)| close(Some(rate), expected, 1e-14));
    }
}

/// Checks the end points of the ROC and precision-recall curves, and that the area under the precision-recall curve as
/// a step function is the reported average precision.
#[test]
fn pictures_are_what_the_areas_are_of() {
    let mut metrics = Metrics::new(Loss::Logistic);
    classes().iter().for_each(|&(y, w, m)| metrics.add(y, w, m));
    let (plot_data, found) = (metrics.plot_data(), metrics.measured());
    assert_eq!((plot_data.roc[0], plot_data.roc.last()), ((0.0, 0.0), Some(&(1.0, 1.0))));
    let trapezes = plot_data.roc.windows(2).map(|pair| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0);
    close(found.auc, trapezes.sum(), 1e-12);
    let starts = std::iter::once(&(0.0, 0.0)).chain(&plot_data.precision);
    let steps = starts.zip(&plot_data.precision).map(|(before, now)| (now.0 - before.0) * now.1);
    close(found.pr_auc, steps.sum(), 1e-12);
    assert_eq!(plot_data.calibration.len(), 10);
    close(Some(plot_data.calibration.iter().map(|bin| bin.weight).sum()), found.weight, 1e-12);
    assert!(plot_data.sample.is_empty());
}

#[test]
fn pictures_stay_small() {
    let (mut classes, mut numbers, mut u) = (Metrics::new(Loss::Logistic), Metrics::new(Loss::Squared), Uniform(5));
    for _ in 0..50_000 {
        let (margin, draw) = (8.0 * u.next() - 4.0, u.next());
        classes.add(if draw < 1.0 / (1.0 + (-margin).exp()) { 1.0 } else { -1.0 }, 1.0, margin);
        numbers.add(margin + draw, 1.0, margin);
    }
    let plot_data = classes.plot_data();
    assert!((100..=POINTS + 2).contains(&plot_data.roc.len()), "{}", plot_data.roc.len());
    assert_eq!(plot_data.precision.len() + 1, plot_data.roc.len());
    assert_eq!(numbers.plot_data().sample.len(), ReservoirSample::ROWS);
}

#[test]
fn the_histogram_stays_within_its_stated_error() {
    let (mut exact, mut cells) = (Ranking::Exact(Vec::new()), Ranking::Exact(Vec::new()));
    let mut u = Uniform(1);
    for _ in 0..20_000 {
        let margin = 8.0 * u.next() - 4.0;
        let signed = if u.next() < 1.0 / (1.0 + (-margin).exp()) { 1.0 } else { -1.0 };
        exact.add(margin, signed, usize::MAX);
        cells.add(margin, signed, 100);
    }
    assert!(matches!(cells, Ranking::Cells(_)));
    let (exact, cells) = (exact.areas(), cells.areas());
    for (exact, cells) in [(exact.roc, cells.roc), (exact.precision, cells.precision)] {
        let ((truth, none), (found, bound)) = (exact.unwrap(), cells.unwrap());
        let error = (truth - found).abs();
        assert!(none == 0.0 && error <= bound && bound < 1e-3, "{error} {bound}");
    }
}

#[test]
fn cells_ascend_with_the_margin() {
    let margins = [-1e300, -1e38, -7.0, -1.0, -1e-30, 0.0, 1e-30, 1.0, 1.001, 7.0, 1e38, 1e300];
    assert!(margins.windows(2).all(|pair| cell(pair[0]) < cell(pair[1])));
    assert_eq!(cell(-0.0), cell(0.0));
}

#[test]
fn what_is_not_defined_is_absent() {
    let found = Metrics::new(Loss::Logistic).measured();
    assert_eq!((found.rows, found.loss, found.accuracy, found.auc), (0, None, None, None));
    let mut one_class = Metrics::new(Loss::Logistic);
    one_class.add(1.0, 1.0, 3.0);
    one_class.add(-1.0, 0.0, 3.0);
    let found = one_class.measured();
    assert_eq!((found.rows, found.weight, found.accuracy, found.auc), (2, 1.0, Some(1.0), None));
    assert_eq!((found.pr_auc, one_class.plot_data().roc), (Some(1.0), Vec::new()));
    let mut none = Metrics::new(Loss::Logistic);
    none.add(-1.0, 1.0, -3.0);
    assert_eq!((none.measured().pr_auc, none.measured().rates), (None, Some(Rates::default())));
    let mut equal = Metrics::new(Loss::Squared);
    equal.add(2.0, 1.0, 2.0);
    equal.add(2.0, 1.0, 2.5);
    assert_eq!((equal.measured().mse, equal.measured().r2), (Some(0.125), None));
}

#[test]
fn a_margin_of_zero_predicts_the_negative_class() {
    let mut metrics = Metrics::new(Loss::Logistic);
    metrics.add(1.0, 1.0, 0.0);
    metrics.add(-1.0, 3.0, 0.0);
    assert_eq!((metrics.measured().accuracy, metrics.measured().auc), (Some(0.75), Some(0.5)));
}

#[test]
fn small_terms_survive_a_long_sum() {
    let mut sum = Sum::default();
    sum.add(1e16);
    (0..1000).for_each(|_| sum.add(1.0));
    sum.add(-1e16);
    assert_eq!(sum.value(), 1000.0);
}

/// The metrics of rows in shards are those of the rows in one process: to the bit where they count, else to rounding.
#[test]
fn totals_of_shards_are_those_of_all_rows() {
    use crate::{
        Batch, Plan, Settings, Trainer,
        model::trained_model::Model,
        shards::{OneProcess, Shards},
    };
    use std::sync::Arc;
    let mut u = Uniform(7);
    for loss in [Loss::Logistic, Loss::Hinge, Loss::Squared, Loss::Poisson, Loss::Softmax] {
        let mut batch = Batch::default();
        for t in 0..400_u64 {
            let (x, noise) = (rounded(u.next(), 1), u.next());
            let label = if loss.classifies() { f64::from(x + 0.5 * noise > 0.7) } else { x + noise };
            let label = if loss.is_multiclass() { label + f64::from(noise > 0.8) } else { label };
            batch.push(Some(label), rounded(2.0 * u.next(), 2), &[(t % 3, x)]);
        }
        let mut trainer = Trainer::new(Settings { loss, ..Settings::default() }, Plan::ONE_PASS);
        trainer.learn(&batch, 0, batch.len()).unwrap();
        let model: Model = trainer.model();
        let add = |tally: &mut Tally, r: usize| {
            let row = batch.row(r);
            let label = row.label.unwrap();
            let code = if loss.classifies() { model.labels.encode(label).unwrap() } else { label };
            tally.add(code, &row).unwrap();
        };
        let mut whole = Tally::new(&model);
        (0..400).for_each(|r| add(&mut whole, r));
        for count in [1, 3, 16] {
            // The last shard has no rows.
            let mut own: Vec<_> = (0..count).map(|shard| (shard, whole.anew())).collect();
            (0..400).for_each(|r| add(&mut own[r * (count - 1).max(1) / 400].1, r));
            let shards = Shards { total: count, collective: Arc::new(OneProcess { shards: count }) };
            let totals = MetricTotals::of(own, &shards).unwrap();
            assert_eq!(MetricTotals::from_bytes(&totals.to_bytes()).as_ref(), Some(&totals));
            let ((found, plot), expected) = (totals.measured(loss), whole.measured());
            assert_eq!(
                (found.rows, found.auc, found.pr_auc),
                (expected.rows, expected.auc, expected.pr_auc),
                "{loss:?}"
            );
            let numbers = |of: &Measured| {
                let rates = of.rates.map(|rates| rates.f1);
                let (more, sizes) = ([of.log_loss, of.brier, of.calibration_error, of.r2, of.d2], [of.mse, of.mae]);
                [Some(of.weight), of.loss, of.accuracy, rates].into_iter().chain(more).chain(sizes).collect::<Vec<_>>()
            };
            for (a, b) in numbers(&found).into_iter().zip(numbers(&expected)) {
                assert_eq!(a.is_some(), b.is_some(), "{loss:?}");
                assert!((a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs() <= 1e-13, "{loss:?}: {a:?} and {b:?}");
            }
            let cells = |of: &Measured| {
                of.confusion.as_ref().map(|all| all.cells.iter().map(|c| (c.0, c.1)).collect::<Vec<_>>())
            };
            assert_eq!(cells(&found), cells(&expected));
            assert_eq!(plot.sample, whole.plot_data().sample);
            assert_eq!(
                (plot.roc, plot.calibration.len()),
                (whole.plot_data().roc, whole.plot_data().calibration.len())
            );
        }
    }
}

/// Beyond the limit the margins of all shards are counted in cells, as those of one process are.
#[test]
fn rankings_of_shards_are_joined_exactly_or_in_cells() {
    use crate::shards::Join;
    let mut u = Uniform(11);
    let rows: Vec<_> =
        (0..3000).map(|_| (rounded(4.0 * u.next() - 2.0, 2), if u.next() > 0.3 { 1.0 } else { -1.0 })).collect();
    for (exact, limit) in [(true, usize::MAX), (false, 100)] {
        let mut whole = Ranking::Exact(Vec::new());
        rows.iter().for_each(|(margin, signed)| whole.add(*margin, *signed, limit));
        // The first part is short enough to be exact on its own.
        let parts = [&rows[..50], &rows[50..2000], &rows[2000..]].map(|rows| {
            let mut part = Ranking::Exact(Vec::new());
            rows.iter().for_each(|(margin, signed)| part.add(*margin, *signed, limit));
            part.partial(exact)
        });
        let joined = parts.into_iter().reduce(|mut left, right| {
            left.join(right);
            left
        });
        let (found, expected) = (Ranking::of_partial(&joined.unwrap()).areas(), whole.areas());
        assert_eq!((found.roc, found.precision), (expected.roc, expected.precision));
        assert_eq!(found.roc.unwrap().1 == 0.0, exact);
    }
}
