//! V10: regret of all online learners against adversaries that choose the gradients, compared with the regret bounds.

mod adversary;
mod player;

use surefoot::{
    AdaGrad, AdaHedge, Ball, BoxDomain, CoinBetting, Constrained, DiagonalFreeGrad, DiagonalProximal, Domain,
    DualAveraging, FreeGrad, Hedge, Magnitude, OgdNorm, PNorm, Proximal, SignedHedge, Simplex, WholeSpace,
};

use crate::problem::norm;
use crate::{Claim, Experiment, Form, Random, Reading, Row};
use adversary::{ADVERSARIES, Adversary};
use player::{Hinting, Player, Reversed, Shadow, hinted, plain};

const ABOUT: &str = "No adversary makes a learner regret more than its bound: eleven of them, random, sparse, greedy, drifting, of \
    all sizes, turning, alternating, constant, silent at first, and of size 1e100 and 1e−100; weights 1 and t; no hints, \
    last gradients, noisy ones and exact ones. The regret is against the worst point of the domain, or, for learners \
    without one, against the worst at distances from .01 to 100. numpy had at most .52 of the bound for OGD-norm, .69 for \
    proximal, .73 for dual averaging, .37 for FreeGrad, .91 for coin betting and .82 for Hedge.";

const DIM: usize = 5;

/// Function that takes the weighted sum Z = Σ α_t g_t of the gradients and a distance, and returns the largest ⟨−Z, u⟩ over
/// comparators u at this distance from 0.
type Support = fn(&[f64], f64) -> f64;

/// Builds a row of the experiment that measures the largest ratio of regret to regret bound so far, over all adversaries, weights
/// of rounds and sources of hints.
fn row(label: &str, form: Form, distances: &'static [f64], support: Support, make: fn() -> Box<dyn Player>) -> Row {
    let axis = form.pick(&[30.0, 100.0][..], &[30.0, 100.0, 300.0]);
    let trial = move |axis: &[f64], mut random: Random| {
        let mut worst = vec![f64::NEG_INFINITY; axis.len()];
        for adversary in ADVERSARIES {
            for power in [0, 1] {
                for &hinting in Hinting::of(&*make()) {
                    let mut game = Game { player: make(), adversary, power, hinting, distances, support };
                    let ratios = game.play(axis, &mut random);
                    worst.iter_mut().zip(ratios).for_each(|(worst, ratio)| *worst = worst.max(ratio));
                }
            }
        }
        worst.into_iter().map(|ratio| Reading::of(ratio).under(1.0)).collect()
    };
    Row::path(label, axis, trial).seeds(form.pick(8, 64)).claim(Claim::Largest { most: 1.0 + 1e-9 })
}

struct Game {
    player: Box<dyn Player>,
    adversary: Adversary,
    power: i32,
    hinting: Hinting,
    distances: &'static [f64],
    support: Support,
}

impl Game {
    /// Runs the learner against the adversary, and returns for each point of the axis (number of rounds) the largest ratio of
    /// regret to bound so far.
    fn play(&mut self, axis: &[f64], random: &mut Random) -> Vec<f64> {
        let (mut linear, mut mass, mut sum, mut last) = (0.0, 0.0, vec![0.0; DIM], vec![0.0; DIM]);
        let base: Vec<f64> = (0..DIM).map(|_| random.normal()).collect();
        let base: Vec<f64> = base.iter().map(|x| x / norm(&base)).collect();
        let (mut worst, mut ratios) = (f64::NEG_INFINITY, Vec::new());
        for step in 1..=axis.last().copied().unwrap_or_default() as u64 {
            let weight = (step as f64).powi(self.power);
            // The gradients of an adversary that uses the iterate cannot be given as exact hints.
            let foreseen = self.adversary.blind(step, &base, random);
            self.hinting.hint(&mut *self.player, weight, &last, foreseen.as_deref(), random);
            let iterate: Vec<f64> = (0..DIM).map(|i| self.player.at(i)).collect();
            let gradient = foreseen.unwrap_or_else(|| self.adversary.seeing(&iterate, &base));
            self.player.tell(weight, &gradient);
            for i in 0..DIM {
                linear += weight * gradient[i] * iterate[i];
                mass += (weight * gradient[i] * iterate[i]).abs();
                sum[i] += weight * gradient[i];
            }
            for &distance in self.distances {
                let regret = linear + (self.support)(&sum, distance);
                let bound = self.player.bound(distance);
                // A bound of 0 must hold up to rounding.
                let scale = bound.max(1e-12 * mass);
                worst = worst.max(if regret > 0.0 { regret / scale } else { worst });
            }
            last = gradient;
            if axis.contains(&(step as f64)) {
                ratios.push(worst);
            }
        }
        ratios
    }
}

fn euclidean(sum: &[f64], distance: f64) -> f64 {
    // Vectors of size 1e±100 are rescaled, since their squares overflow or vanish.
    let size = sum.iter().fold(0.0_f64, |size, z| size.max(z.abs()));
    let scaled: Vec<f64> = sum.iter().map(|z| z / size.max(f64::MIN_POSITIVE)).collect();
    distance * size * norm(&scaled)
}

fn absolute(sum: &[f64], distance: f64) -> f64 {
    distance * sum.iter().map(|z| z.abs()).sum::<f64>()
}

fn largest(sum: &[f64], distance: f64) -> f64 {
    distance * sum.iter().fold(0.0_f64, |size, z| size.max(z.abs()))
}

fn corner(sum: &[f64], _: f64) -> f64 {
    Domain::<f64>::support(&Simplex::new(DIM), DIM, |i| -sum[i])
}

fn ball() -> Ball<f64> {
    Ball::new(1.0)
}

fn cube() -> BoxDomain<f64> {
    BoxDomain::cube(DIM, 1.0)
}

pub(super) fn experiment(form: Form) -> Experiment {
    const UNIT: &[f64] = &[1.0];
    const FAR: &[f64] = &[0.01, 0.1, 1.0, 10.0, 100.0];
    let near = |label, support, make| row(label, form, UNIT, support, make);
    let far = |label, support, make| row(label, form, FAR, support, make);
    let rows = vec![
        near("OGD-norm", euclidean, || plain(OgdNorm::new(DIM, ball()))),
        near("AdaGrad", absolute, || plain(AdaGrad::new(DIM, cube()))),
        near("proximal", euclidean, || hinted(Proximal::new(DIM, ball()))),
        near("proximal, by coordinate", absolute, || hinted(DiagonalProximal::new(DIM, cube()))),
        near("dual averaging", euclidean, || hinted(DualAveraging::new(DIM, ball()))),
        far("FreeGrad", euclidean, || plain(FreeGrad::new(DIM, WholeSpace::new(0.1)))),
        far("FreeGrad, by coordinate", absolute, || plain(DiagonalFreeGrad::new(DIM, WholeSpace::new(0.1)))),
        far("coin betting", absolute, || plain(CoinBetting::new(DIM, WholeSpace::new(1.0), 1.0))),
        near("Hedge", corner, || hinted(Hedge::new(DIM))),
        near("AdaHedge", corner, || hinted(AdaHedge::new(DIM))),
        near("EG±", largest, || hinted(SignedHedge::new(DIM, 1.0))),
        near("p-norm", largest, || hinted(PNorm::new(DIM, 1.0))),
        near("FreeGrad, constrained to the simplex", corner, || {
            plain(Constrained::new(FreeGrad::<f64, _>::new(DIM, WholeSpace::new(0.1)), Simplex::new(DIM)))
        }),
        far("magnitude × EG±", largest, || {
            let magnitude = FreeGrad::<f64, _>::new(1, WholeSpace::new(0.1));
            plain(Magnitude::new(magnitude, SignedHedge::<f64>::new(DIM, 1.0)))
        }),
        near("OGD-norm, projection forgotten", euclidean, || {
            Box::new(Shadow {
                seen: plain(OgdNorm::new(DIM, WholeSpace::new(1.0))),
                told: plain(OgdNorm::new(DIM, ball())),
            })
        })
        .planted(),
        near("proximal, hints not used", euclidean, || {
            Box::new(Shadow { seen: plain(Proximal::new(DIM, ball())), told: hinted(Proximal::new(DIM, ball())) })
        })
        .planted(),
        near("dual averaging, hints not used", euclidean, || {
            Box::new(Shadow {
                seen: plain(DualAveraging::new(DIM, ball())),
                told: hinted(DualAveraging::new(DIM, ball())),
            })
        })
        .planted(),
        near("AdaGrad, up the gradients", absolute, || Box::new(Reversed(plain(AdaGrad::new(DIM, cube()))))).planted(),
        far("FreeGrad, up the gradients", euclidean, || {
            Box::new(Reversed(plain(FreeGrad::new(DIM, WholeSpace::new(0.1)))))
        })
        .planted(),
        near("Hedge, uniform", corner, || {
            Box::new(Shadow { seen: hinted(player::Resting(1.0 / DIM as f64)), told: hinted(Hedge::new(DIM)) })
        })
        .planted(),
    ];
    let (title, measured, bound) = ("Regret against adversaries", "largest regret ÷ bound", "1");
    Experiment { name: "V10", title, about: ABOUT, axis: "T", measured, bound, rows }
}
