//! Parameter-free online learners, which need no radius, and two reductions: to a constrained domain, and to a magnitude and a direction.

use crate::vectors::{dot, minus, norm, plus, square, times, zero};
use crate::{Domain, Learner, Number};

/// Greatest distance (2^100) of an iterate from the centre, in multiples of the initial wealth.
const FURTHEST: f64 = 1.2676506002282294e30;

/// FreeGrad, a parameter-free learner. A gradient is clipped to the norm of the largest previous one, and the iterate is projected onto the
/// domain.
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
    /// Creates a learner whose first iterate is the centre of its domain.
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

/// Online learner for a product of intervals: one independent one-dimensional learner per coordinate.
#[derive(Clone, Debug)]
pub struct Coordinates<L>(Vec<L>);

impl<L> Coordinates<L> {
    /// Creates one learner per coordinate; `one` makes it from the coordinate's interval, a one-dimensional domain.
    ///
    /// # Panics
    /// If the domain is not a product of intervals.
    pub fn new<N: Number>(dim: usize, domain: &Domain<N>, one: impl Fn(Domain<N>) -> L) -> Self {
        let interval = |j: usize| match domain {
            Domain::WholeSpace(reach) => Domain::WholeSpace(*reach),
            Domain::BoxDomain(lower, upper) => Domain::BoxDomain(vec![lower[j]], vec![upper[j]]),
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

/// Coin betting in one dimension with the Krichevsky–Trofimov bettor, for gradients of absolute value up to `bound`; larger ones are clipped.
/// Rounds with gradient 0 are not counted.
#[derive(Clone, Debug)]
pub struct CoinBetting<N = f64> {
    domain: Domain<N>,
    bound: N,
    theta: N,
    wealth: N,
    t: N,
}

impl<N: Number> CoinBetting<N> {
    /// Creates a learner whose first iterate is the centre of the domain, for gradients of absolute value up to `bound`.
    pub fn new(domain: Domain<N>, bound: N) -> Self {
        let nothing = N::of(0.0);
        Self { wealth: domain.radius(), domain, bound, theta: nothing, t: nothing }
    }

    fn bet(&self) -> N {
        self.theta / (self.t + N::of(1.0)) * self.wealth
    }

    /// Returns the iterate, and whether it was clipped: whether it differs from the intended bet because of the domain or of the greatest
    /// distance.
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
        // The constraint reduction in one dimension: gradients that would push the bet further out of the domain are dropped.
        let outward = self.play().1 && coin * self.bet() > nothing;
        if coin == nothing || outward {
            return;
        }
        self.wealth = self.wealth * (one + coin * self.theta / (self.t + one));
        self.theta = self.theta + coin;
        self.t = self.t + one;
    }
}

/// Constraint reduction: plays the projection Π(z) of the iterate z of `base`, and removes the component of the gradient along z − Π(z) if a
/// step against the gradient would lead further out of the domain.
#[derive(Clone, Debug)]
pub struct Constrained<L, N = f64> {
    base: L,
    domain: Domain<N>,
    outward: Vec<N>,
}

impl<L, N> Constrained<L, N> {
    /// Creates a learner for `domain` from `base`, a learner for the whole space.
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

/// Product of two learners: a one-dimensional one for the magnitude (a negative one is played as 0), and one in the unit ball for the
/// direction.
#[derive(Clone, Debug)]
pub struct Magnitude<S, Y, N = f64> {
    magnitude: S,
    direction: Y,
    s: N,
    y: Vec<N>,
}

impl<S, Y, N: Number> Magnitude<S, Y, N> {
    /// Creates a learner from the one-dimensional learner `magnitude` and the unit-ball learner `direction`.
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
