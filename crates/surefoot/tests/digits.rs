//! Tests that sparse and dense implementations are equally accurate for gradients of any size, by comparing both with
//! reference implementations in high precision ([`Big`]).

#[path = "common/big.rs"]
mod big;
mod common;

use std::fmt::Debug;

use big::Big;
use common::methods::{Methods, Play, sparse_methods};
use common::{Random, Record, Visit, Weight, lazy_learners, numbers, own, size, weights, wide};
use surefoot::{Accelerated, Anytime, AskTell, DenseAnytime, Float, Lazy, Learner, Status};
use surefoot_oracle::conversions::{self, Round};
use surefoot_oracle::{Domain, Learner as Twin, Number};

const DIM: usize = 6;
const ROUNDS: u64 = 48;

/// A distribution of gradient sizes in a run.
struct Sizes {
    name: &'static str,
    draw: fn(&mut Random, u64) -> f64,
    /// Whether each coordinate of a gradient draws its own size, instead of sharing one size per gradient.
    apart: bool,
    /// Whether every second gradient is the negative of the one before it, so that the two cancel.
    back: bool,
}

const fn sizes(name: &'static str, draw: fn(&mut Random, u64) -> f64) -> Sizes {
    Sizes { name, draw, apart: false, back: false }
}

/// Returns a log-normal random number: e to the power of a normal number with mean 0 and standard deviation `spread`.
fn lognormal(random: &mut Random, spread: f64) -> f64 {
    (spread * random.normal()).exp()
}

const ORDINARY: [Sizes; 3] = [
    sizes("s = 0", |random, _| lognormal(random, 0.0)),
    sizes("s = 3", |random, _| lognormal(random, 3.0)),
    sizes("s = 6", |random, _| lognormal(random, 6.0)),
];

const WILD: [Sizes; 3] = [
    sizes("s = 10", |random, _| lognormal(random, 10.0)),
    sizes("s = 15", |random, _| lognormal(random, 15.0)),
    Sizes { apart: true, ..sizes("s = 10, coordinates apart", |random, _| lognormal(random, 10.0)) },
];

const STEADY: [Sizes; 3] = [
    Sizes { back: true, ..sizes("s = 8, taken back", |random, _| lognormal(random, 8.0)) },
    sizes("growing", |_, t| 10_f64.powf(6.0 * t as f64 - 150.0)),
    sizes("falling", |_, t| 10_f64.powf(150.0 - 6.0 * t as f64)),
];

const EXTREME: [Sizes; 2] = [
    sizes("1e-150 to 1e150", |random, _| 10_f64.powf(300.0 * random.unit() - 150.0)),
    Sizes { apart: true, ..sizes("1e-150 to 1e150, apart", |random, _| 10_f64.powf(300.0 * random.unit() - 150.0)) },
];

impl Sizes {
    /// Returns a record of random sparse gradients with one to three nonzeros each, whose sizes follow this
    /// distribution.
    fn record<F: Float>(&self, seed: u64) -> Record {
        let mut random = Random(seed);
        let mut rows: Vec<(Vec<u32>, Vec<f64>)> = Vec::new();
        for t in 1..=ROUNDS {
            if let Some((indices, values)) = rows.last().filter(|_| self.back && t % 2 == 0).cloned() {
                rows.push((indices, values.iter().map(|x| -x).collect()));
                continue;
            }
            let mut indices: Vec<u32> = (0..=random.next() % 3).map(|_| (random.next() % DIM as u64) as u32).collect();
            indices.sort_unstable();
            indices.dedup();
            let common = (self.draw)(&mut random, t);
            let mut value = || {
                let size = if self.apart { (self.draw)(&mut random, t) } else { common };
                F::of((random.normal() + 0.1) * size).wide()
            };
            let values = indices.iter().map(|_| value()).collect();
            rows.push((indices, values));
        }
        Record { dim: DIM, rows }
    }
}

/// Errors of a run against the reference: for each round those of the query and of the output point, relative to the
/// point's largest coordinate, and whether no gradient was refused (`sound`).
struct Run {
    errors: Vec<[f64; 2]>,
    sound: bool,
}

fn run<F: Float>(mut method: impl AskTell<F>, record: &Record, trace: &[Round<Big>]) -> Run {
    let mut errors = Vec::new();
    for (t, round) in (1..).zip(trace) {
        let query = error(&wide(&method.query()), &round.query);
        record.tell(&mut method, t);
        errors.push([query, error(&wide(&method.output()), &round.output)]);
    }
    Run { errors, sound: !matches!(method.status(), Status::Refused { .. }) }
}

/// Whether `error` is above `limit` or NaN.
fn is_above(error: f64, limit: f64) -> bool {
    error.is_nan() || error > limit
}

fn error(got: &[f64], expected: &[Big]) -> f64 {
    let off: Vec<f64> = got.iter().zip(expected).map(|(x, y)| (Big::of(*x) - *y).narrow()).collect();
    let most = size(&expected.iter().map(|x| x.narrow()).collect::<Vec<_>>());
    if size(&off) == 0.0 { 0.0 } else { size(&off) / most }
}

/// Compares the errors of sparse with those of dense implementations, over one record of gradients.
struct Digits {
    sizes: &'static str,
    record: Record,
    /// Name and errors of a sparse run whose dense counterpart has not run yet; `None` between pairs.
    waiting: Option<(String, Run)>,
    /// Largest relative error allowed in the sparse run, wherever the dense run meets it too.
    limit: f64,
    /// Whether sizes are so ordinary that no gradient may be refused.
    ordinary: bool,
    worst: (f64, String),
    failures: Vec<String>,
    compared: usize,
    skipped: usize,
}

impl Digits {
    fn new<F: Float>(sizes: &Sizes, seed: u64, limit: f64, ordinary: bool) -> Self {
        Self {
            sizes: sizes.name,
            record: sizes.record::<F>(seed),
            waiting: None,
            limit,
            ordinary,
            worst: (0.0, String::new()),
            failures: Vec::new(),
            compared: 0,
            skipped: 0,
        }
    }

    fn compare(&mut self, name: &str, sparse: &Run, dense: &Run) {
        let (mut worst, mut here) = (0.0, String::new());
        if !sparse.sound && (self.ordinary || dense.sound) {
            self.failures.push(format!("{}: {name}: refused", self.sizes));
        }
        for (t, (s, d)) in (1..).zip(sparse.errors.iter().zip(&dense.errors)) {
            for (what, s, d) in [("query", s[0], d[0]), ("output", s[1], d[1])] {
                if !dense.sound || is_above(d, self.limit) {
                    self.skipped += 1;
                    continue;
                }
                self.compared += 1;
                if is_above(s, worst) {
                    (worst, here) =
                        (s, format!("{}: {name}: {what} of round {t} is off by {s:e}, dense {d:e}", self.sizes));
                }
            }
        }
        if is_above(worst, self.limit) {
            self.failures.push(here.clone());
        }
        if worst > self.worst.0 {
            self.worst = (worst, here);
        }
    }

    fn pair<F: Float>(&mut self, name: &str, sparse: impl AskTell<F>, dense: impl AskTell<F>, trace: &[Round<Big>]) {
        let (sparse, dense) = (run(sparse, &self.record, trace), run(dense, &self.record, trace));
        self.compare(name, &sparse, &dense);
    }
}

/// A function that creates a fresh reference implementation of a learner, in high precision.
type Make<'a> = &'a dyn Fn() -> Box<dyn Twin<Big>>;

/// Returns an oracle that gives the reference implementation the recorded gradient of each round.
fn told(record: &Record) -> impl FnMut(u64, &[Big]) -> Vec<Big> {
    |t, _| numbers(&record.dense(t))
}

/// A stand-in for a learner that replays the iterates of an earlier run. As gradients are recorded, iterates are the
/// same in every conversion.
struct Replay<'a>(std::slice::Iter<'a, Round<Big>>);

impl Twin<Big> for Replay<'_> {
    fn predict(&mut self, _: Option<&[Big]>) -> Vec<Big> {
        self.0.next().map_or_else(Vec::new, |round| round.iterate.clone())
    }

    fn update(&mut self, _: &[Big]) {}
}

impl Digits {
    /// Compares the sparse and dense forms of all conversions of one learner with one sequence of weights.
    fn weighted<F: Float, L: Lazy<F> + Clone>(&mut self, name: &str, learner: &L, twin: Make, weight: &Weight) {
        let record = self.record.clone();
        let trace = conversions::anytime(&mut *twin(), &**weight, 0.5, ROUNDS, &mut told(&record));
        for beta in [1.0, 0.5, 0.0] {
            let at = |round: &Round<Big>| match beta {
                0.0 => round.iterate.clone(),
                1.0 => round.output.clone(),
                _ => round.query.clone(),
            };
            let trace: Vec<_> = trace.iter().map(|round| Round { query: at(round), ..round.clone() }).collect();
            let sparse = Anytime::new(learner.clone(), own(weight)).interpolate(beta);
            let dense = DenseAnytime::new(learner.clone(), own(weight)).interpolate(beta);
            self.pair(&format!("{name}, interpolation {beta}"), sparse, dense, &trace);
        }
        let replay = || Replay(trace.iter());
        let decay = conversions::linear_decay(&mut replay(), &**weight, ROUNDS, &mut told(&record));
        let sparse = Anytime::new(learner.clone(), own(weight)).rise(ROUNDS);
        let dense = DenseAnytime::new(learner.clone(), own(weight)).rise(ROUNDS);
        self.pair(&format!("{name}, rising"), sparse, dense, &decay);
        if weight(7) == 7.0 {
            let (diameter, constant) = (Big::of(4.0), Big::of(std::f64::consts::SQRT_2 * 2.0));
            let told = &mut told(&record);
            let steps = conversions::accelerated(&mut replay(), diameter, constant, Big::of(0.0), ROUNDS, told);
            let sparse = Accelerated::new(learner.clone(), 4.0).with_kappa(2.0);
            let dense = Accelerated::dense(learner.clone(), 4.0).with_kappa(2.0);
            self.pair(&format!("{name}, accelerated"), sparse, dense, &steps);
        }
    }
}

impl<F: Float> Visit<F, Big> for Digits {
    fn lazy<L: Lazy<F> + Clone + Debug>(&mut self, name: &str, learner: L, twin: Make, _: &Domain<Big>) {
        for (case, weight) in weights() {
            Big::within(|| self.weighted::<F, L>(&format!("{name}, weights {case}"), &learner, twin, &weight));
        }
    }

    fn dense<L: Learner<F> + Clone + Debug>(&mut self, _: &str, _: L, _: Make, _: &Domain<Big>) {}
}

impl<F: Float> Methods<F, Big> for Digits {
    fn rounds(&self) -> u64 {
        ROUNDS
    }

    fn method<A: AskTell<F> + Clone + Debug>(&mut self, name: &str, method: A, twin: Play<Big>) {
        let run = Big::within(|| run(method, &self.record, &twin(ROUNDS, &mut told(&self.record))));
        if let Some(name) = name.strip_suffix(", sparse") {
            self.waiting = Some((name.to_owned(), run));
        } else if let Some((name, sparse)) = self.waiting.take() {
            self.compare(&name, &sparse, &run);
        }
    }
}

fn hold<F: Float>(all: &[Sizes], limit: f64, ordinary: bool) {
    let mut failures = Vec::new();
    let seeds: u64 = std::env::var("SEEDS").map_or(1, |x| x.parse().unwrap());
    for (k, sizes) in all.iter().enumerate() {
        for seed in 0..seeds {
            let mut digits = Digits::new::<F>(sizes, 1000 * k as u64 + seed, limit, ordinary);
            Big::within(|| lazy_learners::<F, Big>(DIM, &mut digits));
            Big::within(|| sparse_methods::<F, Big>(DIM, 1.0, &mut digits));
            println!(
                "{}: {} points, {} left out; worst {:?}",
                sizes.name, digits.compared, digits.skipped, digits.worst
            );
            failures.append(&mut digits.failures);
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn ordinary_sizes() {
    hold::<f64>(&ORDINARY, 1e-12, true);
}

#[test]
fn wild_sizes() {
    hold::<f64>(&WILD, 1e-12, false);
}

#[test]
fn sizes_with_a_trend() {
    hold::<f64>(&STEADY, 1e-12, false);
}

#[test]
fn sizes_from_end_to_end() {
    hold::<f64>(&EXTREME, 1e-12, false);
}

#[test]
fn narrow_numbers() {
    hold::<f32>(&ORDINARY, 1e-5, true);
    hold::<f32>(&WILD[..1], 1e-5, false);
}

/// Regression test: the sparse form of Algorithm 3 loses no round when its scale falls by a factor of 1e16 within three
/// rounds.
#[test]
fn three_rounds_of_sizes_far_apart() {
    let gradients: [(u32, f64); 3] = [(0, 1e-8), (1, 1e8), (1, 1e-8)];
    let ball = || surefoot::DualAveraging::new(2, surefoot::Ball::<f64>::new(1.0));
    let mut sparse = surefoot::Optimistic::over(Anytime::new(ball(), surefoot::Linear));
    let mut dense = surefoot::Optimistic::over(DenseAnytime::new(ball(), surefoot::Linear));
    for (at, size) in gradients {
        sparse.tell(&surefoot::Sparse::new(&[at], &[size]));
        let mut gradient = [0.0; 2];
        gradient[at as usize] = size;
        dense.tell(&gradient);
    }
    let (sparse, dense) = (wide(&sparse.output()), wide(&dense.output()));
    assert!((dense[0] + 1.0 / 3.0).abs() < 1e-12 && (dense[1] + 0.5).abs() < 1e-12, "{dense:?}");
    assert!(sparse.iter().zip(&dense).all(|(a, b)| (a - b).abs() < 1e-12), "{sparse:?} {dense:?}");
}
