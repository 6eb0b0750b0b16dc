//! The tables that all tests share: learners with their twins, weights, and recorded gradients.
#![allow(dead_code, unused_imports)]

pub(crate) mod learners;
pub(crate) mod methods;

use std::fmt::Debug;
use std::rc::Rc;

pub(crate) use learners::{lazy_learners, learners};
use surefoot::{AskTell, Float, Lazy, Learner, Point, Sparse, Status};
use surefoot_oracle::conversions::Round;
use surefoot_oracle::vectors::times;
use surefoot_oracle::{Domain, Learner as Twin, Number};

pub(crate) type Weight = Rc<dyn Fn(u64) -> f64>;

/// The weights that every learner is tried with.
pub(crate) fn weights() -> Vec<(&'static str, Weight)> {
    vec![
        ("1", Rc::new(|_| 1.0)),
        ("t", Rc::new(|t| t as f64)),
        ("t^2.5", Rc::new(|t| (t as f64).powf(2.5))),
        ("own, with zeros", Rc::new(|t| if t % 3 == 2 { 0.0 } else { 1.0 + (t % 5) as f64 })),
    ]
}

/// A small generator of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal, and the same number in `f32` and `f64`.
    pub(crate) fn normal(&mut self) -> f64 {
        let sum: f64 = (0..12).map(|_| self.unit()).sum();
        f64::from((sum - 6.0) as f32)
    }
}

/// Gradients written down beforehand, so that both sides see the same ones whatever they ask.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) dim: usize,
    pub(crate) rows: Vec<(Vec<u32>, Vec<f64>)>,
}

impl Record {
    /// Random sparse rows of up to 5 nonzeros, some empty, some explicit zeros. Coordinate 0 is never seen, 1 once in
    /// the middle, 2 in the first and the last round only, 3 in the first only; the rest with very unequal frequencies.
    pub(crate) fn sparse(seed: u64, dim: usize, rounds: usize, size: impl Fn(usize) -> f64) -> Self {
        let mut random = Random(seed);
        let mut rows = Vec::new();
        for t in 0..rounds {
            let mut indices = Vec::new();
            for _ in 0..random.next() % 6 {
                indices.push(4 + ((dim - 4) as f64 * random.unit().powi(3)) as u32);
            }
            indices.extend((t == rounds / 2).then_some(1));
            indices.extend((t == 0 || t + 1 == rounds).then_some(2));
            indices.extend((t == 0).then_some(3));
            indices.sort_unstable();
            indices.dedup();
            let value = |i: &u32| {
                let drift = if i.is_multiple_of(2) { 0.3 } else { -0.1 };
                let x = if random.next().is_multiple_of(17) { 0.0 } else { random.normal() + drift };
                f64::from((x * size(t)) as f32)
            };
            let values = indices.iter().map(value).collect();
            rows.push((indices, values));
        }
        Self { dim, rows }
    }

    pub(crate) fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// The gradient of round t (from 1), written out.
    pub(crate) fn dense(&self, t: u64) -> Vec<f64> {
        let mut all = vec![0.0; self.dim];
        let (indices, values) = &self.rows[t as usize - 1];
        indices.iter().zip(values).for_each(|(&i, &x)| all[i as usize] = x);
        all
    }

    /// Tells `method` the gradient of round t.
    pub(crate) fn tell<F: Float>(&self, method: &mut impl AskTell<F>, t: u64) {
        let (indices, values) = &self.rows[t as usize - 1];
        let values: Vec<F> = values.iter().map(|&x| F::of(x)).collect();
        method.tell(&Sparse::new(indices, &values));
    }
}

/// Tells `method` the record and lends every round that is looked at to `near`: what, round, got, expected, and the size
/// of the largest point of the run.
pub(crate) fn follow<F: Float>(
    name: &str,
    mut method: impl AskTell<F>,
    record: &Record,
    trace: &[Round],
    mut near: impl FnMut(&str, u64, &[f64], &[f64], f64),
) {
    let most = trace.iter().map(|round| size(&round.output)).fold(0.0, f64::max);
    assert!(most > 1e-3, "{name}: nothing moves");
    let rounds = record.len();
    for (t, expected) in (1..).zip(trace) {
        let looked_at = t <= 40 || t % 83 == 0 || t + 3 > rounds;
        if looked_at {
            near("query", t, &wide(&method.query()), &expected.query, most);
        }
        record.tell(&mut method, t);
        if looked_at {
            near("output", t, &wide(&method.output()), &expected.output, most);
        }
    }
    let refused = matches!(method.status(), Status::Refused { .. });
    assert_eq!((refused, method.steps()), (false, rounds), "{name}");
}

/// What a table-driven test does with each learner.
pub(crate) trait Visit<F: Float, N = f64> {
    /// A learner for the sparse conversion (which fits the dense one too), its twin and its domain.
    fn lazy<L: Lazy<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin<N>>,
        domain: &Domain<N>,
    );

    /// A learner for the dense conversion only.
    fn dense<L: Learner<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin<N>>,
        domain: &Domain<N>,
    );
}

/// The gradient of Nesterov's chain, the quadratic that is hardest for methods that use gradients; 𝓛 = 1.
pub(crate) fn chain(x: &[f64]) -> Vec<f64> {
    let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
    let before = |i: usize| if i == 0 { 1.0 } else { x[i - 1] };
    (0..x.len()).map(|i| 0.25 * (2.0 * x[i] - at(i + 1) - before(i))).collect()
}

/// The status that a method keeps: that it has strayed is not kept, but worked out.
pub(crate) fn kept<F: Float>(method: &impl AskTell<F>) -> Status {
    match method.status() {
        Status::Strayed => Status::Sound,
        status => status,
    }
}

/// Numbers, rounded to `F`.
pub(crate) fn narrow<F: Float>(x: &[f64]) -> Vec<F> {
    x.iter().map(|&x| F::of(x)).collect()
}

/// Numbers of a twin.
pub(crate) fn numbers<N: Number>(x: &[f64]) -> Vec<N> {
    x.iter().map(|&x| N::of(x)).collect()
}

/// A point, written out in `f64`.
pub(crate) fn wide<F: Float>(point: &impl Point<F>) -> Vec<f64> {
    let mut all = vec![F::default(); point.dim()];
    point.write(&mut all);
    all.iter().map(|x| x.wide()).collect()
}

/// The largest |x_i − y_i|.
pub(crate) fn distance(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, |worst, d| if d > worst || d.is_nan() { d } else { worst })
}

/// The largest |x_i|.
pub(crate) fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| x.abs().max(most))
}

/// Gradients that challenge a bound: random, all alike, growing, alternating, with spikes.
pub(crate) fn sequences(dim: usize) -> Vec<Vec<Vec<f64>>> {
    let mut random = Random(62);
    let mut draw = || (0..dim).map(|_| random.normal()).collect::<Vec<_>>();
    let base = draw();
    vec![
        (0..200).map(|_| draw()).collect(),
        vec![base.clone(); 200],
        (0..200).map(|t| times(1.05_f64.powi(t), &draw())).collect(),
        (0..200).map(|t| times(if t % 2 == 0 { 1.0 } else { -1.0 }, &base)).collect(),
        (0..200).map(|t| times(if t % 50 == 7 { 30.0 } else { 0.1 }, &draw())).collect(),
    ]
}

/// Weights as a function of the round.
pub(crate) fn own(weight: &Weight) -> impl Fn(u64) -> f64 + use<> {
    let weight = weight.clone();
    move |t| weight(t)
}

/// A learner's iterate, written out.
pub(crate) fn iterate(learner: &impl Learner<f64>) -> Vec<f64> {
    (0..learner.dim()).map(|i| learner.at(i)).collect()
}
