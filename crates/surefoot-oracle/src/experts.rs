//! Learners over the simplex and the L1 ball: exponential weights over the corners, and a p-norm learner.

use crate::Learner;
use crate::vectors::{dot, norm, plus, times};

/// State of a learner with hints (predictions of gradients) whose hint errors are clipped: sum `z` of gradients, hint `h` of the round, sum
/// `v` of squared sizes of clipped errors, largest error size `gamma` (Γ).
#[derive(Clone, Debug)]
struct Sums {
    z: Vec<f64>,
    h: Vec<f64>,
    v: f64,
    gamma: f64,
}

impl Sums {
    fn new(dim: usize, gamma: f64) -> Self {
        Self { z: vec![0.0; dim], h: vec![0.0; dim], v: 0.0, gamma }
    }

    fn guess(&mut self, hint: Option<&[f64]>) -> Vec<f64> {
        self.h = hint.map_or(vec![0.0; self.z.len()], <[f64]>::to_vec);
        plus(&self.z, 1.0, &self.h)
    }

    fn update(&mut self, gradient: &[f64], size: impl Fn(&[f64]) -> f64) {
        let delta = plus(gradient, -1.0, &self.h);
        let s = size(&delta);
        let cut = if s > self.gamma { times(self.gamma / s, &delta) } else { delta };
        self.v += s.min(self.gamma).powi(2);
        self.z = plus(&plus(&self.z, 1.0, &self.h), 1.0, &cut);
        self.gamma = self.gamma.max(s);
    }

    /// Returns Γ² + V: the square of the largest hint error so far (gradient minus hint) plus the sum of the squared clipped errors.
    fn spread(&self) -> f64 {
        self.gamma.powi(2) + self.v
    }
}

fn range(x: &[f64]) -> f64 {
    x.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x)) - x.iter().fold(f64::INFINITY, |m, x| m.min(*x))
}

fn least(x: &[f64]) -> f64 {
    x.iter().fold(f64::INFINITY, |m, x| m.min(*x))
}

/// Returns the probabilities proportional to exp(−rate·x); if the rate is infinite, equal ones for the smallest entries and 0 for the rest.
fn gibbs(rate: f64, x: &[f64]) -> Vec<f64> {
    let low = least(x);
    let p: Vec<f64> = x
        .iter()
        .map(|x| if rate.is_infinite() { f64::from(u8::from(*x == low)) } else { (-rate * (x - low)).exp() })
        .collect();
    let total: f64 = p.iter().sum();
    times(1.0 / total, &p)
}

/// Returns the soft minimum −ln(Σ exp(−rate·x))/rate.
fn soft_least(rate: f64, x: &[f64]) -> f64 {
    let low = least(x);
    if rate.is_infinite() { low } else { low - x.iter().map(|x| (-rate * (x - low)).exp()).sum::<f64>().ln() / rate }
}

/// Hedge (exponential weights) over K experts with the learning rate 2√(ln K/(Γ² + Σ range²)), for the ranges (largest minus smallest
/// coordinate) of clipped hint errors; Γ is the largest range so far.
#[derive(Clone, Debug)]
pub struct Hedge(Sums);

impl Hedge {
    /// Creates a learner for `dim` experts with equal initial weights; `gamma` is the initial value of Γ, to which the ranges of hint
    /// errors (gradient minus hint) are clipped.
    pub fn new(dim: usize, gamma: f64) -> Self {
        Self(Sums::new(dim, gamma))
    }
}

impl Learner for Hedge {
    fn predict(&mut self, hint: Option<&[f64]>) -> Vec<f64> {
        let z = self.0.guess(hint);
        let rate = 2.0 * ((z.len() as f64).ln() / self.0.spread()).sqrt();
        gibbs(rate, &z)
    }

    fn update(&mut self, gradient: &[f64]) {
        self.0.update(gradient, range);
    }
}

/// AdaHedge: exponential weights over K experts with the learning rate ln K/Δ, where Δ is the sum of the mixability gaps so far.
#[derive(Clone, Debug)]
pub struct AdaHedge {
    z: Vec<f64>,
    h: Vec<f64>,
    w: Vec<f64>,
    gaps: f64,
}

impl AdaHedge {
    /// Creates a learner for `dim` experts with equal initial weights.
    pub fn new(dim: usize) -> Self {
        Self { z: vec![0.0; dim], h: vec![0.0; dim], w: vec![0.0; dim], gaps: 0.0 }
    }

    fn rate(&self) -> f64 {
        (self.z.len() as f64).ln() / self.gaps
    }
}

impl Learner for AdaHedge {
    fn predict(&mut self, hint: Option<&[f64]>) -> Vec<f64> {
        self.h = hint.map_or(vec![0.0; self.z.len()], <[f64]>::to_vec);
        self.w = gibbs(self.rate(), &plus(&self.z, 1.0, &self.h));
        self.w.clone()
    }

    fn update(&mut self, gradient: &[f64]) {
        let (rate, z) = (self.rate(), plus(&self.z, 1.0, gradient));
        let delta = plus(gradient, -1.0, &self.h);
        let mean: f64 = self.w.iter().zip(&delta).map(|(w, d)| w * d).sum();
        let mix = soft_least(rate, &z) - soft_least(rate, &plus(&self.z, 1.0, &self.h));
        self.gaps += (mean - mix).max(0.0);
        self.z = z;
    }
}

/// EG±: Hedge (exponential weights) over the 2d corners of the L1 ball.
#[derive(Clone, Debug)]
pub struct SignedHedge {
    sums: Sums,
    radius: f64,
}

impl SignedHedge {
    /// Creates a learner for the L1 ball of this radius, whose first iterate is 0.
    pub fn new(dim: usize, radius: f64) -> Self {
        Self { sums: Sums::new(2 * dim, 0.0), radius }
    }

    fn corners(&self, x: &[f64]) -> Vec<f64> {
        x.iter().map(|x| self.radius * x).chain(x.iter().map(|x| -self.radius * x)).collect()
    }
}

impl Learner for SignedHedge {
    fn predict(&mut self, hint: Option<&[f64]>) -> Vec<f64> {
        let hint = hint.map(|h| self.corners(h));
        let z = self.sums.guess(hint.as_deref());
        let rate = 2.0 * ((z.len() as f64).ln() / self.sums.spread()).sqrt();
        let p = gibbs(rate, &z);
        let dim = z.len() / 2;
        if range(&z) == 0.0 {
            return vec![0.0; dim];
        }
        (0..dim).map(|j| self.radius * (p[j] - p[dim + j])).collect()
    }

    fn update(&mut self, gradient: &[f64]) {
        let gradient = self.corners(gradient);
        self.sums.update(&gradient, range);
    }
}

/// Follow-the-leader with p-norm regulariser: minimises ⟨Z, w⟩ + (λ/2)‖w‖_p² over the L1 ball. The dual exponent q is the smallest even
/// number that is at least 2 ln d.
#[derive(Clone, Debug)]
pub struct PNorm {
    sums: Sums,
    radius: f64,
    q: i32,
}

impl PNorm {
    /// Creates a learner for the L1 ball of this radius, whose first iterate is 0.
    pub fn new(dim: usize, radius: f64) -> Self {
        Self { sums: Sums::new(dim, 0.0), radius, q: 2 * (dim as f64).ln().ceil().max(1.0) as i32 }
    }

    /// Returns the gradient of ½‖θ‖_q² at θ, the mirror map from gradient sums to iterates.
    fn mirror(&self, theta: &[f64]) -> Vec<f64> {
        let size = self.size(theta);
        let one = |x: &f64| if size > 0.0 { x.signum() * size * (x.abs() / size).powi(self.q - 1) } else { 0.0 };
        theta.iter().map(one).collect()
    }

    fn size(&self, x: &[f64]) -> f64 {
        x.iter().map(|x| x.abs().powi(self.q)).sum::<f64>().powf(1.0 / f64::from(self.q))
    }
}

impl Learner for PNorm {
    fn predict(&mut self, hint: Option<&[f64]>) -> Vec<f64> {
        let z = self.sums.guess(hint);
        let lambda = (2.0 * f64::from(self.q - 1) * self.sums.spread()).sqrt() / self.radius;
        if norm(&z) == 0.0 {
            return z;
        }
        if lambda == 0.0 {
            // Only the linear part remains: the corner against its largest coordinate, or the mean of several such corners.
            let most = z.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
            let corner: Vec<f64> = z.iter().map(|z| if z.abs() == most { -z.signum() } else { 0.0 }).collect();
            return times(self.radius / dot(&corner, &corner), &corner);
        }
        // Bisection finds the multiplier μ of ‖w‖₁ ≤ r, which soft-thresholds Z.
        let at = |mu: f64| {
            let theta: Vec<f64> = z.iter().map(|z| -z.signum() * (z.abs() - mu).max(0.0)).collect();
            times(1.0 / lambda, &self.mirror(&theta))
        };
        let size = |w: &[f64]| w.iter().map(|w| w.abs()).sum::<f64>();
        if size(&at(0.0)) <= self.radius {
            return at(0.0);
        }
        let (mut low, mut high) = (0.0, z.iter().fold(0.0_f64, |m, z| m.max(z.abs())));
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if size(&at(middle)) > self.radius { low = middle } else { high = middle }
        }
        let w = at(high);
        times(self.radius / size(&w), &w)
    }

    fn update(&mut self, gradient: &[f64]) {
        let q = self.q;
        self.sums.update(gradient, |x| x.iter().map(|x| x.abs().powi(q)).sum::<f64>().powf(1.0 / f64::from(q)));
    }
}
