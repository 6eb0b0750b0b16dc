//! Bounds that hold with probability 1 − δ, followed along a run: the true quantity, the bound given by the library, and an older bound
//! that it replaced.

use surefoot::certificate::{Certified, Gradients, Ledger, Risk, Stream, boundary};
use surefoot::{Ball, View};

use super::noise::{GRADIENT, SLOPE};
use crate::method::Round;

pub(super) const DELTA: f64 = 0.1;
/// Upper bound on the loss of every row.
const LOSS: f64 = 2.0;

/// Quantity that is bounded with probability 1 − δ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Weighted sum of the noise in the gradients.
    Boundary,
    /// Excess loss of the output.
    Excess,
    /// Risk (expected loss) of the output.
    Risk,
}

impl Kind {
    pub(super) const ALL: [Kind; 3] = [Kind::Boundary, Kind::Excess, Kind::Risk];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Boundary => "boundary",
            Self::Excess => "excess",
            Self::Risk => "loss",
        }
    }
}

/// Independent computation of the sums over the noise terms of a run: the first range, the largest range, and the sum of squares.
#[derive(Default)]
struct Increments {
    first: f64,
    range: f64,
    squares: f64,
}

impl Increments {
    fn add(&mut self, range: f64, deviation: f64) {
        self.range = self.range.max(range);
        if self.first == 0.0 {
            self.first = range;
        }
        self.squares += deviation * deviation;
    }
}

/// Sums over a run from which the true quantity and its bounds are computed.
pub(super) struct Watch {
    kind: Kind,
    increments: Increments,
    /// Weighted sum of the noise, counted positive where it makes slopes appear smaller than they are.
    noise: f64,
    total: f64,
    /// Current output of the method.
    output: f64,
    ledger: Ledger,
    stream: Stream,
    risk: Risk,
    /// Sum of the losses of the rows so far, and their number.
    losses: (f64, f64),
}

impl Watch {
    pub(super) fn new(kind: Kind) -> Self {
        let (stream, risk) = (Stream::new(&Ball::<f64>::new(1.0), GRADIENT), Risk::new(LOSS, GRADIENT));
        let (increments, ledger) = (Increments::default(), Ledger::new(1));
        Self { kind, increments, noise: 0.0, total: 0.0, output: 0.0, ledger, stream, risk, losses: (0.0, 0.0) }
    }

    pub(super) fn record(&mut self, round: &Round<'_>) {
        let (weight, gradient) = (round.weight, round.gradient[0]);
        let (query, iterate) = (round.query[0], round.iterate[0]);
        (self.total, self.output) = (round.total, round.output()[0]);
        let deviation = SLOPE - gradient;
        self.noise += weight * deviation;
        match self.kind {
            Kind::Boundary => self.increments.add(weight * GRADIENT, weight * deviation),
            Kind::Excess => {
                self.ledger.record(weight, round.gradient, |_| iterate);
                self.stream.open(weight, 1, iterate.abs());
                self.stream.example(gradient.abs());
                let reach = weight * (1.0 + iterate.abs());
                self.increments.add(reach * GRADIENT, reach * gradient.abs());
            }
            Kind::Risk => {
                let (loss, lead) = (1.0 + gradient * query, gradient * (iterate - query));
                self.risk.open(weight, 1, (iterate - query).abs());
                self.risk.example(loss, lead);
                let (sum, count) = &mut self.losses;
                let mean = if *count > 0.0 { *sum / *count } else { 0.0 };
                let range = weight * (LOSS + GRADIENT * (iterate - query).abs());
                self.increments.add(range, weight * (loss + lead - mean));
                (*sum, *count) = (*sum + loss, *count + 1.0);
            }
        }
    }

    /// Returns the true value of the bounded quantity.
    pub(super) fn truth(&self) -> f64 {
        match self.kind {
            Kind::Boundary => self.noise,
            Kind::Excess => SLOPE * (self.output + 1.0),
            Kind::Risk => 1.0 + SLOPE * self.output,
        }
    }

    /// Returns the part of the bound without allowance for noise, which therefore holds only in expectation.
    pub(super) fn mean(&self) -> f64 {
        match self.kind {
            Kind::Boundary => 0.0,
            Kind::Excess => value(self.excess()),
            Kind::Risk => value(self.risk.expectation(Gradients::Fresh)),
        }
    }

    /// Returns the bound that the library gives with probability 1 − δ.
    pub(super) fn bound(&self) -> f64 {
        let Increments { first, range, squares } = self.increments;
        match self.kind {
            Kind::Boundary => boundary(squares.sqrt(), range, first, DELTA),
            Kind::Excess => {
                value(self.excess().and_then(|mean| self.stream.certificate(&mean, self.total, DELTA, None)))
            }
            Kind::Risk => value(self.risk.certificate(Gradients::Fresh, DELTA)),
        }
    }

    /// Returns the older bound: the minimum over learning rates halved repeatedly, where the mth rate gets the share 1/(m(m+1)) of δ if
    /// the union bound is `paid` for, and otherwise (wrongly) all of δ.
    pub(super) fn union(&self, paid: bool) -> f64 {
        let Increments { first, range, squares } = self.increments;
        let level = |m: i32| {
            let (rate, m) = (0.5_f64.powi(m) / first, f64::from(m));
            let x = rate * range;
            if x > 0.5 {
                return f64::INFINITY;
            }
            let price = if paid { m * (m + 1.0) } else { 1.0 };
            (price / DELTA).ln() / rate + rate * squares * (-(-x).ln_1p() - x) / (x * x)
        };
        let level = (1..40).map(level).fold(f64::INFINITY, f64::min);
        match self.kind {
            Kind::Boundary => level,
            Kind::Excess | Kind::Risk => self.mean() + level / self.total,
        }
    }

    fn excess(&self) -> Certified {
        self.ledger.certificate(self.total, &Ball::<f64>::new(1.0), &View::new(1, |_| self.output), Gradients::Fresh)
    }
}

/// Returns the value of a certificate, or NaN (for which every claim fails) if the library refused to give one.
fn value(certified: Certified) -> f64 {
    certified.map_or(f64::NAN, |certificate| certificate.value)
}

#[cfg(test)]
mod tests {
    use super::super::noise::{Noise, Tilted};
    use super::*;
    use crate::Random;
    use crate::method::{Method, descend};

    /// The bound computed from the sums kept here equals that of the library, so that its comparison with the older bound is fair.
    #[test]
    fn increments_are_those_of_the_library() {
        for kind in Kind::ALL {
            let mut watch = Watch::new(kind);
            let mut random = Random::new(1, "increments", 0);
            descend(&Tilted(Noise::Uniform), Method::Anytime { power: 1.0 }, 200, &mut random, |round| {
                watch.record(round);
                let Increments { first, range, squares } = watch.increments;
                let level = boundary(squares.sqrt(), range, first, DELTA);
                let total = if kind == Kind::Boundary { 1.0 } else { watch.total };
                let (bound, here) = (watch.bound(), watch.mean() + level / total);
                assert!((bound - here).abs() <= 1e-9 * here, "{kind:?}: {bound} {here}");
            });
        }
    }
}
