//! V16: Algorithm 1 with queries interpolated between the iterate and the average of the iterates.

use surefoot::certificate::{Gradients, Ledger};
use surefoot::{Ball, View};

use crate::method::{Method, descend};
use crate::problem::{Absolute, Problem};
use crate::{Claim, Experiment, Form, Random, Reading, Row};

const ABOUT: &str = "Queries between iterate and average, βx_t + (1−β)w_t: one certificate for the average serves all β. Least \
    absolute deviations in ten dimensions, whose minimiser is known as every row comes twice. For gradients at the average \
    the last iterate is no good, and a certificate for it would be false. numpy, on other data and with a learner of constant step, had \
    certificates 9.0e-3, 7.8e-3, 1.05e-2, 2.9e-2 for β = 0, .5, .9, 1 at T = 2000.";

const DIM: usize = 10;
const RADIUS: f64 = 6.0;

/// Builds a row of the experiment that compares the excess loss of the output with its certificate (a bound computed from the run).
/// With `iterate`, a deliberate mistake, the excess loss of the learner's iterate is used instead.
fn row(label: &str, form: Form, beta: f64, iterate: bool) -> Row {
    let axis = form.pick(&[10.0, 50.0, 200.0, 500.0][..], &[10.0, 50.0, 200.0, 500.0, 2000.0]);
    let trial = move |axis: &[f64], mut random: Random| {
        let (problem, ball) = (Absolute::new(DIM, 30, 0.5, RADIUS), Ball::<f64>::new(RADIUS));
        let (mut ledger, mut readings) = (Ledger::new(DIM), Vec::new());
        let steps = axis.last().copied().unwrap_or_default() as u64;
        descend(&problem, Method::Between { power: 1.0, beta }, steps, &mut random, |round| {
            ledger.record(round.weight, round.gradient, |i| round.iterate[i]);
            if axis.contains(&(round.step as f64)) {
                let output = round.output();
                let view = View::new(DIM, |i| output[i]);
                let certificate = ledger.certificate(round.total, &ball, &view, Gradients::Exact);
                let excess = problem.excess(if iterate { round.iterate } else { &output });
                readings.push(Reading::of(excess).under(certificate.map_or(f64::NAN, |c| c.value)));
            }
        });
        readings
    };
    Row::path(label, axis, trial).claim(Claim::Always).certificate()
}

pub(super) fn experiment(form: Form) -> Experiment {
    let mut rows: Vec<_> = [0.0, 0.5, 0.9, 1.0].map(|beta| row(&format!("β = {beta}"), form, beta, false)).into();
    rows.push(row("β = 1, iterate for average", form, 1.0, true).planted());
    let (title, measured) = ("Interpolated queries", "true excess");
    Experiment { name: "V16", title, about: ABOUT, axis: "T", measured, bound: "certificate", rows }
}
