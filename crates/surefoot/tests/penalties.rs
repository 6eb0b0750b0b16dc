//! Numerical tests of the regret and the certificates of learners that handle a penalty exactly instead of through
//! gradients.

mod common;

use common::{iterate, own, sequences, weights, wide};
use surefoot::certificate::{self, Gradients, Uncertified};
use surefoot::{
    Anytime, AskTell, Ball, CompositeAnytime, CompositeAveraging, DenseAnytime, ElasticNet, Learner, Penalised,
    Penalty, Ridge, Uniform, WholeSpace,
};
use surefoot_oracle::Domain;
use surefoot_oracle::vectors::{dot, norm, plus, times};

/// Checks in every round that the regret with penalty, Σ α_t(⟨g_t, w_t − u⟩ + Ω(w_t) − Ω(u)) at the best u, which
/// `best` computes, stays below the learner's bound, and returns the largest ratio of the two.
fn composite<L: Penalised<f64> + Clone>(learner: &L, best: impl Fn(&[f64], f64) -> Vec<f64>) -> f64 {
    let mut worst = 0.0_f64;
    for (name, weight) in weights() {
        for gradients in sequences(4) {
            let mut method = DenseAnytime::new(learner.clone(), own(&weight));
            let (mut z, mut total, mut sum, mut penalties) = (vec![0.0; 4], 0.0, 0.0, 0.0);
            for (t, g) in (1..).zip(&gradients) {
                let (a, w) = (weight(t), iterate(method.learner()));
                let present = method.learner().present();
                assert!((omega(method.learner(), &w) - present).abs() <= 1e-12 * present);
                penalties += a * present;
                sum += a * dot(g, &w);
                (z, total) = (plus(&z, a, g), total + a);
                method.tell(g);
                let learner = method.learner();
                let u = best(&z, total);
                let whole = total * omega(learner, &u);
                let regret = sum + penalties - dot(&z, &u) - whole;
                let bound = learner.regret_bound().expect("a bound");
                let rounding = 1e-13 * (sum.abs() + penalties + dot(&z, &u).abs() + whole);
                assert!(regret <= bound + rounding, "{name}, round {t}: {regret} over {bound}");
                worst = worst.max(regret / bound);
            }
        }
    }
    worst
}

fn omega(learner: &impl Penalised<f64>, u: &[f64]) -> f64 {
    learner.penalty().value(u.len(), |i| u[i])
}

#[test]
fn regret_with_penalties() {
    let centre = vec![0.1, -0.2, 0.3, 0.0];
    let shifted = |z: &[f64], total: f64| plus(&centre, -1.0 / (0.4 * total), z);
    let ball = Domain::Ball(centre.clone(), 0.5);
    let whole = composite(&Ridge::new(4, WholeSpace::new(1.0), 0.4), |z, total| times(-1.0 / (0.4 * total), z));
    let inside = Ridge::new(4, Ball::around(centre.clone(), 0.5), 0.4);
    let inside = composite(&inside, |z, total| ball.project(&shifted(z, total)));
    let soft = |z: &[f64], total: f64, l1: f64, l2: f64| -> Vec<f64> {
        z.iter().map(|z| -z.signum() * (z.abs() - total * l1).max(0.0) / (total * l2)).collect()
    };
    let net = CompositeAveraging::new(4, ElasticNet::new(0.1, 0.4), f64::INFINITY);
    let net = composite(&net, |z, total| soft(z, total, 0.1, 0.4));
    // With a reach, against the corners of the L1 ball of that radius and 0: a linear function plus l1‖u‖₁ is least there.
    let lasso = CompositeAveraging::new(4, ElasticNet::new(0.1, 0.0), 2.0).with_bound(1e12);
    let lasso = composite(&lasso, |z, total| {
        let best = (0..4).max_by(|&i, &j| z[i].abs().total_cmp(&z[j].abs())).expect("coordinates");
        let gain = z[best].abs() - 0.1 * total > 0.0;
        (0..4).map(|i| if i == best && gain { -2.0 * z[i].signum() } else { 0.0 }).collect()
    });
    println!("regret/bound at most {whole}, {inside}, {net}, {lasso}");
    assert!(whole > 0.9 && inside > 0.5 && net > 0.5, "no challenge");
}

/// With a known bound Γ on gradient norms, the regret of dual averaging with a penalty stays below r·√(2(Γ² + V)), V
/// the sum of squared norms and r the radius, and reaches half its bound.
#[test]
fn regret_of_dual_averaging_with_a_penalty() {
    let mut worst = 0.0_f64;
    for gradients in sequences(4) {
        let largest = gradients.iter().map(|g| norm(g)).fold(0.0, f64::max);
        let learner = CompositeAveraging::<f64>::new(4, ElasticNet::new(0.05, 0.0), 1.0).with_bound(largest);
        let mut method = DenseAnytime::new(learner, Uniform).certified();
        let (mut squares, mut penalties) = (0.0, 0.0);
        for (t, g) in (1..).zip(&gradients) {
            penalties += method.learner().present();
            method.tell(g);
            squares += dot(g, g);
            let ledger = method.ledger().expect("sums are kept");
            let z = ledger.gradients();
            // The best point of the unit ball lies where soft(−Z) points.
            let pull: Vec<f64> = z.iter().map(|z| (z.abs() - 0.05 * f64::from(t)).max(0.0)).collect();
            let regret = ledger.linear() + penalties + norm(&pull);
            let (bound, whole) = (method.learner().regret_bound().expect("a bound"), (largest.powi(2) + squares) * 2.0);
            assert!(regret <= bound * (1.0 + 1e-9) && bound <= whole.sqrt() * (1.0 + 1e-9), "{regret} {bound} {whole}");
            worst = worst.max(regret / bound);
        }
    }
    assert!(worst > 0.5, "no challenge: {worst}");
}

/// The quadratic F(x) = ½⟨x − c, H(x − c)⟩ with H = I/10 plus a matrix of rank one.
struct Smooth;

impl Smooth {
    const ROW: [f64; 4] = [1.0, -0.5, 0.25, 0.7];
    const CENTRE: [f64; 4] = [0.8, -0.6, 0.05, 0.3];

    fn gradient(x: &[f64]) -> Vec<f64> {
        let away = plus(x, -1.0, &Self::CENTRE);
        plus(&times(0.1, &away), dot(&Self::ROW, &away), &Self::ROW)
    }

    fn value(x: &[f64]) -> f64 {
        dot(&Self::gradient(x), &plus(x, -1.0, &Self::CENTRE)) / 2.0
    }

    /// Returns the minimum of F plus the elastic net `penalty` with factors `l1` and `l2`, by proximal gradient steps
    /// of size ½.
    fn minimum(penalty: ElasticNet, l1: f64, l2: f64) -> f64 {
        let mut x = vec![0.0; 4];
        for _ in 0..20_000 {
            let free = plus(&x, -0.5, &Self::gradient(&x));
            x = free.iter().map(|v| v.signum() * (v.abs() - 0.5 * l1).max(0.0) / (1.0 + 0.5 * l2)).collect();
        }
        Self::value(&x) + penalty.value(4, |i| x[i])
    }
}

/// Certificates for F + Ω from `CompositeAnytime` cover the true excess, and its sum Σ α_t Ω(w_t) is correct.
#[test]
fn certificates_with_penalties() {
    for (l1, l2, reach) in [(0.1, 0.05, 1.0), (0.1, 0.05, f64::INFINITY), (0.2, 0.0, 1.0), (0.0, 0.3, 1.0)] {
        let penalty = ElasticNet::new(l1, l2);
        let least = Smooth::minimum(penalty, l1, l2);
        for (name, weight) in weights() {
            let learner = CompositeAveraging::<f64>::new(4, penalty, reach);
            let mut method = CompositeAnytime::new(learner, own(&weight)).certified();
            let mut penalties = 0.0;
            for t in 1..=500 {
                penalties += weight(t) * penalty.value(4, |i| method.learner().at(i));
                let g = Smooth::gradient(&wide(&method.query()));
                method.tell(&g);
                let told = method.penalties().expect("sums are kept");
                assert!((told - penalties).abs() <= 1e-11 * penalties.max(1e-3), "{name}, round {t}");
                let x = wide(&method.output());
                let excess = Smooth::value(&x) + penalty.value(4, |i| x[i]) - least;
                let [ball, whole] = [
                    method.certificate(&Ball::new(2.0), Gradients::Exact),
                    method.certificate(&WholeSpace::new(1.0), Gradients::Exact),
                ];
                assert!(excess <= ball.expect("a bounded domain").value, "{name}, round {t}");
                match whole {
                    Ok(whole) => assert!(excess <= whole.value, "{name}, round {t}"),
                    Err(why) => assert!(l2 == 0.0 && why == Uncertified::Unbounded, "{why}"),
                }
            }
            // With no reach the first steps are long, as only the small l2 holds them back.
            let value = method.certificate(&Ball::new(2.0), Gradients::Exact).expect("a bounded domain").value;
            assert!(value < 0.3 || reach.is_infinite(), "{name}, {l1}, {l2}: {value}");
        }
    }
}

/// Certificates for F + Ω from [`certificate::Composite`], kept by the caller beside a ridge learner, cover the true
/// excess.
#[test]
fn certificates_with_ridge() {
    let net = ElasticNet::new(0.0, 0.3);
    let least = Smooth::minimum(net, 0.0, 0.3);
    for (name, weight) in weights() {
        let mut method = Anytime::new(Ridge::<f64, _>::new(4, WholeSpace::new(1.0), 0.3), own(&weight));
        let mut sums = certificate::Composite::new(4);
        for t in 1..=300 {
            let g = Smooth::gradient(&wide(&method.query()));
            let learner = method.learner();
            sums.record(weight(t), &g, |i| learner.at(i), learner.present());
            method.tell(&g);
            let (x, penalty) = (wide(&method.output()), method.learner().penalty());
            let excess = Smooth::value(&x) + penalty.value(4, |i| x[i]) - least;
            let bound = sums.certificate(method.total_weight(), &penalty, Gradients::Exact).expect("a penalty").value;
            assert!(excess <= bound, "{name}, round {t}: {excess} over {bound}");
            assert!(t < 300 || name != "t" || bound < 0.1, "{bound}");
            // The closed forms of both penalties are one.
            let other = sums.certificate(method.total_weight(), &net, Gradients::Exact).expect("a penalty").value;
            assert!((other - bound).abs() <= 1e-12 * bound.abs().max(1.0));
        }
    }
}
