//! Strengths of the penalty, and bounds of the weights, by group of features.

use serde::{Deserialize, Serialize};

/// Between what a weight has to be. 0 is always allowed: that of a feature which no row has is 0.
///
/// ```
/// use surefoot_glm::Bounds;
/// let bounds = Bounds::new(-0.5, f64::INFINITY).unwrap();
/// assert_eq!((bounds.clamp(-2.0), bounds.clamp(3.0)), (-0.5, 3.0));
/// assert!(Bounds::new(0.1, 1.0).is_none() && Bounds::new(0.0, 0.0).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[Option<f64>; 2]", into = "[Option<f64>; 2]")]
pub struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    /// Any weight.
    pub const FREE: Bounds = Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// Weights of at least 0.
    pub const NONNEGATIVE: Bounds = Bounds { low: 0.0, high: f64::INFINITY };

    /// `None` unless low ≤ 0 ≤ high and low < high; either may be infinite.
    #[must_use]
    pub fn new(low: f64, high: f64) -> Option<Bounds> {
        // Bounds of −0 are those of 0.
        (low <= 0.0 && high >= 0.0 && low < high).then_some(Bounds { low: low + 0.0, high: high + 0.0 })
    }

    /// The lower one; −∞ if there is none.
    #[must_use]
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper one; ∞ if there is none.
    #[must_use]
    pub fn high(self) -> f64 {
        self.high
    }

    /// Whether any weight is allowed.
    #[must_use]
    pub fn is_free(&self) -> bool {
        *self == Bounds::FREE
    }

    /// The nearest weight that is allowed.
    #[must_use]
    pub fn clamp(self, weight: f64) -> f64 {
        weight.clamp(self.low, self.high)
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds::FREE
    }
}

impl From<Bounds> for [Option<f64>; 2] {
    /// Numbers of JSON are finite.
    fn from(Bounds { low, high }: Bounds) -> Self {
        [low, high].map(|bound| Some(bound).filter(|bound| bound.is_finite()))
    }
}

impl TryFrom<[Option<f64>; 2]> for Bounds {
    type Error = &'static str;

    fn try_from([low, high]: [Option<f64>; 2]) -> Result<Self, Self::Error> {
        let bounds = Bounds::new(low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
        bounds.ok_or("bounds of weights with 0 between them")
    }
}

/// What holds for the weight of a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// What l1 and l2 are multiplied by, at least 0.
    pub factor: f64,
    /// Between what it has to be.
    pub bounds: Bounds,
}

/// Groups of features with penalty factors or bounds of their own, by name: of a namespace, a column, or indices.
///
/// A feature may be in several. Of factors the last counts, and of bounds the last: so each feature is in one of
/// (factors + 1)·(bounds + 1) groups, whose number follows from the names alone. Number 0 is that of features without a rule of
/// their own.
///
/// ```
/// use surefoot_glm::{Bounds, FeatureGroups};
/// let factors = vec![("age".to_owned(), 0.5), ("sex".to_owned(), 0.0)];
/// let groups = FeatureGroups { factors, bounds: vec![("age".to_owned(), Bounds::NONNEGATIVE)] };
/// let rule = |name| groups.rule(groups.number(|group| group == name), Bounds::FREE);
/// assert_eq!((rule("age").factor, rule("age").bounds), (0.5, Bounds::NONNEGATIVE));
/// assert_eq!((rule("sex").factor, rule("sex").bounds), (0.0, Bounds::FREE));
/// assert_eq!(rule("job").factor, 1.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeatureGroups {
    /// What l1 and l2 are multiplied by.
    #[serde(default, rename = "penalty_factors", skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<(String, f64)>,
    /// Bounds of weights, in place of those of all.
    #[serde(default, rename = "group_bounds", skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<(String, Bounds)>,
}

impl FeatureGroups {
    /// Whether all features are alike.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.factors.is_empty() && self.bounds.is_empty()
    }

    /// The names, each as often as it was given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.factors.iter().map(|(name, _)| &**name).chain(self.bounds.iter().map(|(name, _)| &**name))
    }

    /// The number of the group of a feature, given which names mean it.
    #[must_use]
    pub fn number(&self, mut is_meant: impl FnMut(&str) -> bool) -> u32 {
        let factor = self.factors.iter().rposition(|(name, _)| is_meant(name)).map_or(0, |at| at + 1);
        let bounds = self.bounds.iter().rposition(|(name, _)| is_meant(name)).map_or(0, |at| at + 1);
        (factor * (self.bounds.len() + 1) + bounds) as u32
    }

    /// What holds for the features of a group, where all others have these bounds.
    #[must_use]
    pub fn rule(&self, number: u32, others: Bounds) -> Rule {
        let (factor, bounds) = self.parts(number);
        let factor = factor.and_then(|at| self.factors.get(at)).map_or(1.0, |(_, factor)| *factor);
        let bounds = bounds.and_then(|at| self.bounds.get(at)).map_or(others, |(_, bounds)| *bounds);
        Rule { factor, bounds }
    }

    /// How many groups there are, that of all other features counted.
    pub(crate) fn count(&self) -> usize {
        (self.factors.len() + 1).saturating_mul(self.bounds.len() + 1)
    }

    /// Which factor and which bounds the features of a group have, if of their own.
    pub(crate) fn parts(&self, number: u32) -> (Option<usize>, Option<usize>) {
        let (number, sides) = (number as usize, self.bounds.len() + 1);
        ((number / sides).checked_sub(1), (number % sides).checked_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_factor_and_the_last_bounds_count() {
        let (one, two) = (Bounds::NONNEGATIVE, Bounds::new(-1.0, 2.0).unwrap());
        let groups = FeatureGroups {
            factors: vec![("a".into(), 2.0), ("b".into(), 3.0), ("a".into(), 0.5)],
            bounds: vec![("b".into(), one), ("c".into(), two)],
        };
        let rule = |names: &[&str]| groups.rule(groups.number(|name| names.contains(&name)), Bounds::FREE);
        for (names, factor, bounds) in [
            (&["a"][..], 0.5, Bounds::FREE),
            (&["a", "b"], 0.5, one),
            (&["b"], 3.0, one),
            (&["c", "b"], 3.0, two),
            (&["c"], 1.0, two),
            (&[], 1.0, Bounds::FREE),
        ] {
            assert_eq!(rule(names), Rule { factor, bounds }, "{names:?}");
        }
        assert_eq!(groups.number(|_| false), 0);
    }

    #[test]
    fn bounds_are_stored_as_they_are() {
        for (bounds, text) in [
            (Bounds::FREE, "[null,null]"),
            (Bounds::NONNEGATIVE, "[0.0,null]"),
            (Bounds::new(-0.25, -0.0).unwrap(), "[-0.25,0.0]"),
        ] {
            assert_eq!(serde_json::to_string(&bounds).unwrap(), text);
            assert_eq!(serde_json::from_str::<Bounds>(text).unwrap(), bounds);
        }
        for bad in ["[1.0,2.0]", "[0.0,0.0]", "[null,-1.0]"] {
            assert!(serde_json::from_str::<Bounds>(bad).is_err(), "{bad}");
        }
    }
}
