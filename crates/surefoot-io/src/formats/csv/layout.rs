//! Layout of a CSV file: the use of each cell of a record, as label, weight, offset or feature.

use std::collections::HashMap;
use std::sync::Arc;

use surefoot_glm::{Column, Missing, Role, Schema, TableSchema};

use super::{field_count::wrong_field_count, first_record::FirstRecord};
use crate::{
    features::{
        feature_groups,
        row_builder::{FeatureProperties, Group, RowBuilder, escape, missing_id, slot},
    },
    formats::parse_error::RecordError,
    table::{
        column_names::{self, called, flagged, listed, shown},
        column_roles,
        inferred::ColumnOrder,
        options::Options,
    },
};

/// Use of a cell: as label, weight, offset or feature.
#[derive(Clone, Copy, Debug)]
pub(super) enum CellUse {
    Label,
    Weight,
    Offset(Role),
    /// Number that is a feature on its own, in no product: id of the feature, id `gap` of its missing-cell indicator, number `fill` that
    /// replaces a missing cell, and feature group number `rule` (0 for none).
    Number {
        id: u64,
        gap: u64,
        fill: f64,
        rule: u32,
    },
    /// Feature that needs more work per row than a single number: a category, words, or a number that also occurs in products. `feature` is
    /// its position in [`Layout::features`].
    Feature {
        feature: usize,
        role: Role,
    },
}

/// Properties of a column that holds categories, words, or numbers that also occur in products.
#[derive(Debug)]
pub(super) struct Feature {
    pub(super) group: Group,
    /// Id of the feature that holds the number, if the column is numeric.
    pub(super) id: u64,
    /// Id of the feature that indicates a missing cell.
    pub(super) gap: u64,
    /// Number that replaces a missing cell, if the column is numeric.
    pub(super) fill: f64,
    /// Number of the column's feature group (of penalty factors or bounds); 0 for none.
    pub(super) rule: u32,
    /// Name of the column, escaped for use in feature names.
    pub(super) name: String,
    /// Whether a number in the column is an error, because the column was inferred to be categorical from the first rows.
    pub(super) is_open: bool,
}

impl Feature {
    /// Returns the properties that all features of the column share, for a builder of cells with several values.
    pub(super) fn values(&self) -> FeatureProperties<'_> {
        FeatureProperties { group: self.group, gap: self.gap, rule: self.rule, name: &self.name }
    }
}

/// Use of each column of a CSV file, and the order of its columns.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) order: Arc<ColumnOrder>,
    /// Position in the file and use of each cell that is used, in the column order of the table schema, so that the features of a row do
    /// not depend on the column order of the file.
    pub(super) uses: Vec<(usize, CellUse)>,
    pub(super) features: Vec<Feature>,
}

impl Layout {
    /// Builds the layout of a file, given the order of its columns. Stores the feature names of numeric columns in
    /// [`Inferred`](crate::table::inferred::Inferred).
    pub(super) fn new(table: &TableSchema, order: ColumnOrder, options: &Options) -> Layout {
        let Schema { interact, bits, .. } = &options.reading;
        let is_factor = |column: &Column| interact.iter().any(|(a, b)| *a == column.name || *b == column.name);
        let with_gaps = table.missing != Missing::Refuse;
        let mut places: Vec<_> = order.iter().enumerate().filter_map(|(place, n)| Some(((*n)?, place))).collect();
        places.sort_unstable();
        let (mut uses, mut features) = (Vec::new(), Vec::new());
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let rules = feature_groups::of_columns(&options.groups, &names);
        for (n, place) in places {
            let Some(column) = table.columns.get(n) else { continue };
            let used = match column.role {
                Role::Ignored => continue,
                role if options.wanted.does_without(role) => continue,
                Role::Label => CellUse::Label,
                Role::Weight | Role::Trials => CellUse::Weight,
                role @ (Role::Offset | Role::Exposure) => CellUse::Offset(role),
                Role::Number if !is_factor(column) => {
                    let (feature, mut name) = (feature(column, rules[n], table, options), escaped(&column.name));
                    options.found.name(slot(feature.id, *bits), &name);
                    if with_gaps {
                        name.push('=');
                        options.found.name(slot(feature.gap, *bits), &name);
                    }
                    CellUse::Number { id: feature.id, gap: feature.gap, fill: feature.fill, rule: feature.rule }
                }
                role @ (Role::Number | Role::Category | Role::Text) => {
                    features.push(feature(column, rules[n], table, options));
                    CellUse::Feature { feature: features.len() - 1, role }
                }
            };
            uses.push((place, used));
        }
        Layout { order: Arc::new(order), uses, features }
    }

    /// Assigns the features of numbers and missing-cell indicators to the feature groups of their columns; the features of categories and
    /// words are assigned as they occur.
    pub(super) fn assign(&self, row: &mut RowBuilder) {
        let numbers = self.uses.iter().filter_map(|(_, used)| match used {
            CellUse::Number { id, gap, rule, .. } => Some((*id, *gap, *rule)),
            _ => None,
        });
        let features = self.features.iter().map(|feature| (feature.id, feature.gap, feature.rule));
        for (id, gap, rule) in numbers.chain(features) {
            row.assign(id, rule);
            row.assign(gap, rule);
        }
    }
}

fn escaped(name: &str) -> String {
    let mut text = String::new();
    escape(name.as_bytes(), &mut text);
    text
}

fn feature(column: &Column, rule: u32, table: &TableSchema, options: &Options) -> Feature {
    let name = column.name.as_bytes();
    Feature {
        group: Group::named(name),
        id: Group::named(b"").id(name),
        gap: missing_id(name),
        fill: if column.role == Role::Number { table.fill(&column.name) } else { 0.0 },
        rule,
        name: escaped(&column.name),
        is_open: column.role == Role::Category
            && options.found.open.get().is_some_and(|open| open.contains(&column.name)),
    }
}

/// Returns the order of columns of a file without column names; columns are matched by position. `constants` are the names of the folder
/// columns, which follow the file's own columns.
pub(super) fn order_by_number(
    table: &TableSchema,
    first: &FirstRecord<'_>,
    constants: &[String],
    unlabelled: bool,
) -> Result<ColumnOrder, RecordError> {
    let place = |name: &String| table.columns.iter().position(|column| column.name == *name);
    let behind: ColumnOrder = constants.iter().map(place).collect();
    let mut cells: ColumnOrder = (0..table.columns.len()).map(Some).filter(|n| !behind.contains(n)).collect();
    let found = first.ends.len();
    if unlabelled && found + 1 == cells.len() {
        cells.retain(|n| n.is_some_and(|n| table.columns[n].role != Role::Label));
    }
    if found != cells.len() {
        return Err(first.wrong(wrong_field_count(cells.len(), found)));
    }
    cells.extend(behind);
    Ok(cells)
}

/// Returns the order of columns of a file with column names; columns are matched to the table schema by name.
pub(super) fn order_by_name(
    table: &TableSchema,
    first: &FirstRecord<'_>,
    names: &[String],
    options: &Options,
) -> Result<ColumnOrder, RecordError> {
    let of = if options.found.of_model { "the model" } else { "the first file" };
    let by_name: HashMap<&str, usize> =
        table.columns.iter().enumerate().map(|(n, column)| (column.name.as_str(), n)).collect();
    let order: ColumnOrder = names.iter().map(|name| by_name.get(name.as_str()).copied()).collect();
    let mut is_supported = vec![false; table.columns.len()];
    order.iter().flatten().for_each(|&n| is_supported[n] = true);
    for (column, is_supported) in table.columns.iter().zip(is_supported) {
        let may_miss = match column.role {
            Role::Label | Role::Weight | Role::Trials if options.unlabelled => true,
            role => role == Role::Ignored || options.wanted.does_without(role),
        };
        if !is_supported && !may_miss {
            let name = shown(&column.name);
            let remedy = column_roles::remedy(column.role, options);
            let hint = column_names::near(names, &column.name)
                .unwrap_or_else(|| format!("the columns here are {}", listed(names)));
            return Err(first.wrong(format!("column '{name}' of {of} is missing{remedy}; {hint}")));
        }
    }
    let ignored = column_roles::ignored(names, options);
    for (place, (name, (at, cell))) in names.iter().zip(first.cells()).enumerate() {
        if order[place].is_none() && !ignored[place] {
            let (called, flag) = (called(place + 1, name), flagged(place + 1, name));
            let message = format!("{called} is not a column of {of}; --ignore {flag} passes over it");
            return Err(RecordError::new(first.at + at, cell, message).fatal());
        }
    }
    Ok(order)
}
