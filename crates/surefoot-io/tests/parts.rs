//! Tests that the parts of divided inputs hold the rows, and show the faults, of the whole.

mod common;

use std::path::Path;
use std::sync::Arc;

use common::parts::{divided, whole};
use proptest::prelude::*;
use surefoot_glm::{Missing, Quote};
use surefoot_io::{ColumnSelection, Format, InferredSchema, InputName, Options, PartRange, expand, split_inputs};

fn options(format: &str, change: impl FnOnce(&mut Options)) -> Options {
    let label = Some("y".to_owned()).filter(|_| matches!(format, "csv" | "tsv"));
    let wanted = ColumnSelection { label, ..ColumnSelection::default() };
    let mut options = Options { format: Format::named(format), wanted, ..Options::default() };
    change(&mut options);
    options
}

/// Checks that a file of these bytes, divided into `shards` lists, reads like the whole.
fn check(bytes: &[u8], options: &Options, shards: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    std::fs::write(&path, bytes).unwrap();
    let inputs = [InputName::new(path)];
    let expected = whole(&inputs, options);
    assert_eq!(divided(&inputs, options, shards), expected, "{shards}: {:?}", String::from_utf8_lossy(bytes));
}

fn svmlight_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "1 1:1 3:0.5",
        "-1 7:2",
        "0",
        "",
        "# a comment",
        "1 2:1 # 3:1",
        "x 1:1",
        "1 a:2",
        "1 5:1 4:2",
        "\u{feff}1 1:1",
        "1 1:1 1:2",
    ]);
    let ending = prop::sample::select(vec!["\n", "\r\n", "\n\n"]);
    let lines = prop::collection::vec((line, ending), 0..60);
    (lines, any::<bool>()).prop_map(|(lines, cut)| {
        let text: String = lines.into_iter().map(|(line, ending)| line.to_owned() + ending).collect();
        if cut { text.trim_end().to_owned() } else { text }
    })
}

fn vw_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "1 |a x y:2 |b z",
        "-1 0.5 'tag|a x",
        "|a only",
        "",
        "x |a y",
        "1 |a x:y",
        "1 2 0.5 |a \u{e9}",
    ]);
    let ending = prop::sample::select(vec!["\n", "\r\n"]);
    prop::collection::vec((line, ending), 0..60)
        .prop_map(|lines| lines.into_iter().map(|(line, ending)| line.to_owned() + ending).collect())
}

fn csv_text() -> impl Strategy<Value = String> {
    let cell = prop_oneof![
        8 => prop::sample::select(vec!["1", "0", "-2.5", "3"]),
        2 => prop::sample::select(vec!["a", "bc", "NA", "", "true", "no"]),
        2 => prop::sample::select(vec!["\"a\"", "\"a,b\"", "\"a\nb\"", "\"\n\n\n\"", "\"x\"\"\ny\"", " \"z\" "]),
        1 => prop::sample::select(vec!["a\"b", "1 2", "0012", "\"a\nb"]),
    ];
    let line = prop_oneof![
        12 => prop::collection::vec(cell.clone(), 3),
        1 => prop::collection::vec(cell, 0..5),
    ];
    let ending = prop::sample::select(vec!["\n", "\r\n", "\n\n"]);
    let lines = prop::collection::vec((line, ending), 0..60);
    let header = prop::sample::select(vec!["y,x,z\n", "\"y\",\"x\nx\",z\r\n", "\n\ny,x,z\n", "\u{feff}y,x,z\n"]);
    (header, lines, any::<bool>()).prop_map(|(header, lines, cut)| {
        let text: String = lines.into_iter().map(|(line, ending)| line.join(",") + ending).collect();
        let text = header.to_owned() + &text;
        if cut { text.trim_end().to_owned() } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn svmlight_reads_the_same_in_parts(text in svmlight_text(), shards in 1..20_usize) {
        check(text.as_bytes(), &options("svmlight", |_| {}), shards);
    }

    #[test]
    fn vw_reads_the_same_in_parts(text in vw_text(), shards in 1..20_usize) {
        check(text.as_bytes(), &options("vw", |_| {}), shards);
    }

    #[test]
    fn csv_reads_the_same_in_parts(text in csv_text(), shards in 1..20_usize, set in 0..64_u8) {
        let options = options("csv", |o| {
            o.classes = set & 1 == 1;
            if set & 2 == 2 { o.reading.table.missing = Missing::Indicator; }
            if set & 12 == 4 { o.wanted.quote = Some(Quote::None); }
            if set & 16 == 16 { o.wanted.categorical = vec!["z".to_owned()]; }
            o.unlabelled = set & 32 == 32;
        });
        check(text.as_bytes(), &options, shards);
    }

    #[test]
    fn any_csv_reads_the_same_in_parts(
        tokens in prop::collection::vec(
            prop::sample::select(vec!["1", "a", ",", ",", ";", " ", "\n", "\n", "\r\n", "\"", "\"\"", ",\"", "\r", "|"]),
            0..100,
        ),
        head in prop::sample::select(vec!["", "y,x\n", "y;x\r\n"]),
        shards in 1..20_usize,
    ) {
        let text = head.to_owned() + &tokens.concat();
        check(text.as_bytes(), &options("csv", |_| {}), shards);
    }
}

#[test]
fn rows_longer_than_parts_are_read_once() {
    let row = |n: usize| format!("1 {}", (0..n).map(|i| format!(" {i}:1")).collect::<String>());
    let text = [row(3), row(40_000), row(2), row(30_000)].join("\n");
    for shards in [2, 3, 7, 19] {
        check(text.as_bytes(), &options("svmlight", |_| {}), shards);
    }
    let cell = "x\n".repeat(100_000);
    let text = format!("y,t\n1,a\n0,\"{cell}\"\n1,b\n0,c\n");
    for shards in [2, 3, 7, 19] {
        check(text.as_bytes(), &options("csv", |_| {}), shards);
    }
}

#[test]
fn columns_are_those_of_the_first_rows() {
    // The first thousand rows hold no word; a later part holds nothing else.
    let text = format!("y,x,t\n{}{}", "1,2,red\n".repeat(2000), "0,3,17\n1,n/a,blue\n0,x,red\n".repeat(300));
    for shards in [2, 5, 16] {
        check(text.as_bytes(), &options("csv", |_| {}), shards);
        check(text.as_bytes(), &options("csv", |o| o.reading.table.missing = Missing::Indicator), shards);
    }
}

#[test]
fn parts_are_about_equally_large_and_name_their_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| InputName::Path(folder.path().join(name));
    std::fs::write(folder.path().join("a.svm"), "1 1:1\n".repeat(1000)).unwrap();
    std::fs::write(folder.path().join("b.svm"), "0 2:1\n".repeat(3000)).unwrap();
    let shards = split_inputs(&[path("a.svm"), path("b.svm")], &Options::default(), 4).unwrap();
    let size = |shard: &Vec<InputName>| shard.iter().filter_map(InputName::size).sum::<u64>();
    assert_eq!(shards.iter().map(size).collect::<Vec<_>>(), [6000; 4]);
    assert!(matches!(shards[0][..], [InputName::Path(_)]), "a whole file is not a part");
    let [InputName::Part(part)] = &shards[3][..] else { panic!("{:?}", shards[3]) };
    assert_eq!(part.range(), &PartRange::Bytes(12_000..18_000));
    let text = serde_json::to_string(&shards[3]).unwrap();
    assert!(text.contains(r#""range":{"bytes":{"start":12000,"end":18000}}"#), "{text}");
}

#[test]
fn what_cannot_be_divided_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.svm.gz"), flate2_bytes("1 1:1\n".repeat(1000).as_bytes())).unwrap();
    let input = [InputName::Path(folder.path().join("a.svm.gz"))];
    let shards = split_inputs(&input, &Options::default(), 3).unwrap();
    assert!(matches!(&shards[..], [first, middle, last] if first.is_empty() && last.is_empty() && middle.len() == 1));
    assert!(matches!(shards[1][..], [InputName::Path(_)]));
    let error = split_inputs(&[InputName::Stdin], &Options::default(), 2).unwrap_err().to_string();
    assert_eq!(error, "standard input cannot be divided among several readers: save it to a file, and name that");
    let error = split_inputs(&[], &Options::default(), 0).unwrap_err().to_string();
    assert!(error.contains("0 parts"), "{error}");
    assert_eq!(split_inputs(&[], &Options::default(), 3).unwrap().len(), 3);
}

fn flate2_bytes(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn partition_folders_keep_their_values() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, rows: usize| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "y,x\n".to_owned() + &"1,2\n0,3\n".repeat(rows)).unwrap();
    };
    write("day=1/city=Oslo/a.csv", 100);
    write("day=2/city=Rome/a.csv", 300);
    write("day=2/city=Rome/b.csv", 7);
    let found = expand(folder.path()).unwrap();
    let named: Vec<_> = found.iter().map(|input| InputName::Path(input.path().unwrap().to_owned())).collect();
    for shards in 1..12 {
        for inputs in [&found, &named] {
            let options = options("csv", |_| {});
            let expected = whole(inputs, &options);
            assert_eq!(expected.len(), 814);
            assert_eq!(divided(inputs, &options, shards), expected, "{shards}");
        }
    }
}

#[test]
fn a_file_that_was_changed_is_not_read_by_halves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.svm");
    std::fs::write(&path, "1 1:1\n".repeat(100)).unwrap();
    let inputs = [InputName::Path(path.clone())];
    let shards = split_inputs(&inputs, &Options::default(), 2).unwrap();
    std::fs::write(&path, "1 1:1\n".repeat(60)).unwrap();
    let seen = whole(&shards[1], &Options::default());
    assert!(seen.last().unwrap().contains("it became shorter while it was read: 240 bytes are missing"), "{seen:?}");
    std::fs::write(&path, flate2_bytes(&b"1 1:1\n".repeat(100))).unwrap();
    let seen = whole(&shards[1], &Options::default());
    assert!(seen[0].ends_with("is not as it was when it was divided into parts; divide it again"), "{seen:?}");
}

#[test]
fn a_schema_is_that_of_a_model_if_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "y,x\n1,2\n").unwrap();
    let (inputs, options) = ([InputName::Path(path.clone())], options("csv", |_| {}));
    let schema = InferredSchema::of(&inputs, &options).unwrap();
    assert!(options.found.table().is_none(), "the properties of the options are not changed");
    let found = surefoot_io::Inferred::of_model(schema.schema(), &surefoot_glm::FeatureNames::default());
    let of_model = Options { found: Arc::new(found), ..options.clone() };
    assert!(Arc::ptr_eq(&of_model.with_schema(&schema).found, &of_model.found));
    assert!(Path::new(&path).exists());
    let missing = [InputName::new("no such file")];
    assert!(InferredSchema::of(&missing, &options).unwrap_err().to_string().contains("No such file"));
}
