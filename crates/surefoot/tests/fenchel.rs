//! Tests that the Fenchel duality gap is never below the true excess and vanishes at the optimum, with and without an
//! intercept.

mod common;
mod problems;

use common::Random;
use problems::{Loss, Model, Problem, Same};
use surefoot::certificate::{
    Comparator, ElasticNet, FullPass, Glm, Inside, Kind, Penalty, Subject, Uncertified, fenchel,
};
use surefoot::{Anytime, AskTell, Ball, Grow, Linear, OgdNorm};
use surefoot_oracle::Domain;
use surefoot_oracle::vectors::{dot, norm, plus};

const DIM: usize = 5;

/// Returns the minimiser of the model with elastic net penalty, as weights and intercept, found by proximal gradient steps;
/// the intercept stays 0 unless `with_intercept`.
fn solve(model: &Model, l1: f64, l2: f64, with_intercept: bool) -> (Vec<f64>, f64) {
    let (mut x, mut b) = (vec![0.0; DIM], 0.0);
    // The Hessian is at most 1 in the intercept and 1 in x together with it, as rows are no longer than 1.
    let rate = 0.5;
    for _ in 0..20_000 {
        let (gradient, slope) = model.gradient_at(&x, b);
        let free = plus(&x, -rate, &gradient);
        let shrink = |v: f64| (v.abs() - rate * l1).max(0.0).copysign(v) / (1.0 + rate * l2);
        x = free.into_iter().map(shrink).collect();
        b -= if with_intercept { rate * slope } else { 0.0 };
    }
    (x, b)
}

#[test]
fn above_the_gap_everywhere_and_zero_at_the_optimum() {
    for loss in [Loss::Logistic, Loss::Squared, Loss::Huber] {
        let model = Model::new(loss);
        for (l1, l2) in [(0.0, 0.1), (0.02, 0.1), (0.02, 0.0), (0.0, 1e-3)] {
            for with_intercept in [false, true] {
                let case = format!("{loss:?}, l1 {l1}, l2 {l2}, intercept {with_intercept}");
                let net = ElasticNet::new(l1, l2);
                let objective = |x: &[f64], b: f64| model.value_at(x, b) + net.value(DIM, |i| x[i]);
                let (best, intercept) = solve(&model, l1, l2, with_intercept);
                let least = objective(&best, intercept);
                let gap = |x: &[f64], b: f64| {
                    fenchel(&model, DIM, |i| x[i], with_intercept.then_some(b), &net).expect("a penalty")
                };
                let there = gap(&best, intercept);
                assert!(there.certificate.value < 1e-9, "{case}: {:e} at the optimum", there.certificate.value);
                assert!((there.objective - least).abs() < 1e-14);
                let mut random = Random(4);
                for scale in [3.0, 1.0, 0.1, 1e-3, 1e-6] {
                    let x: Vec<f64> = best.iter().map(|x| x + scale * random.normal()).collect();
                    let b = if with_intercept { intercept + scale * random.normal() } else { 0.0 };
                    let (there, excess) = (gap(&x, b), objective(&x, b) - least);
                    assert!(there.certificate.value >= excess - 1e-15, "{case}, {scale}: {there:?} {excess:e}");
                    assert!((there.objective - objective(&x, b)).abs() < 1e-13);
                    assert_eq!(there.certificate.kind, Kind::Deterministic);
                    assert_eq!(there.certificate.subject, Subject::Excess(Comparator::Space));
                }
            }
        }
    }
}

/// Near the optimum of ridge regression the gap equals ‖∇P‖²/(2μ), although it lies far below the rounding errors of the
/// objective P.
#[test]
fn nothing_cancels_near_the_optimum() {
    let (model, mu) = (Model::new(Loss::Squared), 0.5);
    let (best, _) = solve(&model, 0.0, mu, false);
    let x: Vec<f64> = best.iter().map(|x| x + 1e-7).collect();
    let gradient = plus(&model.gradient(&x), mu, &x);
    let value = fenchel(&model, DIM, |i| x[i], None, &ElasticNet::new(0.0, mu)).expect("ridge").certificate.value;
    let exact = dot(&gradient, &gradient) / (2.0 * mu);
    assert!(exact < 1e-13 && value >= exact && value < exact + 2e-15, "{value:e} {exact:e}");
}

/// In a ball the gap is the Frank–Wolfe gap; it equals the value of a numpy program after 100 rounds of Algorithm 1.
#[test]
fn over_a_ball_as_numpy_has_it() {
    let (ball, model) = (Ball::<f64>::new(3.0), Model::new(Loss::Logistic));
    let mut method = Anytime::new(OgdNorm::new(DIM, ball.clone()), Linear);
    let mut x = vec![0.0; DIM];
    for _ in 0..100 {
        method.write(&mut x);
        method.tell(&model.gradient(&x));
    }
    let gap = fenchel(&model, DIM, |i| x[i], None, &Inside::<f64, _>::new(&ball)).expect("a ball");
    let expected = 0.0001144831759045199;
    assert!((gap.certificate.value - expected).abs() < 1e-10 * expected, "{gap:?}");
    assert_eq!(gap.certificate.comparator(), Some(Comparator::Domain));
    let outside = fenchel(&model, DIM, |_| 2.0, None, &Inside::<f64, _>::new(&ball));
    assert_eq!(outside, Err(Uncertified::Outside));
}

/// The gap from a single pass over rows that are not stored equals that from stored rows, also when the dimension grows and
/// all weights are scaled.
#[test]
fn a_pass_says_the_same_of_rows_that_are_not_kept() {
    let mut random = Random(8);
    for loss in [Loss::Logistic, Loss::Squared, Loss::Huber] {
        let (model, ball, ridge) = (Model::new(loss), Ball::<f64>::new(3.0), ElasticNet::new(0.1, 0.2));
        let x: Vec<f64> = (0..DIM).map(|_| 0.5 * random.normal()).collect();
        let mut pass = FullPass::new(1);
        pass.grow(DIM);
        for (i, row) in model.rows.iter().enumerate() {
            let margin = dot(row, &x);
            pass.add(7.0, margin, model.loss(i, margin), model.slope(i, margin), row);
        }
        let point = |i: usize| x[i];
        let kept = [
            fenchel(&model, DIM, point, None, &Inside::<f64, _>::new(&ball)),
            fenchel(&model, DIM, point, None, &ridge),
        ];
        let seen = [pass.optimality(point, &Inside::<f64, _>::new(&ball)), pass.optimality(point, &ridge)];
        for (kept, seen) in kept.into_iter().zip(seen) {
            let (kept, seen) = (kept.expect("a penalty"), seen.expect("a penalty"));
            assert!((kept.objective - seen.objective).abs() < 1e-14, "{loss:?}: {kept:?} {seen:?}");
            assert!((kept.certificate.value - seen.certificate.value).abs() < 1e-13, "{loss:?}: {kept:?} {seen:?}");
            assert_eq!(kept.certificate.assumptions, seen.certificate.assumptions);
            assert_eq!(kept.certificate.subject, seen.certificate.subject);
        }
        assert_eq!(pass.optimality(|_| 2.0, &Inside::<f64, _>::new(&ball)), Err(Uncertified::Outside));
        assert_eq!(pass.optimality(point, &ElasticNet::new(0.0, 0.0)), Err(Uncertified::Unbounded));
    }
    let ball = Ball::<f64>::new(3.0);
    assert_eq!(FullPass::new(2).optimality(|_| 0.0, &Inside::<f64, _>::new(&ball)), Err(Uncertified::NoRounds));
}

/// With an intercept the dual variables must be balanced (sum to 0): the gap that treats the intercept as fixed claims
/// optimality at a point that is far from optimal.
#[test]
fn an_intercept_needs_a_balanced_dual_point() {
    let (model, mu) = (Model::new(Loss::Logistic), 0.1);
    let (best, intercept) = solve(&model, 0.0, mu, true);
    let least = model.value_at(&best, intercept) + mu / 2.0 * dot(&best, &best);
    // A point that is best for a fixed, wrong intercept looks perfect to the gap without one.
    let net = ElasticNet::new(0.0, mu);
    for wrong in [intercept + 2.0, 0.0] {
        let shifted = Shifted(model.clone(), wrong);
        let mut x = vec![0.0; DIM];
        for _ in 0..20_000 {
            let (gradient, _) = model.gradient_at(&x, wrong);
            x = plus(&x, -1.0, &plus(&gradient, mu, &x));
        }
        let excess = model.value_at(&x, wrong) + mu / 2.0 * dot(&x, &x) - least;
        let careless = fenchel(&shifted, DIM, |i| x[i], None, &net).expect("ridge").certificate.value;
        let right = fenchel(&model, DIM, |i| x[i], Some(wrong), &net).expect("ridge").certificate.value;
        assert!(careless < 1e-12 && excess > 1e-3 && right >= excess, "{wrong}: {careless} {excess} {right}");
    }
}

/// A model whose intercept (the second field) is added to every margin, so that the gap does not know of it.
struct Shifted(Model, f64);

impl Glm for Shifted {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn weight(&self, i: usize) -> f64 {
        self.0.weight(i)
    }

    fn row(&self, i: usize, visit: impl FnMut(usize, f64)) {
        self.0.row(i, visit);
    }

    fn loss(&self, i: usize, m: f64) -> f64 {
        self.0.loss(i, m + self.1)
    }

    fn slope(&self, i: usize, m: f64) -> f64 {
        self.0.slope(i, m + self.1)
    }

    fn conjugate(&self, i: usize, dual: f64) -> f64 {
        self.0.conjugate(i, dual) - self.1 * dual
    }
}

/// With labels of one class only and an intercept, the dual variables can only be balanced at 0, and the gap is the objective
/// itself.
#[test]
fn one_class_only() {
    let mut model = Model::new(Loss::Logistic);
    model.labels.fill(1.0);
    let gap = fenchel(&model, DIM, |_| 0.1, Some(0.3), &ElasticNet::new(0.0, 0.1)).expect("ridge");
    assert!((gap.certificate.value - gap.objective).abs() < 1e-14);
}

#[test]
fn without_penalty_there_is_none() {
    let model = Model::new(Loss::Logistic);
    let none = fenchel(&model, DIM, |_| 0.1, None, &ElasticNet::new(0.0, 0.0));
    assert_eq!(none, Err(Uncertified::Unbounded));
    let whole = Same(&Domain::WholeSpace(1.0));
    let none = fenchel(&model, DIM, |_| 0.1, None, &Inside::<f64, _>::new(&whole));
    assert_eq!(none, Err(Uncertified::Unbounded));
}

/// The conjugates φ* of the test losses satisfy the Fenchel equality φ(m) + φ*(φ'(m)) = m·φ'(m).
#[test]
fn conjugates_are_what_they_say() {
    for loss in [Loss::Logistic, Loss::Squared, Loss::Huber] {
        let model = Model::new(loss);
        for m in [-3.0, -0.9, 0.0, 0.7, 2.0] {
            for i in 0..3 {
                let dual = model.slope(i, m);
                let gap = model.loss(i, m) + model.conjugate(i, dual) - dual * m;
                assert!(gap.abs() < 1e-14, "{loss:?} {m}: {gap}");
            }
        }
    }
    assert!(norm(&Model::new(Loss::Logistic).rows[0]) <= 1.0);
}
