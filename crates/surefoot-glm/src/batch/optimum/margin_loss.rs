//! Losses of a single margin: derivatives, convex conjugates and Fenchel–Young gaps, with bounds on their rounding
//! errors.

use super::{
    clipped_linear::ClippedLinear, expansion::Expansion, log_link::LogLink, relative_entropy::relative_entropy,
    rounding::EPS,
};
use crate::loss::Loss;

/// Loss φ of one margin m, with its second derivative and its convex conjugate φ*(θ) = sup over m of θ·m − φ(m).
///
/// | family | losses | domain of φ* | φ*(θ) |
/// | --- | --- | --- | --- |
/// | logistic | logistic | 0 ≤ p ≤ 1, p = −yθ | p·ln p + (1−p)·ln(1−p) |
/// | | of a proportion, −1 < y < 1 | 0 ≤ p ≤ 1, p = θ + (1 + y)/2 | the same |
/// | clipped linear | squared, Huber, absolute, quantile, all hinges | an interval | θ·centre + width·θ²/2 |
/// | log link | Poisson, gamma, Tweedie | a half-line, or all numbers | by inverting φ' |
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MarginLoss {
    Logistic,
    ClippedLinear(ClippedLinear),
    LogLink(LogLink),
}

impl MarginLoss {
    /// Returns the family and the parameters that represent this loss; for a multiclass loss, the logistic loss of one
    /// class.
    pub(super) fn of(loss: Loss) -> MarginLoss {
        let clipped_linear =
            |of_classes, low, high, width| MarginLoss::ClippedLinear(ClippedLinear { of_classes, low, high, width });
        match loss {
            Loss::Logistic | Loss::Softmax | Loss::Ovr => MarginLoss::Logistic,
            Loss::Squared => clipped_linear(false, f64::NEG_INFINITY, f64::INFINITY, 1.0),
            Loss::Huber { delta } => clipped_linear(false, -delta, delta, 1.0),
            Loss::Absolute => clipped_linear(false, -1.0, 1.0, 0.0),
            Loss::Quantile { tau } => clipped_linear(false, -tau, 1.0 - tau, 0.0),
            Loss::Hinge => clipped_linear(true, -1.0, 0.0, 0.0),
            Loss::SquaredHinge => clipped_linear(true, f64::NEG_INFINITY, 0.0, 0.5),
            Loss::SmoothedHinge => clipped_linear(true, -1.0, 0.0, 1.0),
            Loss::Poisson => MarginLoss::LogLink(LogLink(1.0)),
            Loss::Gamma => MarginLoss::LogLink(LogLink(2.0)),
            Loss::Tweedie { power } => MarginLoss::LogLink(LogLink(power)),
        }
    }

    /// Whether the loss has a kink, where it has no derivative, so that Newton's method does not apply.
    pub(super) fn has_kink(self) -> bool {
        matches!(self, MarginLoss::ClippedLinear(ClippedLinear { width: 0.0, .. }))
    }

    /// Computes the loss φ at label y and margin m, and its first two derivatives with respect to m. Where φ'' jumps,
    /// returns the larger value.
    #[inline(always)]
    pub(super) fn expansion(self, y: f64, m: f64) -> Expansion {
        match self {
            MarginLoss::Logistic if y.abs() < 1.0 => {
                let small = libm::exp(-m.abs());
                let (value, derivative) = (Loss::Logistic.value(y, m), Loss::Logistic.derivative(y, m));
                Expansion { value, derivative, curvature: small / ((1.0 + small) * (1.0 + small)) }
            }
            MarginLoss::Logistic => {
                let agreed = y * m;
                let small = libm::exp(-agreed.abs());
                let (below, above) = (small / (1.0 + small), 1.0 / (1.0 + small));
                let p = if agreed > 0.0 { below } else { above };
                Expansion {
                    value: (-agreed).max(0.0) + libm::log1p(small),
                    derivative: -y * p,
                    curvature: below * above,
                }
            }
            MarginLoss::ClippedLinear(clipped_linear) => clipped_linear.expansion(y, m),
            MarginLoss::LogLink(log_link) => log_link.expansion(y, m),
        }
    }

    /// Computes the Fenchel–Young gap φ(m) + φ*(θ) − θ·m ≥ 0, a Bregman divergence that is 0 if and only if the dual
    /// point θ is a subgradient of φ at m. The closed forms lose no digits to cancellation near 0.
    #[inline(always)]
    pub(super) fn fenchel_young(self, y: f64, m: f64, dual: f64) -> f64 {
        let fenchel_young = match self {
            MarginLoss::Logistic if y.abs() < 1.0 => {
                let small = libm::exp(-m.abs());
                let (less, more) = (small / (1.0 + small), 1.0 / (1.0 + small));
                let (q, rest) = if m > 0.0 { (more, less) } else { (less, more) };
                let p = 0.5 * (1.0 + y) + dual;
                relative_entropy(p, q) + relative_entropy(0.5 * (1.0 - y) - dual, rest)
            }
            MarginLoss::Logistic => {
                let small = libm::exp(-(y * m).abs());
                let (less, more) = (small / (1.0 + small), 1.0 / (1.0 + small));
                let (q, rest) = if y * m > 0.0 { (less, more) } else { (more, less) };
                let p = -y * dual;
                relative_entropy(p, q) + relative_entropy(1.0 - p, rest)
            }
            MarginLoss::ClippedLinear(clipped_linear) => clipped_linear.fenchel_young(y, m, dual),
            MarginLoss::LogLink(log_link) => log_link.fenchel_young(y, m, dual),
        };
        // A NaN is no bound: `max` alone would turn it into 0.
        if fenchel_young.is_nan() { f64::INFINITY } else { fenchel_young.max(0.0) }
    }

    /// Bounds the rounding error of evaluating the loss at label y and margin m, expressed as an equivalent error of
    /// the margin.
    #[inline(always)]
    pub(super) fn rounding_error(self, y: f64, m: f64) -> f64 {
        match self {
            MarginLoss::ClippedLinear(clipped_linear) => 4.0 * EPS * clipped_linear.residual(y, m).1.abs(),
            // For exponentials a relative error is an absolute error of the argument.
            MarginLoss::Logistic | MarginLoss::LogLink(_) => 8.0 * EPS * (1.0 + m.abs()),
        }
    }

    /// Bounds the change of the loss over margins at most `error` away from m, rounding included, given the Taylor
    /// expansion of the loss at m.
    #[inline(always)]
    pub(super) fn deviation(self, y: f64, m: f64, error: f64, expansion: Expansion) -> f64 {
        match self {
            MarginLoss::ClippedLinear(clipped_linear) => error * clipped_linear.largest_derivative(y, m, error),
            MarginLoss::Logistic => {
                error.min(error * expansion.derivative.abs() + second_order(error, expansion.curvature))
            }
            MarginLoss::LogLink(log_link) => {
                error * expansion.derivative.abs()
                    + second_order(error, expansion.curvature)
                    + 8.0 * EPS * log_link.size(y, m, expansion)
            }
        }
    }

    /// Bounds [`fenchel_young`](MarginLoss::fenchel_young) over margins at most `error` away from m, rounding included,
    /// given the derivatives of the loss at m.
    #[inline(always)]
    pub(super) fn fenchel_young_within(
        self,
        y: f64,
        m: f64,
        error: f64,
        dual: f64,
        derivative: f64,
        curvature: f64,
    ) -> f64 {
        let most = match self {
            // Convex in m, and so largest at an endpoint.
            MarginLoss::ClippedLinear(clipped_linear) => {
                clipped_linear.fenchel_young(y, m - error, dual).max(clipped_linear.fenchel_young(y, m + error, dual))
            }
            MarginLoss::Logistic | MarginLoss::LogLink(_) => {
                let apart = (derivative - dual).abs() + 4.0 * EPS * derivative.abs();
                let rise = error * apart + second_order(error, curvature);
                let rise = if self == MarginLoss::Logistic { rise.min(error) } else { rise };
                self.fenchel_young(y, m, dual) + rise + 8.0 * EPS * apart
            }
        };
        if most.is_nan() { f64::INFINITY } else { most.max(0.0) * (1.0 + 8.0 * EPS) }
    }

    /// Returns a lower bound on the loss over all margins.
    pub(super) fn least(self, y: f64) -> f64 {
        match self {
            MarginLoss::LogLink(log_link) => log_link.least(y),
            // For a proportion the minimum is its entropy.
            MarginLoss::Logistic | MarginLoss::ClippedLinear(_) => 0.0,
        }
    }

    /// Bounds φ − min φ, the loss minus its minimum over margins, for margins at most `error` away from m. This is the
    /// Fenchel–Young gap at dual point 0.
    #[inline(always)]
    pub(super) fn excess_within(self, y: f64, m: f64, error: f64, derivative: f64, curvature: f64) -> f64 {
        match self {
            // Bounds −ln(1 − p) without a logarithm.
            MarginLoss::Logistic if y.abs() == 1.0 && derivative.abs() <= 0.5 => 1.4 * derivative.abs() + error,
            MarginLoss::Logistic if y.abs() == 1.0 => 0.7 + m.abs() + error,
            _ => self.fenchel_young_within(y, m, error, 0.0, derivative, curvature),
        }
    }

    /// Projects the dual point onto the domain of the convex conjugate φ*, that is, onto the feasible dual points.
    #[inline(always)]
    pub(super) fn clip(self, y: f64, dual: f64) -> f64 {
        match self {
            MarginLoss::Logistic if y.abs() < 1.0 => dual.clamp(-0.5 * (1.0 + y), 0.5 * (1.0 - y)),
            MarginLoss::Logistic => -y * (-y * dual).clamp(0.0, 1.0),
            MarginLoss::ClippedLinear(clipped_linear) => clipped_linear.clip(y, dual),
            MarginLoss::LogLink(log_link) => log_link.clip(y, dual),
        }
    }

    /// Whether the convex conjugate φ* is finite everywhere, so that subtracting the mean from the dual points keeps
    /// them feasible.
    pub(super) fn accepts_any_dual(self) -> bool {
        matches!(self, MarginLoss::ClippedLinear(clipped_linear) if clipped_linear.is_unbounded())
    }

    /// Whether the loss of a row with label y keeps decreasing, without a minimum, in a direction of recession: for
    /// logistic loss if the margin m predicts the class, with a log link and p < 2 if y is 0.
    #[inline(always)]
    pub(super) fn recedes(self, y: f64, m: f64) -> bool {
        match self {
            MarginLoss::Logistic => y * m > 0.0 && y.abs() == 1.0,
            MarginLoss::ClippedLinear(_) => false,
            MarginLoss::LogLink(log_link) => log_link.recedes(y),
        }
    }

    /// Returns the optimal intercept of a model without columns, where `mean` is the mean of the labels, `offset` that
    /// of the offsets, and `exposure` that of e^offset.
    pub(super) fn constant(self, mean: f64, offset: f64, exposure: f64) -> f64 {
        let fit = match self {
            MarginLoss::Logistic => 2.0 * libm::atanh(mean.clamp(-1.0, 1.0)).clamp(-15.0, 15.0) - offset,
            MarginLoss::ClippedLinear(_) => mean - offset,
            MarginLoss::LogLink(_) => libm::log(mean / exposure).max(-30.0),
        };
        if fit.is_finite() { fit } else { 0.0 }
    }
}

/// Bounds ½·error² times the largest second derivative of the loss within `error` of a margin at which the second
/// derivative is `curvature`. Holds for losses with |φ'''| ≤ φ'', so that φ'' grows by at most a factor of e^error.
#[inline(always)]
fn second_order(error: f64, curvature: f64) -> f64 {
    let grown = if error < 1.0 { 3.0 } else { libm::exp(error) };
    if curvature == 0.0 { 0.0 } else { 0.5 * error * error * curvature * grown }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [f64; 6] = [-1.0, 1.0, 0.0, 0.3, 2.0, 7.0];

    fn cases() -> impl Iterator<Item = (Loss, f64, f64)> {
        let more = [Loss::Huber { delta: 0.7 }, Loss::Quantile { tau: 0.9 }, Loss::Tweedie { power: 1.1 }];
        let losses = Loss::SCALAR.into_iter().chain(more);
        losses.flat_map(|loss| {
            let share = move |y: f64| loss == Loss::Logistic && y.abs() < 1.0;
            let fits =
                move |y: &f64| if loss.classifies() { y.abs() == 1.0 || share(*y) } else { loss.check(*y).is_ok() };
            let margins = (-40..40).map(|k| 0.1 + 0.23 * f64::from(k));
            LABELS.into_iter().filter(fits).flat_map(move |y| margins.clone().map(move |m| (loss, y, m)))
        })
    }

    #[test]
    fn expansions_agree_with_the_losses_and_with_differences() {
        for (loss, y, m) in cases() {
            let margin_loss = MarginLoss::of(loss);
            let expansion = margin_loss.expansion(y, m);
            let near = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-14 * (1.0 + size.abs());
            assert!(near(expansion.value, loss.value(y, m), expansion.value), "{loss:?} {y} {m}: {expansion:?}");
            assert!(
                near(expansion.derivative, loss.derivative(y, m), expansion.derivative),
                "{loss:?} {y} {m}: {expansion:?}"
            );
            if margin_loss.has_kink() {
                continue;
            }
            let h = 1e-5;
            let (low, high) = (margin_loss.expansion(y, m - h), margin_loss.expansion(y, m + h));
            // Errors of the differences are of order h²·φ''' and eps·φ/h, and h times the jump where φ'' jumps.
            let jumps = if low.curvature == high.curvature { 0.0 } else { low.curvature.max(high.curvature) };
            let derivative = (high.value - low.value) / (2.0 * h);
            let enough = 1e-6 * (1.0 + expansion.value.abs() + expansion.curvature) + h * jumps;
            assert!(
                (derivative - expansion.derivative).abs() <= enough,
                "{loss:?} {y} {m}: {derivative} {expansion:?}"
            );
            let curvature = (high.derivative - low.derivative) / (2.0 * h);
            let clipped_linear = matches!(margin_loss, MarginLoss::ClippedLinear(_)) && jumps > 0.0;
            assert!(
                clipped_linear || (curvature - expansion.curvature).abs() <= 1e-6 * (1.0 + expansion.curvature),
                "{loss:?} {y} {m}: {curvature} {expansion:?}"
            );
        }
    }

    /// Checks that the closed forms of the Fenchel–Young gaps agree with the definition of φ*(θ), maximised numerically
    /// over margins.
    #[test]
    fn fenchel_young_gaps_are_those_of_the_conjugate_by_its_definition() {
        for (loss, y, m) in cases().step_by(3) {
            let margin_loss = MarginLoss::of(loss);
            for at in [-3.1, -0.4, 0.2, 1.7] {
                let dual = margin_loss.clip(y, margin_loss.expansion(y, at).derivative);
                let below = |t: f64| margin_loss.expansion(y, t).value - dual * t;
                // φ(t) − θ·t is convex, with its minimum where φ'(t) = θ.
                let (mut low, mut high) = (-60.0, 60.0);
                for _ in 0..200 {
                    let (a, b) = (low + 0.382 * (high - low), high - 0.382 * (high - low));
                    if below(a) < below(b) { high = b } else { low = a }
                }
                let (fenchel_young, expected) =
                    (margin_loss.fenchel_young(y, m, dual), below(m) - below(0.5 * (low + high)));
                assert!(
                    (fenchel_young - expected).abs() <= 1e-9 * (1.0 + expected.abs() + below(m).abs()),
                    "{loss:?} {y} {m} {dual}: {fenchel_young} {expected}"
                );
            }
            // Near θ = φ'(m) the gap is of second order, and keeps its relative accuracy.
            let (expansion, by) = (margin_loss.expansion(y, m), 1e-9);
            let near = margin_loss.fenchel_young(y, m, expansion.derivative + by * expansion.curvature);
            let expected = 0.5 * by * by * expansion.curvature;
            let inside = margin_loss.expansion(y, m + by).curvature == expansion.curvature
                || !matches!(margin_loss, MarginLoss::ClippedLinear(_));
            // A derivative of order 1 has an absolute error of 1e-16, against 1e-9·φ''.
            let rounding = 1e-15
                * (1.0 + expansion.derivative.abs())
                * (by + 1e-15 * expansion.derivative.abs() / expansion.curvature.max(1e-300));
            assert!(
                !inside || expansion.curvature < 1e-3 || (near - expected).abs() <= 1e-4 * expected + rounding,
                "{loss:?} {y} {m}: {near} {expected}"
            );
        }
    }

    #[test]
    fn a_nan_has_an_infinite_fenchel_young_gap() {
        let more = [Loss::Huber { delta: 0.7 }, Loss::Tweedie { power: 1.5 }];
        for loss in Loss::SCALAR.into_iter().chain(more) {
            for (m, dual) in [(f64::NAN, 0.1), (0.1, f64::NAN)] {
                let fenchel_young = MarginLoss::of(loss).fenchel_young(1.0, m, dual);
                assert!(fenchel_young == f64::INFINITY, "{loss:?} {m} {dual}: {fenchel_young}");
            }
        }
        // A dual point next to its limit and a distant margin: almost e^40.
        for (y, m, dual) in [(1.0, 40.0, -1.0 + 1e-15), (0.0, 40.0, 1e-15)] {
            let fenchel_young = MarginLoss::of(Loss::Poisson).fenchel_young(y, m, dual);
            assert!((fenchel_young / 40_f64.exp() - 1.0).abs() < 1e-12, "{fenchel_young}");
        }
    }
}
