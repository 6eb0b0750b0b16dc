//! What the first rows say about columns of which nobody said anything.

use surefoot_glm::Role;

use super::cells::{self, Dialect};
use super::columns::{called, flagged};
use super::looks::Looks;
use super::rules::Rules;
use crate::records::{Complaint, Scan};
use crate::value;

/// Rows that are looked at,
pub(super) const ROWS: usize = 1000;
/// or those that are within so many bytes, but at least one.
pub(super) const BYTES: usize = 16 << 20;

/// How far the search for the first rows has come, while bytes come in.
#[derive(Debug, Default)]
pub(super) struct Search {
    records: usize,
    at: usize,
    scan: Scan,
}

impl Search {
    /// Whether these are enough bytes of an input, of which more and more are shown.
    pub(super) fn is_enough(&mut self, bytes: &[u8], dialect: Dialect) -> Result<bool, Complaint> {
        while self.records <= ROWS && (self.records < 2 || self.at < BYTES) {
            let end = dialect.end(&bytes[self.at..], &mut self.scan);
            let Some(end) = end.map_err(|wrong| Complaint { at: self.at + wrong.at, ..wrong })? else {
                return Ok(false);
            };
            (self.records, self.at, self.scan) = (self.records + 1, self.at + end, Scan::default());
        }
        Ok(true)
    }
}

/// The first rows of an input.
pub(super) struct Rows<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) dialect: Dialect,
    pub(super) last: bool,
}

impl Rows<'_> {
    /// Shows each cell of the first rows behind `at` that have so many cells; others are reported when they are read.
    pub(super) fn each(&self, rows: usize, at: usize, columns: usize, mut show: impl FnMut(usize, usize, &[u8])) {
        self.each_record(rows, at, columns, |start, record, ends| {
            let cells = cells::cells(record, ends).enumerate();
            cells.for_each(|(column, (place, cell))| show(column, start + place, cell));
        });
    }

    /// Shows where each of the first rows behind `at` that have so many cells starts, the row, and the ends of its cells.
    pub(super) fn each_record(
        &self,
        rows: usize,
        mut at: usize,
        columns: usize,
        mut show: impl FnMut(usize, &[u8], &[usize]),
    ) {
        let mut ends = Vec::with_capacity(columns);
        for _ in 0..rows {
            let Ok(Some((start, record, end))) = self.dialect.first(self.bytes, at, self.last) else {
                return;
            };
            at = end;
            if self.dialect.split(record, &mut ends).is_ok() && ends.len() == columns {
                show(start, record, &ends);
            }
        }
    }

    /// Whether the first label behind `at` is a boolean, and if it is, whether others are words that are none, so that it is
    /// one of several classes. `None` if there is no label.
    pub(super) fn labels_of_booleans(
        &self,
        at: usize,
        columns: usize,
        label: usize,
        rules: &Rules,
    ) -> Option<(bool, bool)> {
        let (mut first, mut others) = (None, false);
        self.each(ROWS, at, columns, |column, _, cell| {
            let text = self.dialect.text(cell);
            if column != label || rules.is_missing(&text) {
                return;
            }
            let is_boolean = value::boolean(&text).is_some();
            first.get_or_insert(is_boolean);
            others |= !is_boolean && rules.number(&text).is_none();
        });
        first.map(|first| (first, others))
    }

    /// Gives a role to each column without one: numbers if any cell is a number (another one is then reported when it is
    /// read) or all are booleans, else a category.
    pub(super) fn guess(
        &self,
        at: usize,
        names: &[String],
        roles: &[Option<Role>],
        rules: &Rules,
    ) -> Result<Vec<Role>, Complaint> {
        #[derive(Clone, Default)]
        struct Seen {
            number: bool,
            boolean: bool,
            text: bool,
            date: Option<(usize, Vec<u8>)>,
        }
        let mut seen = vec![Seen::default(); names.len()];
        self.each(ROWS, at, names.len(), |column, at, cell| {
            if roles[column].is_some() || seen[column].number {
                return;
            }
            let text = self.dialect.text(cell);
            if rules.is_missing(&text) {
                return;
            }
            let looks = || Looks::like(&text);
            let found = &mut seen[column];
            if rules.number(&text).is_some() || looks().is_some_and(Looks::is_numeric) {
                found.number = true;
            } else if value::boolean(&text).is_some() {
                found.boolean = true;
            } else if looks() == Some(Looks::Date) {
                found.date.get_or_insert_with(|| (at, text.to_vec()));
            } else {
                found.text = true;
            }
        });
        let role = |(column, seen): (usize, &Seen)| match (roles[column], seen) {
            (Some(role), _) => Ok(role),
            (None, Seen { number: false, text: true, .. }) => Ok(Role::Category),
            (None, Seen { number: false, date: Some((at, token)), .. }) => {
                let (called, flagged) = (called(column + 1, &names[column]), flagged(column + 1, &names[column]));
                let says = format!(
                    "{called} holds dates or times: turn them into numbers, leave them out with --ignore {flagged}, or \
                     take them as names with --categorical {flagged}"
                );
                Err(Complaint::new(*at, token, says).fatal())
            }
            (None, _) => Ok(Role::Number),
        };
        seen.iter().enumerate().map(role).collect()
    }
}
