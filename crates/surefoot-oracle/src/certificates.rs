//! Certificates (upper bounds on the excess loss of an output), computed directly from their definition and the recorded rounds of a run.

use crate::Domain;
use crate::conversions::Round;
use crate::vectors::{dot, plus, times};

/// Returns the certificate (upper bound on the excess loss) of the last output of `trace`, a run of Algorithm 2 with losses ℓ_t(u) = ⟨g_t,
/// u⟩ + (μ/2)‖u − x_t‖² at queries x_t, weights a_t and their sums A_t: (Σ a_t ℓ_t(x_t) + Σ A_{t−1}(⟨g_t, x_t − x_{t−1}⟩ − (μ/2)‖x_t −
/// x_{t−1}‖²) − min over u in D of Σ a_t ℓ_t(u))/A_T.
pub fn strongly_convex(
    trace: &[Round],
    gradients: &[Vec<f64>],
    weight: &dyn Fn(u64) -> f64,
    mu: f64,
    domain: &Domain,
) -> f64 {
    let dim = trace[0].query.len();
    let (mut total, mut own, mut z, mut sum) = (0.0, 0.0, vec![0.0; dim], vec![0.0; dim]);
    let mut last = trace[0].query.clone();
    for (t, (round, g)) in (1..).zip(trace.iter().zip(gradients)) {
        let (a, x) = (weight(t), &round.query);
        let step = plus(x, -1.0, &last);
        own += a * dot(g, x) + total * (dot(g, &step) - mu / 2.0 * dot(&step, &step));
        total += a;
        z = plus(&z, a, g);
        sum = plus(&sum, a, x);
        last.clone_from(x);
    }
    let best = domain.project(&times(1.0 / total, &plus(&sum, -1.0 / mu, &z)));
    let least: f64 = (1..)
        .zip(trace.iter().zip(gradients))
        .map(|(t, (round, g))| {
            let away = plus(&best, -1.0, &round.query);
            weight(t) * (dot(g, &best) + mu / 2.0 * dot(&away, &away))
        })
        .sum();
    (own - least) / total
}
