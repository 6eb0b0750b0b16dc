//! Tests at the limits of the floating-point range: a gradient that would cause overflow is refused and changes nothing
//! else.

mod common;

use std::fmt::Debug;

use common::methods::{Methods, Play, methods};
use common::{Random, Visit, kept, wide};
use surefoot::{
    AdaGrad, Anytime, AskHintTell, AskTell, Ball, BoxDomain, DenseAnytime, Descent, DiagonalProximal, DualAveraging,
    Float, FreeGrad, General, Hedge, Hinted, L1Ball, Lazy, Leader, Learner, Linear, Magnitude, OgdNorm, Optimistic,
    PNorm, Proximal, Ridge, SignedHedge, SkipError, Sparse, Status, StronglyConvex, Uniform, WholeSpace,
};
use surefoot_oracle::{Domain, Learner as Twin};

const DIM: usize = 12;

/// Returns the method's `Debug` output without its status, to check that a refused gradient changes nothing else.
fn state<F: Float, A: AskTell<F> + Debug>(method: &A) -> String {
    format!("{method:?}").replace(&format!("{:?}", kept(method)), "")
}

fn finite<F: Float, A: AskTell<F>>(method: &A) -> bool {
    wide(&method.query()).iter().chain(&wide(&method.output())).all(|x| x.is_finite())
}

/// Tells random gradients of the given sizes, in turn, and checks that points stay finite, refusals change nothing, and the
/// status names the first refusal. Returns the number of accepted rounds, at most 61.
fn hold<F: Float, A: AskTell<F> + Clone + Debug>(name: &str, mut method: A, sizes: &[f64]) -> u64 {
    let (mut random, mut refused) = (Random(9), None);
    for t in 0..60 {
        let size = sizes[t % sizes.len()];
        let gradient: Vec<F> = (0..method.dim()).map(|_| F::of(size * (2.0 * random.unit() - 0.9))).collect();
        let (before, steps) = (state(&method), method.steps());
        method.tell(&gradient);
        if method.steps() == steps {
            assert_eq!(state(&method), before, "{name}, {t}: refused, and yet");
            refused = refused.or(Some(steps + 1));
        }
        assert!(finite(&method), "{name}, {t}, {size:e}");
    }
    match method.status() {
        Status::Sound | Status::Strayed => assert_eq!(refused, None, "{name}"),
        Status::Refused { step, index } => assert!(refused == Some(step) && index.is_some(), "{name}"),
    }
    // It goes on with what fits.
    let steps = method.steps();
    method.tell(&vec![F::zero(); method.dim()]);
    assert!(method.steps() == steps + 1 && finite(&method), "{name}");
    method.steps()
}

struct Edge {
    seen: usize,
    refusals: usize,
}

impl Edge {
    fn all<F: Float, A: AskTell<F> + Clone + Debug>(&mut self, name: &str, method: &A) {
        let most = F::max_value().wide();
        for sizes in [
            &[most][..],
            &[most / 4.0],
            &[most / 1e10],
            &[1.0, most / 100.0],
            &[1e-30, most / 1e6, 0.0, most / 2.0],
            &[most.sqrt(), most],
            &[F::min_positive_value().wide(), most / 1e6],
        ] {
            self.seen += 1;
            self.refusals += usize::from(hold(name, method.clone(), sizes) < 61);
        }
    }
}

impl<F: Float> Visit<F> for Edge {
    fn lazy<L: Lazy<F> + Clone + Debug>(&mut self, name: &str, learner: L, _: &dyn Fn() -> Box<dyn Twin>, _: &Domain) {
        self.all(name, &Anytime::new(learner.clone(), Uniform));
        self.all(name, &Anytime::new(learner, Linear).interpolate(0.5));
    }

    fn dense<L: Learner<F> + Clone + Debug>(
        &mut self,
        name: &str,
        learner: L,
        _: &dyn Fn() -> Box<dyn Twin>,
        _: &Domain,
    ) {
        self.all(name, &DenseAnytime::new(learner, Linear));
    }
}

impl<F: Float> Methods<F> for Edge {
    fn rounds(&self) -> u64 {
        60
    }

    fn method<A: AskTell<F> + Clone + Debug>(&mut self, name: &str, method: A, _: Play) {
        self.all(name, &method);
    }
}

#[test]
fn no_learner_leaves_the_range_of_numbers() {
    let mut edge = Edge { seen: 0, refusals: 0 };
    common::learners::<f64>(DIM, &mut edge);
    assert!(edge.refusals > edge.seen / 3, "{} of {}", edge.refusals, edge.seen);
    common::learners::<f32>(DIM, &mut edge);
}

#[test]
fn no_conversion_leaves_the_range_of_numbers() {
    let mut edge = Edge { seen: 0, refusals: 0 };
    methods::<f64>(DIM, 1.0, &mut edge);
    assert!(edge.refusals > edge.seen / 3, "{} of {}", edge.refusals, edge.seen);
    methods::<f32>(DIM, 1.0, &mut edge);
    methods::<f64>(8, 1.0, &mut edge);
}

/// With a radius near the largest number a learner refuses gradients and stays where it is; with smaller radii it works.
#[test]
fn radii_at_the_end_of_the_range() {
    fn run<F: Float, A: AskTell<F> + Clone + Debug>(name: &str, radius: f64, method: A) {
        let fits = hold(name, method, &[1.0]) == 61;
        assert_eq!(fits, radius < F::max_value().wide() * 1e-14, "{name}, {radius:e}");
    }
    fn both<F: Float>(radii: &[f64]) {
        for &r in radii {
            let (ball, cube) = (|| Ball::<F>::new(r), || BoxDomain::cube(2, F::of(r)));
            run("ogd", r, Anytime::new(OgdNorm::new(2, ball()), Uniform));
            run("dual", r, Anytime::new(DualAveraging::new(2, ball()), Uniform));
            run("free grad", r, Anytime::new(FreeGrad::new(2, ball()), Uniform));
            run("free grad, whole", r, Anytime::new(FreeGrad::<F, _>::new(2, WholeSpace::new(r)), Uniform));
            run("adagrad", r, Anytime::new(AdaGrad::new(2, cube()), Uniform));
            run("diagonal proximal", r, Anytime::new(DiagonalProximal::new(2, cube()), Uniform));
            run("descent", r, DenseAnytime::new(Descent::new(2, ball()), Uniform));
            run("proximal", r, DenseAnytime::new(Proximal::new(2, ball()), Uniform));
            run("proximal, L1", r, DenseAnytime::new(Proximal::<F, _>::new(2, L1Ball::new(r)), Uniform));
            run("signed hedge", r, DenseAnytime::new(SignedHedge::<F>::new(2, r), Uniform));
            run("p-norm", r, DenseAnytime::new(PNorm::<F>::new(2, r), Uniform));
        }
    }
    both::<f64>(&[1e200, 8e307]);
    both::<f32>(&[1e20, 1.5e38]);
}

/// Points stay finite for hints near the largest number, and where hints are so accurate that the learning rate overflows.
#[test]
fn hints_at_the_end_of_the_range() {
    fn run<F: Float, A: AskHintTell<F> + Clone + Debug>(name: &str, mut method: A, tiny: f64, huge: f64) {
        method.tell(&[F::of(tiny); 2]);
        for _ in 0..20 {
            for size in [huge, F::max_value().wide()] {
                let before = state(&method);
                if !method.hint(&[F::of(size); 2]) {
                    assert_eq!(state(&method), before, "{name}");
                }
                assert!(finite(&method), "{name}, hinted {size:e}");
                method.tell(&[F::of(size); 2]);
                assert!(finite(&method), "{name}, told {size:e}");
            }
        }
    }
    fn lazy<F: Float>(name: &str, learner: impl surefoot::LazyHinted<F> + Clone + Debug, tiny: f64, huge: f64) {
        run(name, Anytime::new(learner.clone(), Uniform), tiny, huge);
        hold(name, Optimistic::new(learner, Linear), &[tiny, huge, F::max_value().wide() / 3.0]);
    }
    fn dense<F: Float>(name: &str, learner: impl Hinted<F> + Clone + Debug, tiny: f64, huge: f64) {
        run(name, DenseAnytime::new(learner.clone(), Uniform), tiny, huge);
        hold(name, Optimistic::dense(learner, Linear), &[tiny, huge, F::max_value().wide() / 3.0]);
    }
    fn all<F: Float>(tiny: f64, huge: f64) {
        lazy("dual", DualAveraging::<F, _>::new(2, Ball::new(1.0)), tiny, huge);
        lazy("dual, whole", DualAveraging::<F, _>::new(2, WholeSpace::new(1.0)), tiny, huge);
        lazy("diagonal proximal", DiagonalProximal::<F, _>::new(2, BoxDomain::cube(2, F::one())), tiny, huge);
        lazy("diagonal proximal, whole", DiagonalProximal::<F, _>::new(2, WholeSpace::new(1.0)), tiny, huge);
        dense("proximal", Proximal::<F, _>::new(2, Ball::new(1.0)), tiny, huge);
        dense("proximal, whole", Proximal::<F, _>::new(2, WholeSpace::new(1.0)), tiny, huge);
        dense("hedge", Hedge::<F>::new(2), tiny, huge);
        dense("signed hedge", SignedHedge::<F>::new(2, 1.0), tiny, huge);
        dense("p-norm", PNorm::<F>::new(2, 1.0), tiny, huge);
    }
    all::<f64>(1e-300, 1e250);
    all::<f32>(1e-37, 1e37);
}

/// Where an accurate hint makes the learning rate overflow, the iterate goes to the boundary of a bounded domain, not to its
/// centre.
#[test]
fn a_rate_beyond_all_numbers_leads_to_the_boundary() {
    let mut learner = DualAveraging::<f64, _>::new(1, Ball::new(1.0));
    learner.tell(1.0, &[1e-200]);
    learner.hint(1.0, &[1e250]);
    assert_eq!(learner.at(0), -1.0);
}

#[test]
fn an_empty_space_has_no_regret() {
    assert_eq!(SignedHedge::<f64>::new(0, 1.0).regret_bound(), Some(0.0));
    assert_eq!(PNorm::<f64>::new(0, 1.0).regret_bound(), Some(0.0));
}

/// Skipping rounds is refused if counts or weights would overflow, and for learners with a penalty, which moves them in
/// every round; a refusal changes nothing.
#[test]
fn skipping() {
    let mut method = Anytime::new(OgdNorm::<f64, _>::new(1, Ball::new(1.0)), Uniform);
    method.tell(&[1.0]);
    let before = state(&method);
    for (steps, weight) in
        [(1, f64::MAX), (1, f64::INFINITY), (1, f64::NAN), (1, -1.0), (u64::MAX, 1.0), (u64::MAX - 1, 1.0)]
    {
        let mut method = Anytime::new(OgdNorm::<f64, _>::new(1, Ball::new(1.0)), |_| f64::MAX / 2.0);
        method.tell(&[1e-300]);
        method.skip(1, f64::MAX / 4.0).expect("in range");
        assert_eq!(method.skip(steps, weight), Err(SkipError::Range), "{steps} {weight}");
        assert!(method.total_weight().is_finite() && finite(&method));
        let _ = method.steps() + 1;
    }
    assert_eq!(method.skip(u64::MAX, 1.0), Err(SkipError::Range));
    assert_eq!(method.skip(3, f64::NAN), Err(SkipError::Range));
    assert_eq!(state(&method), before);
    let mut penalised = Anytime::new(Ridge::<f64, _>::new(2, Ball::new(5.0), 0.5), Linear);
    penalised.tell(&[1.0, -2.0]);
    let before = state(&penalised);
    assert_eq!(penalised.skip(50, (2..=51).sum::<u64>() as f64), Err(SkipError::Penalised));
    assert_eq!(state(&penalised), before);
    // A learner that holds one says so, too.
    let direction = Ridge::<f64, _>::new(2, Ball::new(1.0), 0.5);
    let mut within =
        Anytime::new(Magnitude::new(AdaGrad::<f64, _>::new(1, BoxDomain::cube(1, 1.0)), direction), Linear);
    assert_eq!(within.skip(1, 1.0), Err(SkipError::Penalised));
}

/// After a gradient of 10^9 that is later cancelled, the sparse form still projects onto the ball as the dense one does, for
/// 10^6 rounds: its running ‖u‖² survives the cancellation.
#[test]
fn a_projection_survives_spikes() {
    let ball = || Ball::<f64>::new(0.5);
    let mut sparse = StronglyConvex::<f64, _, _>::new(6, ball(), 1.0, Uniform);
    let mut dense = General::new(Leader::<f64, _>::new(6, ball(), 1.0), Uniform);
    let (mut random, mut worst) = (Random(3), 0.0_f64);
    for t in 1..=1_000_000_u32 {
        let spike = match t {
            300_000 => 1e9 * f64::from(t),
            300_003 => -1e9 * f64::from(t),
            _ => 0.0,
        };
        let index = [t % 3, 3 + t % 3];
        let values = [random.unit() - 0.8 + if t % 3 == 0 { spike } else { 0.0 }, 0.7 - random.unit()];
        let row = Sparse::new(&index, &values);
        sparse.tell(&row);
        dense.tell(&row);
        if t % 997 == 0 || (299_990..300_020).contains(&t) {
            let (here, there) = (wide(&sparse.iterate()), wide(&surefoot::View::new(6, |i| dense.learner().at(i))));
            assert!(surefoot_oracle::vectors::norm(&here) <= 0.5 * (1.0 + 1e-9), "{t}: outside");
            // Between the spikes both are at the boundary, in the spike's direction.
            worst = worst.max(common::distance(&here, &there));
        }
    }
    // Two ways to sum what a spike of 3·10^14 left: its last digit is 1/16, over t = 3·10^5.
    assert!(worst <= 1e-6, "{worst:e}");
    assert!(common::distance(&wide(&sparse.output()), &wide(&dense.output())) <= 1e-7);
}

/// A learner whose learning rate had to be capped, because gradients are tiny, has no regret bound; it has one again once
/// gradients are large enough.
#[test]
fn gradients_too_small_for_their_rate() {
    let mut dual = DualAveraging::<f64, _>::new(1, Ball::new(1e10)).with_bound(1e-265);
    assert_eq!(dual.regret_bound(), None);
    dual.tell(1.0, &[1e-265]);
    assert_eq!(dual.regret_bound(), None);
    dual.tell(1.0, &[1e-250]);
    assert!(dual.regret_bound().is_some());
    let mut free = FreeGrad::<f64, _>::new(1, Ball::new(1.0));
    (0..2000).for_each(|_| free.tell(1.0, &[1e-290]));
    assert_eq!((free.regret_bound(), free.regret_bound_at(0.5)), (None, None));
    let mut fine = FreeGrad::<f64, _>::new(1, Ball::new(1.0));
    (0..2000).for_each(|_| fine.tell(1.0, &[1e-250]));
    assert!(fine.regret_bound().is_some());
}
