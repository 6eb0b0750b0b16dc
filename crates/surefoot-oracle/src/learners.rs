//! Learners: predict, with the hint of the round if there is one, then update with the weighted gradient.

use crate::Domain;
use crate::vectors::{norm, plus, times};

/// An online learner that is asked once and told once a round.
pub trait Learner {
    /// w_t.
    fn predict(&mut self, hint: Option<&[f64]>) -> Vec<f64>;
    /// The round's loss: G_t = α_t g_t.
    fn update(&mut self, gradient: &[f64]);
}

/// Gradient descent with the rate B/√(2 Σ‖G‖²), projected.
#[derive(Clone, Debug)]
pub struct Ogd {
    domain: Domain,
    w: Vec<f64>,
    v: f64,
}

impl Ogd {
    /// At the centre.
    pub fn new(dim: usize, domain: Domain) -> Self {
        Self { w: domain.centre(dim), domain, v: 0.0 }
    }
}

impl Learner for Ogd {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        self.w.clone()
    }

    fn update(&mut self, gradient: &[f64]) {
        self.v += norm(gradient).powi(2);
        if self.v > 0.0 {
            let rate = 2.0 * self.domain.radius() / (2.0 * self.v).sqrt();
            self.w = self.domain.project(&plus(&self.w, -rate, gradient));
        }
    }
}

/// Optimistic dual averaging with clipping at the largest error before.
#[derive(Clone, Debug)]
pub struct DualAveraging {
    domain: Domain,
    z: Vec<f64>,
    h: Vec<f64>,
    v: f64,
    gamma: f64,
    lambda: f64,
    /// What the distance from the centre is multiplied with, by round.
    pub multiplier: fn(u64) -> f64,
    t: u64,
}

impl DualAveraging {
    /// At the centre, with a first Γ.
    pub fn new(dim: usize, domain: Domain, gamma: f64) -> Self {
        let zero = vec![0.0; dim];
        Self { domain, z: zero.clone(), h: zero, v: 0.0, gamma, lambda: 0.0, multiplier: |_| 1.0, t: 0 }
    }
}

impl Learner for DualAveraging {
    fn predict(&mut self, hint: Option<&[f64]>) -> Vec<f64> {
        self.t += 1;
        let dim = self.z.len();
        self.h = hint.map_or(vec![0.0; dim], <[f64]>::to_vec);
        self.lambda = self.lambda.max((2.0 * (self.gamma.powi(2) + self.v)).sqrt() / self.domain.radius());
        let centre = self.domain.centre(dim);
        let z = plus(&self.z, 1.0, &self.h);
        if self.lambda == 0.0 {
            // No error yet: the leader of the linear part, where there is one.
            let leads = norm(&z) > 0.0 && matches!(self.domain, Domain::Ball(..));
            return if leads { plus(&centre, -self.domain.radius() / norm(&z), &z) } else { centre };
        }
        let w = self.domain.project(&plus(&centre, -1.0 / self.lambda, &z));
        plus(&centre, (self.multiplier)(self.t), &plus(&w, -1.0, &centre))
    }

    fn update(&mut self, gradient: &[f64]) {
        let delta = plus(gradient, -1.0, &self.h);
        let size = norm(&delta);
        let clipped = if size > self.gamma { times(self.gamma / size, &delta) } else { delta };
        self.v += norm(&clipped).powi(2);
        self.z = plus(&plus(&self.z, 1.0, &self.h), 1.0, &clipped);
        self.gamma = self.gamma.max(size);
    }
}

/// AdaGrad, one rate a coordinate, clipped to a box (or not at all in the whole space).
#[derive(Clone, Debug)]
pub struct AdaGrad {
    domain: Domain,
    width: Vec<f64>,
    w: Vec<f64>,
    s: Vec<f64>,
}

impl AdaGrad {
    /// At the centre.
    ///
    /// # Panics
    /// For a domain that is no product of intervals.
    pub fn new(dim: usize, domain: Domain) -> Self {
        let width = match &domain {
            Domain::Whole(reach) => vec![2.0 * reach; dim],
            Domain::Cuboid(lower, upper) => plus(upper, -1.0, lower),
            _ => panic!("no product of intervals"),
        };
        Self { w: domain.centre(dim), domain, width, s: vec![0.0; dim] }
    }
}

impl Learner for AdaGrad {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        self.w.clone()
    }

    fn update(&mut self, gradient: &[f64]) {
        for (j, g) in gradient.iter().enumerate() {
            self.s[j] += g * g;
            if self.s[j] > 0.0 {
                self.w[j] -= self.width[j] * g / (2.0 * self.s[j]).sqrt();
            }
        }
        self.w = self.domain.project(&self.w);
    }
}

/// AdaGrad in its dual-averaging form, w = D·θ/√(S + c).
#[derive(Clone, Debug)]
pub struct DualAdaGrad {
    scale: f64,
    damping: f64,
    theta: Vec<f64>,
    s: Vec<f64>,
    /// What the iterate is multiplied with, by round.
    pub multiplier: fn(u64) -> f64,
    t: u64,
}

impl DualAdaGrad {
    /// At 0.
    pub fn new(dim: usize, scale: f64, damping: f64) -> Self {
        Self { scale, damping, theta: vec![0.0; dim], s: vec![0.0; dim], multiplier: |_| 1.0, t: 0 }
    }
}

impl Learner for DualAdaGrad {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        self.t += 1;
        let multiplier = (self.multiplier)(self.t);
        let one = |(theta, s): (&f64, &f64)| {
            let root = (s + self.damping).sqrt();
            if root > 0.0 { multiplier * self.scale * theta / root } else { 0.0 }
        };
        self.theta.iter().zip(&self.s).map(one).collect()
    }

    fn update(&mut self, gradient: &[f64]) {
        for (j, g) in gradient.iter().enumerate() {
            self.theta[j] -= g;
            self.s[j] += g * g;
        }
    }
}

/// Follow the leader on Σ α_i(⟨g_i, ·⟩ + (μ/2)‖· − centre‖²): w_{t+1} = Π_D(centre − Z_t/(μA_t)).
#[derive(Clone, Debug)]
pub struct Ridge {
    domain: Domain,
    mu: f64,
    weights: Vec<f64>,
    z: Vec<f64>,
    total: f64,
    t: usize,
}

impl Ridge {
    /// At the centre; the weights of the rounds are needed, since they weigh the penalty.
    pub fn new(dim: usize, domain: Domain, mu: f64, weights: Vec<f64>) -> Self {
        Self { domain, mu, weights, z: vec![0.0; dim], total: 0.0, t: 0 }
    }
}

impl Learner for Ridge {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        let centre = self.domain.centre(self.z.len());
        if self.total == 0.0 {
            return centre;
        }
        self.domain.project(&plus(&centre, -1.0 / (self.mu * self.total), &self.z))
    }

    fn update(&mut self, gradient: &[f64]) {
        self.total += self.weights[self.t];
        self.t += 1;
        self.z = plus(&self.z, 1.0, gradient);
    }
}

/// Dual averaging with the penalty l1‖·‖₁ + (l2/2)‖·‖², gradients above the largest before them cut to it (never with an
/// infinite reach): w_t = −soft(Z_{t−1}, A_t·l1)/(λ_t + A_t·l2), λ_t = √(2(Γ² + V))/r.
#[derive(Clone, Debug)]
pub struct CompositeAveraging {
    /// l1 and l2.
    pub penalty: (f64, f64),
    /// r.
    pub reach: f64,
    /// α_1, α_2 …: they weigh the penalty.
    pub weights: Vec<f64>,
    /// Γ.
    pub gamma: f64,
    z: Vec<f64>,
    v: f64,
    told: f64,
    t: usize,
}

impl CompositeAveraging {
    /// At 0.
    pub fn new(dim: usize, penalty: (f64, f64), reach: f64, weights: Vec<f64>) -> Self {
        Self { penalty, reach, weights, gamma: 0.0, z: vec![0.0; dim], v: 0.0, told: 0.0, t: 0 }
    }
}

impl Learner for CompositeAveraging {
    fn predict(&mut self, _: Option<&[f64]>) -> Vec<f64> {
        let total = self.told + self.weights[self.t];
        let (l1, l2) = self.penalty;
        let below = (2.0 * (self.gamma.powi(2) + self.v)).sqrt() / self.reach + total * l2;
        let soft = |z: &f64| z.signum() * (z.abs() - total * l1).max(0.0);
        self.z.iter().map(|z| if below > 0.0 { -soft(z) / below } else { 0.0 }).collect()
    }

    fn update(&mut self, gradient: &[f64]) {
        let size = norm(gradient);
        let bounded = self.reach.is_finite() && size > self.gamma;
        let clipped = times(if bounded { self.gamma / size } else { 1.0 }, gradient);
        self.v += norm(&clipped).powi(2);
        self.z = plus(&self.z, 1.0, &clipped);
        self.gamma = self.gamma.max(size);
        self.told += self.weights[self.t];
        self.t += 1;
    }
}
