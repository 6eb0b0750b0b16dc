//! Reader of the rows of tables, one after the other, wherever their record batches come from.

use arrow_array::RecordBatch;
use surefoot_glm::Batch;

use super::{ReadFailure, Table, plan::Plan, rows::Rows};
use crate::{
    error::{Error, Located, Location},
    table::options::Options,
};

/// Reader of the rows of tables.
pub(crate) struct TableReader {
    options: Options,
    /// Table that is being read; `None` after its last record batch.
    table: Option<Box<dyn Table>>,
    rows: Rows,
    /// Name of the current table.
    file: String,
}

impl TableReader {
    pub(crate) fn new(options: &Options) -> TableReader {
        TableReader { options: options.clone(), table: None, rows: Rows::new(options), file: String::new() }
    }

    /// Returns the name of the current table.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Returns the number of rows of the current table that were read.
    pub(crate) fn position(&self) -> u64 {
        self.rows.position()
    }

    /// Ends the current table, and sets the name and the number (among all inputs, from 0) of the next one.
    pub(crate) fn start(&mut self, file: &str, input: u32) {
        self.table = None;
        self.rows.start(input);
        file.clone_into(&mut self.file);
    }

    /// Determines how the columns of the next table are used, and decodes its first record batch.
    pub(crate) fn begin(&mut self, mut table: Box<dyn Table>) -> Result<(), ReadFailure> {
        let mut plan = Plan::new(&self.file, &table.schema(), &self.options).map_err(ReadFailure::Columns)?;
        table.select(&plan.columns())?;
        let unlabelled = match plan.needed_label() {
            Some(label) => table.first_null(label)?,
            None => None,
        };
        let first = first_with_rows(&mut *table)?;
        plan.complete(&self.file, first.as_ref(), &self.options).map_err(ReadFailure::Columns)?;
        self.rows.begin(&self.file, plan, unlabelled, table.rows_before());
        if let Some(first) = first {
            self.rows.load(&first);
            self.table = Some(table);
        }
        Ok(())
    }

    /// Decodes the next record batch once all rows of the current one have been read; returns `false` at the end of the table, which is
    /// also after an error.
    pub(crate) fn more(&mut self) -> Result<bool, ReadFailure> {
        while self.rows.is_done() {
            let Some(mut table) = self.table.take() else { return Ok(false) };
            match table.next()? {
                Some(next) => {
                    self.rows.load(&next);
                    self.table = Some(table);
                }
                None => self.rows.end(),
            }
        }
        Ok(true)
    }

    /// Appends the next rows of the current record batch to `batch`.
    ///
    /// # Errors
    /// If a row is invalid; it is skipped, and the batch holds the rows before it.
    pub(crate) fn read(&mut self, batch: &mut Batch) -> Result<(), Error> {
        self.rows.read(batch).map_err(|fault| {
            let location = Location::Cell { row: fault.row, column: fault.column };
            Located { file: self.file.clone(), location, token: fault.token }.error(fault.message)
        })
    }
}

/// Returns the first record batch that has rows, which tell the lengths of lists; the last one if none has.
fn first_with_rows(table: &mut dyn Table) -> Result<Option<RecordBatch>, ReadFailure> {
    let mut first = table.next()?;
    while first.as_ref().is_some_and(|batch| batch.num_rows() == 0) {
        let Some(next) = table.next()? else { break };
        first = Some(next);
    }
    Ok(first)
}
