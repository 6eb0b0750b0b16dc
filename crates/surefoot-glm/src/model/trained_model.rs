//! The trained model: weights, settings, and, unless the model is slim, the state of its trainer.

use super::{certificate::Certificate, settings::Settings};
use super::{state::State, summary::Summary};
use crate::data::schema::FeatureNames;
use crate::labels::label_set::Labels;
use serde_json::Value;

/// A trained model: weights, settings, summary, certificates, and the state of its trainer.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Settings that prediction and further training need.
    pub settings: Settings,
    /// Labels of the classes, for classification.
    pub labels: Labels,
    /// Intercept, 0 if none is learnt; for multiclass losses one intercept per class by ascending label.
    pub intercept: Vec<f64>,
    /// Ids of the features seen in training, strictly ascending.
    pub index: Vec<u64>,
    /// Weights of the features in `index`, for raw input values; for multiclass losses row-major, with one row per
    /// feature and one column per class.
    pub weight: Vec<f64>,
    /// Names of features, as far as names were kept.
    pub names: FeatureNames,
    /// Summary of the training run for people: rows, losses, lanes (shown by `surefoot inspect`).
    pub summary: Summary,
    /// Certificates, or the reasons why there are none; certificates with a bound come first.
    pub certificates: Vec<Certificate>,
    /// State of the trainer, needed to resume training; `None` in a slim model, which is for prediction only.
    pub state: Option<State>,
    /// Position of an unfinished run, written and read by the program that drives the trainer; `None` for a finished
    /// run.
    pub unfinished: Option<Value>,
}
