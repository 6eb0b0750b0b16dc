//! Tests that columns of Parquet and Arrow tables assign their features to feature groups (of penalty factors or
//! bounds).

use std::io::Cursor;
use std::sync::Arc;

use super::twin::{Cells, arrow_file, batch, missing_id, number_id, options, parquet, text_id};
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, FixedSizeListArray, types};
use surefoot_glm::{Batch, FeatureGroups};
use surefoot_io::{ColumnSelection, Options, Reader, RowSource};

fn groups(names: &[&str]) -> FeatureGroups {
    let factors = names.iter().map(|name| ((*name).to_owned(), 0.5)).collect();
    FeatureGroups { factors, ..FeatureGroups::default() }
}

/// Reads a table with one feature group per name in `names`; returns for each row the id and the group number of each
/// nonzero.
fn told(bytes: Vec<u8>, names: &[&str], wanted: &ColumnSelection) -> Vec<Vec<(u64, u32)>> {
    let mut options = Options { groups: groups(names), ..options(true) };
    options.wanted = ColumnSelection { label: options.wanted.label, ..wanted.clone() };
    let mut reader = Reader::with_reader("f", Cursor::new(bytes), options).unwrap();
    let (mut rows, mut batch) = (Vec::new(), Batch::default());
    while reader.read(&mut batch).unwrap() {
        assert!(batch.group.is_empty() || batch.group.len() == batch.index.len());
        for r in 0..batch.len() {
            let row = batch.row(r);
            let group = |k: usize| row.group.get(k).copied().unwrap_or(0);
            rows.push(row.index.iter().enumerate().map(|(k, id)| (*id, group(k))).collect());
        }
    }
    rows
}

#[test]
fn numbers_texts_missing_cells_and_lists_tell_theirs() {
    let texts = |cells: [Option<&str>; 3]| cells.map(|text| text.map(str::to_owned)).to_vec();
    let list = [Some([Some(1.0), Some(2.0)]), None, Some([Some(3.0), None])];
    let list = FixedSizeListArray::from_iter_primitive::<types::Float64Type, _, _>(list, 2);
    let table = batch(&[
        ("y", Cells::Numbers(vec![Some(1.0), Some(0.0), Some(1.0)]).array()),
        ("a", Cells::Numbers(vec![Some(2.0), None, Some(3.0)]).array()),
        ("b", Cells::Whole(vec![Some(4), Some(5), Some(6)]).array()),
        ("t", Cells::Texts(texts([Some("u"), None, Some("v")])).array()),
        ("w", Cells::Words(texts([Some("u"), Some("v"), Some("u")])).array()),
        ("l", Arc::new(list) as ArrayRef),
    ]);
    let (a, t) = (number_id("a"), |text: &str| text_id("t", text));
    let (w, l) = (|text: &str| text_id("w", text), |k: usize| number_id(&format!("l[{k}]")));
    let b = number_id("b");
    let wanted = ColumnSelection { numeric: vec!["l".to_owned()], ..ColumnSelection::default() };
    for (names, [of_a, of_b, of_t, of_w, of_l]) in [
        (&["a", "t"][..], [1, 0, 2, 0, 0]),
        (&["l", "w", "b"], [0, 3, 0, 2, 1]),
        (&["2-4", "t*"], [1, 1, 2, 0, 0]),
        (&[], [0; 5]),
    ] {
        let exact = [
            vec![(a, of_a), (b, of_b), (t("u"), of_t), (w("u"), of_w), (l(0), of_l), (l(1), of_l)],
            vec![(missing_id("a"), of_a), (b, of_b), (missing_id("t"), of_t), (w("v"), of_w), (missing_id("l"), of_l)],
            vec![(a, of_a), (b, of_b), (t("v"), of_t), (w("u"), of_w), (l(0), of_l), (missing_id("l[1]"), of_l)],
        ];
        assert_eq!(told(parquet(&table), names, &wanted), exact, "{names:?}");
        assert_eq!(told(arrow_file(&table, 2), names, &wanted), exact, "{names:?}");
    }
}

#[test]
fn words_and_lists_of_categories_tell_that_of_their_column() {
    let texts = |cells: [Option<&str>; 3]| Cells::Texts(cells.map(|text| text.map(str::to_owned)).to_vec()).array();
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_value([Some("u"), Some("v")]);
    lists.append_null();
    lists.append_value([Some("v"), None]);
    let table = batch(&[
        ("y", Cells::Numbers(vec![Some(1.0), Some(0.0), Some(1.0)]).array()),
        ("prose", texts([Some("U, v u"), None, Some("V")])),
        ("tags", Arc::new(lists.finish()) as ArrayRef),
        ("t", texts([Some("u"), Some("v"), Some("u")])),
    ]);
    let wanted = ColumnSelection { text: vec!["prose".to_owned()], ..ColumnSelection::default() };
    for (names, [prose, tags, t]) in
        [(&["prose", "t"][..], [1, 0, 2]), (&["t*"], [0, 1, 1]), (&["2-3", "tags"], [1, 2, 0])]
    {
        let of = |column: &str, word: &str, group: u32| (text_id(column, word), group);
        let exact = [
            vec![
                of("prose", "u", prose),
                of("prose", "v", prose),
                of("tags", "u", tags),
                of("tags", "v", tags),
                of("t", "u", t),
            ],
            vec![(missing_id("prose"), prose), (missing_id("tags"), tags), of("t", "v", t)],
            vec![of("prose", "v", prose), of("tags", "v", tags), (missing_id("tags"), tags), of("t", "u", t)],
        ];
        assert_eq!(told(parquet(&table), names, &wanted), exact, "{names:?}");
        assert_eq!(told(arrow_file(&table, 2), names, &wanted), exact, "{names:?}");
    }
}
