//! Lookup of the table column and cell from which a feature was made, by feature id and name.

use std::collections::HashMap;

use surefoot_glm::{FeatureNames, Role, Schema};

use super::row_builder::{Group, escape, missing_id, slot};

/// Lookup table from features, by id and name, to the columns and cells they were made from.
#[derive(Debug)]
pub struct CellIndex {
    /// Column number (from 0) and kind of cell ([`Cell::Number`] or [`Cell::Missing`]) of each numeric feature and each missing-cell
    /// indicator, by feature id; `None` if two columns share the id.
    ids: HashMap<u64, Option<(usize, Cell<'static>)>>,
    /// Numbers (from 0) of the categorical columns, by column name as escaped in feature names.
    categories: HashMap<String, usize>,
    is_hashed: bool,
}

/// Kind of cell from which a feature was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell<'a> {
    /// Numeric cell; its number is the value of the feature.
    Number,
    /// Missing cell; the feature is the indicator of the missing value.
    Missing,
    /// Categorical cell and its value as escaped in feature names; [`CellIndex::text`] unescapes it.
    Value(&'a str),
}

impl CellIndex {
    /// Builds the lookup table from features to columns and cells, for the columns of a schema. O(columns).
    #[must_use]
    pub fn new(reading: &Schema) -> CellIndex {
        let (mut ids, mut categories) = (HashMap::new(), HashMap::new());
        for (n, column) in reading.table.columns.iter().enumerate() {
            let name = column.name.as_bytes();
            let mut add = |id, cell| {
                let place = ids.entry(slot(id, reading.bits));
                place.and_modify(|known| *known = None).or_insert(Some((n, cell)));
            };
            match column.role {
                Role::Number => add(Group::named(b"").id(name), Cell::Number),
                Role::Category => {
                    let mut text = String::new();
                    escape(name, &mut text);
                    categories.insert(text, n);
                }
                // Words of text columns are not cells.
                Role::Text => {}
                _ => continue,
            }
            add(missing_id(name), Cell::Missing);
        }
        CellIndex { ids, categories, is_hashed: reading.bits.is_some() }
    }

    /// Returns the column number (from 0) and the cell from which a feature was made. Returns `None` for products of features, unnamed
    /// features, and features that share their id with another feature.
    #[must_use]
    pub fn cell<'a>(&self, id: u64, names: &'a FeatureNames) -> Option<(usize, Cell<'a>)> {
        if self.is_hashed && names.all(id).nth(1).is_some() {
            return None;
        }
        match self.ids.get(&id) {
            Some(known) => *known,
            None => self.category(names.of(id)?).map(|(n, value)| (n, Cell::Value(value))),
        }
    }

    /// Splits the name of a categorical feature into its column number (from 0) and its value; `None` if it names no categorical column.
    #[must_use]
    pub fn category<'a>(&self, name: &'a str) -> Option<(usize, &'a str)> {
        let (column, value) = name.split_once('=').filter(|(_, value)| !value.is_empty() && !value.contains('*'))?;
        self.categories.get(column).map(|&n| (n, value))
    }

    /// Undoes the escaping of a categorical value in a feature name; returns the value as it occurs in the data.
    #[must_use]
    pub fn text(value: &str) -> String {
        let (mut bytes, mut rest) = (Vec::new(), value);
        while let Some((before, behind)) = rest.split_once("\\x") {
            bytes.extend_from_slice(before.as_bytes());
            match behind.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(b"\\x"),
            }
            rest = behind.get(2..).unwrap_or_default();
        }
        bytes.extend_from_slice(rest.as_bytes());
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_glm::{Column, TableSchema};

    #[test]
    fn features_are_those_of_columns() {
        let column = |name: &str, role| Column { name: name.to_owned(), role };
        let columns = vec![column("a", Role::Number), column("a=b*", Role::Category), column("c", Role::Ignored)];
        let reading = Schema { table: TableSchema { columns, ..TableSchema::default() }, ..Schema::default() };
        let index = CellIndex::new(&reading);
        let (group, mut names) = (Group::named(b"a=b*"), FeatureNames::default());
        let value = group.id(b"x=\xff\\");
        let mut name = "a\\x3Db\\x2A=".to_owned();
        escape(b"x=\xff\\", &mut name);
        names.insert(value, &name);
        names.insert(7, &format!("a*{name}"));
        let of = |id| index.cell(id, &names);
        assert_eq!(of(Group::named(b"").id(b"a")), Some((0, Cell::Number)));
        assert_eq!(of(missing_id(b"a=b*")), Some((1, Cell::Missing)));
        let Some((1, Cell::Value(text))) = of(value) else { panic!("{:?}", of(value)) };
        assert_eq!(CellIndex::text(text), "x=\u{fffd}\\");
        assert_eq!((of(7), of(8), of(Group::named(b"").id(b"c"))), (None, None, None));
    }

    #[test]
    fn shared_ids_are_of_no_column() {
        let columns = (0..3).map(|n| Column { name: n.to_string(), role: Role::Number }).collect();
        let table = TableSchema { columns, ..TableSchema::default() };
        let index = CellIndex::new(&Schema { bits: Some(1), table, ..Schema::default() });
        assert!((0..2).all(|slot| index.cell(slot, &FeatureNames::default()).is_none()));
    }
}
