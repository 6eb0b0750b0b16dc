//! Tests that parameter-free learners need no radius, on streaming logistic regression, and that their steps do not
//! depend on the dimension.

mod common;

use common::{Random, wide};
use surefoot::{
    AdaGrad, Anytime, AskTell, Average, Ball, BoxDomain, CoinBetting, Constrained, DiagonalFreeGrad, DiagonalProximal,
    FreeGrad, Lazy, Learner, Magnitude, OgdNorm, Proximal, SignedHedge, Sparse, Uniform, Vector, WholeSpace,
};
use surefoot_oracle::vectors::{dot, norm, plus, times};

const DIM: usize = 20;
const ROWS: usize = 4000;
const ROUNDS: usize = 10_000;
const SEEDS: u64 = 40;

/// Logistic regression on rows in the unit ball, with labels drawn from a logistic model with weights of norm 6.
struct Logistic {
    rows: Vec<Vec<f64>>,
    labels: Vec<f64>,
}

impl Logistic {
    fn new() -> Self {
        let mut random = Random(3);
        let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| random.normal()).collect() };
        let rows: Vec<Vec<f64>> = (0..ROWS).map(|_| draw(DIM)).collect();
        let truth = draw(DIM);
        let truth = times(6.0 / norm(&truth), &truth);
        let most = rows.iter().map(|row| norm(row)).fold(0.0, f64::max);
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| times(1.0 / most, row)).collect();
        let label = |row: &Vec<f64>| if random.unit() < 1.0 / (1.0 + (-dot(row, &truth)).exp()) { 1.0 } else { -1.0 };
        let labels = rows.iter().map(label).collect();
        Self { rows, labels }
    }

    fn loss(&self, x: &[f64]) -> f64 {
        let one = |(row, y): (&Vec<f64>, &f64)| (-y * dot(row, x)).exp().ln_1p();
        self.rows.iter().zip(&self.labels).map(one).sum::<f64>() / ROWS as f64
    }

    /// Returns the derivative of the logistic loss with respect to the margin.
    fn slope(label: f64, margin: f64) -> f64 {
        -label / (1.0 + (label * margin).exp())
    }

    /// Returns the minimiser of the mean loss, by Newton's method.
    fn minimiser(&self) -> Vec<f64> {
        let mut x = vec![0.0; DIM];
        for _ in 0..30 {
            let mut system = vec![vec![0.0; DIM + 1]; DIM];
            for (row, y) in self.rows.iter().zip(&self.labels) {
                let s = Self::slope(*y, dot(row, &x));
                let bend = s.abs() * (1.0 - s.abs());
                for i in 0..DIM {
                    for j in 0..DIM {
                        system[i][j] += bend * row[i] * row[j];
                    }
                    system[i][DIM] += s * row[i];
                }
            }
            x = plus(&x, -1.0, &solve(system));
        }
        x
    }
}

/// Solves a linear system with a positive definite matrix by Gauss–Jordan elimination; the last column of `system` is
/// the right-hand side.
fn solve(mut system: Vec<Vec<f64>>) -> Vec<f64> {
    for k in 0..system.len() {
        let pivot = times(1.0 / system[k][k], &system[k]);
        for (i, row) in system.iter_mut().enumerate() {
            *row = if i == k { pivot.clone() } else { plus(row, -row[k], &pivot) };
        }
    }
    system.iter().map(|row| row[row.len() - 1]).collect()
}

/// Returns the excess loss of the final output, averaged over streams of rows drawn with replacement; `best` is the
/// minimum.
fn gap<L: Lazy<f64>>(problem: &Logistic, best: f64, learner: impl Fn() -> L) -> f64 {
    let mut sum = 0.0;
    for seed in 0..SEEDS {
        let mut random = Random(1000 + seed);
        let mut method = Anytime::new(learner(), Uniform);
        for _ in 0..ROUNDS {
            let i = (random.next() % ROWS as u64) as usize;
            let slope = Logistic::slope(problem.labels[i], method.dot(&problem.rows[i]));
            method.tell(&problem.rows[i].times(slope));
        }
        sum += problem.loss(&wide(&method.output())) - best;
    }
    sum / SEEDS as f64
}

/// A learner built on a base with a bounded domain has no regret bound against points outside of that domain.
#[test]
fn no_bound_beyond_the_domain_of_the_base() {
    fn told<L: Learner<f64>>(mut learner: L) -> L {
        (0..50).for_each(|_| learner.tell(1.0, &[-1.0]));
        learner
    }
    // The regret against u = 5 grows by 4 a round and more, whatever bases of radius 1 promise for themselves.
    let five = || Ball::<f64>::new(5.0);
    assert_eq!(told(Constrained::new(OgdNorm::new(1, Ball::new(1.0)), five())).regret_bound(), None);
    assert_eq!(told(Constrained::new(FreeGrad::new(1, Ball::new(1.0)), five())).regret_bound(), None);
    assert_eq!(told(Constrained::new(CoinBetting::new(1, BoxDomain::cube(1, 1.0), 1.0), five())).regret_bound(), None);
    assert_eq!(told(Constrained::new(DiagonalFreeGrad::new(1, BoxDomain::cube(1, 1.0)), five())).regret_bound(), None);
    assert_eq!(told(Constrained::new(Proximal::new(1, Ball::new(1.0)), five())).regret_bound(), None);
    assert_eq!(told(Constrained::new(AdaGrad::new(1, BoxDomain::cube(1, 1.0)), five())).regret_bound(), None);
    for distance in [0.5, 1.0] {
        assert!(told(OgdNorm::new(1, Ball::<f64>::new(1.0))).regret_bound_at(distance).is_some());
        assert!(told(FreeGrad::new(1, Ball::<f64>::new(1.0))).regret_bound_at(distance).is_some());
        assert!(told(DiagonalFreeGrad::new(1, BoxDomain::<f64>::cube(1, 1.0))).regret_bound_at(distance).is_some());
    }
    let magnitude = |base: Ball<f64>| Magnitude::new(FreeGrad::new(1, base), SignedHedge::<f64>::new(1, 1.0));
    assert_eq!(told(magnitude(Ball::new(1.0))).regret_bound_at(5.0), None);
    assert!(told(magnitude(Ball::new(1.0))).regret_bound_at(1.0).is_some());
    // Magnitudes that start at 4 are 4 from that of u = 0, more than their interval has.
    assert_eq!(told(magnitude(Ball::around(vec![4.0], 3.0))).regret_bound_at(5.0), None);
    assert!(told(magnitude(Ball::around(vec![4.0], 4.5))).regret_bound_at(5.0).is_some());
    // A base with room enough keeps its bound, and it holds.
    let wide = told(Constrained::new(OgdNorm::new(1, Ball::new(6.0)), five()));
    assert!(wide.regret_bound().is_some_and(|bound| bound.is_finite()));
}

#[test]
fn a_guess_of_the_radius_does_not_matter() {
    let problem = Logistic::new();
    let solution = problem.minimiser();
    let (best, radius) = (problem.loss(&solution), norm(&solution));
    let tuned = gap(&problem, best, || OgdNorm::new(DIM, Ball::new(radius)));
    let wrong = gap(&problem, best, || OgdNorm::new(DIM, Ball::new(100.0 * radius)));
    println!("|x*| = {radius:.2}: ogd {tuned:.2e}, with 100 times the radius {wrong:.2e}");
    assert!(wrong > 20.0 * tuned);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for guess in [1e-3, 1e-2, 0.1, 1.0, 10.0] {
        let free = gap(&problem, best, || FreeGrad::new(DIM, WholeSpace::new(guess)));
        let diagonal = gap(&problem, best, || DiagonalFreeGrad::new(DIM, WholeSpace::new(guess)));
        println!("guess {guess:5}: free grad {free:.2e}, diagonal {diagonal:.2e}");
        (least, most) = (least.min(free), most.max(free));
    }
    assert!(most <= 2.0 * least, "{least:e} to {most:e}");
    assert!(most <= 3.0 * tuned, "{most:e} against {tuned:e}");
}

/// Returns how many coordinates move in total, and how often the sparse average is rescaled, over a sparse stream whose
/// features do not depend on the dimension.
fn touched<L: Lazy<f64>>(mut learner: L) -> (usize, usize) {
    let (mut average, mut total) = (Average::new(learner.dim()), 0.0);
    let (mut random, mut touched, mut rebased) = (Random(7), 0, 0);
    for _ in 0..3000 {
        let mut indices: Vec<u32> = (0..8).map(|_| (random.next() % 1000) as u32).collect();
        indices.sort_unstable();
        indices.dedup();
        let values: Vec<f64> = indices.iter().map(|_| random.normal()).collect();
        let row = Sparse::new(&indices, &values);
        let mut margin = 0.0;
        row.each(|i, x| margin += x * learner.at(i));
        // As the conversion does it.
        total += 1.0;
        average.advance(learner.scale());
        let fresh = total * learner.scale();
        if average.is_stale(fresh) {
            rebased += 1;
            average.rebase(fresh, |i| learner.direction(i));
        }
        let slope = margin.tanh() - 0.5 * values[0].signum();
        learner.tell_moved(1.0, &row.times(slope), |i, old| {
            touched += 1;
            average.touch(i, old);
        });
    }
    (touched, rebased)
}

#[test]
fn a_step_touches_no_more_in_a_million_dimensions() {
    fn same<L: Lazy<f64>>(name: &str, learner: impl Fn(usize) -> L) {
        let (few, many) = (touched(learner(1 << 10)), touched(learner(1 << 20)));
        println!("{name:20} touches {} coordinates, rebases {} times", few.0, few.1);
        assert_eq!(few, many, "{name}");
        assert!(few.0 > 20_000 && few.0 <= 24_000 && few.1 <= 20, "{name}: {few:?}");
    }
    same("free grad", |dim| FreeGrad::new(dim, WholeSpace::new(1.0)));
    same("free grad, ball", |dim| FreeGrad::new(dim, Ball::new(1.0)));
    same("diagonal free grad", |dim| DiagonalFreeGrad::new(dim, WholeSpace::new(1.0)));
    same("coins", |dim| CoinBetting::new(dim, WholeSpace::new(1.0), 10.0));
    same("diagonal proximal", |dim| DiagonalProximal::new(dim, BoxDomain::cube(dim, 1.0)));
    same("magnitude", |dim| {
        Magnitude::new(FreeGrad::<f64, _>::new(1, WholeSpace::new(1.0)), OgdNorm::new(dim, Ball::new(1.0)))
    });
}

/// `Magnitude` over scale-free learners is scale-free: scaling gradients by a power of two leaves all iterates the
/// same, bit for bit.
#[test]
fn a_power_of_two_changes_no_bit_of_a_reduction() {
    let play = |power: i32| -> Vec<u64> {
        let size = FreeGrad::<f64, _>::new(1, WholeSpace::new(0.5));
        let mut learner = Magnitude::new(size, OgdNorm::<f64, _>::new(4, Ball::new(1.0)));
        let (mut random, mut bits) = (Random(5), Vec::new());
        for _ in 0..500 {
            let gradient: Vec<f64> = (0..4).map(|_| (random.normal() + 0.3) * 2_f64.powi(power)).collect();
            learner.tell(1.0, &gradient);
            bits.extend((0..4).map(|i| Learner::<f64>::at(&learner, i).to_bits()));
        }
        bits
    };
    for power in [-500, -40, 1, 500] {
        assert!(play(power) == play(0), "2^{power}");
    }
}

/// Under a gradient that never changes, unconstrained learners go as far as 2^100 without overflow, and they return
/// once it reverses.
#[test]
fn a_gradient_that_never_changes() {
    fn away<L: Learner<f64>>(mut learner: L) {
        for _ in 0..20_000 {
            learner.tell(1.0, &[-1.0]);
        }
        assert!(learner.at(0) > 1e29 && learner.at(0) <= 1.0001 * 2_f64.powi(100), "{}", learner.at(0));
        (0..60_000).for_each(|_| learner.tell(1.0, &[1.0]));
        assert!(learner.at(0) < 0.0);
    }
    away(FreeGrad::new(1, WholeSpace::new(1.0)));
    away(DiagonalFreeGrad::new(1, WholeSpace::new(1.0)));
    away(CoinBetting::new(1, WholeSpace::new(1.0), 1.0));
}
