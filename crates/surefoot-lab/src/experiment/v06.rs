use surefoot::{Power, bound};

use super::rate;
use crate::method::{Method, descend};
use crate::problem::{Bowl, Max, Problem, dot};
use crate::{Claim, Experiment, Form, Reading, Row};

const ABOUT: &str = "Algorithm 2 with follow-the-leader on strongly convex losses (μ = 1). First max_j x_j + ½‖x‖² in T + 1 \
    dimensions over the unit ball, where T steps leave a coordinate unseen, so that no method has an excess below 1/(2(T + 1)); the bounds as printed, with (μB + G)², were 23 to \
    42 times the excess in numpy, slopes −.968 (α = 1) and −.993 (α = t). Then ½‖x‖² with noise in the whole space, where \
    Theorem S, with the gradients of the run, was 3.3 to 5.8 times the excess, slopes −1.003 and −1.001.";

/// max_j x_j + ½‖x‖² under the printed bound or, if it is not `printed`, Theorem S, and over what no method can beat. An
/// `open` oracle names all coordinates that are largest.
fn resisting(label: &str, form: Form, method: Method, printed: bool, open: bool) -> Row {
    let axis = form.pick(&[16.0, 64.0, 256.0][..], &[16.0, 64.0, 256.0, 1024.0]);
    rate::row(
        label,
        axis,
        method,
        move |steps| {
            let problem = Max::new(steps as usize + 1, 1.0);
            if open { problem.open() } else { problem }
        },
        move |o| {
            let theorem = bound::StronglyConvex { steps: o.steps, curvature: 1.0, gradient: o.facts.gradient };
            let bound = match (printed, method.power() > 0.0) {
                (true, true) => theorem.printed_linear(o.facts.diameter()),
                (true, false) => theorem.printed_uniform(o.facts.diameter()),
                (false, _) => theorem.weighted(&Power(method.power())),
            };
            Reading::of(o.excess).under(bound).over(0.5 / (o.steps as f64 + 1.0))
        },
    )
}

/// ½‖x‖² with noise; the bound is Theorem S with ‖g_t‖² as they were, times `share`.
fn noisy(label: &str, form: Form, method: Method, share: f64) -> Row {
    let axis = form.pick(&[64.0, 256.0, 1024.0][..], &[64.0, 256.0, 1024.0, 4096.0]);
    Row::points(label, axis, move |x, mut random| {
        let (problem, mut sum) = (Bowl::new(3, 1.0), 0.0);
        let run = descend(&problem, method, x as u64, &mut random, |round| {
            let part = round.weight / round.total;
            let rho = part * (1.0 - part) / (1.0 - part + part * part);
            sum += round.weight * part * (1.0 + rho) * dot(round.gradient, round.gradient);
        });
        Reading::of(problem.excess(&run.output)).under(share * sum / (2.0 * run.total))
    })
    .seeds(2000)
}

pub(super) fn experiment(form: Form) -> Experiment {
    let slope = Claim::Slope { from: 0.0, least: -1.08, most: -0.93 };
    let leader = |power, ball| Method::Leader { power, curvature: 1.0, ball };
    let flat = Claim::Spread { power: 1.0, most: 1.15 };
    let wrong = Method::Leader { power: 1.0, curvature: 4.0, ball: false };
    let rows = vec![
        resisting("max + ½‖x‖², α = 1, as printed", form, leader(0.0, true), true, false)
            .claim(slope)
            .claim(Claim::Floored)
            .claim(Claim::Bounded),
        resisting("max + ½‖x‖², α = t, as printed", form, leader(1.0, true), true, false)
            .claim(slope)
            .claim(Claim::Floored)
            .claim(Claim::Bounded),
        resisting("max + ½‖x‖², α = 1", form, leader(0.0, true), false, false).claim(Claim::Bounded),
        resisting("max + ½‖x‖², α = t", form, leader(1.0, true), false, false).claim(Claim::Bounded),
        noisy("noise, whole space, α = 1", form, leader(0.0, false), 1.0).claim(slope).claim(Claim::Bounded),
        noisy("noise, whole space, α = t", form, leader(1.0, false), 1.0)
            .claim(slope)
            .claim(flat)
            .claim(Claim::Bounded),
        resisting("up the gradients", form, Method::Backwards { power: 1.0 }, true, false)
            .claim(slope)
            .claim(Claim::Bounded)
            .planted(),
        resisting("the oracle names all", form, leader(1.0, true), true, true).claim(Claim::Floored).planted(),
        noisy("losses without curvature", form, Method::Anytime { power: 1.0 }, 1.0)
            .claim(slope)
            .claim(flat)
            .claim(Claim::Bounded)
            .planted(),
        noisy("curvature taken for 4 times what it is", form, wrong, 1.0).claim(slope).planted(),
    ];
    let (title, measured) = ("Theorem S, strong convexity", "mean excess");
    Experiment { name: "V6", title, about: ABOUT, axis: "T", measured, bound: "bound", rows }
}
