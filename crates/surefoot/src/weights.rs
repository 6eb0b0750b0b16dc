//! Weights α_t of the rounds of a run, as functions of the round number t.

/// A weight α_t for each round t of a run, as a function of t, with α_1 > 0 and all α_t finite and not negative.
///
/// The weight of a round may depend on anything known before its gradient, but in this trait it is a function of the
/// round number alone; with such weights, which are fixed before the run, the expectations in Theorem 1 may be divided
/// by the sum of weights. Any `Fn(u64) -> f64` implements this trait.
///
/// Importance weights of single rows are different: they must be multiplied into the gradient.
///
/// ```
/// use surefoot::{Power, Weights};
/// assert_eq!(Power(2.0).weight(3), 9.0);
/// let warm = |t: u64| if t <= 100 { t as f64 } else { 100.0 };
/// assert_eq!(warm.weight(1000), 100.0);
/// ```
///
/// Source: arXiv 1903.00974, Algorithm 1 and Theorem 1.
pub trait Weights {
    /// Returns the weight α_t of round t = `step`, counted from 1.
    fn weight(&self, step: u64) -> f64;
}

impl<T: Fn(u64) -> f64> Weights for T {
    fn weight(&self, step: u64) -> f64 {
        self(step)
    }
}

/// The weights α_t = 1: every round counts the same. Suited to single rows of noisy data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uniform;

impl Weights for Uniform {
    fn weight(&self, _step: u64) -> f64 {
        1.0
    }
}

/// The weights α_t = t: early rounds lose influence, as the accelerated convergence rates require. Suited to full or
/// large batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linear;

impl Weights for Linear {
    fn weight(&self, step: u64) -> f64 {
        step as f64
    }
}

/// The weights α_t = t^k for an exponent k ≥ 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power(
    /// The exponent k of t^k.
    pub f64,
);

impl Weights for Power {
    fn weight(&self, step: u64) -> f64 {
        (step as f64).powf(self.0)
    }
}
