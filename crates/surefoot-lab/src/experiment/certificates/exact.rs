//! Certificates (bounds on the excess loss, computed from a run) with exact gradients, compared with the true excess loss.

use std::sync::LazyLock;

use surefoot::certificate::{Coupled, Curved, Cuts, Gradients, Inside, Ledger, Rise};
use surefoot::{Ball, Vector, View};

use crate::method::{Method, Round, descend};
use crate::problem::{Logistic, Problem};
use crate::{Claim, Form, Random, Reading, Row};

/// Logistic regression with a ridge penalty so small that the minimiser over the ball lies on its boundary.
static BORDER: LazyLock<Logistic> = LazyLock::new(|| PROBLEM.clone().penalised(0.001));

/// Logistic regression on 3000 synthetic rows, in a ball of radius 3 as in an earlier experiment in numpy.
pub(super) static PROBLEM: LazyLock<Logistic> = LazyLock::new(|| Logistic::new(20, 3000, 0.5, 8.0, Some(3.0)));
/// Logistic regression with a ridge penalty so large that the minimiser lies inside the ball.
static RIDGE: LazyLock<Logistic> = LazyLock::new(|| PROBLEM.clone().penalised(0.02));

fn ball() -> Ball<f64> {
    Ball::new(3.0)
}

/// Builds a row of the experiment, for one method and problem. The row compares quantities that are computed exactly (such as the
/// regret) with the bounds that certificates give for them. `tracker` returns a function that is called in every round; when its last
/// argument is true, it returns the quantity and its bound.
fn row<T>(label: &str, form: Form, problem: &'static LazyLock<Logistic>, method: Method, tracker: fn() -> T) -> Row
where
    T: FnMut(&Logistic, &Round<'_>, bool) -> (f64, f64) + 'static,
{
    let axis = form.pick(&[10.0, 30.0, 100.0][..], &[10.0, 30.0, 100.0, 300.0, 1000.0, 2000.0]);
    let trial = move |axis: &[f64], mut random: Random| {
        let (mut tracker, mut readings) = (tracker(), Vec::new());
        let steps = axis.last().copied().unwrap_or_default() as u64;
        descend(&**problem, method, steps, &mut random, |round| {
            let due = axis.contains(&(round.step as f64));
            let (measured, bound) = tracker(problem, round, due);
            readings.extend(due.then(|| Reading::of(measured).under(bound)));
        });
        readings
    };
    Row::path(label, axis, trial).claim(Claim::Always)
}

/// Returns a tracker (callback for every round) of the certificate C1, which uses gradients alone. With `clipped`, a deliberate mistake,
/// gradients are recorded at half their length.
fn gradients(clipped: bool) -> impl FnMut(&Logistic, &Round<'_>, bool) -> (f64, f64) {
    let mut ledger = Ledger::new(20);
    move |problem, round, due| {
        // The planted error: clipped gradients, here half of the true ones.
        let recorded = if clipped { 0.5 } else { 1.0 };
        ledger.record(round.weight, &round.gradient.times(recorded), |i| round.iterate[i]);
        if !due {
            return (0.0, 0.0);
        }
        let output = round.output();
        let view = View::new(20, |i| output[i]);
        let certificate = ledger.certificate(round.total, &ball(), &view, Gradients::Exact);
        (problem.excess(&output), certificate.map_or(f64::NAN, |c| c.value))
    }
}

/// Returns a tracker (callback for every round) of the certificate C2, which also uses values of the loss. With `beside`, C2 is compared
/// with C1 instead of the true excess loss.
fn values(beside: bool) -> impl FnMut(&Logistic, &Round<'_>, bool) -> (f64, f64) {
    let mut cuts = Cuts::new(20, Inside::<f64, _>::new(Box::leak(Box::new(ball()))));
    let mut first = gradients(false);
    move |problem, round, due| {
        let excess = problem.excess(&round.output());
        cuts.record(round.weight, problem.excess(round.query), round.gradient, |i| round.query[i]);
        cuts.tighten();
        let second = cuts.certificate(excess).map_or(f64::NAN, |c| c.value);
        let (_, first) = first(problem, round, due);
        if beside { (second, first) } else { (excess, second) }
    }
}

/// Returns a tracker (callback for every round) of the certificate of Algorithm 4, which uses values of the loss at its queries x_t and
/// outputs y_t.
fn coupled() -> impl FnMut(&Logistic, &Round<'_>, bool) -> (f64, f64) {
    let mut sums = Coupled::new(20);
    move |problem, round, _| {
        let (x, y) = (problem.excess(round.query), problem.excess(&round.output()));
        sums.record(round.weight, round.gradient, |i| round.iterate[i], Rise::Measured(y - x));
        (y, sums.certificate(&ball(), Gradients::Exact).map_or(f64::NAN, |c| c.value))
    }
}

/// Returns a tracker (callback for every round) of the certificate of Algorithm 2, for the strong convexity μ = 0.02 times `factor`.
fn curved(factor: f64) -> impl FnMut(&Logistic, &Round<'_>, bool) -> (f64, f64) {
    let mut sums = Curved::new(20, factor * 0.02);
    move |problem, round, _| {
        sums.record(round.weight, round.gradient, |i| round.query[i]);
        let excess = problem.excess(&round.output());
        (excess, sums.certificate(Gradients::Exact).map_or(f64::NAN, |c| c.value))
    }
}

/// Returns a tracker (callback for every round) of the certificate of Algorithm 2 in a ball with the minimiser on its boundary, for the
/// strong convexity μ = 0.001 times `factor`.
fn curved_within(factor: f64) -> impl FnMut(&Logistic, &Round<'_>, bool) -> (f64, f64) {
    let mut sums = Curved::new(20, factor * 0.001);
    move |problem, round, _| {
        sums.record(round.weight, round.gradient, |i| round.query[i]);
        let (excess, nearest) = (problem.excess(&round.output()), round.next());
        let nearest = View::new(20, |i| nearest[i]);
        let certified = sums.certificate_within(&ball(), &nearest, Gradients::Exact);
        (excess, certified.map_or(f64::NAN, |c| c.value))
    }
}

pub(super) fn rows(form: Form) -> Vec<Row> {
    let leader = Method::Leader { power: 1.0, curvature: 0.02, ball: false };
    let within = Method::Leader { power: 1.0, curvature: 0.001, ball: true };
    let wrong = Method::Leader { power: 1.0, curvature: 0.1, ball: true };
    let fourth = Method::Accelerated { epsilon: 0.0, query: false };
    let plain = Method::Anytime { power: 1.0 };
    vec![
        row("C1, Algorithm 1", form, &PROBLEM, plain, || gradients(false)).certificate(),
        row("C1, Algorithm 3", form, &PROBLEM, Method::Optimistic, || gradients(false)).certificate(),
        row("C2 (values), Algorithm 3", form, &PROBLEM, Method::Optimistic, || values(false)).certificate(),
        row("C2 under C1, Algorithm 3", form, &PROBLEM, Method::Optimistic, || values(true)),
        row("values, Algorithm 4, ridge", form, &RIDGE, fourth, coupled).certificate(),
        row("curvature, Algorithm 2, ridge", form, &RIDGE, leader, || curved(1.0)).certificate(),
        row("curvature in the ball, Algorithm 2, small ridge", form, &BORDER, within, || curved_within(1.0))
            .certificate(),
        row("curvature in the ball taken for 100 times what it is", form, &BORDER, wrong, || curved_within(100.0))
            .planted(),
        row("C1, clipped gradients recorded", form, &PROBLEM, plain, || gradients(true)).planted(),
        row("curvature taken for 10 times what it is", form, &RIDGE, leader, || curved(10.0)).planted(),
    ]
}
