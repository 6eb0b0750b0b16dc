//! The table of all conversions except the plain anytime one (which is tested with every learner), each with its dense
//! reference implementation (twin).

use std::fmt::{Debug, Formatter};

use surefoot::{
    Accelerated, Anytime, AskTell, Ball, BoxDomain, CompositeAnytime, CompositeAveraging, DenseAnytime,
    DiagonalProximal, DualAveraging, ElasticNet, Float, General, LazyHinted, Leader, OgdNorm, OnlineNewton, Optimistic,
    Ridge, StronglyConvex, Weights, WholeSpace, linear_decay,
};
use surefoot_oracle::conversions::{self, Oracle, Round};
use surefoot_oracle::{Domain, Learner, Number, learners as twins, proximal};

use super::{Weight, narrow, numbers, weights};

/// A reference implementation of a conversion: runs it for the given number of rounds, with gradients from the oracle,
/// and returns all its points.
pub(crate) type Play<'a, N = f64> = &'a dyn Fn(u64, Oracle<N>) -> Vec<Round<N>>;

/// A test to run on each conversion in the table.
pub(crate) trait Methods<F: Float, N = f64> {
    fn method<A: AskTell<F> + Clone + Debug>(&mut self, name: &str, method: A, twin: Play<N>);

    /// Returns the number of rounds of the test, for conversions that must know it in advance.
    fn rounds(&self) -> u64;
}

/// Visits all conversions in `dim` dimensions, with parameters for losses multiplied by `size`. To test a new
/// conversion, add a row here.
pub(crate) fn methods<F: Float>(dim: usize, size: f64, visit: &mut impl Methods<F>) {
    optimistic(dim, false, visit);
    others(dim, size, visit);
    boxed(dim, size, visit);
    newton(dim, size, visit);
}

/// Visits the conversions with a sparse form, each followed by its dense form, with reference implementations that
/// compute in the number type `N`.
pub(crate) fn sparse_methods<F: Float, N: Number>(dim: usize, size: f64, visit: &mut impl Methods<F, N>) {
    optimistic(dim, true, visit);
    others(dim, size, visit);
}

fn others<F: Float, N: Number>(dim: usize, size: f64, visit: &mut impl Methods<F, N>) {
    accelerated(dim, size, visit);
    leader(dim, size, visit);
    ridge(dim, size, visit);
    decay(dim, visit);
    composite(dim, size, visit);
}

/// Weights given by a function, with the `Debug` that tests need.
#[derive(Clone)]
struct Own(Weight);

impl Weights for Own {
    fn weight(&self, step: u64) -> f64 {
        self.0(step)
    }
}

impl Debug for Own {
    fn fmt(&self, _: &mut Formatter) -> std::fmt::Result {
        Ok(())
    }
}

/// A ball around any centre, to be made as a type of the core crate (`core`) and of the reference implementation
/// (`twin`).
struct Away {
    centre: Vec<f64>,
    radius: f64,
}

impl Away {
    fn new(dim: usize, radius: f64) -> Self {
        Self { centre: (0..dim).map(|i| 0.25 * (i % 4) as f64 - 0.5).collect(), radius }
    }

    fn core<F: Float>(&self) -> Ball<F> {
        Ball::around(narrow(&self.centre), self.radius)
    }

    fn twin<N: Number>(&self) -> Domain<N> {
        Domain::Ball(numbers(&self.centre), N::of(self.radius))
    }
}

/// Visits Algorithm 3 over several learners: last gradients as hints with weights α_t = t, and shrunk hints with
/// weights 1; with `all`, both with all weights.
fn optimistic<F: Float, N: Number>(dim: usize, all: bool, visit: &mut impl Methods<F, N>) {
    for radius in [0.75, 50.0] {
        let domain = Away::new(dim, radius);
        let twin = || twins::DualAveraging::new(dim, domain.twin(), N::of(0.0));
        hinted(&format!("ball of {radius}"), || DualAveraging::new(dim, domain.core()), twin, all, visit);
    }
    let twin = || twins::DualAveraging::new(dim, Domain::WholeSpace(N::of(1.0)), N::of(0.0));
    hinted("whole", || DualAveraging::new(dim, WholeSpace::new(1.0)), twin, all, visit);
    let cuboid = Domain::BoxDomain(vec![N::of(-0.5); dim], vec![N::of(1.0); dim]);
    let core = || BoxDomain::new(vec![F::of(-0.5); dim], vec![F::of(1.0); dim]);
    let twin = || proximal::DiagonalProximal::new(&cuboid);
    hinted("proximal, box", || DiagonalProximal::new(dim, core()), twin, all, visit);
}

/// Visits Algorithm 3 over one learner, with last gradients as hints, unchanged or shrunk.
fn hinted<F: Float, N: Number, L: LazyHinted<F> + Clone + Debug, T: Learner<N>>(
    name: &str,
    learner: impl Fn() -> L,
    twin: impl Fn() -> T,
    all: bool,
    visit: &mut impl Methods<F, N>,
) {
    for (case, weight) in weights() {
        let (name, own) = (format!("optimistic, {name}, weights {case}"), || Own(weight.clone()));
        if all || case == "t" {
            let last = |rounds, oracle: Oracle<N>| conversions::optimistic(&mut twin(), &*weight, rounds, oracle);
            visit.method(&format!("{name}, sparse"), Optimistic::new(learner(), own()), &last);
            visit.method(&format!("{name}, dense"), Optimistic::dense(learner(), own()), &last);
        }
        if all || case == "1" {
            let shrunk = |rounds, oracle: Oracle<N>| {
                conversions::hinted(&mut twin(), &*weight, &mut conversions::shrunk(&*weight), rounds, oracle)
            };
            let name = format!("{name}, shrunk hints");
            visit.method(&format!("{name}, sparse"), Optimistic::new(learner(), own()).shrunk(), &shrunk);
            visit.method(&format!("{name}, dense"), Optimistic::dense(learner(), own()).shrunk(), &shrunk);
        }
    }
}

fn accelerated<F: Float, N: Number>(dim: usize, size: f64, visit: &mut impl Methods<F, N>) {
    let (domain, of) = (Away::new(dim, 2.0), N::of);
    for (case, epsilon, kappa) in [("scale-free", 0.0, 2_f64.sqrt()), ("damped", 3.0 * size, 1.0)] {
        let learner = || OgdNorm::<F, _>::new(dim, domain.core());
        let twin = |rounds, oracle: Oracle<N>| {
            let mut learner = twins::Ogd::new(dim, domain.twin());
            // As the core works it out.
            let constant = of(std::f64::consts::SQRT_2 * kappa);
            conversions::accelerated(&mut learner, of(4.0), constant, of(epsilon), rounds, oracle)
        };
        let sparse = Accelerated::new(learner(), 4.0).with_kappa(kappa).with_epsilon(epsilon);
        visit.method(&format!("accelerated, {case}, sparse"), sparse, &twin);
        let dense = Accelerated::dense(learner(), 4.0).with_kappa(kappa).with_epsilon(epsilon);
        visit.method(&format!("accelerated, {case}, dense"), dense, &twin);
    }
}

fn leader<F: Float, N: Number>(dim: usize, size: f64, visit: &mut impl Methods<F, N>) {
    let mu = 0.7 * size;
    let wide = Away { centre: vec![0.0; dim], radius: 50.0 };
    for (case, weight) in weights() {
        let twin = |domain: Domain<N>| {
            let weight = weight.clone();
            move |rounds: u64, oracle: Oracle<N>| {
                conversions::strongly_convex(dim, &domain, N::of(mu), &*weight, rounds, oracle)
            }
        };
        let whole = twin(Domain::WholeSpace(N::of(1.0)));
        let name = format!("leader, whole, weights {case}");
        let sparse = StronglyConvex::new(dim, WholeSpace::new(1.0), mu, Own(weight.clone()));
        visit.method(&format!("{name}, sparse"), sparse, &whole);
        let dense = General::new(Leader::new(dim, WholeSpace::new(1.0), mu), Own(weight.clone()));
        visit.method(&format!("{name}, dense"), dense, &whole);
        for ball in [&Away::new(dim, 0.5), &wide] {
            let name = format!("leader, ball of {}, weights {case}", ball.radius);
            let sparse = StronglyConvex::new(dim, ball.core::<F>(), mu, Own(weight.clone()));
            visit.method(&format!("{name}, sparse"), sparse.certified(), &twin(ball.twin()));
            let dense = General::new(Leader::new(dim, ball.core::<F>(), mu), Own(weight.clone()));
            visit.method(&format!("{name}, dense"), dense, &twin(ball.twin()));
        }
    }
}

/// Visits follow-the-leader in a box, which has no sparse form.
fn boxed<F: Float>(dim: usize, size: f64, visit: &mut impl Methods<F>) {
    let mu = 0.7 * size;
    let (lower, upper) = (vec![-0.25; dim], vec![0.5; dim]);
    for (case, weight) in weights() {
        let domain = Domain::BoxDomain(lower.clone(), upper.clone());
        let twin =
            |rounds: u64, oracle: Oracle| conversions::strongly_convex(dim, &domain, mu, &*weight, rounds, oracle);
        let learner = Leader::new(dim, BoxDomain::new(narrow::<F>(&lower), narrow(&upper)), mu);
        let method = General::new(learner, Own(weight.clone())).certified();
        visit.method(&format!("leader, box, {case}"), method, &twin);
    }
}

fn ridge<F: Float, N: Number>(dim: usize, size: f64, visit: &mut impl Methods<F, N>) {
    let mu = 0.7 * size;
    let ball = Away::new(dim, 0.5);
    for (case, weight) in weights() {
        let twin = |domain: Domain<N>| {
            let weight = weight.clone();
            move |rounds, oracle: Oracle<N>| {
                let weights = (1..=rounds).map(|t| weight(t)).collect();
                let mut learner = twins::Ridge::new(dim, domain.clone(), N::of(mu), weights);
                conversions::anytime(&mut learner, &*weight, 1.0, rounds, oracle)
            }
        };
        let (name, whole) = (format!("ridge, whole, weights {case}"), twin(Domain::WholeSpace(N::of(1.0))));
        let learner = || Ridge::<F, _>::new(dim, WholeSpace::new(1.0), mu);
        visit.method(&format!("{name}, sparse"), Anytime::new(learner(), Own(weight.clone())), &whole);
        visit.method(&format!("{name}, dense"), DenseAnytime::new(learner(), Own(weight.clone())), &whole);
        let (name, twin) = (format!("ridge, ball, weights {case}"), twin(ball.twin()));
        let learner = || Ridge::<F, _>::new(dim, ball.core(), mu);
        visit.method(&format!("{name}, sparse"), Anytime::new(learner(), Own(weight.clone())), &twin);
        visit.method(&format!("{name}, dense"), DenseAnytime::new(learner(), Own(weight.clone())), &twin);
    }
}

fn decay<F: Float, N: Number>(dim: usize, visit: &mut impl Methods<F, N>) {
    let domain = Away::new(dim, 0.75);
    let learner = || OgdNorm::<F, _>::new(dim, domain.core());
    for (case, weight) in weights() {
        let twin = |rounds, oracle: Oracle<N>| {
            conversions::linear_decay(&mut twins::Ogd::new(dim, domain.twin()), &*weight, rounds, oracle)
        };
        let rounds = visit.rounds();
        let sparse = linear_decay(learner(), Own(weight.clone()), rounds);
        visit.method(&format!("linear decay, weights {case}, sparse"), sparse, &twin);
        let dense = DenseAnytime::new(learner(), Own(weight.clone())).rise(rounds);
        visit.method(&format!("linear decay, weights {case}, dense"), dense, &twin);
    }
}

fn composite<F: Float, N: Number>(dim: usize, size: f64, visit: &mut impl Methods<F, N>) {
    for (penalty, l1, l2, reach) in [
        ("l1", 0.02, 0.0, 1.0),
        ("elastic net", 0.02, 0.1, 1.0),
        ("elastic net, any reach", 0.02, 0.1, f64::INFINITY),
        ("l2", 0.0, 0.1, 1.0),
        ("none", 0.0, 0.0, 1.0),
    ] {
        let (l1, l2) = (l1 * size, l2 * size);
        for (case, weight) in weights() {
            let twin = |rounds, oracle: Oracle<N>| {
                let weights = (1..=rounds).map(|t| weight(t)).collect();
                let penalty = (N::of(l1), N::of(l2));
                let mut learner = twins::CompositeAveraging::new(dim, penalty, reach, weights);
                conversions::anytime(&mut learner, &*weight, 1.0, rounds, oracle)
            };
            let learner = || CompositeAveraging::<F>::new(dim, ElasticNet::new(l1, l2), reach);
            let sparse = CompositeAnytime::new(learner(), Own(weight.clone())).certified();
            visit.method(&format!("composite, {penalty}, weights {case}, sparse"), sparse, &twin);
            let dense = DenseAnytime::new(learner(), Own(weight.clone()));
            visit.method(&format!("composite, {penalty}, weights {case}, dense"), dense, &twin);
        }
    }
}

/// Visits the online Newton step, but in at most 10 dimensions, as its reference implementation solves a linear system
/// in every round.
fn newton<F: Float>(dim: usize, size: f64, visit: &mut impl Methods<F>) {
    if dim > 10 {
        return;
    }
    let parameters = (0.5 / size, 2.0 * size);
    for (case, weight) in weights() {
        let twin = |domain: Domain| {
            let weight = weight.clone();
            move |rounds: u64, oracle: Oracle| {
                conversions::online_newton(dim, &domain, parameters, &*weight, rounds, oracle)
            }
        };
        let learner = OnlineNewton::<F, _>::new(dim, WholeSpace::new(1.0), parameters.0, parameters.1);
        let method = General::new(learner, Own(weight.clone()));
        visit.method(&format!("newton, whole, weights {case}"), method, &twin(Domain::WholeSpace(1.0)));
        let ball = Away::new(dim, 0.5);
        let learner = OnlineNewton::<F, _>::new(dim, ball.core(), parameters.0, parameters.1);
        let method = General::new(learner, Own(weight.clone())).certified();
        visit.method(&format!("newton, ball, weights {case}"), method, &twin(ball.twin()));
    }
}
