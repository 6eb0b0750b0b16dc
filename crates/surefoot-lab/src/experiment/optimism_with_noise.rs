//! V5: Theorem 3 of the paper and the sharper Theorem O, about methods with hints, on problems with noise.

use surefoot::bound;

use super::rate::{self, Outcome};
use crate::method::Method;
use crate::problem::{Chain, Valley};
use crate::{Claim, Experiment, Form, Reading, Row};

const ABOUT: &str = "Algorithm 3 on the chain with noise σ: Theorem O holds, and so does Theorem 3, as far as its proof is right, with its \
    printed constants. Slopes depend on the problem there and nothing is claimed of \
    them (numpy: −1.78, −1.20, −.96 for σ = .01, .1, 1); bounds of Theorem O were 276 to 198, 168 to 62 and 33 to 20 times the \
    excess. In a valley of slope σ/√T that noise hides no method does better than order σ/√T; excesses there are not divided.";

/// Theorem whose bound a row of the experiment checks: Theorem 3 as printed, as far as its proof is correct, or the
/// sharper Theorem O.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Printed,
    O,
}

fn theorem(o: &Outcome, noise: f64, which: Bound) -> f64 {
    let (steps, diameter, smoothness) = (o.steps, o.facts.diameter(), o.facts.smoothness);
    let first = (o.facts.first.powi(2) - o.facts.noise.powi(2) + noise * noise).sqrt();
    let theorem = bound::Optimistic { steps, diameter, smoothness, noise, first, ..Default::default() };
    if which == Bound::Printed { theorem.printed() } else { theorem.expected() }
}

/// Builds a row of the experiment that measures the excess loss on Nesterov's chain with noise of standard deviation
/// `noise`; the bound is computed as if the noise were `told`.
fn row(label: &str, form: Form, method: Method, (noise, told): (f64, f64), which: Bound) -> Row {
    let axis = form.pick(&[16.0, 64.0][..], &[16.0, 64.0, 256.0]);
    let problem = move |steps: u64| Chain::new(2 * steps as usize + 1, noise);
    rate::row(label, axis, method, problem, move |o: &Outcome| {
        let unit = o.facts.smoothness * o.facts.radius * o.facts.radius;
        Reading::of(o.excess / unit).under(theorem(o, told, which) / unit)
    })
    .seeds(20)
    .claim(Claim::Bounded)
}

/// Builds a row of the experiment that measures the excess loss in a valley (see [`Valley`]) of slope `slope(T)`, with
/// noise of standard deviation 1.
fn valley(label: &str, form: Form, slope: fn(f64) -> f64) -> Row {
    let axis = form.pick(&[64.0, 256.0, 1024.0][..], &[64.0, 256.0, 1024.0, 4096.0]);
    let problem = move |steps: u64| Valley::new(3, slope(steps as f64), 0.5, 1.0);
    let read = |o: &Outcome| Reading::of(o.excess).under(theorem(o, o.facts.noise, Bound::Printed));
    let near_root = Claim::Slope { from: 0.0, least: -0.56, most: -0.43 };
    rate::row(label, axis, Method::Optimistic, problem, read).seeds(1000).claim(near_root)
}

pub(super) fn experiment(form: Form) -> Experiment {
    let right = Method::Optimistic;
    let mut rows = Vec::new();
    for noise in [0.01, 0.1, 1.0] {
        rows.push(row(&format!("σ = {noise}"), form, right, (noise, noise), Bound::O));
        rows.push(row(&format!("as printed, σ = {noise}"), form, right, (noise, noise), Bound::Printed));
    }
    let backwards = Method::Backwards { power: 1.0 };
    rows.extend([
        valley("hidden valley, as printed, σ = 1", form, |steps| 1.0 / steps.sqrt()).claim(Claim::Bounded),
        row("σ a hundred times what is told", form, right, (100.0, 1.0), Bound::O).planted(),
        row("up the gradients", form, backwards, (0.01, 0.01), Bound::O).planted(),
        row("up the gradients, as printed", form, backwards, (0.01, 0.01), Bound::Printed).planted(),
        valley("a valley that noise does not hide", form, |_| 1.0).planted(),
    ]);
    let (title, measured, bound) = ("Theorems 3 and O with noise", "mean excess / L‖x*‖²", "bound");
    Experiment { name: "V5", title, about: ABOUT, axis: "T", measured, bound, rows }
}
