//! Where a part of a row that was read stands.

use std::sync::Arc;

use surefoot_glm::{Batch, Part, Role, Table};

use super::cells;
use super::folders::Folders;
use super::rules::Rules;
use crate::error::{self, Spot};
use crate::options::{Options, Order};
use crate::records::spot;
use crate::row::{Group, missing_id, slot};

/// Line, column and token of a part of a row.
pub(crate) fn describe(options: &Options, delimiter: u8, batch: &Batch, row: usize, part: Part) -> (Spot, String) {
    let place = batch.place.get(row).copied().unwrap_or_default();
    let record = batch.text.get(place.text.0..place.text.1).unwrap_or_default();
    let (constants, mut buffer) = (options.partitions.of(place.input as usize), Vec::new());
    let given = Rules::new(options, delimiter).delimiter;
    // Where the file has these columns itself, only the record as it stands fits.
    let extended = Folders::new(constants, &[], given).extend(record, &mut buffer);
    let found = find(options, delimiter, extended, batch, row, part);
    let found = found.or_else(|| find(options, delimiter, record, batch, row, part));
    let (at, raw) = found.unwrap_or_else(|| {
        let end = memchr::memchr2(delimiter, b'\n', record).unwrap_or(record.len());
        (0, &record[..end])
    });
    let (lines, column) = spot(record, at);
    (Spot::Text { line: place.line + lines - 1, column }, error::token(&cells::text(raw)))
}

/// The cell, and where it starts.
fn find<'a>(
    options: &Options,
    delimiter: u8,
    record: &'a [u8],
    batch: &Batch,
    row: usize,
    part: Part,
) -> Option<(usize, &'a [u8])> {
    let rules = Rules::new(options, delimiter);
    let table = options.found.table()?;
    let mut ends = Vec::new();
    cells::split(record, rules.delimiter, &mut ends).ok()?;
    let cells: Vec<_> = cells::cells(record, &ends).collect();
    let as_in_table: Arc<Order> = Arc::new((0..table.columns.len()).map(Some).collect());
    // What the batch does not say: the order of columns in the file. The row says it.
    let orders = std::iter::once(as_in_table).chain(options.found.orders());
    let (label, weight) = (*batch.label.get(row)?, *batch.weight.get(row)?);
    // With trials the weight is a product, which no cell holds.
    let weight = if table.columns.iter().any(|column| column.role == Role::Trials) { f64::NAN } else { weight };
    let of_role = |order: &Order, role: Role| cells.get(order.iter().position(|n| is(table, *n, role))?).copied();
    let fits = |order: &Order, role: Role, value: f64| {
        value.is_nan() || of_role(order, role).is_none_or(|cell| rules.reads_as(role, cell.1, value))
    };
    let fit = orders.filter(|order| {
        order.len() == cells.len() && fits(order, Role::Label, label) && fits(order, Role::Weight, weight)
    });
    let orders: Vec<_> = fit.collect();
    match part {
        Part::Row => None,
        Part::Label => of_role(orders.first()?, Role::Label),
        Part::Weight => of_role(orders.first()?, Role::Weight),
        Part::Pair(pair) => {
            let pair = batch.start.get(row)? + pair;
            let (id, value) = (*batch.index.get(pair)?, *batch.value.get(pair)?);
            let bits = options.reading.bits;
            let has_id = |column: &surefoot_glm::Column, raw: &[u8]| {
                let (name, text) = (column.name.as_bytes(), cells::text(raw));
                let own = match column.role {
                    Role::Number if rules.is_missing(&text) => missing_id(name),
                    // Hashed to few bits, it may have been added to others.
                    Role::Number if bits.is_none() && rules.number(&text) != Some(value) => return false,
                    Role::Number => Group::named(b"").id(name),
                    Role::Category if rules.is_missing(&text) => missing_id(name),
                    Role::Category => Group::named(name).id(&text),
                    _ => return false,
                };
                slot(own, bits) == id
            };
            orders.iter().find_map(|order| {
                let columns = order.iter().map(|n| table.columns.get((*n)?));
                let mut found = columns.zip(&cells).filter(|(column, cell)| column.is_some_and(|c| has_id(c, cell.1)));
                found.next().map(|(_, cell)| *cell)
            })
        }
    }
}

fn is(table: &Table, column: Option<usize>, role: Role) -> bool {
    column.and_then(|n| table.columns.get(n)).is_some_and(|column| column.role == role)
}
