//! Tests that readers of every text format assign each feature to its feature group (of penalty factors or bounds).

mod common;

use std::io::Cursor;

use surefoot_glm::{Batch, Bounds, FeatureGroups, Missing, Schema, TableSchema};
use surefoot_io::{ColumnSelection, Format, Options, Reader, RowSource};

fn groups(names: &[&str]) -> FeatureGroups {
    let factors = names.iter().map(|name| ((*name).to_owned(), 0.5)).collect();
    FeatureGroups { factors, ..FeatureGroups::default() }
}

fn options(format: &str, groups: FeatureGroups) -> Options {
    Options { format: Format::named(format), groups, ..Options::default() }
}

/// Reads a text; returns for each row the value and the feature group number of each nonzero.
fn told(text: &str, options: Options) -> Vec<Vec<(f64, u32)>> {
    let mut reader = Reader::with_reader("f", Cursor::new(text.as_bytes().to_vec()), options).unwrap();
    let (mut rows, mut batch) = (Vec::new(), Batch::default());
    while reader.read(&mut batch).unwrap() {
        assert!(batch.group.is_empty() || batch.group.len() == batch.index.len());
        for r in 0..batch.len() {
            let row = batch.row(r);
            let group = |k: usize| row.group.get(k).copied().unwrap_or(0);
            rows.push(row.value.iter().enumerate().map(|(k, x)| (*x, group(k))).collect());
        }
    }
    rows
}

#[test]
fn columns_of_numbers_and_categories_tell_theirs() {
    let text = "y,a,b,c,colour\n1,2,3,4,red\n0,5,,0,blue\n1,6,7,8,\n";
    let wanted = ColumnSelection { label: Some("y".into()), ..ColumnSelection::default() };
    let table = TableSchema { missing: Missing::Indicator, ..TableSchema::default() };
    let reading = Schema { table, ..Schema::default() };
    let of = |names: &[&str]| {
        told(text, Options { wanted: wanted.clone(), reading: reading.clone(), ..options("csv", groups(names)) })
    };
    let exact = |of: [u32; 4]| {
        let [a, b, c, colour] = of;
        vec![
            vec![(2.0, a), (3.0, b), (4.0, c), (1.0, colour)],
            vec![(5.0, a), (1.0, b), (1.0, colour)],
            vec![(6.0, a), (7.0, b), (8.0, c), (1.0, colour)],
        ]
    };
    assert_eq!(of(&["b", "colour"]), exact([0, 1, 0, 2]));
    assert_eq!(of(&["2-4", "c*"]), exact([1, 1, 2, 2]));
    assert_eq!(of(&[]), exact([0; 4]));
}

#[test]
fn factors_of_products_are_grouped_and_products_are_not() {
    let reading = Schema { interact: vec![("a".into(), "b".into())], ..Schema::default() };
    let wanted = ColumnSelection { label: Some("y".into()), ..ColumnSelection::default() };
    let options = Options { wanted, reading, ..options("csv", groups(&["a", "b"])) };
    assert_eq!(told("y,a,b,c\n1,2,3,7\n", options), [[(2.0, 1), (3.0, 2), (7.0, 0), (6.0, 0)]]);
}

#[test]
fn namespaces_tell_theirs() {
    let text = "1 |one a b:2 |two c:3 |one d:4\n-1 | e:5 |two c:6\n";
    let exact = [vec![(1.0, 1), (2.0, 1), (3.0, 2), (4.0, 1)], vec![(5.0, 3), (6.0, 2)]];
    assert_eq!(told(text, options("vw", groups(&["one", "two", ""]))), exact);
    // Whatever the names of its features are.
    assert_eq!(
        told(text, options("vw", groups(&["a", "on"]))),
        exact.map(|row| row.iter().map(|x| (x.0, 0)).collect::<Vec<_>>())
    );
}

#[test]
fn indices_tell_theirs_hashed_or_not() {
    let text = "1 1:1 7:2 12:3\n0 20:4 21:5 7:6\n# none\n1 3:7\n";
    let exact = [vec![(1.0, 0), (2.0, 1), (3.0, 2)], vec![(6.0, 1), (4.0, 2), (5.0, 0)], vec![(7.0, 0)]];
    assert_eq!(told(text, options("svmlight", groups(&["7", "10-20"]))), exact);
    let reading = Schema { bits: Some(40), ..Schema::default() };
    let hashed = told(text, Options { reading, ..options("svmlight", groups(&["7", "10-20"])) });
    for (hashed, exact) in hashed.iter().zip(exact) {
        assert!(exact.iter().all(|pair| hashed.contains(pair)), "{hashed:?}");
    }
    // All share one id, so that the last group counts for it.
    let reading = Schema { bits: Some(1), ..Schema::default() };
    let one =
        told("1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8\n", Options { reading, ..options("svmlight", groups(&["1-4", "5"])) });
    assert!(one[0].len() <= 2 && one[0].iter().map(|pair| pair.0).sum::<f64>() == 36.0, "{one:?}");
    assert!(one[0].iter().any(|pair| pair.1 == 2), "{one:?}");
}

#[test]
fn a_factor_and_bounds_are_one_group() {
    let bounds = vec![("2-3".to_owned(), Bounds::NONNEGATIVE), ("3".to_owned(), Bounds::FREE)];
    let groups = FeatureGroups { bounds, ..groups(&["1-2"]) };
    let rows = told("1 1:1 2:2 3:3 4:4\n", options("svmlight", groups.clone()));
    let rules: Vec<_> = rows[0].iter().map(|pair| groups.rule(pair.1, Bounds::FREE)).collect();
    assert_eq!(rules.iter().map(|rule| rule.factor).collect::<Vec<_>>(), [0.5, 0.5, 1.0, 1.0]);
    assert_eq!(rules.iter().map(|rule| rule.bounds.is_free()).collect::<Vec<_>>(), [true, false, true, true]);
}

/// Tests that an invalid row in a CSV text does not shift the group numbers of the features in later rows.
#[test]
fn rows_at_fault_do_not_shift_groups() {
    let text = "y,a,b\n1,2,3\n?,4,5\n0,6,7\n";
    let wanted = ColumnSelection { label: Some("y".into()), ..ColumnSelection::default() };
    let options = Options { wanted, ..options("csv", groups(&["b"])) };
    let mut reader = Reader::with_reader("f", Cursor::new(text.as_bytes().to_vec()), options).unwrap();
    let (mut found, mut batch, mut faults) = (Vec::new(), Batch::default(), 0);
    loop {
        match reader.read(&mut batch) {
            Ok(false) => break,
            Ok(true) => (0..batch.len()).for_each(|r| found.push(batch.row(r).group.to_vec())),
            Err(_) => faults += 1,
        }
    }
    assert_eq!((found, faults), (vec![vec![0, 1]; 2], 1));
}
