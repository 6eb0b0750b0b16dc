//! Conversion of record batches (decoded Parquet and Arrow columns) to rows.
//!
//! Cells are converted to numbers column by column; rows are then assembled from them one by one. A cell that is null or not a number
//! (NaN) is missing.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use arrow_schema::DataType;
use surefoot_glm::{Batch, FeatureGroups, Place, Role};

use super::{
    cells,
    column::{Column, Fault},
    missing_policy::MissingPolicy,
    plan::Plan,
};
use crate::{
    features::{
        feature_groups,
        row_builder::{Group, RowBuilder},
    },
    table::{inferred::Inferred, options::Options},
    text::{
        cell_value::{self, MissingTexts},
        digest::Digest,
        printable::text_of,
    },
};

/// Maximum number of cells converted to rows per [`Batch`]; a single row with more cells is a batch of its own.
const CELLS: usize = 1 << 15;

/// Error message for a row without a label.
const UNLABELLED: &str = "the label is null; a row to be learnt needs one";

/// Builder of rows from the record batches of tables that are read one after the other.
pub(super) struct Rows {
    builder: RowBuilder,
    found: Arc<Inferred>,
    groups: FeatureGroups,
    /// Whether labels may be text (class names), because the loss is for classification.
    classes: bool,
    /// Whether this reader counts the missing cells, to be stored in [`Inferred`]; false if another reader does.
    counts: bool,
    policy: MissingPolicy,
    label: Option<Column>,
    /// Columns with weights or numbers of trials; the weight of a row is the product of its cells in them.
    weights: Vec<Column>,
    offset: Option<Column>,
    /// Column with row names: position in the schema, reader (`None` if the column is also read in another role), and its cells in the
    /// current record batch. `None` if row names are not requested.
    id: Option<(usize, Option<Column>, ArrayRef)>,
    features: Vec<Column>,
    /// Feature ids of the leading feature columns that hold a single number per cell, up to the first column of another kind; empty if
    /// products of features are configured.
    plain: Vec<u64>,
    /// Buffer for the values of the columns in `plain` in the current row.
    values: Vec<f64>,
    /// Number of missing values in this table so far, for each feature column.
    missing: Vec<u64>,
    /// Feature columns with missing values in the current row, as positions in `features`, each with the number of missing values.
    gaps: Vec<(usize, u64)>,
    /// Columns, as positions in the schema, for which the user was already told that integers beyond 2^53 are rounded.
    noted: Vec<usize>,
    /// Number of features per row, at least 1; bounds the number of rows per batch.
    width: usize,
    /// Number of rows in the current record batch.
    rows: usize,
    /// Number of rows of the current record batch that were already read.
    done: usize,
    /// Number of rows of the file that precede the current record batch.
    before: u64,
    file: String,
    /// Number (from 1) of the first row that lacks a label according to the statistics of the file; `None` if unknown.
    unlabelled: Option<u64>,
    /// Whether the error about the missing label of row `unlabelled` was already reported.
    is_told: bool,
    input: u32,
    digest: Digest,
    scratch: String,
}

impl Rows {
    pub(super) fn new(options: &Options) -> Rows {
        Rows {
            builder: RowBuilder::new(options),
            found: options.found.clone(),
            groups: options.groups.clone(),
            classes: options.classes,
            counts: options.found.counts(),
            policy: MissingPolicy {
                missing: options.reading.table.missing,
                absent: MissingTexts::of(&options.reading.table),
                of_model: options.found.of_model,
            },
            label: None,
            weights: Vec::new(),
            offset: None,
            id: None,
            features: Vec::new(),
            plain: Vec::new(),
            values: Vec::new(),
            missing: Vec::new(),
            gaps: Vec::new(),
            noted: Vec::new(),
            width: 1,
            rows: 0,
            done: 0,
            before: 0,
            file: String::new(),
            unlabelled: None,
            is_told: false,
            input: 0,
            digest: Digest::default(),
            scratch: String::new(),
        }
    }

    /// Sets the number of the input (among all inputs, from 0) whose rows follow.
    pub(super) fn start(&mut self, input: u32) {
        self.input = input;
    }

    /// Prepares for the rows of a table whose columns are read according to `plan`.
    ///
    /// `unlabelled` is the number of the first row known to lack a label, if any; its error is reported before the first row is read, and
    /// not again. `before` is the number of rows of the file before those of the table.
    pub(super) fn begin(&mut self, file: &str, plan: Plan, unlabelled: Option<u64>, before: u64) {
        (self.unlabelled, self.is_told) = (unlabelled, false);
        if let Some(table) = self.found.table() {
            self.policy = MissingPolicy {
                missing: table.missing,
                absent: MissingTexts::of(table),
                of_model: self.found.of_model,
            };
        }
        (self.label, self.weights, self.offset, self.features) = (None, Vec::new(), None, Vec::new());
        self.id = plan.id.map(|place| (place, None, new_null_array(&DataType::Null, 0)));
        for used in plan.columns {
            match used.role {
                Role::Ignored => {
                    if let Some((_, column, _)) = &mut self.id {
                        *column = Some(Column::new(used));
                    }
                }
                Role::Label => self.label = Some(Column::new(used)),
                Role::Weight | Role::Trials => self.weights.push(Column::new(used)),
                Role::Offset | Role::Exposure => self.offset = Some(Column::new(used)),
                _ => self.features.push(Column::new(used)),
            }
        }
        // Features follow the order of the first table, so that rows do not depend on the order of columns here.
        let columns = self.found.table().map_or(&[][..], |table| &table.columns);
        let places: HashMap<&str, usize> = columns.iter().enumerate().map(|(n, column)| (&*column.name, n)).collect();
        self.features.sort_by_cached_key(|column| places.get(&*column.name(0)).copied());
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let rules = feature_groups::of_columns(&self.groups, &names);
        let rule = |name: &str| places.get(name).map_or(0, |&n| rules[n]);
        self.features.iter_mut().for_each(|column| column.assign(rule, &mut self.builder));
        if let Some(table) = self.found.table() {
            self.features.iter_mut().for_each(|column| column.fill(|name| table.fill(name)));
        }
        self.plain.clear();
        if !self.builder.interacts() {
            self.plain.extend(self.features.iter().map_while(Column::plain_id));
        }
        self.missing = vec![0; self.features.len()];
        self.width = self.features.iter().map(Column::width).sum::<usize>().max(1);
        (self.rows, self.done, self.before) = (0, 0, before);
        self.noted.clear();
        file.clone_into(&mut self.file);
    }

    /// Ends a table and adds its number of missing values per column to [`Inferred`].
    pub(super) fn end(&mut self) {
        let missing = self.missing.iter().filter(|_| self.counts);
        for (column, &missing) in self.features.iter().zip(missing).filter(|(_, missing)| **missing > 0) {
            self.found.count_missing(&column.used.name, missing);
        }
        self.builder.report();
    }

    /// Whether all rows of the current record batch have been read.
    pub(super) fn is_done(&self) -> bool {
        self.done == self.rows
    }

    /// Returns the number of rows of the table that were read.
    pub(super) fn position(&self) -> u64 {
        self.before + self.done as u64
    }

    /// Loads the cells of the next record batch, whose columns are those of the [`Plan`], in its order.
    pub(super) fn load(&mut self, batch: &RecordBatch) {
        self.before += self.rows as u64;
        (self.rows, self.done) = (batch.num_rows(), 0);
        let (id, of_id, cells) = match &mut self.id {
            Some((place, column, cells)) => (Some(*place), column.as_mut(), Some(cells)),
            None => (None, None, None),
        };
        let single = self.label.iter_mut().chain(&mut self.weights).chain(&mut self.offset).chain(of_id);
        let mut columns: Vec<_> = single.chain(&mut self.features).collect();
        columns.sort_unstable_by_key(|column| column.used.index);
        if let Some(cells) = cells
            && let Some(at) = columns.iter().position(|column| Some(column.used.index) == id)
        {
            batch.column(at).clone_into(cells);
        }
        for (column, array) in columns.into_iter().zip(batch.columns()) {
            column.load(array, &self.policy);
            let (name, index) = (&column.used.name, column.used.index);
            if !self.noted.contains(&index)
                && let Some(row) = column.first_beyond()
            {
                self.noted.push(index);
                let (file, row) = (&self.file, self.before + row as u64 + 1);
                self.found.note(format!(
                    "{file}: row {row}, column '{name}': a whole number beyond 2^53 is rounded to a number of 64 bits; \
                     --categorical {name} takes it as it is"
                ));
            }
        }
    }

    /// Appends the next rows of the current record batch to `batch`. Skips an invalid row and returns its error.
    pub(super) fn read(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        if batch.start.is_empty() {
            batch.start.push(0);
        }
        if let (Some(row), Some(label), false) = (self.unlabelled, &self.label, self.is_told) {
            self.is_told = true;
            return Err(Fault { row, ..Fault::new(Some(&label.used.name), "", UNLABELLED) });
        }
        let end = self.rows.min(self.done + (CELLS / self.width).max(1));
        let first = batch.index.len();
        while self.done < end && batch.index.len() - first < CELLS {
            let (row, text) = (self.done, batch.text.len());
            self.done += 1;
            if let Err(mut fault) = self.row(row, batch) {
                self.builder.clear();
                self.features.iter_mut().for_each(Column::forget_names);
                batch.text.truncate(text);
                fault.row = self.before + row as u64 + 1;
                if self.unlabelled != Some(fault.row) {
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    fn row(&mut self, row: usize, batch: &mut Batch) -> Result<(), Fault> {
        let (text, pairs) = (batch.text.len(), batch.index.len());
        let (weight, offset) = (self.weight(row)?, self.offset(row)?);
        self.gaps.clear();
        let done = self.plain_numbers(row);
        for (i, column) in self.features.iter_mut().enumerate().skip(done) {
            let missing = column.add(row, &self.policy, &mut self.builder, &mut self.scratch)?;
            if missing > 0 {
                self.gaps.push((i, missing));
            }
        }
        self.builder.finish(batch).map_err(|unfit| Fault::new(None, "", unfit.message()))?;
        // The label comes last, since reading a new text adds a class. The label of a row of weight 0 may be anything.
        let label = if weight > 0.0 { self.label(row, &mut batch.text) } else { Ok(f64::NAN) };
        let label = label.inspect_err(|_| {
            batch.truncate_pairs(pairs);
        })?;
        self.builder.accept();
        self.gaps.iter().for_each(|&(i, missing)| self.missing[i] += missing);
        self.digest.close(bytemuck::cast_slice(&batch.index[pairs..]));
        self.digest.close(bytemuck::cast_slice(&batch.value[pairs..]));
        let hash = self.digest.close(bytemuck::bytes_of(&[label, weight, offset]));
        let line = self.before + row as u64 + 1;
        if let Some((_, _, ids)) = &self.id {
            batch.push_name(&cells::spelled(ids, row, &mut self.scratch));
        }
        batch.push_offset(offset);
        batch.label.push(label);
        batch.weight.push(weight);
        batch.start.push(batch.index.len());
        batch.place.push(Place { input: self.input, line, text: (text, batch.text.len()), end: line, hash });
        Ok(())
    }

    /// Adds the numbers of the columns in `plain` to the row in the common case that all are finite and each nonzero one has a stored
    /// feature name. Returns the number of columns added, or 0 otherwise.
    fn plain_numbers(&mut self, row: usize) -> usize {
        self.values.clear();
        let mut usual = true;
        for column in &self.features[..self.plain.len()] {
            let x = column.number(row).unwrap_or(f64::NAN);
            usual &= x.is_finite() & (column.is_named() | (x == 0.0));
            self.values.push(x);
        }
        if !usual {
            return 0;
        }
        self.builder.group(Group::named(b""));
        self.builder.add_known(&self.plain, &self.values);
        self.plain.len()
    }

    fn weight(&self, row: usize) -> Result<f64, Fault> {
        self.weights.iter().try_fold(1.0, |product, column| Ok(product * self.factor(column, row)?))
    }

    /// Returns the cell of a weight or trials column in a row, a finite number of at least 0; the weight of the row is the product of these
    /// cells.
    fn factor(&self, column: &Column, row: usize) -> Result<f64, Fault> {
        let fault = |token: &str, message: &str| Err(Fault::new(Some(&column.used.name), token, message));
        match column.number(row) {
            Some(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
            Some(weight) if !weight.is_nan() => {
                fault(&weight.to_string(), "is no weight; a finite number of 0 or more is needed")
            }
            _ => match column.no_number(row, &self.policy) {
                Some(text) => fault(&text, "is no weight; a finite number of 0 or more is needed"),
                None => fault("", "the weight is null; every row needs one"),
            },
        }
    }

    fn offset(&self, row: usize) -> Result<f64, Fault> {
        let Some(column) = &self.offset else { return Ok(0.0) };
        let fault = |token: &str, message: &str| Err(Fault::new(Some(&column.used.name), token, message));
        match (column.used.role, column.number(row)) {
            (Role::Exposure, Some(exposure)) if exposure > 0.0 && exposure.is_finite() => Ok(libm::log(exposure)),
            (Role::Exposure, Some(exposure)) if !exposure.is_nan() => {
                fault(&exposure.to_string(), "is no exposure; a finite number above 0 is needed")
            }
            (_, Some(offset)) if offset.is_finite() => Ok(offset),
            (_, Some(offset)) if !offset.is_nan() => {
                fault(&offset.to_string(), "is no offset; a finite number is needed")
            }
            _ => match column.no_number(row, &self.policy) {
                Some(text) => fault(&text, "is no offset; a finite number is needed"),
                None => fault("", "the offset is null; every row needs one"),
            },
        }
    }

    /// Whether the record batch has text labels (class names) other than booleans.
    fn has_classes(&self) -> bool {
        let is_word = |text: &[u8]| cell_value::any_number(text).is_none() && cell_value::boolean(text).is_none();
        let mut scratch = String::new();
        let mut has_word = |row| {
            let text = self.label.as_ref().and_then(|label| label.text(row, &self.policy, &mut scratch));
            text.is_some_and(is_word)
        };
        (0..self.rows).any(&mut has_word)
    }

    /// Returns the label of a row as a number. If the label is text, appends it to `kept`, for later error messages.
    fn label(&mut self, row: usize, kept: &mut Vec<u8>) -> Result<f64, Fault> {
        // Without a label column the label is NaN, since labels are not needed.
        let Some(column) = &self.label else { return Ok(f64::NAN) };
        let fault = |token: &str, message: &str| Err(Fault::new(Some(&column.used.name), token, message));
        let number = column.number(row);
        if let Some(label) = number.filter(|label| !label.is_nan()) {
            return match label.is_finite() {
                _ if self.classes && *self.found.text_labels.get_or_init(|| false) => {
                    fault(&label.to_string(), "the label is a number, but those before are text")
                }
                true => Ok(label),
                false => fault(&label.to_string(), "the label is not finite"),
            };
        }
        let text = if number.is_none() { column.text(row, &self.policy, &mut self.scratch) } else { None };
        let Some(text) = text else { return fault("", UNLABELLED) };
        let (number, text) = (cell_value::any_number(text), text.trim_ascii().to_vec());
        let as_number = number.or_else(|| cell_value::word(&text));
        // A boolean is a number, unless it is one of several words.
        let is_word =
            || as_number.is_none() || cell_value::boolean(&text).map_or(number.is_none(), |_| self.has_classes());
        let is_class = self.classes && *self.found.text_labels.get_or_init(is_word);
        let text = text_of(&text);
        match if is_class { number } else { as_number } {
            Some(_) if is_class => fault(&text, "the label is a number, but those before are text"),
            Some(label) if label.is_finite() => Ok(label),
            Some(_) => fault(&text, "the label is not finite"),
            None if is_class => {
                kept.extend_from_slice(text.as_bytes());
                Ok(self.found.class(&text))
            }
            None if self.classes => fault(&text, "the label is not a number as those before are"),
            None => fault(&text, "the label is not a number; labels that are text need --loss logistic"),
        }
    }
}
