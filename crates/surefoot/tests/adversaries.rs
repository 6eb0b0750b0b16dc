//! Tests that the regret of every learner with a proven regret bound stays below the bound in every round, against
//! adversarial gradients.

mod common;

use common::Random;
use surefoot::{
    AdaGrad, AdaHedge, Ball, BoxDomain, CoinBetting, Constrained, Descent, DiagonalFreeGrad, DiagonalProximal,
    DualAveraging, FreeGrad, Hedge, Hinted, L1Ball, Learner, Magnitude, OgdNorm, PNorm, Proximal, SignedHedge, Simplex,
    WholeSpace,
};
use surefoot_oracle::Domain;
use surefoot_oracle::vectors::{dot, norm, plus, times};

const DIM: usize = 5;
const ROUNDS: usize = 150;
const SEEDS: u64 = 64;

/// A learner in a game against an adversary, as a trait object that hides the learner's type.
trait Player {
    fn iterate(&self) -> Vec<f64>;
    fn hint(&mut self, weight: f64, hint: &[f64]);
    fn tell(&mut self, weight: f64, gradient: &[f64]);
    /// Returns the learner's bound on the regret against comparators within `distance` of its start; for an infinite
    /// `distance`, against its whole domain.
    fn bound(&self, distance: f64) -> f64;
}

struct Plain<L>(L);

impl<L: Learner<f64>> Player for Plain<L> {
    fn iterate(&self) -> Vec<f64> {
        (0..self.0.dim()).map(|i| self.0.at(i)).collect()
    }

    fn hint(&mut self, _: f64, _: &[f64]) {
        unreachable!("takes no hints");
    }

    fn tell(&mut self, weight: f64, gradient: &[f64]) {
        self.0.tell(weight, gradient);
    }

    fn bound(&self, distance: f64) -> f64 {
        let bound = if distance.is_finite() { self.0.regret_bound_at(distance) } else { self.0.regret_bound() };
        bound.expect("a proven bound")
    }
}

struct Guessing<L>(Plain<L>);

impl<L: Hinted<f64>> Player for Guessing<L> {
    fn iterate(&self) -> Vec<f64> {
        self.0.iterate()
    }

    fn hint(&mut self, weight: f64, hint: &[f64]) {
        self.0.0.hint(weight, hint);
    }

    fn tell(&mut self, weight: f64, gradient: &[f64]) {
        self.0.tell(weight, gradient);
    }

    fn bound(&self, distance: f64) -> f64 {
        self.0.bound(distance)
    }
}

/// A row of the table of learners: a learner's constructor, whether it takes hints, and the comparators of its regret
/// bound, as pairs of a distance and the domain of all comparators within it.
struct Case {
    name: &'static str,
    player: Box<dyn Fn() -> Box<dyn Player>>,
    hinted: bool,
    against: Vec<(f64, Domain)>,
}

fn plain<L: Learner<f64> + 'static>(name: &'static str, domain: &Domain, learner: impl Fn() -> L + 'static) -> Case {
    let against = vec![(f64::INFINITY, domain.clone())];
    Case { name, player: Box::new(move || Box::new(Plain(learner()))), hinted: false, against }
}

fn hinted<L: Hinted<f64> + 'static>(name: &'static str, domain: &Domain, learner: impl Fn() -> L + 'static) -> Case {
    let player = Box::new(move || Box::new(Guessing(Plain(learner()))) as Box<dyn Player>);
    Case { name, player, hinted: true, against: vec![(f64::INFINITY, domain.clone())] }
}

/// Builds the case of a learner on the whole space, compared with all points of balls of radius 0.01 to 100 in some
/// norm, which `ball` makes from a radius.
fn free<L: Learner<f64> + 'static>(
    name: &'static str,
    ball: impl Fn(f64) -> Domain,
    learner: impl Fn() -> L + 'static,
) -> Case {
    let against = [0.01, 0.1, 1.0, 10.0, 100.0].map(|u| (u, ball(u))).to_vec();
    Case { against, ..plain(name, &Domain::WholeSpace(1.0), learner) }
}

/// Returns the cases of all learners with a proven regret bound. To test a new learner, add a row here.
fn table() -> Vec<Case> {
    let ball = Domain::Ball(vec![0.0; DIM], 1.0);
    let away = Domain::Ball(vec![0.5; DIM], 0.75);
    let (lower, upper) = (vec![-1.0, 0.0, -0.5, 0.25, -2.0], vec![1.0, 2.0, 0.5, 0.25, 1.0]);
    let cuboid = Domain::BoxDomain(lower.clone(), upper.clone());
    let core_cuboid = move || BoxDomain::new(lower.clone(), upper.clone());
    let (simplex, l1) = (Domain::Simplex(DIM), Domain::L1(2.0));
    let away_ball = || Ball::around(vec![0.5; DIM], 0.75);
    let boxed = || core_cuboid.clone();
    let (b1, b2, b3, b4, b5, b6) = (boxed(), boxed(), boxed(), boxed(), boxed(), boxed());
    let b7 = boxed();
    let whole = || WholeSpace::new(0.1);
    let balls = |u: f64| Domain::Ball(vec![0.0; DIM], u);
    let cubes = |u: f64| Domain::BoxDomain(vec![-u; DIM], vec![u; DIM]);
    vec![
        plain("ogd", &ball, || OgdNorm::new(DIM, Ball::new(1.0))),
        plain("descent, box", &cuboid, move || Descent::new(DIM, b1())),
        plain("descent, simplex", &simplex, || Descent::new(DIM, Simplex::new(DIM))),
        plain("descent, L1 ball", &l1, || Descent::new(DIM, L1Ball::new(2.0))),
        plain("adagrad", &cuboid, move || AdaGrad::new(DIM, b2())),
        hinted("dual averaging", &away, move || DualAveraging::new(DIM, away_ball())),
        hinted("proximal, ball", &away, move || Proximal::new(DIM, away_ball())),
        hinted("proximal, box", &cuboid, move || Proximal::new(DIM, b3())),
        hinted("proximal, simplex", &simplex, || Proximal::new(DIM, Simplex::new(DIM))),
        hinted("diagonal proximal", &cuboid, move || DiagonalProximal::new(DIM, b4())),
        free("free grad", balls, move || FreeGrad::new(DIM, whole())),
        plain("free grad, ball", &away, move || FreeGrad::new(DIM, away_ball())),
        free("diagonal free grad", cubes, move || DiagonalFreeGrad::new(DIM, whole())),
        plain("diagonal free grad, box", &cuboid, move || DiagonalFreeGrad::new(DIM, b5())),
        free("coins", cubes, move || CoinBetting::new(DIM, whole(), 2.0)),
        plain("coins, box", &cuboid, move || CoinBetting::new(DIM, b6(), 2.0)),
        plain("constrained, box", &cuboid, move || Constrained::new(FreeGrad::new(DIM, whole()), b7())),
        plain("constrained, simplex", &simplex, move || {
            Constrained::new(DiagonalFreeGrad::new(DIM, whole()), Simplex::new(DIM))
        }),
        free("magnitude, L2", balls, move || {
            Magnitude::new(FreeGrad::<f64, _>::new(1, whole()), OgdNorm::new(DIM, Ball::new(1.0)))
        }),
        free("magnitude, L1", Domain::L1, move || {
            Magnitude::new(CoinBetting::<f64, _>::new(1, whole(), 2.0), SignedHedge::new(DIM, 1.0))
        }),
        hinted("hedge", &simplex, || Hedge::new(DIM)),
        hinted("hedge, range known", &simplex, || Hedge::new(DIM).with_range(3.0)),
        hinted("adahedge", &simplex, || AdaHedge::new(DIM)),
        hinted("signed hedge", &l1, || SignedHedge::new(DIM, 2.0)),
        hinted("p-norm", &l1, || PNorm::new(DIM, 2.0)),
    ]
}

/// Checks that the iterate lies in the domain to within 1e-11, since learners keep norms of sums incrementally: once a
/// sum has fallen to 1/k of its former size, its norm has an error of k² units in the last place.
fn inside(case: &Case, iterate: &[f64]) {
    for (_, domain) in case.against.iter().filter(|(distance, _)| distance.is_infinite()) {
        let off = common::distance(iterate, &domain.project(iterate));
        assert!(off <= 1e-11, "{}: {iterate:?} is outside by {off:e}", case.name);
    }
}

const ADVERSARIES: [&str; 7] = ["random", "signs", "greedy", "drift", "spiky", "flip", "alternating"];

/// Returns the gradient that the adversary `kind` plays in round `t`, given the learner's current iterate and the fixed
/// unit vector `base`.
fn gradient(kind: &str, t: usize, iterate: &[f64], base: &[f64], random: &mut Random) -> Vec<f64> {
    let mut noise = |scale: f64| -> Vec<f64> { (0..DIM).map(|_| scale * random.normal()).collect() };
    match kind {
        "random" => noise(1.0),
        "signs" => (0..DIM).map(|_| [0.0, 0.0, 0.0, 0.0, 1.0, -1.0][(random.next() % 6) as usize]).collect(),
        "greedy" => plus(&times(0.05, base), 1.0 / norm(iterate).max(1e-9), iterate),
        "drift" => plus(base, 1.0, &noise(0.3)),
        "spiky" => {
            let g = noise(1.0);
            times(10_f64.powf(5.0 * random.unit() - 3.0), &g)
        }
        "flip" => times(if (t / (ROUNDS / 7)).is_multiple_of(2) { 1.0 } else { -1.3 }, base),
        _ => times(if t.is_multiple_of(2) { 1.0 } else { -1.0 }, base),
    }
}

/// Plays one game of the learner against the adversary `kind`, checks its regret bound in every round, and returns the
/// largest ratio of regret to bound.
fn play(
    case: &Case,
    kind: &str,
    weight: fn(usize) -> f64,
    hints: &str,
    size: fn(&mut Random) -> f64,
    seed: u64,
) -> f64 {
    let mut random = Random(seed * 7919 + 1);
    let base: Vec<f64> = (0..DIM).map(|_| random.normal()).collect();
    let base = times(1.0 / norm(&base), &base);
    let mut player = (case.player)();
    let (mut linear, mut volume, mut minus_z, mut worst) = (0.0, 0.0, vec![0.0; DIM], 0.0_f64);
    let mut last = vec![0.0; DIM];
    for t in 0..ROUNDS {
        let a = weight(t + 1);
        let mut g = gradient(kind, t, &player.iterate(), &base, &mut random);
        g = times(size(&mut random), &g);
        match hints {
            "last" => player.hint(a, &last),
            "noisy" => player.hint(a, &last.iter().map(|g| g + 0.3 * random.normal()).collect::<Vec<_>>()),
            "exact" => player.hint(a, &g),
            _ => {}
        }
        let iterate = player.iterate();
        inside(case, &iterate);
        linear += a * dot(&g, &iterate);
        volume += a * norm(&g) * (norm(&iterate) + 1.0);
        minus_z = plus(&minus_z, -a, &g);
        player.tell(a, &g);
        for (distance, domain) in &case.against {
            let (regret, bound) = (linear + domain.support(&minus_z), player.bound(*distance));
            let far = if distance.is_finite() { *distance } else { 0.0 };
            // The second term is the rounding of the sums, which is all there is where hints are exact.
            let allowed = bound * (1.0 + 1e-9) + 1e-13 * volume * (1.0 + far);
            assert!(
                regret <= allowed,
                "{}, {kind}, hints {hints}, seed {seed}, round {t}, against {distance}: {regret:e} over {bound:e}",
                case.name
            );
            worst = if bound > 0.0 { worst.max(regret / bound) } else { worst };
        }
        last = g;
    }
    worst
}

fn games(weights: &[fn(usize) -> f64], size: fn(&mut Random) -> f64, hints: &[&str], seeds: u64, least: f64) {
    for case in table() {
        let mut worst = 0.0_f64;
        for kind in ADVERSARIES {
            for weight in weights {
                for hint in hints.iter().filter(|hint| case.hinted || **hint == "none") {
                    for seed in 0..seeds {
                        worst = worst.max(play(&case, kind, *weight, hint, size, seed));
                    }
                }
            }
        }
        println!("{:28} regret/bound at most {worst:.3}", case.name);
        assert!(worst > least, "{}: the adversaries are no challenge", case.name);
    }
}

#[test]
fn regret_is_never_above_the_bound() {
    games(&[|_| 1.0, |t| t as f64], |_| 1.0, &["none", "last", "noisy"], SEEDS, 0.01);
}

/// Regret bounds hold for gradients whose sizes range from 1e-100 to 1e100 within one run, a quarter of them 0.
#[test]
fn nor_for_gradients_of_any_size() {
    let size = |random: &mut Random| {
        if random.next().is_multiple_of(4) { 0.0 } else { 10_f64.powf(200.0 * random.unit() - 100.0) }
    };
    games(&[|_| 1.0], size, &["none", "last"], 8, -1.0);
    games(&[|t| t as f64], |_| 1e100, &["none"], 4, -1.0);
    games(&[|t| t as f64], |_| 1e-100, &["none"], 4, -1.0);
}

/// Regret bounds hold for optimistic learners whose hint equals the gradient in every round.
#[test]
fn nor_with_exact_hints() {
    games(&[|_| 1.0, |t| t as f64], |_| 1.0, &["exact"], 8, -1.0);
}

/// Regret bounds hold for a gradient that repeats exactly, pauses now and then, and reverses its direction, which is
/// costly for iterates that have moved far or sit on the boundary.
#[test]
fn nor_for_a_gradient_that_repeats() {
    const G: [f64; DIM] = [0.5, -0.25, 0.0, 1.0, 0.125];
    for case in table() {
        let mut player = (case.player)();
        let (mut linear, mut minus_z) = (0.0, vec![0.0; DIM]);
        for t in 0..2000 {
            let sign = if (700..1800).contains(&t) { -1.3 } else { 1.0 };
            let g = times(if t % 100 < 90 { sign } else { 0.0 }, &G);
            let iterate = player.iterate();
            inside(&case, &iterate);
            linear += dot(&g, &iterate);
            minus_z = plus(&minus_z, -1.0, &g);
            player.tell(1.0, &g);
            for (distance, domain) in &case.against {
                let (regret, bound) = (linear + domain.support(&minus_z), player.bound(*distance));
                assert!(regret <= bound * (1.0 + 1e-9), "{}, round {t}: {regret:e} over {bound:e}", case.name);
            }
        }
    }
}

/// Regret bounds hold when 99 equal gradients, which drive unconstrained learners far away, are followed by an opposite
/// one that is a thousand times as large.
#[test]
fn nor_for_a_gradient_after_which_nothing_is_as_before() {
    for case in table() {
        let mut player = (case.player)();
        let (mut linear, mut minus_z) = (0.0, vec![0.0; DIM]);
        for t in 0..100 {
            let g = if t < 99 { vec![-1.0; DIM] } else { vec![1000.0; DIM] };
            linear += dot(&g, &player.iterate());
            minus_z = plus(&minus_z, -1.0, &g);
            player.tell(1.0, &g);
        }
        for (distance, domain) in &case.against {
            let (regret, bound) = (linear + domain.support(&minus_z), player.bound(*distance));
            assert!(regret <= bound * (1.0 + 1e-9), "{}, {distance}: {regret:e} over {bound:e}", case.name);
        }
    }
}
