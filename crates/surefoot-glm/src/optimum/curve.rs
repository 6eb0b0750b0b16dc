//! What a second-order method and a dual bound need to know of a loss.

use crate::Loss;

/// A smooth loss φ of one margin, with its second derivative and its conjugate φ*(θ) = sup over m of θ·m − φ(m).
///
/// | curve | φ | θ where φ* is finite | φ*(θ) |
/// | --- | --- | --- | --- |
/// | logistic | ln(1 + e^(−ym)) | 0 ≤ p ≤ 1, p = −yθ | p·ln p + (1−p)·ln(1−p) |
/// | squared | ½(m − y)² | all | ½θ² + θy |
/// | squared hinge | max(0, 1 − ym)² | s ≥ 0, s = −yθ | s²/4 − s |
/// | Poisson | e^m − ym | r ≥ 0, r = θ + y | r·ln r − r |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// Two classes by log loss; the label is −1 or +1.
    Logistic,
    /// Half the squared error.
    Squared,
    /// Two classes by the square of the hinge; the label is −1 or +1.
    SquaredHinge,
    /// Counts by the Poisson likelihood with a logarithmic link; the label is at least 0.
    Poisson,
}

/// φ, φ' and φ'' at one margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jet {
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) bend: f64,
}

impl Curve {
    /// That of a loss, if it is known here.
    #[must_use]
    pub fn of(loss: Loss) -> Option<Curve> {
        match loss {
            Loss::Logistic => Some(Curve::Logistic),
            Loss::Squared => Some(Curve::Squared),
            Loss::SquaredHinge => Some(Curve::SquaredHinge),
            Loss::Poisson => Some(Curve::Poisson),
            _ => None,
        }
    }

    /// φ(y, m) and its first two derivatives in m. Where φ'' jumps, the larger of the two.
    #[inline(always)]
    pub(super) fn jet(self, y: f64, m: f64) -> Jet {
        match self {
            Curve::Logistic => {
                let agreed = y * m;
                let small = libm::exp(-agreed.abs());
                let (below, above) = (small / (1.0 + small), 1.0 / (1.0 + small));
                let p = if agreed > 0.0 { below } else { above };
                Jet { value: (-agreed).max(0.0) + libm::log1p(small), slope: -y * p, bend: below * above }
            }
            Curve::Squared => Jet { value: 0.5 * (m - y) * (m - y), slope: m - y, bend: 1.0 },
            Curve::SquaredHinge => {
                let short = 1.0 - y * m;
                if short < 0.0 {
                    return Jet { value: 0.0, slope: 0.0, bend: 0.0 };
                }
                Jet { value: short * short, slope: -2.0 * y * short, bend: 2.0 }
            }
            Curve::Poisson => {
                let mean = libm::exp(m);
                Jet { value: mean - y * m, slope: mean - y, bend: mean }
            }
        }
    }

    /// φ*(θ); ∞ outside of its domain.
    #[inline(always)]
    pub(super) fn conjugate(self, y: f64, dual: f64) -> f64 {
        match self {
            Curve::Logistic => {
                let p = -y * dual;
                if (0.0..=1.0).contains(&p) { entropy(p) + entropy(1.0 - p) } else { f64::INFINITY }
            }
            Curve::Squared => 0.5 * dual * dual + dual * y,
            Curve::SquaredHinge => {
                let s = -y * dual;
                if s >= 0.0 { 0.25 * s * s - s } else { f64::INFINITY }
            }
            Curve::Poisson => {
                let r = dual + y;
                if r >= 0.0 { entropy(r) - r } else { f64::INFINITY }
            }
        }
    }

    /// φ(m) + φ*(θ) − θ·m ≥ 0, by how much θ and m miss each other; `slope` is φ'(m). Closed forms keep the digits near 0.
    #[inline(always)]
    pub(super) fn miss(self, y: f64, m: f64, slope: f64, dual: f64) -> f64 {
        let miss = match self {
            Curve::Logistic => {
                let (p, q) = (-y * dual, -y * slope);
                if q > 0.0 && q < 1.0 {
                    relative_entropy(p, q) + relative_entropy(1.0 - p, 1.0 - q)
                } else {
                    self.jet(y, m).value + self.conjugate(y, dual) - dual * m
                }
            }
            Curve::Squared => 0.5 * (slope - dual) * (slope - dual),
            Curve::SquaredHinge => {
                let (short, s) = (1.0 - y * m, -y * dual);
                if short > 0.0 { (short - 0.5 * s) * (short - 0.5 * s) } else { 0.25 * s * s - s * short }
            }
            Curve::Poisson => relative_entropy(dual + y, libm::exp(m)),
        };
        miss.max(0.0)
    }

    /// The point nearest to θ at which φ* is finite.
    #[inline(always)]
    pub(super) fn clip(self, y: f64, dual: f64) -> f64 {
        match self {
            Curve::Logistic => -y * (-y * dual).clamp(0.0, 1.0),
            Curve::Squared => dual,
            Curve::SquaredHinge => -y * (-y * dual).max(0.0),
            Curve::Poisson => dual.max(-y),
        }
    }

    /// Whether any dual point will do, so that subtracting a mean balances them.
    pub(super) fn shifts(self) -> bool {
        self == Curve::Squared
    }

    /// Whether the loss of a row falls towards 0 for ever, in the direction that its margin is in.
    #[inline(always)]
    pub(super) fn escapes(self, y: f64, m: f64) -> bool {
        match self {
            Curve::Logistic => y * m > 0.0,
            Curve::Poisson => y == 0.0,
            Curve::Squared | Curve::SquaredHinge => false,
        }
    }

    /// The intercept that fits labels of this mean alone.
    pub(super) fn constant(self, mean: f64) -> f64 {
        match self {
            Curve::Logistic => 2.0 * libm::atanh(mean.clamp(-1.0, 1.0)).clamp(-15.0, 15.0),
            Curve::Squared | Curve::SquaredHinge => mean,
            Curve::Poisson => libm::log(mean).max(-30.0),
        }
    }
}

/// x·ln x, 0 at 0.
#[inline(always)]
fn entropy(x: f64) -> f64 {
    if x > 0.0 { x * libm::log(x) } else { 0.0 }
}

/// p·ln(p/q) − p + q ≥ 0.
#[inline(always)]
fn relative_entropy(p: f64, q: f64) -> f64 {
    if p <= 0.0 {
        return q;
    }
    if q <= 0.0 {
        return f64::INFINITY;
    }
    let r = (p - q) / q;
    // q·((1 + r)·ln(1 + r) − r), by its series where that cancels.
    if r.abs() < 1e-3 {
        q * r * r * (0.5 - r * (1.0 / 6.0 - r * (1.0 / 12.0 - r * (1.0 / 20.0 - r / 30.0))))
    } else {
        q * ((1.0 + r) * libm::log1p(r) - r)
    }
}
