//! Tests of learners with extreme gradient sizes, with numbers that are not finite, and in very long runs.

mod common;

use std::fmt::Debug;

use common::{Record, Visit, distance, size, weights, wide};
use surefoot::{
    AdaGrad, Anytime, AskTell, Ball, BoxDomain, DenseAnytime, DualAdaGrad, DualAveraging, Float, Lazy, Learner, Linear,
    OgdNorm, Sparse, Status, Uniform,
};
use surefoot_oracle::conversions::anytime;
use surefoot_oracle::{Domain, Learner as Twin};

/// Checks that scaling all gradients by a power of two leaves every point of a run the same, bit for bit.
struct ScaleFree {
    record: Record,
    powers: &'static [i32],
}

impl ScaleFree {
    /// Returns the bit patterns of all query and output points of a run with gradients scaled by 2^`power`.
    fn trace<F: Float>(&self, mut method: impl AskTell<F>, power: i32) -> Vec<u64> {
        let mut bits = Vec::new();
        for (indices, values) in &self.record.rows {
            let values: Vec<F> = values.iter().map(|x| F::of(x * 2_f64.powi(power))).collect();
            method.tell(&Sparse::new(indices, &values));
            bits.extend(wide(&method.query()).iter().chain(&wide(&method.output())).map(|x| x.to_bits()));
        }
        assert_eq!(method.steps(), self.record.len());
        bits
    }
}

impl<F: Float> Visit<F> for ScaleFree {
    fn lazy<L: Lazy<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin>,
        domain: &Domain,
    ) {
        let has_units = name.contains("damped") || name.contains("bound");
        for (case, weight) in weights().into_iter().filter(|_| !has_units) {
            let method = || Anytime::new(learner.clone(), |t: u64| weight(t)).interpolate(0.75);
            let expected = self.trace(method(), 0);
            for &power in self.powers {
                assert!(self.trace(method(), power) == expected, "{name}, {case}: 2^{power}");
            }
        }
        self.dense(name, learner, twin, domain);
    }

    fn dense<L: Learner<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        _: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        let has_units = name.contains("damped") || name.contains("bound");
        for &power in self.powers.iter().filter(|_| !has_units) {
            let method = || DenseAnytime::new(learner.clone(), Linear);
            assert!(self.trace(method(), power) == self.trace(method(), 0), "{name}, dense: 2^{power}");
        }
    }
}

#[test]
fn a_power_of_two_changes_no_bit() {
    let record = || Record::sparse(21, 20, 500, |t| if t % 50 == 3 { 4096.0 } else { 1.0 });
    common::learners::<f64>(20, &mut ScaleFree { record: record(), powers: &[-870, -570, -500, -40, 1, 500, 660] });
    common::learners::<f32>(20, &mut ScaleFree { record: record(), powers: &[-90, -60, 60] });
}

/// Checks that a gradient that is not finite or out of range changes nothing except the status, which names the round
/// and the index.
struct Refusing(Record);

impl Refusing {
    fn hold<F: Float, A: AskTell<F> + Clone + Debug>(&self, name: &str, method: &A) {
        let (nan, inf, one) = (F::nan(), F::infinity(), F::one());
        let cases: [(&[u32], &[F], usize); 5] = [
            (&[4, 5], &[one, nan], 5),
            (&[7, 4], &[inf, one], 7),
            (&[0], &[-inf], 0),
            (&[1, 999, 1000], &[one, one, one], 999),
            (&[6], &[F::max_value()], 6), // finite, but not times the weight
        ];
        for (indices, values, index) in cases {
            let mut method = method.clone();
            for t in 1..=self.0.len() {
                self.0.tell(&mut method, t);
                if t >= 99 {
                    let before = state(&method);
                    method.tell(&Sparse::new(indices, values));
                    method.tell(&[nan]); // the first refusal stays on record
                    assert_eq!(state(&method), before, "{name}");
                }
            }
            assert_eq!(method.status(), Status::Refused { step: 100, index: Some(index) }, "{name}");
            assert_eq!(method.steps(), self.0.len());
        }
    }
}

/// Returns the method's `Debug` output without its status, to check that a refused gradient changes nothing else.
fn state<F: Float, A: AskTell<F> + Debug>(method: &A) -> String {
    format!("{method:?}").replace(&format!("{:?}", method.status()), "")
}

impl<F: Float> Visit<F> for Refusing {
    fn lazy<L: Lazy<F> + Clone + Debug>(&mut self, name: &str, learner: L, _: &dyn Fn() -> Box<dyn Twin>, _: &Domain) {
        self.hold(name, &Anytime::new(learner, Linear).certified());
    }

    fn dense<L: Learner<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        _: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        self.hold(name, &DenseAnytime::new(learner, Linear));
    }
}

#[test]
fn gradients_that_are_not_finite_change_no_bit() {
    common::learners::<f64>(20, &mut Refusing(Record::sparse(22, 20, 120, |_| 1.0)));
    common::learners::<f32>(20, &mut Refusing(Record::sparse(22, 20, 120, |_| 1.0)));
}

#[test]
fn a_weight_that_is_not_finite_is_refused() {
    let mut method = Anytime::new(DualAdaGrad::new(1, 1.0), |t: u64| if t < 3 { 1.0 } else { f64::NAN });
    (0..5).for_each(|_| method.tell(&[1.0]));
    assert_eq!((method.steps(), method.status()), (2, Status::Refused { step: 3, index: None }));
}

/// Checks that skipping 10⁹ rounds in one call is as accurate as a reference implementation with a single round of the
/// same total weight.
struct Long {
    record: Record,
    tolerance: f64,
}

const REST: u64 = 1_000_000_000;

impl<F: Float> Visit<F> for Long {
    fn lazy<L: Lazy<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        twin: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        let half = self.record.len() / 2;
        for (linear, weight) in [(false, (|_| 1.0) as fn(u64) -> f64), (true, |t| t as f64)] {
            if linear && name.contains("coins, whole") {
                continue; // with a bound of 30, gradients times 10⁹ only send it to 10³⁰
            }
            let rest = REST as f64 * if linear { half as f64 + (REST + 1) as f64 / 2.0 } else { 1.0 };
            // The twin has one round of all that weight instead.
            let single = |t: u64| match t.cmp(&(half + 1)) {
                std::cmp::Ordering::Less => weight(t),
                std::cmp::Ordering::Equal => rest,
                std::cmp::Ordering::Greater => weight(t - 1 + REST),
            };
            let mut told = |t: u64, _: &[f64]| match t.cmp(&(half + 1)) {
                std::cmp::Ordering::Less => self.record.dense(t),
                std::cmp::Ordering::Equal => vec![0.0; self.record.dim],
                std::cmp::Ordering::Greater => self.record.dense(t - 1),
            };
            let trace = anytime(&mut *twin(), &single, 1.0, self.record.len() + 1, &mut told);
            let mut method = Anytime::new(learner.clone(), weight);
            (1..=half).for_each(|t| self.record.tell(&mut method, t));
            method.skip(REST, rest).expect("nothing but rest");
            (half + 1..=self.record.len()).for_each(|t| self.record.tell(&mut method, t));
            assert_eq!(method.steps(), self.record.len() + REST);
            let last = &trace.last().expect("rounds").output;
            let error = distance(&wide(&method.output()), last) / size(last);
            assert!(error <= self.tolerance, "{name}, {linear}: off by {error:e}");
        }
    }

    fn dense<L: Learner<F> + Clone + Debug>(&mut self, _: &str, _: L, _: &dyn Fn() -> Box<dyn Twin>, _: &Domain) {}
}

#[test]
fn a_billion_rounds_lose_no_accuracy() {
    let record = || Record::sparse(23, 20, 4000, |_| 1.0);
    common::learners::<f64>(20, &mut Long { record: record(), tolerance: 1e-12 });
    common::learners::<f32>(20, &mut Long { record: record(), tolerance: 1e-5 });
}

/// A run with `f32` arrays follows one with `f64` for 24 million rounds: sums must not stall at 2^24, so that learning
/// rates keep falling and averages keep moving.
#[test]
fn arrays_of_f32_follow_f64_for_tens_of_millions_of_rounds() {
    fn last<F: Float>() -> [f64; 2] {
        let mut method = Anytime::new(DualAdaGrad::<F>::new(1, 1.0), Uniform);
        for t in 0..24_000_000_u32 {
            let drift = if t < 16_000_000 { 1.0 } else { -1.5 };
            method.tell(&[F::of(if t.is_multiple_of(2) { 2.0 * drift } else { -drift })]);
        }
        [method.at(0).wide(), method.learner().at(0).wide()]
    }
    let (narrow, wide) = (last::<f32>(), last::<f64>());
    assert!(distance(&narrow, &wide) <= 1e-6 * size(&wide), "{narrow:?} {wide:?}");
}

/// Points stay bounded and none is refused where gradient sizes within one run differ so much that plain sums of
/// squares would overflow or underflow.
#[test]
fn any_size_after_any_other() {
    fn finite<L: Lazy<f64> + Clone>(learner: &L) {
        for sizes in [
            [0.0, 1e-150, 1e150, 1e-300, 1e200, 1e-200, 1.0, 1e200],
            [1e-200, 1e200, 1.0, 0.0, 1e-155, 1e155, 1e-300, 1e200],
        ] {
            run(learner.clone(), &sizes);
        }
    }
    fn run<L: Lazy<f64>>(learner: L, sizes: &[f64]) {
        let mut method = Anytime::new(learner, Uniform).certified();
        for &size in sizes {
            for sign in [1.0, 1.0, -1.0] {
                method.tell(&[size * sign, 0.0, -size, size * 0.25]);
                assert!(wide(&method.query()).iter().all(|x| x.abs() <= 10.0), "{size:e}");
                assert!(method.learner().regret_bound().is_none_or(|bound| bound.is_finite()));
            }
        }
        assert_eq!((method.steps(), method.status()), (24, Status::Sound));
        assert!(method.at(0) != 0.0 && method.at(1) == 0.0);
    }
    finite(&OgdNorm::new(4, Ball::new(1.0)));
    finite(&DualAveraging::new(4, Ball::new(1.0)));
    finite(&AdaGrad::new(4, BoxDomain::cube(4, 1.0)));
    finite(&DualAdaGrad::new(4, 1.0));
    finite(&DualAdaGrad::new(4, 1.0).with_damping(1.0));
}

/// Scaling all gradients by 1e-150, 1e150 or 1e200 leaves the output of a scale-free learner the same up to 1e-12.
#[test]
fn a_size_that_is_no_power_of_two() {
    fn last<L: Lazy<f64>>(learner: L, factor: f64) -> Vec<f64> {
        let record = Record::sparse(25, 20, 1000, |_| 1.0);
        let mut method = Anytime::new(learner, Linear);
        for (indices, values) in &record.rows {
            let values: Vec<f64> = values.iter().map(|x| x * factor).collect();
            method.tell(&Sparse::new(indices, &values));
        }
        wide(&method.output())
    }
    fn same<L: Lazy<f64> + Clone>(learner: &L) {
        let expected = last(learner.clone(), 1.0);
        for factor in [1e-150, 1e150, 1e200] {
            assert!(distance(&last(learner.clone(), factor), &expected) <= 1e-12 * size(&expected), "{factor:e}");
        }
    }
    same(&OgdNorm::new(20, Ball::new(1.0)));
    same(&DualAveraging::new(20, Ball::new(1.0)));
    same(&AdaGrad::new(20, BoxDomain::cube(20, 1.0)));
    same(&DualAdaGrad::new(20, 1.0));
}
