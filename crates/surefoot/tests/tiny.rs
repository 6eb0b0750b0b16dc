//! Tests that learners, bounds and certificates work as usual for gradients so small that their squares underflow to 0.
//!
//! 2^−570 is 3e-172, 2^−870 is 1e-262; points at such powers of two, bit for bit, are in `robustness.rs` and `methods.rs`.

mod common;
mod problems;

use std::fmt::Debug;

use common::{Random, Record, Visit, distance, size, wide};
use problems::{Loss, Model, Problem};
use surefoot::certificate::{
    Composite, Coupled, Curved, Cuts, ElasticNet, FullPass, Glm, Gradients, Inside, Ledger, Operator, Penalty, Rise,
    Risk, Sketch, Stream, boundary, fenchel,
};
use surefoot::{
    Anytime, AskTell, Ball, CompositeAnytime, CompositeAveraging, DenseAnytime, Float, Lazy, Learner, Linear, OgdNorm,
    Sparse, View,
};
use surefoot_oracle::vectors::{norm, times};
use surefoot_oracle::{Domain, Learner as Twin};

/// Checks that scaling gradients by a factor that is no power of two leaves points the same and scales regret bounds by
/// that factor, up to rounding.
struct Proportion {
    record: Record,
    cases: usize,
}

impl Proportion {
    fn run<F: Float, A: AskTell<F>>(
        &self,
        mut method: A,
        factor: f64,
        bound: impl Fn(&A) -> Option<f64>,
    ) -> (Vec<f64>, Option<f64>) {
        for (indices, values) in &self.record.rows {
            let values: Vec<F> = values.iter().map(|x| F::of(x * factor)).collect();
            method.tell(&Sparse::new(indices, &values));
        }
        assert_eq!(method.steps(), self.record.len());
        let bound = bound(&method);
        (wide(&method.output()), bound)
    }

    fn compare<F: Float, A: AskTell<F>>(
        &mut self,
        name: &str,
        method: impl Fn() -> A,
        bound: impl Fn(&A) -> Option<f64>,
    ) {
        if name.contains("damped") || name.contains("bound") {
            return; // these have units
        }
        let (expected, limit) = self.run(method(), 1.0, &bound);
        for factor in [1e-170, 1e-200, 1e-262] {
            let (got, bound) = self.run(method(), factor, &bound);
            let error = distance(&got, &expected) / size(&expected);
            assert!(error <= 1e-11, "{name}, {factor:e}: off by {error:e}");
            let (bound, limit) = (bound.map(|bound| bound / factor), limit.map(|limit| limit * (1.0 + 1e-11)));
            let near = |(bound, limit): (f64, f64)| bound <= limit && bound >= limit * (1.0 - 1e-10);
            assert!(bound.is_some() == limit.is_some(), "{name}, {factor:e}: {bound:?} {limit:?}");
            assert!(bound.zip(limit).is_none_or(near), "{name}, {factor:e}: {bound:?} {limit:?}");
        }
        self.cases += 1;
    }
}

fn bounds<F: Float>(learner: &impl Learner<F>) -> Option<f64> {
    learner.regret_bound().or_else(|| learner.regret_bound_at(0.3))
}

impl Visit<f64> for Proportion {
    fn lazy<L: Lazy<f64> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        _: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        self.compare(name, || Anytime::new(learner.clone(), Linear), |method| bounds(method.learner()));
    }

    fn dense<L: Learner<f64> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        _: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        self.compare(name, || DenseAnytime::new(learner.clone(), Linear), |method| bounds(method.learner()));
    }
}

#[test]
fn learners_and_their_bounds_in_proportion() {
    let mut visit = Proportion { record: Record::sparse(81, 12, 300, |_| 1.0), cases: 0 };
    common::learners::<f64>(12, &mut visit);
    assert!(visit.cases > 25, "{}", visit.cases);
}

const DIM: usize = 5;

/// Runs Algorithm 1 on the logistic loss times `unit`, and calls `see` in each round with the round number, query,
/// iterate, loss and gradient. Returns the sum of weights and the output.
fn run(unit: f64, mut see: impl FnMut(f64, &[f64], &[f64], f64, &[f64])) -> (f64, Vec<f64>) {
    let (ball, model) = (Ball::<f64>::new(1.5), Model::new(Loss::Logistic));
    let mut method = Anytime::new(OgdNorm::new(DIM, ball), Linear);
    for t in 1..=40_u32 {
        let query = wide(&method.query());
        let iterate: Vec<f64> = (0..DIM).map(|i| method.learner().at(i)).collect();
        let gradient = times(unit, &model.gradient(&query));
        see(f64::from(t), &query, &iterate, unit * model.value(&query), &gradient);
        method.tell(&gradient);
    }
    (method.total_weight(), wide(&method.output()))
}

/// A model whose losses are multiplied by the second field.
struct Times(Model, f64);

impl Glm for Times {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn weight(&self, i: usize) -> f64 {
        self.0.weight(i)
    }

    fn row(&self, i: usize, visit: impl FnMut(usize, f64)) {
        self.0.row(i, visit);
    }

    fn loss(&self, i: usize, m: f64) -> f64 {
        self.1 * Glm::loss(&self.0, i, m)
    }

    fn slope(&self, i: usize, m: f64) -> f64 {
        self.1 * self.0.slope(i, m)
    }

    fn conjugate(&self, i: usize, dual: f64) -> f64 {
        self.1 * self.0.conjugate(i, dual / self.1)
    }

    fn clip(&self, i: usize, dual: f64) -> f64 {
        self.1 * self.0.clip(i, dual / self.1)
    }
}

type Certificates = (&'static str, fn(f64) -> Vec<f64>);

/// The values of each kind of certificate as a function of the factor by which the loss is multiplied. To test a new
/// certificate, add a row here.
const CERTIFICATES: [Certificates; 10] = [
    ("ledger", |unit| {
        let mut sums = Ledger::new(DIM);
        let (total, x) = run(unit, |a, _, w, _, g| sums.record(a, &g.to_vec(), |i| w[i]));
        let ball = Ball::<f64>::new(1.5);
        let certified = sums.certificate(total, &ball, &View::new(DIM, |i| x[i]), Gradients::Exact);
        vec![certified.expect("a ball").value, sums.linear(), sums.regret(&ball)]
    }),
    ("cuts", |unit| {
        let ball = Ball::<f64>::new(1.5);
        let mut sums = Cuts::new(DIM, Inside::new(&ball));
        let mut net = Cuts::new(DIM, ElasticNet::new(0.01 * unit, 0.1 * unit));
        run(unit, |a, x, _, value, g| {
            sums.record(a, value, &g.to_vec(), |i| x[i]);
            net.record(a, value, &g.to_vec(), |i| x[i]);
        });
        vec![sums.tighten(), net.tighten(), sums.certificate(unit).expect("cut").value]
    }),
    ("composite", |unit| {
        let net = ElasticNet::new(0.01 * unit, 0.1 * unit);
        let mut sums = Composite::new(DIM);
        let (total, _) = run(unit, |a, _, w, _, g| sums.record(a, &g.to_vec(), |i| w[i], net.value(DIM, |i| w[i])));
        vec![sums.certificate(total, &net, Gradients::Exact).expect("a penalty").value]
    }),
    ("composite, within a conversion", |unit| {
        let learner = CompositeAveraging::<f64>::new(DIM, ElasticNet::new(1e-3 * unit, 0.01 * unit), 1.5);
        let mut method = CompositeAnytime::new(learner, Linear).certified();
        run(unit, |_, _, _, _, g| method.tell(&g.to_vec()));
        let certified = method.certificate(&Ball::new(1.5), Gradients::Exact).expect("a ball").value;
        vec![certified, method.penalties().expect("kept")]
    }),
    ("curved", |unit| {
        let mut sums = Curved::new(DIM, 0.05 * unit);
        run(unit, |a, x, _, _, g| sums.record(a, &g.to_vec(), |i| x[i]));
        let (ball, nearest) = (Ball::<f64>::new(1.5), View::new(DIM, |i| [0.7, -0.6, 0.4, 0.0, 0.1][i]));
        let within = sums.certificate_within(&ball, &nearest, Gradients::Exact).expect("within");
        vec![sums.certificate(Gradients::Exact).expect("rounds").value, within.value]
    }),
    ("coupled", |unit| {
        let rises: [fn(f64, f64) -> Rise; 3] = [
            |unit, _| Rise::Measured(-0.1 * unit),
            // A rate that is too large, so that what is lost by rounding would be missed.
            |unit, norm| Rise::Smooth { rate: 8.0 / unit, norm, smoothness: unit },
            |unit, norm| Rise::Slope(-0.1 * norm + 0.0 * unit),
        ];
        let value = |rise: &fn(f64, f64) -> Rise| {
            let mut sums = Coupled::new(DIM);
            // The largest coordinate, for a length without squares.
            run(unit, |a, _, w, _, g| sums.record(a, &g.to_vec(), |i| w[i], rise(unit, size(g))));
            let ball = Ball::<f64>::new(1.5);
            let certified = sums.certificate(&ball, Gradients::Exact).expect("a ball").value;
            [certified, sums.certificate_of_query(&ball, Gradients::Exact).expect("a ball").value]
        };
        rises.iter().flat_map(value).collect()
    }),
    ("stream", |unit| {
        let ball = Ball::<f64>::new(1.5);
        let (mut stream, mut sums) = (Stream::new(&ball, unit), Ledger::new(DIM));
        let (mut exact, mut sketch) = (Operator::new(DIM), Sketch::new(DIM, 2));
        let (total, x) = run(unit, |a, _, w, _, g| {
            stream.open(a, 1, norm(w));
            stream.example(size(g));
            sums.record(a, &g.to_vec(), |i| w[i]);
            exact.record(a, &g.to_vec(), |i| w[i]);
            sketch.record(a, &g.to_vec(), |i| w[i]);
        });
        let mean = sums.certificate(total, &ball, &View::new(DIM, |i| x[i]), Gradients::Fresh).expect("a ball");
        let [exact, sketch] = [exact.deviation(1.5), sketch.deviation(1.5)];
        let probable = stream.certificate(&mean, total, 0.1, None).expect("bounded").value;
        vec![probable, exact, sketch, boundary(exact, unit, unit / 4.0, 0.1)]
    }),
    ("risk", |unit| {
        let mut risk = Risk::new(4.0 * unit, unit);
        run(unit, |a, x, w, value, g| {
            let away: Vec<f64> = w.iter().zip(x).map(|(w, x)| w - x).collect();
            risk.open(a, 1, norm(&away));
            risk.example(value, g[0] * away[0]);
        });
        let probable = risk.certificate(Gradients::Fresh, 0.1).expect("bounded").value;
        vec![risk.expectation(Gradients::Fresh).expect("fresh").value, probable]
    }),
    ("fenchel", |unit| {
        let (model, ball) = (Times(Model::new(Loss::Logistic), unit), Ball::<f64>::new(1.5));
        let at = |i: usize| [0.7, -0.6, 0.4, 0.0, 0.1][i];
        let net = ElasticNet::new(0.01 * unit, 0.1 * unit);
        let gaps = [
            fenchel(&model, DIM, at, None, &Inside::<f64, _>::new(&ball)),
            fenchel(&model, DIM, at, Some(0.2), &net),
            fenchel(&model, DIM, at, None, &ElasticNet::new(0.01 * unit, 0.0)),
        ];
        gaps.into_iter().flat_map(|gap| gap.map(|gap| [gap.objective, gap.certificate.value]).expect("a gap")).collect()
    }),
    ("full pass", |unit| {
        let mut pass = FullPass::new(1);
        pass.add(1.0, 0.5, 0.125 * unit, -0.5 * unit, &[1.0]);
        pass.add(2.0, 0.25, 0.25 * unit, 0.75 * unit, &[0.5]);
        let found = pass.optimality(|_| 0.5, &ElasticNet::new(0.1 * unit, 0.3 * unit)).expect("a penalty");
        vec![found.objective, found.certificate.value]
    }),
];

#[test]
fn certificates_are_the_same_in_other_units_of_the_loss() {
    for (name, values) in CERTIFICATES {
        let expected = values(1.0);
        assert!(expected.iter().all(|value| value.is_finite() && *value != 0.0), "{name}: {expected:?}");
        for power in [-870, -570, -540, 570, 870] {
            let unit = 2_f64.powi(power);
            let got: Vec<f64> = values(unit).iter().map(|value| value / unit).collect();
            assert_eq!(got, expected, "{name}: 2^{power}");
        }
    }
}

/// A gradient of norm 1e-170, whose square underflows, keeps its norm in the noise bounds of `Operator` and `Sketch`.
#[test]
fn a_length_is_not_lost_with_its_square() {
    let mut random = Random(5);
    let row: Vec<f64> = (0..DIM).map(|_| 1e-170 * random.normal()).collect();
    let length = 1e-170 * norm(&times(1e170, &row));
    let (mut exact, mut sketch) = (Operator::new(DIM), Sketch::new(DIM, 1));
    exact.record(1.0, &row, |_| 0.0);
    sketch.record(1.0, &row, |_| 0.0);
    for root in [exact.deviation(1.0), sketch.deviation(1.0)] {
        assert!(root >= length && root <= 1.001 * length, "{root:e} {length:e}");
    }
}
