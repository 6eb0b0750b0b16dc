//! Conversions of online learners to optimisation methods, each written as a loop over rounds with a gradient oracle; all return their
//! rounds.
//!
//! In round t the weight is α_t (the sum of the weights so far A_t), the learner's iterate is w_t, the gradient is g_t, and Z_t = Σ α_i g_i.

use crate::vectors::{dot, minus, norm, plus, square, sum, times, zero};
use crate::{Domain, Learner, Number};

/// Points of one round of a conversion (a method that optimises with the iterates of an online learner).
#[derive(Clone, Debug)]
pub struct Round<N = f64> {
    /// Iterate w_t of the learner.
    pub iterate: Vec<N>,
    /// Query: the point at which the gradient of the round was taken.
    pub query: Vec<N>,
    /// Output of the method after this round, whose loss the theorem bounds.
    pub output: Vec<N>,
}

/// Gradient oracle: a function that returns the gradient for round t, its first argument, at a point, its second.
pub type Oracle<'a, N = f64> = &'a mut dyn FnMut(u64, &[N]) -> Vec<N>;

/// Runs Algorithm 1 of arXiv 1903.00974 (the anytime conversion) with queries βx + (1−β)w between the average x = Σ α_i w_i/Σ α_i and the
/// iterate w; the output is x.
pub fn anytime<N: Number>(
    learner: &mut dyn Learner<N>,
    weight: &dyn Fn(u64) -> f64,
    beta: f64,
    rounds: u64,
    gradient: Oracle<N>,
) -> Vec<Round<N>> {
    let (mut total, mut sum, mut trace) = (N::of(0.0), None, Vec::new());
    for t in 1..=rounds {
        let a = N::of(weight(t));
        let w = learner.predict(None);
        total = total + a;
        let s = sum.map_or_else(|| times(a, &w), |s: Vec<N>| plus(&s, a, &w));
        let x = times(N::of(1.0) / total, &s);
        let q = plus(&times(N::of(beta), &x), N::of(1.0 - beta), &w);
        let g = gradient(t, &q);
        learner.update(&times(a, &g));
        sum = Some(s);
        trace.push(Round { iterate: w, query: q, output: x });
    }
    trace
}

/// Runs Algorithm 2 of arXiv 1903.00974 with follow-the-leader on the losses ⟨g_t, ·⟩ + (μ/2)‖· − x_t‖²: w_{t+1} = Π_D((Σα_i x_i −
/// Z_t/μ)/A_t), with Z_t = Σ α_i g_i and A_t = Σ α_i.
pub fn strongly_convex<N: Number>(
    dim: usize,
    domain: &Domain<N>,
    mu: N,
    weight: &dyn Fn(u64) -> f64,
    rounds: u64,
    gradient: Oracle<N>,
) -> Vec<Round<N>> {
    let (mut w, mut x) = (domain.centre(dim), domain.centre(dim));
    let (mut total, mut z, mut sum) = (N::of(0.0), zero(dim), zero(dim));
    let (mut trace, one) = (Vec::new(), N::of(1.0));
    for t in 1..=rounds {
        let a = N::of(weight(t));
        x = times(one / (total + a), &plus(&times(total, &x), a, &w));
        total = total + a;
        let g = gradient(t, &x);
        trace.push(Round { iterate: w, query: x.clone(), output: x.clone() });
        z = plus(&z, a, &g);
        sum = plus(&sum, a, &x);
        w = domain.project(&times(one / total, &plus(&sum, -one / mu, &z)));
    }
    trace
}

/// Runs Algorithm 3 of arXiv 1903.00974 (the optimistic conversion): [`anytime`] with β = 1, where the learner gets the hint α_t g_{t−1}, a
/// prediction of its gradient, before it predicts w_t.
pub fn optimistic<N: Number>(
    learner: &mut dyn Learner<N>,
    weight: &dyn Fn(u64) -> f64,
    rounds: u64,
    gradient: Oracle<N>,
) -> Vec<Round<N>> {
    hinted(learner, weight, &mut |_, last| last.map(<[N]>::to_vec), rounds, gradient)
}

/// Runs Algorithm 2 of arXiv 1903.00974 with the online Newton step on the losses ⟨g_t, ·⟩ + (γ_t/2)⟨g_t, · − x_t⟩², γ_t = min(γ,
/// 1/(16r‖g_t‖)): w_{t+1} minimises their weighted sum + (ε/2)‖· − c‖² over the domain with centre c and radius r.
pub fn online_newton(
    dim: usize,
    domain: &Domain,
    (gamma, epsilon): (f64, f64),
    weight: &dyn Fn(u64) -> f64,
    rounds: u64,
    gradient: Oracle,
) -> Vec<Round> {
    let centre = domain.centre(dim);
    let (mut w, mut x, mut total, mut trace) = (centre.clone(), centre.clone(), 0.0, Vec::new());
    let (mut h, mut b) = (vec![vec![0.0; dim]; dim], vec![0.0; dim]);
    (0..dim).for_each(|i| h[i][i] = epsilon);
    for t in 1..=rounds {
        let a = weight(t);
        x = times(1.0 / (total + a), &plus(&times(total, &x), a, &w));
        total += a;
        let g = gradient(t, &x);
        trace.push(Round { iterate: w, query: x.clone(), output: x.clone() });
        let gamma = if norm(&g) > 0.0 { gamma.min(1.0 / (16.0 * domain.radius() * norm(&g))) } else { 0.0 };
        for (row, gi) in h.iter_mut().zip(&g) {
            *row = plus(row, a * gamma * gi, &g);
        }
        b = plus(&b, a * (gamma * dot(&g, &plus(&x, -1.0, &centre)) - 1.0), &g);
        w = plus(&centre, 1.0, &confined(&h, &b, domain));
    }
    trace
}

/// Returns the minimiser p of ½⟨p, Hp⟩ − ⟨b, p⟩ such that centre + p lies in the domain, by bisection on the Lagrange multiplier.
fn confined(h: &[Vec<f64>], b: &[f64], domain: &Domain) -> Vec<f64> {
    let shifted = |nu: f64| {
        let mut m = h.to_vec();
        (0..m.len()).for_each(|i| m[i][i] += nu);
        solve(m, b.to_vec())
    };
    let free = shifted(0.0);
    let Domain::Ball(_, radius) = domain else { return free };
    if norm(&free) <= *radius {
        return free;
    }
    let (mut low, mut high) = (0.0, norm(b) / radius);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if norm(&shifted(middle)) > *radius { low = middle } else { high = middle }
    }
    shifted(high)
}

/// Solves Mp = b for p, where M is positive definite, by Gaussian elimination.
fn solve(mut m: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    for k in 0..b.len() {
        for i in k + 1..b.len() {
            let factor = m[i][k] / m[k][k];
            m[i] = plus(&m[i], -factor, &m[k].clone());
            b[i] -= factor * b[k];
        }
    }
    for k in (0..b.len()).rev() {
        let rest: f64 = (k + 1..b.len()).map(|j| m[k][j] * b[j]).sum();
        b[k] = (b[k] - rest) / m[k][k];
    }
    b
}

/// Source of hints (predictions of gradients): given t and the previous gradient g_{t−1} (`None` in round 1), returns the hint ĝ_t for
/// round t; `None` for no hint.
pub type Hint<'a, N = f64> = &'a mut dyn FnMut(u64, Option<&[N]>) -> Option<Vec<N>>;

/// Runs Algorithm 3 of arXiv 1903.00974 with hints ĝ_t (predictions of the gradients g_t) from any source.
pub fn hinted<N: Number>(
    learner: &mut dyn Learner<N>,
    weight: &dyn Fn(u64) -> f64,
    hint: Hint<N>,
    rounds: u64,
    gradient: Oracle<N>,
) -> Vec<Round<N>> {
    let (mut total, mut x, mut last, mut trace) = (N::of(0.0), Vec::new(), None, Vec::new());
    for t in 1..=rounds {
        let a = N::of(weight(t));
        let h = hint(t, last.as_deref()).map(|h| times(a, &h));
        let w = learner.predict(h.as_deref());
        total = total + a;
        x = if t == 1 { w.clone() } else { plus(&x, a / total, &minus(&w, &x)) };
        let g = gradient(t, &x);
        learner.update(&times(a, &g));
        trace.push(Round { iterate: w, query: x.clone(), output: x.clone() });
        last = Some(g);
    }
    trace
}

/// Returns a source of the hints θ_t g_{t−1}, the previous gradient times its regression coefficient θ_t = Σ_{s<t} α_s²⟨g_s, g_{s−1}⟩ /
/// Σ_{s<t} α_s²‖g_{s−1}‖², clipped to \[0, 1\]; θ_t = 1 while the sums are 0.
pub fn shrunk<N: Number>(weight: &dyn Fn(u64) -> f64) -> impl FnMut(u64, Option<&[N]>) -> Option<Vec<N>> {
    let (nothing, one) = (N::of(0.0), N::of(1.0));
    let (mut above, mut below, mut before) = (nothing, nothing, None::<Vec<N>>);
    move |t, last| {
        let last = last?;
        if let Some(before) = &before {
            let square = square(N::of(weight(t - 1)));
            above = above + square * dot(last, before);
            below = below + square * dot(before, before);
        }
        before = Some(last.to_vec());
        let theta = if below > nothing { (above / below).clamp(nothing, one) } else { one };
        Some(times(theta, last))
    }
}

/// Runs Algorithm 4 of arXiv 1903.00974 (acceleration) with the weights α_t = t and their sums A_t: query x_t = (A_{t−1} y_{t−1} +
/// t·w_t)/A_t and output y_t = x_t − η_t g_t, with the learning rate η_t = c·B/√(ε² + Σ A_i‖g_i‖²) for a domain of diameter B.
pub fn accelerated<N: Number>(
    learner: &mut dyn Learner<N>,
    diameter: N,
    c: N,
    epsilon: N,
    rounds: u64,
    gradient: Oracle<N>,
) -> Vec<Round<N>> {
    let (mut total, mut squares, mut y, mut trace) = (N::of(0.0), square(epsilon), Vec::new(), Vec::new());
    for t in 1..=rounds {
        let a = N::of(t as f64);
        let w = learner.predict(None);
        total = total + a;
        let x = if t == 1 { w.clone() } else { plus(&times(N::of(1.0) - a / total, &y), a / total, &w) };
        let g = gradient(t, &x);
        squares = squares + total * square(norm(&g));
        y = if squares > N::of(0.0) { plus(&x, -c * diameter / squares.sqrt(), &g) } else { x.clone() };
        learner.update(&times(a, &g));
        trace.push(Round { iterate: w, query: x, output: y.clone() });
    }
    trace
}

/// Runs the linear-decay conversion over T rounds with queries x_t: x_{t+1} = x_t + (α_{t+1} + … + α_T)/A_T·(w_{t+1} − w_t), where A_T = Σ
/// α_t. The output is the average of the learner's iterates w_t.
pub fn linear_decay<N: Number>(
    learner: &mut dyn Learner<N>,
    weight: &dyn Fn(u64) -> f64,
    rounds: u64,
    gradient: Oracle<N>,
) -> Vec<Round<N>> {
    let whole = sum((1..=rounds).map(|t| N::of(weight(t))));
    let (mut rest, mut total) = (whole, N::of(0.0));
    let mut w = learner.predict(None);
    let (mut x, mut sum, mut trace) = (w.clone(), zero(w.len()), Vec::new());
    for t in 1..=rounds {
        let a = N::of(weight(t));
        rest = rest - a;
        total = total + a;
        sum = plus(&sum, a, &w);
        let g = gradient(t, &x);
        trace.push(Round { iterate: w.clone(), query: x.clone(), output: times(N::of(1.0) / total, &sum) });
        learner.update(&times(a, &g));
        let next = learner.predict(None);
        x = plus(&x, rest / whole, &minus(&next, &w));
        w = next;
    }
    trace
}

/// Returns the regret of the learner's iterates w_t against the best fixed point of the domain D in hindsight: Σ α_t⟨g_t, w_t⟩ + h_D(−Σ α_t
/// g_t), with the support function h_D.
pub fn regret(domain: &Domain, weights: &[f64], gradients: &[Vec<f64>], trace: &[Round]) -> f64 {
    let mut linear = 0.0;
    let mut minus_z = vec![0.0; gradients[0].len()];
    for ((a, g), round) in weights.iter().zip(gradients).zip(trace) {
        linear += a * dot(g, &round.iterate);
        minus_z = plus(&minus_z, -a, g);
    }
    linear + domain.support(&minus_z)
}
