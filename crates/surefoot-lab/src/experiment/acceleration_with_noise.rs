//! V18: Theorems 4 and 5 of the paper and Theorem A, about accelerated methods, on problems with noise.

use surefoot::bound;

use super::rate::{self, Outcome};
use crate::method::{Method, descend};
use crate::problem::{Chain, Problem, Valley, norm};
use crate::{Claim, Experiment, Form, Reading, Row};

const ABOUT: &str = "Theorems 4 and 5 with noise: one run of Algorithm 4, told neither L nor σ, has \
    O(LB²·ln T/T² + σB·√(ln T)/√T), and O(BG·√(ln T)/√T) where nothing is smooth. On the chain with noise σ: as printed, with ε = 1, \
    under the printed bound, whose G is the root mean square of what a gradient can be where the queries can get; and without \
    units (ε = 0) under Theorem A with the Λ_T of the run. In a valley of slope σ/√T that noise hides, and at an edge of that \
    slope, no method does better than order σ/√T. Queries leave the ball by at most √2·B. With c twice as large and exact gradients the bound has no logarithm of T.";

/// Returns the constants for the bound of Algorithm 4 on Nesterov's chain, whose gradient bound G covers all queries: they leave the ball
/// (of diameter B) by at most √2·B.
fn told(o: &Outcome, noise: f64, epsilon: f64) -> bound::Accelerated {
    let (steps, diameter, smoothness) = (o.steps, o.facts.diameter(), o.facts.smoothness);
    let slope = smoothness * diameter * (1.0 + 2_f64.sqrt());
    let gradient = slope.hypot(noise);
    bound::Accelerated { steps, diameter, smoothness, noise, gradient, epsilon, ..Default::default() }
}

type Bound = fn(&Outcome, f64) -> f64;

const PRINTED: Bound = |o, noise| told(o, noise, 1.0).printed();
const GIVEN: Bound = |o, noise| told(o, noise, 0.0).output_given(o.run.growth);
const DOUBLED: Bound = |o, noise| told(o, noise, 0.01).doubled();

fn chain(label: &str, form: Form, method: Method, (noise, told): (f64, f64), bound: Bound) -> Row {
    let axis = form.pick(&[16.0, 64.0, 256.0][..], &[16.0, 64.0, 256.0, 512.0]);
    let problem = move |steps: u64| Chain::new(2 * steps as usize + 1, noise);
    rate::row(label, axis, method, problem, move |o| Reading::of(o.excess).under(bound(o, told)))
        .seeds(form.pick(10, 20))
        .claim(Claim::Bounded)
}

/// Builds a row of the experiment that measures the excess loss after T steps in a valley (see [`Valley`]) of this width and of slope
/// `slope(T)`, with noise of standard deviation 1.
fn valley(
    label: &str,
    form: Form,
    (width, slope): (f64, fn(f64) -> f64),
    method: Method,
    bound: fn(&Outcome) -> f64,
) -> Row {
    let axis = form.pick(&[256.0, 1024.0, 4096.0][..], &[256.0, 1024.0, 4096.0, 16_384.0]);
    let problem = move |steps: u64| Valley::new(3, slope(steps as f64), width, 1.0);
    let near_root = Claim::Slope { from: 0.0, least: -0.56, most: -0.43 };
    rate::row(label, axis, method, problem, move |o| Reading::of(o.excess).under(bound(o)))
        .seeds(form.pick(300, 500))
        .claim(near_root)
}

/// Returns the bound of Theorem A (acceleration) for non-smooth losses, computed from Λ_T of the run, a sum over its gradients. All
/// gradients at the outputs y_t are assumed to have the largest length possible.
fn universal(o: &Outcome) -> f64 {
    let (diameter, t) = (o.facts.diameter(), o.steps as f64);
    let regret = diameter * (2.0 * o.run.squares).sqrt();
    let slopes = o.facts.gradient.powi(2) * t * (t + 1.0) * (t + 2.0) / 6.0;
    let theorem = bound::Accelerated { steps: o.steps, diameter, ..Default::default() };
    theorem.universal(regret, o.run.growth, slopes)
}

/// Builds a row of the experiment that measures how far queries leave the ball of diameter B, in units of √2·B; theory allows at most 1.
fn beyond(label: &str, form: Form, method: Method) -> Row {
    let axis = form.pick(&[64.0, 256.0][..], &[64.0, 1024.0]);
    Row::points(label, axis, move |x, mut random| {
        let problem = Valley::new(3, 1.0, 0.5, 10.0);
        let (facts, mut most) = (problem.facts(), 0.0_f64);
        descend(&problem, method, x as u64, &mut random, |round| {
            most = most.max((norm(round.query) - facts.radius) / (2_f64.sqrt() * facts.diameter()));
        });
        Reading::of(most)
    })
    .seeds(20)
    .claim(Claim::Largest { most: 1.0 })
}

pub(super) fn experiment(form: Form) -> Experiment {
    let fourth = |epsilon| Method::Accelerated { epsilon, query: false };
    let smooth: fn(&Outcome) -> f64 = |o| GIVEN(o, o.facts.noise);
    let hidden: fn(f64) -> f64 = |steps| 1.0 / steps.sqrt();
    let mut rows = Vec::new();
    for noise in [0.01, 0.1, 1.0] {
        let label = format!("as printed, σ = {noise}");
        rows.push(chain(&label, form, fourth(1.0), (noise, noise), PRINTED));
        rows.push(chain(&format!("ε = 0, σ = {noise}"), form, fourth(0.0), (noise, noise), GIVEN));
    }
    let backwards = Method::Backwards { power: 1.0 };
    rows.extend([
        chain("c = 4, exact gradients, no logarithm", form, Method::Doubled { epsilon: 0.01 }, (0.0, 0.0), DOUBLED),
        valley("hidden valley, σ = 1", form, (0.5, hidden), fourth(0.0), smooth).claim(Claim::Bounded),
        valley("hidden edge, σ = 1", form, (0.0, hidden), fourth(0.0), universal).claim(Claim::Bounded),
        beyond("distance of queries ÷ √2·B", form, fourth(0.0)),
        beyond("distance of queries, the first gradient step for all", form, Method::Stubborn).planted(),
        chain("σ forgotten, as printed", form, fourth(1.0), (1000.0, 0.01), PRINTED).planted(),
        valley("the first gradient step for all", form, (0.5, hidden), Method::Stubborn, smooth)
            .claim(Claim::Bounded)
            .planted(),
        chain("up the gradients", form, backwards, (0.0, 0.0), DOUBLED).planted(),
        valley("a valley that noise does not hide", form, (0.5, |_| 1.0), fourth(0.0), smooth).planted(),
    ]);
    let (title, measured) = ("Theorems 4, 5 and A with noise", "mean excess");
    Experiment { name: "V18", title, about: ABOUT, axis: "T", measured, bound: "bound", rows }
}
