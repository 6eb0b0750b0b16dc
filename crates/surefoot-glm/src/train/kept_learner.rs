//! Learner at the end of the pass whose model is kept, for runs of several passes.
//!
//! At the end of a run the held-out rows are learnt too. If a later pass was worse than the kept one, this continues
//! from the learner as it was then.

use super::choice;
use crate::{
    data::schema::FeatureNames,
    model::{
        settings::Settings,
        state::{Array, Numbers, State},
        summary::Summary,
        trained_model::Model,
    },
    pass::learner::{LearnerState, RowLearner},
};

/// State of the learner at the end of the pass whose model is kept.
#[derive(Debug)]
pub(super) struct KeptLearner {
    /// Ids of the features seen by then, in ascending order.
    index: Vec<u64>,
    state: State,
}

/// Name under which an unfinished model stores the scalars, and prefix of the names of the arrays.
const KEPT: &str = "kept_pass";

impl KeptLearner {
    pub(super) fn new(saved: LearnerState) -> KeptLearner {
        KeptLearner { index: saved.index, state: State { scalars: saved.scalars, arrays: saved.arrays } }
    }

    /// Returns the number of classes of a multiclass learner; `None` for other learners.
    pub(super) fn classes(&self) -> Option<usize> {
        self.state.scalars.get("classes").and_then(serde_json::Value::as_u64).map(|count| count as usize)
    }

    /// Checks that the learner, read from a file, fits its model, which may have met more classes since.
    pub(super) fn check(&self, model: &Model) -> Result<(), String> {
        let mut labels = model.labels.clone();
        labels.classes.truncate(self.classes().unwrap_or(labels.classes.len()));
        let model = Model {
            settings: model.settings.clone(),
            labels,
            intercept: Vec::new(),
            index: self.index.clone(),
            weight: Vec::new(),
            names: FeatureNames::default(),
            summary: Summary::default(),
            certificates: Vec::new(),
            state: None,
            unfinished: None,
        };
        choice::check(&model, &self.state.scalars, &self.state)
    }

    /// Restores the learner.
    pub(super) fn learner(&self, settings: &Settings) -> Result<Box<dyn RowLearner>, String> {
        choice::resume(settings, &self.index, &self.state.scalars, &self.state)
    }

    /// Adds the learner to the state of an unfinished model.
    pub(super) fn pause(&self, state: &mut State) {
        state.scalars[KEPT] = self.state.scalars.clone();
        let (shape, data) = (vec![self.index.len()], Numbers::U64(self.index.clone()));
        state.arrays.push(Array { name: named("index"), shape, data });
        state.arrays.extend(self.state.arrays.iter().map(|array| Array { name: named(&array.name), ..array.clone() }));
    }

    /// Reads what [`pause`](KeptLearner::pause) wrote; `None` if there is no such learner.
    pub(super) fn resume(state: &State) -> Result<Option<KeptLearner>, String> {
        let Some(scalars) = state.scalars.get(KEPT) else { return Ok(None) };
        let arrays = state.arrays.iter().filter_map(|array| {
            let name = array.name.strip_prefix(KEPT)?.strip_prefix('.')?.to_owned();
            Some(Array { name, ..array.clone() })
        });
        let (index, arrays) = arrays.partition::<Vec<Array>, _>(|array| array.name == "index");
        let state = State { scalars: scalars.clone(), arrays };
        match index.into_iter().next().map(|array| array.data) {
            Some(Numbers::U64(index)) if index.is_sorted_by(|a, b| a < b) => Ok(Some(KeptLearner { index, state })),
            _ => Err("the state does not fit together: the kept pass has no ids of features".to_owned()),
        }
    }
}

fn named(name: &str) -> String {
    format!("{KEPT}.{name}")
}
