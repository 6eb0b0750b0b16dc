//! The table of conversions with their twins, but for the anytime one, which is tried with every learner.

use std::fmt::{Debug, Formatter};

use surefoot::{
    Accelerated, Anytime, AskTell, Ball, CompositeAnytime, CompositeAveraging, Cuboid, DenseAnytime, DualAveraging,
    ElasticNet, Float, General, Leader, Linear, OgdNorm, OnlineNewton, Optimistic, Ridge, StronglyConvex, Uniform,
    Weights, Whole, linear_decay,
};
use surefoot_oracle::conversions::{self, Round};
use surefoot_oracle::{Domain, learners as twins};

use super::{Weight, narrow, weights};

/// The gradient of round t at a point.
pub(crate) type Oracle<'a> = &'a mut dyn FnMut(u64, &[f64]) -> Vec<f64>;

/// A twin: so many rounds with these gradients.
pub(crate) type Play<'a> = &'a dyn Fn(u64, Oracle) -> Vec<Round>;

/// What a table-driven test does with each conversion.
pub(crate) trait Methods<F: Float> {
    fn method<A: AskTell<F> + Clone + Debug>(&mut self, name: &str, method: A, twin: Play);

    /// How many rounds there will be, for those who must know.
    fn rounds(&self) -> u64;
}

/// All conversions, in `dim` dimensions, for losses that are multiplied by `size`. A new conversion is a new row here.
pub(crate) fn methods<F: Float>(dim: usize, size: f64, visit: &mut impl Methods<F>) {
    optimistic(dim, visit);
    accelerated(dim, size, visit);
    leader(dim, size, visit);
    ridge(dim, size, visit);
    decay(dim, visit);
    composite(dim, size, visit);
    newton(dim, size, visit);
}

/// Weights that can be shown.
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

/// A ball around another point than 0.
fn away(dim: usize, radius: f64) -> Domain {
    Domain::Ball((0..dim).map(|i| 0.25 * (i % 4) as f64 - 0.5).collect(), radius)
}

fn core<F: Float>(domain: &Domain) -> Ball<F> {
    match domain {
        Domain::Ball(centre, radius) => Ball::around(narrow(centre), *radius),
        _ => unreachable!("a ball"),
    }
}

fn optimistic<F: Float>(dim: usize, visit: &mut impl Methods<F>) {
    for radius in [0.75, 50.0] {
        let domain = away(dim, radius);
        let learner = || DualAveraging::<F, _>::new(dim, core(&domain));
        let twin = || twins::DualAveraging::new(dim, domain.clone(), 0.0);
        let last = |rounds, oracle: Oracle| conversions::optimistic(&mut twin(), &|t| t as f64, rounds, oracle);
        visit.method(&format!("optimistic, sparse, {radius}"), Optimistic::new(learner(), Linear), &last);
        visit.method(&format!("optimistic, dense, {radius}"), Optimistic::dense(learner(), Linear), &last);
        let shrunk = |rounds, oracle: Oracle| {
            let weight = |_| 1.0;
            conversions::hinted(&mut twin(), &weight, &mut conversions::shrunk(&weight), rounds, oracle)
        };
        let name = format!("optimistic, shrunk hints, {radius}");
        visit.method(&format!("{name}, sparse"), Optimistic::new(learner(), Uniform).shrunk(), &shrunk);
        visit.method(&format!("{name}, dense"), Optimistic::dense(learner(), Uniform).shrunk(), &shrunk);
    }
}

fn accelerated<F: Float>(dim: usize, size: f64, visit: &mut impl Methods<F>) {
    let domain = away(dim, 2.0);
    for (case, epsilon, kappa) in [("scale-free", 0.0, 2_f64.sqrt()), ("damped", 3.0 * size, 1.0)] {
        let learner = || OgdNorm::<F, _>::new(dim, core(&domain));
        let twin = |rounds, oracle: Oracle| {
            let mut learner = twins::Ogd::new(dim, domain.clone());
            conversions::accelerated(&mut learner, 4.0, 2_f64.sqrt() * kappa, epsilon, rounds, oracle)
        };
        let sparse = Accelerated::new(learner(), 4.0).with_kappa(kappa).with_epsilon(epsilon);
        visit.method(&format!("accelerated, sparse, {case}"), sparse, &twin);
        let dense = Accelerated::dense(learner(), 4.0).with_kappa(kappa).with_epsilon(epsilon);
        visit.method(&format!("accelerated, dense, {case}"), dense, &twin);
    }
}

fn leader<F: Float>(dim: usize, size: f64, visit: &mut impl Methods<F>) {
    let mu = 0.7 * size;
    let (lower, upper) = (vec![-0.25; dim], vec![0.5; dim]);
    let cuboid = || Cuboid::new(narrow(&lower), narrow(&upper));
    let (ball, wide) = (away(dim, 0.5), Domain::Ball(vec![0.0; dim], 50.0));
    for (case, weight) in weights() {
        let twin = |domain: &Domain| {
            let (domain, weight) = (domain.clone(), weight.clone());
            move |rounds: u64, oracle: Oracle| conversions::strongly_convex(dim, &domain, mu, &*weight, rounds, oracle)
        };
        let whole = twin(&Domain::Whole(1.0));
        let dense = General::new(Leader::new(dim, Whole::new(1.0), mu), Own(weight.clone()));
        visit.method(&format!("general, whole, weights {case}"), dense, &whole);
        let sparse = StronglyConvex::new(dim, Whole::new(1.0), mu, Own(weight.clone()));
        visit.method(&format!("strongly convex, whole, weights {case}"), sparse, &whole);
        for ball in [&ball, &wide] {
            let name = format!("ball of {}, weights {case}", ball.radius());
            let dense = General::new(Leader::new(dim, core::<F>(ball), mu), Own(weight.clone()));
            visit.method(&format!("general, {name}"), dense, &twin(ball));
            let sparse = StronglyConvex::new(dim, core::<F>(ball), mu, Own(weight.clone()));
            visit.method(&format!("strongly convex, {name}"), sparse.certified(), &twin(ball));
        }
        let boxed = General::new(Leader::new(dim, cuboid(), mu), Own(weight.clone())).certified();
        visit.method(&format!("general, box, {case}"), boxed, &twin(&Domain::Cuboid(lower.clone(), upper.clone())));
    }
}

fn ridge<F: Float>(dim: usize, size: f64, visit: &mut impl Methods<F>) {
    let mu = 0.7 * size;
    for domain in [Domain::Whole(1.0), away(dim, 0.5)] {
        for (case, weight) in weights() {
            let twin = |rounds, oracle: Oracle| {
                let weights = (1..=rounds).map(|t| weight(t)).collect();
                let mut learner = twins::Ridge::new(dim, domain.clone(), mu, weights);
                conversions::anytime(&mut learner, &*weight, 1.0, rounds, oracle)
            };
            match &domain {
                Domain::Whole(_) => {
                    let learner = Ridge::<F, _>::new(dim, Whole::new(1.0), mu);
                    visit.method(
                        &format!("ridge, whole, weights {case}"),
                        Anytime::new(learner, Own(weight.clone())),
                        &twin,
                    );
                }
                ball => {
                    let learner = || Ridge::<F, _>::new(dim, core(ball), mu);
                    visit.method(
                        &format!("ridge, ball, weights {case}"),
                        Anytime::new(learner(), Own(weight.clone())),
                        &twin,
                    );
                    let dense = DenseAnytime::new(learner(), Own(weight.clone()));
                    visit.method(&format!("ridge, dense, ball, weights {case}"), dense, &twin);
                }
            }
        }
    }
}

fn decay<F: Float>(dim: usize, visit: &mut impl Methods<F>) {
    let domain = away(dim, 0.75);
    let learner = || OgdNorm::<F, _>::new(dim, core(&domain));
    for (case, weight) in weights() {
        let twin = |rounds, oracle: Oracle| {
            conversions::linear_decay(&mut twins::Ogd::new(dim, domain.clone()), &*weight, rounds, oracle)
        };
        let rounds = visit.rounds();
        let sparse = linear_decay(learner(), Own(weight.clone()), rounds);
        visit.method(&format!("linear decay, sparse, weights {case}"), sparse, &twin);
        let dense = DenseAnytime::new(learner(), Own(weight.clone())).rise(rounds);
        visit.method(&format!("linear decay, dense, weights {case}"), dense, &twin);
    }
}

fn composite<F: Float>(dim: usize, size: f64, visit: &mut impl Methods<F>) {
    for (penalty, l1, l2, reach) in [
        ("l1", 0.02, 0.0, 1.0),
        ("elastic net", 0.02, 0.1, 1.0),
        ("elastic net, any reach", 0.02, 0.1, f64::INFINITY),
        ("l2", 0.0, 0.1, 1.0),
        ("none", 0.0, 0.0, 1.0),
    ] {
        let (l1, l2) = (l1 * size, l2 * size);
        for (case, weight) in weights() {
            let twin = |rounds, oracle: Oracle| {
                let weights = (1..=rounds).map(|t| weight(t)).collect();
                let mut learner = twins::CompositeAveraging::new(dim, (l1, l2), reach, weights);
                conversions::anytime(&mut learner, &*weight, 1.0, rounds, oracle)
            };
            let learner = || CompositeAveraging::<F>::new(dim, ElasticNet::new(l1, l2), reach);
            let sparse = CompositeAnytime::new(learner(), Own(weight.clone())).certified();
            visit.method(&format!("composite, {penalty}, sparse, weights {case}"), sparse, &twin);
            let dense = DenseAnytime::new(learner(), Own(weight.clone()));
            visit.method(&format!("composite, {penalty}, dense, weights {case}"), dense, &twin);
        }
    }
}

/// In few dimensions only, as its twin solves for each round anew.
fn newton<F: Float>(dim: usize, size: f64, visit: &mut impl Methods<F>) {
    if dim > 10 {
        return;
    }
    let parameters = (0.5 / size, 2.0 * size);
    for (case, weight) in weights() {
        for domain in [Domain::Whole(1.0), away(dim, 0.5)] {
            let twin =
                |rounds, oracle: Oracle| conversions::online_newton(dim, &domain, parameters, &*weight, rounds, oracle);
            let name = format!("newton, {domain:?}, weights {case}");
            match &domain {
                Domain::Whole(reach) => {
                    let learner = OnlineNewton::<F, _>::new(dim, Whole::new(*reach), parameters.0, parameters.1);
                    visit.method(&name, General::new(learner, Own(weight.clone())), &twin);
                }
                ball => {
                    let learner = OnlineNewton::<F, _>::new(dim, core(ball), parameters.0, parameters.1);
                    visit.method(&name, General::new(learner, Own(weight.clone())).certified(), &twin);
                }
            }
        }
    }
}
