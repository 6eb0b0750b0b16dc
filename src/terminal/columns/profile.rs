//! A sample of rows by columns.

use std::collections::HashMap;
use surefoot_glm::{Model, Role, Row};
use surefoot_io::{Cell, CellIndex, Inferred};

/// Cells of one column in the rows of a sample; rows without any hold 0 in a column of numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Numbers other than 0 by their rows.
    pub(super) numbers: Vec<(u32, f64)>,
    /// Rows in which the cell is missing.
    pub(super) gaps: Vec<u32>,
    /// Values of a category by their rows, each a position in the list of those that are met.
    pub(super) values: Vec<(u32, u32)>,
    /// The number of values that are met, and the texts of those that have a name.
    pub(super) distinct: u32,
    pub(super) texts: Vec<String>,
}

/// The sample.
#[derive(Debug)]
pub(super) struct Profile {
    /// Labels of the rows.
    pub(super) labels: Vec<f64>,
    /// Whether their weights differ.
    pub(super) is_weighted: bool,
    /// The number of rows that the sample was drawn from.
    pub(super) seen: u64,
    /// Cells by column of the table.
    pub(super) columns: Vec<Cells>,
}

/// The column and content that an id stands for.
#[derive(Clone, Copy)]
enum Known {
    Number(usize),
    Gap(usize),
    Value(usize, u32),
    Nothing,
}

impl Profile {
    /// Sorts the pairs of rows into columns. O(pairs).
    pub(super) fn of<'a>(rows: impl Iterator<Item = Row<'a>>, seen: u64, model: &Model, found: &Inferred) -> Profile {
        let reading = &model.settings.reading;
        let columns = &reading.table.columns;
        let categories: Vec<usize> = (0..columns.len()).filter(|&n| columns[n].role == Role::Category).collect();
        let mut profile = Profile::empty(seen, columns.len());
        let (index, mut known) = (CellIndex::new(reading), HashMap::new());
        let (mut filled, mut weight) = (vec![u32::MAX; columns.len()], None);
        for (r, row) in (0..).zip(rows) {
            profile.labels.push(row.label.unwrap_or(f64::NAN));
            profile.is_weighted |= row.weight != *weight.get_or_insert(row.weight);
            let mut unnamed = None;
            for (&id, &x) in row.index.iter().zip(row.value) {
                let what = *known.entry(id).or_insert_with(|| profile.meet(id, &index, found));
                match what {
                    Known::Number(n) => profile.columns[n].numbers.push((r, x)),
                    Known::Gap(n) => {
                        profile.columns[n].gaps.push(r);
                        filled[n] = r;
                    }
                    Known::Value(n, code) => {
                        profile.columns[n].values.push((r, code));
                        filled[n] = r;
                    }
                    Known::Nothing => unnamed = if unnamed.is_none() { Some(Some(id)) } else { Some(None) },
                }
            }
            // Names are kept as long as there is room; where one category has no cell, the feature without a name is its value.
            if let Some(Some(id)) = unnamed {
                let mut empty = categories.iter().filter(|&&n| filled[n] != r);
                if let (Some(&n), None) = (empty.next(), empty.next()) {
                    let cells = &mut profile.columns[n];
                    known.insert(id, Known::Value(n, cells.distinct));
                    cells.values.push((r, cells.distinct));
                    cells.distinct += 1;
                }
            }
        }
        profile.columns.iter_mut().for_each(Cells::settle);
        profile
    }

    fn empty(seen: u64, columns: usize) -> Profile {
        Profile { labels: Vec::new(), is_weighted: false, seen, columns: vec![Cells::default(); columns] }
    }

    fn meet(&mut self, id: u64, index: &CellIndex, found: &Inferred) -> Known {
        match index.cell(id, &found.names(&[id])) {
            Some((n, Cell::Number)) => Known::Number(n),
            Some((n, Cell::Missing)) => Known::Gap(n),
            Some((n, Cell::Value(value))) => {
                let cells = &mut self.columns[n];
                cells.texts.push(CellIndex::text(value));
                cells.distinct += 1;
                Known::Value(n, cells.distinct - 1)
            }
            None => Known::Nothing,
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether these are all rows.
    pub(super) fn is_whole(&self) -> bool {
        self.len() as u64 == self.seen
    }
}

impl Cells {
    /// A number in a row where the cell is missing is what the missing one counts as.
    fn settle(&mut self) {
        if !self.gaps.is_empty() {
            let Cells { numbers, gaps, .. } = self;
            numbers.retain(|(r, _)| gaps.binary_search(r).is_err());
        }
    }

    /// Of a column of numbers, with so many rows in the sample: how many cells are 0.
    pub(super) fn zeros(&self, rows: usize) -> usize {
        rows - self.numbers.len() - self.gaps.len()
    }
}
