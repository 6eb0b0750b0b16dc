//! Which columns of a table are used, and as what.

use std::collections::{HashMap, HashSet};

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use surefoot_glm::{Column, Role, Table};

use super::cells;
use super::kinds::{Kind, is_list, is_text, kind, unit};
use crate::options::{Options, Wanted};

/// The columns that are used, and what is said of all of them.
#[derive(Debug)]
pub(super) struct Plan {
    /// Those that are used, in their order.
    pub(super) columns: Vec<Used>,
    schema: SchemaRef,
    roles: Vec<Role>,
}

/// A column that is used.
#[derive(Clone, Debug)]
pub(super) struct Used {
    /// Its place in the schema.
    pub(super) index: usize,
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) kind: Kind,
}

impl Plan {
    /// Gives every column its role: that in the model's table, if there is one, else by the user's wishes and the types.
    pub(super) fn new(file: &str, schema: &SchemaRef, options: &Options) -> Result<Plan, String> {
        let (table, wanted) = (options.found.table(), &options.wanted);
        let roles = match table {
            Some(table) => known_roles(file, schema, table, options)?,
            None => wanted_roles(file, schema, options)?,
        };
        let (mut columns, mut names) = (Vec::new(), HashSet::new());
        for (index, (field, &role)) in schema.fields().iter().zip(&roles).enumerate() {
            if role == Role::Ignored || (role == Role::Label && options.unlabelled) {
                continue;
            }
            let (name, number) = (field.name(), index + 1);
            if !names.insert(name) {
                return Err(format!("column {number} has the name '{name}' of one before it; --ignore {number}"));
            }
            let asked = table.is_some() || wanted.numeric.iter().any(|column| find(column, schema) == Some(index));
            let kind = kind(name, field.data_type(), role, asked)?;
            columns.push(Used { index, name: name.clone(), role, kind });
        }
        Ok(Plan { columns, schema: schema.clone(), roles })
    }

    /// The places of the columns that are used.
    pub(super) fn columns(&self) -> Vec<usize> {
        self.columns.iter().map(|used| used.index).collect()
    }

    /// Finds out the lengths of lists from the first batch, and tells other readers and the model what the columns are.
    pub(super) fn complete(
        &mut self,
        file: &str,
        first: Option<&RecordBatch>,
        options: &Options,
    ) -> Result<(), String> {
        let known = options.found.table().map(by_name);
        let Some(first) = first else { return Ok(()) };
        for (used, array) in self.columns.iter_mut().zip(first.columns()) {
            let (name, Kind::List(length)) = (&used.name, &mut used.kind) else { continue };
            let before = known.as_ref().map(|known| known_length(known, name));
            *length = before.or_else(|| cells::list_length(array)).ok_or_else(|| {
                format!("column '{name}': the first {} rows hold no list, so that its length is not known", array.len())
            })?;
            if *length > MOST {
                return Err(format!("column '{name}': a list of {length} numbers; up to {MOST} can be read"));
            }
        }
        if known.is_none() {
            for used in &self.columns {
                if let Some(unit) = unit(self.schema.field(used.index).data_type()) {
                    options.found.note(format!("{file}: column '{}' is used as a number: {unit}", used.name));
                }
            }
            let _ = options.found.table.set(self.table(options));
        }
        Ok(())
    }

    /// What a model remembers of the columns. A list is remembered as the columns that it stands for.
    fn table(&self, options: &Options) -> Table {
        let kinds: HashMap<usize, Kind> = self.columns.iter().map(|used| (used.index, used.kind)).collect();
        let mut columns = Vec::new();
        for (index, (field, &role)) in self.schema.fields().iter().zip(&self.roles).enumerate() {
            let name = field.name();
            match kinds.get(&index) {
                Some(&Kind::List(n)) => columns.extend((0..n).map(|k| Column { name: element(name, k), role })),
                _ => columns.push(Column { name: name.clone(), role }),
            }
        }
        Table { columns, ..options.reading.table.clone() }
    }
}

/// The longest list that is read.
const MOST: usize = 1 << 20;

/// The name of a number of a list.
pub(super) fn element(column: &str, k: usize) -> String {
    format!("{column}[{k}]")
}

fn by_name(table: &Table) -> HashMap<&str, Role> {
    table.columns.iter().map(|column| (column.name.as_str(), column.role)).collect()
}

/// How many numbers the lists of a column have.
fn known_length(known: &HashMap<&str, Role>, column: &str) -> usize {
    (0..=MOST).take_while(|&k| known.contains_key(element(column, k).as_str())).count()
}

/// The roles of columns that a model, or an earlier file, knows by name.
fn known_roles(file: &str, schema: &Schema, table: &Table, options: &Options) -> Result<Vec<Role>, String> {
    let known = by_name(table);
    let mut here = HashSet::new();
    let mut role = |field: &Field| {
        let name = field.name();
        if let Some(&role) = known.get(name.as_str()) {
            here.insert(name.clone());
            return role;
        }
        let length = if is_list(field.data_type()) { known_length(&known, name) } else { 0 };
        here.extend((0..length).map(|k| element(name, k)));
        if length > 0 {
            return Role::Number;
        }
        options.found.note(format!("{file}: column '{name}' is none of the model's and is passed over"));
        Role::Ignored
    };
    let roles = schema.fields().iter().map(|field| role(field)).collect();
    let is_missing = |column: &&Column| match column.role {
        Role::Ignored => false,
        Role::Label | Role::Weight => !options.unlabelled && !here.contains(&column.name),
        Role::Number | Role::Category => !here.contains(&column.name),
    };
    match table.columns.iter().find(is_missing) {
        None => Ok(roles),
        Some(Column { name, role: Role::Label }) => Err(format!("the label column '{name}' is missing")),
        Some(Column { name, .. }) => Err(format!("column '{name}' of the model is missing")),
    }
}

/// The roles of columns by what a user says, and by their types where he says nothing.
fn wanted_roles(file: &str, schema: &Schema, options: &Options) -> Result<Vec<Role>, String> {
    let Wanted { label, weight, categorical, numeric, ignore, .. } = &options.wanted;
    let one = |column: &Option<String>| column.iter().cloned().collect();
    let flags = [
        ("--label", one(label), Role::Label),
        ("--weight", one(weight), Role::Weight),
        ("--categorical", categorical.clone(), Role::Category),
        ("--numeric", numeric.clone(), Role::Number),
        ("--ignore", ignore.clone(), Role::Ignored),
    ];
    let mut said: Vec<Option<(&str, Role)>> = vec![None; schema.fields().len()];
    for (flag, columns, role) in flags {
        for column in &columns {
            let of = find(column, schema).and_then(|index| said.get_mut(index));
            let of =
                of.ok_or_else(|| format!("{flag} {column}: there is no such column; there are {}", names(schema)))?;
            if let Some((other, _)) = of.filter(|(other, _)| *other != flag) {
                return Err(format!("column '{column}' is given by both {other} and {flag}; leave one out"));
            }
            *of = Some((flag, role));
        }
    }
    if label.is_none() && !options.unlabelled {
        return Err(format!("which column holds the label? give --label COL; there are {}", names(schema)));
    }
    let role = |(field, said): (&arrow_schema::FieldRef, &Option<(&str, Role)>)| match said {
        Some((_, role)) => *role,
        None if field.name().starts_with("__index_level_") => {
            let name = field.name();
            options.found.note(format!("{file}: column '{name}' is the index of a pandas table and is passed over"));
            Role::Ignored
        }
        None if is_text(field.data_type()) => Role::Category,
        None => Role::Number,
    };
    Ok(schema.fields().iter().zip(&said).map(role).collect())
}

/// The place of the column of this name, or else of this number from 1.
fn find(column: &str, schema: &Schema) -> Option<usize> {
    let by_name = schema.fields().iter().position(|field| field.name() == column);
    let by_number = || column.parse::<usize>().ok()?.checked_sub(1).filter(|&index| index < schema.fields().len());
    by_name.or_else(by_number)
}

/// The first names of columns, for a message.
fn names(schema: &Schema) -> String {
    let names: Vec<_> = schema.fields().iter().take(8).map(|field| format!("'{}'", field.name())).collect();
    let more = schema.fields().len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}
