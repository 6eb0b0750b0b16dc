//! V7: corollaries of Theorem 1 about sums and means of the excess losses of all outputs.

use surefoot::bound;

use crate::method::{Method, descend};
use crate::problem::{Max, Problem};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "The corollaries of Theorem 1 on sums of all excesses, on the resisting function of V3: \
    Σα_t(L(x_t) − L*) ≤ R(1 + ln(A_T/α_1)) for α = 1 and t with a bound R on all regrets, for α = 1 without the logarithm as R_t ≤ c·√t, and means with weights \
    t^k that the run did not know of. numpy had .045, .177 and, for k = .5, 1, 2, 3, .118, .177, .235, .264 of the bounds at T = 1024.";

/// Sums over a run of T steps with outputs x_t: the weighted excess losses Σ t^k(L(x_t) − L*), the weights Σ t^k, T itself, and
/// the bound R on the regret after any step.
struct Sums {
    excess: f64,
    weight: f64,
    steps: f64,
    regret: f64,
}

fn row<R>(label: &str, form: Form, method: Method, power: f64, read: R) -> Row
where
    R: Fn(&Sums) -> Reading + Send + Sync + 'static,
{
    let axis = form.pick(&[16.0, 64.0, 256.0][..], &[16.0, 64.0, 256.0, 1024.0]);
    Row::points(label, axis, move |x, mut random: Random| {
        let problem = Max::new(x as usize + 1, 0.0);
        // B·√(2Σα_t²), because gradients have length 1.
        let squares: f64 = (1..=x as u64).map(|t| (t as f64).powf(2.0 * method.power())).sum();
        let regret = problem.facts().diameter() * (2.0 * squares).sqrt();
        let mut sums = Sums { excess: 0.0, weight: 0.0, steps: x, regret };
        descend(&problem, method, x as u64, &mut random, |round| {
            let weight = (round.step as f64).powf(power);
            sums.excess += weight * problem.excess(&round.output());
            sums.weight += weight;
        });
        read(&sums)
    })
    .claim(Claim::Bounded)
}

fn sum(label: &str, form: Form, method: Method) -> Row {
    row(label, form, method, method.power(), |s| {
        Reading::of(s.excess).under(bound::weighted_regret(s.regret, s.weight, 1.0))
    })
}

fn mean(label: &str, form: Form, method: Method, power: f64) -> Row {
    row(label, form, method, power, move |s| {
        let corollary = bound::Reweighted { regret: s.regret, steps: s.steps as u64, power };
        Reading::of(s.excess / s.weight).under(corollary.mean())
    })
}

pub(super) fn experiment(form: Form) -> Experiment {
    let (right, wrong) = (Method::Anytime { power: 0.0 }, Method::Backwards { power: 0.0 });
    let root = |s: &Sums| Reading::of(s.excess).under(bound::root_regret(s.regret / s.steps.sqrt(), s.steps as u64));
    let mut rows = vec![
        sum("sum", form, right),
        sum("sum, α = t", form, Method::Anytime { power: 1.0 }),
        row("sum, no logarithm", form, right, 0.0, root),
    ];
    rows.extend([0.5, 1.0, 2.0, 3.0].map(|power| mean(&format!("mean, weights t^{power}"), form, right, power)));
    rows.extend([
        row("sum, no logarithm, up the gradients", form, wrong, 0.0, root).planted(),
        mean("mean, weights t, up the gradients", form, wrong, 1.0).planted(),
        row("sum, the bound of a single excess", form, right, 0.0, |s| {
            Reading::of(s.excess).under(bound::weighted_regret(s.regret, s.steps, 1.0) / s.steps)
        })
        .planted(),
    ]);
    let (title, measured) = ("Corollaries on sums of excesses", "sum or mean of excesses");
    Experiment { name: "V7", title, about: ABOUT, axis: "T", measured, bound: "corollary", rows }
}
