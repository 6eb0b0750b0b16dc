//! Table in memory that can be read several times.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use surefoot_glm::{Batch, Part};

use super::{
    describe::find_again,
    table_rows::{FORMAT, TableRows},
};
use crate::{
    error::{Error, Located},
    table::{format::Format, options::Options, partitions::Partitions},
};

/// Table in memory, given as record batches of Arrow, whose rows can be read several times. A clone shares the cells.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Float64Array, RecordBatch};
/// use surefoot_glm::{Batch, Part};
/// use surefoot_io::{MemoryTable, Options, RowSource};
///
/// let numbers: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 2.0, 3.0]));
/// let batch = RecordBatch::try_from_iter([("x", numbers)])?;
/// let table = MemoryTable::new("table", batch.schema(), [batch]);
/// let options = Options { unlabelled: true, ..Options::default() };
/// for _pass in 0..2 {
///     let (mut rows, mut batch) = (table.rows(options.clone())?, Batch::default());
///     assert!(rows.read(&mut batch)?);
///     assert_eq!(batch.row(2).value, [3.0]);
///     let place = table.describe(&options, &batch, 2, Part::Pair(0));
///     assert_eq!(place.error("is odd").to_string(), "table: row 3, column 'x': '3': is odd");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MemoryTable {
    name: String,
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
}

impl MemoryTable {
    /// Builds a table from record batches with this schema; it is called `name` in messages. A batch with other columns is an error when
    /// its rows are read.
    #[must_use]
    pub fn new(name: &str, schema: SchemaRef, batches: impl IntoIterator<Item = RecordBatch>) -> MemoryTable {
        MemoryTable { name: name.to_owned(), schema, batches: batches.into_iter().collect() }
    }

    /// Returns the name of the table as shown in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }

    /// Whether the table has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a reader of all rows, from the first one.
    ///
    /// # Errors
    /// The errors of [`TableRows::new`].
    pub fn rows(&self, options: Options) -> Result<TableRows, Error> {
        let (batches, count) = (Arc::clone(&self.batches), self.batches.len());
        let batches = Box::new((0..count).map(move |n| Ok(batches[n].clone())));
        TableRows::of(&self.name, (self.schema.clone(), batches), self.len(), options)
    }

    /// Locates a part of row `row` of `batch`, such as the label or a feature, for errors that are detected after reading; see
    /// [`Options::describe`]. The batch must have been filled with these options by [`rows`](MemoryTable::rows).
    #[must_use]
    pub fn describe(&self, options: &Options, batch: &Batch, row: usize, part: Part) -> Located {
        let format = Format::named(FORMAT).expect("the format of tables in memory is in the table of formats");
        let options = Options { partitions: Partitions::default(), ..options.clone() };
        options.locate(self.name.clone(), format, batch, row, part)
    }

    /// Locates a part of a row, even if its batch no longer holds the text of the row: the table is then read again up to the row. See
    /// [`Options::describe_again`].
    #[must_use]
    pub fn describe_again(&self, options: &Options, batch: &Batch, row: usize, part: Part) -> Located {
        let has_lost = batch.place.get(row).is_some_and(|place| place.text.0 == place.text.1);
        let again = || find_again(&mut self.rows(options.clone()).ok()?, batch, row);
        match has_lost.then(again).flatten() {
            Some((found, at)) => self.describe(options, &found, at, part),
            None => self.describe(options, batch, row, part),
        }
    }
}
