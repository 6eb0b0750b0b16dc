//! V17: Theorem N, a bound for smooth losses without hints.

use surefoot::{Anytime, AskTell, FreeGrad, Learner, Point, Uniform, WholeSpace, bound};

use super::rate::{self, Outcome};
use crate::method::{Method, descend};
use crate::problem::{Chain, Problem, Valley};
use crate::{Claim, Experiment, Form, Reading, Row};

const ABOUT: &str = "The corollary on smooth losses: Algorithm 1 with α = 1, told neither L nor σ. Theorem N has \
    2Lψ²(2 + ln T)/T + 2ψσ/√T, one logarithm less than the print. On the chain of 41 coordinates with noise σ, and in a valley \
    of slope σ/√T that noise hides, where no method does better than order σ/√T. Its proof bounds the sum of all excesses \
    too, by 2Lψ²(1 + ln T)² + 4ψσ√T, and the paper cites 2Lψ² + 2ψσ√T for the iterates of the classic conversion. With \
    FreeGrad in the whole space ψ is about ‖x*‖, and the bound is R_T(x*)/T. A minimiser outside the ball, which the \
    corollary excludes, breaks it.";

/// Returns the constants of Theorem N (smooth losses without hints) for OGD-norm: its regret is at most ψ·√(Σ‖g‖²) with ψ = √2·B, for the
/// diameter B.
fn theorem(o: &Outcome, noise: f64) -> bound::Smooth {
    let psi = 2_f64.sqrt() * o.facts.diameter();
    bound::Smooth { steps: o.steps, psi, smoothness: o.facts.smoothness, noise }
}

fn chain(label: &str, form: Form, method: Method, noise: f64) -> Row {
    let axis = form.pick(&[16.0, 128.0, 1024.0][..], &[16.0, 64.0, 256.0, 1024.0, 4096.0]);
    let read = move |o: &Outcome| Reading::of(o.excess).under(theorem(o, noise).expected());
    rate::row(label, axis, method, move |_| Chain::new(41, noise), read).seeds(20).claim(Claim::Bounded)
}

fn valley<P: Problem>(label: &str, form: Form, problem: impl Fn(f64) -> P + Send + Sync + 'static) -> Row {
    let axis = form.pick(&[64.0, 256.0, 1024.0][..], &[64.0, 256.0, 1024.0, 4096.0]);
    let read = |o: &Outcome| Reading::of(o.excess).under(theorem(o, o.facts.noise).expected());
    let problem = move |steps: u64| problem(1.0 / (steps as f64).sqrt());
    rate::row(label, axis, Method::Anytime { power: 0.0 }, problem, read).seeds(form.pick(500, 1000))
}

/// Builds a row of the experiment that measures the sum of the excess losses at all queries for noise σ = 0.1, compared with its bound or,
/// if `classic`, with the smaller bound for the classic conversion.
fn sum(label: &str, form: Form, method: Method, classic: bool) -> Row {
    const NOISE: f64 = 0.1;
    let axis = form.pick(&[16.0, 128.0, 1024.0][..], &[16.0, 64.0, 256.0, 1024.0, 4096.0]);
    Row::points(label, axis, move |x, mut random| {
        let (problem, mut excesses) = (Chain::new(41, NOISE), 0.0);
        descend(&problem, method, x as u64, &mut random, |round| excesses += problem.excess(round.query));
        let psi = 2_f64.sqrt() * problem.facts().diameter();
        let (log, root) = if classic { (1.0, 2.0) } else { (1.0 + x.ln(), 4.0) };
        Reading::of(excesses).under(2.0 * (psi * log).powi(2) + root * psi * NOISE * x.sqrt())
    })
    .seeds(10)
    .claim(Claim::Bounded)
}

/// Builds a row of the experiment that compares the excess loss of FreeGrad (a parameter-free learner) in the whole space with its regret
/// bound at distance ‖x*‖, divided by T. If `sign` is −1, a deliberate mistake, gradients are negated.
fn free(label: &str, form: Form, sign: f64) -> Row {
    let axis = form.pick(&[16.0, 128.0, 1024.0][..], &[16.0, 64.0, 256.0, 1024.0, 4096.0]);
    Row::points(label, axis, move |x, mut random| {
        let problem = Chain::new(41, 0.1);
        let mut method = Anytime::new(FreeGrad::<f64, _>::new(41, WholeSpace::new(1.0)), Uniform);
        let [mut query, mut gradient] = [[0.0; 41]; 2];
        for _ in 0..x as u64 {
            method.write(&mut query);
            problem.gradient(&query, &mut random, &mut gradient);
            method.tell(&gradient.map(|g| sign * g));
        }
        method.output().write(&mut query);
        let regret = method.learner().regret_bound_at(problem.facts().radius).unwrap_or(f64::NAN);
        Reading::of(problem.excess(&query)).under(regret / x)
    })
    .seeds(20)
    .claim(Claim::Bounded)
}

pub(super) fn experiment(form: Form) -> Experiment {
    let slope = Claim::Slope { from: 0.0, least: -0.56, most: -0.43 };
    let (right, wrong) = (Method::Anytime { power: 0.0 }, Method::Backwards { power: 0.0 });
    let classic = Method::Between { power: 0.0, beta: 0.0 };
    let mut rows: Vec<_> =
        [0.0, 0.1, 1.0].map(|noise| chain(&format!("chain, σ = {noise}"), form, right, noise)).into();
    rows.extend([
        valley("hidden valley, σ = 1", form, |slope| Valley::new(3, slope, 0.5, 1.0))
            .claim(slope)
            .claim(Claim::Bounded),
        sum("sum of excesses, σ = 0.1", form, right, false),
        sum("sum at the iterates, classic conversion, σ = 0.1", form, classic, true),
        free("FreeGrad in the whole space, σ = 0.1", form, 1.0),
        chain("up the gradients", form, wrong, 0.1).planted(),
        valley("valley without noise", form, |slope| Valley::new(3, slope, 0.5, 0.0)).seeds(1).claim(slope).planted(),
        valley("the bottom lies outside the ball", form, |_| Valley::new(3, 1.0, 1000.0, 0.0).at(1e4))
            .seeds(1)
            .claim(Claim::Bounded)
            .planted(),
        sum("sum, up the gradients", form, wrong, true).planted(),
        free("FreeGrad, up the gradients", form, -1.0).planted(),
    ]);
    let (title, measured) = ("Theorem N, smooth losses without hints", "mean excess, or sum of excesses");
    Experiment { name: "V17", title, about: ABOUT, axis: "T", measured, bound: "bound", rows }
}
