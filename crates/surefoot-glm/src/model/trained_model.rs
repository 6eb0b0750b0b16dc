//! A model: the vector that predicts, what it needs to be read again, and, unless slimmed, the trainer's state.

use super::{certificate::Certificate, settings::Settings};
use crate::{data::schema::Names, pass::order::OrderAlarm};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

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
    pub fn code(&self, label: f64) -> Option<f64> {
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

/// A named array of numbers of one type, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its name in the model file.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its numbers.
    pub data: Numbers,
}

impl Array {
    /// An array with one axis.
    pub(crate) fn flat(name: &str, data: Vec<f64>) -> Array {
        Array { name: name.into(), shape: vec![data.len()], data: Numbers::F64(data) }
    }
}

/// The numbers of an [`Array`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

/// The trainer's own memory: everything that training needs to go on bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Counters and scalars.
    pub scalars: Value,
    /// Arrays over coordinates.
    pub arrays: Vec<Array>,
}

impl State {
    pub(crate) fn parse<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
        serde_json::from_value(value.clone()).map_err(|error| format!("the state does not fit together: {error}"))
    }

    /// The numbers of an array that must have this many.
    pub(crate) fn numbers(&self, name: &str, len: usize) -> Result<&Numbers, String> {
        let array = self.arrays.iter().find(|array| array.name == name);
        let array = array.ok_or_else(|| format!("the state has no array {name}"))?;
        if array.shape.iter().product::<usize>() == len {
            Ok(&array.data)
        } else {
            Err(format!("array {name} of the state has another length than the model"))
        }
    }

    /// The same for an array of `f64`.
    pub(crate) fn wide(&self, name: &str, len: usize) -> Result<&[f64], String> {
        match self.numbers(name, len)? {
            Numbers::F64(data) => Ok(data),
            _ => Err(format!("array {name} of the state does not hold f64")),
        }
    }
}

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
    pub names: Names,
    /// A summary for people: rows, losses, lanes (what `inspect` shows).
    pub summary: Summary,
    /// What is known of how good it is, or why nothing is: the first that bounds something comes first.
    pub certificates: Vec<Certificate>,
    /// The trainer's state; absent in a slim model.
    pub state: Option<State>,
    /// Where an unfinished run stands; written and read by the program that drives the trainer.
    pub unfinished: Option<Value>,
}

/// What a model remembers of its training for people to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Rows read, over all passes.
    pub rows: u64,
    /// Rows of weight 0 among them.
    pub rows_zero_weight: u64,
    /// Pairs read.
    pub nnz: u64,
    /// Passes completed in this run; not stored, since a model does not know how its rows were asked for.
    #[serde(skip)]
    pub passes: u32,
    /// Sum of the weights of the rows whose loss is in `loss`.
    pub weight: f64,
    /// The printed loss; `None` before the first row.
    pub loss: Option<f64>,
    /// The loss of the best constant on the same rows.
    pub loss_constant: Option<f64>,
    /// Where the order of rows has made the printed loss worthless. Only models know, not trainers in the middle of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderAlarm>,
    /// The leading lane: its scale D; `None` where there are no lanes.
    pub lane: Option<f64>,
    /// Scale, selection statistic and share of each lane; none for a model in a ball.
    pub lanes: Vec<Lane>,
    /// Penalties that were tried side by side, from the largest to none, where one was to be chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathPoint>,
}

/// One penalty of those in a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// The factors of the penalty.
    pub l1: f64,
    #[allow(missing_docs)]
    pub l2: f64,
    /// The mean loss of its model on rows that it had not learnt; in one pass late ones count more.
    pub loss: f64,
    /// The standard error of that mean, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// One lane in a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The scale D.
    pub scale: f64,
    /// The selection statistic (smaller is better); never a loss that is printed as such.
    pub statistic: f64,
    /// Its share in the model that predicts, in [0, 1]; the shares sum to 1.
    pub share: f64,
}
