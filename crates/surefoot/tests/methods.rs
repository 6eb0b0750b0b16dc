//! Tests of every conversion in the shared table: agreement with its dense reference implementation, invariance under
//! powers of two, and refusals.

mod common;

use std::fmt::Debug;

use common::methods::{Methods, Play, methods};
use common::{Record, distance, follow, kept, size, wide};
use surefoot::{AskTell, Float, Sparse, Status};

/// Compares each conversion with its reference implementation, on recorded gradients.
struct Agree {
    record: Record,
    tolerance: f64,
    worst: f64,
    cases: usize,
}

impl<F: Float> Methods<F> for Agree {
    fn rounds(&self) -> u64 {
        self.record.len()
    }

    fn method<A: AskTell<F> + Clone + Debug>(&mut self, name: &str, method: A, twin: Play) {
        let trace = twin(self.record.len(), &mut |t, _| self.record.dense(t));
        let Self { record, tolerance, worst, cases } = self;
        follow(name, method, record, &trace, |what, t, got, expected, most| {
            let error = distance(got, expected) / most;
            *worst = worst.max(error);
            assert!(error <= *tolerance, "{name}: {what} of round {t} is off by {error:e}");
        });
        *cases += 1;
    }
}

fn agree<F: Float>(record: Record, size: f64, tolerance: f64) {
    let mut visit = Agree { record, tolerance, worst: 0.0, cases: 0 };
    methods::<F>(visit.record.dim, size, &mut visit);
    println!("{} cases, worst error {:e}", visit.cases, visit.worst);
}

#[test]
fn random_gradients() {
    agree::<f64>(Record::sparse(51, 40, 10_000, |_| 1.0), 1.0, 1e-12);
    agree::<f32>(Record::sparse(51, 40, 10_000, |_| 1.0), 1.0, 1e-5);
}

/// In few dimensions conversions agree with their reference implementations, including those that are dense and costly,
/// such as the online Newton step.
#[test]
fn few_coordinates() {
    agree::<f64>(Record::sparse(57, 9, 200, |_| 1.0), 1.0, 1e-12);
    agree::<f32>(Record::sparse(57, 9, 200, |_| 1.0), 1.0, 1e-5);
}

#[test]
fn growing_gradients() {
    let record = || Record::sparse(52, 30, 4000, |t| 10_f64.powf(t as f64 / 250.0 - 8.0));
    agree::<f64>(record(), 1.0, 1e-12);
    agree::<f32>(record(), 1.0, 1e-5);
}

#[test]
fn spiky_gradients() {
    let record = || Record::sparse(53, 30, 4000, |t| if t % 100 == 7 { 1000.0 } else { 1.0 });
    agree::<f64>(record(), 1.0, 1e-12);
    agree::<f32>(record(), 1.0, 1e-5);
}

/// Returns the gradient of Σ_i ((x_i − i/10)²/2 + ln cosh(x_i + x_{i+1})) at `x`.
fn slope(x: &[f64]) -> Vec<f64> {
    let bend = |i: usize| if i + 1 < x.len() { (x[i] + x[i + 1]).tanh() } else { 0.0 };
    (0..x.len()).map(|i| x[i] - i as f64 / 10.0 + bend(i) + if i > 0 { bend(i - 1) } else { 0.0 }).collect()
}

/// Compares each conversion with its reference implementation on a smooth function, each taking gradients at its own
/// query points.
struct Closed;

impl Methods<f64> for Closed {
    fn rounds(&self) -> u64 {
        1000
    }

    fn method<A: AskTell<f64> + Clone + Debug>(&mut self, name: &str, mut method: A, twin: Play) {
        if name.contains("t^2.5") || name.contains("own") {
            return; // these weights make some learners swing, and rounding errors grow with the swings
        }
        for (t, round) in (1..).zip(&twin(if name.contains("newton") { 100 } else { 1000 }, &mut |_, x| slope(x))) {
            let query = wide(&method.query());
            let error = distance(&query, &round.query);
            assert!(error <= 1e-11 * size(&round.query).max(1.0), "{name}: query of round {t} is off by {error:e}");
            method.tell(&slope(&query));
        }
    }
}

#[test]
fn closed_loops_on_a_smooth_function() {
    methods(8, 1.0, &mut Closed);
}

/// Collects all query and output points of each conversion, as bit patterns, for gradients scaled by 2^`power`.
#[derive(Default)]
struct Bits {
    record: Option<Record>,
    power: i32,
    runs: Vec<(String, Vec<u64>)>,
}

impl<F: Float> Methods<F> for Bits {
    fn rounds(&self) -> u64 {
        500
    }

    fn method<A: AskTell<F> + Clone + Debug>(&mut self, name: &str, mut method: A, _: Play) {
        let mut bits = Vec::new();
        for (indices, values) in &self.record.as_ref().expect("a record").rows {
            let values: Vec<F> = values.iter().map(|x| F::of(x * 2_f64.powi(self.power))).collect();
            method.tell(&Sparse::new(indices, &values));
            bits.extend(wide(&method.query()).iter().chain(&wide(&method.output())).map(|x| x.to_bits()));
        }
        self.runs.push((name.to_owned(), bits));
    }
}

fn bits<F: Float>(dim: usize, power: i32) -> Vec<(String, Vec<u64>)> {
    let record = Some(Record::sparse(54, dim, 500, |t| if t % 50 == 3 { 4096.0 } else { 1.0 }));
    let mut visit = Bits { record, power, runs: Vec::new() };
    methods::<F>(dim, 2_f64.powi(power), &mut visit);
    visit.runs
}

/// Scaling the loss and every parameter in its units by a power of two leaves all points the same, bit for bit.
#[test]
fn a_power_of_two_changes_no_bit() {
    fn same<F: Float>(dim: usize, powers: &[i32]) {
        let expected = bits::<F>(dim, 0);
        for &power in powers {
            let differ: Vec<_> =
                bits::<F>(dim, power).iter().zip(&expected).filter(|(a, b)| a != b).map(|(a, _)| a.0.clone()).collect();
            assert!(differ.is_empty(), "2^{power}: {differ:?}");
        }
    }
    same::<f64>(20, &[-870, -570, -500, -40, 1, 500]);
    same::<f32>(20, &[-90, 40]);
    same::<f64>(8, &[-870, -570, 301]);
    same::<f32>(8, &[41]);
}

/// Checks that a gradient that is not finite or out of range changes no bit of a conversion except its status.
struct Refusing(Record);

impl<F: Float> Methods<F> for Refusing {
    fn rounds(&self) -> u64 {
        self.0.len()
    }

    fn method<A: AskTell<F> + Clone + Debug>(&mut self, name: &str, mut method: A, _: Play) {
        for t in 1..=self.0.len() {
            self.0.tell(&mut method, t);
        }
        let state = |method: &A| format!("{method:?}").replace(&format!("{:?}", kept(method)), "");
        let (before, step) = (state(&method), method.steps() + 1);
        method.tell(&Sparse::new(&[4_u32, 5], &[F::one(), F::nan()]));
        method.tell(&Sparse::new(&[999_u32], &[F::one()]));
        assert_eq!(state(&method), before, "{name}");
        assert_eq!(method.status(), Status::Refused { step, index: Some(5) }, "{name}");
    }
}

#[test]
fn gradients_that_are_not_finite_change_no_bit() {
    methods::<f64>(20, 1.0, &mut Refusing(Record::sparse(55, 20, 120, |_| 1.0)));
    methods::<f32>(20, 1.0, &mut Refusing(Record::sparse(55, 20, 120, |_| 1.0)));
    methods::<f64>(8, 1.0, &mut Refusing(Record::sparse(55, 8, 120, |_| 1.0)));
}

/// Checks that points stay finite where gradient sizes within one run differ so much that plain sums of squares would
/// overflow or underflow.
struct Extremes;

impl Methods<f64> for Extremes {
    fn rounds(&self) -> u64 {
        24
    }

    fn method<A: AskTell<f64> + Clone + Debug>(&mut self, name: &str, method: A, _: Play) {
        for sizes in [
            [0.0, 1e-150, 1e150, 1e-300, 1e200, 1e-200, 1.0, 1e200],
            [1e-200, 1e200, 1.0, 0.0, 1e-155, 1e155, 1e-300, 1e200],
        ] {
            let mut method = method.clone();
            for size in sizes {
                for sign in [1.0, 1.0, -1.0] {
                    method.tell(&[size * sign, 0.0, -size, size * 0.25]);
                    let points = [wide(&method.query()), wide(&method.output())];
                    assert!(points.iter().flatten().all(|x| x.is_finite()), "{name}: {size:e}");
                }
            }
            let refused = matches!(method.status(), Status::Refused { .. });
            assert_eq!((method.steps(), refused), (24, false), "{name}");
        }
    }
}

#[test]
fn any_size_after_any_other() {
    methods(4, 1.0, &mut Extremes);
}
