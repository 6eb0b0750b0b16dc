//! Trained model: weights, settings, and, unless the model is slim (for prediction only), the state of its trainer.

use super::{certificate::Certificate, settings::Settings};
use super::{state::State, summary::Summary};
use crate::data::schema::FeatureNames;
use crate::labels::label_set::Labels;
use serde_json::Value;

/// Trained generalised linear model, with everything that model files store.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Settings that prediction and further training need.
    pub settings: Settings,
    /// Labels of the classes, for classification; empty in regression.
    pub labels: Labels,
    /// Intercept, 0 if the model has none; for multiclass losses one intercept per class, by ascending label.
    pub intercept: Vec<f64>,
    /// Ids of the features seen in training, strictly ascending.
    pub index: Vec<u64>,
    /// Weights of the features in `index`, for raw input values; for multiclass losses row-major, with one row per
    /// feature and one column per class.
    pub weight: Vec<f64>,
    /// Names of features by id, as far as they are known.
    pub names: FeatureNames,
    /// Summary of the training run, such as rows, losses and lanes (learners trained side by side), for the user's
    /// information (`surefoot inspect` shows it).
    pub summary: Summary,
    /// Certificates: bounds on the quality of the model, followed by the reasons why other bounds are missing.
    pub certificates: Vec<Certificate>,
    /// State of the trainer, needed to resume training; `None` in a slim model, which is for prediction only.
    pub state: Option<State>,
    /// Position in the input at which an unfinished run was saved, written and read by the program that drives the
    /// trainer; `None` for a finished run.
    pub unfinished: Option<Value>,
}
