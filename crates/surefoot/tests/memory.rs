//! Tests that a method whose dimension grows, or that continues from saved state, is bit for bit the same as one that
//! had all coordinates from the start or ran without a break.

mod common;

use common::{Record, wide};
use surefoot::certificate::{Certified, Gradients, Risk, Stream};
use surefoot::{Anytime, AskTell, Ball, DualAveraging, Grow, Lazy, Learner, Linear, Memory, OgdNorm, Power, Weights};

const DIM: usize = 30;
const ROUNDS: u64 = 200;

fn ball() -> Ball<f64> {
    Ball::around((0..DIM).map(|i| 0.25 * (i % 4) as f64 - 0.5).collect(), 0.75)
}

/// Returns all that a caller can see of a method: query point, output and certificate.
fn seen<L: Lazy<f64>, W: Weights>(method: &Anytime<f64, L, W>) -> (Vec<f64>, Vec<f64>, Certified) {
    (wide(&method.query()), wide(&method.output()), method.certificate(&ball(), Gradients::Exact))
}

/// Checks that a method whose dimension grows as new coordinates appear gives the same points as one with all
/// coordinates from the start.
fn grows<L: Lazy<f64> + Grow>(new: impl Fn(usize) -> L) {
    let record = Record::sparse(9, DIM, ROUNDS as usize, |_| 1.0);
    let method = |dim| Anytime::new(new(dim), Linear).certified().interpolate(0.7);
    let (mut whole, mut growing, mut dim) = (method(DIM), method(0), 0);
    for t in 1..=ROUNDS {
        let highest = record.rows[t as usize - 1].0.last().map_or(0, |&i| i as usize + 1);
        dim = dim.max(highest);
        growing.grow(highest);
        assert_eq!(growing.dim(), dim);
        record.tell(&mut whole, t);
        record.tell(&mut growing, t);
        assert_eq!(wide(&growing.output()), wide(&whole.output())[..dim], "round {t}");
        assert_eq!(wide(&growing.query()), wide(&whole.query())[..dim], "round {t}");
    }
    growing.grow(DIM);
    assert_eq!(seen(&growing), seen(&whole));
    assert!(seen(&whole).2.is_ok());
}

#[test]
fn new_coordinates_have_been_there_from_the_start() {
    grows(|dim| DualAveraging::new(dim, ball()));
    grows(|dim| OgdNorm::new(dim, ball()));
}

/// Copies all saved state (numbers and arrays) from one object to another.
fn copy(from: &mut impl Memory, to: &mut impl Memory) {
    let (mut numbers, mut arrays) = (Vec::new(), Vec::new());
    from.each_number(&mut |x| numbers.push(*x));
    from.each_array(&mut |name, array| arrays.push((name, array.clone())));
    let (mut numbers, mut arrays) = (numbers.into_iter(), arrays.into_iter());
    to.each_number(&mut |x| *x = numbers.next().expect("as many numbers"));
    to.each_array(&mut |name, array| {
        let (same, data) = arrays.next().expect("as many arrays");
        assert_eq!(name, same);
        *array = data;
    });
    assert!(numbers.next().is_none() && arrays.next().is_none());
}

#[test]
fn a_method_goes_on_from_its_numbers() {
    let record = Record::sparse(9, DIM, ROUNDS as usize, |t| 1e3_f64.powi(t as i32 % 3));
    let method = |dim| Anytime::new(DualAveraging::new(dim, ball()).with_bound(1.0), Power(0.5)).certified();
    for stop in [0, 1, 2, 77, ROUNDS] {
        let (mut first, mut second) = (method(DIM), method(0));
        (1..=stop).for_each(|t| record.tell(&mut first, t));
        copy(&mut first, &mut second);
        assert_eq!(seen(&second), seen(&first), "after {stop}");
        for t in stop + 1..=ROUNDS {
            record.tell(&mut first, t);
            record.tell(&mut second, t);
        }
        assert_eq!((second.steps(), second.total_weight()), (first.steps(), first.total_weight()));
        assert_eq!(second.learner().regret_bound(), first.learner().regret_bound());
        assert_eq!(seen(&second), seen(&first), "from {stop}");
    }
}

#[test]
fn so_do_certificates_of_streams() {
    let trackers = || (Stream::new(&ball(), 2.0), Risk::new(3.0, 2.0));
    let tell = |(stream, risk): &mut (Stream, Risk), t: u64| {
        let noise = (t as f64).sin().abs();
        stream.open(1.0, 1, 0.5 * noise);
        stream.example(2.0 * noise);
        risk.open(1.0, 1, 0.1 + noise);
        risk.example(3.0 * noise, 0.1 * noise);
    };
    let mut method = Anytime::new(DualAveraging::new(DIM, ball()), Linear).certified();
    method.tell(&[1.0]);
    let mean = method.certificate(&ball(), Gradients::Fresh).expect("a ball");
    for stop in [0, 1, 50, 99] {
        let (mut first, mut second) = (trackers(), trackers());
        (0..stop).for_each(|t| tell(&mut first, t));
        copy(&mut first.0, &mut second.0);
        copy(&mut first.1, &mut second.1);
        for t in stop..100 {
            tell(&mut first, t);
            tell(&mut second, t);
        }
        let bounds = |(stream, risk): &(Stream, Risk)| {
            [stream.certificate(&mean, 100.0, 0.1, None), risk.certificate(Gradients::Fresh, 0.1)]
        };
        assert_eq!(bounds(&first), bounds(&second), "from {stop}");
        assert!(bounds(&first).iter().all(Result::is_ok));
    }
}

#[test]
fn the_distance_is_that_of_the_iterate() {
    let record = Record::sparse(5, DIM, 50, |_| 1.0);
    let mut learner = DualAveraging::<f64, _>::new(DIM, ball());
    for t in 1..=50 {
        learner.tell(1.0, &record.dense(t));
        let away = |i: usize| learner.at(i) - learner.centre(i);
        let norm = (0..DIM).map(|i| away(i) * away(i)).sum::<f64>().sqrt();
        assert!((learner.distance() - norm).abs() < 1e-14, "{} {norm}", learner.distance());
    }
    assert!(learner.distance() > 0.01);
}
