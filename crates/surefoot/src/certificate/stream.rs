//! A certificate for runs with noisy gradients that holds with probability 1 − δ at all steps simultaneously.

use super::{Assumption, Certificate, Certified, Comparator, Kind, Subject, Uncertified, boundary};
use crate::memory::count;
use crate::{Domain, Float, Memory, Squares};

/// Sums over the gradient noise of a run, which turn a certificate in expectation into one that holds with probability
/// 1 − δ at all steps simultaneously.
///
/// *Guarantee*: the excess loss of the output x_T over u times the sum of weights A_T exceeds the observed regret by at
/// most a sum of noise terms, one per *example*. The b examples of a round are independent given the past, so each is a
/// separate increment, which makes the bound far smaller than one increment per batch mean. With D of reach r around
/// its centre, B_t = r + ‖w_t − centre‖ and ‖g_i‖ ≤ G, an increment has range (α_t/b)·B_t·G and contributes at most
/// ((α_t/b)·B_t·‖g_i‖)² to V; then, with S, Z and h_D as in [`Ledger`](super::Ledger), L(x_T) − L(u) ≤ (S +
/// h_D(−Z))/A_T + [`boundary()`]/A_T. The range dominates until T is about (B·G/σ)².
///
/// *Cost*: O(1) per round and O(1) per example; three numbers. For a linear model ‖g_i‖ is |φ'|·‖a_i‖.
///
/// ```
/// use surefoot::certificate::{Gradients, Kind, Stream, Uncertified};
/// use surefoot::{Anytime, AskTell, Ball, Learner, OgdNorm, Uniform};
///
/// // The median of fair coin tosses 0 and 1, that is E|x − y| on the interval from −1 to 1: slopes are ±1.
/// let ball = Ball::<f64>::new(1.0);
/// let mut method = Anytime::new(OgdNorm::new(1, ball.clone()), Uniform).certified();
/// let mut stream = Stream::new(&ball, 1.0);
/// for t in 0..20_000_u64 {
///     let toss = (t.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63) as f64;
///     stream.open(1.0, 1, f64::abs(method.learner().at(0)));
///     let slope = (method.at(0) - toss).signum();
///     stream.example(slope.abs());
///     method.tell(&[slope]);
/// }
/// let mean = method.certificate(&ball, Gradients::Fresh)?;
/// let certificate = stream.certificate(&mean, method.total_weight(), 0.05, None)?;
/// assert_eq!(certificate.kind, Kind::Probability { delta: 0.05 });
/// assert!(mean.value < certificate.value && certificate.value < 0.1);
/// # Ok::<(), Uncertified>(())
/// ```
///
/// Source: arXiv 1903.00974, Theorem 1, its statement in probability, with the boundary of Howard et al. (2021).
#[derive(Clone, Debug)]
pub struct Stream {
    /// Largest distance r of a point of the domain from its centre; ∞ if the domain is unbounded.
    reach: f64,
    /// Declared upper bound G on the gradient norm of an example; ∞ if none is known.
    bound: f64,
    /// Upper bound r + ‖w_t − centre‖ on the distance of the current iterate w_t from any point of the domain.
    span: f64,
    /// Sum of the weights of the rounds so far, and the number of examples announced for the current round.
    rounds: Announced,
    /// Upper bound on the first noise term (one per example); 0 before the first round.
    first: f64,
    /// Largest upper bound on a noise term (one per example) so far.
    range: f64,
    /// Sum V over examples of the squared bounds on their noise terms.
    deviation: Squares,
    /// The first misuse by the caller, for instance a missing example; `None` if there was none.
    fault: Option<Uncertified>,
}

/// State of rounds whose weight and number of examples are announced before the examples are recorded: the sum of
/// weights, and the number of examples still to come.
#[derive(Clone, Debug, Default)]
pub(super) struct Announced {
    /// Sum of the weights of all announced rounds, the current one included.
    pub(super) total: f64,
    /// Weight of the current round divided by its number of examples, α_t/b; 0 if it has no examples.
    pub(super) share: f64,
    /// Number of announced examples of the current round that have not been recorded yet.
    left: u64,
}

impl Announced {
    /// Begins the next round. Returns a fault if examples of the previous round are missing, the weight is not valid,
    /// or a positive weight has no examples; otherwise `None`.
    pub(super) fn open(&mut self, weight: f64, examples: u64) -> Option<Uncertified> {
        let fault = (self.left > 0).then_some(Uncertified::Unannounced);
        let fault = fault.or((!fair(weight)).then_some(Uncertified::Negative));
        let fault = fault.or((weight > 0.0 && examples == 0).then_some(Uncertified::Empty));
        self.total += weight;
        self.share = if examples > 0 { weight / examples as f64 } else { 0.0 };
        self.left = examples;
        fault
    }

    /// Counts an example of the current round. Returns a fault if all announced examples were counted before, otherwise
    /// `None`.
    pub(super) fn example(&mut self) -> Option<Uncertified> {
        let fault = (self.left == 0).then_some(Uncertified::Unannounced);
        self.left = self.left.saturating_sub(1);
        fault
    }

    /// Returns the sum of weights if all announced examples were recorded and the sum agrees with `total`, the sum of
    /// weights that the run itself kept; otherwise a fault.
    pub(super) fn complete(&self, total: f64) -> Result<f64, Uncertified> {
        if self.total == 0.0 {
            return Err(Uncertified::NoRounds);
        }
        let same = (self.total - total).abs() <= 1e-9 * total;
        if self.left == 0 && same { Ok(self.total) } else { Err(Uncertified::Unannounced) }
    }
}

/// Whether a weight or a distance is valid: finite and not negative.
pub(super) fn fair(size: f64) -> bool {
    size >= 0.0 && size.is_finite()
}

/// Relative tolerance for bounds on iterates and gradients, which rounding in `f32` may exceed.
pub(super) const ROUNDING: f64 = 1e-5;

impl Stream {
    /// Creates the sums before the first round of a run over `domain` in which the gradient of each example has a norm
    /// of at most `bound` = G. With `bound` = ∞, for an unknown bound, there will be no certificate.
    ///
    /// # Panics
    /// If `bound` is not positive.
    pub fn new<F: Float, D: Domain<F>>(domain: &D, bound: f64) -> Self {
        assert!(bound > 0.0, "a positive bound");
        let reach = if domain.bounded() { domain.reach() } else { f64::INFINITY };
        let (rounds, deviation) = (Announced::default(), Squares::default());
        Self { reach, bound, span: 0.0, rounds, first: 0.0, range: 0.0, deviation, fault: None }
    }

    /// Begins a round of weight α_t = `weight` with `examples` examples, before any of their gradients is computed.
    /// `distance` is ‖w_t − centre‖ or anything larger, for instance the reach of the domain. Negative numbers, NaN,
    /// and a positive weight without examples make later certificates fail. O(1).
    pub fn open(&mut self, weight: f64, examples: u64, distance: f64) {
        let late = self.rounds.open(weight, examples);
        let outside = distance > self.reach * (1.0 + ROUNDING);
        let negative = (!fair(distance)).then_some(Uncertified::Negative);
        self.fault = self.fault.or(late).or(negative).or(outside.then_some(Uncertified::Outside));
        self.span = self.reach + distance;
        self.range = self.range.max(self.rounds.share * self.span * self.bound);
        if self.first == 0.0 {
            self.first = self.range;
        }
    }

    /// Records an example of the current round, whose gradient has the norm `norm`. O(1).
    pub fn example(&mut self, norm: f64) {
        let extra = self.rounds.example();
        let fine = (0.0..=self.bound * (1.0 + ROUNDING)).contains(&norm);
        self.fault = self.fault.or(extra).or((!fine).then_some(Uncertified::BoundBroken));
        if fine {
            self.deviation.add(self.rounds.share * self.span * norm);
        }
    }

    /// Turns `mean`, a certificate in expectation of this run, into one that holds with probability 1 − `delta`.
    /// `total` is the run's sum of weights. `deviation` is a sharper bound on √V, the square root of the summed squared
    /// noise, if available, for instance from [`Operator`](super::Operator) or [`Sketch`](super::Sketch). O(1).
    ///
    /// A deterministic certificate is returned unchanged. Certificates over the whole space and certificates of
    /// Algorithm 4 with measured steps are refused: only the noise of gradients against points within reach is bounded
    /// here.
    ///
    /// # Panics
    /// If `delta` is not between 0 and 1.
    pub fn certificate(&self, mean: &Certificate, total: f64, delta: f64, deviation: Option<f64>) -> Certified {
        assert!(delta > 0.0 && delta < 1.0, "a probability between 0 and 1");
        match (mean.kind, mean.subject) {
            (Kind::Deterministic, _) => return Ok(*mean),
            (Kind::Expectation, Subject::Excess(_)) => {}
            _ => return Err(Uncertified::Noisy),
        }
        let inside = matches!(mean.subject, Subject::Excess(Comparator::Domain))
            || mean.assumptions.has(Assumption::MinimiserInside);
        let checks = [
            (!inside, Uncertified::MinimiserOutside),
            (mean.assumptions.has(Assumption::FreshValues), Uncertified::NoisyValues),
            (self.reach.is_infinite(), Uncertified::Unbounded),
            (self.bound.is_infinite(), Uncertified::NoGradientBound),
        ];
        if let Some(fault) = self.fault.or(checks.into_iter().find(|(bad, _)| *bad).map(|(_, fault)| fault)) {
            return Err(fault);
        }
        let total = self.rounds.complete(total)?;
        let deviation = self.deviation.root().min(deviation.unwrap_or(f64::INFINITY));
        let value = mean.value + boundary(deviation, self.range, self.first, delta) / total;
        let assumptions = mean.assumptions.without(Assumption::FixedWeights);
        let assumptions = assumptions.with(Assumption::PredictableWeights).with(Assumption::BoundedGradients);
        Certificate { value, kind: Kind::Probability { delta }, assumptions, ..*mean }.finite()
    }
}

/// Saves the sums, but not `fault`: a run that exceeded its declared bounds or was misused has no certificate that
/// could be continued.
impl Memory for Stream {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        self.rounds.each_number(visit);
        [&mut self.span, &mut self.first, &mut self.range].into_iter().for_each(&mut *visit);
        self.deviation.each_number(visit);
    }
}

impl Memory for Announced {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        [&mut self.total, &mut self.share].into_iter().for_each(&mut *visit);
        count(&mut self.left, visit);
    }
}
