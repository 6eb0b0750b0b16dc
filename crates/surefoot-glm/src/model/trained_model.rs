//! A model: the vector that predicts, what it needs to be read again, and, unless slimmed, the trainer's state.

use super::{certificate::Certificate, settings::Settings};
use super::{state::State, summary::Summary};
use crate::data::schema::FeatureNames;
use crate::labels::label_set::Labels;
use serde_json::Value;

/// A trained model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// What prediction needs to know.
    pub settings: Settings,
    /// The coding of the labels (classification).
    pub labels: Labels,
    /// The intercept, 0 without one; where the loss has a margin for each class, one for each, by ascending label.
    pub intercept: Vec<f64>,
    /// Ids of the features seen in training, strictly ascending.
    pub index: Vec<u64>,
    /// Their weights, to be multiplied by raw input values; where there are many classes, a row a feature and a column a class.
    pub weight: Vec<f64>,
    /// Names of features, as far as they have names that were kept.
    pub names: FeatureNames,
    /// A summary for people: rows, losses, lanes (what `inspect` shows).
    pub summary: Summary,
    /// What is known of how good it is, or why nothing is: the first that bounds something comes first.
    pub certificates: Vec<Certificate>,
    /// The trainer's state; absent in a slim model.
    pub state: Option<State>,
    /// Where an unfinished run stands; written and read by the program that drives the trainer.
    pub unfinished: Option<Value>,
}
