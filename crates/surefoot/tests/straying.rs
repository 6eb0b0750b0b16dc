//! Tests that Algorithm 2 on the whole space reports `Status::Strayed` while its guarantee is void because its iterates explode,
//! and that a ball as the domain prevents this.

use surefoot::{
    AskTell, Ball, Float, General, Leader, Linear, Point, Sparse, Status, StronglyConvex, Uniform, Weights, WholeSpace,
};

const DIM: usize = 20;

/// The quadratic ½Σ c_i(x_i − best)² with curvatures c_i from 1 to `steepness`.
struct Bowl {
    curvatures: Vec<f64>,
    best: f64,
}

impl Bowl {
    fn new(steepness: f64) -> Self {
        let curvatures = (0..DIM).map(|i| steepness.powf(i as f64 / (DIM - 1) as f64)).collect();
        Self { curvatures, best: (1.0 / DIM as f64).sqrt() }
    }

    fn gradient(&self, x: impl Fn(usize) -> f64) -> Vec<f64> {
        self.curvatures.iter().enumerate().map(|(i, c)| c * (x(i) - self.best)).collect()
    }

    fn excess(&self, x: impl Fn(usize) -> f64) -> f64 {
        self.curvatures.iter().enumerate().map(|(i, c)| 0.5 * c * (x(i) - self.best).powi(2)).sum()
    }

    /// Returns the norm of the gradient at the start, 0.
    fn slope(&self) -> f64 {
        self.gradient(|_| 0.0).iter().map(|g| g * g).sum::<f64>().sqrt()
    }
}

fn narrow<F: Float>(x: &[f64]) -> Vec<F> {
    x.iter().map(|&x| F::of(x)).collect()
}

/// Runs the method and returns its excess loss and its status after each round.
fn run(mut method: impl AskTell<f64>, bowl: &Bowl, rounds: usize) -> Vec<(f64, Status)> {
    let mut trace = Vec::new();
    for _ in 0..rounds {
        let gradient = bowl.gradient(|i| method.at(i));
        method.tell(&gradient);
        trace.push((bowl.excess(|i| method.output().at(i)), method.status()));
    }
    trace
}

/// Wherever the excess is above what the first gradient guarantees for the start, the status is `Strayed`; runs that recover end as
/// `Sound`.
#[test]
fn a_run_that_explodes_says_so() {
    fn check(weights: impl Weights + Copy, steepness: f64, returns: bool) {
        let bowl = Bowl::new(steepness);
        let start = bowl.slope().powi(2) / 2.0;
        for trace in [
            run(StronglyConvex::new(DIM, WholeSpace::new(1.0), 1.0, weights), &bowl, 3000),
            run(General::new(Leader::new(DIM, WholeSpace::new(1.0), 1.0), weights), &bowl, 3000),
        ] {
            for (t, (excess, status)) in (1..).zip(&trace) {
                assert!(*excess <= start || *status == Status::Strayed, "{steepness}, {t}: {excess:e} {status:?}");
            }
            let exploded = trace.iter().any(|(excess, _)| *excess > 10.0 * start);
            assert_eq!(exploded, steepness > 50.0, "{steepness}");
            assert_eq!(trace[2999].1 == Status::Sound, returns, "{steepness}: {:?}", trace[2999]);
        }
    }
    check(Linear, 3.0, true);
    check(Linear, 10.0, true);
    check(Linear, 100.0, false);
    check(Linear, 1000.0, false);
    check(Uniform, 3.0, true);
    check(Uniform, 100.0, false);
}

/// The excess never exceeds the bound that `promised` returns, for exact gradients, in a ball and on the whole space.
#[test]
fn what_is_promised_is_kept() {
    fn check<D: surefoot::Radial<f64>>(mut method: StronglyConvex<f64, D, Linear>, bowl: &Bowl) {
        for t in 1..=2000 {
            let gradient = bowl.gradient(|i| method.at(i));
            method.tell(&gradient);
            let excess = bowl.excess(|i| method.output().at(i));
            assert!(excess <= method.promised() * (1.0 + 1e-12), "{t}: {excess:e} {:e}", method.promised());
        }
    }
    for steepness in [2.0, 100.0, 1e4] {
        let bowl = Bowl::new(steepness);
        check(StronglyConvex::new(DIM, WholeSpace::new(1.0), 1.0, Linear), &bowl);
        check(StronglyConvex::new(DIM, Ball::new(2.0), 1.0, Linear), &bowl);
    }
}

/// A ball whose radius is the norm of the first gradient contains the minimiser, never strays, and keeps the 1/T rate, at any
/// curvature.
#[test]
fn the_ball_of_one_gradient_is_enough() {
    for steepness in [10.0, 100.0, 1000.0] {
        let bowl = Bowl::new(steepness);
        let trace = run(StronglyConvex::new(DIM, Ball::new(bowl.slope()), 1.0, Linear), &bowl, 16_384);
        assert!(trace.iter().all(|(_, status)| *status == Status::Sound));
        // G is at most the steepness times the diameter.
        let largest = 2.0 * steepness * bowl.slope();
        for (t, (excess, _)) in (1..).zip(&trace) {
            assert!(*excess <= 8.0 / 3.0 * largest * largest / f64::from(t + 1), "{steepness}, {t}: {excess:e}");
        }
        assert!(trace[16_383].0 < 1e-5, "{steepness}: {:e}", trace[16_383].0);
    }
}

/// Gradients of single rows, rounds without a gradient and equal weights do not make the status `Strayed`, in `f32` and `f64`.
#[test]
fn noise_is_no_alarm() {
    fn check<F: Float>() {
        let mut method = StronglyConvex::<F, _, _>::new(4, WholeSpace::new(1.0), 1.0, Uniform);
        for t in 0..500_u32 {
            let i = t % 5; // the last is none
            let slope = if i < 4 { 4.0 * (method.at(i as usize).wide() - 1.0) } else { 0.0 };
            method.tell(&Sparse::new(&[i.min(3)], &narrow::<F>(&[slope])));
        }
        assert_eq!(method.status(), Status::Sound);
    }
    check::<f64>();
    check::<f32>();
}
