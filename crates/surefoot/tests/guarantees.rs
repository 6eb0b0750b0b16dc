//! Numerical tests of the identities and bounds of Algorithms 2 to 4 of arXiv 1903.00974 and of linear decay.

mod common;

use std::cell::Cell;
use std::rc::Rc;

use common::{Random, Record, chain, distance, iterate, own, sequences, size, weights, wide};
use surefoot::certificate::{Gradients, Uncertified};
use surefoot::{
    Accelerated, AskTell, Ball, BoxDomain, DualAveraging, General, Leader, Learner, Linear, OgdNorm, OnlineNewton,
    Optimistic, Quadratic, StronglyConvex, WholeSpace, linear_decay,
};
use surefoot_oracle::Domain;
use surefoot_oracle::vectors::{dot, norm, plus, times};

/// Checks α_t(x_t − w_t) = A_{t−1}(p − x_t) for weights α_t = t, up to 1e-12 of the sizes involved; p = `before` is
/// x_{t−1} in Algorithm 3 and y_{t−1} in Algorithm 4.
fn identity(x: &[f64], w: &[f64], before: &[f64], t: u64) {
    let (weight, total) = (t as f64, (t * (t - 1) / 2) as f64);
    let scale = (total + weight) * size(x).max(size(w)).max(size(before));
    let (left, right) = (times(weight, &plus(x, -1.0, w)), times(total, &plus(before, -1.0, x)));
    assert!(distance(&left, &right) <= 1e-12 * scale, "round {t}: off by {:e}", distance(&left, &right) / scale);
}

#[test]
fn identities() {
    let record = Record::sparse(61, 12, 1000, |_| 1.0);
    let mut three = Optimistic::new(DualAveraging::<f64, _>::new(12, Ball::new(0.5)), Linear);
    let mut four = Accelerated::new(OgdNorm::<f64, _>::new(12, Ball::new(0.5)), 1.0);
    let (mut last, mut growth, mut squares) = ([vec![0.0; 12], vec![0.0; 12]], 0.0, 0.0);
    for t in 1..=record.len() {
        let iterates = [iterate(three.method().learner()), iterate(four.method().learner())];
        let queries = [wide(&three.query()), wide(&four.query())];
        record.tell(&mut three, t);
        record.tell(&mut four, t);
        for k in 0..2 {
            identity(&queries[k], &iterates[k], &last[k], t);
        }
        last = [wide(&three.output()), wide(&four.output())];
        assert!(distance(&last[0], &queries[0]) <= 1e-14 && distance(&wide(&four.main()), &queries[1]) <= 1e-14);
        let gradient = record.dense(t);
        let part = (t * (t + 1) / 2) as f64 * dot(&gradient, &gradient);
        squares += part;
        growth += if squares > 0.0 { part / squares } else { 0.0 };
        assert!((four.growth() - growth).abs() <= 1e-12 * growth);
        let step = plus(&queries[1], -four.rate(), &gradient);
        assert!(distance(&step, &last[1]) <= 1e-14, "y = x − ηg in round {t}");
    }
}

/// Nesterov's chain, the worst-case quadratic for first-order methods, in this number of dimensions.
struct Chain(usize);

impl Chain {
    fn solution(&self) -> Vec<f64> {
        (1..=self.0).map(|i| 1.0 - i as f64 / (self.0 + 1) as f64).collect()
    }

    fn gap(&self, x: &[f64]) -> f64 {
        let ends = x[0] * x[0] + x[self.0 - 1] * x[self.0 - 1];
        let value = 0.25 * (0.5 * (ends + x.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum::<f64>()) - x[0]);
        value - 0.125 * (1.0 / (self.0 + 1) as f64 - 1.0)
    }
}

/// Excess losses of Algorithms 3 and 4 on Nesterov's chain fall like 1/T², within a constant factor of the lower bound
/// 3𝓛R²/(32(T + 1)²) for all methods, with 𝓛 the smoothness and R the distance to the minimiser.
#[test]
fn algorithms_3_and_4_accelerate() {
    for rounds in [16, 64, 256] {
        let bowl = Chain(2 * rounds + 1);
        let radius = norm(&bowl.solution());
        let run = |mut method: Box<dyn FnMut(bool) -> Vec<f64>>| {
            (0..rounds).for_each(|_| drop(method(false)));
            bowl.gap(&method(true))
        };
        let mut three = Optimistic::new(DualAveraging::<f64, _>::new(bowl.0, Ball::new(radius)), Linear);
        let mut four = Accelerated::new(OgdNorm::<f64, _>::new(bowl.0, Ball::new(radius)), 2.0 * radius);
        let growth = Rc::new(Cell::new(0.0));
        let told = growth.clone();
        let gaps = [
            run(Box::new(move |end| {
                let query = wide(&three.query());
                if !end {
                    three.tell(&chain(&query));
                }
                wide(&three.output())
            })),
            run(Box::new(move |end| {
                let query = wide(&four.query());
                if !end {
                    four.tell(&chain(&query));
                }
                told.set(four.growth());
                wide(&four.output())
            })),
        ];
        let t = rounds as f64;
        let scaled = gaps.map(|gap| gap * t * t / (radius * radius));
        println!("T = {rounds}: gap·T²/R² {scaled:?}");
        assert!(scaled.iter().all(|&gap| gap >= 3.0 / 32.0 * (t / (t + 1.0)).powi(2)), "below what is possible");
        assert!(scaled.iter().all(|&gap| gap <= 0.4), "{scaled:?}");
        // Theorem 4 with c = 2, ε = 0, B = 2R, 𝓛 = 1, no noise.
        let bound = 2.0 / (t * (t + 1.0)) * 2.0 * (2.0 * radius).powi(2) * growth.get();
        assert!(gaps[1] <= bound, "{} over {bound}", gaps[1]);
    }
}

/// In Algorithm 4, A_T(L(y_T) − L(u)) ≤ R_T(u) + Σ A_t(L(y_t) − L(x_t)) with the observed regret R_T(u), and for L(x_T)
/// without the last term of the sum.
#[test]
fn algorithm_4_after_the_fact() {
    let bowl = Chain(9);
    let u = bowl.solution();
    let mut method = Accelerated::new(OgdNorm::<f64, _>::new(9, Ball::new(2.0)), 4.0).certified();
    let mut descent = 0.0;
    for t in 1..=300_u64 {
        let query = wide(&method.query());
        method.tell(&chain(&query));
        let total = (t * (t + 1) / 2) as f64;
        let ledger = method.method().ledger().expect("sums are kept");
        let regret = ledger.linear() - dot(ledger.gradients(), &u);
        assert!(total * bowl.gap(&query) <= regret + descent + 1e-9, "x in round {t}");
        descent += total * (bowl.gap(&wide(&method.output())) - bowl.gap(&query));
        assert!(total * bowl.gap(&wide(&method.output())) <= regret + descent + 1e-9, "y in round {t}");
    }
    assert!(bowl.gap(&wide(&method.output())) < 1e-3);
    assert_eq!(method.certificate(&Ball::new(2.0), Gradients::Exact), Err(Uncertified::NoRises));
}

/// The constant ε in the learning rate of Algorithm 4 has the units of a gradient: with ε = 1 as printed in arXiv
/// 1903.00974, scaling the loss changes the points, with ε = 0 it does not.
#[test]
fn epsilon_has_a_unit() {
    let last = |epsilon: f64, size: f64| {
        let mut method = Accelerated::new(OgdNorm::<f64, _>::new(9, Ball::new(2.0)), 4.0).with_epsilon(epsilon);
        for _ in 0..50 {
            let query = wide(&method.query());
            method.tell(&times(size, &chain(&query)));
        }
        wide(&method.output())
    };
    let million = 2_f64.powi(20);
    assert_eq!(last(0.0, 1.0), last(0.0, million));
    assert!(distance(&last(1.0, 1.0), &last(1.0, million)) > 1e-4);
    assert_eq!(last(1.0, 1.0), last(million, million));
}

/// Checks in every round that the regret of follow-the-leader on the losses ⟨g_t, ·⟩ + (μ/2)‖· − x_t‖² stays below the
/// learner's bound, and returns the largest ratio of regret to bound.
fn leader<D: surefoot::Project<f64>>(core: impl Fn() -> D, domain: &Domain) -> f64 {
    let (mu, mut worst) = (0.4, 0.0_f64);
    for (name, weight) in weights() {
        for gradients in sequences(4) {
            let mut method = General::new(Leader::new(4, core(), mu), own(&weight));
            let loss = |u: &[f64], g: &[f64], x: &[f64]| dot(g, u) + mu / 2.0 * norm(&plus(u, -1.0, x)).powi(2);
            let (mut past, mut sum) = (Vec::new(), 0.0);
            for (t, g) in (1..).zip(&gradients) {
                let (w, x) = (iterate(method.learner()), wide(&method.query()));
                sum += weight(t) * loss(&w, g, &x);
                method.tell(g);
                past.push((weight(t), g.clone(), x));
                let total: f64 = past.iter().map(|round| round.0).sum();
                let pull = past.iter().fold(vec![0.0; 4], |p, (a, g, x)| plus(&plus(&p, *a, x), -a / mu, g));
                let best = domain.project(&times(1.0 / total, &pull));
                let least: f64 = past.iter().map(|(a, g, x)| a * loss(&best, g, x)).sum();
                let bound = method.learner().regret_bound().expect("a bound");
                assert!(sum - least <= bound * (1.0 + 1e-9), "{name}, round {t}: {} over {bound}", sum - least);
                worst = worst.max((sum - least) / bound);
            }
        }
    }
    worst
}

#[test]
fn regret_of_the_leader() {
    let whole = leader(|| WholeSpace::new(1.0), &Domain::WholeSpace(1.0));
    let ball = leader(|| Ball::new(0.5), &Domain::Ball(vec![0.0; 4], 0.5));
    let cube = leader(|| BoxDomain::cube(4, 0.3), &Domain::BoxDomain(vec![-0.3; 4], vec![0.3; 4]));
    println!("regret/bound at most {whole}, {ball}, {cube}");
    assert!(whole > 0.9 && ball > 0.5 && cube > 0.5, "no challenge");
}

/// The regret of the online Newton step on its quadratic losses stays below its bound, and that bound below the closed
/// form.
#[test]
fn regret_of_the_newton_step() {
    let (gamma, epsilon, radius, mut worst) = (0.5, 0.5, 0.5, 0.0_f64);
    let mut random = Random(63);
    let points: Vec<Vec<f64>> = (0..300)
        .map(|_| {
            let u: Vec<f64> = (0..4).map(|_| random.normal()).collect();
            times(radius * random.unit() / norm(&u), &u)
        })
        .collect();
    for (name, weight) in weights() {
        for gradients in sequences(4) {
            let learner = OnlineNewton::<f64, _>::new(4, Ball::new(radius), gamma, epsilon);
            let mut method = General::new(learner, own(&weight));
            let (mut losses, mut sum, mut squares, mut least, mut most) = (vec![0.0; 300], 0.0, 0.0, gamma, 0.0_f64);
            for (t, g) in (1..).zip(&gradients) {
                let (w, x, a) = (iterate(method.learner()), wide(&method.query()), weight(t));
                let gamma = gamma.min(1.0 / (16.0 * radius * norm(g)));
                let loss = |u: &[f64]| dot(g, u) + gamma / 2.0 * dot(g, &plus(u, -1.0, &x)).powi(2);
                sum += a * loss(&w);
                losses.iter_mut().zip(&points).for_each(|(sum, u)| *sum += a * loss(u));
                squares += a * gamma * dot(g, g);
                (least, most) = (least.min(gamma), most.max(a));
                method.tell(g);
                let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
                let bound = method.learner().regret_bound().expect("a bound");
                assert!(sum - best <= bound * (1.0 + 1e-9), "{name}, round {t}: {} over {bound}", sum - best);
                let log = 81.0 / 64.0 * most * 4.0 / (2.0 * least) * (1.0 + squares / (4.0 * epsilon)).ln();
                let closed = epsilon / 2.0 * radius * radius + log;
                assert!(bound <= closed * (1.0 + 1e-9), "{name}, round {t}: {bound} over the closed form {closed}");
                worst = worst.max((sum - best) / bound);
            }
        }
    }
    println!("regret/bound at most {worst}");
    assert!(worst > 0.3, "no challenge: {worst}");
}

/// Algorithm 2 with exact gradients and no domain satisfies A_T(L(x_T) − L*) ≤ Σ (α_t²/A_t)(1 + ρ_t)‖g_t‖²/(2μ) (ρ_t as
/// in Theorem S), on a μ-strongly convex loss with a kink; the sparse and the dense form agree.
#[test]
fn strong_convexity_without_a_domain() {
    let mu = 0.5;
    let value = |x: &[f64]| (x[0] - 2.0 * x[1]).abs() + mu / 2.0 * norm(&plus(x, -1.0, &[1.0, 1.0, 1.0])).powi(2);
    let gradient = |x: &[f64]| {
        let sign = (x[0] - 2.0 * x[1]).signum();
        plus(&[sign, -2.0 * sign, 0.0], mu, &plus(x, -1.0, &[1.0, 1.0, 1.0]))
    };
    // On the kink, (2s, s, 1): μ((2s − 1)² + (s − 1)²)/2 is least at s = 3/5.
    let least = value(&[1.2, 0.6, 1.0]);
    for (name, weight) in weights() {
        let mut dense = General::new(Leader::<f64, _>::new(3, WholeSpace::new(1.0), mu), own(&weight));
        let mut sparse = StronglyConvex::<f64, _, _>::new(3, WholeSpace::new(1.0), mu, own(&weight)).certified();
        let (mut total, mut bound, mut worst) = (0.0, 0.0, 0.0_f64);
        for t in 1..=400 {
            let g = gradient(&wide(&sparse.query()));
            dense.tell(&g);
            sparse.tell(&g);
            total += weight(t);
            let share = weight(t) / total;
            let rho = share * (1.0 - share) / (1.0 - share + share * share);
            bound += weight(t) * share * (1.0 + rho) * dot(&g, &g) / (2.0 * mu);
            let excess = total * (value(&wide(&sparse.output())) - least);
            assert!(excess <= bound * (1.0 + 1e-12), "{name}, round {t}: {excess} over {bound}");
            worst = worst.max(excess / bound);
            assert!(distance(&wide(&dense.output()), &wide(&sparse.output())) < 1e-12);
            let certificate = sparse.certificate(&Ball::new(30.0), Gradients::Exact).expect("a bounded domain");
            assert!(excess <= total * certificate.value, "{name}, round {t}");
        }
        assert!(worst > 0.1, "{name}: no challenge, {worst}");
    }
}

/// With linear decay the last query point is the weighted average of the iterates, and the certificate bounds its excess.
#[test]
fn linear_decay_ends_at_the_average() {
    let value = |x: &[f64]| (x[0] - 0.3).abs() + 2.0 * (x[1] + 0.2).abs();
    for (name, weight) in weights() {
        let mut method = linear_decay(OgdNorm::<f64, _>::new(2, Ball::new(1.0)), own(&weight), 300).certified();
        let mut last = Vec::new();
        for _ in 0..300 {
            last = wide(&method.query());
            method.tell(&[(last[0] - 0.3).signum(), 2.0 * (last[1] + 0.2).signum()]);
            // On the way the average has a certificate too.
            let bound = method.certificate(&Ball::new(1.0), Gradients::Exact).expect("a bounded domain").value;
            assert!(value(&wide(&method.output())) <= bound + 1e-12, "{name}");
        }
        assert!(distance(&last, &wide(&method.output())) <= 1e-14, "{name}");
        assert!(value(&last) < 0.2, "{name}: {}", value(&last));
        let before = wide(&method.query());
        method.tell(&[1.0, 0.0]);
        assert!(distance(&before, &wide(&method.output())) <= 1e-14, "{name}: β stays 1");
    }
}

/// Losses told to `Leader` without a quadratic part count as linear, even if others are quadratic.
#[test]
fn linear_losses_among_quadratic_ones() {
    let mut leader = Leader::<f64, _>::new(1, WholeSpace::new(1.0), 2.0);
    leader.tell(1.0, &[1.0]);
    assert_eq!((leader.at(0), leader.regret_bound()), (0.0, None), "no least point yet");
    leader.tell_quadratic(1.0, &[1.0], &surefoot::View::new(1, |_| 3.0));
    assert_eq!(leader.at(0), 3.0 - 1.0); // the least of 2w + (w − 3)²
}
