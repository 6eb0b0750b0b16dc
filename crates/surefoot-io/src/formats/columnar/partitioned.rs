//! Parquet or Arrow table extended by constant columns from `key=value` folder names.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use surefoot_glm::Role;

use super::{ReadFailure, Table, cells};
use crate::{error, table::partitions::Constant, text::cell_value};

/// Table whose own columns are followed by constant columns from `key=value` folder names in its path.
pub(super) struct Partitioned {
    table: Box<dyn Table>,
    schema: SchemaRef,
    /// Number of columns that are stored in the table itself.
    own: usize,
    constants: Vec<Constant>,
    /// Stored columns, by position, that a folder name also defines: each cell must equal the folder's value.
    bound: Vec<(usize, Constant)>,
    /// Columns to be decoded, as positions in the schema extended by the constant columns.
    selected: Vec<usize>,
    /// Number of rows of the file before the next record batch.
    rows: u64,
}

impl Partitioned {
    /// Extends a table by those constant columns that it does not store itself.
    pub(super) fn new(table: Box<dyn Table>, constants: &[Constant]) -> Result<Partitioned, ReadFailure> {
        let own = table.schema();
        let (mut bound, mut beside) = (Vec::new(), Vec::new());
        for constant in constants {
            match own.fields().iter().position(|field| *field.name() == constant.column) {
                Some(place) if constant.binds => bound.push((place, constant.clone())),
                Some(_) => {}
                None => beside.push(constant.clone()),
            }
        }
        let mut fields: Vec<_> = own.fields().iter().cloned().collect();
        for constant in &beside {
            let of = if is_number(constant.role) { DataType::Float64 } else { DataType::Utf8 };
            fields.push(Arc::new(Field::new(&constant.column, of, true)));
            check(constant)?;
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, own.metadata().clone()));
        Ok(Partitioned {
            rows: table.rows_before(),
            table,
            schema,
            own: own.fields().len(),
            constants: beside,
            bound,
            selected: Vec::new(),
        })
    }

    /// Checks that each stored column that a folder name also defines has the folder's value in all cells.
    fn agree(&self, batch: &RecordBatch) -> Result<(), ReadFailure> {
        for (place, constant) in &self.bound {
            let Some(array) = self.selected.iter().position(|selected| selected == place).map(|at| batch.column(at))
            else {
                continue;
            };
            let mut scratch = String::new();
            for row in 0..array.len() {
                let text = cells::spelled(array, row, &mut scratch);
                if !constant.agrees(&text) {
                    let (row, name) = (self.rows + row as u64 + 1, &constant.column);
                    let (text, message) = (error::token(&text), constant.disagrees());
                    return Err(ReadFailure::Says(format!("row {row}, column '{name}': '{text}': {message}")));
                }
            }
        }
        Ok(())
    }
}

/// Whether columns with this role (label, weight, …) hold numbers.
fn is_number(role: Role) -> bool {
    matches!(role, Role::Number | Role::Weight | Role::Trials | Role::Offset | Role::Exposure)
}

/// Checks that the value from a folder name is a number if the column's role requires one.
fn check(constant: &Constant) -> Result<(), ReadFailure> {
    match &constant.value {
        Some(text) if is_number(constant.role) && cell_value::number(text.as_bytes()).is_none() => {
            let column = &constant.column;
            Err(ReadFailure::Says(format!("the folder says {column}={text}, which is not a number, as '{column}' is")))
        }
        _ => Ok(()),
    }
}

/// Builds an array of `rows` cells that all have the value of a constant column.
fn array(constant: &Constant, rows: usize) -> ArrayRef {
    let value = constant.value.as_deref();
    if is_number(constant.role) {
        let number = value.and_then(|text| cell_value::number(text.as_bytes()));
        Arc::new(Float64Array::from(vec![number; rows]))
    } else {
        Arc::new(StringArray::from(vec![value; rows]))
    }
}

impl Table for Partitioned {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn select(&mut self, columns: &[usize]) -> Result<(), ReadFailure> {
        self.selected = columns.to_vec();
        let own: Vec<usize> = columns.iter().copied().filter(|&column| column < self.own).collect();
        self.table.select(&own)
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, ReadFailure> {
        let Some(batch) = self.table.next()? else { return Ok(None) };
        self.agree(&batch)?;
        let rows = batch.num_rows();
        self.rows += rows as u64;
        let behind = self.selected.iter().filter(|&&column| column >= self.own);
        let columns =
            batch.columns().iter().cloned().chain(behind.map(|column| array(&self.constants[column - self.own], rows)));
        let schema = self.schema.project(&self.selected).map_err(|error| ReadFailure::Says(error.to_string()))?;
        // The decoded arrays may differ from their schema in nullability.
        let fields = columns
            .clone()
            .zip(schema.fields())
            .map(|(array, field)| Field::new(field.name(), array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let whole = RecordBatch::try_new_with_options(schema, columns.collect(), &options);
        whole.map(Some).map_err(|error| ReadFailure::Says(error.to_string()))
    }

    fn first_null(&self, column: usize) -> Result<Option<u64>, ReadFailure> {
        if column < self.own { self.table.first_null(column) } else { Ok(None) }
    }

    fn rows_before(&self) -> u64 {
        self.table.rows_before()
    }
}
