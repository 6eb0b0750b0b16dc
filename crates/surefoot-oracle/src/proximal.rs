//! Proximal optimistic follow-the-regularised-leader: regularisers centred at the iterates.

use crate::vectors::{norm, plus, times};
use crate::{Domain, Learner};

/// One rate. `q` = Σ σ_i w_i − Σ G_i, `s` = Σ σ_i.
#[derive(Clone, Debug)]
pub struct Proximal {
    domain: Domain,
    q: Vec<f64>,
    s: f64,
    v: f64,
    h: Vec<f64>,
    w: Vec<f64>,
}

impl Proximal {
    /// At the centre.
    pub fn new(dim: usize, domain: Domain) -> Self {
        let zero = vec![0.0; dim];
        Self { w: domain.centre(dim), domain, q: zero.clone(), s: 0.0, v: 0.0, h: zero }
    }
}

impl Learner for Proximal {
    fn predict(&mut self, hint: Option<&[f64]>) -> Vec<f64> {
        self.h = hint.map_or(vec![0.0; self.q.len()], <[f64]>::to_vec);
        let z = plus(&self.q, -1.0, &self.h);
        self.w = if self.s > 0.0 {
            self.domain.project(&times(1.0 / self.s, &z))
        } else if norm(&z) > 0.0 {
            // Nothing but the linear part: the furthest point in its direction.
            self.domain.project(&times(1e15 * self.domain.radius() / norm(&z), &z))
        } else {
            self.domain.centre(z.len())
        };
        self.w.clone()
    }

    fn update(&mut self, gradient: &[f64]) {
        if self.domain.radius() == 0.0 {
            return; // an interval of one point
        }
        self.v += norm(&plus(gradient, -1.0, &self.h)).powi(2);
        let s = (2.0 * self.v).sqrt() / (2.0 * self.domain.radius());
        self.q = plus(&plus(&self.q, s - self.s, &self.w), -1.0, gradient);
        self.s = s;
    }
}

/// One rate a coordinate, in a box.
#[derive(Clone, Debug)]
pub struct DiagonalProximal {
    coordinates: Vec<Proximal>,
}

impl DiagonalProximal {
    /// At the centre.
    ///
    /// # Panics
    /// For a domain that is no box.
    pub fn new(domain: &Domain) -> Self {
        let Domain::Cuboid(lower, upper) = domain else { panic!("not a box") };
        let one = |(l, u): (&f64, &f64)| Proximal::new(1, Domain::Cuboid(vec![*l], vec![*u]));
        Self { coordinates: lower.iter().zip(upper).map(one).collect() }
    }
}

impl Learner for DiagonalProximal {
    fn predict(&mut self, hint: Option<&[f64]>) -> Vec<f64> {
        let one = |(j, c): (usize, &mut Proximal)| c.predict(hint.map(|h| &h[j..=j]))[0];
        self.coordinates.iter_mut().enumerate().map(one).collect()
    }

    fn update(&mut self, gradient: &[f64]) {
        self.coordinates.iter_mut().enumerate().for_each(|(j, c)| c.update(&gradient[j..=j]));
    }
}
