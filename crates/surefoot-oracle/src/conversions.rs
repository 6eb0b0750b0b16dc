//! Conversions, each a loop over rounds with a gradient oracle. All return what happened in every round.

use crate::vectors::{dot, norm, plus, times};
use crate::{Domain, Learner};

/// One round.
#[derive(Clone, Debug)]
pub struct Round {
    /// w_t.
    pub iterate: Vec<f64>,
    /// Where the gradient was taken.
    pub query: Vec<f64>,
    /// What the theorem bounds.
    pub output: Vec<f64>,
}

/// Algorithm 1 with interpolation: query at βx + (1−β)w, output x = Σ α_i w_i / A.
pub fn anytime(
    learner: &mut dyn Learner,
    weight: &dyn Fn(u64) -> f64,
    beta: f64,
    rounds: u64,
    gradient: &mut dyn FnMut(u64, &[f64]) -> Vec<f64>,
) -> Vec<Round> {
    let (mut total, mut sum, mut trace) = (0.0, None, Vec::new());
    for t in 1..=rounds {
        let a = weight(t);
        let w = learner.predict(None);
        total += a;
        let s = sum.map_or_else(|| times(a, &w), |s: Vec<f64>| plus(&s, a, &w));
        let x = times(1.0 / total, &s);
        let q = plus(&times(beta, &x), 1.0 - beta, &w);
        let g = gradient(t, &q);
        learner.update(&times(a, &g));
        sum = Some(s);
        trace.push(Round { iterate: w, query: q, output: x });
    }
    trace
}

/// Algorithm 2 with follow-the-leader: losses ⟨g_t, ·⟩ + (μ/2)‖· − x_t‖², w_{t+1} = Π_D((Σα_i x_i − Z_t/μ)/A_t).
pub fn strongly_convex(
    dim: usize,
    domain: &Domain,
    mu: f64,
    weight: &dyn Fn(u64) -> f64,
    rounds: u64,
    gradient: &mut dyn FnMut(u64, &[f64]) -> Vec<f64>,
) -> Vec<Round> {
    let (mut w, mut x) = (domain.centre(dim), domain.centre(dim));
    let (mut total, mut z, mut sum) = (0.0, vec![0.0; dim], vec![0.0; dim]);
    let mut trace = Vec::new();
    for t in 1..=rounds {
        let a = weight(t);
        x = times(1.0 / (total + a), &plus(&times(total, &x), a, &w));
        total += a;
        let g = gradient(t, &x);
        trace.push(Round { iterate: w, query: x.clone(), output: x.clone() });
        z = plus(&z, a, &g);
        sum = plus(&sum, a, &x);
        w = domain.project(&times(1.0 / total, &plus(&sum, -1.0 / mu, &z)));
    }
    trace
}

/// Algorithm 3: as [`anytime`] with β = 1, and before w_t is asked for the hint α_t g_{t−1}.
pub fn optimistic(
    learner: &mut dyn Learner,
    weight: &dyn Fn(u64) -> f64,
    rounds: u64,
    gradient: &mut dyn FnMut(u64, &[f64]) -> Vec<f64>,
) -> Vec<Round> {
    let (mut total, mut x, mut last, mut trace) = (0.0, Vec::new(), None, Vec::new());
    for t in 1..=rounds {
        let a = weight(t);
        let hint = last.map(|g: Vec<f64>| times(a, &g));
        let w = learner.predict(hint.as_deref());
        total += a;
        x = if t == 1 { w.clone() } else { plus(&x, a / total, &plus(&w, -1.0, &x)) };
        let g = gradient(t, &x);
        learner.update(&times(a, &g));
        trace.push(Round { iterate: w, query: x.clone(), output: x.clone() });
        last = Some(g);
    }
    trace
}

/// Algorithm 4, weights t: x_t = (A_{t−1} y_{t−1} + t·w_t)/A_t, y_t = x_t − η_t g_t with
/// η_t = c·B/√(ε² + Σ A_i‖g_i‖²). Query x_t, output y_t.
pub fn accelerated(
    learner: &mut dyn Learner,
    diameter: f64,
    c: f64,
    epsilon: f64,
    rounds: u64,
    gradient: &mut dyn FnMut(u64, &[f64]) -> Vec<f64>,
) -> Vec<Round> {
    let (mut total, mut squares, mut y, mut trace) = (0.0, epsilon * epsilon, Vec::new(), Vec::new());
    for t in 1..=rounds {
        let a = t as f64;
        let w = learner.predict(None);
        total += a;
        let x = if t == 1 { w.clone() } else { plus(&times(1.0 - a / total, &y), a / total, &w) };
        let g = gradient(t, &x);
        squares += total * norm(&g).powi(2);
        y = if squares > 0.0 { plus(&x, -c * diameter / squares.sqrt(), &g) } else { x.clone() };
        learner.update(&times(a, &g));
        trace.push(Round { iterate: w, query: x, output: y.clone() });
    }
    trace
}

/// Σ α_t⟨g_t, w_t⟩ + h_D(−Σ α_t g_t): the regret against the worst point of the domain.
pub fn regret(domain: &Domain, weights: &[f64], gradients: &[Vec<f64>], trace: &[Round]) -> f64 {
    let mut linear = 0.0;
    let mut minus_z = vec![0.0; gradients[0].len()];
    for ((a, g), round) in weights.iter().zip(gradients).zip(trace) {
        linear += a * dot(g, &round.iterate);
        minus_z = plus(&minus_z, -a, g);
    }
    linear + domain.support(&minus_z)
}
