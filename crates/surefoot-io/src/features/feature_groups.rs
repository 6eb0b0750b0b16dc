//! Group numbers of the features of a row, as defined by [`FeatureGroups`].

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use surefoot_glm::{Batch, FeatureGroups};

use crate::{ids::id_map::IdMap, table::column_names::columns_meant};

/// Group numbers of feature ids, extended as ids are encountered.
#[derive(Debug)]
pub(crate) struct GroupTracker {
    numbers: IdMap<u32>,
}

impl GroupTracker {
    /// Builds a tracker without ids; `None` if `groups` defines none.
    pub(crate) fn new(groups: &FeatureGroups) -> Option<GroupTracker> {
        (!groups.is_empty()).then(|| GroupTracker { numbers: IdMap::default() })
    }

    /// Assigns group `number` to the features of an id. If groups share an id, the largest number wins.
    pub(crate) fn assign(&mut self, id: u64, number: u32) {
        if number > 0 {
            let known = self.numbers.entry(id).or_default();
            *known = number.max(*known);
        }
    }

    /// Writes the group numbers of the nonzeros of a batch from position `first` on.
    pub(crate) fn fill(&self, batch: &mut Batch, first: usize) {
        batch.group.resize(first, 0);
        let number = |id: &u64| self.numbers.get(id).copied().unwrap_or(0);
        batch.group.extend(batch.index[first..].iter().map(number));
    }
}

/// Returns the group number of each column. A group name selects columns as in [`columns_meant`]; the name of a list column selects all its
/// elements.
pub(crate) fn of_columns<S: AsRef<str>>(groups: &FeatureGroups, names: &[S]) -> Vec<u32> {
    let set = |name| columns_of(names, name).into_iter().collect();
    let meant: HashMap<&str, HashSet<usize>> = groups.names().map(|name| (name, set(name))).collect();
    (0..names.len()).map(|n| groups.number(|group| meant[group].contains(&n))).collect()
}

/// Splits the name of an element of a list column, `v[7]`, into `v` and `7`. Names of ordinary columns may have the same form.
#[must_use]
pub fn list_element(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(']')?.rsplit_once('[')
}

/// Returns the positions (from 0) of the columns that the name of a group selects.
pub(crate) fn columns_of<S: AsRef<str>>(names: &[S], group: &str) -> Vec<usize> {
    let is_of = |n: &usize| list_element(names[*n].as_ref()).is_some_and(|(list, _)| list == group);
    let numbers = (0..names.len()).filter(is_of);
    columns_meant(names, group).into_iter().chain(numbers).collect()
}

/// Returns the group number of a namespace.
pub(crate) fn of_namespace(groups: &FeatureGroups, namespace: &[u8]) -> u32 {
    groups.number(|group| group.as_bytes() == namespace)
}

/// Group numbers of svmlight indices, determined once per index.
#[derive(Debug)]
pub(crate) struct IndexGroups {
    groups: FeatureGroups,
    numbers: IdMap<u32>,
    /// Group numbers of ids, as they occur in rows.
    pub(crate) grouper: GroupTracker,
}

impl IndexGroups {
    /// Builds the groups of indices; `None` if `groups` defines none.
    pub(crate) fn new(groups: &FeatureGroups) -> Option<IndexGroups> {
        let grouper = GroupTracker::new(groups)?;
        Some(IndexGroups { groups: groups.clone(), numbers: IdMap::default(), grouper })
    }

    /// Assigns group numbers to the ids of these indices.
    pub(crate) fn assign(&mut self, indices: &[u64], id: impl Fn(u64) -> u64) {
        for &index in indices {
            let number = self.numbers.entry(index).or_insert_with(|| of_index(&self.groups, index));
            self.grouper.assign(id(index), *number);
        }
    }
}

/// Returns the group number of an index.
fn of_index(groups: &FeatureGroups, index: u64) -> u32 {
    groups.number(|group| index_range(group).is_some_and(|range| range.contains(&index)))
}

/// Parses a group name as an index (`7`) or a range of indices (`10-20`).
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
