//! Reads arbitrary bytes: by the fuzzers of this folder, and in short by `crates/surefoot-io/tests/fuzz.rs`.
//!
//! Nothing may panic, and messages keep their length. Rows must be such as the trainer relies on, and the same however
//! the bytes come in.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::PathBuf;

use surefoot_glm::{Batch, Missing, Part, Predictor, Quote, Schema, TableSchema};
use surefoot_io::{Archive, ColumnSelection, Error, Format, Options, Reader, RowSource, load_model, save_model};

/// Models of all kinds.
pub mod kinds;
/// Reads and uses arbitrary models.
pub mod models;
/// Changes of model files.
pub mod mutant;

/// Bytes at the start of an input that choose how the rest is read.
pub const CHOICES: usize = 4;

/// Reads rows of a format.
pub fn rows(format: &'static Format, data: &[u8]) {
    let Some((choices, bytes)) = data.split_first_chunk() else { return };
    let whole = read(bytes, usize::MAX, &options(format, choices));
    let pieces = read(bytes, 1 + usize::from(choices[3]), &options(format, choices));
    check_same(&whole, &pieces);
}

/// Decompresses, whatever the bytes say that they are.
pub fn codec(data: &[u8]) {
    let svmlight = Format::named("svmlight").expect("it is in the table");
    let options = || Options { unlabelled: true, ..options(svmlight, &[0; CHOICES]) };
    check_same(&read(data, usize::MAX, &options()), &read(data, 7, &options()));
}

/// Rows and errors of the same bytes, as they came in at once and in pieces. How much of damaged compressed bytes is decompressed
/// before the damage shows is the decoder's business: then there are errors on both sides, and the rows before them agree.
fn check_same(whole: &Inferred, pieces: &Inferred) {
    let is_damaged = |found: &Inferred| found.1.iter().any(|(_, message)| message.contains("damaged or cut-off"));
    if is_damaged(whole) || is_damaged(pieces) {
        let common = whole.0.len().min(pieces.0.len());
        assert_eq!(whole.0[..common], pieces.0[..common], "rows depend on how the bytes come in");
        assert_eq!(whole.1.is_empty(), pieces.1.is_empty(), "errors depend on how the bytes come in");
    } else {
        assert_eq!(whole, pieces, "rows depend on how the bytes come in");
    }
}

/// Loads a model: the bytes as they are, and as the JSON of a file that is whole.
pub fn model(data: &[u8]) {
    load(data);
    if let Ok(meta) = std::str::from_utf8(data) {
        let mut bytes = Vec::new();
        let tensors = vec![
            surefoot_io::Tensor::from_u64("index", &[2], &[3, 7]),
            surefoot_io::Tensor::from_f64("weight", &[2], &[0.5, -1.0]),
        ];
        if (Archive { meta: meta.to_owned(), tensors }).write(&mut bytes).is_ok() {
            load(&bytes);
        }
    }
}

/// A model that loads can be used, and is the same once it was written and read.
fn load(bytes: &[u8]) {
    let path = scratch();
    std::fs::write(&path, bytes).expect("the folder of temporary files takes a file");
    match load_model(&path) {
        Err(error) => check(&error),
        Ok(model) => {
            let mut again = Vec::new();
            save_model(&model, &mut again).expect("what was read can be written");
            std::fs::write(&path, &again).expect("the folder of temporary files takes a file");
            let same = load_model(&path).expect("what was written can be read");
            let mut twice = Vec::new();
            save_model(&same, &mut twice).expect("what was read can be written");
            assert!(again == twice, "a model changes as it is written");
            drop(Predictor::new(&model));
        }
    }
    let _ = std::fs::remove_file(&path);
}

/// A file of this process and thread.
fn scratch() -> PathBuf {
    let thread = std::thread::current().id();
    std::env::temp_dir().join(format!("surefoot-fuzz-{}-{thread:?}", std::process::id()))
}

/// Some way to read; each call has its own memory of what readers find out.
fn options(format: &'static Format, choices: &[u8; CHOICES]) -> Options {
    let [flags, bits, columns, _] = *choices;
    let flag = |n: u32| flags & 1 << n != 0;
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let reading = Schema {
        by: format.by,
        index_base: u8::from(flag(4)),
        bits: (bits > 0).then_some(1 + bits % 64),
        interact: if flag(5) { vec![pair("a", "a"), pair("", "b")] } else { Vec::new() },
        keep: if flag(6) { names(&["a", "b"]) } else { Vec::new() },
        ignore: if flag(7) { names(&["b", "c"]) } else { Vec::new() },
        table: TableSchema {
            delimiter: (columns & 7 == 7).then_some(';'),
            quote: [None, Some(Quote::None), Some(Quote::Mark('\'')), None][usize::from(columns >> 3 & 3)],
            missing: if flag(2) { Missing::Indicator } else { Missing::Refuse },
            ..TableSchema::default()
        },
        ..Schema::default()
    };
    let column = |shift: u32, some: [Option<&str>; 4]| some[usize::from(columns >> shift & 3)].map(str::to_owned);
    let wanted = ColumnSelection {
        delimiter: None,
        quote: None,
        decimal: (columns & 15 == 15).then_some(','),
        header: [None, Some(true), Some(false), None][usize::from(columns >> 6 & 3)],
        label: column(0, [Some("y"), Some("1"), Some("label"), None]),
        weight: column(2, [None, None, Some("2"), Some("w")]),
        offset: column(3, [None, None, Some("3"), Some("o")]),
        exposure: column(4, [None, None, None, Some("e")]),
        categorical: column(4, [None, Some("a"), Some("3"), Some("2-3")]).into_iter().collect(),
        text: column(2, [None, None, Some("a"), Some("x*")]).into_iter().collect(),
        numeric: column(5, [None, Some("b"), Some("x*"), Some("l")]).into_iter().collect(),
        ignore: column(6, [None, None, Some("*z*"), Some("4-5")]).into_iter().collect(),
        id: column(1, [None, None, None, Some("a")]),
        trials: column(6, [None, None, None, Some("3")]),
        tags: flag(1),
        without: Vec::new(),
    };
    Options { format: Some(format), reading, wanted, unlabelled: flag(0), classes: flag(1), ..Options::default() }
}

/// A row: place, label, weight, pairs, all as bits.
type Row = (u64, u64, u64, Vec<(u64, u64)>);

/// Rows, and errors with the number of rows before each.
type Inferred = (Vec<Row>, Vec<(usize, String)>);

/// Most rows that are looked at.
const MOST: usize = 1 << 19;

/// Reads all there is, in pieces of at most `size` bytes: rows, and messages with the number of rows before them.
fn read(bytes: &[u8], size: usize, options: &Options) -> Inferred {
    let (mut rows, mut errors, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    let from = Pieces { bytes: io::Cursor::new(bytes.to_vec()), size };
    let mut reader = match Reader::with_reader("f", from, options.clone()) {
        Ok(reader) => reader,
        Err(error) => return (rows, vec![(0, error.to_string())]),
    };
    loop {
        match reader.read(&mut batch) {
            Ok(false) => break,
            Ok(true) => {
                rows.extend((0..batch.len()).map(|r| row(&batch, r)));
                parts(&batch, options);
                // A few bytes may stand for any number of rows of nulls: the rest would say nothing new.
                if rows.len() >= MOST {
                    rows.truncate(MOST);
                    break;
                }
            }
            Err(error) => {
                check(&error);
                errors.push((rows.len(), error.to_string()));
                if !error.is_row() {
                    break;
                }
            }
        }
    }
    let _ = options.reading();
    (rows, errors)
}

struct Pieces {
    bytes: io::Cursor<Vec<u8>>,
    size: usize,
}

impl Read for Pieces {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.size.min(to.len());
        self.bytes.read(&mut to[..n])
    }
}

fn row(batch: &Batch, r: usize) -> Row {
    let row = batch.row(r);
    assert!(row.weight >= 0.0 && row.weight.is_finite() && row.label.is_none_or(f64::is_finite));
    assert!(row.value.iter().all(|value| value.is_finite()));
    assert_eq!(row.index.iter().collect::<HashSet<_>>().len(), row.index.len(), "an id stands twice");
    let pairs = row.index.iter().copied().zip(row.value.iter().map(|value| value.to_bits())).collect();
    (batch.place[r].line, batch.label[r].to_bits(), row.weight.to_bits(), pairs)
}

/// Has parts of rows described, as for a fault that shows later.
fn parts(batch: &Batch, options: &Options) {
    for r in (0..batch.len()).take(20) {
        let last = batch.row(r).index.len().saturating_sub(1);
        for part in [Part::Row, Part::Label, Part::Weight, Part::Pair(0), Part::Pair(last)] {
            check(&options.describe(&[], batch, r, part).error("is wrong"));
        }
    }
}

fn check(error: &Error) {
    let message = error.to_string();
    assert!(message.len() <= Error::LIMIT && !message.contains('\n'), "{message}");
}
