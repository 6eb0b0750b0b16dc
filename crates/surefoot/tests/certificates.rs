//! Tests that no certificate is below the true excess loss, whatever the learner, and that certificates equal those of
//! independent numpy programs.

mod common;
mod problems;

use std::fmt::Debug;

use common::{Random, Visit, Weight, weights, wide};
use problems::{Bowl, Corner, Loss, Model, Problem, Same};
use surefoot::certificate::{
    Assumption, Composite, Coupled, Curved, Cuts, ElasticNet, Gradients, Inside, Kind, Ledger, Rise, Uncertified,
};
use surefoot::{
    Anytime, AskTell, Ball, BoxDomain, Float, General, L1Ball, Lazy, Leader, Learner, Linear, OgdNorm, Project,
    Simplex, StronglyConvex, View,
};
use surefoot_oracle::vectors::{dot, norm, plus, times};
use surefoot_oracle::{Domain, Learner as Twin, conversions, learners as twins};

const DIM: usize = 5;

/// Runs every learner with all weights and interpolations on one problem and checks: regret certificate ≥ certificate
/// from cuts ≥ true excess loss.
struct Table<'a> {
    problem: &'a dyn Problem,
    /// Tolerance of the comparisons, for rounding of objective values and of the minimum.
    slack: f64,
    cases: usize,
    tightest: f64,
}

impl Table<'_> {
    fn check<F: Float, L: Lazy<F> + Clone>(&mut self, name: &str, learner: &L, weight: &Weight, domain: &Domain) {
        let Some(best) = self.problem.best(domain).map(|x| self.problem.value(&x)) else { return };
        for beta in [1.0, 0.6, 0.0] {
            let weight = weight.clone();
            let weights = weight.clone();
            let mut method = Anytime::new(learner.clone(), move |t: u64| weights(t)).certified().interpolate(beta);
            let same = Same(domain);
            let mut cuts = Cuts::new(DIM, Inside::<F, _>::new(&same));
            for t in 1..=200 {
                let query = wide(&method.query());
                let gradient: Vec<F> = self.problem.gradient(&query).iter().map(|&g| F::of(g)).collect();
                cuts.record(weight(t), self.problem.value(&query), &gradient, |i| F::of(query[i]));
                method.tell(&gradient);
                let value = self.problem.value(&wide(&method.output()));
                let first = method.certificate(&same, Gradients::Exact).expect("a bounded domain").value;
                cuts.tighten();
                let second = cuts.certificate(value).expect("cut").value;
                let gap = value - best;
                // Both allow for rounding, but not for the same.
                let order = self.slack + 16.0 * F::epsilon().wide() * value.abs().max(1.0);
                assert!(
                    first >= second - order && first >= gap - self.slack && second >= gap - self.slack,
                    "{name}, beta {beta}, round {t}: {first:e} {second:e} {gap:e}"
                );
                assert!(cuts.floor() <= best + self.slack);
                if gap > 1e-6 {
                    self.tightest = self.tightest.min(first / gap);
                }
            }
            self.cases += 1;
        }
    }
}

impl<F: Float> Visit<F> for Table<'_> {
    fn lazy<L: Lazy<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        _: &dyn Fn() -> Box<dyn Twin>,
        domain: &Domain,
    ) {
        if matches!(domain, Domain::WholeSpace(_)) {
            return;
        }
        for (case, weight) in weights() {
            self.check(&format!("{name}, {case}"), &learner, &weight, domain);
        }
    }

    fn dense<L: Learner<F> + Clone + Debug>(&mut self, _: &str, _: L, _: &dyn Fn() -> Box<dyn Twin>, _: &Domain) {}
}

/// Returns the test problems by name. Their minima lie inside the domain, at its boundary, or at a kink.
fn all() -> Vec<(&'static str, Box<dyn Problem>)> {
    let curvature = vec![1.0, 0.3, 0.1, 2.0, 0.01];
    let inside = vec![0.1, 0.3, -0.2, 0.3, -0.1];
    vec![
        ("bowl", Box::new(Bowl { centre: inside.clone(), curvature: curvature.clone() })),
        ("bowl outside", Box::new(Bowl { centre: vec![3.0, -2.0, 1.5, 0.2, 9.0], curvature })),
        ("corner", Box::new(Corner(vec![-0.1, 0.25, 0.2, 0.4, -0.1]))),
        ("logistic", Box::new(Model::new(Loss::Logistic))),
    ]
}

#[test]
fn no_certificate_is_below_the_gap() {
    for (name, problem) in all() {
        // Values are computed with an error of about 1e-15; the minimum is known to 1e-13.
        let mut table = Table { problem: problem.as_ref(), slack: 2e-13, cases: 0, tightest: f64::INFINITY };
        common::learners::<f64>(DIM, &mut table);
        assert!(table.cases >= 48, "{} cases", table.cases);
        assert!(table.tightest < 3.0, "{name}: {} times the gap proves little", table.tightest);
        // In f32 the problem is evaluated in f64 at the rounded points, so no slack for that is due.
        common::learners::<f32>(DIM, &mut table);
    }
}

/// Certificates are valid for random iterates that ignore the gradients, from inside or outside of the domain: large,
/// but never below the true excess.
#[test]
fn a_learner_of_no_use_makes_certificates_large_and_not_false() {
    let ball = Ball::<f64>::new(2.0);
    for (name, problem) in all().into_iter().filter(|(name, _)| *name != "bowl outside") {
        let best = problem.best(&Domain::Ball(vec![0.0; DIM], 2.0)).expect("known");
        let best = problem.value(&best);
        for (seed, size) in [(1, 0.1), (2, 0.8), (3, 5.0)] {
            let mut random = Random(seed);
            let (mut ledger, mut x, mut total) = (Ledger::new(DIM), vec![0.0; DIM], 0.0);
            for t in 1..=100 {
                let w: Vec<f64> = (0..DIM).map(|_| size * random.normal()).collect();
                let weight = random.unit();
                total += weight;
                x = plus(&x, weight / total, &plus(&w, -1.0, &x));
                ledger.record(weight, &problem.gradient(&x), |i| w[i]);
                let bound = ledger.certificate(total, &ball, &View::new(DIM, |i| x[i]), Gradients::Exact);
                let gap = problem.value(&x) - best;
                match bound {
                    Ok(bound) => assert!(bound.value >= gap - 1e-13, "{name}, {t}: {} {gap}", bound.value),
                    Err(why) => assert!(why == Uncertified::Outside && norm(&x) > 2.0, "{why}"),
                }
            }
        }
    }
}

#[test]
fn a_rebase_starts_from_what_is_known() {
    let (ball, model) = (Ball::<f64>::new(3.0), Model::new(Loss::Logistic));
    let best = model.value(&model.best(&Domain::Ball(vec![0.0; DIM], 3.0)).expect("known"));
    let mut method = Anytime::new(OgdNorm::new(DIM, ball.clone()), surefoot::Uniform).certified();
    let mut plain = method.clone();
    let tell = |method: &mut Anytime<f64, _, _>| {
        let query = wide(&method.query());
        method.tell(&model.gradient(&query));
        model.value(&wide(&method.output())) - best
    };
    let gap = (0..50).map(|_| (tell(&mut method), tell(&mut plain)).0).last().expect("rounds");
    let mut known = method.certificate(&ball, Gradients::Exact).expect("a bounded domain");
    known.value = gap + 1e-9;
    let noisy = method.certificate(&ball, Gradients::Fresh).expect("in expectation");
    assert_eq!(method.rebase(&noisy), Err(Uncertified::Noisy));
    method.rebase(&known).expect("deterministic");
    near(method.certificate(&ball, Gradients::Exact).expect("a bounded domain").value, known.value, 1e-15);
    for _ in 0..50 {
        let gap = tell(&mut method);
        tell(&mut plain);
        let value = method.certificate(&ball, Gradients::Exact).expect("a bounded domain").value;
        assert!(value >= gap && value < plain.certificate(&ball, Gradients::Exact).expect("too").value);
    }
}

#[track_caller]
fn near(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance * expected.abs(), "{got:e} is not {expected:e}");
}

/// The certificates of a logistic regression after 100 rounds on 40 rows equal those of an independent numpy program.
#[test]
fn regret_and_values_as_numpy_has_them() {
    let (ball, model) = (Ball::<f64>::new(3.0), Model::new(Loss::Logistic));
    let mut method = Anytime::new(OgdNorm::new(DIM, ball.clone()), Linear).certified();
    let mut cuts = Cuts::new(DIM, Inside::<f64, _>::new(&ball));
    for t in 1..=100_u32 {
        let query = wide(&method.query());
        let gradient = model.gradient(&query);
        cuts.record(f64::from(t), model.value(&query), &gradient, |i| query[i]);
        method.tell(&gradient);
        cuts.tighten();
    }
    let value = model.value(&wide(&method.output()));
    near(value, 0.6804554770011623, 1e-13);
    let first = method.certificate(&ball, Gradients::Exact).expect("a bounded domain");
    // The sums are of order 1, so 1e-4 has 11 digits.
    near(first.value, 0.00011513609174764356, 1e-10);
    near(cuts.certificate(value).expect("cut").value, 1.8013057944910038e-05, 1e-9);
    assert_eq!(first.kind, Kind::Deterministic);
    assert!(first.assumptions.has(Assumption::ExactGradients));
    let mean = method.certificate(&ball, Gradients::Drawn).expect("in expectation");
    assert_eq!((mean.kind, mean.value), (Kind::Expectation, first.value));
}

#[test]
fn composite_as_numpy_has_it() {
    let (mu, model) = (0.05, Model::new(Loss::Logistic));
    let net = ElasticNet::new(0.0, mu);
    let (mut sums, mut cuts) = (Composite::new(DIM), Cuts::new(DIM, net));
    let (mut x, mut total) = (vec![0.0; DIM], 0.0);
    for t in 1..=100_u32 {
        let weight = f64::from(t);
        let w = if total > 0.0 { times(-1.0 / (mu * total), sums.ledger().gradients()) } else { vec![0.0; DIM] };
        total += weight;
        x = plus(&x, weight / total, &plus(&w, -1.0, &x));
        let gradient = model.gradient(&x);
        cuts.record(weight, model.value(&x), &gradient, |i| x[i]);
        sums.record(weight, &gradient, |i| w[i], mu / 2.0 * dot(&w, &w));
    }
    cuts.tighten();
    let value = model.value(&x) + mu / 2.0 * dot(&x, &x);
    let first = sums.certificate(total, &net, Gradients::Exact).expect("a penalty");
    near(first.value, 1.5446956009486684e-06, 1e-8);
    near(cuts.certificate(value).expect("cut").value, 3.1739949490905417e-07, 1e-8);
    let gap = surefoot::certificate::fenchel(&model, DIM, |i| x[i], None, &net).expect("a penalty");
    near(gap.certificate.value, 7.157931973864379e-11, 1e-4);
    near(gap.objective, value, 1e-14);
}

/// Returns the value and the gradient of F(x) + (mu/2)‖x‖², where F is the mean loss of the model.
fn ridge(model: &Model, mu: f64, x: &[f64]) -> (f64, Vec<f64>) {
    (model.value(x) + mu / 2.0 * dot(x, x), plus(&model.gradient(x), mu, x))
}

/// Returns the minimum of F(x) + (mu/2)‖x‖², where F is the mean loss of the model, found by gradient descent until the
/// gradient vanishes.
fn ridge_best(model: &Model, mu: f64) -> f64 {
    let mut x = vec![0.0; DIM];
    (0..20_000).for_each(|_| x = plus(&x, -3.0, &ridge(model, mu, &x).1));
    assert!(norm(&ridge(model, mu, &x).1) < 1e-14);
    ridge(model, mu, &x).0
}

#[test]
fn algorithm_four_as_numpy_has_it() {
    let (model, mu, ball) = (Model::new(Loss::Logistic), 0.02, Ball::<f64>::new(3.0));
    let best = ridge_best(&model, mu);
    let mut learner = twins::Ogd::new(DIM, Domain::Ball(vec![0.0; DIM], 3.0));
    let trace = conversions::accelerated(&mut learner, 6.0, 2.0, 0.0, 100, &mut |_, x| ridge(&model, mu, x).1);
    let (mut measured, mut smooth, mut slope) = (Coupled::new(DIM), Coupled::new(DIM), Coupled::new(DIM));
    let mut squares = 0.0;
    for (t, round) in (1_u32..).zip(&trace) {
        let weight = f64::from(t);
        let ((value, gradient), (after, there)) = (ridge(&model, mu, &round.query), ridge(&model, mu, &round.output));
        let w = |i: usize| round.iterate[i];
        measured.record(weight, &gradient, w, Rise::Measured(after - value));
        squares += weight * (weight + 1.0) / 2.0 * dot(&gradient, &gradient);
        let (rate, norm) = (12.0 / squares.sqrt(), norm(&gradient));
        // A quarter of the largest row, and the penalty.
        smooth.record(weight, &gradient, w, Rise::Smooth { rate, norm, smoothness: 0.25 + mu });
        let step = plus(&round.output, -1.0, &round.query);
        slope.record(weight, &gradient, w, Rise::Slope(dot(&there, &step)));
        for sums in [&measured, &smooth, &slope] {
            let certificate = sums.certificate(&ball, Gradients::Exact).expect("a bounded domain");
            assert!(certificate.value >= after - best - 1e-15, "y in round {t}");
            let query = sums.certificate_of_query(&ball, Gradients::Exact).expect("a bounded domain");
            assert!(query.value >= value - best - 1e-15, "x in round {t}");
        }
    }
    let certificate = measured.certificate(&ball, Gradients::Exact).expect("a bounded domain");
    near(certificate.value, 0.00046477294347066066, 1e-9);
    near(measured.certificate_of_query(&ball, Gradients::Exact).expect("too").value, 0.00046477294347066066, 1e-9);
    let smooth = smooth.certificate(&ball, Gradients::Exact).expect("too");
    assert!(smooth.value > certificate.value && smooth.assumptions.has(Assumption::Smooth));
}

#[test]
fn strong_convexity_as_numpy_has_it() {
    let (model, mu) = (Model::new(Loss::Logistic), 0.02);
    let best = ridge_best(&model, mu);
    let mut gradients = Vec::new();
    let oracle = &mut |_: u64, x: &[f64]| {
        gradients.push(ridge(&model, mu, x).1);
        gradients.last().expect("one").clone()
    };
    let trace = conversions::strongly_convex(DIM, &Domain::WholeSpace(1.0), mu, &|t| t as f64, 100, oracle);
    let mut sums = Curved::new(DIM, mu);
    for (t, (round, gradient)) in (1_u32..).zip(trace.iter().zip(&gradients)) {
        sums.record(f64::from(t), gradient, |i| round.query[i]);
        let certificate = sums.certificate(Gradients::Exact).expect("rounds");
        assert!(certificate.value >= ridge(&model, mu, &round.output).0 - best - 1e-15, "round {t}");
        if t == 10 {
            near(certificate.value, 0.0003481218244918387, 1e-10);
        }
    }
    near(sums.certificate(Gradients::Exact).expect("rounds").value, 3.7595128037842103e-06, 1e-8);
    assert_eq!(sums.certificate(Gradients::Fresh).expect("in expectation").kind, Kind::Expectation);
}

/// The certificate for strongly convex losses is valid for random iterates that follow no algorithm, also far from 0.
#[test]
fn strong_convexity_with_iterates_at_random() {
    let bowl = Bowl { centre: vec![1e3, 1e3 + 1.0, 999.0, 1e3, 1e3], curvature: vec![0.5, 1.0, 0.5, 2.0, 0.7] };
    let (mut random, mut sums, mut x, mut total) = (Random(8), Curved::new(DIM, 0.5), vec![0.0; DIM], 0.0);
    for t in 1..=300 {
        let w: Vec<f64> = bowl.centre.iter().map(|c| c + random.normal()).collect();
        let weight = 0.1 + random.unit();
        total += weight;
        x = plus(&x, weight / total, &plus(&w, -1.0, &x));
        sums.record(weight, &bowl.gradient(&x), |i| x[i]);
        let value = sums.certificate(Gradients::Exact).expect("rounds").value;
        assert!(value >= bowl.value(&x) && value < 20.0, "{t}: {value} {}", bowl.value(&x));
    }
}

/// A domain in two forms: as a type of the core crate, and as a value of the reference implementation.
struct Both<D> {
    name: &'static str,
    core: D,
    twin: Domain,
}

/// Runs Algorithm 2 (strong convexity) in a domain and checks that its certificate equals that of the reference
/// implementation, is never below the true excess, and comes close to it.
struct Within<'a> {
    problem: &'a dyn Problem,
    mu: f64,
    tightest: f64,
    cases: usize,
}

impl Within<'_> {
    fn check<F: Float, D: Project<F> + Clone>(&mut self, both: &Both<D>, tolerance: f64) {
        let best = self.problem.value(&self.problem.best(&both.twin).expect("known"));
        for (case, weight) in weights() {
            let own = common::own(&weight);
            let mut method = General::new(Leader::<F, _>::new(DIM, both.core.clone(), self.mu), own);
            let (mut sums, mut trace, mut gradients) = (Curved::new(DIM, self.mu), Vec::new(), Vec::new());
            for t in 1..=100 {
                let query = wide(&method.query());
                let gradient: Vec<F> = common::narrow(&self.problem.gradient(&query));
                sums.record(weight(t), &gradient, |i| F::of(query[i]));
                method.tell(&gradient);
                let nearest = View::new(DIM, |i| method.learner().at(i));
                let certified = sums.certificate_within(&both.core, &nearest, Gradients::Exact);
                let value = certified.expect("in the domain").value;
                let gap = self.problem.value(&wide(&method.output())) - best;
                assert!(value >= gap - 2e-13, "{}, {case}, round {t}: {value:e} {gap:e}", both.name);
                gradients.push(gradient.iter().map(|g| g.wide()).collect());
                trace.push(conversions::Round { iterate: Vec::new(), query, output: Vec::new() });
                let twin = surefoot_oracle::certificates::strongly_convex;
                let twin = twin(&trace, &gradients, &*weight, self.mu, &both.twin);
                let size = value.abs().max(1.0);
                assert!((value - twin).abs() <= tolerance * size, "{}, {case}, {t}: {value:e} {twin:e}", both.name);
                if gap > 1e-6 {
                    self.tightest = self.tightest.min(value / gap);
                }
            }
            self.cases += 1;
        }
    }

    fn all<F: Float>(&mut self, tolerance: f64) {
        let (lower, upper) = (vec![-0.2, 0.1, -0.5, -0.1, 0.0], vec![0.3, 0.4, 0.5, 0.1, 0.2]);
        let centre = vec![0.25, -0.5, 0.0, 0.25, 0.5];
        let cuboid = BoxDomain::new(common::narrow(&lower), common::narrow(&upper));
        let away = Ball::<F>::around(common::narrow(&centre), 0.75);
        let ball = Domain::Ball(vec![0.0; DIM], 0.5);
        self.check::<F, _>(&Both { name: "ball", core: Ball::<F>::new(0.5), twin: ball }, tolerance);
        let twin = Domain::Ball(centre, 0.75);
        self.check::<F, _>(&Both { name: "ball elsewhere", core: away, twin }, tolerance);
        let twin = Domain::BoxDomain(lower, upper);
        self.check::<F, _>(&Both { name: "box", core: cuboid, twin }, tolerance);
        let twin = Domain::Simplex(DIM);
        self.check::<F, _>(&Both { name: "simplex", core: Simplex::new(DIM), twin }, tolerance);
        let twin = Domain::L1(0.75);
        self.check::<F, _>(&Both { name: "L1 ball", core: L1Ball::new(0.75), twin }, tolerance);
    }
}

/// The certificate for a strongly convex loss in a domain is valid and tight, whether the minimiser over the whole
/// space lies inside the domain or far outside.
#[test]
fn strong_convexity_in_a_domain() {
    let curvature = vec![1.0, 0.5, 0.6, 2.0, 0.8];
    for centre in [vec![0.1, 0.2, 0.1, 0.05, 0.1], vec![3.0, -2.0, 1.5, 0.2, 9.0]] {
        let problem = Bowl { centre, curvature: curvature.clone() };
        let mut table = Within { problem: &problem, mu: 0.5, tightest: f64::INFINITY, cases: 0 };
        table.all::<f64>(1e-11);
        table.all::<f32>(1e-4);
        assert!(table.cases == 40 && table.tightest < 2.0, "{} {}", table.cases, table.tightest);
    }
}

/// Where the best point of a ball lies on its boundary, the certificate within the ball becomes small, while that over
/// the whole space stays at ‖∇L‖²/(2μ).
#[test]
fn the_domain_is_what_makes_a_bound_at_the_border_small() {
    let problem = Bowl { centre: vec![3.0, -2.0, 1.5, 0.2, 9.0], curvature: vec![1.0, 0.5, 0.6, 2.0, 0.8] };
    let ball = Ball::<f64>::new(0.5);
    let mut method = StronglyConvex::<f64, _, _>::new(DIM, ball.clone(), 0.5, Linear);
    let mut sums = Curved::new(DIM, 0.5);
    for t in 1..=2000_u32 {
        let gradient = problem.gradient(&wide(&method.query()));
        sums.record(f64::from(t), &gradient, |i| method.at(i));
        method.tell(&gradient);
    }
    let value = |certified: surefoot::Certified| certified.expect("rounds").value;
    let best = problem.value(&problem.best(&Domain::Ball(vec![0.0; DIM], 0.5)).expect("known"));
    let gap = problem.value(&wide(&method.output())) - best;
    let within = value(sums.certificate_within(&ball, &method.iterate(), Gradients::Exact));
    let everywhere = value(sums.certificate(Gradients::Exact));
    assert!(gap <= within && within < 1e-4 && everywhere > 10.0, "{gap:e} {within:e} {everywhere}");
    // A point that is not the nearest makes it larger: one beside it, one on the other side, one outside, none.
    let other =
        |point: Vec<f64>| value(sums.certificate_within(&ball, &View::new(DIM, |i| point[i]), Gradients::Exact));
    let mut beside = wide(&method.iterate());
    beside[0] += 0.3;
    for point in [beside, vec![-0.2; DIM], vec![40.0; DIM], vec![f64::NAN; DIM]] {
        let worse = other(point);
        assert!(worse > within && worse <= everywhere * (1.0 + 1e-12), "{worse} {within}");
    }
}

/// The certificate in a domain is refused for query points outside of it, and for noisy gradients if an iterate that
/// the queries average must lie outside.
#[test]
fn strong_convexity_in_a_domain_refuses_what_is_outside() {
    let (ball, nearest) = (Ball::<f64>::new(1.0), View::new(1, |_| 1.0));
    let run = |queries: &[f64], gradients| {
        let mut sums = Curved::new(1, 1.0);
        queries.iter().for_each(|&x| sums.record(1.0, &[x], |_| x));
        sums.certificate_within(&ball, &nearest, gradients).map(|_| ())
    };
    assert_eq!(run(&[], Gradients::Exact), Err(Uncertified::NoRounds));
    assert_eq!(run(&[0.0, 0.4], Gradients::Fresh), Ok(()));
    assert_eq!(run(&[2.0, 0.5], Gradients::Exact), Err(Uncertified::Outside));
    assert_eq!(run(&[0.5, 2.0], Gradients::Exact), Err(Uncertified::Outside));
    // As an average it would need the iterate 0.9·2 − 0 = 1.8.
    assert_eq!(run(&[0.0, 0.9], Gradients::Exact), Ok(()));
    assert_eq!(run(&[0.0, 0.9], Gradients::Fresh), Err(Uncertified::Outside));
    assert_eq!(run(&[0.0, 0.4], Gradients::Reused), Err(Uncertified::ReusedRows));
    let mut sums = Curved::new(1, 1.0);
    sums.record(1.0, &[1.0], |_| 0.0);
    let two = View::new(2, |_| 0.0);
    assert_eq!(sums.certificate_within(&ball, &two, Gradients::Exact), Err(Uncertified::Dimension));
}
