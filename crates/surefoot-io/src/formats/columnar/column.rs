//! Reader of one used column: its cells in the current record batch, and the features that they add to a row.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, NullArray};
use arrow_schema::DataType;
use surefoot_glm::{Missing, Role};

use super::{
    cells,
    kinds::Kind,
    missing_policy::MissingPolicy,
    nested::{self, Span},
    plan::{UsedColumn, element},
    scalar_types::is_text,
    texts::Texts,
    vectors::Vectors,
};
use crate::{
    error,
    features::row_builder::{FeatureProperties, Group, MultiValueCell, RowBuilder, escape, missing_id},
    table::{column_names, column_roles},
    text::{cell_value, printable::text_of},
};

/// Error about one row of a table, with the column and the text (token) at fault.
#[derive(Debug)]
pub(super) struct Fault {
    /// Number of the row in the table, from 1.
    pub(super) row: u64,
    pub(super) column: Option<String>,
    pub(super) token: String,
    pub(super) message: String,
}

impl Fault {
    /// Builds an error about the current row. Its row number is 0 until the caller sets it.
    pub(super) fn new(column: Option<&str>, token: &str, message: &str) -> Fault {
        let token = error::token(token.as_bytes());
        Fault { row: 0, column: column.map(str::to_owned), token, message: message.to_owned() }
    }
}

/// Reader of one used column of a table.
pub(super) struct Column {
    pub(super) used: UsedColumn,
    group: Group,
    /// Ids of the value feature and of the missing-cell indicator: one pair for a column of single numbers, one per element for lists and
    /// vectors.
    ids: Vec<(u64, u64)>,
    /// Number of the feature group (of penalty factors or bounds) of the column's texts; 0 for none.
    rule: u32,
    /// Name of the column, escaped for use in feature names.
    escaped: String,
    /// Replacement of a missing number: one for a column of single numbers, one per element for lists and vectors.
    fills: Vec<f64>,
    /// Whether the name of the value feature has been stored: one entry for a column of single numbers, one per element for lists and
    /// vectors.
    named: Vec<bool>,
    /// Position in the dictionary of the text that was last met for the first time.
    newest: Option<usize>,
    array: ArrayRef,
    cells: Cells,
}

/// Decoded cells of a column in the current record batch.
enum Cells {
    Numbers(Vec<f64>),
    Texts,
    /// Texts of a dictionary-encoded column: position of each cell's text in the dictionary, and the state of each text in the dictionary.
    Dictionary(Vec<usize>, Vec<DictionaryEntry>),
    MultiValueCell(Texts),
    /// Numbers of all lists of the batch, concatenated, and the range of each row's numbers in them.
    Lists(Vec<f64>, Vec<Span>),
    Vectors(Vectors),
}

/// State of one text in the dictionary of a column; a text is hashed to a feature id only when a row first contains it.
#[derive(Clone, Copy)]
enum DictionaryEntry {
    Unmet,
    Missing,
    Id(u64),
}

impl Column {
    pub(super) fn new(used: UsedColumn) -> Column {
        let of_name = |name: &str| (Group::named(b"").id(name.as_bytes()), missing_id(name.as_bytes()));
        let ids: Vec<_> = match used.kind {
            Kind::List(length) | Kind::Vector(length) => {
                (0..length).map(|k| of_name(&element(&used.name, k))).collect()
            }
            Kind::Number | Kind::Text | Kind::Categories | Kind::Words => vec![of_name(&used.name)],
        };
        let mut escaped = String::new();
        escape(used.name.as_bytes(), &mut escaped);
        Column {
            escaped,
            group: Group::named(used.name.as_bytes()),
            named: vec![false; ids.len()],
            newest: None,
            fills: vec![0.0; ids.len()],
            ids,
            rule: 0,
            used,
            array: Arc::new(NullArray::new(0)),
            cells: Cells::Texts,
        }
    }

    /// Assigns the feature ids of the column to feature groups in `builder`; `rule` returns the group number of a column name.
    pub(super) fn assign(&mut self, rule: impl Fn(&str) -> u32, builder: &mut RowBuilder) {
        self.rule = rule(&self.name(0));
        // The indicator of a list or vector that is missing as a whole.
        builder.assign(missing_id(self.used.name.as_bytes()), self.rule);
        for (k, (id, absent)) in self.ids.iter().enumerate() {
            let rule = rule(&self.name(k));
            builder.assign(*id, rule);
            builder.assign(*absent, rule);
        }
    }

    /// Sets the numbers that replace missing cells; `fill` returns the replacement for the name of a column or list element.
    pub(super) fn fill(&mut self, fill: impl Fn(&str) -> f64) {
        if self.used.kind.is_numeric() {
            self.fills = (0..self.ids.len()).map(|k| fill(&self.name(k))).collect();
        }
    }

    /// Adds to the row the number that replaces a missing one; `k` is its position in the list or vector (0 in columns of single numbers).
    fn add_fill(&mut self, k: usize, builder: &mut RowBuilder) {
        if self.fills[k] != 0.0 {
            builder.add(self.ids[k].0, self.fills[k], |to| escape(self.name(k).as_bytes(), to));
        }
    }

    /// Forgets that names were stored which the current row has brought, because the row is refused and its names with it. Others may be
    /// forgotten too, and are then stored again.
    #[cold]
    pub(super) fn forget_names(&mut self) {
        self.named.fill(false);
        if let (Cells::Dictionary(_, words), Some(newest)) = (&mut self.cells, self.newest)
            && let Some(known) = words.get_mut(newest)
        {
            *known = DictionaryEntry::Unmet;
        }
    }

    /// Returns the number of features that a row has at most for this column: the length of its lists, or 1. A column of vectors counts
    /// as 1, whatever their sizes.
    pub(super) fn width(&self) -> usize {
        if let Kind::Vector(_) = self.used.kind { 1 } else { self.ids.len() }
    }

    /// Returns the id of the value feature of a column with a single number per cell; `None` for columns of any other kind.
    pub(super) fn plain_id(&self) -> Option<u64> {
        (self.used.kind == Kind::Number).then(|| self.ids[0].0)
    }

    /// Whether the name of the value feature has been stored; meaningful only for a column with a single number per cell.
    #[inline]
    pub(super) fn is_named(&self) -> bool {
        self.named[0]
    }

    /// Loads the cells of this column from the next record batch.
    pub(super) fn load(&mut self, array: &ArrayRef, policy: &MissingPolicy) {
        let before = std::mem::replace(&mut self.array, array.clone());
        self.cells = match (self.used.kind, array.data_type()) {
            (Kind::Number, _) => Cells::Numbers(cells::numbers(array)),
            (Kind::Text, DataType::Dictionary(..)) => {
                let words = match std::mem::replace(&mut self.cells, Cells::Texts) {
                    Cells::Dictionary(_, words) if is_same_dictionary(&before, array) => words,
                    _ => vec![DictionaryEntry::Unmet; array.as_any_dictionary().values().len()],
                };
                Cells::Dictionary(cells::keys(array), words)
            }
            (Kind::Text, _) => Cells::Texts,
            (Kind::Categories | Kind::Words, _) => Cells::MultiValueCell(Texts::new(array)),
            (Kind::List(_), _) => {
                let (numbers, spans) = nested::numbers(array);
                Cells::Lists(numbers, spans)
            }
            (Kind::Vector(_), _) => Cells::Vectors(Vectors::new(array)),
        };
        // Weights and offsets are never missing, so that texts for missing values do not apply to them.
        if let (Cells::Numbers(numbers) | Cells::Lists(numbers, _), Role::Label | Role::Number) =
            (&mut self.cells, self.used.role)
        {
            policy.absent.take_out(numbers);
        }
    }

    /// Returns the position of the first row whose integer exceeds 2^53 in absolute value, so that f64 may not represent it exactly;
    /// `None` if there is none or the column is not used as a number.
    pub(super) fn first_beyond(&self) -> Option<usize> {
        if self.used.kind == Kind::Number { cells::first_beyond(&self.array) } else { None }
    }

    /// Returns the number in a row, NaN if the cell is missing; `None` if the cells of the column are not single numbers.
    pub(super) fn number(&self, row: usize) -> Option<f64> {
        let Cells::Numbers(numbers) = &self.cells else { return None };
        numbers.get(row).copied()
    }

    /// Returns the text in a row of the record batch; `None` if the cell is missing.
    pub(super) fn text<'a>(&'a self, row: usize, policy: &MissingPolicy, scratch: &'a mut String) -> Option<&'a [u8]> {
        let (array, row): (&dyn Array, _) = match &self.cells {
            Cells::Dictionary(keys, _) => (self.array.as_any_dictionary().values(), *keys.get(row)?),
            _ => (&self.array, row),
        };
        // A missing cell has a position beyond the end of the dictionary.
        let row = Some(row).filter(|&row| row < array.len())?;
        cells::text(array, row, scratch).filter(|text| !policy.absent.is(text))
    }

    /// Returns the text of a cell in a numeric column if it is neither missing nor a number; otherwise `None`.
    #[cold]
    pub(super) fn no_number(&self, row: usize, policy: &MissingPolicy) -> Option<String> {
        let (array, row): (&dyn Array, _) = match self.array.data_type() {
            DataType::Dictionary(..) => {
                (self.array.as_any_dictionary().values(), cells::keys(&self.array.slice(row, 1))[0])
            }
            _ => (&self.array, row),
        };
        if row >= array.len() || !is_text(array.data_type()) {
            return None;
        }
        let mut scratch = String::new();
        let text = cells::text(array, row, &mut scratch).filter(|text| !policy.absent.is(text))?;
        cell_value::number(text).is_none().then(|| text_of(text.trim_ascii()))
    }

    /// Adds the features of a cell to the row being built; returns the number of missing values in the cell.
    pub(super) fn add(
        &mut self,
        row: usize,
        policy: &MissingPolicy,
        builder: &mut RowBuilder,
        scratch: &mut String,
    ) -> Result<u64, Fault> {
        builder.group(self.group);
        match self.used.kind {
            Kind::Number => {
                let x = self.number(row).unwrap_or(f64::NAN);
                if x.is_nan()
                    && let Some(text) = self.no_number(row, policy)
                {
                    return Err(self.is_text(&text, policy));
                }
                self.add_number(0, x, row, policy, builder)
            }
            Kind::Text => self.add_text(row, policy, builder, scratch),
            Kind::Categories | Kind::Words => self.add_several(row, policy, builder, scratch),
            Kind::List(length) => self.add_list(length, row, policy, builder),
            Kind::Vector(length) => self.add_vector(length, row, policy, builder),
        }
    }

    #[inline]
    fn add_number(
        &mut self,
        k: usize,
        x: f64,
        row: usize,
        policy: &MissingPolicy,
        builder: &mut RowBuilder,
    ) -> Result<u64, Fault> {
        let (id, absent) = self.ids[k];
        if x.is_finite() {
            if self.named[k] {
                builder.add_again(id, x);
            } else {
                self.named[k] = x != 0.0;
                builder.add(id, x, |to| escape(self.name(k).as_bytes(), to));
            }
            return Ok(0);
        }
        if x.is_infinite() {
            return Err(Fault::new(
                Some(&self.name(k)),
                &x.to_string(),
                "is not finite; correct it or leave the row out",
            ));
        }
        if policy.missing == Missing::Refuse {
            return Err(self.absence(&self.name(k), row, policy));
        }
        builder.add(absent, 1.0, |to| {
            escape(self.name(k).as_bytes(), to);
            to.push('=');
        });
        self.add_fill(k, builder);
        Ok(1)
    }

    /// Returns the name of the number at position `k` of a cell: `name[k]` in list and vector columns, otherwise the name of the column.
    pub(super) fn name(&self, k: usize) -> String {
        match self.used.kind {
            Kind::List(_) | Kind::Vector(_) => element(&self.used.name, k),
            Kind::Number | Kind::Text | Kind::Categories | Kind::Words => self.used.name.clone(),
        }
    }

    /// Builds the error about a text cell in a column of numbers.
    #[cold]
    fn is_text(&self, text: &str, policy: &MissingPolicy) -> Fault {
        let flag = column_names::flagged(self.used.index + 1, &self.used.name);
        let message = match policy.of_model {
            true => "is not a number, as it was for the model".to_owned(),
            false => format!("is not a number; --categorical {flag}, or --ignore {flag}"),
        };
        Fault::new(Some(&self.used.name), text, &message)
    }

    #[cold]
    fn absence(&self, column: &str, row: usize, policy: &MissingPolicy) -> Fault {
        let is_null = self.used.kind != Kind::Number
            || self.array.logical_nulls().is_some_and(|nulls| row < nulls.len() && nulls.is_null(row));
        let (token, what) = if is_null { ("", "is null") } else { ("NaN", "is no number") };
        let message = match policy.of_model {
            true => format!("{what}, {}", column_roles::NEVER_MISSING),
            false => format!(
                "{what}; --missing indicator makes missing cells features of their own, --missing mean also takes the column's mean"
            ),
        };
        Fault::new(Some(column), token, &message)
    }

    fn add_text(
        &mut self,
        row: usize,
        policy: &MissingPolicy,
        builder: &mut RowBuilder,
        scratch: &mut String,
    ) -> Result<u64, Fault> {
        let known = match &self.cells {
            Cells::Dictionary(keys, words) => keys.get(row).and_then(|&key| words.get(key)).copied(),
            _ => Some(DictionaryEntry::Unmet),
        };
        let word = match known.unwrap_or(DictionaryEntry::Missing) {
            DictionaryEntry::Id(id) => {
                builder.add_again(id, 1.0);
                return Ok(0);
            }
            DictionaryEntry::Missing => DictionaryEntry::Missing,
            DictionaryEntry::Unmet => match self.text(row, policy, scratch) {
                None => DictionaryEntry::Missing,
                Some(text) => {
                    let text = &*cell_value::category(text);
                    let id = self.group.id(text);
                    builder.assign(id, self.rule);
                    builder.add(id, 1.0, |to| {
                        escape(self.used.name.as_bytes(), to);
                        to.push('=');
                        escape(text, to);
                    });
                    DictionaryEntry::Id(id)
                }
            },
        };
        if let Cells::Dictionary(keys, words) = &mut self.cells
            && let Some(&key) = keys.get(row)
            && let Some(known) = words.get_mut(key)
        {
            *known = word;
            self.newest = Some(key);
        }
        if let DictionaryEntry::Id(_) = word {
            return Ok(0);
        }
        self.add_number(0, f64::NAN, row, policy, builder)
    }

    /// Adds the features of a cell with several values (words or categories) to the row; returns the number of missing values.
    fn add_several(
        &mut self,
        row: usize,
        policy: &MissingPolicy,
        builder: &mut RowBuilder,
        scratch: &mut String,
    ) -> Result<u64, Fault> {
        let Cells::MultiValueCell(texts) = &self.cells else { return Ok(0) };
        let of = FeatureProperties { group: self.group, gap: self.ids[0].1, rule: self.rule, name: &self.escaped };
        let mut cell = MultiValueCell::begin(builder, of);
        let missing = match self.used.kind {
            Kind::Words => Some(u64::from(texts.add_words(row, &mut cell, policy, scratch))),
            _ => texts.add_each(row, &mut cell, policy, scratch),
        };
        cell.end();
        missing.ok_or_else(|| self.absence(&self.used.name, row, policy))
    }

    /// Adds the missing-cell indicator and the replacement numbers for a list or vector that is missing as a whole; returns 1, the number
    /// of missing values.
    fn add_no_list(&mut self, row: usize, policy: &MissingPolicy, builder: &mut RowBuilder) -> Result<u64, Fault> {
        let name = &self.used.name;
        if policy.missing == Missing::Refuse {
            return Err(self.absence(name, row, policy));
        }
        builder.add(missing_id(name.as_bytes()), 1.0, |to| to.extend([self.escaped.as_str(), "="]));
        (0..self.ids.len()).for_each(|k| self.add_fill(k, builder));
        Ok(1)
    }

    /// Builds the error about a list or vector whose length differs from that of the earlier rows.
    #[cold]
    fn of_other_length(&self, what: &str, length: usize, before: usize) -> Fault {
        let message =
            format!("holds a {what} of {length}, the {what}s before have {before}; correct it or leave the row out");
        Fault::new(Some(&self.used.name), "", &message)
    }

    fn add_vector(
        &mut self,
        length: usize,
        row: usize,
        policy: &MissingPolicy,
        builder: &mut RowBuilder,
    ) -> Result<u64, Fault> {
        // Taken out of `self` because `add_number` borrows `self` mutably.
        let Cells::Vectors(vectors) = std::mem::replace(&mut self.cells, Cells::Texts) else { return Ok(0) };
        let added = match vectors.of(row) {
            Ok(None) => self.add_no_list(row, policy, builder),
            Ok(Some(vector)) if vector.size != length => Err(self.of_other_length("vector", vector.size, length)),
            Ok(Some(vector)) => (0..vector.stored()).try_fold(0, |missing, n| {
                let (k, x) = vector.pair(n);
                Ok(missing + self.add_number(k, x, row, policy, builder)?)
            }),
            Err((token, message)) => {
                let message = format!("{message}; correct it or leave the row out");
                Err(Fault::new(Some(&self.used.name), &token, &message))
            }
        };
        self.cells = Cells::Vectors(vectors);
        added
    }

    fn add_list(
        &mut self,
        length: usize,
        row: usize,
        policy: &MissingPolicy,
        builder: &mut RowBuilder,
    ) -> Result<u64, Fault> {
        let span = if let Cells::Lists(_, spans) = &self.cells { spans.get(row).copied().flatten() } else { None };
        let Some((start, end)) = span else { return self.add_no_list(row, policy, builder) };
        if end.saturating_sub(start) != length {
            return Err(self.of_other_length("list", end.saturating_sub(start), length));
        }
        let mut missing = 0;
        for k in 0..length {
            let Cells::Lists(numbers, _) = &self.cells else { break };
            let x = numbers.get(start + k).copied().unwrap_or(f64::NAN);
            missing += self.add_number(k, x, row, policy, builder)?;
        }
        Ok(missing)
    }
}

/// Whether two dictionary-encoded arrays have the same dictionary, so that the states of its texts can be kept.
fn is_same_dictionary(a: &ArrayRef, b: &ArrayRef) -> bool {
    let values = |array: &ArrayRef| array.as_any_dictionary_opt().map(|dictionary| dictionary.values().to_data());
    values(a).zip(values(b)).is_some_and(|(a, b)| a.ptr_eq(&b))
}
