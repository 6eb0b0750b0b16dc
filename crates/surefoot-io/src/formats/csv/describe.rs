//! Location of a part of a CSV row, such as the label or a feature, for error messages.

use surefoot_glm::{Batch, Column, Part, Role, TableSchema};

use super::{cells, folders::Folders, rules::Rules};
use crate::{
    error::{self, Location},
    features::row_builder::{Group, missing_id, slot},
    formats::records::location,
    table::{dialect::Dialect, inferred::ColumnOrder, options::Options},
    text::words,
};

/// Returns the location (line and column) and the text of a part of a row, such as the label or a feature, for error messages.
pub(crate) fn describe(options: &Options, delimiter: u8, batch: &Batch, row: usize, part: Part) -> (Location, String) {
    let place = batch.place.get(row).copied().unwrap_or_default();
    let record = batch.text.get(place.text.0..place.text.1).unwrap_or_default();
    let constants = options.partitions.of(place.input as usize);
    // The batch does not store the delimiter and the order of columns in the file; the record itself reveals them.
    let layouts = options.found.layouts();
    let found = layouts.iter().find_map(|(dialect, order)| {
        let wanted = Sought { options, dialect: *dialect, order, batch, row, part };
        // If the file itself has the columns of its folders, only the record without appended values fits.
        let folders = Folders::new(constants, &[], *dialect);
        wanted.find(record, &folders).or_else(|| wanted.find(record, &Folders::default()))
    });
    let (at, text) = found.unwrap_or_else(|| {
        let dialect = layouts.first().map_or(Dialect::usual(delimiter), |layout| layout.0);
        let end = memchr::memchr2(dialect.delimiter, b'\n', record).unwrap_or(record.len());
        (0, dialect.text(&record[..end]).into_owned())
    });
    let (lines, column) = location(record, at);
    (Location::Text { line: place.line + lines - 1, column }, error::token(&text))
}

/// Search for a part of a row (label, weight, feature, …) in the text of its record, for an assumed dialect and order of columns.
struct Sought<'a> {
    options: &'a Options,
    dialect: Dialect,
    order: &'a ColumnOrder,
    batch: &'a Batch,
    row: usize,
    part: Part,
}

impl Sought<'_> {
    /// Returns the start offset and the text of the cell that holds the part; `None` if the record, with the folder columns appended, does
    /// not fit the assumed dialect and order of columns.
    fn find(&self, record: &[u8], folders: &Folders) -> Option<(usize, Vec<u8>)> {
        let Sought { options, dialect, order, batch, row, part } = self;
        let table = options.found.table()?;
        let mut rules = Rules::new(options, dialect.delimiter);
        rules.part(dialect.delimiter);
        let (mut ends, mut buffer) = (Vec::new(), Vec::new());
        dialect.split(record, &mut ends).ok()?;
        let record = folders.extend(record, &mut ends, &mut buffer);
        let cells: Vec<_> = cells::cells(record, &ends).collect();
        let (label, weight) = (*batch.label.get(*row)?, *batch.weight.get(*row)?);
        // With trials the weight is a product, which no single cell holds.
        let weight = if table.columns.iter().any(|column| column.role == Role::Trials) { f64::NAN } else { weight };
        let of_role = |role: Role| cells.get(order.iter().position(|n| is(table, *n, role))?).copied();
        let fits = |role: Role, value: f64| {
            value.is_nan() || of_role(role).is_none_or(|cell| rules.reads_as(role, cell.1, value))
        };
        if order.len() != cells.len() || !fits(Role::Label, label) || !fits(Role::Weight, weight) {
            return None;
        }
        let found = match part {
            Part::Row => None,
            Part::Label => of_role(Role::Label),
            Part::Weight => of_role(Role::Weight),
            Part::Pair(pair) => {
                let pair = batch.start.get(*row)? + pair;
                let (id, value) = (*batch.index.get(pair)?, *batch.value.get(pair)?);
                let columns = order.iter().map(|n| table.columns.get((*n)?));
                let has_id = |column: &Column, raw| has_id(column, raw, id, value, &rules, options.reading.bits);
                let mut found = columns.zip(&cells).filter(|(column, cell)| column.is_some_and(|c| has_id(c, cell.1)));
                found.next().map(|(_, cell)| *cell)
            }
        };
        found.map(|(at, raw)| (at, dialect.text(raw).into_owned()))
    }
}

/// Whether a cell of a column, with the text `raw`, yields a feature with this id and value.
fn has_id(column: &Column, raw: &[u8], id: u64, value: f64, rules: &Rules, bits: Option<u8>) -> bool {
    let (name, text) = (column.name.as_bytes(), rules.dialect.text(raw));
    let own = match column.role {
        Role::Number if rules.is_missing(&text) => missing_id(name),
        // After hashing to few bits the value may be a sum over several features.
        Role::Number if bits.is_none() && rules.as_number(&text) != Some(value) => return false,
        Role::Number => Group::named(b"").id(name),
        Role::Category if rules.is_missing(&text) => missing_id(name),
        Role::Category => Group::named(name).id(&rules.category(&text)),
        Role::Text if rules.is_no_text(&text) => missing_id(name),
        Role::Text => {
            let mut found = false;
            words::each(&text, |word| found |= slot(Group::named(name).id(word), bits) == id);
            return found;
        }
        _ => return false,
    };
    slot(own, bits) == id
}

fn is(table: &TableSchema, column: Option<usize>, role: Role) -> bool {
    column.and_then(|n| table.columns.get(n)).is_some_and(|column| column.role == role)
}
