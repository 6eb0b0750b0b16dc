//! Lookup of the feature group (a set of features with the same penalty factor or bounds) of each nonzero of a row.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use surefoot_glm::{Batch, FeatureGroups};

use crate::{ids::id_map::IdMap, table::column_names::columns_meant};

/// Map from feature ids to feature group numbers, filled as ids occur. A feature group is a set of features with the same penalty factor or
/// bounds; ids in no group have the number 0.
#[derive(Debug)]
pub(crate) struct GroupTracker {
    numbers: IdMap<u32>,
}

impl GroupTracker {
    /// Builds an empty map from feature ids to group numbers; `None` if `groups` defines no groups.
    pub(crate) fn new(groups: &FeatureGroups) -> Option<GroupTracker> {
        (!groups.is_empty()).then(|| GroupTracker { numbers: IdMap::default() })
    }

    /// Assigns a feature id to group `number`. If an id is assigned to several groups, the largest number wins.
    pub(crate) fn assign(&mut self, id: u64, number: u32) {
        if number > 0 {
            let known = self.numbers.entry(id).or_default();
            *known = number.max(*known);
        }
    }

    /// Writes the feature group number of each nonzero of a batch, from nonzero number `first` on, to `batch.group`.
    pub(crate) fn fill(&self, batch: &mut Batch, first: usize) {
        batch.group.resize(first, 0);
        let number = |id: &u64| self.numbers.get(id).copied().unwrap_or(0);
        batch.group.extend(batch.index[first..].iter().map(number));
    }
}

/// Returns the feature group number of each column, 0 for none. A group selects columns by [`columns_meant`]; the name of a list column
/// selects all elements of the list.
pub(crate) fn of_columns<S: AsRef<str>>(groups: &FeatureGroups, names: &[S]) -> Vec<u32> {
    let set = |name| columns_of(names, name).into_iter().collect();
    let meant: HashMap<&str, HashSet<usize>> = groups.names().map(|name| (name, set(name))).collect();
    (0..names.len()).map(|n| groups.number(|group| meant[group].contains(&n))).collect()
}

/// Splits the name of an element of a list column: `v[7]` becomes `v` and `7`. Returns `None` for names of another form. Ordinary columns
/// may have names of this form too.
#[must_use]
pub fn list_element(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(']')?.rsplit_once('[')
}

/// Returns the positions (from 0) of the columns that a name in a feature group selects.
pub(crate) fn columns_of<S: AsRef<str>>(names: &[S], group: &str) -> Vec<usize> {
    let is_of = |n: &usize| list_element(names[*n].as_ref()).is_some_and(|(list, _)| list == group);
    let numbers = (0..names.len()).filter(is_of);
    columns_meant(names, group).into_iter().chain(numbers).collect()
}

/// Returns the feature group number of a Vowpal Wabbit namespace, 0 for none.
pub(crate) fn of_namespace(groups: &FeatureGroups, namespace: &[u8]) -> u32 {
    groups.number(|group| group.as_bytes() == namespace)
}

/// Lookup of the feature group number of svmlight indices; each distinct index is matched against the groups only once.
#[derive(Debug)]
pub(crate) struct IndexGroups {
    groups: FeatureGroups,
    numbers: IdMap<u32>,
    /// Feature group numbers by feature id, that is, by the svmlight index after hashing.
    pub(crate) grouper: GroupTracker,
}

impl IndexGroups {
    /// Builds the lookup of feature group numbers by svmlight index; `None` if `groups` defines no groups.
    pub(crate) fn new(groups: &FeatureGroups) -> Option<IndexGroups> {
        let grouper = GroupTracker::new(groups)?;
        Some(IndexGroups { groups: groups.clone(), numbers: IdMap::default(), grouper })
    }

    /// Assigns the feature ids of svmlight indices to the feature groups of these indices; `id` maps an index to its feature id.
    pub(crate) fn assign(&mut self, indices: &[u64], id: impl Fn(u64) -> u64) {
        for &index in indices {
            let number = self.numbers.entry(index).or_insert_with(|| of_index(&self.groups, index));
            self.grouper.assign(id(index), *number);
        }
    }
}

/// Returns the feature group number of an svmlight index, 0 for none.
fn of_index(groups: &FeatureGroups, index: u64) -> u32 {
    groups.number(|group| index_range(group).is_some_and(|range| range.contains(&index)))
}

/// Parses a name in a feature group as an svmlight index (`7`) or a range of indices (`10-20`); `None` if it is neither.
pub(crate) fn index_range(name: &str) -> Option<RangeInclusive<u64>> {
    let (first, last) = name.split_once('-').unwrap_or((name, name));
    let (first, last) = first.parse().ok().zip(last.parse().ok())?;
    (first <= last).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(names: &[&str]) -> FeatureGroups {
        FeatureGroups {
            factors: names.iter().map(|name| ((*name).to_owned(), 0.5)).collect(),
            ..FeatureGroups::default()
        }
    }

    #[test]
    fn columns_go_by_name_number_range_pattern_and_list() {
        let names = ["y", "x1", "x2", "emb[0]", "emb[1]", "z]"];
        for (wanted, exact) in [
            (&["x1"][..], [0, 1, 0, 0, 0, 0]),
            (&["3"], [0, 0, 1, 0, 0, 0]),
            (&["x*", "1-2"], [2, 2, 1, 0, 0, 0]),
            (&["emb"], [0, 0, 0, 1, 1, 0]),
            (&["emb", "emb[1]", "none"], [0, 0, 0, 1, 2, 0]),
            (&[], [0; 6]),
        ] {
            assert_eq!(of_columns(&groups(wanted), &names), exact, "{wanted:?}");
        }
    }

    #[test]
    fn indices_go_by_number_and_range() {
        let groups = groups(&["7", "10-20", "15", "a", "3-", "30-25"]);
        let found = [7, 8, 10, 15, 20, 21, 3, 27].map(|index| of_index(&groups, index));
        assert_eq!(found, [1, 0, 2, 3, 2, 0, 0, 0]);
    }
}
