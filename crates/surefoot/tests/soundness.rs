//! Tests that a certificate lists every assumption that it relies on, and that it is refused where a needed fact is not
//! known.

use surefoot::certificate::{
    Assumption, Assumptions, Certificate, Comparator, Composite, Coupled, Curved, Cuts, ElasticNet, FullPass,
    Gradients, Inside, Kind, Ledger, Operator, Rise, Risk, Sketch, Stream, Subject, Uncertified,
};
use surefoot::{
    Anytime, AskTell, Ball, CompositeAnytime, CompositeAveraging, DenseAnytime, DualAveraging, General, Leader,
    OgdNorm, Optimistic, Ridge, StronglyConvex, Uniform, View, WholeSpace,
};

const EXACT: Gradients = Gradients::Exact;

fn ball() -> Ball<f64> {
    Ball::new(1.0)
}

/// `Stream` refuses a certificate of Algorithm 4 whose changes in loss were measured on samples, since it bounds the noise of
/// gradients only.
#[test]
fn noisy_rises_stay_in_expectation() {
    let mut stream = Stream::new(&ball(), 1.0);
    let mut coupled = Coupled::new(1);
    stream.open(1.0, 1, 0.0);
    stream.example(1.0);
    coupled.record(1.0, &[1.0], |_| 0.0, Rise::Measured(-0.5));
    let mean = coupled.certificate(&ball(), Gradients::Fresh).expect("in expectation");
    assert_eq!(stream.certificate(&mean, 1.0, 0.1, None), Err(Uncertified::NoisyValues));
    let exact = coupled.certificate(&ball(), EXACT).expect("for certain");
    assert_eq!(stream.certificate(&exact, 1.0, 0.1, None), Ok(exact));
}

/// A certificate of Algorithm 4 lists the assumption of every kind of bound on a change in loss that it uses, in any order;
/// that of the last query point does not depend on the last step.
#[test]
fn mixed_rises_say_all_that_they_assume() {
    let smooth = Rise::Smooth { rate: 0.1, norm: 1.0, smoothness: 1.0 };
    let run = |rises: &[Rise]| {
        let mut sums = Coupled::new(1);
        rises.iter().for_each(|&rise| sums.record(1.0, &[1.0], |_| 0.0, rise));
        sums
    };
    let said = |certificate: Certificate| {
        [Assumption::Smooth, Assumption::ExactValues].map(|one| certificate.assumptions.has(one))
    };
    let measured = Rise::Measured(-0.1);
    for (rises, output, query) in [
        ([smooth, measured], [true, true], [true, false]),
        ([measured, smooth], [true, true], [false, true]),
        ([measured, measured], [false, true], [false, true]),
        ([smooth, smooth], [true, false], [true, false]),
    ] {
        let sums = run(&rises);
        assert_eq!(said(sums.certificate(&ball(), EXACT).expect("known")), output, "{rises:?}");
        assert_eq!(said(sums.certificate_of_query(&ball(), EXACT).expect("known")), query, "{rises:?}");
    }
    assert!(run(&[measured, smooth]).certificate_of_query(&ball(), Gradients::Fresh).is_ok());
}

/// After a rebase on a known bound, later certificates list that bound's assumptions; bounds that are not deterministic or
/// not finite are refused and change nothing.
#[test]
fn a_rebase_forgets_no_assumption() {
    let output = View::new(1, |_| 0.0);
    let mut ledger = Ledger::new(1);
    let known = |list: &[Assumption]| Certificate {
        value: 0.5,
        kind: Kind::Deterministic,
        subject: Subject::Excess(Comparator::Space),
        assumptions: Assumptions::of(list),
    };
    ledger.record(1.0, &[1.0], |_| 0.0);
    ledger.rebase(1.0, &known(&[Assumption::ExactValues, Assumption::MinimiserInside])).expect("certain");
    ledger.record(1.0, &[1.0], |_| 0.0);
    ledger.rebase(2.0, &known(&[Assumption::Smooth])).expect("certain");
    ledger.record(1.0, &[1.0], |_| 0.0);
    let certificate = ledger.certificate(3.0, &ball(), &output, Gradients::Fresh).expect("a ball");
    let said = |one| certificate.assumptions.has(one);
    assert!(said(Assumption::Smooth) && said(Assumption::FreshRows));
    assert!(!said(Assumption::ExactValues), "the second bound did not need the first");
    ledger.rebase(3.0, &known(&[Assumption::ExactValues, Assumption::MinimiserInside])).expect("certain");
    let certificate = ledger.certificate(3.0, &ball(), &output, EXACT).expect("a ball");
    let all = [Assumption::Convex, Assumption::ExactValues, Assumption::MinimiserInside, Assumption::ExactGradients];
    assert_eq!(certificate.assumptions, Assumptions::of(&all));
    // There is no δ to forget: what is not certain is refused, and changes nothing.
    let before = format!("{ledger:?}");
    let probable = Certificate { kind: Kind::Probability { delta: 0.1 }, ..known(&[]) };
    assert_eq!(ledger.rebase(3.0, &probable), Err(Uncertified::Noisy));
    assert_eq!(ledger.rebase(3.0, &Certificate { value: f64::NAN, ..known(&[]) }), Err(Uncertified::NotFinite));
    assert_eq!(ledger.rebase(f64::INFINITY, &known(&[])), Err(Uncertified::NotFinite));
    assert_eq!(format!("{ledger:?}"), before);
}

/// A misuse that follows a violated loss bound is still reported.
#[test]
fn a_later_fault_shows_beside_an_earlier_one() {
    let mut risk = Risk::new(1.0, 1.0);
    risk.open(1.0, 1, 0.0);
    risk.example(2.0, 0.0);
    assert!(risk.expectation(Gradients::Fresh).is_ok(), "needs no bound");
    assert_eq!(risk.certificate(Gradients::Fresh, 0.1), Err(Uncertified::BoundBroken));
    risk.example(0.5, 0.0);
    risk.open(1.0, 1, 0.0);
    risk.example(0.5, 0.0);
    assert_eq!(risk.expectation(Gradients::Fresh), Err(Uncertified::Unannounced));
    assert_eq!(risk.certificate(Gradients::Fresh, 0.1), Err(Uncertified::Unannounced));
}

/// Over the whole space there is no certificate even if gradients sum to 0, since the sum may have been rounded to it.
#[test]
fn the_whole_space_has_no_certificate_even_where_gradients_cancel() {
    let (whole, output) = (WholeSpace::new(1.0), View::new(1, |_| 0.0));
    let (mut ledger, mut coupled) = (Ledger::new(1), Coupled::new(1));
    let mut cuts = Cuts::new(1, Inside::<f64, _>::new(&whole));
    let mut lasso = Composite::new(1);
    for slope in [1.0, -1.0] {
        ledger.record(1.0, &[slope], |_| 0.0);
        coupled.record(1.0, &[slope], |_| 0.0, Rise::Slope(0.0));
        cuts.record(1.0, 0.0, &[slope], |_| 0.0);
        lasso.record(1.0, &[0.5 * slope + 0.5], |_| 0.0, 0.0);
    }
    assert_eq!(ledger.certificate(2.0, &whole, &output, EXACT), Err(Uncertified::Unbounded));
    assert_eq!(ledger.regret::<f64, _>(&whole), f64::INFINITY);
    assert_eq!(coupled.certificate::<f64, _>(&whole, EXACT), Err(Uncertified::Unbounded));
    cuts.tighten();
    assert_eq!(cuts.certificate(0.0), Err(Uncertified::Unbounded));
    let mut pass = FullPass::new(1);
    pass.add(1.0, 0.0, 0.0, 0.0, &[1.0]);
    assert_eq!(pass.optimality(|_| 0.0, &Inside::<f64, _>::new(&whole)), Err(Uncertified::Unbounded));
    // The lasso likewise: |Z|/A = 1/2 is certainly below 0.6, but not certainly at most 1/2.
    assert!(lasso.certificate(2.0, &ElasticNet::new(0.6, 0.0), EXACT).is_ok());
    assert_eq!(lasso.certificate(2.0, &ElasticNet::new(0.5, 0.0), EXACT), Err(Uncertified::Unbounded));
}

/// Negative or NaN weights and distances make every certificate of `Stream` and `Risk` fail.
#[test]
fn weights_and_distances_are_not_negative() {
    let run = |weight: f64, distance: f64| {
        let (mut stream, mut risk) = (Stream::new(&ball(), 1.0), Risk::new(1.0, 1.0));
        for (weight, distance) in [(3.0, 0.0), (weight, distance), (3.0, 0.0)] {
            stream.open(weight, 1, distance);
            stream.example(0.5);
            risk.open(weight, 1, distance);
            risk.example(0.5, 0.0);
        }
        let total = 6.0 + weight;
        let mean = Certificate {
            value: 0.5,
            kind: Kind::Expectation,
            subject: Subject::Excess(Comparator::Domain),
            assumptions: Assumptions::default(),
        };
        let stream = stream.certificate(&mean, total, 0.1, None);
        let (risk, mean) = (risk.certificate(Gradients::Fresh, 0.1), risk.expectation(Gradients::Fresh));
        [stream, risk, mean].map(|certified| certified.map(|_| ()))
    };
    assert_eq!(run(1.0, 0.5), [Ok(()); 3]);
    assert_eq!(run(0.0, 0.5), [Ok(()); 3]);
    let why = Err(Uncertified::Negative);
    assert_eq!(run(-1.0, 0.5), [why; 3]);
    assert_eq!(run(1.0, -0.5), [why; 3]);
    assert_eq!(run(1.0, f64::NAN), [why; 3]);
}

/// Every `record` and `add` method panics with the same message on an invalid weight, and on a gradient outside of the
/// dimension.
#[test]
fn records_refuse_bad_weights_and_dimensions_in_one_voice() {
    type Record = (&'static str, Box<dyn Fn(f64, &[f64])>);
    let all: Vec<Record> = vec![
        ("ledger", Box::new(|a, g| Ledger::new(1).record(a, g, |_| 0.0))),
        ("composite", Box::new(|a, g| Composite::new(1).record(a, g, |_| 0.0, 0.0))),
        ("coupled", Box::new(|a, g| Coupled::new(1).record(a, g, |_| 0.0, Rise::Unknown))),
        ("curved", Box::new(|a, g| Curved::new(1, 1.0).record(a, g, |_| 0.0))),
        ("cuts", Box::new(|a, g| Cuts::new(1, ElasticNet::new(0.0, 1.0)).record(a, 0.0, g, |_| 0.0))),
        ("pass", Box::new(|a, g| FullPass::new(1).add(a, 0.0, 0.0, 1.0, &g.to_vec()))),
        ("operator", Box::new(|a, g| Operator::new(1).record(a, g, |_| 0.0))),
        ("sketch", Box::new(|a, g| Sketch::new(1, 1).record(a, g, |_| 0.0))),
    ];
    let says = |record: &Record, weight: f64, gradient: &[f64]| {
        let run = std::panic::AssertUnwindSafe(|| record.1(weight, gradient));
        std::panic::catch_unwind(run).err().map(|why| match why.downcast::<String>() {
            Ok(words) => *words,
            Err(why) => (*why.downcast::<&str>().expect("words")).to_string(),
        })
    };
    for record in &all {
        assert_eq!(says(record, 1.0, &[1.0]), None, "{}", record.0);
        for weight in [-1.0, f64::NAN, f64::INFINITY] {
            let words = says(record, weight, &[1.0]).expect("a panic");
            assert!(words.contains("a weight that is finite and not negative"), "{}: {words}", record.0);
        }
        let words = says(record, 1.0, &[1.0, 1.0]).expect("a panic");
        assert!(words.contains("a gradient within the dimension"), "{}: {words}", record.0);
    }
}

#[test]
fn an_output_of_another_dimension_is_no_output() {
    let mut ledger = Ledger::new(2);
    ledger.record(1.0, &[1.0, 1.0], |_| 0.0);
    let certified = |dim: usize| ledger.certificate(1.0, &ball(), &View::new(dim, |_| 0.0), EXACT).map(|_| ());
    assert_eq!(certified(2), Ok(()));
    assert_eq!([certified(1), certified(3)], [Err(Uncertified::Dimension); 2]);
}

/// A round of positive weight without examples is refused, since it would count as a loss of 0.
#[test]
fn a_round_without_examples_certifies_nothing() {
    let run = |weight: f64| {
        let (mut stream, mut risk) = (Stream::new(&ball(), 1.0), Risk::new(1.0, 1.0));
        let mut ledger = Ledger::new(1);
        for (weight, examples) in [(1.0, 1), (weight, 0)] {
            stream.open(weight, examples, 0.0);
            risk.open(weight, examples, 0.0);
            ledger.record(weight, &[1.0], |_| 0.0);
            (0..examples).for_each(|_| {
                stream.example(1.0);
                risk.example(0.5, 0.0);
            });
        }
        let total = 1.0 + weight;
        let mean = ledger.certificate(total, &ball(), &View::new(1, |_| 0.0), Gradients::Fresh).expect("a ball");
        let (stream, both) = (stream.certificate(&mean, total, 0.1, None), risk.expectation(Gradients::Fresh));
        [stream, both, risk.certificate(Gradients::Fresh, 0.1)].map(|certified| certified.map(|_| ()))
    };
    assert_eq!(run(0.0), [Ok(()); 3]);
    assert_eq!(run(1.0), [Err(Uncertified::Empty); 3]);
}

/// The regret certificate refuses learners that handle a penalty themselves, since it sums the gradients of the loss only;
/// `CompositeAnytime` includes the penalty and gives one.
#[test]
fn a_penalty_is_not_in_the_sums_of_gradients() {
    let net = ElasticNet::new(0.0, 0.5);
    let mut lazy = Anytime::new(Ridge::<f64, _>::new(1, Ball::new(1.0), 0.5), Uniform).certified();
    let mut dense = DenseAnytime::new(CompositeAveraging::<f64>::new(1, net, 1.0), Uniform).certified();
    let mut knows = CompositeAnytime::new(CompositeAveraging::<f64>::new(1, net, 1.0), Uniform).certified();
    lazy.tell(&[1.0]);
    dense.tell(&[1.0]);
    knows.tell(&[1.0]);
    assert_eq!(lazy.certificate(&ball(), EXACT), Err(Uncertified::Penalised));
    assert_eq!(dense.certificate(&ball(), EXACT), Err(Uncertified::Penalised));
    assert!(knows.certificate(&ball(), EXACT).is_ok());
}

/// After a refused gradient there is no certificate for sampled gradients, since the remaining ones are a biased sample;
/// certificates for exact gradients are not affected.
#[test]
fn a_refused_draw_biases_those_that_are_left() {
    fn refused(mut method: impl AskTell<f64>) -> [Result<(), Uncertified>; 3] {
        method.tell(&[1.0, 0.0]);
        method.tell(&[-1.0, f64::INFINITY]);
        let certified = |gradients| method.certificate(&Ball::<f64>::new(1.0), gradients).map(|_| ());
        [certified(EXACT), certified(Gradients::Fresh), certified(Gradients::Drawn)]
    }
    let (ball, why) = (|| Ball::<f64>::new(1.0), Err(Uncertified::Refused));
    let net = || CompositeAveraging::<f64>::new(2, ElasticNet::new(0.0, 0.5), 1.0);
    let all = [
        refused(Anytime::new(OgdNorm::new(2, ball()), Uniform).certified()),
        refused(DenseAnytime::new(OgdNorm::new(2, ball()), Uniform).certified()),
        refused(Optimistic::over(Anytime::new(DualAveraging::new(2, ball()), Uniform).certified())),
        refused(General::new(Leader::new(2, ball(), 1.0), Uniform).certified()),
        refused(StronglyConvex::new(2, ball(), 1.0, Uniform).certified()),
        refused(CompositeAnytime::new(net(), Uniform).certified()),
    ];
    assert_eq!(all, [[Ok(()), why, why]; 6]);
}
