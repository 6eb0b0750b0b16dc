//! V20: exp-concave losses, minimised by the online Newton step.

use std::sync::LazyLock;

use surefoot::bound;

use super::rate::{self, Outcome};
use crate::method::{Method, descend};
use crate::problem::{Linear, Logistic, Problem, dot, norm};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "The remark on exp-concave losses: Algorithm 2 over the online Newton step with α = 1 on a stream of single rows of \
    logistic regression, 5 coordinates in a ball of radius 3, whose losses are e^−3-exp-concave there. The excess is below \
    (ε/2)‖x*‖² + (81/64)(d/2γ)·ln(1 + γΣ‖g‖²/(dε)) over T, which falls like ln T/T in the end: with γ as small as theory wants it the noise \
    of the first thousand steps is cut by the ball only, and the slope is still on its way from −½ to −1. Run by run, the regret of the curved losses is \
    below that bound, and with exact gradients the excess below that regret over T (Theorem 2).";

const DIM: usize = 5;
const RADIUS: f64 = 3.0;
const EPSILON: f64 = 0.01;
/// Parameter γ of the online Newton step: γ = ½·min(1/(4GB), η) = 1/48, with gradients of length at most G = 1, diameter B = 6 and
/// exp-concavity η = e^−3 = 0.0498.
const GAMMA: f64 = 1.0 / 48.0;
const NEWTON: Method = Method::Newton { gamma: GAMMA, epsilon: EPSILON };

static PROBLEM: LazyLock<Logistic> = LazyLock::new(|| Logistic::new(DIM, 500, 0.0, 4.0, Some(RADIUS)));

fn stream() -> Logistic {
    PROBLEM.clone().stream(1)
}

/// Returns the bound on the regret of the online Newton step, given `squares` = Σ‖g_t‖² of the run.
fn regret(squares: f64) -> f64 {
    let distance = norm(PROBLEM.solution());
    bound::ExpConcave { dim: DIM, gamma: GAMMA, epsilon: EPSILON, distance, largest: 1.0, squares }.regret()
}

fn axis(form: Form) -> &'static [f64] {
    form.pick(&[256.0, 1024.0, 4096.0], &[256.0, 1024.0, 4096.0, 16_384.0])
}

fn row<P: Problem + 'static>(label: &str, form: Form, method: Method, problem: fn(f64) -> P) -> Row {
    let read = |o: &Outcome| Reading::of(o.excess).under(regret(o.run.squares) / o.steps as f64);
    rate::row(label, axis(form), method, move |steps| problem(steps as f64), read).seeds(form.pick(60, 400))
}

/// Comparison made at each point of a row of the experiment, along a run.
#[derive(Clone, Copy, PartialEq)]
enum What {
    /// Regret of the surrogate losses (linear plus quadratic) against the minimiser x*, compared with its bound.
    Regret,
    /// Excess loss compared with the regret divided by T, where the surrogate losses have `curved` times the true curvature.
    Excess { curved: f64 },
}

fn along(label: &str, form: Form, method: Method, what: What) -> Row {
    let trial = move |axis: &[f64], mut random: Random| {
        let (problem, curved) = match what {
            What::Regret => (stream(), 1.0),
            What::Excess { curved } => (PROBLEM.clone(), curved),
        };
        let (mut sum, mut squares, mut readings) = (0.0, 0.0, Vec::new());
        let steps = axis.last().copied().unwrap_or_default() as u64;
        descend(&problem, method, steps, &mut random, |round| {
            let loss = |point: &[f64]| {
                let along = dot(round.gradient, point) - dot(round.gradient, round.query);
                along + curved * GAMMA / 2.0 * along * along
            };
            sum += loss(round.iterate) - loss(problem.solution());
            squares += dot(round.gradient, round.gradient);
            if axis.contains(&(round.step as f64)) {
                readings.push(match what {
                    What::Regret => Reading::of(sum).under(regret(squares)),
                    What::Excess { .. } => Reading::of(problem.excess(&round.output())).under(sum / round.total),
                });
            }
        });
        readings
    };
    Row::path(label, axis(form), trial).seeds(if what == What::Regret { 20 } else { 1 }).claim(Claim::Always)
}

pub(super) fn experiment(form: Form) -> Experiment {
    let slope = Claim::Slope { from: 0.0, least: f64::NEG_INFINITY, most: -0.6 };
    let backwards = Method::Backwards { power: 0.0 };
    let excess = |curved| What::Excess { curved };
    let rows = vec![
        row("stream", form, NEWTON, |_| stream()).claim(slope).claim(Claim::Bounded),
        along("regret of the curved losses", form, NEWTON, What::Regret),
        along("excess under that regret over T, exact gradients", form, NEWTON, excess(1.0)),
        row("up the gradients", form, backwards, |_| stream()).claim(Claim::Bounded).planted(),
        row("losses without curvature", form, NEWTON, |steps| Linear::new(1, 1.0 / steps.sqrt(), 1.0))
            .seeds(400)
            .claim(slope)
            .planted(),
        along("regret, up the gradients", form, backwards, What::Regret).planted(),
        along("curvature taken for 1000 times what it is", form, NEWTON, excess(1000.0)).planted(),
    ];
    let (title, measured) = ("Exp-concave losses", "mean excess, or regret");
    Experiment { name: "V20", title, about: ABOUT, axis: "T", measured, bound: "bound", rows }
}
