//! V3: Theorem 1 (anytime conversion) on a loss that is not smooth.

use surefoot::bound;

use super::rate::{self, Outcome, under_hinted_regret, under_regret};
use crate::method::Method;
use crate::problem::Max;
use crate::{Claim, Experiment, Form, Reading, Row};

const ABOUT: &str = "max_j x_j in T + 1 dimensions over the unit ball, with an oracle that names the first of the largest \
    coordinates: no method of T steps has an excess below 1/√(T+1). All methods here are at that floor, up to rounding, and \
    bounds are 2.8 to 3.3 times as large.";

/// Function that computes a measurement and its bounds from the outcome of a run.
type Read = fn(&Outcome) -> Reading;

fn row(label: &str, form: Form, method: Method, open: bool, read: Read) -> Row {
    let axis = form.pick(&[16.0, 64.0, 256.0][..], &[16.0, 64.0, 256.0, 1024.0]);
    let problem = move |steps: u64| {
        let problem = Max::new(steps as usize + 1, 0.0);
        if open { problem.open() } else { problem }
    };
    rate::row(label, axis, method, problem, move |o| read(o).over(1.0 / (o.steps as f64 + 1.0).sqrt()))
}

/// Returns the excess loss with the bound of Theorem A (acceleration) for non-smooth losses, for gradients of length 1 at all outputs y_t
/// and with Λ_T of the run (a sum over its gradients).
fn under_universal(o: &Outcome) -> Reading {
    let (steps, t) = (o.steps, o.steps as f64);
    let theorem = bound::Accelerated { steps, diameter: o.facts.diameter(), ..Default::default() };
    let regret = o.facts.diameter() * (2.0 * o.run.squares).sqrt();
    Reading::of(o.excess).under(theorem.universal(regret, o.run.growth, t * (t + 1.0) * (t + 2.0) / 6.0))
}

pub(super) fn experiment(form: Form) -> Experiment {
    let slope = Claim::Slope { from: 0.0, least: -0.52, most: -0.47 };
    let anytime = |power| Method::Anytime { power };
    let accelerated = |query| Method::Accelerated { epsilon: 0.0, query };
    let right: [(_, _, Read); 5] = [
        ("Algorithm 1, α = 1", anytime(0.0), under_regret),
        ("Algorithm 1, α = t", anytime(1.0), under_regret),
        ("Algorithm 3", Method::Optimistic, under_hinted_regret),
        ("Algorithm 4, y_T", accelerated(false), under_universal),
        ("Algorithm 4, x_T", accelerated(true), under_universal),
    ];
    let claims = |row: Row| row.claim(slope).claim(Claim::Floored).claim(Claim::Bounded);
    let mut rows: Vec<_> = right.map(|(label, method, read)| claims(row(label, form, method, false, read))).into();
    let backwards = Method::Backwards { power: 1.0 };
    rows.extend([
        row("the oracle names all", form, anytime(1.0), true, under_regret)
            .claim(slope)
            .claim(Claim::Floored)
            .planted(),
        row("up the gradients", form, backwards, false, under_regret).claim(slope).claim(Claim::Bounded).planted(),
    ]);
    let (title, measured) = ("Theorem 1 without smoothness", "excess");
    Experiment { name: "V3", title, about: ABOUT, axis: "T", measured, bound: "bound of the run", rows }
}
