//! Tests of vectors as stored by Spark: structs of type, size, indices and values.

use std::sync::Arc;

use super::twin::{Row, arrow_file, batch, missing_id, number_id, options, parquet, read};
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int8Array, Int32Array, ListArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::Field;
use surefoot_io::{ColumnSelection, Options};

/// Vector as a Spark struct: type (0 sparse, 1 dense), size, indices and values; `None` is a null field.
pub(crate) type Vector<'a> = (Option<i8>, Option<i32>, Option<&'a [Option<i32>]>, Option<&'a [Option<f64>]>);

pub(crate) fn sparse<'a>(size: i32, indices: &'a [Option<i32>], values: &'a [Option<f64>]) -> Option<Vector<'a>> {
    Some((Some(0), Some(size), Some(indices), Some(values)))
}

pub(crate) fn dense(values: &[Option<f64>]) -> Option<Vector<'_>> {
    Some((Some(1), None, None, Some(values)))
}

pub(crate) fn column(cells: &[Option<Vector<'_>>]) -> ArrayRef {
    let cell = |n: usize| cells[n].unwrap_or((None, None, None, None));
    let all = 0..cells.len();
    let kinds = all.clone().map(|n| cell(n).0).collect::<Int8Array>();
    let sizes = all.clone().map(|n| cell(n).1).collect::<Int32Array>();
    let indices = all.clone().map(|n| cell(n).2.map(|list| list.iter().copied()));
    let indices = ListArray::from_iter_primitive::<Int32Type, _, _>(indices);
    let values = all.clone().map(|n| cell(n).3.map(|list| list.iter().copied()));
    let values = ListArray::from_iter_primitive::<Float64Type, _, _>(values);
    let parts: [(&str, ArrayRef); 4] = [
        ("type", Arc::new(kinds)),
        ("size", Arc::new(sizes)),
        ("indices", Arc::new(indices)),
        ("values", Arc::new(values)),
    ];
    let fields = parts.iter().map(|(name, part)| Field::new(*name, part.data_type().clone(), true));
    let nulls = NullBuffer::from(cells.iter().map(Option::is_some).collect::<Vec<_>>());
    Arc::new(StructArray::new(fields.collect(), parts.iter().map(|part| part.1.clone()).collect(), Some(nulls)))
}

/// Returns a table with this column and a label `y` of ones, as a Parquet and as an Arrow file.
fn table(name: &str, column: &ArrayRef) -> [Vec<u8>; 2] {
    let labels: ArrayRef = Arc::new(Float64Array::from(vec![1.0; column.len()]));
    let table = batch(&[("y", labels), (name, column.clone())]);
    [parquet(&table), arrow_file(&table, 2)]
}

fn numbers(pairs: &[(usize, f64)]) -> Vec<(u64, f64)> {
    pairs.iter().map(|(k, x)| (number_id(&format!("v[{k}]")), *x)).collect()
}

fn of(rows: &[Row]) -> Vec<Vec<(u64, f64)>> {
    rows.iter().map(|row| row.2.clone()).collect()
}

#[test]
fn sparse_and_dense_vectors_are_their_numbers() {
    let cells = [
        sparse(4, &[Some(1), Some(3)], &[Some(2.5), Some(-1.0)]),
        dense(&[Some(0.0), Some(2.5), Some(0.0), Some(-1.0)]),
        sparse(4, &[], &[]),
        sparse(4, &[Some(0), Some(2)], &[Some(0.0), Some(7.0)]),
    ];
    let right = [numbers(&[(1, 2.5), (3, -1.0)]), numbers(&[(1, 2.5), (3, -1.0)]), vec![], numbers(&[(2, 7.0)])];
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>([Some(vec![
        Some(0.0),
        Some(2.5),
        Some(0.0),
        Some(-1.0),
    ])]));
    for bytes in table("v", &column(&cells)) {
        for numeric in [&[][..], &["v".to_owned()]] {
            let options = Options {
                wanted: ColumnSelection { numeric: numeric.to_vec(), ..options(false).wanted },
                ..options(false)
            };
            let (rows, errors) = read(bytes.clone(), &options);
            assert!(errors.is_empty(), "{errors:?}");
            assert_eq!(of(&rows), right);
            // What knows the numbers by name takes them from lists too.
            let (rows, errors) = read(table("v", &lists)[0].clone(), &options);
            assert!(errors.is_empty(), "{errors:?}");
            assert_eq!(of(&rows), right[..1]);
        }
    }
}

#[test]
fn damaged_vectors_are_faults_of_their_rows() {
    let (one, two) = ([Some(1.0)], [Some(1.0), Some(2.0)]);
    let whole = sparse(3, &[Some(2)], &one);
    for (cell, message) in [
        (
            sparse(3, &[Some(3)], &one),
            "'3': is no index here: those of a vector of size 3 ascend, from 0 to below that",
        ),
        (sparse(3, &[Some(-1)], &one), "'-1': is no index here"),
        (sparse(3, &[Some(2), Some(1)], &two), "'1': is no index here"),
        (sparse(3, &[Some(1), Some(1)], &two), "'1': is no index here"),
        (sparse(3, &[None], &one), ": is no index here"),
        (sparse(3, &[Some(1)], &two), ": the vector has 1 indices and 2 values"),
        (sparse(-3, &[], &[]), "'-3': is no size of a sparse vector"),
        (sparse(4, &[Some(1)], &one), ": holds a vector of 4, the vectors before have 3"),
        (dense(&two), ": holds a vector of 2, the vectors before have 3"),
        (Some((Some(0), None, Some(&[Some(1)]), Some(&one))), ": is no size of a sparse vector"),
        (Some((Some(0), Some(3), None, Some(&one))), ": the indices of the sparse vector are null"),
        (Some((Some(0), Some(3), Some(&[Some(1)]), None)), ": the values of the vector are null"),
        (Some((Some(2), Some(3), Some(&[Some(1)]), Some(&one))), "'2': is no type of a vector"),
        (Some((None, Some(3), Some(&[Some(1)]), Some(&one))), ": is no type of a vector"),
        (None, ": is null; --missing indicator"),
        (sparse(3, &[Some(1)], &[None]), ": is null; --missing indicator"),
        (sparse(3, &[Some(1)], &[Some(f64::INFINITY)]), "'inf': is not finite"),
    ] {
        // Also where the damaged one comes first: its size is not that of the others.
        for cells in [[whole, cell, whole], [cell, whole, whole]] {
            let first = cells[0] == cell;
            if first && message.contains("before have") {
                continue;
            }
            for bytes in table("v", &column(&cells)) {
                let (rows, errors) = read(bytes, &options(false));
                assert_eq!(of(&rows), [numbers(&[(2, 1.0)]), numbers(&[(2, 1.0)])], "{message}");
                let [error] = &errors[..] else { panic!("{message}: {errors:?}") };
                let (error, row) = (error.to_string(), if first { 1 } else { 2 });
                let place = format!("f: row {row}, column 'v");
                let remedy = error.contains("correct it or leave the row out") || error.contains("--missing");
                assert!(error.starts_with(&place) && error.contains(message) && remedy && error.len() < 500, "{error}");
            }
        }
    }
}

#[test]
fn a_vector_may_be_missing_and_so_may_its_numbers() {
    let cells = [sparse(3, &[Some(2)], &[Some(1.0)]), None, dense(&[Some(1.0), None, Some(f64::NAN)])];
    let [_, second, third] = [
        &[][..],
        &[(missing_id("v"), 1.0)],
        &[(number_id("v[0]"), 1.0), (missing_id("v[1]"), 1.0), (missing_id("v[2]"), 1.0)],
    ];
    for bytes in table("v", &column(&cells)) {
        let (rows, errors) = read(bytes, &options(true));
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(of(&rows), [&numbers(&[(2, 1.0)])[..], second, third]);
    }
}

#[test]
fn what_a_vector_claims_is_bounded() {
    for (cell, message) in [
        (
            sparse(i32::MAX, &[Some(5)], &[Some(1.0)]),
            "a vector of 2147483647 numbers; up to 1048576 can be read; --ignore v",
        ),
        (None, "the first 1 rows hold no vector, so that its length is not known; --ignore v"),
    ] {
        let (rows, errors) = read(table("v", &column(&[cell]))[0].clone(), &options(false));
        assert!(rows.is_empty() && errors[0].to_string().contains(message), "{errors:?}");
    }
    // Long ones take the time of what they hold.
    let cells = vec![sparse(1 << 18, &[Some(7), Some((1 << 18) - 1)], &[Some(1.0), Some(2.0)]); 500];
    let (rows, errors) = read(table("v", &column(&cells))[0].clone(), &options(false));
    assert!(errors.is_empty() && rows.len() == 500, "{errors:?}");
    assert_eq!(rows[499].2, numbers(&[(7, 1.0), ((1 << 18) - 1, 2.0)]));
}
