//! Tests of optima against those of an independent solver, of certificates against true gaps, and of searches that are
//! stopped, restarted or given difficult problems.

mod classes;
mod losses;
mod problem;
mod rules;
mod shards;
mod stalls;

use problem::{Dice, examples, goal, label, objective, optimum, rows, value};
use std::sync::atomic::{AtomicUsize, Ordering};
use surefoot::certificate::{Balance, ElasticNet, Glm, fenchel};
use surefoot_glm::{
    Loss,
    optimum::{Ended, Examples, Goal, Optimum, optimise},
};

const SMOOTH: [Loss; 4] = [Loss::Logistic, Loss::Squared, Loss::SquaredHinge, Loss::Poisson];

/// Each entry: loss, l1, l2, whether there is an intercept, and the optimum: objective, weights and intercept. They were
/// computed to full precision in numpy by dense Newton steps; with l1, accelerated proximal gradient steps find the signs
/// first, and Newton steps on the nonzero weights follow.
#[rustfmt::skip]
const GOLDEN: [(Loss, f64, f64, bool, f64, [f64; 6]); 24] = [
    (Loss::Logistic, 0.0, 0.0001, false, 0.5426444699091741, [2.209973014041252, -0.07689194437731159, 3.3390008950357153, -2.2162554970862005, 0.6770856140832358, 0.0]),
    (Loss::Logistic, 0.02, 0.05, false, 0.6734775264399172, [0.5666461319520311, -0.013652454438611187, 0.23244685946857846, -0.13173329601255718, 0.0, 0.0]),
    (Loss::Logistic, 0.1, 0.0, false, 0.6931471805599452, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    (Loss::Logistic, 0.0, 0.0001, true, 0.5192767545422483, [2.4218654101902626, -1.0058645663059844, 3.464872821885652, -2.3466162498769667, 0.4687896775856203, 2.8118082891836087]),
    (Loss::Logistic, 0.02, 0.05, true, 0.6712227875467465, [0.5817786716712015, -0.19589887769296407, 0.22882565332803725, -0.14067807042945643, 0.0, 0.5758117386146747]),
    (Loss::Logistic, 0.1, 0.0, true, 0.6930451362725595, [0.0, 0.0, 0.0, 0.0, 0.0, -0.028573372444056087]),
    (Loss::SquaredHinge, 0.0, 0.0001, false, 0.7345681428245604, [0.8733119319657827, -0.030292991674437417, 1.2784533372446591, -0.8519403638669159, 0.2843808709080785, 0.0]),
    (Loss::SquaredHinge, 0.02, 0.05, false, 0.8354808986709275, [0.6610626551740881, -0.01977184106850208, 0.7552086166122216, -0.4987905317633893, 0.06389201237633572, 0.0]),
    (Loss::SquaredHinge, 0.1, 0.0, false, 0.9367816052364271, [0.5045882479995734, -0.006856811758217213, 0.3834731548680588, -0.13592041441764982, 0.0, 0.0]),
    (Loss::SquaredHinge, 0.0, 0.0001, true, 0.6949155130072929, [0.9670801724517756, -0.40939824676292086, 1.340289586236844, -0.9519150572627706, 0.20559410015467933, 1.1567005495257179]),
    (Loss::SquaredHinge, 0.02, 0.05, true, 0.8105173292062444, [0.6905099854459751, -0.28848420911335304, 0.7473194366947198, -0.5316334379717791, 0.010557297661352614, 0.8305775392046054]),
    (Loss::SquaredHinge, 0.1, 0.0, true, 0.9301764498029066, [0.5228483827572882, -0.14957751757729015, 0.38478858822946965, -0.16454678266296283, 0.0, 0.4405845376846075]),
    (Loss::Squared, 0.0, 0.0001, false, 18.3017123769219, [9.03716694893297, -0.19613645238900929, 20.470488404910206, -12.210464640576651, 0.31166343317219175, 0.0]),
    (Loss::Squared, 0.02, 0.05, false, 28.400545291371103, [6.174091560793775, -0.030987964235287258, 11.58748883536149, -6.968496198795658, -0.8040951557829074, 0.0]),
    (Loss::Squared, 1.0, 0.0, false, 42.20852320351801, [2.2450085288708514, 0.037217587311844554, 4.584647434046622, 0.0, 0.0, 0.0]),
    (Loss::Squared, 0.0, 0.0001, true, 15.362876583774515, [9.543794584426948, -4.506591006446079, 20.33901620646241, -12.867649237715657, -0.7160155004453549, 13.273268238164624]),
    (Loss::Squared, 0.02, 0.05, true, 26.280519968337146, [6.520054729062037, -3.395087590676944, 11.491995828952456, -7.308829296704759, -1.3736663329379317, 10.434127709439446]),
    (Loss::Squared, 1.0, 0.0, true, 41.90830832084676, [2.3700292560760854, 0.0, 4.296704495078287, 0.0, 0.0, 0.795593942142463]),
    (Loss::Poisson, 0.0, 0.0001, false, 0.24157036413414223, [1.368995670448413, -0.22824510252453967, 3.6104046278377004, -1.8313595307855168, 0.754517001776935, 0.0]),
    (Loss::Poisson, 0.02, 0.05, false, 0.5658018529431054, [0.49956090191229674, -0.07545873478470602, 1.9839204004920943, -0.9791045165923877, -0.14363851535091568, 0.0]),
    (Loss::Poisson, 0.1, 0.0, false, 0.7134553048399261, [0.32133153931284697, -0.05761626340175521, 2.0092558580155853, -0.7803975952135896, 0.0, 0.0]),
    (Loss::Poisson, 0.0, 0.0001, true, 0.20900260889924657, [1.5050823264138298, -0.7039222136466124, 3.311362304907641, -1.9009618587545205, 0.6660919991267222, 1.4720400339162818]),
    (Loss::Poisson, 0.02, 0.05, true, 0.5332336453735151, [0.606131910506952, -0.48001813342828115, 1.8295400373926753, -1.0162772147933652, -0.14951485476715012, 1.2540265996435442]),
    (Loss::Poisson, 0.1, 0.0, true, 0.7084229390423897, [0.36164127729946627, -0.22604959852830367, 1.929175551709048, -0.7919805521188233, 0.0, 0.5295962327662967]),
];

#[test]
fn optima_agree_with_an_independent_solver() {
    for (loss, l1, l2, intercept, least, point) in GOLDEN {
        let rows = rows(loss);
        let goal = Goal { tolerance: 1e-12, ..goal(loss, l1, l2, intercept) };
        let found = optimum(&examples(&rows), &goal);
        let case = format!("{loss:?} l1 {l1} l2 {l2} intercept {intercept}: {found:?}");
        assert_eq!(found.ended, Ended::Certified, "{case}");
        // Both sides round sums of 60 terms.
        assert!((found.objective / least - 1.0).abs() < 1e-13, "{case}");
        let all = found.weights.iter().copied().chain([found.intercept[0]]);
        // An error of 1e-12 in the objective is one of about 1e-6 in a weight; the step after it leaves far less.
        assert!(all.zip(point).all(|(w, exact)| (w - exact).abs() <= 1e-7 * (1.0 + exact.abs())), "{case}");
        // Zeros of an L1 penalty are exact, and nothing else is 0.
        assert!(found.weights.iter().zip(point).all(|(w, exact)| (*w == 0.0) == (exact == 0.0)), "{case}");
    }
}

#[test]
fn at_every_iteration_the_gap_is_no_less_than_the_true_one() {
    let (mut seen, mut finite) = (0, 0);
    for (loss, l1, l2, intercept, least, _) in GOLDEN {
        let rows = rows(loss);
        let goal = Goal { tolerance: 1e-10, ..goal(loss, l1, l2, intercept) };
        let mut before = f64::INFINITY;
        let last = optimise(&examples(&rows), &goal, (&[], &[]), &|| false, &mut |best| {
            let here = objective(&rows, &goal, &best.weights, best.intercept[0]);
            assert!((here / best.objective - 1.0).abs() < 1e-12, "{loss:?}: {here} is not {}", best.objective);
            assert!(best.objective <= before * (1.0 + before.signum() * 1e-12), "{loss:?}: got worse");
            before = best.objective;
            seen += 1;
            if let Some(gap) = best.gap {
                finite += 1;
                let missing = best.objective - least;
                assert!(gap >= missing - 1e-14 * least.abs(), "{loss:?} {l1} {l2} {intercept}: {gap} for {missing}");
            }
        });
        assert_eq!(last.map(|last| last.ended), Some(Ended::Certified));
    }
    assert!(seen > 100 && finite * 4 > seen * 3, "{finite} finite gaps of {seen}");
}

struct Model(Vec<(f64, f64, Vec<u32>, Vec<f64>)>, Loss);

impl Glm for Model {
    fn rows(&self) -> usize {
        self.0.len()
    }
    fn weight(&self, i: usize) -> f64 {
        self.0[i].1 / self.0.iter().map(|row| row.1).sum::<f64>()
    }
    fn row(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        self.0[i].2.iter().zip(&self.0[i].3).for_each(|(&j, &x)| visit(j as usize, x));
    }
    fn loss(&self, i: usize, margin: f64) -> f64 {
        value(self.1, self.0[i].0, margin)
    }
    fn slope(&self, i: usize, margin: f64) -> f64 {
        let y = self.0[i].0;
        match self.1 {
            Loss::Logistic => -y / (1.0 + (y * margin).exp()),
            Loss::Squared => margin - y,
            Loss::SquaredHinge => -2.0 * y * (1.0 - y * margin).max(0.0),
            Loss::Poisson => margin.exp() - y,
            other => panic!("{other:?} is not among them"),
        }
    }
    fn conjugate(&self, i: usize, dual: f64) -> f64 {
        let y = self.0[i].0;
        let entropy = |x: f64| if x == 0.0 { 0.0 } else { x * x.ln() };
        match self.1 {
            Loss::Logistic => entropy(-y * dual) + entropy(1.0 + y * dual),
            Loss::Squared => dual * dual / 2.0 + dual * y,
            Loss::SquaredHinge => dual * dual / 4.0 + y * dual,
            Loss::Poisson => entropy(dual + y) - (dual + y),
            other => panic!("{other:?} is not among them"),
        }
    }
    fn balance(&self) -> Balance {
        if self.1 == Loss::Squared { Balance::Shift } else { Balance::Scale }
    }
}

/// Returns the weighted mean of the least loss that any margin has for each row: y − y·ln y for a count y under Poisson
/// loss, otherwise 0.
fn floor(rows: &problem::Rows, loss: Loss) -> f64 {
    let total: f64 = rows.iter().map(|row| row.1).sum();
    let least = |y: f64| if loss == Loss::Poisson && y > 0.0 { y - y * y.ln() } else { 0.0 };
    rows.iter().map(|row| row.1 / total * least(row.0)).sum()
}

/// Checks certificates against the duality gap that the crate `surefoot` (the core) computes for the same models: both
/// agree at the start of a search, and the core's relative gap is below 1e-6 at the end.
#[test]
fn the_core_certifies_the_same_models() {
    for (loss, l1, l2, intercept, _, _) in GOLDEN {
        let goal = Goal { tolerance: 1e-9, ..goal(loss, l1, l2, intercept) };
        let (model, net) = (Model(rows(loss), loss), ElasticNet::new(l1, l2));
        let core = |best: &Optimum| {
            fenchel(&model, 5, |j| best.weights[j], intercept.then_some(best.intercept[0]), &net).expect("a penalty")
        };
        let mut first = true;
        let last = optimise(&examples(&model.0), &goal, (&[], &[]), &|| false, &mut |best| {
            let core = core(best);
            assert!((core.objective / best.objective - 1.0).abs() < 1e-12);
            if first {
                // No model is better than the least losses of the rows.
                let most = core.objective - floor(&model.0, loss);
                let (theirs, ours) = (core.certificate.value.min(most), best.gap.expect("finite at the start"));
                // The core allows for more rounding.
                let rounding = 1e-12 * best.objective.abs();
                assert!(
                    (ours - theirs).abs() <= 1e-9 * theirs + rounding,
                    "{loss:?} {l1} {l2} {intercept}: {ours} and {theirs}"
                );
            }
            first = false;
        });
        let last = last.expect("rows with weight");
        assert!(core(&last).certificate.relative(last.objective) < 1e-6, "{loss:?} {l1} {l2} {intercept}");
    }
}

/// Checks the optimum against its closed form where row j has only column j: w_j is the label soft-thresholded by n·l1
/// and divided by 1 + n·l2, for n rows.
#[test]
fn orthogonal_rows_have_a_closed_form() {
    let labels = [3.0, -2.0, 0.5, -0.25];
    let mut examples = Examples::default();
    (0..).zip(labels).for_each(|(j, y)| examples.push(y, 1.0, 0.0, &[j], &[1.0]));
    for (l1, l2) in [(0.0, 0.5), (0.2, 0.0), (0.1, 0.25), (2.0, 0.0)] {
        let found = optimum(&examples, &goal(Loss::Squared, l1, l2, false));
        assert_eq!(found.ended, Ended::Certified);
        for (w, y) in found.weights.iter().zip(labels) {
            let exact = (y.abs() - 4.0 * l1).max(0.0).copysign(y) / (1.0 + 4.0 * l2);
            assert!((w - exact).abs() < 1e-14, "{l1} {l2}: {w} is not {exact}");
        }
    }
}

/// Checks the optimality conditions, computed from the rows, for many sparse columns. No matrix is factored in this case,
/// and with an l1 penalty the search uses coordinate descent.
#[test]
fn many_columns_meet_the_conditions_of_optimality() {
    let mut dice = Dice(11);
    let rows: Vec<_> = (0..200)
        .map(|_| {
            let mut column: Vec<u32> = (0..8).map(|_| ((dice.unit() + 1.0) * 1500.0) as u32).collect();
            column.sort_unstable();
            column.dedup();
            let value: Vec<f64> = column.iter().map(|_| 1.0 + dice.unit()).collect();
            (f64::from(column[0].is_multiple_of(2)) * 2.0 - 1.0, 1.0, column, value)
        })
        .collect();
    let examples = examples(&rows);
    for loss in [Loss::Logistic, Loss::SquaredHinge] {
        for (l1, l2, intercept) in [(0.0, 1e-3, false), (0.0, 1e-3, true), (2e-3, 0.0, true), (1e-3, 1e-3, false)] {
            let goal = Goal { tolerance: 1e-11, ..goal(loss, l1, l2, intercept) };
            let found = optimum(&examples, &goal);
            assert_eq!(found.ended, Ended::Certified, "{goal:?}");
            let mut gradient: Vec<f64> = found.weights.iter().map(|w| l2 * w).collect();
            let mut constant = 0.0;
            for (y, _, column, value) in &rows {
                let margin = column.iter().zip(value).map(|(&j, x)| found.weights[j as usize] * x).sum::<f64>();
                let derivative = match loss {
                    Loss::Logistic => -y / (1.0 + (y * (margin + found.intercept[0])).exp()),
                    _ => -2.0 * y * (1.0 - y * (margin + found.intercept[0])).max(0.0),
                } / 200.0;
                constant += derivative;
                column.iter().zip(value).for_each(|(&j, x)| gradient[j as usize] += derivative * x);
            }
            let off = |(w, g): (&f64, &f64)| if *w == 0.0 { g.abs() - l1 } else { (g + l1.copysign(*w)).abs() };
            let worst = found.weights.iter().zip(&gradient).map(off).fold(0.0, f64::max);
            assert!(worst < 2e-8 && (!intercept || constant.abs() < 1e-8), "{goal:?}: {worst} {constant}");
            assert_eq!(l1 > 0.0, found.weights.iter().filter(|w| **w == 0.0).count() > 2000, "{goal:?}");
        }
    }
}

#[test]
fn weight_three_is_three_rows_and_weight_zero_leaves_no_trace() {
    for loss in SMOOTH {
        for l1 in [0.0, 0.01] {
            let goal = goal(loss, l1, 0.01, true);
            let plain = rows(loss);
            let heavy: Vec<_> = plain.iter().map(|row| (row.0, 3.0 * row.1, row.2.clone(), row.3.clone())).collect();
            let thrice: Vec<_> = plain.iter().flat_map(|row| [row; 3]).cloned().collect();
            let (heavy, thrice) = (optimum(&examples(&heavy), &goal), optimum(&examples(&thrice), &goal));
            assert!((heavy.objective / thrice.objective - 1.0).abs() < 1e-12, "{loss:?}");
            // Nothing of such a row may be seen: not its label, its columns or how large its values are.
            let mut with = plain.clone();
            with.insert(5, (label(loss, 9.0), 0.0, vec![0, 900], vec![1e9, -1.0]));
            let (mut with, without) = (optimum(&examples(&with), &goal), optimum(&examples(&plain), &goal));
            assert!(with.weights.split_off(5).iter().all(|w| *w == 0.0));
            assert_eq!(with, without, "{loss:?}");
        }
    }
    let mut none = Examples::default();
    none.push(1.0, 0.0, 0.0, &[0], &[1.0]);
    assert!(optimise(&none, &goal(Loss::Squared, 0.0, 0.1, true), (&[], &[]), &|| false, &mut |_| ()).is_none());
}

#[test]
fn searches_without_a_certificate_end_with_a_reason() {
    let golden = rows(Loss::Logistic);
    let found = optimum(&examples(&golden), &goal(Loss::Logistic, 0.0, 0.0, true));
    assert_eq!((found.ended, found.gap), (Ended::Decrement, None));
    // The optimum with a penalty of 1e-4 costs little more: the golden one is 0.51928.
    assert!(found.objective < 0.5193 && found.objective > 0.5180, "{found:?}");
    // Labels that the sign of a column tells.
    let apart: Vec<_> = golden.iter().map(|row| (row.3[0].signum(), row.1, row.2.clone(), row.3.clone())).collect();
    let found = optimum(&examples(&apart), &goal(Loss::Logistic, 0.0, 0.0, false));
    assert_eq!((found.ended, found.gap), (Ended::Unattained, None));
    // Once a point separates them there is nothing to find: what it loses is a thousandth of ln 2, where all margins are 0.
    assert!(
        found.objective <= 1e-3 * 2_f64.ln() && found.weights.iter().all(|w| w.is_finite()) && found.weights[0] > 0.0
    );
    let tells = |row: &(f64, f64, Vec<u32>, Vec<f64>)| {
        row.0 * row.2.iter().zip(&row.3).map(|(&j, x)| found.weights[j as usize] * x).sum::<f64>() > 0.0
    };
    assert!(apart.iter().filter(|row| row.1 > 0.0).all(tells));
    let found = optimum(&examples(&apart), &goal(Loss::SquaredHinge, 0.0, 0.0, false));
    assert!(found.ended == Ended::Decrement && found.objective < 1e-12, "{found:?}");
    // Lines through all labels.
    let line: Vec<_> = golden.iter().map(|row| (2.0 * row.3[0] - 1.0, 1.0, row.2.clone(), row.3.clone())).collect();
    let found = optimum(&examples(&line), &goal(Loss::Squared, 0.0, 0.0, true));
    assert!(found.objective < 1e-25 && (found.intercept[0] + 1.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn units_and_means_of_columns_do_not_matter() {
    for loss in SMOOTH {
        let plain = rows(loss);
        let goal = Goal { tolerance: 1e-13, ..goal(loss, 0.0, 0.0, true) };
        let first = optimum(&examples(&plain), &goal);
        let units = [1e8, 1e-8, 1e3, 1e-100, 1e100];
        let mut moved = plain.clone();
        for (_, _, column, value) in &mut moved {
            value.iter_mut().zip(column).for_each(|(x, j)| *x *= units[*j as usize]);
            // A column whose mean is a million times its spread.
            value[1] += 1e6 * units[1];
        }
        let second = optimum(&examples(&moved), &goal);
        assert_eq!(second.ended, first.ended, "{loss:?}");
        assert!((second.objective / first.objective - 1.0).abs() < 1e-9, "{first:?} {second:?}");
        for ((a, b), unit) in first.weights.iter().zip(&second.weights).zip(units) {
            assert!((a - b * unit).abs() < 1e-4 * (1.0 + a.abs()), "{first:?} {second:?}");
        }
    }
}

#[test]
fn a_search_can_be_stopped_at_any_question() {
    for (loss, l1, l2, intercept, least, _) in GOLDEN.into_iter().step_by(2) {
        let (rows, goal) = (rows(loss), goal(loss, l1, l2, intercept));
        let examples = examples(&rows);
        for after in 0.. {
            let asked = AtomicUsize::new(0);
            let start = [0.25, -0.125];
            let stop = || asked.fetch_add(1, Ordering::Relaxed) >= after;
            let found = optimise(&examples, &goal, (&start, &[]), &stop, &mut |_| ()).expect("rows with weight");
            if found.ended != Ended::Stopped {
                assert!(after > 5, "it never asked");
                break;
            }
            if found.objective.is_nan() {
                assert_eq!((&found.weights[..], found.gap, found.iterations), (&start[..], None, 0));
                continue;
            }
            let here = objective(&rows, &goal, &found.weights, found.intercept[0]);
            assert!((here - found.objective).abs() <= 1e-12 * here.abs(), "{found:?}");
            assert!(found.gap.is_none_or(|gap| gap >= found.objective - least - 1e-14 * least.abs()), "{found:?}");
        }
    }
}

#[test]
fn a_good_start_saves_passes() {
    for (loss, l1, l2, intercept, _, point) in GOLDEN {
        let (rows, goal) = (rows(loss), goal(loss, l1, l2, intercept));
        let examples = examples(&rows);
        let cold = optimum(&examples, &goal);
        let start = (&point[..5], &point[5..]);
        let warm = optimise(&examples, &goal, start, &|| false, &mut |_| ()).expect("rows with weight");
        assert!(warm.passes <= cold.passes && warm.iterations <= 4, "{warm:?} {cold:?}");
    }
}

#[test]
fn small_and_empty_problems() {
    for loss in SMOOTH {
        let y = label(loss, 1.0);
        for (l1, l2) in [(0.0, 0.1), (0.1, 0.0), (0.0, 0.0), (0.1, 0.1)] {
            for intercept in [false, true] {
                let goal = goal(loss, l1, l2, intercept);
                let mut one = Examples::default();
                one.push(y, 1.0, 0.0, &[0, 2], &[1.0, -2.0]);
                let mut bare = Examples::default();
                [1.0, -1.0, 1.0].iter().for_each(|score| bare.push(label(loss, *score), 1.0, 0.0, &[], &[]));
                let mut zeros = Examples::default();
                [1.0, -1.0, 1.0].iter().for_each(|score| zeros.push(label(loss, *score), 1.0, 0.0, &[0, 1], &[0.0; 2]));
                let mut same = Examples::default();
                (0..9).for_each(|i| same.push(y, 1.0, 0.0, &[0, 1], &[f64::from(i), f64::from(i % 4)]));
                for examples in [&one, &bare, &zeros, &same] {
                    let found = optimum(examples, &goal);
                    let case = format!("{goal:?} {examples:?} {found:?}");
                    assert!(found.objective.is_finite() && found.weights.iter().all(|w| w.is_finite()), "{case}");
                    assert!(found.ended != Ended::Exhausted && found.iterations < 60, "{case}");
                    assert_eq!(found.weights.len(), examples.columns());
                }
                for examples in [&bare, &zeros] {
                    let found = optimum(examples, &goal);
                    assert!(found.weights.iter().all(|w| *w == 0.0), "{found:?}");
                    if intercept && loss == Loss::Logistic {
                        assert!((found.intercept[0] - 2f64.ln()).abs() < 1e-6, "{found:?}");
                    }
                }
            }
        }
    }
}

/// Returns 20,000 rows with dense and categorical columns: enough for the search to sample rows and to divide them among
/// threads.
fn many_rows() -> Examples {
    let mut dice = Dice(3);
    let mut examples = Examples::default();
    for _ in 0..20_000 {
        let mut value: Vec<f64> = (0..4).map(|_| dice.unit()).collect();
        let level = [4.0, 24.0].map(|from: f64| (from + 10.0 + 10.0 * dice.unit()) as u32);
        let score = value[0] - value[1] + f64::from(level[0] % 3) - 1.0 + dice.unit();
        value.extend([1.0, 1.0]);
        examples.push(label(Loss::Logistic, score), 1.0, 0.0, &[0, 1, 2, 3, level[0], level[1]], &value);
    }
    examples
}

#[test]
fn threads_do_not_change_a_bit() {
    let examples = many_rows();
    for l1 in [0.0, 1e-3] {
        let goal = Goal { tolerance: 1e-9, ..goal(Loss::Logistic, l1, 1e-4, true) };
        let alone = optimum(&examples, &Goal { threads: 1, ..goal });
        assert_eq!(alone.ended, Ended::Certified);
        for threads in [2, 3, 8] {
            assert_eq!(optimum(&examples, &Goal { threads, ..goal }), alone, "{threads} threads");
        }
    }
}
