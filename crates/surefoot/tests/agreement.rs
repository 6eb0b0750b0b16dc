//! Tests that every learner agrees with its dense reference implementation, for every conversion, sequence of weights,
//! interpolation and float type.

mod common;

use std::fmt::Debug;

use common::{Record, Visit, Weight, distance, follow, size, weights, wide};
use surefoot::{Anytime, AskTell, DenseAnytime, Float, Lazy, Learner};
use surefoot_oracle::conversions::{Round, anytime};
use surefoot_oracle::{Domain, Learner as Twin};

/// Runs the conversions of each learner on one record of gradients and compares all their points with those of the
/// reference implementation.
struct Agree<'a> {
    record: &'a Record,
    weights: Vec<(&'static str, Weight)>,
    betas: &'a [f64],
    tolerance: f64,
    worst: f64,
    cases: usize,
}

impl Agree<'_> {
    fn each(&mut self, twin: &dyn Fn() -> Box<dyn Twin>, mut case: impl FnMut(&mut Self, &str, Weight, f64, &[Round])) {
        for (weight_name, weight) in self.weights.clone() {
            for &beta in self.betas {
                let recorded = &mut |t: u64, _: &[f64]| self.record.dense(t);
                let trace = anytime(&mut *twin(), &*weight, beta, self.record.len(), recorded);
                case(self, &format!("{weight_name}, {beta}"), weight.clone(), beta, &trace);
            }
        }
    }

    fn hold<F: Float>(&mut self, name: &str, method: impl AskTell<F>, trace: &[Round]) {
        let record = self.record;
        follow(name, method, record, trace, |what, t, got, expected, most| {
            self.near(name, what, t, got, expected, most);
        });
        self.cases += 1;
    }

    /// Checks that `got` equals `expected` to within the tolerance, relative to `most`, the largest absolute coordinate
    /// of all points of the run.
    fn near(&mut self, name: &str, what: &str, t: u64, got: &[f64], expected: &[f64], most: f64) {
        // Only learners without a radius go so far. Their iterates are exponentials, which multiply the error of the
        // exponent, and that is as large as their logarithm.
        let condition = if most > 1e9 { most.ln() } else { 1.0 };
        let error = distance(got, expected) / most / condition;
        self.worst = self.worst.max(error);
        assert!(error <= self.tolerance, "{name}: {what} of round {t} is off by {error:e}");
    }
}

impl<F: Float> Visit<F> for Agree<'_> {
    fn lazy<L: Lazy<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        self.each(twin, |this, case, weight, beta, trace| {
            let own = weight.clone();
            let sparse = Anytime::new(learner.clone(), move |t| own(t)).interpolate(beta);
            this.hold(&format!("{name}, {case}, sparse"), sparse, trace);
            let dense = DenseAnytime::new(learner.clone(), move |t| weight(t)).interpolate(beta);
            this.hold(&format!("{name}, {case}, dense"), dense, trace);
        });
    }

    fn dense<L: Learner<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        self.each(twin, |this, case, weight, beta, trace| {
            let dense = DenseAnytime::new(learner.clone(), move |t| weight(t)).interpolate(beta);
            this.hold(&format!("{name}, {case}, dense"), dense, trace);
        });
    }
}

fn agree<F: Float>(record: &Record, weights: Vec<(&'static str, Weight)>, betas: &[f64], tolerance: f64) {
    let mut visit = Agree { record, weights, betas, tolerance, worst: 0.0, cases: 0 };
    common::learners::<F>(record.dim, &mut visit);
    println!("{} cases, worst error {:e}", visit.cases, visit.worst);
    assert!(visit.cases > 20);
}

fn ordinary() -> Record {
    Record::sparse(1, 40, 10_000, |_| 1.0)
}

/// Returns a record of sparse gradients that grow by sixteen orders of magnitude, so that learning rates fall and
/// sparse averages have to be rescaled.
fn growing() -> Record {
    Record::sparse(2, 30, 4000, |t| 10_f64.powf(t as f64 / 250.0 - 8.0))
}

/// Returns a record of sparse gradients of which one in a hundred is a thousand times as large as the others.
fn spiky() -> Record {
    Record::sparse(3, 30, 4000, |t| if t % 100 == 7 { 1000.0 } else { 1.0 })
}

#[test]
fn random_gradients_f64() {
    agree::<f64>(&ordinary(), weights(), &[1.0, 0.5, 0.0], 1e-12);
}

#[test]
fn random_gradients_f32() {
    agree::<f32>(&ordinary(), weights(), &[1.0, 0.5], 1e-5);
}

#[test]
fn growing_gradients() {
    agree::<f64>(&growing(), weights(), &[0.9], 1e-12);
    agree::<f32>(&growing(), weights(), &[0.9], 1e-5);
}

#[test]
fn spiky_gradients() {
    agree::<f64>(&spiky(), weights(), &[0.9], 1e-12);
    agree::<f32>(&spiky(), weights(), &[0.9], 1e-5);
}

/// Compares runs on a smooth function with the reference implementation, where each side takes gradients at its own
/// query points (a closed loop).
struct Closed {
    cases: usize,
}

impl Closed {
    fn hold(&mut self, name: &str, mut method: impl AskTell<f64>, trace: &[Round]) {
        for (t, round) in (1..).zip(trace) {
            let query = wide(&method.query());
            let error = distance(&query, &round.query);
            assert!(error <= 1e-11 * size(&round.query).max(1.0), "{name}: query of round {t} is off by {error:e}");
            method.tell(&slope(&query));
        }
        self.cases += 1;
    }
}

/// Returns the gradient of Σ_i ((x_i − i/10)²/2 + ln cosh(x_i + x_{i+1})) at `x`.
fn slope(x: &[f64]) -> Vec<f64> {
    let bend = |i: usize| if i + 1 < x.len() { (x[i] + x[i + 1]).tanh() } else { 0.0 };
    (0..x.len()).map(|i| x[i] - i as f64 / 10.0 + bend(i) + if i > 0 { bend(i - 1) } else { 0.0 }).collect()
}

impl Visit<f64> for Closed {
    fn lazy<L: Lazy<f64> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin>,
        domain: &Domain,
    ) {
        let trace = anytime(&mut *twin(), &|t| t as f64, 1.0, 1000, &mut |_, x| slope(x));
        self.hold(name, Anytime::new(learner.clone(), surefoot::Linear), &trace);
        self.dense(name, learner, twin, domain);
    }

    fn dense<L: Learner<f64> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        let trace = anytime(&mut *twin(), &|t| t as f64, 1.0, 1000, &mut |_, x| slope(x));
        self.hold(name, DenseAnytime::new(learner, surefoot::Linear), &trace);
    }
}

#[test]
fn closed_loops_on_a_smooth_function() {
    let mut closed = Closed { cases: 0 };
    common::learners(8, &mut closed);
    assert!(closed.cases > 20);
}
