//! What a certificate takes for granted, as data.

use std::fmt;

use super::Uncertified;

/// One thing that a certificate takes for granted and cannot check. `Display` says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Assumption {
    /// The loss is convex.
    Convex,
    /// Every gradient is an exact subgradient at its query point.
    ExactGradients,
    /// Rows are independent draws, each used once; the loss is their expected loss.
    FreshRows,
    /// Rows are drawn with replacement; the loss is the mean over them.
    DrawnRows,
    /// The weights of rounds were fixed beforehand.
    FixedWeights,
    /// The weight of a round depends on earlier rounds only.
    PredictableWeights,
    /// No gradient of an example is longer than the declared bound.
    BoundedGradients,
    /// No loss of an example is negative or above the declared bound.
    BoundedLosses,
    /// The loss is strongly convex with the declared constant.
    StronglyConvex,
    /// The loss is smooth in the whole space with the declared constant.
    Smooth,
    /// The values of the loss are computed, not estimated; certificates that rounding could spoil allow for it.
    ExactValues,
    /// Steps away from query points were measured on a fresh sample.
    FreshValues,
    /// A minimiser over the whole space lies in the domain.
    MinimiserInside,
}

/// All of them, in the order in which they are said.
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

/// A set of assumptions.
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
    /// The set of `list`.
    pub fn of(list: &[Assumption]) -> Self {
        list.iter().fold(Self::default(), |set, &a| set.with(a))
    }

    /// This set and one more.
    #[must_use]
    pub fn with(self, one: Assumption) -> Self {
        Self(self.0 | 1 << one as u32)
    }

    /// This set and another.
    #[must_use]
    pub fn and(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// This set without one.
    #[must_use]
    pub fn without(self, one: Assumption) -> Self {
        Self(self.0 & !(1 << one as u32))
    }

    /// Whether `one` is in the set.
    pub fn has(&self, one: Assumption) -> bool {
        self.0 & 1 << one as u32 != 0
    }

    /// The members, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = Assumption> {
        let set = *self;
        ALL.into_iter().filter(move |&a| set.has(a))
    }
}

/// Where the gradients of a run came from: only the caller knows, and what can be certified depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradients {
    /// Exact subgradients of L at the query points, as from full passes.
    Exact,
    /// From rows that are independent draws, each used in one round only; L is their expected loss.
    Fresh,
    /// From rows drawn with replacement in every round; L is the mean over them.
    Drawn,
    /// From rows seen before: later passes, shuffled epochs, any sampling without replacement from a finite set whose
    /// mean is meant. Given the past such gradients are biased, so nothing follows.
    Reused,
}

impl Gradients {
    /// What is assumed of gradients that are noisy but unbiased given the past.
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
