//! Tests of the identities and inequalities behind the guarantees, for every learner in the shared table.

mod common;

use std::fmt::Debug;

use common::{Random, Record, Visit, Weight, distance, size, weights, wide};
use surefoot::{Anytime, AskTell, Float, Gradients, Lazy, Learner, Uncertified};
use surefoot_oracle::vectors::{dot, plus};
use surefoot_oracle::{Domain, Learner as Twin};

/// A property to check on `Anytime` over one learner with one sequence of weights.
trait Law<F: Float> {
    fn check<L: Lazy<F> + Clone>(&mut self, name: &str, learner: L, weight: Weight, domain: &Domain);
}

/// Adapter that checks a property on every learner with a sparse form and every sequence of weights.
struct Laws<T>(T);

impl<F: Float, T: Law<F>> Visit<F> for Laws<T> {
    fn lazy<L: Lazy<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        _: &dyn Fn() -> Box<dyn Twin>,
        domain: &Domain,
    ) {
        for (case, weight) in weights() {
            self.0.check(&format!("{name}, {case}"), learner.clone(), weight, domain);
        }
    }

    fn dense<L: Learner<F> + Clone + Debug>(&mut self, _: &str, _: L, _: &dyn Fn() -> Box<dyn Twin>, _: &Domain) {}
}

/// Returns `Anytime` over a learner, with the sums that certificates need.
fn certified<F: Float, L: Lazy<F>>(learner: L, weight: Weight) -> Anytime<F, L, impl surefoot::Weights> {
    Anytime::new(learner, move |t: u64| weight(t)).certified()
}

/// Checks the identity α_t(x_t − w_t) = A_{t−1}(x_{t−1} − x_t), and that without interpolation the query of a round is
/// its output.
struct Identity(Record);

impl Law<f64> for Identity {
    fn check<L: Lazy<f64> + Clone>(&mut self, name: &str, learner: L, weight: Weight, _: &Domain) {
        let mut method = certified(learner, weight.clone());
        let mut last = wide(&method.output());
        for t in 1..=self.0.len() {
            let iterate: Vec<f64> = (0..method.dim()).map(|i| method.learner().at(i)).collect();
            let (query, before) = (wide(&method.query()), method.total_weight());
            self.0.tell(&mut method, t);
            let output = wide(&method.output());
            let scale = 1e-12 * size(&output).max(size(&iterate)).max(size(&last));
            assert!(distance(&query, &output) <= scale, "{name}: query and output of round {t}");
            for i in 0..output.len() {
                let left = weight(t) * (output[i] - iterate[i]);
                let right = before * (last[i] - output[i]);
                assert!((left - right).abs() <= scale * method.total_weight(), "{name}: {left} = {right} in {t}");
            }
            last = output;
        }
    }
}

#[test]
fn identity_of_consecutive_averages() {
    common::learners(12, &mut Laws(Identity(Record::sparse(5, 12, 500, |_| 1.0))));
}

/// The quadratic L(x) = ½(x − c)ᵀH(x − c), where H is diagonal plus a matrix of rank one.
struct Bowl {
    diagonal: Vec<f64>,
    row: Vec<f64>,
    centre: Vec<f64>,
}

impl Bowl {
    fn new(dim: usize) -> Self {
        let mut random = Random(11);
        let mut draw = |scale: f64| -> Vec<f64> { (0..dim).map(|_| scale * random.normal()).collect() };
        Self { diagonal: draw(0.5).iter().map(|x| x * x + 0.01).collect(), row: draw(0.7), centre: draw(0.4) }
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let away = plus(x, -1.0, &self.centre);
        let along = dot(&self.row, &away);
        (0..x.len()).map(|i| self.diagonal[i] * away[i] + along * self.row[i]).collect()
    }

    fn value(&self, x: &[f64]) -> f64 {
        dot(&self.gradient(x), &plus(x, -1.0, &self.centre)) / 2.0
    }

    /// Returns the Bregman gap L(p) − L(q) − ⟨∇L(q), p − q⟩.
    fn gap(&self, p: &[f64], q: &[f64]) -> f64 {
        self.value(&plus(&self.centre, 1.0, &plus(p, -1.0, q)))
    }
}

/// Checks Theorem 1 with the terms its proof drops: A_T(L(x_T) − L(u)) = R_T(u) − Σ A_{t−1}D(x_{t−1}, x_t) − Σ α_t D(u,
/// x_t), with D the Bregman gap of a quadratic L.
struct Slack(Bowl);

impl Law<f64> for Slack {
    fn check<L: Lazy<f64> + Clone>(&mut self, name: &str, learner: L, weight: Weight, domain: &Domain) {
        let dim = learner.dim();
        let u = domain.project(&(0..dim).map(|i| 0.3 - 0.1 * i as f64).collect::<Vec<_>>());
        let mut method = certified(learner, weight.clone());
        let (mut slack, mut last) = (0.0, wide(&method.output()));
        for t in 1..=400 {
            let x = wide(&method.query());
            slack += method.total_weight() * self.0.gap(&last, &x) + weight(t) * self.0.gap(&u, &x);
            method.tell(&self.0.gradient(&x));
            last = wide(&method.output());
            let ledger = method.ledger().expect("sums are kept");
            let regret = ledger.linear() - dot(ledger.gradients(), &u);
            let (total, excess) = (method.total_weight(), self.0.value(&last) - self.0.value(&u));
            let scale = total * (self.0.value(&last) + self.0.value(&u)) + ledger.linear().abs() + slack;
            assert!((total * excess - (regret - slack)).abs() <= 1e-12 * scale, "{name}, round {t}");
        }
        assert!(slack > 0.0);
    }
}

#[test]
fn theorem_one_with_exact_slack() {
    common::learners(8, &mut Laws(Slack(Bowl::new(8))));
}

/// Checks that the observed regret over the sum of weights bounds the excess loss, for any interpolation β.
struct Certified(Bowl);

impl Law<f64> for Certified {
    fn check<L: Lazy<f64> + Clone>(&mut self, name: &str, learner: L, weight: Weight, domain: &Domain) {
        for beta in [1.0, 0.9, 0.5, 0.0] {
            let mut method = certified(learner.clone(), weight.clone()).interpolate(beta);
            let u = domain.project(&self.0.centre);
            for t in 1..=300 {
                let query = wide(&method.query());
                method.tell(&self.0.gradient(&query));
                let ledger = method.ledger().expect("sums are kept");
                let regret = ledger.linear() - dot(ledger.gradients(), &u);
                let excess = self.0.value(&wide(&method.output())) - self.0.value(&u);
                let allowed = regret / method.total_weight() + 1e-12 * self.0.value(&u).max(1.0);
                assert!(excess <= allowed, "{name}, beta {beta}, round {t}: {excess} > {allowed}");
            }
        }
    }
}

#[test]
fn regret_bounds_the_excess_for_any_interpolation() {
    common::learners(8, &mut Laws(Certified(Bowl::new(8))));
}

#[test]
fn certificates_are_valid_and_become_small() {
    let bowl = Bowl::new(8);
    let ball = || surefoot::Ball::<f64>::new(2.0);
    let mut method = Anytime::new(surefoot::OgdNorm::new(8, ball()), surefoot::Linear).certified();
    assert_eq!(method.certificate(&ball(), Gradients::Exact), Err(Uncertified::NoRounds));
    for _ in 0..1000 {
        let query = wide(&method.query());
        method.tell(&bowl.gradient(&query));
        let bound = method.certificate(&ball(), Gradients::Exact).expect("a bounded domain").value;
        assert!(bowl.value(&wide(&method.output())) <= bound + 1e-12);
    }
    assert!(method.certificate(&ball(), Gradients::Exact).expect("a bounded domain").value < 0.05);
    assert_eq!(method.certificate(&surefoot::WholeSpace::new(1.0), Gradients::Exact), Err(Uncertified::Unbounded));
}

/// An adversary: maps the round (from 0) and the learner's iterate to a gradient.
type Play = Box<dyn Fn(usize, &[f64]) -> Vec<f64>>;

/// Returns the adversaries by name; `huge` is the largest size of their gradients.
fn adversaries(random: &mut Random, huge: f64) -> Vec<(&'static str, Play)> {
    const DIM: usize = 5;
    let noise: Vec<Vec<f64>> = (0..997).map(|_| (0..DIM).map(|_| random.normal()).collect()).collect();
    let base = noise[0].clone();
    let times = |c: f64, v: &[f64]| -> Vec<f64> { v.iter().map(|x| c * x).collect() };
    let (n1, n2, n3, n4, n5) = (noise.clone(), noise.clone(), noise.clone(), noise.clone(), noise);
    let (b1, b2, b3, b4) = (base.clone(), base.clone(), base.clone(), base);
    vec![
        ("random", Box::new(move |t, _| n1[t % 997].clone())),
        ("constant", Box::new(move |_, _| b1.clone())),
        ("alternating", Box::new(move |t, _| times(if t % 2 == 0 { 1.0 } else { -1.0 }, &b2))),
        ("zero", Box::new(|_, _| vec![0.0; DIM])),
        ("late", Box::new(move |t, _| times(if t < 200 { 0.0 } else { 1.0 }, &n2[t % 997]))),
        ("greedy", Box::new(move |_, w| plus(&times(0.1, &b3), 1.0 / (1e-9 + dot(w, w).sqrt()), w))),
        ("flipping", Box::new(move |t, _| times(if t / 40 % 2 == 0 { 1.0 } else { -1.3 }, &b4))),
        ("sparse", Box::new(move |t, _| (0..DIM).map(|i| if i == t * t % 7 { n3[t % 997][i] } else { 0.0 }).collect())),
        ("huge", Box::new(move |t, _| times(huge, &n4[t % 997]))),
        ("growing", Box::new(move |t, _| times(huge.powf(t as f64 / 150.0 - 1.0), &n5[t % 997]))),
    ]
}

/// Checks that the observed regret against the worst point of the domain stays below the learner's bound (1 + `slack`
/// times), for gradients of sizes 1/`huge` to `huge`; `worst` is the largest ratio of the two.
struct Bounded<F> {
    huge: f64,
    slack: f64,
    worst: f64,
    cases: usize,
    arrays: std::marker::PhantomData<F>,
}

impl<F: Float> Bounded<F> {
    fn new(huge: f64, slack: f64) -> Self {
        Self { huge, slack, worst: 0.0, cases: 0, arrays: std::marker::PhantomData }
    }
}

impl<F: Float> Law<F> for &mut Bounded<F> {
    fn check<L: Lazy<F> + Clone>(&mut self, name: &str, learner: L, weight: Weight, domain: &Domain) {
        if learner.regret_bound().is_none() {
            return;
        }
        for size in [1.0, self.huge, 1.0 / self.huge] {
            for (kind, play) in adversaries(&mut Random(17), self.huge) {
                let mut method = certified(learner.clone(), weight.clone());
                for t in 0..300 {
                    let iterate: Vec<f64> = (0..method.dim()).map(|i| method.learner().at(i).wide()).collect();
                    let extremes = kind == "huge" || kind == "growing";
                    let factor = if extremes { 1.0 } else { size };
                    let gradient: Vec<F> = play(t, &iterate).iter().map(|g| F::of(g * factor)).collect();
                    method.tell(&gradient);
                    let ledger = method.ledger().expect("sums are kept");
                    let minus = ledger.gradients().iter().map(|z| -z).collect::<Vec<_>>();
                    let regret = ledger.linear() + domain.support(&minus);
                    let bound = method.learner().regret_bound().expect("as before");
                    assert!(
                        regret <= bound * (1.0 + self.slack),
                        "{name}, {kind} × {size:e}, round {t}: regret {regret:e} over bound {bound:e}"
                    );
                    self.worst = if bound > 0.0 { self.worst.max(regret / bound) } else { self.worst };
                }
                assert_eq!(method.steps(), 300);
                self.cases += 1;
            }
        }
    }
}

#[test]
fn regret_stays_below_its_bound() {
    let mut wide = Bounded::<f64>::new(1e100, 1e-9);
    common::learners(5, &mut Laws(&mut wide));
    let mut narrow = Bounded::<f32>::new(1e15, 1e-5);
    common::learners(5, &mut Laws(&mut narrow));
    println!("{} and {} cases, regret/bound at most {} and {}", wide.cases, narrow.cases, wide.worst, narrow.worst);
    assert!(wide.cases > 500 && wide.worst > 0.4, "the adversaries are no challenge");
}

/// Checks that iterates stay in the domain.
struct Inside(Record);

impl Law<f64> for Inside {
    fn check<L: Lazy<f64> + Clone>(&mut self, name: &str, learner: L, weight: Weight, domain: &Domain) {
        let mut method = certified(learner, weight);
        for t in 1..=self.0.len() {
            self.0.tell(&mut method, t);
            let iterate: Vec<f64> = (0..method.dim()).map(|i| method.learner().at(i)).collect();
            assert!(distance(&iterate, &domain.project(&iterate)) <= 1e-13, "{name}, round {t}");
        }
    }
}

#[test]
fn iterates_stay_in_the_domain() {
    common::learners(10, &mut Laws(Inside(Record::sparse(6, 10, 1000, |t| if t % 90 == 9 { 50.0 } else { 1.0 }))));
}

/// The probability simplex, implemented by the caller through the traits `Domain` and `Project`.
#[derive(Clone, Debug)]
struct Simplex(usize);

impl surefoot::Domain<f64> for Simplex {
    fn centre(&self, _: usize) -> f64 {
        1.0 / self.0 as f64
    }

    fn reach(&self) -> f64 {
        (1.0 - 1.0 / self.0 as f64).sqrt()
    }

    fn bounded(&self) -> bool {
        true
    }

    fn support(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        (0..dim).map(z).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl surefoot::Project<f64> for Simplex {
    fn project(&self, x: &mut [f64]) {
        let mut sorted = x.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let (mut sum, mut level) = (0.0, 0.0);
        for (i, v) in sorted.iter().enumerate() {
            sum += v;
            let candidate = (sum - 1.0) / (i as f64 + 1.0);
            level = if *v > candidate { candidate } else { level };
        }
        x.iter_mut().for_each(|v| *v = (*v - level).max(0.0));
    }
}

#[test]
fn regret_on_a_domain_of_the_callers() {
    for (kind, play) in adversaries(&mut Random(19), 1e100) {
        let learner = surefoot::Descent::new(5, Simplex(5));
        let mut method = surefoot::DenseAnytime::new(learner, surefoot::Linear).certified();
        for t in 0..500 {
            let iterate: Vec<f64> = (0..5).map(|i| method.learner().at(i)).collect();
            assert!((iterate.iter().sum::<f64>() - 1.0).abs() < 1e-12 && iterate.iter().all(|w| *w >= 0.0));
            method.tell(&play(t, &iterate));
            let bound = method.learner().regret_bound().expect("a bounded domain");
            let regret = method.ledger().expect("sums are kept").regret(&Simplex(5));
            assert!(regret <= bound * (1.0 + 1e-9), "{kind}, round {t}: {regret} over {bound}");
        }
    }
}
