use surefoot::bound;

use super::rate::{self, Outcome};
use crate::method::Method;
use crate::problem::Chain;
use crate::{Claim, Experiment, Form, Reading, Row};

const ABOUT: &str = "Theorem O on the chain with noise σ: the bound holds. Slopes depend on the problem and nothing is claimed of \
    them (numpy: −1.78, −1.20, −.96 for σ = .01, .1, 1); bounds were 276 to 198, 168 to 62 and 33 to 20 times the excess.";

fn row(label: &str, form: Form, method: Method, noise: f64, told: f64) -> Row {
    let axis = form.pick(&[16.0, 64.0][..], &[16.0, 64.0, 256.0]);
    let problem = move |steps: u64| Chain::new(2 * steps as usize + 1, noise);
    rate::row(label, axis, method, problem, move |o: &Outcome| {
        let (steps, diameter, smoothness) = (o.steps, o.facts.diameter(), o.facts.smoothness);
        let first = (o.facts.first.powi(2) - noise * noise + told * told).sqrt();
        let theorem = bound::Optimistic { steps, diameter, smoothness, noise: told, first, ..Default::default() };
        let unit = smoothness * o.facts.radius * o.facts.radius;
        Reading::of(o.excess / unit).under(theorem.expected() / unit)
    })
    .seeds(20)
    .claim(Claim::Bounded)
}

pub(super) fn experiment(form: Form) -> Experiment {
    let mut rows: Vec<_> =
        [0.01, 0.1, 1.0].map(|noise| row(&format!("σ = {noise}"), form, Method::Optimistic, noise, noise)).into();
    rows.extend([
        row("σ a hundred times what is told", form, Method::Optimistic, 100.0, 1.0).planted(),
        row("up the gradients", form, Method::Backwards { power: 1.0 }, 0.01, 0.01).planted(),
    ]);
    let (title, measured, bound) = ("Theorem O with noise", "mean excess / L‖x*‖²", "Theorem O");
    Experiment { name: "V5", title, about: ABOUT, axis: "T", measured, bound, rows }
}
