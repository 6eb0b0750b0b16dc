//! Group numbers of the features seen in training, which decide their penalty factors and weight bounds.

use super::{
    settings::Settings,
    state::{Array, Numbers, State},
    trained_model::Model,
};
use crate::{
    data::{
        fault::{Fault, Part},
        feature_groups::{Bounds, FeatureGroups, Rule},
        rows::Row,
    },
    memory::feature_map::FeatureMap,
    numeric::check::{NEGLIGIBLE, need},
};
use std::collections::HashSet;

/// Name of the saved array of group numbers, one per feature.
const GROUP: &str = "group";

/// Group numbers of all features seen in training. If several features share an id because ids are hashed to few bits,
/// the largest of their group numbers counts.
#[derive(Debug)]
pub(crate) struct GroupIndex {
    /// Penalty factors and weight bounds of the groups, from the settings.
    groups: FeatureGroups,
    /// Group number of each feature seen, by feature id; 0 for features that match no name of a group.
    numbers: FeatureMap<u32>,
    /// Feature ids and group numbers of the row given to the last [`inspect`](GroupIndex::inspect), which are stored
    /// only if the row is accepted.
    row: Vec<(u64, u32)>,
}

impl GroupIndex {
    /// Returns an index without features; `None` if the settings have no feature groups.
    pub(crate) fn new(settings: &Settings) -> Option<GroupIndex> {
        let groups = settings.groups.clone();
        (!groups.is_empty()).then(|| GroupIndex { groups, numbers: FeatureMap::default(), row: Vec::new() })
    }

    /// Reads the group numbers of a row and keeps them apart until [`commit`](GroupIndex::commit), since the row may
    /// still be refused.
    ///
    /// # Errors
    /// Returns a fault at the first invalid group number, or at the first id for which memory runs out.
    pub(crate) fn inspect(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        self.row.clear();
        check_row(&self.groups, row)?;
        for (at, (&id, value)) in row.index.iter().zip(row.value).enumerate() {
            if value.abs() >= NEGLIGIBLE {
                let known = self.numbers.get_mut(id).ok_or_else(|| Fault::full(at, id))?;
                self.row.push((id, row.group.get(at).copied().unwrap_or(0).max(*known)));
            }
        }
        Ok(())
    }

    /// Stores the group numbers of the row given to the last [`inspect`](GroupIndex::inspect).
    pub(crate) fn commit(&mut self) {
        for &(id, group) in &self.row {
            if let Some(known) = self.numbers.get_mut(id) {
                *known = group;
            }
        }
    }

    /// Returns the penalty factor and weight bounds of nonzero number `pair` (from 0) of the row given to the last
    /// [`inspect`](GroupIndex::inspect); `others` are the bounds of features whose group has none.
    #[inline]
    pub(crate) fn rule_at(&self, pair: usize, others: Bounds) -> Rule {
        self.groups.rule(self.row[pair].1, others)
    }

    /// Returns the penalty factor and weight bounds of the feature `id`; `others` are the bounds of features whose
    /// group has none.
    pub(crate) fn rule(&self, id: u64, others: Bounds) -> Rule {
        self.groups.rule(self.numbers.get(id).copied().unwrap_or(0), others)
    }

    /// Returns the group numbers of the features with the ids `index`, as a named array to save.
    pub(crate) fn save(&self, index: &[u64]) -> Array {
        let numbers = index.iter().map(|&id| self.numbers.get(id).copied().unwrap_or(0)).collect();
        Array { name: GROUP.into(), shape: vec![index.len()], data: Numbers::U32(numbers) }
    }

    /// Restores the index from an array written by [`save`](GroupIndex::save); `None` if the settings have no feature
    /// groups.
    pub(crate) fn resume(settings: &Settings, index: &[u64], state: &State) -> Result<Option<GroupIndex>, String> {
        let Some(mut group_index) = GroupIndex::new(settings) else { return Ok(None) };
        for (&id, &group) in index.iter().zip(saved(index.len(), state)?) {
            *group_index.numbers.get_mut(id).ok_or("no memory is left for the model")? = group;
        }
        Ok(Some(group_index))
    }
}

/// Checks the group numbers of a row, if there are groups.
pub(crate) fn check_row(groups: &FeatureGroups, row: &Row<'_>) -> Result<(), Fault> {
    let wrong = row.group.iter().position(|group| *group as usize >= groups.count());
    match wrong.filter(|_| !groups.is_empty()) {
        Some(at) => Err(Fault::new(Part::Pair(at), "there is no group of features of this number")),
        None => Ok(()),
    }
}

/// Checks that the group numbers in a state, read from a file, are within their range.
pub(crate) fn check(settings: &Settings, features: usize, state: &State) -> Result<(), String> {
    let sound = |numbers: &[u32]| numbers.iter().all(|number| (*number as usize) < settings.groups.count());
    need(settings.groups.is_empty() || sound(saved(features, state)?), "the groups of the state are out of their range")
}

fn saved(len: usize, state: &State) -> Result<&[u32], String> {
    match state.numbers(GROUP, len)? {
        Numbers::U32(numbers) => Ok(numbers),
        _ => Err(format!("array {GROUP} of the state does not hold u32")),
    }
}

/// Returns a state that holds nothing but the group numbers of all features, in the order of their ids; `None` if the settings
/// have no feature groups. Numbers that are out of their range are 0.
pub(crate) fn state_of(settings: &Settings, numbers: &[f64]) -> Option<State> {
    let number = |x: &f64| Some(*x as u32).filter(|number| (*number as usize) < settings.groups.count()).unwrap_or(0);
    let numbers: Vec<u32> = numbers.iter().map(number).collect();
    let array = Array { name: GROUP.into(), shape: vec![numbers.len()], data: Numbers::U32(numbers) };
    (!settings.groups.is_empty()).then(|| State { scalars: serde_json::Value::Null, arrays: vec![array] })
}

/// Returns the penalty factors and weight bounds of some features, given their positions in the model's list of feature
/// ids (`Model::index`); empty if the model has no feature groups.
pub(crate) fn rules(model: &Model, positions: &[usize]) -> Vec<Rule> {
    let Settings { groups, penalty, .. } = &model.settings;
    let groups_of = model.state.as_ref().and_then(|state| saved(model.index.len(), state).ok());
    let Some(numbers) = groups_of.filter(|_| !groups.is_empty()) else { return Vec::new() };
    positions.iter().map(|&at| groups.rule(numbers[at], penalty.bounds)).collect()
}

impl Model {
    /// Returns the names of penalty factors, and the names of bounds, that match no feature seen in training. Both
    /// lists are empty for slim models (without training state), which do not store group numbers.
    #[must_use]
    pub fn unused_groups(&self) -> (Vec<&str>, Vec<&str>) {
        let groups = &self.settings.groups;
        let numbers = self.state.as_ref().and_then(|state| saved(self.index.len(), state).ok());
        let Some(numbers) = numbers else { return (Vec::new(), Vec::new()) };
        let met: HashSet<u32> = numbers.iter().copied().collect();
        let (factors, bounds): (HashSet<_>, HashSet<_>) = met.into_iter().map(|number| groups.parts(number)).unzip();
        let factors = groups.factors.iter().enumerate().filter(|(at, _)| !factors.contains(&Some(*at)));
        let bounds = groups.bounds.iter().enumerate().filter(|(at, _)| !bounds.contains(&Some(*at)));
        (factors.map(|(_, (name, _))| &**name).collect(), bounds.map(|(_, (name, _))| &**name).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_those_of_the_rows_that_were_kept() {
        let factors = (1..4).map(|k| (k.to_string(), f64::from(k))).collect();
        let settings = Settings { groups: FeatureGroups { factors, bounds: Vec::new() }, ..Settings::default() };
        let mut group_index = GroupIndex::new(&settings).unwrap();
        let row = |index, value, group| Row { label: None, weight: 1.0, offset: 0.0, index, value, group, position: 0 };
        let factor = |group_index: &GroupIndex, id| group_index.rule(id, Bounds::FREE).factor;
        group_index.inspect(&row(&[3, 5, 1 << 40], &[1.0, 0.0, 2.0], &[1, 2, 3])).unwrap();
        assert_eq!(
            (group_index.rule_at(0, Bounds::FREE).factor, group_index.rule_at(1, Bounds::FREE).factor),
            (1.0, 3.0)
        );
        assert_eq!(factor(&group_index, 1 << 40), 1.0);
        group_index.commit();
        // Held-out rows do not store group numbers, which are known from earlier rows; of two numbers of a feature,
        // the larger is kept.
        group_index.inspect(&row(&[3, 1 << 40], &[1.0, 2.0], &[])).unwrap();
        assert_eq!(group_index.rule_at(1, Bounds::FREE).factor, 3.0);
        group_index.inspect(&row(&[3, 1 << 40], &[1.0, 2.0], &[2, 1])).unwrap();
        group_index.commit();
        let index = [3, 5, 1 << 40];
        let state = State { scalars: serde_json::Value::Null, arrays: vec![group_index.save(&index)] };
        let back = GroupIndex::resume(&settings, &index, &state).unwrap().unwrap();
        for (id, exact) in index.into_iter().zip([2.0, 1.0, 3.0]) {
            assert_eq!((factor(&group_index, id), factor(&back, id)), (exact, exact), "{id}");
        }
        assert!(GroupIndex::resume(&settings, &index[1..], &state).is_err());
        assert!(GroupIndex::new(&Settings::default()).is_none());
    }
}
