//! Statistics and tests from which the certificates of the learner in a ball are computed during one pass over fresh
//! rows, whose norm has a declared bound.

use super::{BETA, Method, exchange::ExchangeabilityTest};
use crate::{
    data::fault::{Fault, Part},
    loss::Loss,
    model::{
        certificate::Certificate,
        settings::{Ball, LossBounds},
    },
};
use surefoot::certificate::{Gradients, Risk, Stream, Uncertified};
use surefoot::{AskHintTell, AskTell, Domain, Memory};

/// Margins, norm, loss and derivative of one row, from which certificates are computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Observation {
    /// Margin of the row at the query point, the weights at which gradients are computed.
    pub(super) query: f64,
    /// Margin of the row at the current iterate of the learner.
    pub(super) iterate: f64,
    /// Euclidean norm of the row, including the constant 1 for the intercept.
    pub(super) length: f64,
    /// Loss of the row at the query point (the weights at which gradients are computed), times the row's weight.
    pub(super) loss: f64,
    /// Derivative of the loss with respect to the margin, at the query point (the weights at which gradients are
    /// computed), times the row's weight.
    pub(super) derivative: f64,
}

/// Statistics from which certificates of the excess loss and of the risk (expected loss on new rows) are computed.
#[derive(Clone, Debug)]
pub(super) struct CertificateTracker {
    /// Ball around 0 in which the weights of the learner lie.
    domain: surefoot::Ball<f64>,
    /// Statistics of the excess loss and of the risk; `Err` holds the reason, reported to the user, why no certificate
    /// is possible.
    trackers: Result<(Stream, Risk), &'static str>,
    /// Sequential tests of whether the order of rows contradicts independent draws.
    order: Order,
    /// Lower bound on the loss of any model in the ball on any row whose norm is within the declared bound.
    least: f64,
    /// Whether some rows may have been learnt more than once, which rules out these certificates.
    pub(super) reused: bool,
    /// Whether some row had a weight other than 1; the bounds are then on the mean of weight times loss per row.
    pub(super) weighted: bool,
}

/// Message: there is no certificate because no bound on the norm of rows is declared.
const UNDECLARED: &str = "no bound on the length of rows is known: --row-norm B declares one, for a certificate as rows \
                          come; files, which can be read once more, give one at the end";
/// Message: there is no certificate in regression, where losses are not bounded beforehand.
const STEEP: &str = "labels that are numbers, and with them losses, have no bound that is known beforehand, so rows that come \
                     once give no certificate; files, which can be read once more, give one at the end";

/// Message: there is no certificate because all rows so far have the same label.
const ONE_LABEL: &str = "all rows so far have one label, of which nothing follows for new rows: a bound needs rows that are independent draws";
/// Message: there is no certificate because the order of rows contradicts independent draws.
const SORTED: &str = "the order of the rows is far from that of independent draws, which a bound for new rows needs: --shuffle mends a random \
                      sample that was sorted afterwards, but not rows that change with time or come in groups";
/// Message: there is no certificate because the computed bound is below the least possible loss.
const IMPOSSIBLE: &str = "the bound came out below the least loss that is possible, so rows are not independent draws: --shuffle mends a \
                          random sample that was sorted afterwards, but not rows that change with time or come in groups";

/// Two exchangeability tests of the order of rows: one on the sequence of labels, one on whether each row's norm
/// exceeds that of the first row.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    labels: ExchangeabilityTest,
    lengths: ExchangeabilityTest,
    /// Norm of the first row; negative before the first row.
    first: f64,
}

/// Fraction of the failure probability δ of a certificate that is reserved for the tests of the order of rows.
const TESTS: f64 = 0.01;

/// Relative amount by which a row's norm may exceed its declared bound because of rounding, so that rows scaled to norm
/// 1 are accepted.
const ROUNDING: f64 = 1e-9;

impl CertificateTracker {
    pub(super) fn new(loss: Loss, ball: &Ball) -> CertificateTracker {
        let domain = surefoot::Ball::new(ball.radius);
        let loss_bounds = ball.loss_bounds(loss);
        let trackers = match (ball.row_norm, loss_bounds) {
            (None, _) => Err(UNDECLARED),
            (Some(_), None) => Err(STEEP),
            (Some(longest), Some(LossBounds { largest, max_derivative, .. })) => {
                Ok((Stream::new(&domain, max_derivative * longest), Risk::new(largest, max_derivative * longest)))
            }
        };
        let least = loss_bounds.map_or(0.0, |loss_bounds| loss_bounds.least);
        let order = Order { first: -1.0, ..Order::default() };
        CertificateTracker { domain, trackers, order, least, reused: false, weighted: false }
    }

    /// Checks that the norm and weight of a row are within the declared bounds.
    ///
    /// # Errors
    /// A fault of the row that names the declared bound and a remedy.
    pub(super) fn admit(&self, ball: &Ball, weight: f64, length: f64, intercept: bool) -> Result<(), Fault> {
        let Some(longest) = ball.row_norm else { return Ok(()) };
        if length > longest * (1.0 + ROUNDING) {
            let with = if intercept { ", the intercept's 1 included" } else { "" };
            let message = format!(
                "the norm of this row is {length}{with}: --row-norm declares at most {longest}; declare more, or scale the data"
            );
            return Err(Fault::new(Part::Row, message));
        }
        if weight > 1.0 {
            let message = format!(
                "weight {weight} is above 1, the most that a bound with --row-norm allows: divide all weights by the largest"
            );
            return Err(Fault::new(Part::Weight, message));
        }
        Ok(())
    }

    /// Updates the statistics with a row, before the learner updates its weights with it, so that the row is fresh. `y`
    /// is the encoded label.
    pub(super) fn record(&mut self, method: &Method, observation: &Observation, y: f64) {
        let Ok((stream, risk)) = &mut self.trackers else { return };
        self.order.labels.add(y > 0.0);
        if self.order.first < 0.0 {
            self.order.first = observation.length;
        } else {
            self.order.lengths.add(observation.length > self.order.first);
        }
        let (weight, distance) = (method.next_weight(), method.learner().distance());
        stream.open(weight, 1, distance);
        stream.example(observation.derivative.abs() * observation.length);
        // The distance from the iterate to the query point is at most β times the distance to the average, which lies
        // in the ball.
        risk.open(weight, 1, BETA * (distance + Domain::<f64>::reach(&self.domain)));
        risk.example(observation.loss, observation.derivative * (observation.iterate - observation.query));
    }

    /// Returns certificates of the excess loss and of the risk, which hold jointly with probability 1 − `delta` if
    /// rows are independent draws; if no bound is possible, a certificate with the reason.
    pub(super) fn certificates(&self, method: &Method, delta: f64) -> Vec<Certificate> {
        let both = match &self.trackers {
            Ok((stream, risk)) => self.both(method, stream, risk, delta).map_err(|why| why.to_string()),
            Err(why) => Err((*why).to_owned()),
        };
        match (both, self.refuted(delta)) {
            (Err(why), _) => vec![Certificate::none(why)],
            (Ok(_), Some(why)) => vec![Certificate::none(why)],
            (Ok([excess, risk]), None) => {
                let below = |certificate: &Certificate, least: f64| {
                    certificate.bound().is_some_and(|bound| bound.value < least)
                };
                // With row weights other than 1, the weighted loss of a row may be below the least loss.
                let least = if self.weighted { 0.0 } else { self.least };
                if below(&excess, 0.0) || below(&risk, least) {
                    return vec![Certificate::none(IMPOSSIBLE)];
                }
                vec![excess, risk]
            }
        }
    }

    /// Returns the reason why rows cannot be independent draws; `None` if the tests of their order do not refute it at
    /// level `delta`.
    fn refuted(&self, delta: f64) -> Option<&'static str> {
        let delta = TESTS * delta / 2.0;
        if !self.order.labels.has_both() {
            return Some(ONE_LABEL);
        }
        let Order { labels, lengths, .. } = self.order;
        (labels.is_refuted(delta) || lengths.is_refuted(delta)).then_some(SORTED)
    }

    fn both(&self, method: &Method, stream: &Stream, risk: &Risk, delta: f64) -> Result<[Certificate; 2], Uncertified> {
        let gradients = if self.reused { Gradients::Reused } else { Gradients::Fresh };
        let mean = method.certificate(&self.domain, gradients)?;
        let each = (1.0 - TESTS) * delta / 2.0;
        let excess = stream.certificate(&mean, method.total_weight(), each, None)?;
        let risk = risk.certificate(gradients, each)?;
        let found = [excess, risk].map(|found| Certificate::of(&found, None, Some(delta)));
        Ok(if self.weighted { found.map(Certificate::weighted) } else { found })
    }

    /// Calls `visit` with a mutable reference to each number of the statistics, to save or to restore them; does
    /// nothing if no certificate is possible.
    pub(super) fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        if let Ok((stream, risk)) = &mut self.trackers {
            stream.each_number(visit);
            risk.each_number(visit);
            self.order.labels.each_number(visit);
            self.order.lengths.each_number(visit);
            visit(&mut self.order.first);
        }
    }
}
