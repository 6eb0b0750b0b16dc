//! Class labels of a trained classifier.

use serde::{Deserialize, Serialize};

/// Class labels of a trained classifier.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Labels {
    /// Label of the negative class, which is encoded as −1; `None` if training has seen no such label, or the loss is
    /// not binary.
    pub negative: Option<f64>,
    /// Label of the positive class, which is encoded as +1; `None` if training has seen no such label, or the loss is
    /// not binary.
    pub positive: Option<f64>,
    /// Labels of all classes in ascending order, for multiclass losses; empty for other losses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<f64>,
    /// Whether labels are proportions of the positive class, between 0 and 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares: bool,
}

impl Labels {
    /// Encodes a label: −1 or +1 for two classes, a number between them for a proportion, the position of the class in
    /// `classes` for multiclass losses. Returns `None` for a label that was not seen in training.
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

    /// Returns the labels of all classes seen in training: the negative, then the positive class; for multiclass
    /// losses all by ascending label.
    #[must_use]
    pub fn all(&self) -> Vec<f64> {
        [self.negative, self.positive].into_iter().flatten().chain(self.classes.iter().copied()).collect()
    }
}
