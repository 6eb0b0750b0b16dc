//! Certificates from one pass over fresh rows, whose length is bounded by a declaration.

use super::{BETA, Method};
use crate::{Certificate, Fault, Loss, Part, settings::Ball};
use surefoot::certificate::{Gradients, Risk, Stream, Uncertified};
use surefoot::{AskHintTell, AskTell, Domain, Memory};

/// What a row has to say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    /// Its margins at the query point and at the iterate.
    pub(super) query: f64,
    pub(super) iterate: f64,
    /// Its norm.
    pub(super) length: f64,
    /// Loss and slope at the query point, times its weight.
    pub(super) loss: f64,
    pub(super) slope: f64,
}

/// The trackers of excess and risk, or why there are none.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    domain: surefoot::Ball<f64>,
    trackers: Result<(Stream, Risk), &'static str>,
    /// Whether a row was learnt that may have been learnt before.
    pub(super) reused: bool,
    /// Whether a row had another weight than 1: the mean is then over rows, of their weight times their loss.
    pub(super) weighted: bool,
}

const UNDECLARED: &str = "no bound on the length of rows is known: --row-norm B declares one, for a certificate as rows \
                          come; files, which can be read once more, give one at the end";
const STEEP: &str = "labels that are numbers, and with them losses, have no bound that is known beforehand, so rows that come \
                     once give no certificate; files, which can be read once more, give one at the end";

/// What rounding may add to the length of a row: rows that were scaled to length 1 are not refused.
const ROUNDING: f64 = 1e-9;

impl Watch {
    pub(super) fn new(loss: Loss, ball: &Ball) -> Watch {
        let domain = surefoot::Ball::new(ball.radius);
        let trackers = match ball.row_norm {
            None => Err(UNDECLARED),
            Some(_) if !loss.classifies() => Err(STEEP),
            Some(longest) => {
                // No margin is larger than radius·longest, and neither loss nor slope than there, on the wrong side.
                let largest = loss.value(-1.0, ball.radius * longest);
                let steepest = loss.lipschitz().unwrap_or_else(|| loss.slope(-1.0, ball.radius * longest));
                Ok((Stream::new(&domain, steepest * longest), Risk::new(largest, steepest * longest)))
            }
        };
        Watch { domain, trackers, reused: false, weighted: false }
    }

    /// Checks that a row is what was declared.
    pub(super) fn admit(&self, ball: &Ball, weight: f64, length: f64, intercept: bool) -> Result<(), Fault> {
        let Some(longest) = ball.row_norm else { return Ok(()) };
        if length > longest * (1.0 + ROUNDING) {
            let with = if intercept { ", the intercept's 1 included" } else { "" };
            let says = format!(
                "the norm of this row is {length}{with}: --row-norm declares at most {longest}; declare more, or scale the data"
            );
            return Err(Fault::new(Part::Row, says));
        }
        if weight > 1.0 {
            let says = format!("weight {weight} is above 1, the most that --row-norm allows: divide all weights");
            return Err(Fault::new(Part::Weight, says));
        }
        Ok(())
    }

    /// Records a row that is about to be told; weight and distance of its round were known before it.
    pub(super) fn record(&mut self, method: &Method, told: &Told) {
        let Ok((stream, risk)) = &mut self.trackers else { return };
        let (weight, distance) = (method.next_weight(), method.learner().distance());
        stream.open(weight, 1, distance);
        stream.example(told.slope.abs() * told.length);
        // From the iterate to the query point it is at most β of the way to the average, which lies in the ball.
        risk.open(weight, 1, BETA * (distance + Domain::<f64>::reach(&self.domain)));
        risk.example(told.loss, told.slope * (told.iterate - told.query));
    }

    /// The two bounds, which hold together with probability 1 − `delta`.
    pub(super) fn certificates(&self, method: &Method, delta: f64) -> Vec<Certificate> {
        let both = match &self.trackers {
            Ok((stream, risk)) => self.both(method, stream, risk, delta).map_err(|why| why.to_string()),
            Err(why) => Err((*why).to_owned()),
        };
        both.map_or_else(|why| vec![Certificate::none(why)], Vec::from)
    }

    fn both(&self, method: &Method, stream: &Stream, risk: &Risk, delta: f64) -> Result<[Certificate; 2], Uncertified> {
        let gradients = if self.reused { Gradients::Reused } else { Gradients::Fresh };
        let mean = method.certificate(&self.domain, gradients)?;
        let excess = stream.certificate(&mean, method.total_weight(), delta / 2.0, None)?;
        let risk = risk.certificate(gradients, delta / 2.0)?;
        let found = [excess, risk].map(|found| Certificate::of(&found, None, Some(delta)));
        Ok(if self.weighted { found.map(Certificate::weighted) } else { found })
    }

    /// The numbers of the trackers, if there are any.
    pub(super) fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        if let Ok((stream, risk)) = &mut self.trackers {
            stream.each_number(visit);
            risk.each_number(visit);
        }
    }
}
