//! Weighted means of numeric columns, which replace missing cells.

use std::collections::{BTreeMap, HashMap};

use surefoot_glm::{Batch, FeatureGroups, Role, Schema};

use super::row_builder::{Group, missing_id};
use crate::table::options::Options;

/// Weighted mean of each numeric column of a table, over the rows in which the column has a number.
///
/// Rows of weight 0 and invalid rows ([`Row::check`](surefoot_glm::Row::check)) are ignored. A column without any number has the mean 0.
/// O(columns) memory.
#[derive(Debug, Default)]
pub struct ColumnMeans {
    /// For each numeric column, by the feature id of its numbers, its position in `columns`. The map `gaps` does the same by the id of
    /// the column's missing-cell indicator.
    numbers: HashMap<u64, usize>,
    gaps: HashMap<u64, usize>,
    columns: Vec<Column>,
    /// Total weight of all rows added so far.
    weight: f64,
}

/// Running weighted mean of one numeric column.
#[derive(Debug)]
struct Column {
    name: String,
    /// Weighted mean of the nonzero numbers of the column; `weight` is the total weight of the rows that have them.
    mean: f64,
    weight: f64,
    /// Total weight of the rows in which the cell of this column is missing.
    missing: f64,
}

impl ColumnMeans {
    /// Returns the reader options to use for rows that are passed to [`add`](ColumnMeans::add): a copy of `options` without hashing,
    /// interactions and feature groups, with its own copy of the properties inferred from the data.
    #[must_use]
    pub fn options(options: &Options) -> Options {
        let reading = Schema { bits: None, interact: Vec::new(), ..options.reading.clone() };
        Options { reading, groups: FeatureGroups::default(), ..options.apart() }
    }

    /// Adds the rows of a batch, which must have been read with [`ColumnMeans::options`].
    pub fn add(&mut self, batch: &Batch, options: &Options) {
        if self.columns.is_empty() {
            self.meet(options);
        }
        for row in (0..batch.len()).map(|r| batch.row(r)).filter(|row| row.weight > 0.0 && row.check().is_ok()) {
            self.weight += row.weight;
            for (id, &x) in row.index.iter().zip(row.value) {
                if let Some(&place) = self.numbers.get(id) {
                    self.columns[place].add(x, row.weight);
                } else if let Some(&place) = self.gaps.get(id) {
                    self.columns[place].missing += row.weight;
                }
            }
        }
    }

    fn meet(&mut self, options: &Options) {
        let columns = options.found.table().map_or(&[][..], |table| &table.columns);
        for name in columns.iter().filter(|column| column.role == Role::Number).map(|column| &column.name) {
            let place = self.columns.len();
            self.numbers.insert(Group::named(b"").id(name.as_bytes()), place);
            self.gaps.insert(missing_id(name.as_bytes()), place);
            self.columns.push(Column { name: name.clone(), mean: 0.0, weight: 0.0, missing: 0.0 });
        }
    }

    /// Returns the weighted mean of each numeric column, by column name.
    #[must_use]
    pub fn by_name(self) -> BTreeMap<String, f64> {
        let whole = self.weight;
        let mean = |column: &Column| match whole - column.missing {
            numbers if numbers > 0.0 && column.weight > 0.0 => column.mean * (column.weight / numbers).min(1.0),
            _ => 0.0,
        };
        self.columns.iter().map(|column| (column.name.clone(), mean(column))).collect()
    }
}

impl Column {
    fn add(&mut self, x: f64, weight: f64) {
        self.weight += weight;
        let share = weight / self.weight;
        let step = self.mean + share * (x - self.mean);
        // The difference of two numbers may overflow although their mean does not.
        self.mean = if step.is_finite() { step } else { (1.0 - share) * self.mean + share * x };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_do_not_overflow_and_of_equal_numbers_are_exact() {
        let mean = |cells: &[(f64, f64)]| {
            let mut column = Column { name: String::new(), mean: 0.0, weight: 0.0, missing: 0.0 };
            cells.iter().for_each(|&(x, weight)| column.add(x, weight));
            column.mean
        };
        assert_eq!(mean(&[(0.1, 1.0), (0.1, 3.0), (0.1, 0.7)]), 0.1);
        assert_eq!(mean(&[(-1.5e308, 1.0), (1.5e308, 1.0)]), 0.0);
        assert!(mean(&[(-1.7e308, 1.0), (1.7e308, 1e9)]).is_finite());
        assert_eq!(mean(&[(1.0, 3.0), (5.0, 1.0)]), 2.0);
    }
}
