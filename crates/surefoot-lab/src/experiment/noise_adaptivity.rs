//! V19: adaptivity to unknown noise, compared with a method that is given the noise level σ.

use crate::method::{Method, descend};
use crate::problem::{Chain, Problem};
use crate::{Claim, Experiment, Form, Reading, Row};

const ABOUT: &str = "Adaptivity: the same run of Algorithm 3 or 4, told neither L nor σ, beside accelerated stochastic approximation (Lan \
    2012), which is told L, σ, the radius and T, for noise from nearly none to more than the gradients. The excess is at most \
    three times as large at every σ, and with it at every L, as no unit matters (V11). It is not for the method that is told one σ for all.";

const STEPS: u64 = 1024;

/// Builds a row of the experiment that measures the mean excess loss on Nesterov's chain of 41 coordinates after T = 1024 steps with
/// noise of standard deviation x, which should be at most three times that of a method that is given all constants.
fn row(label: &str, form: Form, method: Method) -> Row {
    let axis = form.pick(&[1e-3, 0.01, 0.1, 1.0][..], &[1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0]);
    Row::points(label, axis, move |noise, mut random| {
        let problem = Chain::new(41, noise);
        let mut excess = |method| problem.excess(&descend(&problem, method, STEPS, &mut random, |_| {}).output);
        let told = excess(Method::Told { noise, steps: STEPS });
        Reading::of(excess(method)).under(3.0 * told)
    })
    .seeds(form.pick(20, 100))
    .claim(Claim::Bounded)
}

pub(super) fn experiment(form: Form) -> Experiment {
    let told = |noise| Method::Told { noise, steps: STEPS };
    let rows = vec![
        row("Algorithm 4", form, Method::Accelerated { epsilon: 0.0, query: false }),
        row("Algorithm 3", form, Method::Optimistic),
        row("told that σ = 1", form, told(1.0)).planted(),
        row("told that σ = 0.0001", form, told(1e-4)).planted(),
    ];
    let (title, measured) = ("Adaptivity to noise", "mean excess");
    Experiment {
        name: "V19",
        title,
        about: ABOUT,
        axis: "σ",
        measured,
        bound: "3 × excess of a method that is told",
        rows,
    }
}
