//! Tables shared by all tests: learners and conversions with their dense reference implementations, weights, and
//! recorded gradients.
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

/// Returns the sequences of weights that every learner is tested with, by name.
pub(crate) fn weights() -> Vec<(&'static str, Weight)> {
    vec![
        ("1", Rc::new(|_| 1.0)),
        ("t", Rc::new(|t| t as f64)),
        ("t^2.5", Rc::new(|t| (t as f64).powf(2.5))),
        ("own, with zeros", Rc::new(|t| if t % 3 == 2 { 0.0 } else { 1.0 + (t % 5) as f64 })),
    ]
}

/// A small pseudo-random number generator (SplitMix64) with the given state.
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

    /// Returns a uniform random number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns an approximately normal random number (a sum of 12 uniform ones), exactly representable in `f32`.
    pub(crate) fn normal(&mut self) -> f64 {
        let sum: f64 = (0..12).map(|_| self.unit()).sum();
        f64::from((sum - 6.0) as f32)
    }
}

/// Sparse gradients fixed in advance, one row per round, so that a method and its reference implementation see the same
/// ones whatever their query points.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) dim: usize,
    pub(crate) rows: Vec<(Vec<u32>, Vec<f64>)>,
}

impl Record {
    /// Creates random sparse rows of up to 5 nonzeros, some empty, some with explicit zeros, of size `size` of the
    /// round. Coordinate 0 never occurs, 1 only in the middle, 2 in the first and last round, 3 in the first; the others
    /// with very unequal frequencies.
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

    /// Returns the gradient of round `t` (from 1) as a dense vector.
    pub(crate) fn dense(&self, t: u64) -> Vec<f64> {
        let mut all = vec![0.0; self.dim];
        let (indices, values) = &self.rows[t as usize - 1];
        indices.iter().zip(values).for_each(|(&i, &x)| all[i as usize] = x);
        all
    }

    /// Tells `method` the gradient of round `t` (from 1).
    pub(crate) fn tell<F: Float>(&self, method: &mut impl AskTell<F>, t: u64) {
        let (indices, values) = &self.rows[t as usize - 1];
        let values: Vec<F> = values.iter().map(|&x| F::of(x)).collect();
        method.tell(&Sparse::new(indices, &values));
    }
}

/// Tells `method` all recorded gradients and passes its points in selected rounds to `near`, to compare them with those
/// of the reference implementation: kind of point, round, actual and expected coordinates, and the largest coordinate of
/// the whole run.
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

/// A test to run on each learner in the table.
pub(crate) trait Visit<F: Float, N = f64> {
    /// Tests a learner with a sparse form (which has the dense one too), given its reference implementation (twin) and
    /// its domain.
    fn lazy<L: Lazy<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin<N>>,
        domain: &Domain<N>,
    );

    /// Tests a learner that has a dense form only, given its reference implementation (twin) and its domain.
    fn dense<L: Learner<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin<N>>,
        domain: &Domain<N>,
    );
}

/// Returns the gradient of Nesterov's chain, the worst-case quadratic for first-order methods, with smoothness constant
/// 1.
pub(crate) fn chain(x: &[f64]) -> Vec<f64> {
    let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
    let before = |i: usize| if i == 0 { 1.0 } else { x[i - 1] };
    (0..x.len()).map(|i| 0.25 * (2.0 * x[i] - at(i + 1) - before(i))).collect()
}

/// Returns the stored part of the method's status: `Strayed`, which is computed on request, counts as `Sound`.
pub(crate) fn kept<F: Float>(method: &impl AskTell<F>) -> Status {
    match method.status() {
        Status::Strayed => Status::Sound,
        status => status,
    }
}

/// Returns the numbers rounded to `F`.
pub(crate) fn narrow<F: Float>(x: &[f64]) -> Vec<F> {
    x.iter().map(|&x| F::of(x)).collect()
}

/// Returns the numbers in the number type `N` of a reference implementation.
pub(crate) fn numbers<N: Number>(x: &[f64]) -> Vec<N> {
    x.iter().map(|&x| N::of(x)).collect()
}

/// Returns a point as a dense vector in `f64`.
pub(crate) fn wide<F: Float>(point: &impl Point<F>) -> Vec<f64> {
    let mut all = vec![F::default(); point.dim()];
    point.write(&mut all);
    all.iter().map(|x| x.wide()).collect()
}

/// Returns the largest |x_i − y_i|, or NaN if a difference is NaN.
pub(crate) fn distance(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, |worst, d| if d > worst || d.is_nan() { d } else { worst })
}

/// Returns the largest |x_i|.
pub(crate) fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| x.abs().max(most))
}

/// Returns sequences of gradients that challenge a regret bound: random, constant, growing, alternating, and with
/// spikes.
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

/// Returns the weights as a function of the round.
pub(crate) fn own(weight: &Weight) -> impl Fn(u64) -> f64 + use<> {
    let weight = weight.clone();
    move |t| weight(t)
}

/// Returns a learner's current iterate as a dense vector.
pub(crate) fn iterate(learner: &impl Learner<f64>) -> Vec<f64> {
    (0..learner.dim()).map(|i| learner.at(i)).collect()
}
