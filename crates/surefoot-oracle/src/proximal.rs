//! Proximal optimistic follow-the-regularised-leader: the regulariser of each round is centred at the iterate of that round.

use crate::vectors::{minus, norm, plus, square, times, zero};
use crate::{Domain, Learner, Number};

/// Proximal follow-the-regularised-leader with a single learning rate. Its state is `q` = Σ σ_i w_i − Σ G_i and `s` = Σ σ_i, with iterates
/// w_i, weighted gradients G_i and the strengths σ_i of the regularisers centred at the iterates.
#[derive(Clone, Debug)]
pub struct Proximal<N = f64> {
    domain: Domain<N>,
    q: Vec<N>,
    s: N,
    v: N,
    h: Vec<N>,
    w: Vec<N>,
}

impl<N: Number> Proximal<N> {
    /// Creates a learner whose first iterate is the centre of its domain.
    pub fn new(dim: usize, domain: Domain<N>) -> Self {
        let nothing = N::of(0.0);
        Self { w: domain.centre(dim), domain, q: zero(dim), s: nothing, v: nothing, h: zero(dim) }
    }
}

impl<N: Number> Learner<N> for Proximal<N> {
    fn predict(&mut self, hint: Option<&[N]>) -> Vec<N> {
        self.h = hint.map_or(zero(self.q.len()), <[N]>::to_vec);
        let (z, nothing) = (minus(&self.q, &self.h), N::of(0.0));
        self.w = if self.s > nothing {
            self.domain.project(&times(N::of(1.0) / self.s, &z))
        } else if norm(&z) > nothing {
            // Only the linear part remains: the iterate is the furthest point in its direction.
            self.domain.project(&times(N::of(1e15) * self.domain.radius() / norm(&z), &z))
        } else {
            self.domain.centre(z.len())
        };
        self.w.clone()
    }

    fn update(&mut self, gradient: &[N]) {
        if self.domain.radius() == N::of(0.0) {
            return; // an interval of one point
        }
        self.v = self.v + square(norm(&minus(gradient, &self.h)));
        let s = (N::of(2.0) * self.v).sqrt() / (N::of(2.0) * self.domain.radius());
        self.q = minus(&plus(&self.q, s - self.s, &self.w), gradient);
        self.s = s;
    }
}

/// Proximal follow-the-regularised-leader in a box, with one learning rate per coordinate.
#[derive(Clone, Debug)]
pub struct DiagonalProximal<N = f64> {
    coordinates: Vec<Proximal<N>>,
}

impl<N: Number> DiagonalProximal<N> {
    /// Creates a learner whose first iterate is the centre of its domain.
    ///
    /// # Panics
    /// If the domain is not a box.
    pub fn new(domain: &Domain<N>) -> Self {
        let Domain::BoxDomain(lower, upper) = domain else { panic!("not a box") };
        let one = |(l, u): (&N, &N)| Proximal::new(1, Domain::BoxDomain(vec![*l], vec![*u]));
        Self { coordinates: lower.iter().zip(upper).map(one).collect() }
    }
}

impl<N: Number> Learner<N> for DiagonalProximal<N> {
    fn predict(&mut self, hint: Option<&[N]>) -> Vec<N> {
        let one = |(j, c): (usize, &mut Proximal<N>)| c.predict(hint.map(|h| &h[j..=j]))[0];
        self.coordinates.iter_mut().enumerate().map(one).collect()
    }

    fn update(&mut self, gradient: &[N]) {
        self.coordinates.iter_mut().enumerate().for_each(|(j, c)| c.update(&gradient[j..=j]));
    }
}
