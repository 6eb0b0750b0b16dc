//! V14: numbers of steps and of examples needed with minibatches of various sizes.

use crate::method::{Method, Solver};
use crate::problem::{Chain, Problem};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "Algorithm 3 on a chain of 41 coordinates, with noise σ = 2 an example: how many steps, and how many examples, \
    until the mean excess of ten runs is 2 % of L‖x*‖²/4. Batches of up to 64 examples cost hardly more examples than \
    single ones and take far fewer steps. numpy had steps 1704, 440, 52, 12 and 8 for b = 1, 4, 16, 64, 256; \
    the first passage of a noisy mean varies by a tenth from run to run, more for b = 4.";

/// Returns the number of steps until the mean excess loss of ten runs is small enough. The gradient of a batch of b examples has noise of
/// standard deviation `noise`·b^`power`.
fn steps(batch: f64, noise: f64, power: f64, random: &mut Random) -> f64 {
    const RUNS: usize = 10;
    let problem = Chain::new(41, noise * batch.powf(power));
    let (dim, facts) = (problem.dim(), problem.facts());
    let goal = 0.02 * 0.25 * facts.radius * facts.radius;
    let mut solvers: Vec<Box<dyn Solver>> =
        (0..RUNS).map(|_| Method::Optimistic.solver(&problem.centre(), &facts)).collect();
    let [mut query, mut gradient] = [(); 2].map(|()| vec![0.0; dim]);
    for step in 1..=20_000_u32 {
        let mut mean = 0.0;
        for solver in &mut solvers {
            solver.query(&mut query);
            problem.gradient(&query, random, &mut gradient);
            mean += problem.excess(&query) / RUNS as f64;
            solver.tell(&gradient);
        }
        if step % 4 == 0 && mean <= goal {
            return f64::from(step);
        }
    }
    f64::INFINITY
}

/// Builds a row of the experiment that measures the number of examples needed, which should be at most 2.5 times that of batches of one
/// example. Without `examples`, it measures the number of steps, which should not grow with the batch size.
fn row(label: &str, form: Form, examples: bool, power: f64) -> Row {
    let trial = move |axis: &[f64], mut random: Random| {
        let steps: Vec<f64> = axis.iter().map(|batch| steps(*batch, 2.0, power, &mut random)).collect();
        let reading = |(batch, steps_of): (&f64, &f64)| match examples {
            true => Reading::of(batch * steps_of).under(2.5 * steps[0]),
            false => Reading::of(*steps_of),
        };
        axis.iter().zip(&steps).map(reading).collect()
    };
    // The largest batch wastes examples, though it needs no more steps.
    let (claim, most) = if examples { (Claim::Bounded, 4) } else { (Claim::Falling, 5) };
    Row::path(label, &[1.0, 4.0, 16.0, 64.0, 256.0][..most], trial).seeds(form.pick(2, 8)).claim(claim)
}

pub(super) fn experiment(form: Form) -> Experiment {
    let rows = vec![
        row("examples", form, true, -0.5),
        row("steps", form, false, -0.5),
        row("examples, noise does not fall with the batch", form, true, 0.0).planted(),
        row("steps, noise grows with the batch", form, false, 0.25).planted(),
    ];
    let (title, measured, bound) = ("Minibatches", "steps or examples", "2.5 × examples of b = 1");
    Experiment { name: "V14", title, about: ABOUT, axis: "b", measured, bound, rows }
}
