//! Check that the columns named in interactions and feature groups are used as features (not, say, ignored or used as the
//! label).

use surefoot_glm::{Column, FeatureGroups, TableSchema};

use super::feature_groups;
use crate::{
    error::ColumnError,
    table::{
        column_names::{listed, shown},
        options::Options,
    },
};

/// Checks that every column named in an interaction or a feature group (of penalty factors or bounds) is used as a feature;
/// an error names a column that is not.
pub(crate) fn check_features(table: &TableSchema, options: &Options) -> Result<(), ColumnError> {
    let is_feature = |column: &Column| column.role.is_feature();
    for name in options.reading.interact.iter().flat_map(|(a, b)| [a, b]) {
        let column = table.columns.iter().find(|column| column.name == *name);
        if !column.is_some_and(is_feature) {
            let what = if column.is_some() { "no feature" } else { "no column" };
            let message = format!("--interact: '{}' is {what}; columns go by their names here", shown(name));
            return Err(ColumnError::asked(message));
        }
    }
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let FeatureGroups { factors, bounds } = &options.groups;
    let flags = factors.iter().map(|(name, _)| ("--penalty-factor", name));
    for (flag, name) in flags.chain(bounds.iter().map(|(name, _)| ("--bounds", name))) {
        let meant = feature_groups::columns_of(&names, name);
        if !meant.iter().any(|&column| is_feature(&table.columns[column])) {
            let what = if meant.is_empty() { "there is no column" } else { "no feature is made of column" };
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            let message = format!("{flag}: {what} '{}'; the columns are {}", shown(name), listed(&names));
            return Err(ColumnError::asked(message));
        }
    }
    Ok(())
}
