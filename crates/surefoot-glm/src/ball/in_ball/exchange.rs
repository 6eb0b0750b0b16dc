//! Sequential test of whether the order of rows contradicts the assumption that rows are independent draws.

/// Anytime-valid test of the exchangeability of a binary sequence.
///
/// The evidence (e-value) is the probability of the sequence under a Markov chain with unknown transitions (each with
/// the prior of Krichevsky and Trofimov), divided by the largest probability under independent draws. Under
/// independent draws the evidence is bounded by a martingale that starts at 1, so the probability that it ever
/// reaches 1/δ is at most δ.
///
/// *Cost*: O(1) per row, with counters only; four evaluations of lgamma per query.
///
/// Source: Ramdas, Ruf, Larsson and Koolen (2022), arXiv 2102.00630.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExchangeabilityTest {
    /// Counts of transitions: false after false, true after false, false after true, and true after true.
    after: [f64; 4],
    /// Previous value of the sequence, encoded as 1 for false and 2 for true; 0 before the first value.
    before: f64,
    /// Number of false values and number of true values in the sequence.
    seen: [f64; 2],
}

impl ExchangeabilityTest {
    /// Adds the next value of the sequence to the counts.
    pub(super) fn add(&mut self, value: bool) {
        if self.before > 0.0 {
            self.after[2 * usize::from(self.before == 2.0) + usize::from(value)] += 1.0;
        }
        self.before = 1.0 + f64::from(u8::from(value));
        self.seen[usize::from(value)] += 1.0;
    }

    /// Whether the sequence contains both false and true.
    pub(super) fn has_both(&self) -> bool {
        self.seen[0] > 0.0 && self.seen[1] > 0.0
    }

    /// Whether the order of the values refutes independent draws at level `delta`. For independent draws, the
    /// probability that this is ever true is at most `delta`.
    pub(super) fn is_refuted(&self, delta: f64) -> bool {
        // NaN can only come from invalid counters, and counts as a refutation.
        let evidence = self.evidence();
        evidence.is_nan() || evidence >= libm::log(1.0 / delta)
    }

    /// Returns the logarithm of the evidence (e-value) against independent draws.
    fn evidence(&self) -> f64 {
        let [a, b, c, d] = self.after;
        let [no, yes] = self.seen;
        let part = |n: f64| if n > 0.0 { n * libm::log(n / (no + yes)) } else { 0.0 };
        let first = if no + yes > 0.0 { 0.5_f64.ln() } else { 0.0 };
        first + mixture(a, b) + mixture(c, d) - part(no) - part(yes)
    }

    pub(super) fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        self.after.iter_mut().chain([&mut self.before]).chain(&mut self.seen).for_each(visit);
    }
}

/// Returns the log probability of one particular binary sequence with `a` values of one kind and `b` of the other,
/// drawn independently with a success probability that has the prior Beta(½, ½).
fn mixture(a: f64, b: f64) -> f64 {
    let gamma = libm::lgamma;
    gamma(a + 0.5) + gamma(b + 0.5) - 2.0 * gamma(0.5) - gamma(a + b + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl Iterator<Item = bool>) -> ExchangeabilityTest {
        let mut test = ExchangeabilityTest::default();
        values.for_each(|value| test.add(value));
        test
    }

    /// Checks that sequences of fair and of skewed coin tosses, tested after every toss, are refuted with a frequency
    /// of at most δ.
    #[test]
    fn draws_are_rarely_refuted_at_any_time() {
        let mut state = 1_u64;
        let mut toss = |share: f64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as f64) < share * 2_f64.powi(31)
        };
        for share in [0.5, 0.1, 0.01] {
            let mut refuted = 0;
            for _ in 0..400 {
                let mut test = ExchangeabilityTest::default();
                refuted += usize::from((0..500).any(|_| {
                    test.add(toss(share));
                    test.is_refuted(0.1)
                }));
            }
            assert!(refuted <= 40, "{refuted} of 400 at {share}");
        }
    }

    #[test]
    fn sorted_and_alternating_orders_are_refuted() {
        assert!(of((0..200).map(|t| t >= 100)).is_refuted(1e-6));
        assert!(of((0..200).map(|t| t % 2 == 0)).is_refuted(1e-6));
        assert!(of((0..2000).map(|t| t % 100 < 50)).is_refuted(1e-6));
        // Sequences of a single value, and empty ones, cannot be refuted.
        assert!(!of((0..2000).map(|_| true)).is_refuted(0.5) && !of((0..2000).map(|_| true)).has_both());
        assert!(!ExchangeabilityTest::default().is_refuted(0.5));
        assert!(ExchangeabilityTest { after: [f64::NAN; 4], before: 1.0, seen: [1.0, 2.0] }.is_refuted(0.5));
    }

    /// Checks the evidence of the sequence 0, 1, 1 against a hand calculation: its probability is ½·½·½ under the
    /// Markov chain, and at most 4/27 under independent draws.
    #[test]
    fn evidence_is_that_of_the_definition() {
        let found = of([false, true, true].into_iter()).evidence();
        assert!((found - (0.125_f64 / (4.0 / 27.0)).ln()).abs() < 1e-14, "{found}");
    }
}
