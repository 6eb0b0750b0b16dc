//! Tests that certificates are refused where none is valid, and negative controls: misuses that cannot be detected do
//! give false certificates.

mod problems;

use problems::Same;
use surefoot::certificate::{
    Certificate, Composite, Coupled, Curved, Cuts, ElasticNet, Gradients, Inside, Kind, Ledger, Minimiser, Operator,
    Rise, Risk, Stream, Uncertified,
};
use surefoot::{
    Anytime, AskTell, Ball, BoxDomain, DenseAnytime, Domain, Learner, Linear, OgdNorm, Uniform, Vector, View,
    WholeSpace,
};

const REUSED: Gradients = Gradients::Reused;

/// Returns Algorithm 1 after ten rounds on |x − 0.3| in the interval from −1 to 1.
fn some_run() -> Anytime<f64, OgdNorm<f64, Ball<f64>>, Linear> {
    let mut method = Anytime::new(OgdNorm::new(1, Ball::<f64>::new(1.0)), Linear).certified();
    for _ in 0..10 {
        let slope = (method.at(0) - 0.3).signum();
        method.tell(&[slope]);
    }
    method
}

#[test]
fn shuffled_epochs_are_refused_by_all() {
    let ball = Ball::<f64>::new(1.0);
    let net = ElasticNet::new(0.0, 1.0);
    assert_eq!(some_run().certificate(&ball, REUSED), Err(Uncertified::ReusedRows));
    let mut composite = Composite::new(1);
    composite.record(1.0, &[1.0], |_| 0.0, 0.0);
    assert_eq!(composite.certificate(1.0, &net, REUSED), Err(Uncertified::ReusedRows));
    let mut curved = Curved::new(1, 1.0);
    curved.record(1.0, &[1.0], |_| 0.0);
    assert_eq!(curved.certificate(REUSED), Err(Uncertified::ReusedRows));
    let mut coupled = Coupled::new(1);
    coupled.record(1.0, &[1.0], |_| 0.0, Rise::Measured(-0.1));
    assert_eq!(coupled.certificate(&ball, REUSED), Err(Uncertified::ReusedRows));
    let mut risk = Risk::new(1.0, 1.0);
    risk.open(1.0, 1, 0.0);
    risk.example(0.5, 0.0);
    assert_eq!(risk.expectation(REUSED), Err(Uncertified::ReusedRows));
    assert_eq!(risk.certificate(REUSED, 0.1), Err(Uncertified::ReusedRows));
}

#[test]
fn nothing_follows_from_nothing() {
    let (ball, exact) = (Ball::<f64>::new(1.0), Gradients::Exact);
    let mut method = Anytime::new(OgdNorm::new(1, Ball::<f64>::new(1.0)), Uniform);
    assert_eq!(method.certificate(&ball, exact), Err(Uncertified::NoSums));
    method.tell(&[1.0]);
    assert_eq!(method.certificate(&ball, exact), Err(Uncertified::NoSums));
    let known = some_run().certificate(&ball, exact).expect("a bounded domain");
    assert_eq!(method.rebase(&known), Err(Uncertified::NoSums));
    let empty = Anytime::new(OgdNorm::new(1, Ball::<f64>::new(1.0)), Uniform).certified();
    assert_eq!(empty.certificate(&ball, exact), Err(Uncertified::NoRounds));
    assert_eq!(Curved::new(1, 1.0).certificate(exact), Err(Uncertified::NoRounds));
    assert_eq!(Coupled::new(1).certificate(&ball, exact), Err(Uncertified::NoRounds));
    assert_eq!(Cuts::new(1, Inside::<f64, _>::new(&ball)).certificate(1.0), Err(Uncertified::NoRounds));
    assert_eq!(Risk::new(1.0, 1.0).expectation(Gradients::Fresh), Err(Uncertified::NoRounds));
}

#[test]
fn no_bounds_no_certificate() {
    let whole = WholeSpace::new(1.0);
    assert_eq!(some_run().certificate(&whole, Gradients::Exact), Err(Uncertified::Unbounded));
    let mut composite = Composite::new(1);
    composite.record(1.0, &[1.0], |_| 0.0, 0.0);
    assert_eq!(
        composite.certificate(1.0, &ElasticNet::new(0.5, 0.0), Gradients::Exact),
        Err(Uncertified::Unbounded),
        "the lasso grows too slowly to bound a minimiser by itself"
    );
    let mut cuts = Cuts::new(1, Inside::<f64, _>::new(&whole));
    cuts.record(1.0, 0.5, &[1.0], |_| 0.0);
    assert_eq!(cuts.tighten(), f64::NEG_INFINITY);
    assert_eq!(cuts.certificate(0.5), Err(Uncertified::Unbounded));
}

/// A faulty learner that does not project: its iterate is always 2, outside of the interval from −1 to 1.
#[derive(Clone, Debug)]
struct Runaway;

impl Learner<f64> for Runaway {
    fn dim(&self) -> usize {
        1
    }

    fn at(&self, _: usize) -> f64 {
        2.0
    }

    fn tell<V: Vector<f64> + ?Sized>(&mut self, _: f64, _: &V) {}
}

#[test]
fn a_learner_outside_of_the_domain_trips_the_check() {
    let mut method = DenseAnytime::new(Runaway, Uniform).certified();
    method.tell(&[1.0]);
    assert_eq!(method.certificate(&Ball::new(1.0), Gradients::Exact), Err(Uncertified::Outside));
    assert_eq!(method.certificate(&BoxDomain::cube(1, 1.0), Gradients::Exact), Err(Uncertified::Outside));
    assert!(method.certificate(&Ball::new(2.0), Gradients::Exact).is_ok());
    let mut stream = Stream::new(&Ball::<f64>::new(1.0), 1.0);
    stream.open(1.0, 1, 2.0);
    stream.example(1.0);
    let mean = method.certificate(&Ball::new(2.0), Gradients::Fresh).expect("in expectation");
    assert_eq!(stream.certificate(&mean, 1.0, 0.1, None), Err(Uncertified::Outside));
}

/// `contains` accepts points on the boundary up to rounding and rejects points beyond it and NaN, for every domain, in
/// `f32` and `f64`.
#[test]
fn domains_know_what_they_contain() {
    fn check<F: surefoot::Float, D: Domain<F>>(domain: &D, inside: &[f64], outside: &[f64]) {
        let slack = F::epsilon().wide();
        assert!(domain.contains(2, |i| inside[i] * (1.0 + 4.0 * slack)));
        assert!(domain.contains(2, |i| domain.centre(i).wide()));
        assert!(!domain.contains(2, |i| outside[i]));
        assert!(!domain.contains(2, |_| f64::NAN));
    }
    check::<f64, _>(&Ball::new(5.0), &[3.0, -4.0], &[3.0, -4.001]);
    check::<f32, _>(&Ball::around(vec![1.0, 1.0], 5.0), &[4.0, 5.0], &[4.1, 5.1]);
    check::<f64, _>(&BoxDomain::new(vec![-1.0, 0.0], vec![1.0, 2.0]), &[1.0, 2.0], &[1.001, 1.0]);
    check::<f32, _>(&BoxDomain::new(vec![-1.0, 0.0], vec![1.0, 2.0]), &[-1.0, 2.0], &[1.0, -0.1]);
    // What a caller's own domain has by default.
    let ball = surefoot_oracle::Domain::Ball(vec![0.5, 0.5], 1e200);
    check::<f64, _>(&Same(&ball), &[0.9e200, 0.1e200], &[1e200, 1e200]);
    assert!(Domain::<f64>::contains(&WholeSpace::new(1.0), 2, |_| 1e300));
}

#[test]
fn bounds_that_are_missing_or_broken() {
    let (run, ball) = (some_run(), Ball::<f64>::new(1.0));
    let mean = run.certificate(&ball, Gradients::Fresh).expect("in expectation");
    let watch = |bound: f64, norm: f64| {
        let mut stream = Stream::new(&ball, bound);
        for t in 1..=10_u32 {
            stream.open(f64::from(t), 1, 1.0);
            stream.example(norm);
        }
        stream.certificate(&mean, 55.0, 0.1, None)
    };
    assert!(watch(1.0, 1.0).is_ok());
    assert_eq!(watch(f64::INFINITY, 1.0), Err(Uncertified::NoGradientBound));
    assert_eq!(watch(0.9, 1.0), Err(Uncertified::BoundBroken));
    assert_eq!(watch(1.0, f64::NAN), Err(Uncertified::BoundBroken));
    let judge = |loss: f64, slope: f64, seen: f64, lead: f64| {
        let mut risk = Risk::new(loss, slope);
        risk.open(1.0, 1, 0.5);
        risk.example(seen, lead);
        (risk.expectation(Gradients::Fresh).is_ok(), risk.certificate(Gradients::Fresh, 0.1).map(|_| ()))
    };
    assert_eq!(judge(1.0, 1.0, 0.9, 0.4), (true, Ok(())));
    assert_eq!(judge(f64::INFINITY, 1.0, 0.9, 0.4), (true, Err(Uncertified::NoGradientBound)));
    assert_eq!(judge(1.0, f64::INFINITY, 0.9, 0.4), (true, Err(Uncertified::NoGradientBound)));
    assert_eq!(judge(0.8, 1.0, 0.9, 0.4), (true, Err(Uncertified::BoundBroken)));
    assert_eq!(judge(1.0, 1.0, 0.9, 0.6), (true, Err(Uncertified::BoundBroken)));
    assert_eq!(judge(1.0, 1.0, -0.1, 0.4), (true, Err(Uncertified::BoundBroken)));
}

/// A certificate is refused if the weight or the number of examples of a round was not announced beforehand, or
/// examples or rounds are missing.
#[test]
fn rounds_must_be_announced_and_complete() {
    let (run, ball) = (some_run(), Ball::<f64>::new(1.0));
    let mean = run.certificate(&ball, Gradients::Fresh).expect("in expectation");
    let watch = |announced: u64, told: u64, total: f64| {
        let (mut stream, mut risk) = (Stream::new(&ball, 1.0), Risk::new(1.0, 1.0));
        for t in 1..=10_u32 {
            stream.open(f64::from(t), announced, 1.0);
            risk.open(f64::from(t), announced, 0.0);
            (0..told).for_each(|_| (stream.example(1.0), risk.example(0.5, 0.0)).0);
        }
        let risk = risk.certificate(Gradients::Fresh, 0.1);
        (stream.certificate(&mean, total, 0.1, None).map(|_| ()), risk.map(|_| ()))
    };
    let late = Err(Uncertified::Unannounced);
    assert_eq!(watch(2, 2, 55.0), (Ok(()), Ok(())));
    assert_eq!(watch(2, 3, 55.0), (late, late));
    assert_eq!(watch(2, 1, 55.0), (late, late));
    assert_eq!(watch(2, 2, 66.0).0, late, "the run had rounds that the stream did not see");
    let mut early = Stream::new(&ball, 1.0);
    early.example(1.0);
    early.open(55.0, 0, 1.0);
    assert_eq!(early.certificate(&mean, 55.0, 0.1, None), Err(Uncertified::Unannounced));
}

#[test]
fn algorithm_four_needs_honest_steps() {
    let ball = Ball::<f64>::new(1.0);
    let run = |rises: [Rise; 2]| {
        let mut sums = Coupled::new(1);
        rises.into_iter().for_each(|rise| sums.record(1.0, &[1.0], |_| 0.0, rise));
        sums
    };
    let fine = Rise::Measured(-0.1);
    let smooth = Rise::Smooth { rate: 0.1, norm: 1.0, smoothness: 1.0 };
    let (y, x) = (|s: &Coupled, g| s.certificate(&ball, g), |s: &Coupled, g| s.certificate_of_query(&ball, g));
    for (rise, why) in [(Rise::SameBatch, Uncertified::SameBatch), (Rise::Unknown, Uncertified::NoRises)] {
        assert_eq!(y(&run([rise, fine]), Gradients::Fresh), Err(why));
        assert_eq!(x(&run([rise, fine]), Gradients::Fresh), Err(why));
        assert_eq!(y(&run([fine, rise]), Gradients::Fresh), Err(why));
        assert!(x(&run([fine, rise]), Gradients::Fresh).is_ok(), "x_T does not need the last step");
    }
    assert!(y(&run([smooth, fine]), Gradients::Exact).is_ok());
    assert_eq!(y(&run([smooth, fine]), Gradients::Fresh), Err(Uncertified::Noisy), "η depends on the noise");
}

#[test]
fn a_minimiser_may_be_elsewhere() {
    let certificate = some_run().certificate(&Ball::new(1.0), Gradients::Exact).expect("a bounded domain");
    assert_eq!(certificate.everywhere(Minimiser::Unknown), Err(Uncertified::MinimiserOutside));
    let wider = certificate.everywhere(Minimiser::Inside).expect("known to be inside");
    assert!(wider.to_string().ends_with("a minimiser over the whole space lies in the domain"));
    assert_eq!(wider.everywhere(Minimiser::Unknown), Ok(wider), "said once, said for good");
}

/// `Stream` turns only a bound in expectation into one in probability, returns a deterministic bound unchanged, and
/// refuses one that is already in probability.
#[test]
fn kinds_are_not_mixed_up() {
    let (run, ball) = (some_run(), Ball::<f64>::new(1.0));
    let mut stream = Stream::new(&ball, 1.0);
    stream.open(55.0, 1, 1.0);
    stream.example(1.0);
    let exact = run.certificate(&ball, Gradients::Exact).expect("a bounded domain");
    assert_eq!(stream.certificate(&exact, 55.0, 0.1, None), Ok(exact));
    let probable = Certificate { kind: Kind::Probability { delta: 0.1 }, ..exact };
    assert_eq!(stream.certificate(&probable, 55.0, 0.1, None), Err(Uncertified::Noisy));
}

/// Negative control: gradients of max(−x, 10x) that are clipped to norm 1 before they are told give a certificate below
/// the true excess, since they belong to |x|.
#[test]
fn clipped_gradients_break_certificates() {
    let ball = Ball::<f64>::new(1.0);
    let bound = |clip: f64| {
        let mut ledger = Ledger::new(1);
        ledger.record(1.0, &[10.0_f64.min(clip)], |_| 0.5);
        ledger.certificate(1.0, &ball, &View::new(1, |_| 0.5), Gradients::Exact).expect("a bounded domain").value
    };
    let gap = 5.0;
    assert!(bound(f64::INFINITY) >= gap);
    assert!(bound(1.0) < gap);
}

/// Negative control: in Algorithm 4, changes in loss measured on the batch that gave the gradient are biased downwards,
/// and the certificate falls below the true excess. Slopes are ±1 with mean 0, so the true loss is 0 everywhere.
#[test]
fn steps_measured_on_their_own_batch_flatter() {
    let ball = Ball::<f64>::new(1.0);
    let (mut honest, mut flattered) = (Coupled::new(1), Coupled::new(1));
    for t in 1..=1000_u32 {
        let slope = if t.is_multiple_of(2) { 1.0 } else { -1.0 };
        let step = -0.1 * slope;
        honest.record(1.0, &[slope], |_| 0.0, Rise::Measured(0.0));
        flattered.record(1.0, &[slope], |_| 0.0, Rise::Measured(slope * step));
    }
    assert!(honest.certificate(&ball, Gradients::Fresh).expect("fresh").value >= 0.0);
    assert!(flattered.certificate(&ball, Gradients::Fresh).expect("a lie").value < -1.0);
}

/// The largest eigenvalue that `Operator` computes is between the true one and 1.001 times it, on matrices with known
/// eigenvalues.
#[test]
fn the_largest_eigenvalue_from_above() {
    // 1ᵀ1 has d; the second difference of order d has 2 − 2cos(πd/(d+1)) as sums of (e_i − e_{i+1}).
    for dim in [1_usize, 2, 7, 60] {
        let mut one = Operator::new(dim);
        one.record(1.0, &vec![1.0_f64; dim], |_| 0.0);
        let mut chain = Operator::new(dim);
        for i in 0..=dim {
            let mut row = vec![0.0; dim];
            (i < dim).then(|| row[i] = 1.0);
            (i > 0).then(|| row[i - 1] = -1.0);
            chain.record(1.0, &row, |_| 0.0);
        }
        let angle = std::f64::consts::PI * dim as f64 / (dim as f64 + 1.0);
        for (noise, exact) in [(&mut one, dim as f64), (&mut chain, 2.0 - 2.0 * angle.cos())] {
            let largest = noise.deviation(1.0).powi(2);
            assert!(largest >= exact * (1.0 - 1e-14) && largest <= exact * 1.0011, "{dim}: {largest} {exact}");
        }
    }
    let mut along = Operator::new(2);
    along.record(0.5, &[2.0, 0.0], |i| [3.0, 9.0][i]);
    assert!((along.deviation(0.0) - 3.0).abs() < 1e-15);
    assert_eq!(Operator::new(3).deviation(1.0), 0.0);
}

/// Tiny and huge gradients neither make `Operator` loop forever nor change its relative result.
#[test]
fn the_operator_works_at_any_scale() {
    let of = |scale: f64| {
        let mut noise = Operator::new(2);
        noise.record(1.0, &[scale, 0.0], |_| 0.0);
        noise.record(1.0, &[0.0, scale], |_| 0.0);
        noise.deviation(3.0) / scale
    };
    // M is the identity: λ_max = 1, and the bisection ends within a thousandth of it.
    for scale in [1.0, 1e-90, 1e90] {
        assert!((2.999..3.01).contains(&of(scale)), "{scale}: {}", of(scale));
    }
}

/// `Stream` refuses a certificate over the whole space, since it bounds the noise only against points within the reach
/// of its domain.
#[test]
fn a_stream_promises_nothing_over_the_whole_space() {
    let mut stream = Stream::new(&Ball::<f64>::new(1.0), 1.0);
    let mut sums = Composite::new(1);
    stream.open(1.0, 1, 0.0);
    stream.example(1.0);
    sums.record(1.0, &[0.5_f64], |_| 0.0, 0.0);
    let mean = sums.certificate(1.0, &ElasticNet::new(0.0, 1.0), Gradients::Fresh).unwrap();
    assert_eq!(stream.certificate(&mean, 1.0, 0.1, None), Err(Uncertified::MinimiserOutside));
}
