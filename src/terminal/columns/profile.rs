//! A sample of the training rows, stored by column, from which columns are judged.

use std::collections::HashMap;
use surefoot_glm::{Model, Role, Trainer};
use surefoot_io::{Cell, CellIndex, Inferred};

/// Cells of one column in a sample of rows. Numeric cells that are neither stored nor missing are 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Nonzero numbers, each preceded by the index of its row.
    pub(super) numbers: Vec<(u32, f64)>,
    /// Indices of the rows whose cell is missing.
    pub(super) gaps: Vec<u32>,
    /// Values of a category: the index of the row, and the index of the value in order of first occurrence.
    pub(super) values: Vec<(u32, u32)>,
    /// Number of distinct values of a category; [`Cells::texts`] holds those whose text is known.
    pub(super) distinct: u32,
    pub(super) texts: Vec<String>,
}

/// Sample of the training rows, stored by column.
#[derive(Debug)]
pub(super) struct Profile {
    /// Labels of the sampled rows; NaN for a row without a label.
    pub(super) labels: Vec<f64>,
    /// Whether not all rows have the same weight.
    pub(super) is_weighted: bool,
    /// Number of rows in the data from which the sample was drawn.
    pub(super) seen: u64,
    /// Cells of the sampled rows, one entry per column of the table.
    pub(super) columns: Vec<Cells>,
}

/// Column (by index) and kind of cell to which a feature id belongs.
#[derive(Clone, Copy)]
enum Known {
    Number(usize),
    Gap(usize),
    Value(usize, u32),
    Nothing,
}

impl Profile {
    /// Builds the profile from sampled rows by assigning their nonzeros to columns; `seen` is the number of rows from
    /// which they were drawn. O(nonzeros).
    pub(super) fn of(trainer: &Trainer, model: &Model, found: &Inferred) -> Profile {
        let reading = &model.settings.reading;
        let columns = &reading.table.columns;
        let categories: Vec<usize> = (0..columns.len()).filter(|&n| columns[n].role == Role::Category).collect();
        let mut profile = Profile::empty(columns.len());
        let (index, mut known) = (CellIndex::new(reading), HashMap::new());
        let (mut filled, mut weight) = (vec![u32::MAX; columns.len()], None);
        let mut r = 0;
        profile.seen = trainer.each_sampled_row(|row| {
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
            // Names are stored up to a limit; if exactly one category of the row has no cell yet, the feature without a name is its value.
            if let Some(Some(id)) = unnamed {
                let mut empty = categories.iter().filter(|&&n| filled[n] != r);
                if let (Some(&n), None) = (empty.next(), empty.next()) {
                    let cells = &mut profile.columns[n];
                    known.insert(id, Known::Value(n, cells.distinct));
                    cells.values.push((r, cells.distinct));
                    cells.distinct += 1;
                }
            }
            r += 1;
        });
        profile.columns.iter_mut().for_each(Cells::settle);
        profile
    }

    fn empty(columns: usize) -> Profile {
        Profile { labels: Vec::new(), is_weighted: false, seen: 0, columns: vec![Cells::default(); columns] }
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

    /// Returns the number of rows in the sample.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether the sample contains all rows of the data.
    pub(super) fn is_whole(&self) -> bool {
        self.len() as u64 == self.seen
    }
}

impl Cells {
    /// Removes the numbers (such as column means) that were filled in for missing cells.
    fn settle(&mut self) {
        if !self.gaps.is_empty() {
            let Cells { numbers, gaps, .. } = self;
            numbers.retain(|(r, _)| gaps.binary_search(r).is_err());
        }
    }

    /// Returns the number of cells of a numeric column that hold 0, given the number of rows in the sample.
    pub(super) fn zeros(&self, rows: usize) -> usize {
        rows - self.numbers.len() - self.gaps.len()
    }
}
