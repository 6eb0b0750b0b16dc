//! Fuzz tests of the public functions with arbitrary input: accepted input leaves finite points, refused input changes
//! nothing, and a certificate is a finite number or an error.

mod common;

use std::fmt::Debug;

use common::methods::{Methods, Play, methods};
use common::{Random, Visit, learners, wide};
use surefoot::certificate::{
    Certified, Composite, Coupled, Curved, Cuts, ElasticNet, FullPass, Glm, Gradients, Inside, Operator, Rise, Risk,
    Sketch, Stream, Uncertified, fenchel,
};
use surefoot::{
    Anytime, AskHintTell, AskTell, Ball, BoxDomain, DenseAnytime, DualAveraging, Float, Lazy, Learner, Linear, Point,
    Rounds, SkipError, Sparse, Status, Uniform, Vector, View, WholeSpace,
};
use surefoot_oracle::{Domain as Oracle, Learner as Twin};

const DIM: usize = 6;

/// Returns a random number: one in three is an extreme value such as NaN, ∞, a subnormal or a signed zero, the others
/// are normally distributed.
fn number(random: &mut Random) -> f64 {
    const ODD: [f64; 14] = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        -f64::MAX,
        1e200,
        -1e150,
        1e38,
        1e-38,
        1e-160,
        f64::MIN_POSITIVE,
        5e-324,
        0.0,
        -0.0,
    ];
    let odd = random.next() as usize;
    if odd.is_multiple_of(3) { ODD[odd / 3 % ODD.len()] } else { random.normal() }
}

/// Returns the indices and values of a random sparse vector, possibly empty. Half of the vectors are valid; the others
/// may have extreme values, and repeated, unsorted or out-of-range indices.
fn vector<F: Float>(random: &mut Random) -> (Vec<u64>, Vec<F>) {
    let length = random.next() % 5;
    let index = |random: &mut Random| match random.next() % 40 {
        0 => u64::MAX,
        1 => DIM as u64,
        _ => random.next() % DIM as u64,
    };
    let plain = random.next().is_multiple_of(2);
    let mut indices: Vec<u64> = (0..length).map(|_| index(random)).collect();
    if plain {
        indices = indices.iter().map(|i| i % DIM as u64).collect();
        indices.sort_unstable();
        indices.dedup();
    }
    let values = indices.iter().map(|_| F::of(if plain { random.normal() } else { number(random) })).collect();
    (indices, values)
}

/// Whether a sparse vector is valid: finite values, indices within the dimension, none repeated.
fn is_fair<F: Float>(indices: &[u64], values: &[F]) -> bool {
    let once = |(k, i): (usize, &u64)| *i < DIM as u64 && !indices[..k].contains(i);
    indices.iter().enumerate().all(once) && values.iter().all(|x| x.wide().is_finite())
}

fn finite<F: Float>(method: &impl AskTell<F>) -> bool {
    wide(&method.query()).iter().chain(&wide(&method.output())).all(|x| x.is_finite())
}

/// Returns the method's `Debug` output without its status, to check that a refused gradient changes nothing else.
fn state<F: Float, A: AskTell<F> + Debug>(method: &A) -> String {
    let text = format!("{method:?}");
    let from = text.find("status: ").expect("a status");
    let to = from + text[from..].find(", seen").expect("the end of it");
    text[..from].to_owned() + &text[to..]
}

fn certified(found: &Certified) -> bool {
    found.is_err() || found.is_ok_and(|certificate| certificate.value.is_finite())
}

fn feed<F: Float, A: AskTell<F> + Clone + Debug>(name: &str, method: &A, seed: u64) {
    let (mut method, mut random, mut refused) = (method.clone(), Random(seed), None);
    for t in 0..60 {
        let (indices, values) = vector::<F>(&mut random);
        let gradient = Sparse::new(&indices, &values);
        let (before, steps) = (state(&method), method.steps());
        let inner = method.dot(&gradient);
        assert!(!is_fair(&indices, &values) || !inner.is_nan(), "{name}, {t}");
        method.tell(&gradient);
        if method.steps() == steps {
            assert_eq!(state(&method), before, "{name}, {t}: refused, and yet");
            refused = refused.or(Some(steps + 1));
        } else {
            assert!(is_fair(&indices, &values), "{name}, {t}: {indices:?} {values:?}");
        }
        assert!(finite(&method), "{name}, {t}: {indices:?} {values:?}");
        for gradients in [Gradients::Exact, Gradients::Fresh, Gradients::Reused] {
            assert!(certified(&method.certificate(&Ball::new(1.0), gradients)), "{name}, {t}");
            assert!(certified(&method.certificate(&WholeSpace::new(1.0), gradients)), "{name}, {t}");
        }
    }
    assert!(refused.is_some() && method.steps() > 10, "{name}: {refused:?} {}", method.steps());
    let said = matches!(method.status(), Status::Refused { step, .. } if Some(step) == refused);
    assert!(said, "{name}: {:?}", method.status());
}

struct Feed;

impl<F: Float> Methods<F> for Feed {
    fn rounds(&self) -> u64 {
        60
    }

    fn method<A: AskTell<F> + Clone + Debug>(&mut self, name: &str, method: A, _: Play) {
        feed(name, &method, 3);
    }
}

impl<F: Float> Visit<F> for Feed {
    fn lazy<L: Lazy<F> + Clone + Debug>(&mut self, name: &str, learner: L, _: &dyn Fn() -> Box<dyn Twin>, _: &Oracle) {
        feed(name, &Anytime::new(learner.clone(), Uniform).certified(), 5);
        feed(name, &Anytime::new(learner, Linear).interpolate(0.5), 6);
    }

    fn dense<L: Learner<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        _: &dyn Fn() -> Box<dyn Twin>,
        _: &Oracle,
    ) {
        feed(name, &DenseAnytime::new(learner, Linear).certified(), 8);
    }
}

#[test]
fn conversions_take_anything() {
    methods::<f64>(DIM, 1.0, &mut Feed);
    learners::<f64>(DIM, &mut Feed);
    learners::<f32>(DIM, &mut Feed);
}

#[test]
fn hints_may_be_anything() {
    let mut random = Random(11);
    let mut method = Anytime::new(DualAveraging::<f64, _>::new(DIM, Ball::new(1.0)), Linear);
    for t in 0..500 {
        let (indices, values) = vector::<f64>(&mut random);
        let taken = method.hint(&Sparse::new(&indices, &values));
        assert!(!taken || is_fair(&indices, &values), "{t}: {indices:?} {values:?}");
        let (indices, values) = vector::<f64>(&mut random);
        method.tell(&Sparse::new(&indices, &values));
        assert!(finite(&method), "{t}");
    }
    assert!(method.steps() > 200);
}

#[test]
fn rounds_that_are_skipped_may_be_any() {
    let mut random = Random(12);
    let mut method = Anytime::new(DualAveraging::<f64, _>::new(DIM, Ball::new(1.0)), Uniform);
    for _ in 0..300 {
        let steps = if random.next().is_multiple_of(9) { u64::MAX - random.next() % 3 } else { random.next() % 1000 };
        let (weight, before) = (number(&mut random), method.steps());
        let fair = weight >= 0.0 && (method.total_weight() + weight).is_finite() && steps < u64::MAX - before;
        let expected = if fair { Ok(()) } else { Err(SkipError::Range) };
        assert_eq!(method.skip(steps, weight), expected, "{steps} {weight}");
        if method.steps() > u64::MAX / 2 {
            method = Anytime::new(DualAveraging::new(DIM, Ball::new(1.0)), Uniform);
        }
        method.tell(&[1.0; DIM]);
        assert!(finite(&method));
    }
    let mut rounds = Rounds::new(Uniform);
    rounds.skip(u64::MAX, f64::NAN);
    rounds.skip(u64::MAX, 1.0);
    assert_eq!(rounds.admit(1, &[1.0], 1e300), None);
}

/// The sums behind every certificate (`Ledger`, `Composite`, `Curved`, …) give a finite number or an error for arbitrary
/// values. Weights are finite and not negative and indices within the dimension, as the documentation requires; indices
/// may repeat.
#[test]
fn certificates_are_numbers_or_errors() {
    let (ball, whole, net) = (Ball::<f64>::new(1.0), WholeSpace::new(1.0), ElasticNet::new(0.1, 0.5));
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut sums = Composite::new(DIM);
        let (mut curved, mut coupled) = (Curved::new(DIM, 1.0), Coupled::new(DIM));
        let (mut cuts, mut pass) = (Cuts::new(DIM, Inside::<f64, _>::new(&ball)), FullPass::new(DIM));
        let (mut operator, mut sketch) = (Operator::new(DIM), Sketch::new(DIM, 1));
        let (mut stream, mut risk) = (Stream::new(&ball, 2.0), Risk::new(2.0, 2.0));
        let (mut total, odd) = (0.0, seed % 4 != 0);
        for t in 0..8 {
            let any = |random: &mut Random| if odd { number(random) } else { random.normal() };
            let (indices, values) = loop {
                let (mut indices, mut values) = vector::<f64>(&mut random);
                indices.iter_mut().for_each(|i| *i %= DIM as u64);
                values.iter_mut().filter(|_| !odd).for_each(|x| *x = random.normal());
                if t > 0 || !indices.is_empty() {
                    break (indices, values);
                }
            };
            let (gradient, weight) = (Sparse::new(&indices, &values), any(&mut random).abs());
            let weight = if weight.is_finite() { weight } else { 1.0 };
            total += weight;
            let point: Vec<f64> = (0..DIM).map(|_| any(&mut random)).collect();
            let (at, value) = (|i: usize| point[i], any(&mut random));
            sums.record(weight, &gradient, at, value);
            curved.record(weight, &gradient, at);
            let rises = [Rise::Measured(value), Rise::Slope(value), Rise::Unknown, Rise::SameBatch];
            coupled.record(weight, &gradient, at, rises[random.next() as usize % 4]);
            cuts.record(weight, value, &gradient, at);
            let floor = cuts.tighten();
            pass.add(weight, any(&mut random), value, any(&mut random), &gradient);
            operator.record(weight, &gradient, at);
            sketch.record(weight, &gradient, at);
            stream.open(any(&mut random), random.next() % 3, any(&mut random));
            stream.example(any(&mut random));
            risk.open(any(&mut random), random.next() % 3, any(&mut random));
            risk.example(any(&mut random), any(&mut random));
            for gradients in [Gradients::Exact, Gradients::Fresh] {
                let output = View::new(DIM, at);
                let regret = sums.ledger().certificate(total, &ball, &output, gradients);
                let found = [
                    regret,
                    sums.ledger().certificate(any(&mut random), &whole, &output, gradients),
                    sums.certificate(total, &net, gradients),
                    curved.certificate(gradients),
                    curved.certificate_within(&ball, &output, gradients),
                    coupled.certificate(&ball, gradients),
                    coupled.certificate_of_query(&ball, gradients),
                    cuts.certificate(value),
                    risk.expectation(gradients),
                    risk.certificate(gradients, 0.1),
                    pass.optimality(at, &Inside::<f64, _>::new(&ball)).map(|found| found.certificate),
                    pass.optimality(at, &net).map(|found| found.certificate),
                ];
                assert!(found.iter().all(certified), "{seed}: {found:?}");
                for deviation in [operator.deviation(1.0), sketch.deviation(1.0), any(&mut random)] {
                    let probable = regret.and_then(|mean| stream.certificate(&mean, total, 0.1, Some(deviation)));
                    assert!(certified(&probable), "{seed}: {probable:?}");
                }
            }
            assert!(floor <= f64::MAX, "{seed}: {floor}");
        }
    }
}

/// A linear model with squared loss whose rows and row weights may hold any numbers, NaN and ∞ included.
struct Any {
    rows: Vec<(Vec<u64>, Vec<f64>, f64)>,
}

impl Glm for Any {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn weight(&self, i: usize) -> f64 {
        self.rows[i].2
    }

    fn row(&self, i: usize, visit: impl FnMut(usize, f64)) {
        Sparse::new(&self.rows[i].0, &self.rows[i].1).each(visit);
    }

    fn loss(&self, _: usize, margin: f64) -> f64 {
        margin * margin / 2.0
    }

    fn slope(&self, _: usize, margin: f64) -> f64 {
        margin
    }

    fn conjugate(&self, _: usize, dual: f64) -> f64 {
        dual * dual / 2.0
    }
}

#[test]
fn a_fenchel_gap_is_a_number_or_an_error() {
    let (ball, mut errors) = (Ball::<f64>::new(1e3), 0);
    for seed in 0..600 {
        let mut random = Random(seed);
        let mut row = || {
            let (mut indices, mut values) = vector::<f64>(&mut random);
            indices.iter_mut().for_each(|i| *i %= DIM as u64);
            let tame = seed % 2 == 0;
            values.iter_mut().filter(|_| tame).for_each(|x| *x = random.normal());
            (indices, values, if tame { random.unit() } else { number(&mut random) })
        };
        let model = Any { rows: (0..5).map(|_| row()).collect() };
        let negative = model.rows.iter().any(|row| row.2.is_nan() || row.2 < 0.0 || row.2.is_infinite());
        let point: Vec<f64> =
            (0..DIM).map(|_| if seed % 3 == 0 { random.normal() } else { number(&mut random) }).collect();
        for intercept in [None, Some(number(&mut random))] {
            for found in [
                fenchel(&model, DIM, |j| point[j], intercept, &ElasticNet::new(0.1, 0.5)),
                fenchel(&model, DIM, |j| point[j], intercept, &ElasticNet::new(0.1, 0.0)),
                fenchel(&model, DIM, |j| point[j], intercept, &Inside::<f64, _>::new(&ball)),
            ] {
                errors += usize::from(found.is_err());
                assert!(certified(&found.map(|found| found.certificate)), "{seed}: {found:?}");
                assert!(!negative || found == Err(Uncertified::Negative), "{seed}: {found:?}");
            }
        }
    }
    assert!(errors > 100 && errors < 3500, "{errors}");
}

/// Every domain reports points with NaN or infinite coordinates as outside, and projects finite points to finite points.
#[test]
fn domains_take_anything() {
    fn check<D: surefoot::Project<f64>>(domain: &D) {
        let mut random = Random(4);
        for _ in 0..500 {
            let mut x: Vec<f64> = (0..DIM).map(|_| number(&mut random)).collect();
            let inside = domain.contains(DIM, |i| x[i]);
            let fair = x.iter().all(|x| x.is_finite());
            assert!(!inside || fair, "{x:?}");
            let _ = domain.support(DIM, |i| x[i]);
            let before = x.clone();
            domain.project(&mut x);
            assert!(!fair || x.iter().all(|x| x.is_finite()), "{before:?} to {x:?}");
        }
    }
    check(&WholeSpace::new(1.0));
    check(&Ball::new(1.0));
    check(&Ball::around(vec![1.0; 2], 3.0));
    check(&BoxDomain::cube(DIM, 1.0));
    check(&surefoot::Simplex::new(DIM));
    check(&surefoot::L1Ball::new(2.0));
}

/// A gradient with a repeated index is refused, in whatever order its indices are; the gradient without the repetition
/// is accepted.
#[test]
fn an_index_comes_once() {
    let new = || Anytime::new(DualAveraging::<f64, _>::new(200, Ball::new(1.0)), Uniform);
    for indices in [vec![5_u32, 5], vec![5, 7, 5], vec![199, 0, 3, 0], vec![64, 63, 64]] {
        let mut method = new();
        let twice = *indices.iter().enumerate().find(|(k, i)| indices[..*k].contains(i)).expect("twice").1;
        method.tell(&Sparse::new(&indices, &vec![1.0; indices.len()]));
        assert_eq!(method.status(), Status::Refused { step: 1, index: Some(twice as usize) });
        let mut once = indices.clone();
        once.sort_unstable();
        once.dedup();
        once.reverse();
        method.tell(&Sparse::new(&once, &vec![1.0; once.len()]));
        assert_eq!(method.steps(), 1, "{once:?}");
    }
    let method = new();
    let row = Sparse::new(&[3_u32, 3, 900], &[1.0, 2.0, f64::NAN]);
    assert_eq!(method.query().dot(&row), 3.0 * method.at(3));
}
