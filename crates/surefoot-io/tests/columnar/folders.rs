//! Tests that `key=value` folders become columns, in each table format.

use std::path::Path;
use std::sync::Arc;

use super::twin::{Row, all, arrow_file, batch, missing_id, number_id, options, parquet, text_id};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use surefoot_io::{Error, Options, Reader, expand};

fn numbers(cells: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(cells.to_vec()))
}

fn csv(table: &RecordBatch) -> Vec<u8> {
    let names: Vec<_> = table.schema().fields().iter().map(|field| field.name().clone()).collect();
    let cell = |column: &ArrayRef, row: usize| match column.as_any().downcast_ref::<Float64Array>() {
        Some(cells) => cells.value(row).to_string(),
        None => column.as_any().downcast_ref::<StringArray>().unwrap().value(row).to_owned(),
    };
    let row = |row| table.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>().join(",");
    let rows = (0..table.num_rows()).map(row);
    [names.join(",")].into_iter().chain(rows).collect::<Vec<_>>().join("\n").into_bytes()
}

/// Writes a file below the folder `root`, and creates the folders in its name.
fn write(root: &Path, name: &str, bytes: Vec<u8>) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn read(root: &Path, options: &Options) -> Result<Vec<Row>, Error> {
    let mut reader = Reader::open(&expand(root)?, options.clone())?;
    let (rows, errors) = all(&mut reader);
    errors.into_iter().next().map_or(Ok(rows), |(_, error)| Err(error))
}

type Written = (&'static str, fn(&RecordBatch) -> Vec<u8>);
const FORMATS: [Written; 3] = [("parquet", parquet), ("arrow", |table| arrow_file(table, 2)), ("csv", csv)];

#[test]
fn values_of_folders_are_features_of_each_row() {
    for (extension, bytes) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let table = |y: &[f64], x: &[f64]| bytes(&batch(&[("y", numbers(y)), ("x", numbers(x))]));
        write(root, &format!("n=2/k=b%2Fc/z.{extension}"), table(&[1.0, 0.0], &[3.0, 4.0]));
        write(root, &format!("n=2/k=__HIVE_DEFAULT_PARTITION__/a.{extension}"), table(&[1.0], &[5.0]));
        write(root, &format!("n=1e1/k=7/.z.{extension}"), b"no data".to_vec());
        write(root, "n=1e1/_SUCCESS", Vec::new());
        write(root, &format!("n=1e1/k=7/a.{extension}"), table(&[0.0], &[6.0]));
        let (x, n, k) = (number_id("x"), number_id("n"), |text| text_id("k", text));
        let expected = |row, label, value, of_n, of_k| (row, Some(label), vec![(x, value), (n, of_n), (of_k, 1.0)]);
        let mut rows = [
            expected(1, 0.0, 6.0, 10.0, k("7")),
            expected(1, 1.0, 5.0, 2.0, missing_id("k")),
            expected(1, 1.0, 3.0, 2.0, k("b/c")),
            expected(2, 0.0, 4.0, 2.0, k("b/c")),
        ];
        if extension == "csv" {
            rows.iter_mut().for_each(|row| row.0 += 1);
        }
        // In the order of names: 1e1 comes before 2, _ before b.
        let mut found = read(root, &options(true)).unwrap();
        found.iter_mut().chain(&mut rows).for_each(|row| row.2.sort_by_key(|pair| pair.0));
        assert_eq!(found, rows, "{extension}");
    }
}

#[test]
fn a_file_that_has_the_column_must_agree() {
    for (extension, bytes) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let table = |n: f64| bytes(&batch(&[("y", numbers(&[1.0])), ("x", numbers(&[3.0])), ("n", numbers(&[n]))]));
        let text = |t: &str| {
            let words: ArrayRef = Arc::new(StringArray::from(vec![t]));
            bytes(&batch(&[("y", numbers(&[1.0])), ("x", numbers(&[3.0])), ("t", words)]))
        };
        write(folder.path(), &format!("a/n=2.0/a.{extension}"), table(2.0));
        write(folder.path(), &format!("a/n=3/a.{extension}"), table(3.0));
        let rows = read(&folder.path().join("a"), &options(false)).unwrap();
        assert_eq!(rows.iter().map(|row| row.2[1].1).collect::<Vec<_>>(), [2.0, 3.0], "{extension}");
        write(folder.path(), &format!("a/n=4/a.{extension}"), table(3.5));
        let error = read(&folder.path().join("a"), &options(false)).unwrap_err().to_string();
        assert!(error.contains("'3.5'") && error.contains("the folder says n=4"), "{error}");
        write(folder.path(), &format!("b/t=u/a.{extension}"), text("u"));
        assert_eq!(read(&folder.path().join("b"), &options(false)).unwrap().len(), 1);
        write(folder.path(), &format!("b/t=v/a.{extension}"), text("u"));
        let error = read(&folder.path().join("b"), &options(false)).unwrap_err().to_string();
        assert!(error.contains("'u'") && error.contains("the folder says t=v"), "{error}");
    }
}
