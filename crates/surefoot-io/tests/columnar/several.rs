//! Tests of cells with several values (texts whose words are features, and lists of categories): their features are the same in
//! every format and for every column type.

use std::sync::Arc;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::twin::{arrow_file, batch, error, missing_id, options, pairs, parquet, text_id};
use arrow_array::builder::{FixedSizeListBuilder, GenericListBuilder, ListViewBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Float64Array, Int32Array, Int64Array, LargeStringArray, ListArray,
    StringArray, StringViewArray, types,
};
use proptest::prelude::*;
use surefoot_io::{ColumnSelection, Options};

type Texts = Vec<Option<String>>;

/// Returns reader options with the columns `text` as words and `categorical` as categories; `indicator` allows missing cells.
fn wanted(indicator: bool, text: &[&str], categorical: &[&str]) -> Options {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let options = options(indicator);
    let wanted = ColumnSelection { text: list(text), categorical: list(categorical), ..options.wanted.clone() };
    Options { wanted, ..options }
}

/// Returns the distinct words of a text, split letter by letter, independently of the reader.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        let is_unseen = ['\u{ad}', '\u{200c}', '\u{200d}'].contains(&c);
        if c.is_alphanumeric() || !word.is_empty() && is_combining_mark(c) {
            word.extend(c.to_lowercase());
        } else if !word.is_empty() && !is_unseen {
            let composed: String = std::mem::take(&mut word).nfc().collect();
            if !words.contains(&composed) {
                words.push(composed);
            }
        }
    }
    words
}

fn values(column: &str, values: &[impl AsRef<str>]) -> Vec<(u64, f64)> {
    values.iter().map(|value| (text_id(column, value.as_ref()), 1.0)).collect()
}

/// Returns a column of texts as an Arrow array of each text type.
fn columns_of(cells: &Texts) -> Vec<ArrayRef> {
    let texts = || cells.iter().map(Option::as_deref);
    vec![
        Arc::new(texts().collect::<StringArray>()),
        Arc::new(texts().collect::<LargeStringArray>()),
        Arc::new(texts().collect::<StringViewArray>()),
        Arc::new(texts().map(|text| text.map(str::as_bytes)).collect::<BinaryArray>()),
        Arc::new(texts().collect::<DictionaryArray<types::Int32Type>>()),
    ]
}

fn table(name: &str, column: ArrayRef) -> Vec<Vec<u8>> {
    let labels: ArrayRef = Arc::new(Float64Array::from_iter_values((0..column.len()).map(|n| (n % 2) as f64)));
    let table = batch(&[("y", labels), (name, column)]);
    vec![parquet(&table), arrow_file(&table, 3)]
}

fn csv(name: &str, cells: &Texts) -> Vec<u8> {
    let cell = |text: &Option<String>| text.as_deref().unwrap_or_default().replace('"', "\"\"");
    let rows = cells.iter().enumerate().map(|(n, text)| format!("{},\"{}\"\n", n % 2, cell(text)));
    format!("y,{name}\n{}", rows.collect::<String>()).into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn prose_has_the_same_words_in_every_format(
        cells in prop::collection::vec(prop::option::weighted(0.9, prop_oneof![
            3 => "[a-cA-C,.' \n\"]{0,20}",
            1 => any::<String>(),
            1 => "(NA|None|null|nan|skip|[ \t]*|1.5|İ ẞ Σ)",
        ]), 1..8),
        indicator in any::<bool>(),
        na in any::<bool>(),
    ) {
        let of = || {
            let mut options = wanted(indicator, &["t"], &[]);
            options.wanted.header = Some(true);
            options.wanted.delimiter = Some(',');
            options.reading.table.na.extend(na.then(|| "skip".to_owned()));
            options
        };
        let right: Vec<_> = cells.iter().map(|cell| {
            let text = cell.as_deref().unwrap_or_default().trim_ascii();
            let is_missing = text.is_empty() || na && text == "skip";
            if !is_missing {
                values("t", &words(text))
            } else if indicator {
                vec![(missing_id("t"), 1.0)]
            } else {
                Vec::new()
            }
        }).collect();
        prop_assert_eq!(&pairs(csv("t", &cells), &of()), &right, "csv");
        for column in columns_of(&cells) {
            let make = column.data_type().clone();
            for bytes in table("t", column) {
                prop_assert_eq!(&pairs(bytes, &of()), &right, "{}", make);
            }
        }
    }
}

/// Returns a column of lists of texts, one list per row, as an Arrow array of each list type.
fn lists(cells: &[Option<&[&str]>]) -> Vec<ArrayRef> {
    fn filled<O: arrow_array::OffsetSizeTrait>(cells: &[Option<&[&str]>]) -> ArrayRef {
        let mut lists = GenericListBuilder::<O, _>::new(StringBuilder::new());
        cells.iter().for_each(|cell| lists.append_option(cell.map(|cell| cell.iter().copied().map(Some))));
        Arc::new(lists.finish())
    }
    let mut views = ListViewBuilder::new(StringBuilder::new());
    for cell in cells {
        cell.iter().copied().flatten().for_each(|word| views.values().append_value(word));
        views.append(cell.is_some());
    }
    let plain = filled::<i32>(cells);
    let of_words = plain.as_list::<i32>();
    let (field, ends, texts, nulls) = of_words.clone().into_parts();
    let texts: DictionaryArray<types::Int8Type> = texts.as_string::<i32>().iter().collect();
    let field = field.as_ref().clone().with_data_type(texts.data_type().clone());
    let of_dictionary: ArrayRef = Arc::new(ListArray::new(Arc::new(field), ends, Arc::new(texts), nulls));
    // A list beside those of the rows that none of them has.
    let more: Vec<_> = [Some(&["none"][..])].into_iter().chain(cells.iter().copied()).collect();
    let keys = Int32Array::from_iter_values(1..=cells.len() as i32);
    let in_dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, filled::<i64>(&more)));
    vec![plain, filled::<i64>(cells), Arc::new(views.finish()), of_dictionary, in_dictionary]
}

#[test]
fn a_list_of_words_is_several_categories() {
    let cells: [Option<&[&str]>; 4] = [Some(&["b", "a", "b", "New York"]), Some(&[]), Some(&["a"]), None];
    let mut right: Vec<_> =
        [&["b", "a", "New York"][..], &[], &["a"]].iter().map(|cell| values("tags", cell)).collect();
    for column in lists(&cells[..3]) {
        let make = column.data_type().clone();
        // What a Parquet file has of it, the writer says: a dictionary of lists is none.
        let formats = table_of(column);
        for bytes in formats {
            assert_eq!(pairs(bytes.clone(), &options(false)), right, "{make}: by default");
            assert_eq!(pairs(bytes.clone(), &wanted(false, &[], &["tags"])), right, "{make}: --categorical");
            let mut words = right.clone();
            words[0] = values("tags", &["b", "a", "new", "york"]);
            assert_eq!(pairs(bytes, &wanted(false, &["tags"], &[])), words, "{make}: --text");
        }
    }
    right.push(vec![(missing_id("tags"), 1.0)]);
    for column in lists(&cells) {
        let make = column.data_type().clone();
        for bytes in table_of(column) {
            assert_eq!(pairs(bytes.clone(), &options(true)), right, "{make}: --missing indicator");
            let (rows, errors) = super::twin::read(bytes.clone(), &options(false));
            assert_eq!((rows.len(), errors.len()), (3, 1), "{make}");
            assert!(errors[0].to_string().starts_with("f: row 4, column 'tags': is null; --missing"), "{}", errors[0]);
            // Of words there are none.
            assert_eq!(pairs(bytes, &wanted(false, &["tags"], &[]))[3], [], "{make}");
        }
    }
}

/// Returns the column `tags` as a file in each format that can hold its type.
fn table_of(column: ArrayRef) -> Vec<Vec<u8>> {
    use arrow_schema::DataType::{Dictionary, ListView};
    match column.data_type() {
        Dictionary(..) | ListView(_) => table("tags", column).split_off(1),
        _ => table("tags", column),
    }
}

#[test]
fn lists_of_one_length_and_of_whole_numbers_are_categories_too() {
    let mut fixed = FixedSizeListBuilder::new(StringBuilder::new(), 2);
    for pair in [["b", "a"], ["a", "a"]] {
        pair.iter().for_each(|word| fixed.values().append_value(word));
        fixed.append(true);
    }
    for bytes in table("tags", Arc::new(fixed.finish())) {
        assert_eq!(pairs(bytes, &options(false)), [values("tags", &["b", "a"]), values("tags", &["a"])]);
    }
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<types::Int64Type, _, _>([
        Some(vec![Some(7), Some(-1)]),
        Some(vec![Some(7), None]),
    ]));
    let ids = || table("ids", lists.clone());
    let right = [values("ids", &["7", "-1"]), vec![(text_id("ids", "7"), 1.0), (missing_id("ids"), 1.0)]];
    for bytes in ids() {
        assert_eq!(pairs(bytes, &wanted(true, &[], &["ids"])), right);
    }
    let column = |name, cells| vec![("y", Arc::new(Float64Array::from(vec![1.0, 0.0])) as ArrayRef), (name, cells)];
    let message = error(&column("ids", lists.clone()), &wanted(false, &[], &["ids"]));
    assert!(message.starts_with("f: row 2, column 'ids': is null; --missing indicator"), "{message}");
    let message = error(&column("ids", lists), &options(false));
    assert!(message.contains("--numeric ids makes each of their numbers a feature"), "{message}");
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![3, 4]));
    assert_eq!(
        pairs(table("n", whole).remove(0), &wanted(false, &["n"], &[])),
        [values("n", &["3"]), values("n", &["4"])]
    );
    let times: ArrayRef = Arc::new(arrow_array::Time32SecondArray::from(vec![1, 2]));
    let message = error(&column("x", times), &wanted(false, &["x"], &[]));
    assert_eq!(message, "f: column 'x' (time) holds no text of which words could be features; --ignore x");
}

#[test]
fn a_long_text_takes_the_memory_of_its_vocabulary() {
    // More words than are kept before those that are equal are united; the last ones are new.
    let text = (0..40_000).map(|n| format!("w{} ", n % 3000 + 3000 * (n / 39_999))).collect::<String>();
    let right = values("t", &words(&text));
    assert_eq!(right.len(), 3001);
    let cells = vec![Some(text), Some("W1".to_owned())];
    let right = vec![right, values("t", &["w1"])];
    assert_eq!(pairs(csv("t", &cells), &wanted(false, &["t"], &[])), right);
    assert_eq!(pairs(table("t", columns_of(&cells).remove(0)).remove(0), &wanted(false, &["t"], &[])), right);
}
