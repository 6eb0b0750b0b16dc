//! Where a part of a row that was read stands.

use std::sync::Arc;

use surefoot_glm::{Batch, Part, Role, Table};

use super::cells;
use super::rules::Rules;
use crate::error::{self, Spot};
use crate::options::{Options, Order};
use crate::records::spot;
use crate::row::{Group, missing_id, slot};

/// Line, column and token of a part of a row.
pub(crate) fn describe(options: &Options, delimiter: u8, batch: &Batch, row: usize, part: Part) -> (Spot, String) {
    let place = batch.place.get(row).copied().unwrap_or_default();
    let record = batch.text.get(place.text.0..place.text.1).unwrap_or_default();
    let (at, raw) = find(options, delimiter, record, batch, row, part).unwrap_or_else(|| {
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
    let orders: Vec<_> = orders.filter(|order| order.len() == cells.len()).collect();
    let of_role = |role: Role, value: f64| {
        orders.iter().find_map(|order| {
            let place = order.iter().position(|n| is(table, *n, role))?;
            rules.reads_as(role, cells[place].1, value).then_some(cells[place])
        })
    };
    match part {
        Part::Row => None,
        Part::Label => of_role(Role::Label, *batch.label.get(row)?),
        Part::Weight => of_role(Role::Weight, *batch.weight.get(row)?),
        Part::Pair(pair) => {
            let id = *batch.index.get(batch.start.get(row)? + pair)?;
            let has_id = |column: &surefoot_glm::Column, raw: &[u8]| {
                let (name, text) = (column.name.as_bytes(), cells::text(raw));
                let own = match column.role {
                    Role::Number => Group::named(b"").id(name),
                    Role::Category => Group::named(name).id(&text),
                    _ => return false,
                };
                let own = if rules.is_missing(&text) { missing_id(name) } else { own };
                slot(own, options.reading.bits) == id
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
