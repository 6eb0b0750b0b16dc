//! Penalty factors and weight bounds that apply to named groups of features.

use serde::{Deserialize, Serialize};

/// Lower and upper bound of a weight; each may be infinite. The bounds always include 0, since a feature that occurs
/// in no row has weight 0.
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
    /// Bounds that allow any weight.
    pub const FREE: Bounds = Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// Bounds that allow weights of at least 0.
    pub const NONNEGATIVE: Bounds = Bounds { low: 0.0, high: f64::INFINITY };

    /// Returns the bounds `low` and `high`, which may be infinite; `None` unless low ≤ 0 ≤ high and low < high.
    #[must_use]
    pub fn new(low: f64, high: f64) -> Option<Bounds> {
        // Adding 0 turns −0 into 0.
        (low <= 0.0 && high >= 0.0 && low < high).then_some(Bounds { low: low + 0.0, high: high + 0.0 })
    }

    /// Returns the lower bound; −∞ if weights are not bounded below.
    #[must_use]
    pub fn low(self) -> f64 {
        self.low
    }

    /// Returns the upper bound; ∞ if weights are not bounded above.
    #[must_use]
    pub fn high(self) -> f64 {
        self.high
    }

    /// Whether both bounds are infinite, so that any weight is allowed.
    #[must_use]
    pub fn is_free(&self) -> bool {
        *self == Bounds::FREE
    }

    /// Returns the weight within the bounds that is nearest to `weight`.
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
    /// Converts bounds to a pair for JSON, which has no infinite numbers: an infinite bound becomes `None` (null).
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

/// Penalty factor and weight bounds that apply to one feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Factor by which the penalties l1 and l2 are multiplied for the feature, at least 0.
    pub factor: f64,
    /// Bounds within which the weight of the feature must lie.
    pub bounds: Bounds,
}

/// Penalty factors and weight bounds for named sets of features: each name is that of a namespace, of a column, or of
/// a range of indices.
///
/// A feature may match several names; the last matching factor and the last matching bounds apply. So each feature is
/// in one of (factors + 1)·(bounds + 1) groups, whose number follows from the names alone. Features of group 0 match
/// no name: they have factor 1 and the bounds of all other features.
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
    /// Penalty factors by name; the penalties l1 and l2 of the named features are multiplied by the factor.
    #[serde(default, rename = "penalty_factors", skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<(String, f64)>,
    /// Weight bounds by name, which replace the general bounds for the named features.
    #[serde(default, rename = "group_bounds", skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<(String, Bounds)>,
}

impl FeatureGroups {
    /// Whether no factor and no bounds are given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.factors.is_empty() && self.bounds.is_empty()
    }

    /// Returns the names that have penalty factors, then the names that have bounds, including repeated names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.factors.iter().map(|(name, _)| &**name).chain(self.bounds.iter().map(|(name, _)| &**name))
    }

    /// Returns the number of the group that a feature is in. The closure `is_meant` tells for a name of these groups
    /// whether it matches the feature.
    #[must_use]
    pub fn number(&self, mut is_meant: impl FnMut(&str) -> bool) -> u32 {
        let factor = self.factors.iter().rposition(|(name, _)| is_meant(name)).map_or(0, |at| at + 1);
        let bounds = self.bounds.iter().rposition(|(name, _)| is_meant(name)).map_or(0, |at| at + 1);
        (factor * (self.bounds.len() + 1) + bounds) as u32
    }

    /// Returns the penalty factor and weight bounds of the features in group `number`; `others` are the bounds to
    /// return for groups without bounds of their own.
    #[must_use]
    pub fn rule(&self, number: u32, others: Bounds) -> Rule {
        let (factor, bounds) = self.parts(number);
        let factor = factor.and_then(|at| self.factors.get(at)).map_or(1.0, |(_, factor)| *factor);
        let bounds = bounds.and_then(|at| self.bounds.get(at)).map_or(others, |(_, bounds)| *bounds);
        Rule { factor, bounds }
    }

    /// Returns the number of groups, including group 0.
    pub(crate) fn count(&self) -> usize {
        (self.factors.len() + 1).saturating_mul(self.bounds.len() + 1)
    }

    /// Returns the position in `factors` of a group's penalty factor, and the position in `bounds` of its weight
    /// bounds; `None` if the group has no factor, or no bounds.
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
