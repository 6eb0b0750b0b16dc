//! The assumptions under which a certificate holds, as an enum and a set of its variants.

use std::fmt;

use super::Uncertified;

/// An assumption about the loss, the data or the run that a certificate relies on and that the library cannot check.
/// `Display` formats it as an English phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Assumption {
    /// The loss is convex.
    Convex,
    /// Every gradient is an exact subgradient at its query point.
    ExactGradients,
    /// Data rows are independent draws, each used once; the certified loss is the expected loss of a row.
    FreshRows,
    /// Data rows are drawn with replacement from a finite set; the certified loss is the mean loss over that set.
    DrawnRows,
    /// The weight α_t of every round was fixed before the run.
    FixedWeights,
    /// The weight α_t of each round depends on earlier rounds only.
    PredictableWeights,
    /// No gradient of a single example has a norm above the declared bound.
    BoundedGradients,
    /// The loss of every example lies between 0 and the declared bound.
    BoundedLosses,
    /// The loss is strongly convex with the declared strong convexity constant.
    StronglyConvex,
    /// The loss is smooth (has a Lipschitz gradient) in the whole space with the declared constant.
    Smooth,
    /// Loss values are computed, not estimated from a sample; certificates that are sensitive to rounding include an
    /// allowance for rounding errors.
    ExactValues,
    /// In Algorithm 4 of arXiv 1903.00974, the change in loss from each query point x_t to the output y_t was measured
    /// on a sample independent of the gradient.
    FreshValues,
    /// A minimiser of the loss over the whole space lies in the domain.
    MinimiserInside,
}

/// All assumptions, in the order in which [`Assumptions::iter`] lists them.
const ALL: [Assumption; 13] = [
    Assumption::Convex,
    Assumption::StronglyConvex,
    Assumption::Smooth,
    Assumption::ExactGradients,
    Assumption::ExactValues,
    Assumption::FreshRows,
    Assumption::DrawnRows,
    Assumption::FreshValues,
    Assumption::FixedWeights,
    Assumption::PredictableWeights,
    Assumption::BoundedGradients,
    Assumption::BoundedLosses,
    Assumption::MinimiserInside,
];

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Assumption::Convex => "the loss is convex",
            Assumption::StronglyConvex => "the loss is strongly convex with the declared constant",
            Assumption::Smooth => "the loss is smooth in the whole space with the declared constant",
            Assumption::ExactGradients => "every gradient is an exact subgradient at its query point",
            Assumption::ExactValues => "the values of the loss are computed, not estimated",
            Assumption::FreshRows => "rows are independent draws, each used once; the loss is their expected loss",
            Assumption::DrawnRows => "rows are drawn with replacement; the loss is the mean over them",
            Assumption::FreshValues => "steps away from query points were measured on a fresh sample",
            Assumption::FixedWeights => "the weights of rounds were fixed beforehand",
            Assumption::PredictableWeights => "the weight of a round depends on earlier rounds only",
            Assumption::BoundedGradients => "no gradient of an example is longer than the declared bound",
            Assumption::BoundedLosses => "no loss of an example is negative or above the declared bound",
            Assumption::MinimiserInside => "a minimiser over the whole space lies in the domain",
        })
    }
}

/// A set of [`Assumption`]s, stored as a bit mask.
///
/// ```
/// use surefoot::certificate::{Assumption, Assumptions};
/// let set = Assumptions::of(&[Assumption::ExactGradients, Assumption::Convex]);
/// let words: Vec<String> = set.iter().map(|a| a.to_string()).collect();
/// assert_eq!(words, ["the loss is convex", "every gradient is an exact subgradient at its query point"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assumptions(pub(super) u32);

impl Assumptions {
    /// Builds the set of the assumptions in `list`.
    pub fn of(list: &[Assumption]) -> Self {
        list.iter().fold(Self::default(), |set, &a| set.with(a))
    }

    /// Returns a copy of this set with the assumption `one` added.
    #[must_use]
    pub fn with(self, one: Assumption) -> Self {
        Self(self.0 | 1 << one as u32)
    }

    /// Returns the union of this set and the set `more`.
    #[must_use]
    pub fn and(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// Returns a copy of this set with the assumption `one` removed.
    #[must_use]
    pub fn without(self, one: Assumption) -> Self {
        Self(self.0 & !(1 << one as u32))
    }

    /// Whether the set contains the assumption `one`.
    pub fn has(&self, one: Assumption) -> bool {
        self.0 & 1 << one as u32 != 0
    }

    /// Returns an iterator over the assumptions in the set, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = Assumption> {
        let set = *self;
        ALL.into_iter().filter(move |&a| set.has(a))
    }
}

/// The way the gradients of a run were obtained, as stated by the caller; it determines which certificates are
/// possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradients {
    /// Exact subgradients of the loss L at the query points, for instance from full passes over the data.
    Exact,
    /// Gradients of data rows that are independent draws, each used in one round only; the loss L is the expected loss
    /// of a row.
    Fresh,
    /// Gradients of data rows drawn with replacement from a finite set in every round; the loss L is the mean loss over
    /// that set.
    Drawn,
    /// Gradients of data rows used before: later passes, shuffled epochs, or any sampling without replacement from the
    /// finite set whose mean loss is L. Such gradients are biased given the past, so no certificate follows.
    Reused,
}

impl Gradients {
    /// Returns the assumption under which gradients of this kind are unbiased given the past, or
    /// [`Uncertified::ReusedRows`] for reused rows, whose gradients are biased.
    pub(super) fn unbiased(self) -> Result<Assumption, Uncertified> {
        match self {
            Gradients::Exact => Ok(Assumption::ExactGradients),
            Gradients::Fresh => Ok(Assumption::FreshRows),
            Gradients::Drawn => Ok(Assumption::DrawnRows),
            Gradients::Reused => Err(Uncertified::ReusedRows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_assumption_has_a_bit_of_its_own_and_words() {
        for (i, a) in ALL.into_iter().enumerate() {
            assert_eq!(Assumptions::of(&[a]).iter().collect::<Vec<_>>(), [a]);
            assert!(!a.to_string().is_empty());
            assert!(ALL[..i].iter().all(|b| b.to_string() != a.to_string()));
        }
        assert_eq!(Assumptions::of(&ALL).iter().count(), ALL.len());
    }
}
