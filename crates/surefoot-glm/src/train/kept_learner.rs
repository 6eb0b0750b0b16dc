//! Learner at the end of the pass whose model is kept, for runs of several passes.
//!
//! At the end of a run the held-out rows are learnt too. If a later pass was worse than the kept one, this continues
//! from the learner as it was then.

use super::choice;
use crate::{
    model::{
        settings::Settings,
        state::{Array, Numbers, State},
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
