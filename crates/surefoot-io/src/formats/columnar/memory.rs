//! Table in memory: record batches of Arrow that the caller gives.
//!
//! No cell is copied before its turn: record batches are cut into slices of as many rows as are decoded of a Parquet file at a time.

use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};

use super::{ReadFailure, Table, kinds::type_name, rows_per_batch};
use crate::table::column_names::shown;

/// Record batches as they come from the caller.
pub(crate) type RecordBatches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Table whose record batches come from the caller.
pub(crate) struct Memory {
    schema: SchemaRef,
    batches: RecordBatches,
    /// Columns to be read, as positions in the schema.
    columns: Vec<usize>,
    /// Current record batch, reduced to these columns, with the number of its rows that were returned.
    current: Option<(RecordBatch, usize)>,
    /// Number of record batches that came.
    count: usize,
}

impl Memory {
    pub(crate) fn new(schema: SchemaRef, batches: RecordBatches) -> Memory {
        Memory { schema, batches, columns: Vec::new(), current: None, count: 0 }
    }

    /// Takes the next record batch from the caller and reduces it to the columns to be read.
    fn take(&mut self) -> Result<Option<RecordBatch>, ReadFailure> {
        let failed = |error: ArrowError| ReadFailure::Says(format!("the table cannot be read: {error}"));
        let Some(batch) = self.batches.next().transpose().map_err(failed)? else { return Ok(None) };
        self.count += 1;
        self.check(&batch)?;
        batch.project(&self.columns).map(Some).map_err(failed)
    }

    /// Checks that a record batch has the columns of the schema, as far as they are read.
    fn check(&self, batch: &RecordBatch) -> Result<(), ReadFailure> {
        let (fields, count) = (self.schema.fields(), self.count);
        if batch.num_columns() != fields.len() {
            let (here, all) = (batch.num_columns(), fields.len());
            return Err(ReadFailure::Says(format!("batch {count} has {here} columns, the schema has {all}")));
        }
        let differs = |&&place: &&usize| batch.column(place).data_type() != fields[place].data_type();
        match self.columns.iter().find(differs) {
            None => Ok(()),
            Some(&place) => {
                let [here, there] = [batch.column(place).data_type(), fields[place].data_type()].map(type_name);
                let name = shown(fields[place].name());
                Err(ReadFailure::Says(format!("batch {count}: column '{name}' is of {here}, in the schema of {there}")))
            }
        }
    }
}

impl Table for Memory {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), ReadFailure> {
        self.columns = columns.to_vec();
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, ReadFailure> {
        let (batch, from) = match self.current.take() {
            Some(current) => current,
            None => match self.take()? {
                Some(batch) => (batch, 0),
                None => return Ok(None),
            },
        };
        let to = batch.num_rows().min(from + rows_per_batch(self.columns.len()));
        let slice = batch.slice(from, to - from);
        self.current = (to < batch.num_rows()).then_some((batch, to));
        Ok(Some(slice))
    }
}
