//! V4: Theorems O (methods with hints) and A (accelerated methods) without noise, on Nesterov's chain.

use surefoot::bound;

use super::rate::{self, Outcome};
use crate::method::Method;
use crate::problem::Chain;
use crate::{Claim, Experiment, Form, Reading, Row};

const ABOUT: &str = "Nesterov's chain with 2T + 1 coordinates, on which no method that walks along gradients beats \
    3L‖x*‖²/(32(T+1)²). Algorithm 3 reaches that rate up to a constant: the theorem of the paper has T^−3/2, which holds \
    and is a thousand times as large; Theorem O has T^−2. numpy had T²·excess/L‖x*‖² = .220, .255, .270, .276, .278, .279 for \
    T = 16 to 512, slopes −1.91 and −1.90 for Algorithm 4 without and with its 1 under the root. Algorithm 1 with α = t is as \
    fast here as no theorem says (−1.89), with α = 1 it is not (−1.34).";

fn row(label: &str, form: Form, method: Method, bound: fn(&Outcome) -> f64) -> Row {
    on_chain(label, form, |steps| 2 * steps as usize + 1, method, bound)
}

/// Builds a row of the experiment that measures the excess loss divided by L‖x*‖² after T steps, on Nesterov's chain with `dim(T)`
/// coordinates.
fn on_chain(label: &str, form: Form, dim: fn(u64) -> usize, method: Method, bound: fn(&Outcome) -> f64) -> Row {
    let axis = form.pick(&[16.0, 32.0, 64.0, 128.0, 256.0][..], &[16.0, 32.0, 64.0, 128.0, 256.0, 512.0]);
    rate::row(
        label,
        axis,
        method,
        move |steps| Chain::new(dim(steps), 0.0),
        move |o| {
            let unit = o.facts.smoothness * o.facts.radius * o.facts.radius;
            let floor = 3.0 / 32.0 / (o.steps as f64 + 1.0).powi(2);
            Reading::of(o.excess / unit).under(bound(o) / unit).over(floor)
        },
    )
}

/// Builds a row of the experiment that measures the excess loss divided by L‖x*‖² on Nesterov's chain, in a ball a hundred times as large
/// as necessary, which does no harm as hints are accurate.
fn in_wide_ball(label: &str, form: Form, method: Method) -> Row {
    let axis = form.pick(&[256.0][..], &[256.0, 512.0]);
    rate::row(
        label,
        axis,
        method,
        |steps| Chain::new(2 * steps as usize + 1, 0.0).within(100.0),
        |o| Reading::of(o.excess / (o.facts.radius / 100.0).powi(2)),
    )
    .claim(Claim::Within { power: 2.0, least: 0.0, most: 0.35 })
}

fn optimistic(o: &Outcome) -> bound::Optimistic {
    let (steps, diameter, smoothness, first) = (o.steps, o.facts.diameter(), o.facts.smoothness, o.facts.first);
    bound::Optimistic { steps, diameter, smoothness, first, ..Default::default() }
}

fn accelerated(o: &Outcome, epsilon: f64) -> bound::Accelerated {
    let (steps, diameter, smoothness) = (o.steps, o.facts.diameter(), o.facts.smoothness);
    bound::Accelerated { steps, diameter, smoothness, epsilon, ..Default::default() }
}

pub(super) fn experiment(form: Form) -> Experiment {
    let anytime = |power| Method::Anytime { power };
    let fourth = |epsilon, query| Method::Accelerated { epsilon, query };
    let slope = |least, most| Claim::Slope { from: 64.0, least, most };
    let fast = Claim::Slope { from: 0.0, least: f64::NEG_INFINITY, most: -1.85 };
    let constant = Claim::Within { power: 2.0, least: 0.0, most: 0.35 };
    let exact: fn(&Outcome) -> f64 = |o| optimistic(o).exact();
    let given: fn(&Outcome) -> f64 = |o| accelerated(o, 0.0).output_given(o.run.growth);
    let none: fn(&Outcome) -> f64 = |_| f64::NAN;
    let rows = vec![
        row("Algorithm 3", form, Method::Optimistic, exact)
            .claim(slope(-2.05, -1.90))
            .claim(constant)
            .claim(Claim::Within { power: 2.0, least: 0.0, most: 0.30 })
            .claim(Claim::Floored)
            .claim(Claim::Bounded),
        row("Algorithm 3, bound as printed", form, Method::Optimistic, |o| optimistic(o).printed())
            .claim(Claim::Bounded),
        row("Algorithm 3 over dual averaging", form, Method::Dual, none).claim(slope(-2.1, -1.9)).claim(Claim::Floored),
        row("Algorithm 4, y_T", form, fourth(0.0, false), given).claim(fast).claim(Claim::Bounded),
        row("Algorithm 4, x_T", form, fourth(0.0, true), |o| accelerated(o, 0.0).query_given(o.run.growth))
            .claim(fast)
            .claim(Claim::Bounded),
        row("Algorithm 4 with ε = 1", form, fourth(1.0, false), |o| accelerated(o, 1.0).output_given(o.run.growth))
            .claim(fast)
            .claim(Claim::Bounded),
        row("Algorithm 1, α = 1", form, anytime(0.0), none).claim(Claim::Floored),
        row("Algorithm 1, α = t", form, anytime(1.0), none).claim(Claim::Floored),
        in_wide_ball("Algorithm 3, ball 100 times as large", form, Method::Optimistic),
        in_wide_ball("hints forgotten, ball 100 times as large", form, Method::NoHint).planted(),
        row("hints one round late", form, Method::LateHint, none).claim(constant).planted(),
        row("hints in the classic conversion", form, Method::ClassicDual, none).claim(slope(-2.1, -1.9)).planted(),
        row("weights forgotten", form, anytime(0.0), none).claim(slope(-2.05, -1.90)).claim(fast).planted(),
        row("up the gradients", form, Method::Backwards { power: 1.0 }, exact).claim(Claim::Bounded).planted(),
        row("up the gradients, Algorithm 4's bound", form, Method::Backwards { power: 1.0 }, given)
            .claim(Claim::Bounded)
            .planted(),
        on_chain("a chain of T/8 coordinates", form, |steps| steps as usize / 8, Method::Optimistic, exact)
            .claim(Claim::Floored)
            .planted(),
    ];
    let (measured, bound) = ("excess / L‖x*‖²", "bound");
    Experiment { name: "V4", title: "Theorems O and A without noise", about: ABOUT, axis: "T", measured, bound, rows }
}
