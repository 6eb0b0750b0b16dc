//! The certificate of noisy runs that holds with probability 1 − δ at any time.

use super::{Assumption, Certificate, Certified, Comparator, Kind, Subject, Uncertified, boundary};
use crate::memory::count;
use crate::{Domain, Float, Memory, Squares};

/// Turns a certificate in expectation into one that holds with probability 1 − δ at all steps at once.
///
/// *Guarantee*: A_T(L(x_T) − L(u)) exceeds the observed regret by a sum of noise terms, one for each *example*: the b
/// examples of a round are independent given the past, so each is an increment of its own, which makes the bound far
/// smaller than with the mean of the batch as one. With D of reach r around its centre, B_t = r + ‖w_t − centre‖ and
/// ‖g_i‖ ≤ G, an increment has range (α_t/b)·B_t·G and contributes at most ((α_t/b)·B_t·‖g_i‖)² to V; then
/// L(x_T) − L(u) ≤ (S + h_D(−Z))/A_T + [`boundary()`]/A_T. The range matters until T is about (B·G/σ)².
///
/// *Cost*: O(1) a round and O(1) an example; three numbers. For a linear model ‖g_i‖ is |φ'|·‖a_i‖.
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
    reach: f64,
    bound: f64,
    span: f64,
    rounds: Announced,
    first: f64,
    range: f64,
    deviation: Squares,
    fault: Option<Uncertified>,
}

/// The rounds that have been announced: weight and size come before the examples.
#[derive(Clone, Debug, Default)]
pub(super) struct Announced {
    pub(super) total: f64,
    /// α_t/b of the open round.
    pub(super) share: f64,
    left: u64,
}

impl Announced {
    /// The next round, if all examples of the last one came.
    pub(super) fn open(&mut self, weight: f64, examples: u64) -> Option<Uncertified> {
        let fault = (self.left > 0).then_some(Uncertified::Unannounced);
        let fault = fault.or((!fair(weight)).then_some(Uncertified::Negative));
        let fault = fault.or((weight > 0.0 && examples == 0).then_some(Uncertified::Empty));
        self.total += weight;
        self.share = if examples > 0 { weight / examples as f64 } else { 0.0 };
        self.left = examples;
        fault
    }

    /// One example of the open round, if it was announced.
    pub(super) fn example(&mut self) -> Option<Uncertified> {
        let fault = (self.left == 0).then_some(Uncertified::Unannounced);
        self.left = self.left.saturating_sub(1);
        fault
    }

    /// The sum of weights, if all announced examples came and it is that of the conversion.
    pub(super) fn complete(&self, total: f64) -> Result<f64, Uncertified> {
        if self.total == 0.0 {
            return Err(Uncertified::NoRounds);
        }
        let same = (self.total - total).abs() <= 1e-9 * total;
        if self.left == 0 && same { Ok(self.total) } else { Err(Uncertified::Unannounced) }
    }
}

/// Whether a weight or a distance can be one.
pub(super) fn fair(size: f64) -> bool {
    size >= 0.0 && size.is_finite()
}

/// By how much iterates and gradients in `f32` may exceed their bounds through rounding.
pub(super) const ROUNDING: f64 = 1e-5;

impl Stream {
    /// For a run over `domain` with gradients of single examples no longer than `bound` = G; ∞ if no bound is known,
    /// and then there will be no certificate.
    ///
    /// # Panics
    /// If `bound` is not positive.
    pub fn new<F: Float, D: Domain<F>>(domain: &D, bound: f64) -> Self {
        assert!(bound > 0.0, "a positive bound");
        let reach = if domain.bounded() { domain.reach() } else { f64::INFINITY };
        let (rounds, deviation) = (Announced::default(), Squares::default());
        Self { reach, bound, span: 0.0, rounds, first: 0.0, range: 0.0, deviation, fault: None }
    }

    /// Opens a round of weight α_t and so many examples, before any of their gradients is known. `distance` is
    /// ‖w_t − centre‖, or anything larger: the reach of the domain will do. Negative numbers and NaN are faults, and so is a weight without examples. O(1).
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

    /// An example of the open round, with gradient of length `norm` = ‖g_i‖. O(1).
    pub fn example(&mut self, norm: f64) {
        let extra = self.rounds.example();
        let fine = (0.0..=self.bound * (1.0 + ROUNDING)).contains(&norm);
        self.fault = self.fault.or(extra).or((!fine).then_some(Uncertified::BoundBroken));
        if fine {
            self.deviation.add(self.rounds.share * self.span * norm);
        }
    }

    /// `mean`, a certificate in expectation of the same run, as one that holds with probability 1 − `delta`. `total` is
    /// the run's sum of weights; `deviation` a sharper root of V if there is one, as from
    /// [`Operator`](super::Operator) or [`Sketch`](super::Sketch). O(1).
    ///
    /// What is certain already is returned as it is. Refused are certificates over the whole space, and those of
    /// Algorithm 4 with measured steps: what is bounded here is the noise of gradients against points within reach.
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

/// Of a run whose bounds held: one that broke them has no certificate to go on to.
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
