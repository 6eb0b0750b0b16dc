//! Certificates (bounds on the excess loss or the risk) of runs on streams of rows, which hold with probability 1 − δ at all times.

use surefoot::certificate::{Gradients, Ledger, Operator, Risk, Sketch, Stream};
use surefoot::{Ball, Vector, View};

use super::super::probability::Signs;
use super::exact::PROBLEM;
use crate::method::{Method, Solver, descend};
use crate::problem::{Problem, dot, logistic, norm};
use crate::{Claim, Form, Random, Reading, Row};

const DIM: usize = 20;
const RADIUS: f64 = 3.0;
const DELTA: f64 = 0.1;

/// Certified quantity, and the means by which it is certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Excess loss, certified from the lengths of gradients.
    Excess,
    /// Excess loss, certified from the second-moment matrix of gradients.
    Operator,
    /// Excess loss, certified from a sketch of the second-moment matrix of gradients in 4 directions.
    Sketch,
    /// Risk (expected loss on new rows).
    Risk,
    /// Deliberate mistake (planted error): risk, with a bound that holds only in expectation.
    RiskInMean,
}

/// Run of Algorithm 3 on a stream of rows drawn with replacement, with the accumulators of its certificates.
struct Run {
    solver: Box<dyn Solver>,
    batch: u64,
    total: f64,
    ledger: Ledger,
    stream: Stream,
    operator: Option<Operator>,
    sketch: Option<Sketch>,
    risk: Risk,
}

impl Run {
    fn new(batch: u64, what: What) -> Self {
        let ball = Ball::<f64>::new(RADIUS);
        Self {
            solver: Method::Optimistic.solver(&[0.0; DIM], &PROBLEM.facts()),
            batch,
            total: 0.0,
            ledger: Ledger::new(DIM),
            stream: Stream::new(&ball, 1.0),
            operator: (what == What::Operator).then(|| Operator::new(DIM)),
            sketch: (what == What::Sketch).then(|| Sketch::new(DIM, 4)),
            risk: Risk::new(RADIUS.exp().ln_1p(), 1.0),
        }
    }

    fn step(&mut self, weight: f64, random: &mut Random) {
        let [mut query, mut iterate, mut gradient] = [[0.0; DIM]; 3];
        self.solver.query(&mut query);
        self.solver.iterate(&mut iterate);
        let away: Vec<f64> = iterate.iter().zip(&query).map(|(w, q)| w - q).collect();
        let share = weight / self.batch as f64;
        self.stream.open(weight, self.batch, norm(&iterate));
        self.risk.open(weight, self.batch, norm(&away));
        for _ in 0..self.batch {
            let row = &PROBLEM.rows()[random.below(PROBLEM.rows().len())];
            let margin = dot(row, &query);
            let slope = logistic::slope(margin);
            self.stream.example(slope.abs() * norm(row));
            self.risk.example(logistic::loss(margin), slope * dot(row, &away));
            gradient.iter_mut().zip(row).for_each(|(g, a)| *g += slope * a / self.batch as f64);
            let one = row.times(slope);
            self.operator.iter_mut().for_each(|noise| noise.record(share, &one, |i| iterate[i]));
            self.sketch.iter_mut().for_each(|noise| noise.record(share, &one, |i| iterate[i]));
        }
        self.total += weight;
        self.ledger.record(weight, &gradient, |i| iterate[i]);
        self.solver.tell(&gradient);
    }

    /// Returns the true value of the quantity, with its certificate as the upper bound.
    fn reading(&mut self, what: What) -> Reading {
        let mut output = vec![0.0; DIM];
        self.solver.output(&mut output);
        let truth = if matches!(what, What::Risk | What::RiskInMean) {
            PROBLEM.value(&output)
        } else {
            PROBLEM.excess(&output)
        };
        let certified = match what {
            What::Risk => self.risk.certificate(Gradients::Drawn, DELTA),
            What::RiskInMean => self.risk.expectation(Gradients::Drawn),
            What::Excess | What::Operator | What::Sketch => {
                let view = View::new(DIM, |i| output[i]);
                let mean = self.ledger.certificate(self.total, &Ball::<f64>::new(RADIUS), &view, Gradients::Drawn);
                let exact = self.operator.as_mut().map(|noise| noise.deviation(RADIUS));
                let deviation = exact.or(self.sketch.as_mut().map(|noise| noise.deviation(RADIUS)));
                mean.and_then(|mean| self.stream.certificate(&mean, self.total, DELTA, deviation))
            }
        };
        Reading::of(truth).under(certified.map_or(f64::NAN, |c| c.value))
    }
}

fn run(axis: &[f64], mut random: Random, batch: u64, what: What) -> Vec<Reading> {
    let (mut run, mut step) = (Run::new(batch, what), 0_u64);
    let mut reading = |x: &f64| {
        while step < *x as u64 {
            step += 1;
            run.step(step as f64, &mut random);
        }
        run.reading(what)
    };
    axis.iter().map(&mut reading).collect()
}

/// Returns about `count` distinct integers from 4 to `last`, geometrically spaced.
fn checkpoints(last: f64, count: usize) -> Vec<f64> {
    let mut points: Vec<f64> =
        (0..count).map(|i| (4.0 * (last / 4.0).powf(i as f64 / (count as f64 - 1.0))).round()).collect();
    points.dedup();
    points
}

fn row(label: &str, batch: u64, last: f64, what: What) -> Row {
    let trial = move |axis: &[f64], random: Random| run(axis, random, batch, what);
    Row::path(label, &checkpoints(last, 25), trial).seeds(200).claim(Claim::Coverage { delta: DELTA })
}

/// Builds a row of the experiment that measures the ratio of the certified risk (expected loss) to the true risk.
fn tightness(label: &str, batch: u64, last: f64, most: f64) -> Row {
    Row::path(label, &[last], move |axis, random| {
        run(axis, random, batch, What::Risk).iter().map(|r| Reading::of(r.bound / r.measured)).collect()
    })
    .seeds(10)
    .claim(Claim::Within { power: 0.0, least: 1.0, most })
}

/// Builds a row of the experiment on the random signs of experiment V8, whose noise is as large as gradients may be. With `mean_only`, it
/// uses the certificate that holds only in expectation.
fn signs(label: &str, form: Form, mean_only: bool) -> Row {
    let trial = move |axis: &[f64], mut random: Random| {
        let (ball, problem) = (Ball::<f64>::new(1.0), Signs { slope: 0.05 });
        let (mut ledger, mut stream, mut readings) = (Ledger::new(1), Stream::new(&ball, 1.0), Vec::new());
        let steps = axis.last().copied().unwrap_or_default() as u64;
        descend(&problem, Method::Anytime { power: 1.0 }, steps, &mut random, |round| {
            ledger.record(round.weight, round.gradient, |i| round.iterate[i]);
            stream.open(round.weight, 1, round.iterate[0].abs());
            stream.example(1.0);
            if axis.contains(&(round.step as f64)) {
                let output = round.output();
                let mean = ledger.certificate(round.total, &ball, &View::new(1, |i| output[i]), Gradients::Fresh);
                let certified = match mean_only {
                    true => mean,
                    false => mean.and_then(|mean| stream.certificate(&mean, round.total, DELTA, None)),
                };
                readings.push(Reading::of(problem.excess(&output)).under(certified.map_or(f64::NAN, |c| c.value)));
            }
        });
        readings
    };
    let last = form.pick(400.0, 2000.0);
    Row::path(label, &checkpoints(last, 25), trial).seeds(form.pick(400, 2000)).claim(Claim::Coverage { delta: DELTA })
}

pub(super) fn rows(form: Form) -> Vec<Row> {
    let (few, many) = form.pick((200.0, 2000.0), (3517.0, 20_000.0));
    vec![
        row("stream of 64 rows a step", 64, few, What::Excess).certificate(),
        row("stream of 64 rows a step, by matrix", 64, form.pick(50.0, few), What::Operator).certificate(),
        row("stream of 64 rows a step, by sketch", 64, form.pick(50.0, few), What::Sketch).certificate(),
        row("stream of 1 row a step", 1, many, What::Excess).certificate(),
        signs("stream of signs", form, false).certificate(),
        row("certified risk, 64 rows a step", 64, few, What::Risk),
        row("certified risk, 1 row a step", 1, many, What::Risk),
        tightness("certified risk ÷ risk, 64 rows a step", 64, 3517.0, 1.01),
        signs("stream of signs, only in the mean", form, true).planted(),
        row("certified risk, only in the mean", 64, form.pick(200.0, 500.0), What::RiskInMean).planted(),
        tightness("certified risk ÷ risk, 1 row a step", 1, 3517.0, 1.01).planted(),
    ]
}
