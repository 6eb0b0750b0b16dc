//! Losses with a log link (margin = logarithm of the mean): negative log-likelihoods of Poisson, gamma and Tweedie with
//! power 1 < p < 2, without the terms that depend on the label alone.

use super::{
    expansion::Expansion,
    relative_entropy::{beyond_tangent, relative_entropy},
    rounding::EPS,
};

/// Loss with a log link, for Tweedie power p, margin m and label y. With a = 2 − p and b = p − 1: φ(m) = e^(am)/a +
/// y·e^(−bm)/b, and its limits e^m − ym at p = 1 (Poisson) and y·e^(−m) + m at p = 2 (gamma).
///
/// φ' = e^(am) − y·e^(−bm), so the conjugate φ*(θ) is finite for θ ≥ −y if p = 1, for θ ≤ 1 if p = 2, for θ ≥ 0 if the
/// label is 0, and otherwise everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LogLink(pub(super) f64);

impl LogLink {
    /// Computes the two terms e^(am) and y·e^(−bm) of the derivative of the loss at margin m and label y, with a = 2 −
    /// p and b = p − 1.
    #[inline(always)]
    fn terms(self, y: f64, m: f64) -> (f64, f64) {
        let grows = if self.0 == 2.0 { 1.0 } else { libm::exp((2.0 - self.0) * m) };
        let paid = if self.0 == 1.0 || y == 0.0 { y } else { y * libm::exp(-(self.0 - 1.0) * m) };
        (grows, paid)
    }

    #[inline(always)]
    pub(super) fn expansion(self, y: f64, m: f64) -> Expansion {
        let (a, b) = (2.0 - self.0, self.0 - 1.0);
        let (grows, paid) = self.terms(y, m);
        let value = if b == 0.0 {
            grows - y * m
        } else if a == 0.0 {
            paid + m
        } else {
            grows / a + paid / b
        };
        Expansion { value, derivative: grows - paid, curvature: a * grows + b * paid }
    }

    /// Returns a lower bound on the loss over all margins at label y: the loss where the predicted mean is y, minus a
    /// bound on its rounding error.
    pub(super) fn least(self, y: f64) -> f64 {
        if y == 0.0 {
            return 0.0;
        }
        let best = libm::log(y);
        let expansion = self.expansion(y, best);
        expansion.value - 16.0 * EPS * (1.0 + best.abs()) * self.size(y, best, expansion)
    }

    /// Computes the sum of the absolute values of the terms of the loss, which bounds its rounding error.
    #[inline(always)]
    pub(super) fn size(self, y: f64, m: f64, expansion: Expansion) -> f64 {
        let linear = match self.0 {
            1.0 => (y * m).abs(),
            2.0 => m.abs(),
            _ => 0.0,
        };
        expansion.value.abs() + linear
    }

    #[inline(always)]
    pub(super) fn fenchel_young(self, y: f64, m: f64, dual: f64) -> f64 {
        let (a, b) = (2.0 - self.0, self.0 - 1.0);
        let (grows, paid) = self.terms(y, m);
        if b == 0.0 || y == 0.0 {
            return relative_entropy(dual + if b == 0.0 { y } else { 0.0 }, grows) / a;
        }
        if a == 0.0 {
            return relative_entropy(1.0 - dual, paid);
        }
        let at = self.inverse(y, m, dual);
        let (grows, paid) = self.terms(y, at);
        grows * beyond_tangent(a * (m - at)) / a + paid * beyond_tangent(-b * (m - at)) / b
    }

    /// Returns the margin where the derivative of the loss equals `dual`, for 1 < p < 2 and a positive label, by
    /// Newton's method from m with bisection as a safeguard.
    fn inverse(self, y: f64, m: f64, dual: f64) -> f64 {
        let (a, b) = (2.0 - self.0, self.0 - 1.0);
        if dual.is_nan() {
            return dual;
        }
        let best = libm::log(y);
        // One term of φ' is at least |θ|, and at most |θ| more than either is where φ' = 0.
        let most = dual.abs() + libm::exp(a * best);
        let (mut low, mut high) = if dual >= 0.0 {
            (best.max(libm::log(dual) / a), libm::log(most) / a)
        } else {
            ((best - libm::log(most)) / b, best.min((best - libm::log(-dual)) / b))
        };
        let mut at = m.clamp(low, high.max(low));
        for _ in 0..100 {
            let expansion = self.expansion(y, at);
            if expansion.derivative < dual {
                low = at;
            } else {
                high = at;
            }
            let next = at - (expansion.derivative - dual) / expansion.curvature;
            // The error after a step is of the order of its square.
            if (next - at).abs() <= 1e-9 * (1.0 + at.abs()) {
                return next;
            }
            at = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
        at
    }

    #[inline(always)]
    pub(super) fn clip(self, y: f64, dual: f64) -> f64 {
        if self.0 == 2.0 {
            dual.min(1.0)
        } else if self.0 == 1.0 || y == 0.0 {
            dual.max(-y)
        } else {
            dual
        }
    }

    #[inline(always)]
    pub(super) fn recedes(self, y: f64) -> bool {
        y == 0.0 && self.0 < 2.0
    }
}
