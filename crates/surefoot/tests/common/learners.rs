//! The table of all learners, each with its dense reference implementation (twin).

use surefoot::{
    AdaGrad, AdaHedge, Ball, BoxDomain, CoinBetting, Constrained, Descent, DiagonalFreeGrad, DiagonalProximal,
    DualAdaGrad, DualAveraging, Float, FreeGrad, Hedge, L1Ball, Magnitude, OgdNorm, PNorm, Proximal, SignedHedge,
    Simplex, WholeSpace,
};
use surefoot_oracle::{Domain, Learner as Twin, Number};
use surefoot_oracle::{experts, learners as twins, parameter_free as free, proximal};

use super::{Visit, narrow, numbers};

/// Visits all learners on all domains that suit them, each with its reference implementation. To test a new learner,
/// add a row to one of the two tables.
pub(crate) fn learners<F: Float>(dim: usize, visit: &mut impl Visit<F>) {
    lazy_learners(dim, visit);
    dense_learners(dim, visit);
}

/// The domains of the table of learners, for the reference implementations (number type `N`), and the coordinates of
/// those not centred at 0.
struct Domains<N> {
    whole: Domain<N>,
    ball: Domain<N>,
    away: Domain<N>,
    cube: Domain<N>,
    cuboid: Domain<N>,
    centre: Vec<f64>,
    corners: [Vec<f64>; 2],
}

impl<N: Number> Domains<N> {
    fn new(dim: usize) -> Self {
        let ramp = |scale: f64, shift: f64| -> Vec<f64> { (0..dim).map(|i| scale * (i % 4) as f64 + shift).collect() };
        let (centre, corners, of) = (ramp(0.25, -0.5), [ramp(-0.5, 0.25), ramp(1.0, 0.25)], N::of);
        Self {
            whole: Domain::WholeSpace(of(0.5)),
            ball: Domain::Ball(vec![of(0.0); dim], of(2.0)),
            away: Domain::Ball(numbers(&centre), of(0.75)),
            cube: Domain::BoxDomain(vec![of(-1.0); dim], vec![of(1.0); dim]),
            cuboid: Domain::BoxDomain(numbers(&corners[0]), numbers(&corners[1])),
            centre,
            corners,
        }
    }

    fn core_away<F: Float>(&self) -> Ball<F> {
        Ball::around(narrow(&self.centre), 0.75)
    }

    fn core_cuboid<F: Float>(&self) -> BoxDomain<F> {
        BoxDomain::new(narrow(&self.corners[0]), narrow(&self.corners[1]))
    }
}

/// Visits the learners with a sparse form, with reference implementations that compute in the number type `N`.
pub(crate) fn lazy_learners<F: Float, N: Number + 'static>(dim: usize, visit: &mut impl Visit<F, N>) {
    let (all, of) = (Domains::<N>::new(dim), N::of);
    let Domains { whole, ball, away, cube, cuboid, .. } = &all;

    let ogd = |d: &Domain<N>| {
        let d = d.clone();
        move || Box::new(twins::Ogd::new(dim, d.clone())) as Box<dyn Twin<N>>
    };
    visit.lazy("ogd, whole", OgdNorm::new(dim, WholeSpace::new(0.5)), &ogd(whole), whole);
    visit.lazy("ogd, ball", OgdNorm::new(dim, Ball::new(2.0)), &ogd(ball), ball);
    visit.lazy("ogd, ball elsewhere", OgdNorm::new(dim, all.core_away()), &ogd(away), away);

    let dual = |d: &Domain<N>, gamma: f64| {
        let d = d.clone();
        move || Box::new(twins::DualAveraging::new(dim, d.clone(), of(gamma))) as Box<dyn Twin<N>>
    };
    visit.lazy("dual, whole", DualAveraging::new(dim, WholeSpace::new(0.5)), &dual(whole, 0.0), whole);
    visit.lazy("dual, ball", DualAveraging::new(dim, Ball::new(2.0)), &dual(ball, 0.0), ball);
    visit.lazy("dual, ball elsewhere", DualAveraging::new(dim, all.core_away()), &dual(away, 0.0), away);
    let bounded = DualAveraging::new(dim, Ball::new(2.0)).with_bound(30.0);
    visit.lazy("dual, ball, bound", bounded, &dual(ball, 30.0), ball);

    let ada = |d: &Domain<N>| {
        let d = d.clone();
        move || Box::new(twins::AdaGrad::new(dim, d.clone())) as Box<dyn Twin<N>>
    };
    visit.lazy("adagrad, whole", AdaGrad::new(dim, WholeSpace::new(0.5)), &ada(whole), whole);
    visit.lazy("adagrad, cube", AdaGrad::new(dim, BoxDomain::cube(dim, F::of(1.0))), &ada(cube), cube);
    visit.lazy("adagrad, box", AdaGrad::new(dim, all.core_cuboid()), &ada(cuboid), cuboid);

    let dual_ada =
        |damping: f64| move || Box::new(twins::DualAdaGrad::new(dim, of(0.25), of(damping))) as Box<dyn Twin<N>>;
    visit.lazy("dual adagrad", DualAdaGrad::new(dim, 0.25), &dual_ada(0.0), whole);
    let damped = DualAdaGrad::new(dim, 0.25).with_damping(4.0);
    visit.lazy("dual adagrad, damped", damped, &dual_ada(4.0), whole);

    let diagonal = || Box::new(proximal::DiagonalProximal::new(cuboid)) as Box<dyn Twin<N>>;
    visit.lazy("diagonal proximal, box", DiagonalProximal::new(dim, all.core_cuboid()), &diagonal, cuboid);
    parameter_free(dim, visit);
}

/// Visits the parameter-free learners (those that need no radius) with a sparse form.
fn parameter_free<F: Float, N: Number + 'static>(dim: usize, visit: &mut impl Visit<F, N>) {
    let of = N::of;
    let whole = Domain::WholeSpace(of(0.5));
    let (ball, unit) = (Domain::Ball(vec![of(0.25); dim], of(2.0)), Domain::Ball(vec![of(0.0); dim], of(1.0)));
    let cuboid = Domain::BoxDomain(vec![of(-0.5); dim], vec![of(1.0); dim]);
    let core_ball = Ball::around(vec![F::of(0.25); dim], 2.0);
    let core_cuboid = || BoxDomain::new(vec![F::of(-0.5); dim], vec![F::of(1.0); dim]);

    let free_grad = |d: &Domain<N>| {
        let d = d.clone();
        move || Box::new(free::FreeGrad::new(dim, d.clone())) as Box<dyn Twin<N>>
    };
    visit.lazy("free grad, whole", FreeGrad::new(dim, WholeSpace::new(0.5)), &free_grad(&whole), &whole);
    visit.lazy("free grad, ball elsewhere", FreeGrad::new(dim, core_ball), &free_grad(&ball), &ball);

    let diagonal = |d: &Domain<N>| {
        let d = d.clone();
        let one = |interval| free::FreeGrad::new(1, interval);
        move || Box::new(free::Coordinates::new(dim, &d, one)) as Box<dyn Twin<N>>
    };
    visit.lazy(
        "diagonal free grad, whole",
        DiagonalFreeGrad::new(dim, WholeSpace::new(0.5)),
        &diagonal(&whole),
        &whole,
    );
    visit.lazy("diagonal free grad, box", DiagonalFreeGrad::new(dim, core_cuboid()), &diagonal(&cuboid), &cuboid);

    let coins = |d: &Domain<N>| {
        let d = d.clone();
        let one = move |interval| free::CoinBetting::new(interval, of(30.0));
        move || Box::new(free::Coordinates::new(dim, &d, one)) as Box<dyn Twin<N>>
    };
    visit.lazy("coins, whole, bound", CoinBetting::new(dim, WholeSpace::new(0.5), 30.0), &coins(&whole), &whole);
    visit.lazy("coins, box, bound", CoinBetting::new(dim, core_cuboid(), 30.0), &coins(&cuboid), &cuboid);

    let magnitude = || {
        let size = twins::AdaGrad::new(1, Domain::BoxDomain(vec![of(-1.5)], vec![of(1.5)]));
        let direction = twins::DualAveraging::new(dim, unit.clone(), of(0.0));
        Box::new(free::Magnitude::new(size, direction)) as Box<dyn Twin<N>>
    };
    let size = AdaGrad::<f64, _>::new(1, BoxDomain::cube(1, 1.5));
    let core = Magnitude::new(size, DualAveraging::new(dim, Ball::new(1.0)));
    visit.lazy("magnitude", core, &magnitude, &whole);
}

/// Visits the learners without a sparse form, which move all coordinates in every round.
fn dense_learners<F: Float>(dim: usize, visit: &mut impl Visit<F>) {
    let all = Domains::<f64>::new(dim);
    let Domains { whole, ball, away, cuboid, .. } = &all;
    let (simplex, l1) = (Domain::Simplex(dim), Domain::L1(1.5));

    let ogd = |d: &Domain| {
        let d = d.clone();
        move || Box::new(twins::Ogd::new(dim, d.clone())) as Box<dyn Twin>
    };
    visit.dense("descent, ball elsewhere", Descent::new(dim, all.core_away()), &ogd(away), away);
    visit.dense("descent, box", Descent::new(dim, all.core_cuboid()), &ogd(cuboid), cuboid);
    visit.dense("descent, simplex", Descent::new(dim, Simplex::new(dim)), &ogd(&simplex), &simplex);
    visit.dense("descent, L1 ball", Descent::new(dim, L1Ball::new(1.5)), &ogd(&l1), &l1);

    let prox = |d: &Domain| {
        let d = d.clone();
        move || Box::new(proximal::Proximal::new(dim, d.clone())) as Box<dyn Twin>
    };
    visit.dense("proximal, ball", Proximal::new(dim, Ball::new(2.0)), &prox(ball), ball);
    visit.dense("proximal, ball elsewhere", Proximal::new(dim, all.core_away()), &prox(away), away);
    visit.dense("proximal, box", Proximal::new(dim, all.core_cuboid()), &prox(cuboid), cuboid);
    visit.dense("proximal, simplex", Proximal::new(dim, Simplex::new(dim)), &prox(&simplex), &simplex);

    let small = Domain::BoxDomain(vec![-0.5; dim], vec![1.0; dim]);
    let constrained = |d: &Domain| {
        let (d, whole) = (d.clone(), whole.clone());
        move || {
            let base = free::FreeGrad::new(dim, whole.clone());
            Box::new(free::Constrained::new(base, d.clone())) as Box<dyn Twin>
        }
    };
    let base = || FreeGrad::new(dim, WholeSpace::new(0.5));
    let core = Constrained::new(base(), BoxDomain::new(vec![F::of(-0.5); dim], vec![F::of(1.0); dim]));
    visit.dense("constrained free grad, box", core, &constrained(&small), &small);
    let core = Constrained::new(base(), Simplex::new(dim));
    visit.dense("constrained free grad, simplex", core, &constrained(&simplex), &simplex);

    let hedge = |gamma: f64| move || Box::new(experts::Hedge::new(dim, gamma)) as Box<dyn Twin>;
    visit.dense("hedge", Hedge::new(dim), &hedge(0.0), &simplex);
    visit.dense("hedge, bound", Hedge::new(dim).with_range(30.0), &hedge(30.0), &simplex);
    let ada_hedge = || Box::new(experts::AdaHedge::new(dim)) as Box<dyn Twin>;
    visit.dense("adahedge", AdaHedge::new(dim), &ada_hedge, &simplex);
    let signed = || Box::new(experts::SignedHedge::new(dim, 1.5)) as Box<dyn Twin>;
    visit.dense("signed hedge", SignedHedge::new(dim, 1.5), &signed, &l1);
    let p_norm = || Box::new(experts::PNorm::new(dim, 1.5)) as Box<dyn Twin>;
    visit.dense("p-norm", PNorm::new(dim, 1.5), &p_norm, &l1);
}
