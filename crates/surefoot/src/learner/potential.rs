//! The potential function of FreeGrad, and constants shared by parameter-free learners.

use super::span;
use crate::{Float, Separable};

/// Largest distance of an iterate from the centre, as a multiple of the initial wealth: 2^100.
pub(super) const FURTHEST: f64 = (1_u128 << 100) as f64;

/// Returns the initial wealth ε of the learner of coordinate `i`: half the width of its interval in a box; in the whole
/// space, the domain's reach.
pub(super) fn wealth<F: Float>(domain: &impl Separable<F>, i: usize) -> f64 {
    domain.width(i).wide() / 2.0
}

/// Returns the largest distance of coordinate `i` of an iterate from the centre: half the width of its interval in a
/// box; in the whole space, `FURTHEST` times the initial wealth.
pub(super) fn furthest<F: Float>(domain: &impl Separable<F>, i: usize) -> f64 {
    let furthest = wealth(domain, i) * if domain.bounded() { 1.0 } else { FURTHEST };
    furthest.min(span::<F>())
}

/// The parameters of FreeGrad's potential C·V^(−1/2)·exp(n²/(2V + 2hn)), a function of the norm n of the gradient sum,
/// where C = ε·h_1². The potential's derivative determines the iterate, and its convex conjugate the regret bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Potential {
    /// ε, the initial wealth, an estimate of the solution's distance from the centre.
    pub(super) wealth: f64,
    /// h_1, the norm of the first nonzero gradient.
    pub(super) first: f64,
    /// h, the largest gradient norm so far.
    pub(super) largest: f64,
    /// √V/h, where h is the largest gradient norm and V = h² + the sum of squared gradient norms.
    pub(super) spread: f64,
}

impl Potential {
    /// Returns the potential's derivative in n at n = `m`·h, divided by `m`, for the norm n of the gradient sum Z and
    /// the largest gradient norm h. The iterate minus the centre is minus this value times Z/h.
    ///
    /// Only ratios of gradient norms are used, so their scale does not matter. C enters the exponent as a logarithm, so
    /// that neither a large exponent nor a small first gradient over- or underflows.
    pub(super) fn bet(&self, m: f64) -> f64 {
        let q = self.spread * self.spread;
        let log = 2.0 * (self.first / self.largest).ln() + m * m / (2.0 * (q + m));
        let rest = (2.0 * q + m) / (2.0 * (q + m) * (q + m) * self.spread);
        self.wealth * (rest * log.exp()).min(FURTHEST / m)
    }

    /// Returns an upper bound on the regret against a comparator at `distance` from the centre: on ε·h_1 + sup over n
    /// of (`distance`·n − potential(n)), with the initial wealth ε and the first gradient norm h_1.
    pub(super) fn regret(&self, distance: f64) -> f64 {
        let start = self.wealth * self.first;
        if distance == 0.0 || self.first == 0.0 {
            return start;
        }
        // Logarithms of 2·distance·V/C and 4·distance·h·√V/C, clipped at 0 below.
        let (ratio, steep) = ((2.0 * distance / self.wealth).ln(), 2.0 * (self.largest.ln() - self.first.ln()));
        let wide = (ratio + steep + 2.0 * self.spread.ln()).max(0.0);
        let far = (ratio + std::f64::consts::LN_2 + steep + self.spread.ln()).max(0.0);
        start + distance * self.largest * (2.0 * self.spread * wide.sqrt()).max(4.0 * far)
    }
}

#[cfg(test)]
mod tests {
    use super::Potential;

    /// Checks that the closed-form regret bound is at least the potential's convex conjugate found by numerical search,
    /// for distances from 10⁻⁶ to 10¹², initial wealths from 10⁻³ to 10⁶ and first gradients from 10⁻³⁰ to 1 times the
    /// largest.
    #[test]
    fn the_closed_form_is_above_the_conjugate() {
        let (mut worst, mut cases) = (0.0_f64, 0);
        for spread in [1.0, 3.0, 30.0, 1e3, 1e5] {
            for distance in (-6..=12).map(|k| 10_f64.powi(k)) {
                for first in (-30..=0).step_by(3).map(|k| 10_f64.powi(k)) {
                    for wealth in [1e-3, 1.0, 1e6] {
                        let potential = Potential { wealth, first, largest: 1.0, spread };
                        let v = spread * spread;
                        let value = |n: f64| {
                            let log = (wealth * first * first / spread).ln() + n * n / (2.0 * v + 2.0 * n);
                            distance * n - log.min(600.0).exp()
                        };
                        let most = 60.0 * spread + 1000.0;
                        let best = (0..=4000).map(|k| value(most * (f64::from(k) / 4000.0).powi(2)));
                        let best = best.fold(f64::NEG_INFINITY, f64::max);
                        let bound = potential.regret(distance) - wealth * first;
                        assert!(best <= bound * (1.0 + 1e-12), "{potential:?} {distance} {best} {bound}");
                        worst = if bound > 0.0 { worst.max(best / bound) } else { worst };
                        cases += 1;
                    }
                }
            }
        }
        assert!(cases > 3000 && worst > 0.8, "{worst}");
    }

    /// Checks on random values the inequality on which the regret bound rests, Ψ(Z + G, V + G²) ≤ Ψ(Z, V) + ⟨G, ∇Ψ⟩ for
    /// FreeGrad's potential Ψ, the gradient sum Z and a gradient G no larger than the largest one, in two dimensions.
    #[test]
    fn one_step_costs_nothing() {
        let value = |n: f64, v: f64| -0.5 * v.ln() + n * n / (2.0 * v + 2.0 * n);
        let (mut worst, mut state) = (f64::NEG_INFINITY, 1_u64);
        let mut unit = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..200_000 {
            let spread = (6.0 * unit()).exp();
            let (v, n) = (spread * spread, spread * (7.5 * unit() - 4.0).exp());
            if value(n, v) > 60.0 {
                continue; // cut at 2^100
            }
            let (size, angle) = ((-8.0 * unit()).exp().max(0.3 * unit()), std::f64::consts::PI * unit());
            let (along, across) = (size * angle.cos(), size * angle.sin());
            let potential = Potential { wealth: 1.0, first: 1.0, largest: 1.0, spread };
            let slope = potential.bet(n) * n / value(n, v).exp();
            let step = value((n + along).hypot(across), v + size * size) - value(n, v);
            worst = worst.max(step.exp() - 1.0 - along * slope);
        }
        assert!(worst.abs() < 1e-13, "{worst}");
    }
}
