//! V2: Theorem 1 (anytime conversion) on a linear loss whose slope is so small that noise hides it.

use super::rate::{self, Outcome, under_hinted_regret, under_regret};
use crate::method::Method;
use crate::problem::Linear;
use crate::{Claim, Experiment, Form, Reading, Row};

const ABOUT: &str = "A linear loss of slope 1/√T under noise of size 1 in three dimensions: no method of T steps can tell where \
    it falls, so every one has an excess of order 1/√T, and Theorem 1 promises no worse. The bound is B·√(2V_T)/A_T with the \
    run's own V_T. numpy had slopes −.487, −.478, −.476 and −.504, bounds 4.4 to 5.9 times the excess (11 for Algorithm 3). With more seeds Algorithm 3 \
    is at −.52 ± .015, which the 200 of numpy do not tell from −.504.";

fn row(
    label: &str,
    form: Form,
    method: Method,
    noise: f64,
    read: impl Fn(&Outcome) -> Reading + Send + Sync + 'static,
) -> Row {
    let axis = form.pick(&[64.0, 256.0, 1024.0][..], &[64.0, 256.0, 1024.0, 4096.0]);
    let problem = move |steps: u64| Linear::new(3, 1.0 / (steps as f64).sqrt(), noise);
    rate::row(label, axis, method, problem, read).seeds(form.pick(1500, 1000))
}

/// Returns the excess loss with a regret bound misprinted as in Theorem 4: it has α_t‖g_t‖² in place of α_t²‖g_t‖².
fn misprinted(o: &Outcome) -> Reading {
    let squares = o.run.total * (o.facts.noise.powi(2) + o.facts.gradient.powi(2));
    Reading::of(o.excess).under(o.facts.diameter() * (2.0 * squares).sqrt() / o.run.total)
}

pub(super) fn experiment(form: Form) -> Experiment {
    let slope = Claim::Slope { from: 0.0, least: -0.56, most: -0.43 };
    let anytime = |power| Method::Anytime { power };
    let right = [
        ("Algorithm 1, α = 1", anytime(0.0)),
        ("Algorithm 1, α = t", anytime(1.0)),
        ("Algorithm 1, α = t²", anytime(2.0)),
    ];
    let mut rows: Vec<_> = right
        .map(|(label, method)| row(label, form, method, 1.0, under_regret).claim(slope).claim(Claim::Bounded))
        .into();
    rows.extend([
        row("Algorithm 3", form, Method::Optimistic, 1.0, under_hinted_regret).claim(slope).claim(Claim::Bounded),
        row("the noise is forgotten", form, anytime(1.0), 0.0, under_regret).claim(slope).planted(),
        row("regret with α‖g‖² for α²‖g‖²", form, anytime(1.0), 1.0, misprinted).claim(Claim::Bounded).planted(),
    ]);
    let (title, bound) = ("Theorem 1 where noise rules", "B·√(2V_T)/A_T");
    Experiment { name: "V2", title, about: ABOUT, axis: "T", measured: "mean excess", bound, rows }
}
