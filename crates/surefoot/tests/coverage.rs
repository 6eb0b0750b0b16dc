//! Tests that bounds stated with probability 1 − δ are ever violated in at most a share δ of runs, and shows misuses that do
//! violate them.

mod common;

use common::{Random, wide};
use surefoot::certificate::{Curved, Gradients, Operator, Risk, Sketch, Stream, boundary};
use surefoot::{Anytime, AskTell, Ball, DualAveraging, Learner, Linear, OgdNorm, Point, StronglyConvex, Uniform, View};
use surefoot_oracle::vectors::{dot, norm, plus, times};

/// Logistic regression on random rows of length at most 1, with labels drawn from a logistic model with weights of norm 8.
struct Logistic {
    rows: Vec<Vec<f64>>,
    labels: Vec<f64>,
}

impl Logistic {
    fn new(seed: u64, count: usize, dim: usize) -> Self {
        let mut random = Random(seed);
        let direction: Vec<f64> = (0..dim).map(|_| random.normal()).collect();
        let truth = times(8.0 / norm(&direction), &direction);
        let mut row = || {
            let size = (0.5 * random.normal()).exp();
            (0..dim).map(|_| size * random.normal()).collect::<Vec<_>>()
        };
        let mut rows: Vec<Vec<f64>> = (0..count).map(|_| row()).collect();
        let longest = rows.iter().map(|row| norm(row)).fold(0.0, f64::max);
        rows.iter_mut().for_each(|row| *row = times(1.0 / longest, row));
        let mut label = |row| if random.unit() < 1.0 / (1.0 + (-dot(row, &truth)).exp()) { 1.0 } else { -1.0 };
        let labels = rows.iter().map(|row| label(row)).collect();
        Self { rows, labels }
    }

    fn loss(&self, i: usize, margin: f64) -> f64 {
        (1.0 + (-self.labels[i] * margin).exp()).ln()
    }

    fn slope(&self, i: usize, margin: f64) -> f64 {
        -self.labels[i] / (1.0 + (self.labels[i] * margin).exp())
    }

    fn value(&self, x: &[f64]) -> f64 {
        (0..self.rows.len()).map(|i| self.loss(i, dot(&self.rows[i], x))).sum::<f64>() / self.rows.len() as f64
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; x.len()];
        for (i, row) in self.rows.iter().enumerate() {
            sum = plus(&sum, self.slope(i, dot(row, x)) / self.rows.len() as f64, row);
        }
        sum
    }

    /// Returns a lower bound on the minimum over the ball of this radius: the value at an almost optimal point minus its
    /// Frank–Wolfe gap, which is below 1e-6.
    fn minimum(&self, radius: f64) -> f64 {
        let ball = surefoot_oracle::Domain::Ball(vec![0.0; self.rows[0].len()], radius);
        let mut x = ball.centre(self.rows[0].len());
        (0..300).for_each(|_| x = ball.project(&plus(&x, -30.0, &self.gradient(&x))));
        let gradient = self.gradient(&x);
        let gap = dot(&gradient, &x) + radius * norm(&gradient);
        assert!(gap < 1e-6, "{gap}");
        self.value(&x) - gap
    }
}

const RADIUS: f64 = 3.0;

/// Settings of a run: rounds, examples per round, interpolation, and how rows are drawn.
struct Watch {
    steps: u64,
    batch: u64,
    beta: f64,
    /// Number of rows to draw from, the first of the problem; `in_turn` cycles through them, otherwise they are drawn at
    /// random.
    rows: usize,
    in_turn: bool,
}

/// Results at a checkpoint of a run: its step, the true mean loss of the output, and the bounds, which are on the excess: in
/// expectation (`regret`), and with probability 1 − δ from the summed squared noise V (`excess`), with V from [`Operator`]
/// (`sharp`) or from [`Sketch`] with three directions (`rough`); and on the loss: with probability 1 − δ (`risk`) and in
/// expectation (`mean`).
struct Seen {
    step: u64,
    loss: f64,
    regret: f64,
    excess: f64,
    sharp: f64,
    rough: f64,
    risk: f64,
    mean: f64,
}

/// Runs dual averaging with weights α_t = t on the problem, with every kind of certificate kept beside it, and returns the
/// results at checkpoints.
fn run(problem: &Logistic, watch: &Watch, seed: u64, delta: f64) -> Vec<Seen> {
    let dim = problem.rows[0].len();
    let ball = Ball::<f64>::new(RADIUS);
    let mut method = Anytime::new(DualAveraging::new(dim, ball.clone()), Linear).certified().interpolate(watch.beta);
    let (mut stream, mut noise, mut sketch) = (Stream::new(&ball, 1.0), Operator::new(dim), Sketch::new(dim, 3));
    let mut risk = Risk::new((1.0 + RADIUS.exp()).ln(), 1.0);
    let (mut random, mut seen, mut check) = (Random(seed), Vec::new(), 4);
    for t in 1..=watch.steps {
        let (weight, query) = (t as f64, wide(&method.query()));
        let iterate = wide(&View::new(dim, |i| method.learner().at(i)));
        let (lead, share) = (plus(&iterate, -1.0, &query), weight / watch.batch as f64);
        stream.open(weight, watch.batch, norm(&iterate));
        risk.open(weight, watch.batch, norm(&lead));
        let mut gradient = vec![0.0; dim];
        for k in 0..watch.batch {
            let turn = (t - 1) * watch.batch + k;
            let i = if watch.in_turn { turn } else { random.next() } as usize % watch.rows;
            let margin = dot(&problem.rows[i], &query);
            let own = times(problem.slope(i, margin), &problem.rows[i]);
            stream.example(norm(&own));
            noise.record(share, &own, |j| iterate[j]);
            sketch.record(share, &own, |j| iterate[j]);
            risk.example(problem.loss(i, margin), dot(&own, &lead));
            gradient = plus(&gradient, 1.0 / watch.batch as f64, &own);
        }
        method.tell(&gradient);
        if t == check || t == watch.steps {
            check += check / 2;
            let (total, output) = (method.total_weight(), wide(&method.output()));
            let mean = method.certificate(&ball, Gradients::Drawn).expect("drawn with replacement");
            let [sharp, rough] = [noise.deviation(RADIUS), sketch.deviation(RADIUS)];
            let probable = |deviation| stream.certificate(&mean, total, delta, deviation).expect("bounded").value;
            assert!(rough > sharp * 0.9985);
            seen.push(Seen {
                step: t,
                loss: problem.value(&output),
                regret: mean.value,
                excess: probable(None),
                sharp: probable(Some(sharp)),
                rough: probable(Some(rough)),
                risk: risk.certificate(Gradients::Drawn, delta).expect("bounded").value,
                mean: risk.expectation(Gradients::Drawn).expect("drawn").value,
            });
        }
    }
    seen
}

/// In 200 runs of each configuration, at most a share δ violates a bound at any checkpoint, for each bound stated with
/// probability 1 − δ.
#[test]
fn coverage_at_any_time() {
    const RUNS: u64 = 200;
    let (problem, delta) = (Logistic::new(3, 100, 4), 0.1);
    let minimum = problem.minimum(RADIUS);
    let mut lowest = 0;
    for (batch, beta) in [(1, 1.0), (1, 0.5), (8, 1.0), (8, 0.0)] {
        let watch = Watch { steps: 200, batch, beta, rows: 100, in_turn: false };
        let (mut excess, mut sharp, mut rough, mut risk) = (0, 0, 0, 0);
        for seed in 0..RUNS {
            let seen = run(&problem, &watch, 1000 + seed, delta);
            excess += u64::from(seen.iter().any(|s| s.loss - minimum > s.excess));
            sharp += u64::from(seen.iter().any(|s| s.loss - minimum > s.sharp));
            rough += u64::from(seen.iter().any(|s| s.loss - minimum > s.rough));
            risk += u64::from(seen.iter().any(|s| s.loss > s.risk));
            lowest += u64::from(seen.iter().any(|s| s.loss > s.mean));
        }
        println!("batch {batch}, beta {beta}: {excess}, {sharp}, {rough}, {risk} of {RUNS} were ever false");
        let allowed = delta * RUNS as f64;
        assert!([excess, sharp, rough, risk].iter().all(|&n| n as f64 <= allowed));
    }
    // The check can fail: what holds on average only is false at some time in most runs.
    assert!(lowest > 4 * RUNS / 2, "{lowest}");
}

/// With 64 examples per step, the bound on the expected loss ends within 1 % of the true loss. For comparison, an independent
/// numpy program on other rows and with hints has: excess 6e-5, bounds on it 1.2e-4 in expectation, 6.0e-3 with V and 1.6e-3
/// with the operator, and the bound .6874 on the loss .6865.
#[test]
fn a_stream_of_batches_knows_its_risk_within_one_percent() {
    let problem = Logistic::new(5, 3000, 20);
    let minimum = problem.minimum(RADIUS);
    let watch = Watch { steps: 3500, batch: 64, beta: 1.0, rows: 3000, in_turn: false };
    let seen = run(&problem, &watch, 77, 0.1);
    for s in &seen {
        let gap = s.loss - minimum;
        println!(
            "{:5} gap {gap:.2e} regret {:.2e} V {:.2e} operator {:.2e} sketch {:.2e} loss {:.5} risk {:.5} mean {:.5}",
            s.step, s.regret, s.excess, s.sharp, s.rough, s.loss, s.risk, s.mean
        );
        assert!(gap <= s.sharp && s.sharp <= s.excess && s.rough <= s.excess && s.loss <= s.risk);
    }
    let last = seen.last().expect("a checkpoint");
    assert!(last.risk <= 1.01 * last.loss, "{} on {}", last.risk, last.loss);
    assert!(last.excess < 8e-3 && last.sharp < 2.2e-3, "{} {}", last.excess, last.sharp);
}

/// Negative control: twenty rows used again and again but declared as drawn from the whole set give a bound below the true
/// expected loss.
#[test]
fn reused_rows_make_the_risk_a_lie() {
    let problem = Logistic::new(9, 2000, 20);
    let watch = Watch { steps: 20_000, batch: 1, beta: 1.0, rows: 20, in_turn: true };
    let seen = run(&problem, &watch, 0, 0.1);
    let last = seen.last().expect("a checkpoint");
    assert!(last.loss > last.risk, "{} {}", last.loss, last.risk);
}

/// The time-uniform boundary alone, checked many times per path on sums of weighted coin tosses, is crossed in at most a
/// share δ of paths.
#[test]
fn the_boundary_under_stress() {
    const PATHS: u64 = 1000;
    let delta = 0.1;
    // The chance of a low toss, its value and the other's, and the range below 0.
    let (rare, small) = (0.02, 0.02 / 0.98);
    let coins = [
        ("fair", 0.5, -1.0, 1.0, 1.0),
        ("rarely low", rare, -1.0, small, 1.0),
        ("rarely high", 1.0 - rare, -small, 1.0, small),
    ];
    for (name, chance, low, high, range) in coins {
        let mut random = Random(23);
        let (mut false_ones, mut naive, mut ratio) = (0, 0, 0.0);
        for _ in 0..PATHS {
            let (mut sum, mut squares, mut ever, mut fooled) = (0.0, 0.0_f64, false, false);
            for t in 1..=1500_u32 {
                let toss = f64::from(t) * if random.unit() < chance { low } else { high };
                sum += toss;
                squares += toss * toss;
                if t < 30 || t % 25 == 0 {
                    let level = boundary(squares.sqrt(), f64::from(t) * range, range, delta);
                    ever |= sum > level;
                    fooled |= sum > 1.2816 * squares.sqrt();
                    ratio = level / squares.sqrt();
                }
            }
            false_ones += u64::from(ever);
            naive += u64::from(fooled);
        }
        println!("{name}: {false_ones} and naively {naive} of {PATHS}, level {ratio:.2} deviations");
        assert!(false_ones as f64 <= delta * PATHS as f64, "{name}");
        // What suffices for one time fixed beforehand does not for all.
        assert!(naive as f64 > 2.0 * delta * PATHS as f64, "{name}: {naive}");
        if name == "fair" {
            assert!((ratio - 3.77).abs() < 0.05, "an independent program has 3.77, here {ratio}");
        }
    }
}

/// The noise bounds of `Stream` and `Risk` equal values worked out by hand, for two rounds with two examples and one example
/// in a ball of radius 2.
#[test]
fn increments_by_hand() {
    let ball = Ball::<f64>::new(2.0);
    let (mut stream, mut risk) = (Stream::new(&ball, 3.0), Risk::new(5.0, 3.0));
    stream.open(1.0, 2, 0.5);
    stream.example(1.0);
    stream.example(2.0);
    stream.open(2.0, 1, 1.0);
    stream.example(3.0);
    let mut method = Anytime::new(DualAveraging::new(1, ball.clone()), Uniform).certified();
    (0..3).for_each(|_| method.tell(&[1.0]));
    let mean = method.certificate(&ball, Gradients::Fresh).expect("in expectation");
    // α/b = ½ and 2, r + ‖w‖ = 2.5 and 3.
    let deviation = (1.25_f64.powi(2) + 2.5_f64.powi(2) + 18_f64.powi(2)).sqrt();
    let expected = mean.value + boundary(deviation, 18.0, 3.75, 0.1) / 3.0;
    assert_eq!(stream.certificate(&mean, 3.0, 0.1, None).expect("bounded").value, expected);
    risk.open(1.0, 2, 0.5);
    risk.example(4.0, -1.0);
    risk.example(1.0, 0.5);
    risk.open(2.0, 1, 0.0);
    risk.example(2.0, 0.0);
    // Y is 3/2, 3/4 and 4, expected 0, ½·4 and 2·(4 + 1)/2; the ranges ½·(5 + 1.5) and 2·5.
    let deviation = (1.5_f64.powi(2) + 1.25_f64.powi(2) + 1.0).sqrt();
    let expected = 6.25 / 3.0 + boundary(deviation, 10.0, 3.25, 0.1) / 3.0;
    let value = risk.certificate(Gradients::Fresh, 0.1).expect("bounded").value;
    assert!((value - expected).abs() < 1e-12, "{value} {expected}");
}

/// Multiplying the loss by a power of two multiplies its certificates by exactly that power.
#[test]
fn units_of_the_loss_do_not_matter() {
    let ball = Ball::<f64>::new(2.0);
    let values = |unit: f64| {
        let mut method = Anytime::new(DualAveraging::new(3, ball.clone()), Linear).certified();
        let (mut stream, mut risk) = (Stream::new(&ball, 4.0 * unit), Risk::new(9.0 * unit, 4.0 * unit));
        let mut random = Random(2);
        for t in 1..=50_u32 {
            let gradient: Vec<f64> = (0..3).map(|_| unit * random.unit()).collect();
            stream.open(f64::from(t), 1, 1.5);
            // The largest coordinate, for a length without squares.
            stream.example(gradient.iter().copied().fold(0.0, f64::max));
            risk.open(f64::from(t), 1, 0.0);
            risk.example(gradient[0], 0.0);
            method.tell(&gradient);
        }
        let mean = method.certificate(&ball, Gradients::Fresh).expect("in expectation");
        let probable = stream.certificate(&mean, method.total_weight(), 0.1, None).expect("bounded").value;
        [mean.value, probable, risk.certificate(Gradients::Fresh, 0.1).expect("bounded").value]
    };
    for unit in [2f64.powi(330), 2f64.powi(-330), 2f64.powi(600)] {
        assert_eq!(values(unit), values(1.0).map(|value| value * unit));
    }
}

/// The levels of `boundary` equal those of an independent Python program that finds them by bisection with exact sums.
#[test]
fn the_boundary_as_an_independent_program_has_it() {
    let cases = [
        (1e4, 1.0, 1.0, 0.1, 308.7893076316366),
        (3.7e6, 1500.0, 1.0, 0.1, 25415.328195416965),
        (12.5, 0.3, 0.02, 0.01, 15.242677541754919),
        (1e-9, 2e-5, 1e-5, 0.05, 0.00024389179120920022),
    ];
    for (variance, range, first, delta, expected) in cases {
        let level = boundary(f64::sqrt(variance), range, first, delta);
        assert!((level - expected).abs() <= 1e-9 * expected, "{level} {expected}");
    }
}

/// Theorem 1's bound in probability is exceeded in at most a share δ of runs of a one-dimensional problem, L(x) = x/√T on
/// [−1, 1] with slopes ±1 of mean 1/√T, and is at most four times the observed quantile.
#[test]
fn theorem_one_in_probability() {
    const RUNS: usize = 4000;
    const STEPS: u64 = 400;
    let tilt = 1.0 / (STEPS as f64).sqrt();
    let mut random = Random(41);
    let mut beyond: Vec<f64> = (0..RUNS)
        .map(|_| {
            let mut method = Anytime::new(OgdNorm::<f64, _>::new(1, Ball::new(1.0)), Uniform).certified();
            for _ in 0..STEPS {
                let slope = if random.unit() < (1.0 + tilt) / 2.0 { 1.0 } else { -1.0 };
                method.tell(&[slope]);
            }
            let ledger = method.ledger().expect("sums are kept");
            // Against u = −1, the minimiser, not the worst point: that is what the theorem speaks of.
            let regret = ledger.linear() + ledger.gradients()[0];
            let gap = tilt * (wide(&method.output())[0] + 1.0);
            // B·G·√Σα² = 2·√T.
            (gap * STEPS as f64 - regret) / (2.0 * (STEPS as f64).sqrt())
        })
        .collect();
    beyond.sort_by(f64::total_cmp);
    for (delta, low, high) in [(0.1, 0.55, 0.75), (0.01, 1.45, 1.85)] {
        let bound = surefoot::bound::Anytime { regret: 0.0, total: 1.0, squares: 1.0 }.probable(1.0, 1.0, delta);
        let share = beyond.iter().filter(|&&x| x > bound).count() as f64 / RUNS as f64;
        let error = (delta * (1.0 - delta) / RUNS as f64).sqrt();
        assert!(share <= delta + 3.0 * error, "{share} at {delta}");
        // numpy: .63 to .67 and 1.63 to 1.68, so the theorem is not tight, but neither is the test empty.
        let quantile = beyond[((1.0 - delta) * RUNS as f64) as usize];
        assert!((low..high).contains(&quantile), "{quantile} at {delta}");
    }
}

/// The certificate for a strongly convex loss in a ball, from noisy gradients in Algorithm 2 with the minimiser outside of
/// the ball, holds on average, and through `Stream` at all times with probability 1 − δ.
#[test]
fn strong_convexity_in_a_ball_with_noise() {
    const RUNS: u64 = 400;
    let (ball, delta, mu) = (Ball::<f64>::new(1.0), 0.1, 0.5);
    // At the best point of the interval, 1, the loss is ¼(1 − 1.5)².
    let excess = |x: f64| 0.25 * ((x - 1.5).powi(2) - 0.25);
    let (mut wrong, mut naive, mut margins) = (0, 0, Vec::new());
    for seed in 0..RUNS {
        let mut random = Random(7000 + seed);
        let mut method = StronglyConvex::<f64, _, _>::new(1, ball.clone(), mu, Linear);
        // Slopes are at most ½·2.5 + 1.
        let (mut sums, mut stream) = (Curved::new(1, mu), Stream::new(&ball, 2.25));
        let (mut ever, mut fooled, mut last) = (false, false, 0.0);
        for t in 1..=300_u32 {
            let (query, iterate) = (method.at(0), method.iterate().at(0));
            let slope = mu * (query - 1.5) + if random.unit() < 0.5 { 1.0 } else { -1.0 };
            stream.open(f64::from(t), 1, iterate.abs());
            stream.example(slope.abs());
            sums.record(f64::from(t), &[slope], |_| query);
            method.tell(&[slope]);
            let certified =
                sums.certificate_within(&ball, &method.iterate(), Gradients::Fresh).expect("iterates within");
            let probable = stream.certificate(&certified, method.total_weight(), delta, None).expect("bounded");
            let truth = excess(method.output().at(0));
            ever |= truth > probable.value;
            fooled |= truth > certified.value;
            last = certified.value;
        }
        wrong += u64::from(ever);
        naive += u64::from(fooled);
        margins.push(last - excess(method.output().at(0)));
    }
    let mean = margins.iter().sum::<f64>() / RUNS as f64;
    let error = (margins.iter().map(|m| (m - mean).powi(2)).sum::<f64>()).sqrt() / RUNS as f64;
    println!(
        "{wrong} and, in the mean only, {naive} of {RUNS} were ever false; in the mean {mean:e} ± {error:e} above"
    );
    assert!(wrong as f64 <= delta * RUNS as f64 && mean >= -3.0 * error, "{wrong}, {mean} {error}");
    assert!(naive as f64 > 2.0 * delta * RUNS as f64, "{naive}");
}
