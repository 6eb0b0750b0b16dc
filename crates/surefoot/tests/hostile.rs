//! Tests that certificates cover the true excess, computed in high precision, where rounding errors dominate.

#[path = "common/big.rs"]
mod big;
mod common;

use big::Big;
use common::{Random, numbers, wide};
use surefoot::certificate::{
    Balance, Composite, ElasticNet, FullPass, Glm, Gradients, Optimality, fenchel, margin_error,
};
use surefoot::{
    AdaGrad, Anytime, AskTell, Ball, BoxDomain, DenseAnytime, Domain, DualAveraging, Float, FreeGrad, Learner, Linear,
    OgdNorm, Optimistic, Penalised, Proximal, Ridge, Uniform, Vector,
};
use surefoot_oracle::Number;
use surefoot_oracle::vectors::{dot, plus, sum};

/// Least squares with an L2 penalty, Σ ω(m − y)²/2 + (l2/2)‖x‖², on nearly collinear rows far from 0, of which the first
/// two are equal.
struct Far {
    rows: Vec<Vec<f64>>,
    labels: Vec<f64>,
    weights: Vec<f64>,
    l2: f64,
}

impl Far {
    /// Creates a random problem whose column means are about 10^`far` times their standard deviations; `hard` adds row
    /// weights that span 24 orders of magnitude and a tiny penalty.
    fn new(random: &mut Random, far: f64, hard: bool) -> Self {
        let dim = 1 + random.next() as usize % 3;
        let count = dim + 2 + random.next() as usize % 8;
        let spread = 10_f64.powf(8.0 * random.unit() - 4.0);
        let means: Vec<f64> = (0..dim).map(|_| spread * 10_f64.powf(far) * (0.5 + random.unit())).collect();
        let mut rows: Vec<Vec<f64>> =
            (0..count).map(|_| means.iter().map(|m| m + spread * random.normal()).collect()).collect();
        rows[1] = rows[0].clone();
        let size = 10_f64.powf(6.0 * random.unit() - 3.0);
        let labels = (0..count).map(|_| size * random.normal()).collect();
        let most = if hard && random.next().is_multiple_of(2) { 24.0 } else { 0.0 };
        let weights: Vec<f64> = (0..count).map(|_| 10_f64.powf(most * (random.unit() - 0.5))).collect();
        let total: f64 = weights.iter().sum();
        let weights = weights.iter().map(|w| w / total).collect();
        let ridge = if hard { -15.0 * random.unit() } else { 0.0 };
        let l2 = spread * spread * 10_f64.powf(ridge);
        Self { rows, labels, weights, l2 }
    }

    /// Returns the objective at `x` in high precision; with `intercept`, the last coordinate of `x` is the intercept.
    fn value(&self, x: &[Big], intercept: bool) -> Big {
        let half = Big::of(0.5);
        let one = |((row, y), w): ((&Vec<f64>, &f64), &f64)| {
            let margin = dot(&numbers::<Big>(row), x) + if intercept { x[row.len()] } else { Big::of(0.0) };
            let miss = margin - Big::of(*y);
            Big::of(*w) * half * miss * miss
        };
        let penalised = &x[..self.rows[0].len()];
        let rows = self.rows.iter().zip(&self.labels).zip(&self.weights);
        sum(rows.map(one)) + Big::of(self.l2) * half * dot(penalised, penalised)
    }

    /// Returns the minimiser in high precision (the intercept last, if any), by Gaussian elimination of the normal
    /// equations.
    fn best(&self, intercept: bool) -> Vec<Big> {
        let dim = self.rows[0].len();
        let size = dim + usize::from(intercept);
        let mut m = vec![vec![Big::of(0.0); size + 1]; size];
        (0..dim).for_each(|i| m[i][i] = Big::of(self.l2));
        for ((row, y), w) in self.rows.iter().zip(&self.labels).zip(&self.weights) {
            let mut row = numbers::<Big>(row);
            row.extend(intercept.then(|| Big::of(1.0)));
            let all: Vec<Big> = row.iter().copied().chain([Big::of(*y)]).collect();
            for (line, a) in m.iter_mut().zip(&row) {
                *line = plus(line, Big::of(*w) * *a, &all);
            }
        }
        for k in 0..size {
            for i in (0..size).filter(|&i| i != k) {
                let factor = -(m[i][k] / m[k][k]);
                m[i] = plus(&m[i], factor, &m[k].clone());
            }
        }
        (0..size).map(|k| m[k][size] / m[k][k]).collect()
    }
}

impl Glm for Far {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights[i]
    }

    fn row(&self, i: usize, visit: impl FnMut(usize, f64)) {
        self.rows[i].each(visit);
    }

    fn loss(&self, i: usize, margin: f64) -> f64 {
        (margin - self.labels[i]) * (margin - self.labels[i]) / 2.0
    }

    fn slope(&self, i: usize, margin: f64) -> f64 {
        margin - self.labels[i]
    }

    fn conjugate(&self, i: usize, dual: f64) -> f64 {
        dual * dual / 2.0 + dual * self.labels[i]
    }

    fn balance(&self) -> Balance {
        Balance::Shift
    }
}

/// Returns the gap from a single pass over the rows, with margins summed in `f64` and their rounding errors declared.
fn pass(model: &Far, x: &[f64]) -> Optimality {
    let mut pass = FullPass::new(x.len());
    for (i, (row, weight)) in model.rows.iter().zip(&model.weights).enumerate() {
        let terms = row.iter().zip(x).map(|(a, x)| a * x);
        let (margin, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
        let slope = |margin| model.slope(i, margin);
        pass.add(*weight, margin, model.loss(i, margin), slope(margin), row);
        pass.allow(*weight, margin, margin_error(x.len() as f64, size), slope);
    }
    pass.optimality(|j| x[j], &ElasticNet::new(0.0, model.l2)).expect("a ridge")
}

/// Results of many problems: the certificates below the true excess (`failures`), and the largest certificate relative to
/// its objective (`loosest`).
#[derive(Default, Debug)]
struct Tally {
    cases: usize,
    failures: Vec<String>,
    loosest: f64,
}

impl Tally {
    fn note(&mut self, what: &str, far: f64, found: &Optimality, gap: f64) {
        self.cases += 1;
        let claimed = found.certificate.value;
        if claimed.is_nan() || claimed < gap {
            self.failures.push(format!("{what}, mean/spread 1e{far:.1}: {claimed:e} for {gap:e}"));
        }
        self.loosest = self.loosest.max(claimed / found.objective);
    }
}

/// Checks the gaps of [`fenchel`] and [`FullPass`] on random problems, at the minimiser rounded to `f64` and moved by a
/// relative distance `off`.
fn full_passes(seeds: u64, hard: bool, far: impl Fn(&mut Random) -> f64, off: impl Fn(&mut Random) -> f64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..seeds {
        Big::within(|| {
            let mut random = Random(seed);
            let far = far(&mut random);
            let model = Far::new(&mut random, far, hard);
            let net = ElasticNet::new(0.0, model.l2);
            for intercept in [false, true] {
                let best = model.best(intercept);
                let least = model.value(&best, intercept);
                let off = off(&mut random);
                let x: Vec<f64> = best.iter().map(|x| x.narrow() * (1.0 + off * random.normal())).collect();
                let gap = (model.value(&numbers(&x), intercept) - least).narrow();
                let dim = model.rows[0].len();
                let found = fenchel(&model, dim, |j| x[j], intercept.then(|| x[dim]), &net).expect("a ridge");
                tally.note("fenchel", far, &found, gap);
                if !intercept {
                    tally.note("full pass", far, &pass(&model, &x), gap);
                }
            }
        });
    }
    println!("{} cases, up to {:e} of the objective", tally.cases, tally.loosest);
    assert!(tally.failures.is_empty(), "{} of {}:\n{}", tally.failures.len(), tally.cases, tally.failures.join("\n"));
    tally
}

#[test]
fn full_passes_far_from_0() {
    let off = |random: &mut Random| {
        if random.next().is_multiple_of(3) { 0.0 } else { 10_f64.powf(-9.0 * random.unit()) }
    };
    assert_eq!(full_passes(700, true, |random| 15.0 * random.unit(), off).cases, 2100);
}

/// Near 0 the allowances for rounding are small: at the optimum the certified gap is below 1e-6 of the objective.
#[test]
fn full_passes_near_0_say_something() {
    let near = full_passes(200, false, |random| 3.0 * random.unit(), |_| 0.0);
    assert!(near.loosest < 1e-6, "{near:?}");
}

/// The function Σ c_j|x_j − b_j| with exact subgradients; its minimum is 0 at b = `best`, and c = `slopes`.
struct Kinks {
    slopes: Vec<f64>,
    best: Vec<f64>,
}

impl Kinks {
    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let one = |((c, b), x): ((&f64, &f64), &f64)| if x == b { 0.0 } else { c * (x - b).signum() };
        self.slopes.iter().zip(&self.best).zip(x).map(one).collect()
    }

    fn value(&self, x: &[Big]) -> Big {
        let one = |((c, b), x): ((&f64, &f64), &Big)| Big::of(*c) * (*x - Big::of(*b)).abs();
        sum(self.slopes.iter().zip(&self.best).zip(x).map(one))
    }
}

/// Certificates of all kinds of runs cover the true excess where the slopes c_j range from 1e-10 to 1e10, near 0 and far
/// from it.
#[test]
fn ledgers_of_unequal_slopes() {
    const DIM: usize = 4;
    fn hold<F: Float, D: Domain<F>>(
        name: &str,
        mut method: impl AskTell<F>,
        domain: &D,
        kinks: &Kinks,
        failures: &mut Vec<String>,
    ) {
        for t in 1..=60 {
            let query = wide(&method.query());
            let gradient: Vec<F> = kinks.gradient(&query).iter().map(|x| F::of(*x)).collect();
            method.tell(&gradient);
            let claimed = method.certificate(domain, Gradients::Exact).expect("a bounded domain").value;
            let gap = Big::within(|| kinks.value(&numbers(&wide(&method.output()))).narrow());
            // The best point has the value 0.
            if claimed.is_nan() || claimed < gap {
                failures.push(format!("{name}, round {t}: {claimed:e} for {gap:e}"));
            }
        }
    }
    fn each<F: Float>(spread: f64, seeds: u64, failures: &mut Vec<String>) {
        for seed in 0..seeds {
            let mut random = Random(seed);
            let far = if seed % 2 == 0 { 0.0 } else { 1e6 };
            let slopes = (0..DIM).map(|_| F::of(10_f64.powf(spread * (2.0 * random.unit() - 1.0))).wide()).collect();
            let best = (0..DIM).map(|_| F::of(far + 0.4 * (2.0 * random.unit() - 1.0)).wide()).collect();
            let kinks = Kinks { slopes, best };
            let centre = vec![F::of(far); DIM];
            let (ball, cuboid) = (
                Ball::around(centre.clone(), 1.0),
                BoxDomain::new(vec![F::of(far - 1.0); DIM], vec![F::of(far + 1.0); DIM]),
            );
            let dual = || DualAveraging::<F, _>::new(DIM, ball.clone());
            hold("dual", Anytime::new(dual(), Linear).certified(), &ball, &kinks, failures);
            hold("dual, β = 0", Anytime::new(dual(), Uniform).interpolate(0.0).certified(), &ball, &kinks, failures);
            hold("optimistic", Optimistic::over(Anytime::new(dual(), Linear).certified()), &ball, &kinks, failures);
            hold(
                "optimistic, shrunk",
                Optimistic::over(Anytime::new(dual(), Linear).certified()).shrunk(),
                &ball,
                &kinks,
                failures,
            );
            hold("ogd", Anytime::new(OgdNorm::new(DIM, ball.clone()), Uniform).certified(), &ball, &kinks, failures);
            hold(
                "free grad",
                Anytime::new(FreeGrad::new(DIM, ball.clone()), Uniform).certified(),
                &ball,
                &kinks,
                failures,
            );
            let proximal = DenseAnytime::new(Proximal::new(DIM, ball.clone()), Linear).certified();
            hold("proximal", Optimistic::over(proximal), &ball, &kinks, failures);
            hold(
                "adagrad",
                Anytime::new(AdaGrad::new(DIM, cuboid.clone()), Linear).certified(),
                &cuboid,
                &kinks,
                failures,
            );
        }
    }
    let mut failures = Vec::new();
    each::<f64>(10.0, 60, &mut failures);
    each::<f32>(8.0, 30, &mut failures);
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures[..failures.len().min(20)].join("\n"));
}

/// Certificates of ridge learners cover the true excess of Σ c_j|x_j − b_j| + (μ/2)‖x‖², whose minimiser is b_j clipped to
/// ±c_j/μ.
#[test]
fn ledgers_with_a_ridge() {
    const DIM: usize = 4;
    for seed in 0..150 {
        let mut random = Random(seed);
        let slopes: Vec<f64> = (0..DIM).map(|_| 10_f64.powf(20.0 * random.unit() - 10.0)).collect();
        let best: Vec<f64> = (0..DIM).map(|_| 0.4 * (2.0 * random.unit() - 1.0)).collect();
        let mu = 10_f64.powf(6.0 * random.unit() - 3.0);
        let kinks = Kinks { slopes, best };
        let ball = Ball::<f64>::new(1.0);
        let mut method = Anytime::new(Ridge::new(DIM, ball, mu), Linear);
        let mut sums = Composite::new(DIM);
        for t in 1..=60_u32 {
            let query = wide(&method.query());
            let (gradient, learner) = (kinks.gradient(&query), method.learner());
            sums.record(f64::from(t), &gradient, |i| learner.at(i), learner.present());
            method.tell(&gradient);
            let penalty = method.learner().penalty();
            let claimed = sums.certificate(method.total_weight(), &penalty, Gradients::Exact).expect("a ridge").value;
            let gap = Big::within(|| {
                let value = |x: &[Big]| kinks.value(x) + Big::of(mu) * Big::of(0.5) * dot(x, x);
                let edge = |c: f64| Big::of(c) / Big::of(mu);
                let least = |(c, b): (&f64, &f64)| Big::of(*b).clamp(-edge(*c), edge(*c));
                let least: Vec<Big> = kinks.slopes.iter().zip(&kinks.best).map(least).collect();
                (value(&numbers(&wide(&method.output()))) - value(&least)).narrow()
            });
            assert!(claimed >= gap, "{seed}, round {t}: {claimed:e} for {gap:e}");
        }
    }
}
