//! V15: FreeGrad, a parameter-free learner that needs no radius, compared with OGD-norm (adaptive online gradient descent) with right and
//! wrong radii.

use std::sync::LazyLock;

use crate::method::{Method, descend};
use crate::problem::{Facts, Logistic, Problem, norm};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "A stream of single rows of a logistic regression whose solution is 6.7 from the start, in the whole space. FreeGrad \
    is told a wealth ε between 1e-3 and 10, which should hardly matter: excesses within a factor of 2 of each other, and of \
    3 of what OGD-norm reaches with the radius that is right. With a radius 10 and 100 times as large OGD-norm is far \
    off. numpy, on data of its own, had 9.1e-3 to 1.2e-2 for FreeGrad, 5.2e-3, 6.1e-2 and 1.09 for OGD-norm with 1, 10 and 100 times the radius.";

static PROBLEM: LazyLock<Logistic> = LazyLock::new(|| Logistic::new(20, 4000, 0.0, 6.0, None).stream(1));

/// Logistic regression on a stream of rows, in a ball whose radius is this factor times the length of the solution.
struct Wider(f64);

impl Problem for Wider {
    fn dim(&self) -> usize {
        PROBLEM.dim()
    }

    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]) {
        PROBLEM.gradient(x, random, gradient);
    }

    fn excess(&self, x: &[f64]) -> f64 {
        PROBLEM.excess(x)
    }

    fn facts(&self) -> Facts {
        Facts { radius: self.0 * norm(PROBLEM.solution()), ..PROBLEM.facts() }
    }
}

/// Builds a row of the experiment that measures the excess loss of a method, which should be at most three times that of OGD-norm with the
/// right radius on other random rows. `run` gives the radius and the method for a point of the axis.
fn row(label: &str, form: Form, axis: &[f64], run: fn(f64) -> (f64, Method)) -> Row {
    Row::points(label, axis, move |x, mut random| {
        let mut excess =
            |radius, method| PROBLEM.excess(&descend(&Wider(radius), method, 10_000, &mut random, |_| {}).output);
        let (radius, method) = run(x);
        let tuned = excess(1.0, Method::Anytime { power: 0.0 });
        Reading::of(excess(radius, method)).under(3.0 * tuned)
    })
    .seeds(form.pick(60, 200))
    .claim(Claim::Spread { power: 0.0, most: 2.0 })
    .claim(Claim::Bounded)
}

pub(super) fn experiment(form: Form) -> Experiment {
    let free = |x| (1.0, Method::Free { power: 0.0, wealth: x });
    let radius = |x| (x, Method::Anytime { power: 0.0 });
    let rows = vec![
        row("FreeGrad, wealth x", form, &[1e-3, 0.1, 1.0, 10.0], free),
        row("OGD-norm, radius x times the right one", form, &[1.0, 10.0, 100.0], radius).planted(),
    ];
    let (title, axis, measured, bound) =
        ("Without a radius", "wealth, or factor of the radius", "mean excess", "3 × excess with the right radius");
    Experiment { name: "V15", title, about: ABOUT, axis, measured, bound, rows }
}
