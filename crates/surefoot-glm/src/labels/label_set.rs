//! The labels that a classifier has met.

use serde::{Deserialize, Serialize};

/// The labels a classifier was trained on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Labels {
    /// The label that stands for −1, if it was seen.
    pub negative: Option<f64>,
    /// The label that stands for +1, if it was seen.
    pub positive: Option<f64>,
    /// All labels, ascending, where the loss takes more than two classes; then none of them is positive or negative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<f64>,
    /// Whether labels are shares of the positive class, between 0 and 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares: bool,
}

impl Labels {
    /// The label as −1 or +1, if it is one of the two, a share as what lies between; where there are many, the position of its class.
    #[must_use]
    pub fn encode(&self, label: f64) -> Option<f64> {
        if self.shares {
            return (0.0..=1.0).contains(&label).then_some(2.0 * label - 1.0);
        }
        if !self.classes.is_empty() {
            let at = self.classes.partition_point(|&class| class < label);
            return (self.classes.get(at) == Some(&label)).then_some(at as f64);
        }
        if self.positive == Some(label) {
            Some(1.0)
        } else if self.negative == Some(label) {
            Some(-1.0)
        } else {
            None
        }
    }

    /// All labels that were seen.
    #[must_use]
    pub fn all(&self) -> Vec<f64> {
        [self.negative, self.positive].into_iter().flatten().chain(self.classes.iter().copied()).collect()
    }
}
