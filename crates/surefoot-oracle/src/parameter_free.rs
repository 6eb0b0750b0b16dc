//! Learners that need no radius, and the two reductions.

use crate::vectors::{dot, minus, norm, plus, square, times, zero};
use crate::{Domain, Learner, Number};

/// No iterate is further from the centre than this many times the initial wealth.
const FURTHEST: f64 = 1.2676506002282294e30;

/// FreeGrad with clipping at the largest gradient before, and its iterate projected.
#[derive(Clone, Debug)]
pub struct FreeGrad<N = f64> {
    domain: Domain<N>,
    z: Vec<N>,
    squares: N,
    first: N,
    h: N,
    w: Vec<N>,
}

impl<N: Number> FreeGrad<N> {
    /// At the centre.
    pub fn new(dim: usize, domain: Domain<N>) -> Self {
        let nothing = N::of(0.0);
        Self { w: domain.centre(dim), domain, z: zero(dim), squares: nothing, first: nothing, h: nothing }
    }
}

impl<N: Number> FreeGrad<N> {
    fn iterate(&self) -> Vec<N> {
        let centre = self.domain.centre(self.z.len());
        let (n, h, v) = (norm(&self.z), self.h, square(self.h) + self.squares);
        if n == N::of(0.0) {
            return centre;
        }
        let (epsilon, two, c) = (self.domain.radius(), N::of(2.0), v + h * n);
        let bet = epsilon * square(self.first) * (two * v + h * n) / (two * square(c) * v.sqrt());
        let length = (n * bet * (n * n / (two * c)).exp()).min(epsilon * N::of(FURTHEST));
        self.domain.project(&plus(&centre, -length / n, &self.z))
    }
}

impl<N: Number> Learner<N> for FreeGrad<N> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        self.w.clone()
    }

    fn update(&mut self, gradient: &[N]) {
        let size = norm(gradient);
        let nothing = N::of(0.0);
        if size == nothing {
            return;
        }
        if self.first == nothing {
            (self.first, self.h) = (size, size);
        }
        self.z = plus(&self.z, (self.h / size).min(N::of(1.0)), gradient);
        self.squares = self.squares + square(size.min(self.h));
        self.h = self.h.max(size);
        self.w = self.iterate();
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
    pub fn new<N: Number>(dim: usize, domain: &Domain<N>, one: impl Fn(Domain<N>) -> L) -> Self {
        let interval = |j: usize| match domain {
            Domain::Whole(reach) => Domain::Whole(*reach),
            Domain::Cuboid(lower, upper) => Domain::Cuboid(vec![lower[j]], vec![upper[j]]),
            _ => panic!("no product of intervals"),
        };
        Self((0..dim).map(|j| one(interval(j))).collect())
    }
}

impl<N: Number, L: Learner<N>> Learner<N> for Coordinates<L> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        self.0.iter_mut().map(|one| one.predict(None)[0]).collect()
    }

    fn update(&mut self, gradient: &[N]) {
        self.0.iter_mut().zip(gradient).for_each(|(one, g)| one.update(&[*g]));
    }
}

/// Coin betting with the Krichevsky–Trofimov bettor in 1-d, for gradients up to a bound; larger ones are cut. Rounds
/// with gradient 0 are no rounds.
#[derive(Clone, Debug)]
pub struct CoinBetting<N = f64> {
    domain: Domain<N>,
    bound: N,
    theta: N,
    wealth: N,
    t: N,
}

impl<N: Number> CoinBetting<N> {
    /// At the centre.
    pub fn new(domain: Domain<N>, bound: N) -> Self {
        let nothing = N::of(0.0);
        Self { wealth: domain.radius(), domain, bound, theta: nothing, t: nothing }
    }

    fn bet(&self) -> N {
        self.theta / (self.t + N::of(1.0)) * self.wealth
    }

    /// The point that is played, and whether it is not the one that was meant.
    fn play(&self) -> (N, bool) {
        let furthest = self.domain.radius() * N::of(FURTHEST);
        let meant = self.domain.centre(1)[0] + self.bet().clamp(-furthest, furthest);
        let played = self.domain.project(&[meant])[0];
        (played, played != meant || self.bet().abs() > furthest)
    }
}

impl<N: Number> Learner<N> for CoinBetting<N> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        vec![self.play().0]
    }

    fn update(&mut self, gradient: &[N]) {
        let (nothing, one) = (N::of(0.0), N::of(1.0));
        let coin = -(gradient[0] / self.bound).clamp(-one, one);
        // The constraint reduction in 1-d: what would push the bet further out of the domain is not told.
        let outward = self.play().1 && coin * self.bet() > nothing;
        if coin == nothing || outward {
            return;
        }
        self.wealth = self.wealth * (one + coin * self.theta / (self.t + one));
        self.theta = self.theta + coin;
        self.t = self.t + one;
    }
}

/// The constraint reduction: play Π(z), and take from the gradient its part along z − Π(z) if that points inward.
#[derive(Clone, Debug)]
pub struct Constrained<L, N = f64> {
    base: L,
    domain: Domain<N>,
    outward: Vec<N>,
}

impl<L, N> Constrained<L, N> {
    /// `base` in `domain`.
    pub fn new(base: L, domain: Domain<N>) -> Self {
        Self { base, domain, outward: Vec::new() }
    }
}

impl<N: Number, L: Learner<N>> Learner<N> for Constrained<L, N> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        let z = self.base.predict(None);
        let w = self.domain.project(&z);
        let away = minus(&z, &w);
        self.outward = if norm(&away) > N::of(0.0) { times(N::of(1.0) / norm(&away), &away) } else { away };
        w
    }

    fn update(&mut self, gradient: &[N]) {
        let along = dot(gradient, &self.outward).min(N::of(0.0));
        self.base.update(&plus(gradient, -along, &self.outward));
    }
}

/// A 1-d learner for the magnitude (where it is negative, 0 is played), one in a unit ball for the direction.
#[derive(Clone, Debug)]
pub struct Magnitude<S, Y, N = f64> {
    magnitude: S,
    direction: Y,
    s: N,
    y: Vec<N>,
}

impl<S, Y, N: Number> Magnitude<S, Y, N> {
    /// Of two learners.
    pub fn new(magnitude: S, direction: Y) -> Self {
        Self { magnitude, direction, s: N::of(0.0), y: Vec::new() }
    }
}

impl<N: Number, S: Learner<N>, Y: Learner<N>> Learner<N> for Magnitude<S, Y, N> {
    fn predict(&mut self, _: Option<&[N]>) -> Vec<N> {
        self.s = self.magnitude.predict(None)[0];
        self.y = self.direction.predict(None);
        times(self.s.max(N::of(0.0)), &self.y)
    }

    fn update(&mut self, gradient: &[N]) {
        let slope = dot(gradient, &self.y);
        if self.s >= N::of(0.0) || slope < N::of(0.0) {
            self.magnitude.update(&[slope]);
        }
        self.direction.update(gradient);
    }
}
