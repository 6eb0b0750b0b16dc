//! Assumptions of a certificate, as data.

use std::fmt;

use super::Uncertified;

/// An assumption that a certificate relies on and that cannot be checked. `Display` writes it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Assumption {
    /// The loss is convex.
    Convex,
    /// Every gradient is an exact subgradient at its query point.
    ExactGradients,
    /// Rows are independent draws, and each is used once; the loss is the expected loss of a row.
    FreshRows,
    /// Rows are drawn with replacement from a finite set; the loss is the mean loss over that set.
    DrawnRows,
    /// The weights of all rounds were fixed before the run.
    FixedWeights,
    /// The weight of each round depends on earlier rounds only.
    PredictableWeights,
    /// No gradient of a single example has a norm above the declared bound.
    BoundedGradients,
    /// The loss of every example lies between 0 and the declared bound.
    BoundedLosses,
    /// The loss is strongly convex with the declared constant.
    StronglyConvex,
    /// The loss is smooth in the whole space with the declared constant.
    Smooth,
    /// Values of the loss are computed rather than estimated; certificates that are sensitive to rounding include an
    /// allowance for it.
    ExactValues,
    /// The changes of the loss from x_t to y_t (Algorithm 4) were measured on a sample independent of the gradients.
    FreshValues,
    /// A minimiser over the whole space lies in the domain.
    MinimiserInside,
}

/// All assumptions, in the order in which `Display` lists them.
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

/// A set of assumptions, one bit each.
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
    /// Returns the set with the members of `list`.
    pub fn of(list: &[Assumption]) -> Self {
        list.iter().fold(Self::default(), |set, &a| set.with(a))
    }

    /// Returns this set with `one` added.
    #[must_use]
    pub fn with(self, one: Assumption) -> Self {
        Self(self.0 | 1 << one as u32)
    }

    /// Returns the union of this set and `more`.
    #[must_use]
    pub fn and(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// Returns this set without `one`.
    #[must_use]
    pub fn without(self, one: Assumption) -> Self {
        Self(self.0 & !(1 << one as u32))
    }

    /// Whether `one` is in the set.
    pub fn has(&self, one: Assumption) -> bool {
        self.0 & 1 << one as u32 != 0
    }

    /// Iterates over the members, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = Assumption> {
        let set = *self;
        ALL.into_iter().filter(move |&a| set.has(a))
    }
}

/// The origin of the gradients of a run, as stated by the caller; it determines which certificates are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradients {
    /// Exact subgradients of L at the query points, for instance from full passes over the data.
    Exact,
    /// Gradients of rows that are independent draws, each used in one round only; L is the expected loss of a row.
    Fresh,
    /// Gradients of rows drawn with replacement in every round; L is the mean loss over the set that is drawn from.
    Drawn,
    /// Gradients of rows used before: later passes, shuffled epochs, or any sampling without replacement from the
    /// finite set whose mean is L. Such gradients are biased given the past, so no certificate follows.
    Reused,
}

impl Gradients {
    /// Returns the assumption under which the gradients are unbiased given the past; [`Uncertified::ReusedRows`] for
    /// reused rows.
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
