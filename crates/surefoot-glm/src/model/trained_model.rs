//! A trained model: weights, settings, and, unless slim, the state of its trainer.

use super::{certificate::Certificate, settings::Settings};
use super::{state::State, summary::Summary};
use crate::data::schema::FeatureNames;
use crate::labels::label_set::Labels;
use serde_json::Value;

/// A trained model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Settings that prediction needs.
    pub settings: Settings,
    /// Labels of the classes, for classification.
    pub labels: Labels,
    /// The intercept, 0 without one; for multiclass losses one per class by ascending label.
    pub intercept: Vec<f64>,
    /// Ids of the features encountered in training, strictly ascending.
    pub index: Vec<u64>,
    /// Their weights for raw input values; for multiclass losses row-major, a row per feature and a column per class.
    pub weight: Vec<f64>,
    /// Names of features, as far as names were kept.
    pub names: FeatureNames,
    /// Summary of the training run for people: rows, losses, lanes (shown by `surefoot inspect`).
    pub summary: Summary,
    /// Certificates, or the reason why there are none; those with a bound come first.
    pub certificates: Vec<Certificate>,
    /// The trainer's state; absent in a slim model.
    pub state: Option<State>,
    /// Position of an unfinished run; written and read by the program that drives the trainer.
    pub unfinished: Option<Value>,
}
