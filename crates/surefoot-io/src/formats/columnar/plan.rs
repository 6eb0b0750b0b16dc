//! Plan for reading a columnar table: which columns are used, in which role, and how their cells are read.

use std::collections::{HashMap, HashSet};

use arrow_array::RecordBatch;
use arrow_schema::{FieldRef, Schema, SchemaRef};
use surefoot_glm::{Column, Role, TableSchema};

use super::{
    kinds::{Kind, holds_words, is_list, kind, type_name, unit},
    nested,
    scalar_types::{has_text, is_text},
    vectors::{Vectors, is_vector},
};
use crate::{
    error::ColumnError,
    features::{feature_columns::check_features, feature_groups::list_element},
    table::{
        column_names::{self, called, flagged, listed, shown},
        column_roles,
        options::Options,
    },
};

/// Columns of a table that are to be read, with their roles and how their cells are read.
#[derive(Debug)]
pub(super) struct Plan {
    /// Columns to be read, in the order of the file's schema.
    pub(super) columns: Vec<UsedColumn>,
    schema: SchemaRef,
    roles: Vec<Role>,
    /// Position in the file's schema of the column with row names; `None` if row names are not requested.
    pub(super) id: Option<usize>,
}

/// Column to be read, with its role and how its cells are read.
#[derive(Clone, Debug)]
pub(super) struct UsedColumn {
    /// Position of the column in the schema of the file.
    pub(super) index: usize,
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) kind: Kind,
}

impl Plan {
    /// Determines the role of each column: from the columns of a model or an earlier file if there are any, otherwise from the user's flags
    /// and the column types.
    pub(super) fn new(file: &str, schema: &SchemaRef, options: &Options) -> Result<Plan, ColumnError> {
        let table = options.found.table();
        let roles = match table {
            Some(table) => known_roles(schema, table, options)?,
            None => wanted_roles(file, schema, options)?,
        };
        let here = names(schema, table);
        let numeric: HashSet<_> =
            options.wanted.numeric.iter().flat_map(|wanted| column_names::columns_meant(&here, wanted)).collect();
        let (mut columns, mut met) = (Vec::new(), HashSet::new());
        for (index, (field, &role)) in schema.fields().iter().zip(&roles).enumerate() {
            match role {
                Role::Ignored => continue,
                Role::Label | Role::Weight | Role::Trials if options.unlabelled => continue,
                role if options.wanted.does_without(role) => continue,
                _ => {}
            }
            let (name, number) = (&here[index], index + 1);
            if !met.insert(name) {
                return Err(format!("column {number} has the name '{name}' of one before it; --ignore {number}").into());
            }
            let asked = table.is_some() || numeric.contains(&index);
            let kind = kind(number, name, field.data_type(), role, asked)?;
            if kind == Kind::Categories {
                options.found.tell_of_lists(name);
            }
            columns.push(UsedColumn { index, name: name.clone(), role, kind });
        }
        column_roles::note_ignored(&here, options);
        let id = column_roles::id(&here, &options.wanted)?;
        if let Some(index) = id {
            let field = schema.field(index);
            if !has_text(field.data_type()) {
                let (name, of) = (shown(field.name()), type_name(field.data_type()));
                let message =
                    format!("--id: column '{name}' ({of}) cannot be written beside predictions; give another");
                return Err(ColumnError::asked(message));
            }
            if columns.iter().all(|used: &UsedColumn| used.index != index) {
                let (name, role, kind) = (field.name().clone(), Role::Ignored, Kind::Text);
                columns.push(UsedColumn { index, name, role, kind });
                columns.sort_by_key(|used| used.index);
            }
        }
        let is_factor = |name: &str| columns.iter().any(|used| used.name == name && used.role.is_feature());
        match options.reading.interact.iter().flat_map(|(a, b)| [a, b]).find(|name| !is_factor(name)) {
            None => Ok(Plan { columns, schema: schema.clone(), roles, id }),
            Some(name) => {
                let (name, listed) = (shown(name), listed(&here));
                Err(ColumnError::asked(format!(
                    "--interact: no feature is made of a column '{name}'; the columns are {listed}"
                )))
            }
        }
    }

    /// Returns the positions in the file's schema of the columns to be read.
    pub(super) fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|used| used.index).collect()
    }

    /// Returns the position in the file's schema of the label column if every row needs a label; `None` if there is no label column, or if
    /// there are weights, because rows of weight 0 need no label.
    pub(super) fn needed_label(&self) -> Option<usize> {
        let of_role = |role| self.columns.iter().find(move |used| used.role == role).map(|used| used.index);
        of_role(Role::Label).filter(|_| of_role(Role::Weight).or(of_role(Role::Trials)).is_none())
    }

    /// Sets the lengths of list and vector columns, from the columns of a model or an earlier file or else from the first batch. Then
    /// stores the columns in [`Inferred`](crate::table::inferred::Inferred), for later inputs and the model.
    pub(super) fn complete(
        &mut self,
        file: &str,
        first: Option<&RecordBatch>,
        options: &Options,
    ) -> Result<(), ColumnError> {
        let known = options.found.table().map(by_name);
        let Some(first) = first else { return Ok(()) };
        for (used, array) in self.columns.iter_mut().zip(first.columns()) {
            let (name, flag) = (&used.name, flagged(used.index + 1, &used.name));
            let what = if used.kind == Kind::List(0) { "list" } else { "vector" };
            let (length, here) = match &mut used.kind {
                Kind::List(length) => (length, nested::length(array)),
                Kind::Vector(length) => (length, Vectors::new(array).size()),
                _ => continue,
            };
            let before = known.as_ref().map(|known| known_length(known, name));
            *length = before.or(here).ok_or_else(|| {
                format!(
                    "column '{name}': the first {} rows hold no {what}, so that its length is not known; --ignore {flag} passes over it",
                    array.len()
                )
            })?;
            if *length > MOST {
                return Err(format!(
                    "column '{name}': a {what} of {length} numbers; up to {MOST} can be read; --ignore {flag} passes over it"
                )
                .into());
            }
        }
        let table = self.table(options);
        check_features(&table, options)?;
        let mut met = HashSet::new();
        if let Some(twice) =
            table.columns.iter().find(|column| column.role != Role::Ignored && !met.insert(&column.name))
        {
            let (name, list) = (shown(&twice.name), list_element(&twice.name).map_or("", |(list, _)| list));
            return Err(format!(
                "column '{name}' has the name of a number of the list '{list}': --ignore one of them, or rename it"
            )
            .into());
        }
        if known.is_none() {
            for used in &self.columns {
                if used.kind == Kind::Number
                    && let Some(unit) = unit(self.schema.field(used.index).data_type())
                {
                    options.found.note(format!("{file}: column '{}' is used as a number: {unit}", used.name));
                }
            }
            let _ = options.found.table.set(table);
        }
        Ok(())
    }

    /// Returns the table schema to be stored in a model; each element of a list or vector is a column of its own there.
    fn table(&self, options: &Options) -> TableSchema {
        let kinds: HashMap<usize, Kind> = self.columns.iter().map(|used| (used.index, used.kind)).collect();
        let mut columns = Vec::new();
        let names = names(&self.schema, options.found.table());
        for (index, (name, &role)) in names.iter().zip(&self.roles).enumerate() {
            match kinds.get(&index) {
                Some(&Kind::List(n) | &Kind::Vector(n)) => {
                    columns.extend((0..n).map(|k| Column { name: element(name, k), role }));
                }
                _ => columns.push(Column { name: name.clone(), role }),
            }
        }
        TableSchema { header: true, columns, ..options.reading.table.clone() }
    }
}

/// Maximum length of a list or vector.
const MOST: usize = 1 << 20;

/// Returns the name of the number at position `k` of a list or vector column.
pub(super) fn element(column: &str, k: usize) -> String {
    format!("{column}[{k}]")
}

fn by_name(table: &TableSchema) -> HashMap<&str, Role> {
    table.columns.iter().map(|column| (column.name.as_str(), column.role)).collect()
}

/// Returns the length of the lists or vectors of a column, according to the columns of a model or an earlier file; 0 if they have no such
/// column.
fn known_length(known: &HashMap<&str, Role>, column: &str) -> usize {
    (0..=MOST).take_while(|&k| known.contains_key(element(column, k).as_str())).count()
}

/// Returns the role of each column of a file, looked up by name in the columns of a model or an earlier file.
fn known_roles(schema: &Schema, table: &TableSchema, options: &Options) -> Result<Vec<Role>, String> {
    let (known, names) = (by_name(table), names(schema, Some(table)));
    if !table.header && !options.found.of_model {
        let message = "has names of columns, which the files before do not have: give them --header yes, or names in a first line";
        return Err(message.to_owned());
    }
    let of = if options.found.of_model { "the model" } else { "the first file" };
    let (mut roles, mut here) = (Vec::with_capacity(names.len()), HashSet::new());
    let ignored = column_roles::ignored(&names, options);
    for (i, (field, name)) in schema.fields().iter().zip(&names).enumerate() {
        let has_numbers = is_list(field.data_type()) || is_vector(field.data_type());
        let length = if has_numbers { known_length(&known, name) } else { 0 };
        roles.push(match known.get(name.as_str()) {
            Some(&role) => role,
            None if length > 0 => Role::Number,
            None if ignored[i] => Role::Ignored,
            None => {
                let (called, flag) = (called(i + 1, name), flagged(i + 1, name));
                return Err(format!("{called} is not a column of {of}; --ignore {flag} passes over it"));
            }
        });
        here.extend((0..length).map(|k| element(name, k)));
        here.insert(name.clone());
    }
    let is_missing = |column: &&Column| match column.role {
        Role::Ignored => false,
        role if options.wanted.does_without(role) => false,
        Role::Label | Role::Weight | Role::Trials => !options.unlabelled && !here.contains(&column.name),
        Role::Number | Role::Category | Role::Text | Role::Offset | Role::Exposure => !here.contains(&column.name),
    };
    match table.columns.iter().find(is_missing) {
        None => Ok(roles),
        Some(column) => {
            let name = shown(&column.name);
            let hint = column_names::near(&names, &column.name)
                .unwrap_or_else(|| format!("the columns here are {}", listed(&names)));
            let remedy = column_roles::remedy(column.role, options);
            Err(format!("column '{name}' of {of} is missing{remedy}; {hint}"))
        }
    }
}

/// Returns the role of each column of a file: the one that the user gave, otherwise one that follows from the type of the column.
fn wanted_roles(file: &str, schema: &Schema, options: &Options) -> Result<Vec<Role>, ColumnError> {
    let names = names(schema, None);
    let said = column_roles::roles(&names, options, !options.unlabelled)?;
    let role = |(field, said): (&FieldRef, &Option<Role>)| match said {
        Some(role) => *role,
        None if field.name().starts_with("__index_level_") && options.reading.keep.is_empty() => {
            let name = field.name();
            options.found.note(format!("{file}: column '{name}' is the index of a pandas table and is passed over"));
            Role::Ignored
        }
        None if is_text(field.data_type()) || holds_words(field.data_type()) => Role::Category,
        None => Role::Number,
    };
    Ok(schema.fields().iter().zip(&said).map(role).collect())
}

/// Returns the column names without surrounding blanks. If the columns of the model or earlier file have no names, returns column numbers
/// from 1 instead.
fn names(schema: &Schema, known: Option<&TableSchema>) -> Vec<String> {
    let by_place = known.is_some_and(|table| !table.header);
    let fields = schema.fields().iter().enumerate();
    fields.map(|(n, field)| if by_place { (n + 1).to_string() } else { field.name().trim().to_owned() }).collect()
}
