//! Tests that certificates stay valid for points so far from 0 that rounding them changes the loss by more than their
//! excess.

use surefoot::certificate::{Balance, Composite, Curved, Cuts, FullPass, Glm, Gradients, Inside, Penalty, fenchel};
use surefoot::{
    Anytime, AskTell, Ball, General, Leader, Learner, Linear, OgdNorm, Penalised, Point, Ridge, Sparse, StronglyConvex,
    Uniform,
};

const FAR: f64 = 1e6;
const DIM: usize = 3;
/// Minimiser of the test losses, near 10⁶, where neighbouring `f32` numbers are 1/16 apart; it lies between them.
const BEST: [f64; DIM] = [FAR + 0.03, FAR - 0.34, FAR + 0.71];

fn read(point: &impl Point<f32>) -> Vec<f64> {
    (0..DIM).map(|i| f64::from(point.at(i))).collect()
}

fn away(x: &[f64]) -> Vec<f64> {
    x.iter().zip(BEST).map(|(x, best)| x - best).collect()
}

fn narrow(x: &[f64]) -> Vec<f32> {
    x.iter().map(|&x| x as f32).collect()
}

/// Returns ½‖x − best‖² at a point of `f32` coordinates, where the excess loss is known to the last digit.
fn bowl(x: &[f64]) -> f64 {
    away(x).iter().map(|d| d * d / 2.0).sum()
}

/// Far from 0 in `f32`, the certificate for strongly convex losses covers the true excess up to a relative 1e-7, for
/// the rounding of gradients, and stays small.
#[test]
fn curvature_far_away_in_f32() {
    fn run<A: AskTell<f32>>(mut method: A) {
        let mut sums = Curved::new(DIM, 1.0);
        let mut loosest = 0.0_f64;
        for t in 1..=3000_u32 {
            let (weight, query) = (f64::from(t), read(&method.query()));
            let gradient = narrow(&away(&query));
            sums.record(weight, &gradient, |i| query[i] as f32);
            method.tell(&gradient);
            let certificate = sums.certificate(Gradients::Exact).expect("rounds").value;
            let (excess, output) = (bowl(&query), bowl(&read(&method.output())));
            let slack = 1e-7 * excess;
            assert!(certificate >= excess - slack && certificate >= output - slack, "{t}: {certificate:e} {excess:e}");
            loosest = if t > 100 { loosest.max(certificate) } else { loosest };
        }
        // The points are as good as f32 has them, and the certificate says so: half the squared spacing in each, and more.
        assert!(loosest < 0.5, "{loosest}");
    }
    let start = || Ball::around(vec![FAR as f32; DIM], 2.0);
    run(General::new(Leader::<f32, _>::new(DIM, start(), 1.0), Linear));
    run(StronglyConvex::<f32, _, _>::new(DIM, start(), 1.0, Linear));
}

/// Far from 0 in `f32`, the certificate for strongly convex losses in a small ball covers the true excess, where the
/// best point lies on the ball's boundary.
#[test]
fn curvature_in_a_small_ball_far_away_in_f32() {
    const RADIUS: f64 = 0.25;
    let ball = Ball::around(vec![FAR as f32; DIM], RADIUS);
    let distance = BEST.iter().map(|best| (best - FAR).powi(2)).sum::<f64>().sqrt();
    let least = (distance - RADIUS).powi(2) / 2.0;
    let mut method = StronglyConvex::<f32, _, _>::new(DIM, ball.clone(), 1.0, Linear);
    let (mut sums, mut loosest) = (Curved::new(DIM, 1.0), 0.0_f64);
    for t in 1..=3000_u32 {
        let query = read(&method.query());
        let gradient = narrow(&away(&query));
        sums.record(f64::from(t), &gradient, |i| query[i] as f32);
        method.tell(&gradient);
        let certified = sums.certificate_within(&ball, &method.iterate(), Gradients::Exact).expect("rounds").value;
        let (excess, output) = (bowl(&query) - least, bowl(&read(&method.output())) - least);
        assert!(certified >= excess.max(output) - 1e-7, "{t}: {certified:e} {excess:e}");
        loosest = if t > 100 { loosest.max(certified) } else { loosest };
    }
    assert!(loosest < 0.25, "{loosest}");
}

/// Far from 0 in `f32`, certificates for ‖x − best‖_1 cover the true excess: from regret and from cuts within a ball,
/// and from [`Composite`] with an L2 penalty.
#[test]
fn regret_far_away_in_f32() {
    let ball = Ball::around(vec![FAR as f32; DIM], 2.0);
    let loss = |x: &[f64]| away(x).iter().map(|d| d.abs()).sum::<f64>();
    let slopes = |x: &[f64]| narrow(&away(x).iter().map(|d| d.signum()).collect::<Vec<_>>());
    let mut plain = Anytime::new(OgdNorm::new(DIM, ball.clone()), Uniform).certified();
    let mut ridge = Anytime::new(Ridge::new(DIM, ball.clone(), 0.5), Linear);
    let first = ridge.learner().clone();
    let penalty = first.penalty();
    let omega = |x: &[f64]| penalty.value(DIM, |i| x[i]);
    // |d| + ¼(d + best − far)² is least at 0, as the slope of the square is below 1 there.
    let least = omega(&BEST);
    let (mut sums, mut cuts) = (Composite::new(DIM), Cuts::new(DIM, Inside::new(&ball)));
    for t in 1..=3000_u32 {
        let query = read(&plain.query());
        cuts.record(1.0, loss(&query), &slopes(&query), |i| query[i] as f32);
        plain.tell(&slopes(&query));
        let excess = loss(&read(&plain.output()));
        assert!(plain.certificate(&ball, Gradients::Exact).expect("a ball").value >= excess);
        cuts.tighten();
        assert!(cuts.floor() <= 0.0 && cuts.certificate(excess).expect("cut").value >= excess);
        let query = read(&ridge.query());
        let learner = ridge.learner();
        sums.record(f64::from(t), &slopes(&query), |i| learner.at(i), learner.present());
        ridge.tell(&slopes(&query));
        let output = read(&ridge.output());
        let certificate = sums.certificate(ridge.total_weight(), &penalty, Gradients::Exact).expect("a penalty").value;
        let excess = loss(&output) + omega(&output) - least;
        assert!(certificate >= excess, "{t}: {certificate:e} {excess:e}");
    }
}

/// A model with loss |m| on one row whose margin cancels: it is computed as 0 but is 2.8e-11, since 0.1 + 0.2 is not
/// 0.3 in binary.
struct Cancelling;

const ROW: [f64; 3] = [0.1, 0.2, -0.3];
/// The exact margin Σ a_j·10⁶, with the binary values of a = (0.1, 0.2, −0.3).
const TRUTH: f64 = 2.775557561562891e-11;

impl Glm for Cancelling {
    fn rows(&self) -> usize {
        1
    }

    fn weight(&self, _: usize) -> f64 {
        1.0
    }

    fn row(&self, _: usize, mut visit: impl FnMut(usize, f64)) {
        ROW.iter().enumerate().for_each(|(j, &a)| visit(j, a));
    }

    fn loss(&self, _: usize, margin: f64) -> f64 {
        margin.abs()
    }

    fn slope(&self, _: usize, margin: f64) -> f64 {
        if margin == 0.0 { 0.0 } else { margin.signum() }
    }

    fn conjugate(&self, _: usize, _: f64) -> f64 {
        0.0
    }

    fn balance(&self) -> Balance {
        Balance::Scale
    }
}

#[test]
fn a_margin_that_cancels() {
    let ball = Ball::<f64>::new(2.0 * FAR);
    let found = fenchel(&Cancelling, 3, |_| FAR, None, &Inside::new(&ball)).expect("a ball");
    assert_eq!(found.objective, 0.0, "which is not true");
    assert!((TRUTH..1e-8).contains(&found.certificate.value), "{:e}", found.certificate.value);
}

/// The gap from a single pass covers the true gap where gradients cancel to the last digit at a point far from 0.
#[test]
fn gradients_that_cancel_in_a_full_pass() {
    let ball = Ball::<f64>::new(2.0 * FAR);
    let (mut pass, mut truth) = (FullPass::new(1), 0.0);
    // Slopes 0.1 ten times and −1 once: the sum is 0 − 2^−53·…, in floating point −1.1e-16, and truly 5.6e-17.
    for _ in 0..10 {
        pass.add(1.0, FAR, 0.0, 0.1, &Sparse::new(&[0_u32], &[1.0]));
        truth += 5.551115123125783e-18;
    }
    pass.add(1.0, FAR, 0.0, -1.0, &Sparse::new(&[0_u32], &[1.0]));
    let gap = (2.0 * FAR + FAR) * truth / 11.0;
    let found = pass.optimality(|_| FAR, &Inside::new(&ball)).expect("a ball");
    assert!((gap..1e-8).contains(&found.certificate.value), "{:e} {gap:e}", found.certificate.value);
}
