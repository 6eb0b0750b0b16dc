//! Roles of table columns (label, weight, feature, ...), according to the user's flags and a model.

use std::collections::HashMap;

use surefoot_glm::Role;

use super::{
    column_names::{called, columns_meant, listed, meant, near, shown},
    column_selection::ColumnSelection,
    options::Options,
};
use crate::error::ColumnError;

/// Returns for each column whether the user's flags ignore it: because `--ignore` or `--id` selects it, or because `--keep` does not.
/// Concerns columns that a model or an earlier file does not know.
pub(crate) fn ignored(names: &[String], options: &Options) -> Vec<bool> {
    let (by_name, keep) = (by_name(names), &options.reading.keep);
    let mut ignored = vec![!keep.is_empty(); names.len()];
    keep.iter().flat_map(|wanted| find(names, &by_name, wanted)).for_each(|column| ignored[column] = false);
    options
        .wanted
        .ignore
        .iter()
        .chain(&options.wanted.id)
        .flat_map(|wanted| find(names, &by_name, wanted))
        .for_each(|column| ignored[column] = true);
    ignored
}

/// Part of the error message for a missing cell when the model was trained on data without missing cells.
pub(crate) const NEVER_MISSING: &str = "which the model cannot read; predict --on-error empty writes an empty line for such a row (skip: none), and a model of \
     fit --missing mean takes the column's mean for it";

/// Returns the remedy, for an error message, for a column with this role that a model needs but the data do not have; empty if there is
/// none.
pub(crate) fn remedy(role: Role, options: &Options) -> &'static str {
    match role {
        Role::Exposure if options.found.of_model => " (--rates predicts for an exposure of 1)",
        Role::Offset if options.found.of_model => " (--rates predicts for an offset of 0)",
        Role::Weight | Role::Trials if options.found.of_model => " (--unweighted gives each row the weight 1)",
        _ => "",
    }
}

/// Returns the position of the column that `--id` selects for row names; `None` if there is no `--id`.
pub(crate) fn id(names: &[String], wanted: &ColumnSelection) -> Result<Option<usize>, ColumnError> {
    let Some(id) = &wanted.id else { return Ok(None) };
    match columns_meant(names, id)[..] {
        [place] => Ok(Some(place)),
        _ => Err(ColumnError::asked(format!(
            "--id: there is no column '{}'; the columns are {}",
            shown(id),
            listed(names)
        ))),
    }
}

/// Adds a note for the user about each `--ignore` selector that matches no column of this file or the model: it may match a column of
/// another file. In training, [`roles`] refuses such a selector instead.
pub(crate) fn note_ignored(names: &[String], options: &Options) {
    if !options.found.of_model {
        return;
    }
    let of_model: Vec<&str> = options.reading.table.columns.iter().map(|column| column.name.as_str()).collect();
    let is_known =
        |wanted: &str| !columns_meant(names, wanted).is_empty() || !columns_meant(&of_model, wanted).is_empty();
    for wrong in options.wanted.ignore.iter().filter(|wanted| !is_known(wanted)) {
        let remedy = near(names, wrong).unwrap_or_else(|| format!("the columns are {}", listed(names)));
        options.found.note(format!("--ignore: there is no column '{}'; {remedy}", shown(wrong)));
    }
}

fn by_name(names: &[String]) -> HashMap<&str, usize> {
    names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect()
}

/// Returns the positions of the columns that a selector matches, like [`columns_meant`], but fast for many selectors, because names are
/// looked up in the map `by_name`.
fn find(names: &[String], by_name: &HashMap<&str, usize>, wanted: &str) -> Vec<usize> {
    by_name.get(wanted).map_or_else(|| meant(names, wanted), |&found| vec![found])
}

/// Returns the role that the user's flags give to each column; `None` if they give it none. With `--keep`, features that it does not select
/// get the role [`Role::Ignored`].
pub(crate) fn roles(names: &[String], options: &Options, needs_label: bool) -> Result<Vec<Option<Role>>, ColumnError> {
    let (by_name, wanted) = (by_name(names), &options.wanted);
    let mut roles = vec![None; names.len()];
    for (flag, role, columns) in wanted.roles() {
        for column in columns {
            let single = role != Role::Ignored && !role.is_feature();
            for found in existing(flag, names, &by_name, column, single)? {
                if roles[found].is_some_and(|before| before != role) {
                    return Err(taken(flag, names, found));
                }
                roles[found] = Some(role);
            }
        }
    }
    if !options.reading.keep.is_empty() {
        keep(names, &by_name, options, &mut roles)?;
    }
    if needs_label && wanted.label.is_none() {
        let message = format!("which column is the label? say --label COL; the columns are {}", listed(names));
        return Err(ColumnError::asked(message));
    }
    if let Some(nameless) =
        names.iter().zip(&roles).position(|(name, role)| name.is_empty() && *role != Some(Role::Ignored))
    {
        let message = format!("column {0} has no name; give it one or leave it out with --ignore {0}", nameless + 1);
        return Err(message.into());
    }
    Ok(roles)
}

/// Returns the positions of the columns that the selector `wanted` of a flag matches; an error if there are none, or if there are several
/// although `single` is true.
fn existing(
    flag: &str,
    names: &[String],
    by_name: &HashMap<&str, usize>,
    wanted: &str,
    single: bool,
) -> Result<Vec<usize>, ColumnError> {
    let found = find(names, by_name, wanted);
    if found.is_empty() || (single && found.len() > 1) {
        let wrong = shown(wanted);
        let remedy = near(names, wanted).unwrap_or_else(|| format!("the columns are {}", listed(names)));
        let message = format!("{flag}: there is no column '{wrong}'; {remedy}");
        return Err(ColumnError::asked(message));
    }
    Ok(found)
}

/// Builds the error about a flag that gives a role to a column that already has another role.
fn taken(flag: &str, names: &[String], column: usize) -> ColumnError {
    let column = called(column + 1, &names[column]);
    ColumnError::asked(format!("{flag}: {column} has another use already; give each column one"))
}

/// Gives the role [`Role::Ignored`] to all features that `--keep` does not select.
fn keep(
    names: &[String],
    by_name: &HashMap<&str, usize>,
    options: &Options,
    roles: &mut [Option<Role>],
) -> Result<(), ColumnError> {
    let mut kept = vec![false; names.len()];
    for column in &options.reading.keep {
        let found = existing("--keep", names, by_name, column, false)?;
        if found.iter().all(|&column| roles[column] == Some(Role::Ignored)) {
            return Err(taken("--keep", names, found[0]));
        }
        found.into_iter().for_each(|column| kept[column] = true);
    }
    for (flag, role, columns) in options.wanted.roles() {
        let left_out = |column: &&String| !find(names, by_name, column).iter().any(|&column| kept[column]);
        if let Some(column) = columns.iter().filter(|_| role.is_feature()).find(left_out) {
            let column = shown(column);
            let message = format!("{flag}: '{column}' is not among the columns that --keep names; add it there");
            return Err(ColumnError::asked(message));
        }
    }
    let left_out = |role: &Option<Role>| role.is_none_or(Role::is_feature);
    roles
        .iter_mut()
        .zip(kept)
        .filter(|(role, kept)| !kept && left_out(role))
        .for_each(|(role, _)| *role = Some(Role::Ignored));
    Ok(())
}
