//! V9: Theorem O (methods with hints) with one learning rate per coordinate.

use surefoot::bound;

use super::rate;
use crate::method::{Method, descend};
use crate::problem::{Diagonal, Problem};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "Algorithm 3 with a rate for each coordinate, in a cube, on ½ΣL_j(x_j − c_j)² with 60 curvatures from 1 down to \
    1e-4: the bound by coordinate holds, and one rate for all is far behind. numpy, with another c, had 7.8e-6, 7.0e-11, 9e-12 at T = 32, 128, \
    512 against bounds .23, .015, 9e-4, and 2.9e-3, 1.3e-4, 1.4e-6 with one rate.";

fn problem() -> Diagonal {
    Diagonal::new(60, 1e-4)
}

fn axis(form: Form) -> &'static [f64] {
    form.pick(&[32.0, 128.0], &[32.0, 128.0, 512.0])
}

fn theorem(problem: &Diagonal, steps: u64) -> f64 {
    let mut first = vec![0.0; problem.dim()];
    problem.gradient(&vec![0.0; problem.dim()], &mut Random::new(0, "", 0), &mut first);
    bound::diagonal(steps, problem.curvatures().iter().zip(&first).map(|(l, g)| (*l, 2.0, *g)))
}

fn row(label: &str, form: Form, method: Method) -> Row {
    let read = |o: &rate::Outcome| Reading::of(o.excess).under(theorem(&problem(), o.steps));
    rate::row(label, axis(form), method, |_| problem(), read)
}

/// Builds a row of the experiment that compares the excess loss of method `one` with that of method `other`, which
/// should be at least as large.
fn pair(label: &str, form: Form, one: Method, other: Method) -> Row {
    Row::points(label, axis(form), move |x, mut random| {
        let problem = problem();
        let mut excess = |method| problem.excess(&descend(&problem, method, x as u64, &mut random, |_| {}).output);
        Reading::of(excess(one)).under(excess(other))
    })
}

pub(super) fn experiment(form: Form) -> Experiment {
    let (each, all) = (Method::Diagonal, Method::Optimistic);
    let rows = vec![
        row("a rate for each coordinate", form, each).claim(Claim::Bounded),
        pair("a rate for each, bound: one for all", form, each, all).claim(Claim::Bounded),
        row("up the gradients", form, Method::Backwards { power: 1.0 }).claim(Claim::Bounded).planted(),
        pair("one rate for all, bound: a rate for each", form, all, each).claim(Claim::Bounded).planted(),
    ];
    let title = "Theorem O by coordinate";
    Experiment { name: "V9", title, about: ABOUT, axis: "T", measured: "excess", bound: "bound", rows }
}
