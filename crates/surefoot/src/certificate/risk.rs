//! An upper bound on the expected loss of a run's output from the training losses, without held-out data.

use super::stream::{Announced, ROUNDING, fair};
use super::sum::Sum;
use super::{Assumption, Assumptions, Certificate, Certified, Gradients, Kind, Subject, Uncertified, boundary};
use crate::memory::count;
use crate::{Memory, Squares};

/// An upper bound on the expected loss L(x_T) of the output, from the losses seen during training in a single pass.
///
/// *Guarantee*: let Y_t = α_t(f_t(q_t) + ⟨g_t, w_t − q_t⟩), with the weight α_t of round t, its query point q_t, the
/// loss f_t and the gradient g_t there, and the iterate w_t. Then A_T·L(x_T), with A_T = Σ α_t, is at most the sum of
/// the conditional expectations of the Y_t given the past, whatever the interpolation. So E L(x_T) ≤ E(ΣY_t)/A_T, and
/// with probability 1 − δ at all steps simultaneously L(x_T) ≤ (ΣY_t + [`boundary()`])/A_T, where each example is an
/// increment of range (α_t/b)(f_max + G·‖w_t − q_t‖), centred by the mean of earlier losses. The bound needs no
/// comparator and no domain. It holds for outputs x_t that average the iterates, hence for Algorithms 1 to 3 and not
/// for Algorithm 4, whose steps leave the average.
///
/// *Cost*: O(1) per round and per example; the inner product ⟨g_i, w_t − q_t⟩ is O(nnz).
///
/// ```
/// use surefoot::certificate::{Gradients, Risk};
/// let mut risk = Risk::new(1.0, 1.0);
/// for _ in 0..10_000 {
///     risk.open(1.0, 1, 0.0);
///     risk.example(0.25, 0.0);
/// }
/// assert!((risk.expectation(Gradients::Fresh)?.value - 0.25).abs() < 1e-12);
/// assert!(risk.certificate(Gradients::Fresh, 0.05)?.value < 0.252);
/// assert!(risk.certificate(Gradients::Reused, 0.05).is_err());
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
///
/// Source: arXiv 1903.00974, the proof of Theorem 1 stopped before the comparator enters.
#[derive(Clone, Debug)]
pub struct Risk {
    /// Declared upper bound f_max on the loss of an example; ∞ if none is known.
    loss: f64,
    /// Declared upper bound G on the gradient norm of an example; ∞ if none is known.
    slope: f64,
    /// Distance ‖w_t − q_t‖ between iterate and query point in the current round, or an upper bound on it.
    away: f64,
    /// Sum of the weights of the rounds so far, and the number of examples announced for the current round.
    rounds: Announced,
    /// Weighted sum ΣY_t over all examples of the loss f plus its linear correction ⟨g, w − q⟩ from the query point q
    /// to the iterate w, with gradient g.
    sum: Sum,
    /// Upper bound on the first increment (an increment is the weighted loss of one example); 0 before the first round.
    first: f64,
    /// Largest upper bound on an increment (the weighted loss of one example) so far.
    range: f64,
    /// Sum of the squared differences between the increments (weighted losses of examples) and their predictions.
    deviation: Squares,
    /// Mean loss of the examples so far, which predicts the loss of the next example.
    mean: f64,
    /// Number of examples recorded so far.
    count: u64,
    /// Whether a loss or a gradient exceeded its declared bound.
    broken: bool,
    /// The first misuse by the caller, for instance a missing example; `None` if there was none.
    fault: Option<Uncertified>,
}

impl Risk {
    /// Creates the sums for losses between 0 and `loss` = f_max and gradients with norms of at most `slope` = G. ∞
    /// means that no bound is known; then only [`expectation`](Risk::expectation) gives a certificate.
    ///
    /// # Panics
    /// If `loss` or `slope` is not positive.
    pub fn new(loss: f64, slope: f64) -> Self {
        assert!(loss > 0.0 && slope > 0.0, "positive bounds");
        let (rounds, sum, deviation) = (Announced::default(), Sum::default(), Squares::default());
        let (away, first, range, mean) = (0.0, 0.0, 0.0, 0.0);
        Self { loss, slope, away, rounds, sum, first, range, deviation, mean, count: 0, broken: false, fault: None }
    }

    /// Begins a round of weight α_t = `weight` with `examples` examples, before any of them is seen. `away` is ‖w_t −
    /// q_t‖, the distance between iterate and query point, or anything larger. O(1).
    pub fn open(&mut self, weight: f64, examples: u64, away: f64) {
        let late = self.rounds.open(weight, examples);
        self.fault = self.fault.or(late).or((!fair(away)).then_some(Uncertified::Negative));
        self.away = away;
        // Avoids ∞·0 where no bound on the gradient is known.
        let lead = if away > 0.0 { self.slope * away } else { 0.0 };
        self.range = self.range.max(self.rounds.share * (self.loss + lead));
        if self.first == 0.0 {
            self.first = self.range;
        }
    }

    /// Records an example of the current round: its loss at the query point q_t, and `lead` = ⟨g_i, w_t − q_t⟩, the
    /// product of its gradient with iterate minus query point. O(1).
    pub fn example(&mut self, loss: f64, lead: f64) {
        self.fault = self.fault.or(self.rounds.example());
        let bounded = loss <= self.loss * (1.0 + ROUNDING)
            && lead.abs() <= self.slope * self.away * (1.0 + ROUNDING) + ROUNDING * self.loss;
        self.broken |= !(loss >= 0.0 && bounded);
        let share = self.rounds.share;
        self.sum.add(share * (loss + lead));
        self.deviation.add(share * (loss + lead - self.mean));
        self.count += 1;
        self.mean += (loss - self.mean) / self.count as f64;
    }

    /// Returns a bound on the expected loss of the output that holds in expectation, ΣY_t/A_T, for weights fixed before
    /// the run. It needs no bounds on losses or gradients. O(1).
    pub fn expectation(&self, gradients: Gradients) -> Certified {
        let total = self.fault.map_or_else(|| self.rounds.complete(self.rounds.total), Err)?;
        let assumptions = [Assumption::Convex, gradients.unbiased()?, Assumption::FixedWeights];
        let (kind, subject, assumptions) = (Kind::Expectation, Subject::Risk, Assumptions::of(&assumptions));
        Certificate { value: self.sum.value() / total, kind, subject, assumptions }.finite()
    }

    /// Returns a bound on the expected loss of the output that holds with probability 1 − `delta` at all steps
    /// simultaneously. O(1).
    ///
    /// # Panics
    /// If `delta` is not between 0 and 1.
    pub fn certificate(&self, gradients: Gradients, delta: f64) -> Certified {
        assert!(delta > 0.0 && delta < 1.0, "a probability between 0 and 1");
        let mean = self.expectation(gradients)?;
        if self.range.is_infinite() {
            return Err(Uncertified::NoGradientBound);
        }
        if self.broken {
            return Err(Uncertified::BoundBroken);
        }
        let stray = boundary(self.deviation.root(), self.range, self.first, delta);
        let assumptions = mean.assumptions.without(Assumption::FixedWeights).with(Assumption::PredictableWeights);
        let assumptions = assumptions.with(Assumption::BoundedGradients).with(Assumption::BoundedLosses);
        let value = mean.value + stray / self.rounds.total;
        Certificate { value, kind: Kind::Probability { delta }, assumptions, ..mean }.finite()
    }
}

/// Saves the sums, but neither `broken` nor `fault`: a run that exceeded its declared bounds or was misused has no
/// certificate that could be continued.
impl Memory for Risk {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        self.rounds.each_number(visit);
        self.sum.each_number(visit);
        self.deviation.each_number(visit);
        [&mut self.away, &mut self.first, &mut self.range, &mut self.mean].into_iter().for_each(&mut *visit);
        count(&mut self.count, visit);
    }
}
