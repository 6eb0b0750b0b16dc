//! Learners that need no radius, and the two reductions.

use crate::vectors::{dot, norm, plus, times};
use crate::{Domain, Learner};

/// No iterate is further from the centre than this many times the initial wealth.
const FURTHEST: f64 = 1.2676506002282294e30;

/// FreeGrad with clipping at the largest gradient before, and its iterate projected.
#[derive(Clone, Debug)]
pub struct FreeGrad {
    domain: Domain,
    z: Vec<f64>,
    squares: f64,
    first: f64,
    h: f64,
}

impl FreeGrad {
    /// At the centre.
    pub fn new(dim: usize, domain: Domain) -> Self {
        Self { domain, z: vec![0.0; dim], squares: 0.0, first: 0.0, h: 0.0 }
    }
}

impl Learner for FreeGrad {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        let centre = self.domain.centre(self.z.len());
        let (n, h, v) = (norm(&self.z), self.h, self.h.powi(2) + self.squares);
        if n == 0.0 {
            return centre;
        }
        let epsilon = self.domain.radius();
        // The logarithm of ‖w‖ as printed, then the length.
        let log = epsilon.ln() + 2.0 * self.first.ln() + n.ln() + (2.0 * v + h * n).ln()
            - 2_f64.ln()
            - 2.0 * (v + h * n).ln()
            - v.ln() / 2.0
            + n * n / (2.0 * v + 2.0 * h * n);
        let length = log.min((epsilon * FURTHEST).ln()).exp();
        self.domain.project(&plus(&centre, -length / n, &self.z))
    }

    fn update(&mut self, gradient: &[f64]) {
        let size = norm(gradient);
        if size == 0.0 {
            return;
        }
        if self.first == 0.0 {
            (self.first, self.h) = (size, size);
        }
        self.z = plus(&self.z, (self.h / size).min(1.0), gradient);
        self.squares += size.min(self.h).powi(2);
        self.h = self.h.max(size);
    }
}

/// One learner a coordinate.
#[derive(Clone, Debug)]
pub struct Coordinates<L>(Vec<L>);

impl<L> Coordinates<L> {
    /// A learner made for each coordinate's interval.
    ///
    /// # Panics
    /// For a domain that is no product of intervals.
    pub fn new(dim: usize, domain: &Domain, one: impl Fn(Domain) -> L) -> Self {
        let interval = |j: usize| match domain {
            Domain::Whole(reach) => Domain::Whole(*reach),
            Domain::Cuboid(lower, upper) => Domain::Cuboid(vec![lower[j]], vec![upper[j]]),
            _ => panic!("no product of intervals"),
        };
        Self((0..dim).map(|j| one(interval(j))).collect())
    }
}

impl<L: Learner> Learner for Coordinates<L> {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        self.0.iter_mut().map(|one| one.predict(None)[0]).collect()
    }

    fn update(&mut self, gradient: &[f64]) {
        self.0.iter_mut().zip(gradient).for_each(|(one, g)| one.update(&[*g]));
    }
}

/// Coin betting with the Krichevsky–Trofimov bettor in 1-d, for gradients up to a bound; larger ones are cut. Rounds
/// with gradient 0 are no rounds. The wealth is kept as its logarithm.
#[derive(Clone, Debug)]
pub struct CoinBetting {
    domain: Domain,
    bound: f64,
    theta: f64,
    log_wealth: f64,
    t: f64,
}

impl CoinBetting {
    /// At the centre.
    pub fn new(domain: Domain, bound: f64) -> Self {
        Self { log_wealth: domain.radius().ln(), domain, bound, theta: 0.0, t: 0.0 }
    }

    fn bet(&self) -> f64 {
        self.theta / (self.t + 1.0) * self.log_wealth.exp()
    }

    /// The point that is played, and whether it is not the one that was meant.
    fn play(&self) -> (f64, bool) {
        let furthest = self.domain.radius() * FURTHEST;
        let meant = self.domain.centre(1)[0] + self.bet().clamp(-furthest, furthest);
        let played = self.domain.project(&[meant])[0];
        (played, played != meant || self.bet().abs() > furthest)
    }
}

impl Learner for CoinBetting {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        vec![self.play().0]
    }

    fn update(&mut self, gradient: &[f64]) {
        let coin = -(gradient[0] / self.bound).clamp(-1.0, 1.0);
        // The constraint reduction in 1-d: what would push the bet further out of the domain is not told.
        let outward = self.play().1 && coin * self.bet() > 0.0;
        if coin == 0.0 || outward {
            return;
        }
        self.log_wealth += (coin * self.theta / (self.t + 1.0)).ln_1p();
        self.theta += coin;
        self.t += 1.0;
    }
}

/// The constraint reduction: play Π(z), and take from the gradient its part along z − Π(z) if that points inward.
#[derive(Clone, Debug)]
pub struct Constrained<L> {
    base: L,
    domain: Domain,
    outward: Vec<f64>,
}

impl<L> Constrained<L> {
    /// `base` in `domain`.
    pub fn new(base: L, domain: Domain) -> Self {
        Self { base, domain, outward: Vec::new() }
    }
}

impl<L: Learner> Learner for Constrained<L> {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        let z = self.base.predict(None);
        let w = self.domain.project(&z);
        let away = plus(&z, -1.0, &w);
        self.outward = if norm(&away) > 0.0 { times(1.0 / norm(&away), &away) } else { away };
        w
    }

    fn update(&mut self, gradient: &[f64]) {
        let along = dot(gradient, &self.outward).min(0.0);
        self.base.update(&plus(gradient, -along, &self.outward));
    }
}

/// A 1-d learner for the magnitude (where it is negative, 0 is played), one in a unit ball for the direction.
#[derive(Clone, Debug)]
pub struct Magnitude<S, Y> {
    magnitude: S,
    direction: Y,
    s: f64,
    y: Vec<f64>,
}

impl<S, Y> Magnitude<S, Y> {
    /// Of two learners.
    pub fn new(magnitude: S, direction: Y) -> Self {
        Self { magnitude, direction, s: 0.0, y: Vec::new() }
    }
}

impl<S: Learner, Y: Learner> Learner for Magnitude<S, Y> {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        self.s = self.magnitude.predict(None)[0];
        self.y = self.direction.predict(None);
        times(self.s.max(0.0), &self.y)
    }

    fn update(&mut self, gradient: &[f64]) {
        let slope = dot(gradient, &self.y);
        if self.s >= 0.0 || slope < 0.0 {
            self.magnitude.update(&[slope]);
        }
        self.direction.update(gradient);
    }
}
