//! What a second-order method and a dual bound need to know of a loss.

use super::{power::Power, ramp::Ramp, relative::relative_entropy, rounding::EPS};
use crate::loss::Loss;

/// A loss φ of one margin, with its second derivative and its conjugate φ*(θ) = sup over m of θ·m − φ(m).
///
/// | curve | losses | θ where φ* is finite | φ*(θ) |
/// | --- | --- | --- | --- |
/// | logistic | logistic | 0 ≤ p ≤ 1, p = −yθ | p·ln p + (1−p)·ln(1−p) |
/// | | of a share, −1 < y < 1 | 0 ≤ p ≤ 1, p = θ + (1 + y)/2 | the same |
/// | ramp | squared, Huber, absolute, quantile, all hinges | an interval | θ·centre + width·θ²/2 |
/// | power | Poisson, gamma, Tweedie | bounded on one side, or not | by inverting φ' |
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Curve {
    Logistic,
    Ramp(Ramp),
    Power(Power),
}

/// φ, φ' and φ'' at one margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jet {
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) bend: f64,
}

impl Curve {
    /// That of a loss; of one with many margins the one that each class has by itself.
    pub(super) fn of(loss: Loss) -> Curve {
        let ramp = |of_classes, low, high, width| Curve::Ramp(Ramp { of_classes, low, high, width });
        match loss {
            Loss::Logistic | Loss::Softmax | Loss::Ovr => Curve::Logistic,
            Loss::Squared => ramp(false, f64::NEG_INFINITY, f64::INFINITY, 1.0),
            Loss::Huber { delta } => ramp(false, -delta, delta, 1.0),
            Loss::Absolute => ramp(false, -1.0, 1.0, 0.0),
            Loss::Quantile { tau } => ramp(false, -tau, 1.0 - tau, 0.0),
            Loss::Hinge => ramp(true, -1.0, 0.0, 0.0),
            Loss::SquaredHinge => ramp(true, f64::NEG_INFINITY, 0.0, 0.5),
            Loss::SmoothedHinge => ramp(true, -1.0, 0.0, 1.0),
            Loss::Poisson => Curve::Power(Power(1.0)),
            Loss::Gamma => Curve::Power(Power(2.0)),
            Loss::Tweedie { power } => Curve::Power(Power(power)),
        }
    }

    /// Whether there is a kink, and so no second derivative to step by.
    pub(super) fn has_kink(self) -> bool {
        matches!(self, Curve::Ramp(Ramp { width: 0.0, .. }))
    }

    /// φ(y, m) and its first two derivatives in m. Where φ'' jumps, the larger of the two.
    #[inline(always)]
    pub(super) fn jet(self, y: f64, m: f64) -> Jet {
        match self {
            Curve::Logistic if y.abs() < 1.0 => {
                let small = libm::exp(-m.abs());
                let (value, slope) = (Loss::Logistic.value(y, m), Loss::Logistic.derivative(y, m));
                Jet { value, slope, bend: small / ((1.0 + small) * (1.0 + small)) }
            }
            Curve::Logistic => {
                let agreed = y * m;
                let small = libm::exp(-agreed.abs());
                let (below, above) = (small / (1.0 + small), 1.0 / (1.0 + small));
                let p = if agreed > 0.0 { below } else { above };
                Jet { value: (-agreed).max(0.0) + libm::log1p(small), slope: -y * p, bend: below * above }
            }
            Curve::Ramp(ramp) => ramp.jet(y, m),
            Curve::Power(power) => power.jet(y, m),
        }
    }

    /// φ(m) + φ*(θ) − θ·m ≥ 0, by how much θ and m miss each other: a Bregman divergence. Closed forms keep the digits near 0.
    #[inline(always)]
    pub(super) fn miss(self, y: f64, m: f64, dual: f64) -> f64 {
        let miss = match self {
            Curve::Logistic if y.abs() < 1.0 => {
                let small = libm::exp(-m.abs());
                let (less, more) = (small / (1.0 + small), 1.0 / (1.0 + small));
                let (q, rest) = if m > 0.0 { (more, less) } else { (less, more) };
                let p = 0.5 * (1.0 + y) + dual;
                relative_entropy(p, q) + relative_entropy(0.5 * (1.0 - y) - dual, rest)
            }
            Curve::Logistic => {
                let small = libm::exp(-(y * m).abs());
                let (less, more) = (small / (1.0 + small), 1.0 / (1.0 + small));
                let (q, rest) = if y * m > 0.0 { (less, more) } else { (more, less) };
                let p = -y * dual;
                relative_entropy(p, q) + relative_entropy(1.0 - p, rest)
            }
            Curve::Ramp(ramp) => ramp.miss(y, m, dual),
            Curve::Power(power) => power.miss(y, m, dual),
        };
        // What cannot be told is no bound: `max` alone would make it 0.
        if miss.is_nan() { f64::INFINITY } else { miss.max(0.0) }
    }

    /// The rounding inside the loss, as what a margin would have to be put off by to have the same effect.
    #[inline(always)]
    pub(super) fn grain(self, y: f64, m: f64) -> f64 {
        match self {
            Curve::Ramp(ramp) => 4.0 * EPS * ramp.place(y, m).1.abs(),
            // Exponentials, whose error is one of their argument.
            Curve::Logistic | Curve::Power(_) => 8.0 * EPS * (1.0 + m.abs()),
        }
    }

    /// Bounds what φ may differ by for margins at most `off` away, from its jet at m; its own rounding is in it.
    #[inline(always)]
    pub(super) fn change(self, y: f64, m: f64, off: f64, jet: Jet) -> f64 {
        match self {
            Curve::Ramp(ramp) => off * ramp.steepest(y, m, off),
            Curve::Logistic => off.min(off * jet.slope.abs() + bent(off, jet.bend)),
            Curve::Power(power) => off * jet.slope.abs() + bent(off, jet.bend) + 8.0 * EPS * power.size(y, m, jet),
        }
    }

    /// Bounds [`miss`](Curve::miss) for margins at most `off` away, from slope and bend at m; its own rounding is in it.
    #[inline(always)]
    pub(super) fn miss_within(self, y: f64, m: f64, off: f64, dual: f64, slope: f64, bend: f64) -> f64 {
        let most = match self {
            // Convex in m, and so largest at an end.
            Curve::Ramp(ramp) => ramp.miss(y, m - off, dual).max(ramp.miss(y, m + off, dual)),
            Curve::Logistic | Curve::Power(_) => {
                let apart = (slope - dual).abs() + 4.0 * EPS * slope.abs();
                let rise = off * apart + bent(off, bend);
                let rise = if self == Curve::Logistic { rise.min(off) } else { rise };
                self.miss(y, m, dual) + rise + 8.0 * EPS * apart
            }
        };
        if most.is_nan() { f64::INFINITY } else { most.max(0.0) * (1.0 + 8.0 * EPS) }
    }

    /// A lower bound on φ, whatever the margin.
    pub(super) fn least(self, y: f64) -> f64 {
        match self {
            Curve::Power(power) => power.least(y),
            // That of a share is its entropy.
            Curve::Logistic | Curve::Ramp(_) => 0.0,
        }
    }

    /// Bounds φ − min φ for margins at most `off` away: the miss of a dual point of 0.
    #[inline(always)]
    pub(super) fn above_least(self, y: f64, m: f64, off: f64, slope: f64, bend: f64) -> f64 {
        match self {
            // −ln(1 − p) without a logarithm.
            Curve::Logistic if y.abs() == 1.0 && slope.abs() <= 0.5 => 1.4 * slope.abs() + off,
            Curve::Logistic if y.abs() == 1.0 => 0.7 + m.abs() + off,
            _ => self.miss_within(y, m, off, 0.0, slope, bend),
        }
    }

    /// The point nearest to θ at which φ* is finite.
    #[inline(always)]
    pub(super) fn clip(self, y: f64, dual: f64) -> f64 {
        match self {
            Curve::Logistic if y.abs() < 1.0 => dual.clamp(-0.5 * (1.0 + y), 0.5 * (1.0 - y)),
            Curve::Logistic => -y * (-y * dual).clamp(0.0, 1.0),
            Curve::Ramp(ramp) => ramp.clip(y, dual),
            Curve::Power(power) => power.clip(y, dual),
        }
    }

    /// Whether any dual point will do, so that subtracting a mean balances them.
    pub(super) fn shifts(self) -> bool {
        matches!(self, Curve::Ramp(ramp) if ramp.is_unbounded())
    }

    /// Whether the loss of a row falls towards 0 for ever, in the direction that its margin is in.
    #[inline(always)]
    pub(super) fn escapes(self, y: f64, m: f64) -> bool {
        match self {
            Curve::Logistic => y * m > 0.0 && y.abs() == 1.0,
            Curve::Ramp(_) => false,
            Curve::Power(power) => power.escapes(y),
        }
    }

    /// The intercept that fits labels of this mean alone, where offsets have this mean, and their exponentials that one.
    pub(super) fn constant(self, mean: f64, offset: f64, exposure: f64) -> f64 {
        let fit = match self {
            Curve::Logistic => 2.0 * libm::atanh(mean.clamp(-1.0, 1.0)).clamp(-15.0, 15.0) - offset,
            Curve::Ramp(_) => mean - offset,
            Curve::Power(_) => libm::log(mean / exposure).max(-30.0),
        };
        if fit.is_finite() { fit } else { 0.0 }
    }
}

/// Bounds half of off² times the largest second derivative on the way. Of exponentials the third is at most the second in size, so
/// that the second grows by e^off at most.
#[inline(always)]
fn bent(off: f64, bend: f64) -> f64 {
    let grown = if off < 1.0 { 3.0 } else { libm::exp(off) };
    if bend == 0.0 { 0.0 } else { 0.5 * off * off * bend * grown }
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
    fn jets_agree_with_the_losses_and_with_differences() {
        for (loss, y, m) in cases() {
            let curve = Curve::of(loss);
            let jet = curve.jet(y, m);
            let near = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-14 * (1.0 + size.abs());
            assert!(near(jet.value, loss.value(y, m), jet.value), "{loss:?} {y} {m}: {jet:?}");
            assert!(near(jet.slope, loss.derivative(y, m), jet.slope), "{loss:?} {y} {m}: {jet:?}");
            if curve.has_kink() {
                continue;
            }
            let h = 1e-5;
            let (low, high) = (curve.jet(y, m - h), curve.jet(y, m + h));
            // Errors of the differences: of order h²·φ‴ and eps·φ/h; where φ'' jumps, h times that.
            let jumps = if low.bend == high.bend { 0.0 } else { low.bend.max(high.bend) };
            let slope = (high.value - low.value) / (2.0 * h);
            let enough = 1e-6 * (1.0 + jet.value.abs() + jet.bend) + h * jumps;
            assert!((slope - jet.slope).abs() <= enough, "{loss:?} {y} {m}: {slope} {jet:?}");
            let bend = (high.slope - low.slope) / (2.0 * h);
            let ramp = matches!(curve, Curve::Ramp(_)) && jumps > 0.0;
            assert!(ramp || (bend - jet.bend).abs() <= 1e-6 * (1.0 + jet.bend), "{loss:?} {y} {m}: {bend} {jet:?}");
        }
    }

    /// φ*(θ) as it is defined, by trying margins: the miss is φ(m) + φ*(θ) − θ·m.
    #[test]
    fn misses_are_those_of_the_conjugate_by_its_definition() {
        for (loss, y, m) in cases().step_by(3) {
            let curve = Curve::of(loss);
            for at in [-3.1, -0.4, 0.2, 1.7] {
                let dual = curve.clip(y, curve.jet(y, at).slope);
                let below = |t: f64| curve.jet(y, t).value - dual * t;
                // φ(t) − θ·t is convex, and least where the slope is θ.
                let (mut low, mut high) = (-60.0, 60.0);
                for _ in 0..200 {
                    let (a, b) = (low + 0.382 * (high - low), high - 0.382 * (high - low));
                    if below(a) < below(b) { high = b } else { low = a }
                }
                let (miss, exact) = (curve.miss(y, m, dual), below(m) - below(0.5 * (low + high)));
                assert!(
                    (miss - exact).abs() <= 1e-9 * (1.0 + exact.abs() + below(m).abs()),
                    "{loss:?} {y} {m} {dual}: {miss} {exact}"
                );
            }
            // To second order where they nearly meet, digits included.
            let (jet, by) = (curve.jet(y, m), 1e-9);
            let near = curve.miss(y, m, jet.slope + by * jet.bend);
            let exact = 0.5 * by * by * jet.bend;
            let inside = curve.jet(y, m + by).bend == jet.bend || !matches!(curve, Curve::Ramp(_));
            // A slope of order 1 keeps 1e-16, of 1e-9·φ''.
            let rounding = 1e-15 * (1.0 + jet.slope.abs()) * (by + 1e-15 * jet.slope.abs() / jet.bend.max(1e-300));
            assert!(
                !inside || jet.bend < 1e-3 || (near - exact).abs() <= 1e-4 * exact + rounding,
                "{loss:?} {y} {m}: {near} {exact}"
            );
        }
    }

    #[test]
    fn what_cannot_be_told_misses_by_infinity() {
        let more = [Loss::Huber { delta: 0.7 }, Loss::Tweedie { power: 1.5 }];
        for loss in Loss::SCALAR.into_iter().chain(more) {
            for (m, dual) in [(f64::NAN, 0.1), (0.1, f64::NAN)] {
                let miss = Curve::of(loss).miss(1.0, m, dual);
                assert!(miss == f64::INFINITY, "{loss:?} {m} {dual}: {miss}");
            }
        }
        // A dual point next to its limit, and a margin far away: e^40, all but nothing.
        for (y, m, dual) in [(1.0, 40.0, -1.0 + 1e-15), (0.0, 40.0, 1e-15)] {
            let miss = Curve::of(Loss::Poisson).miss(y, m, dual);
            assert!((miss / 40_f64.exp() - 1.0).abs() < 1e-12, "{miss}");
        }
    }
}
