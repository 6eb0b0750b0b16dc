//! Robustness tests of all public functions: whatever arguments they get, they return an error or what their documentation says, and no
//! row gets a number that is not finite. Methods are called through their types (`Type::method`), so that the last test can compare the
//! calls with the sources. More thorough tests of readers on arbitrary bytes, and of model files with random changes, are in `fuzz.rs`.

use std::{
    io::{self, Cursor, Write},
    path::Path,
    time::Duration,
};

use surefoot_glm::{
    Batch, FeatureKey, FeatureNames, HoldoutStore, Loss, Part, Plan, Quote, Role, Row, Schema, Settings, Trainer,
};
use surefoot_io::{
    Accepts, Archive, Cell, CellIndex, ColumnMeans, ColumnSelection, Dtype, Error, ErrorKind, FORMATS, Format,
    IndexedFeatures, Inferred, InferredSchema, InputName, InputPart, Located, Location, Options, Output, PartRange,
    PartsFolder, Prefetch, Reader, RowSource, Shuffle, ShuffleOrder, SpooledHoldout, Svmlight, Tensor, check_inputs,
    columns_meant, expand, flagged, is_date, list_element, load_model, model_from_bytes, model_to_bytes, printable,
    save_model, split_inputs, unit,
};
use surefoot_oracle::public::{public_functions, unexercised};

struct Any(u64);

impl Any {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }

    fn of<T: Clone>(&mut self, some: &[T]) -> T {
        some[self.below(some.len())].clone()
    }

    fn number(&mut self) -> f64 {
        self.of(&[f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX, 1e300, 1e-300, 5e-324, 0.0, -0.0, 1.0, -2.5])
    }

    fn text(&mut self) -> String {
        let long = "x".repeat(70_000);
        self.of(&[
            "",
            "a",
            "1",
            "-1",
            "1-3",
            "9-2",
            "*",
            "a*",
            "[0]",
            "v[18446744073709551616]",
            "é\u{0}\n\u{202e}",
            "18446744073709551616",
            "a^b",
            &long,
        ])
        .to_owned()
    }

    fn texts(&mut self) -> Vec<String> {
        (0..self.below(3)).map(|_| self.text()).collect()
    }

    fn maybe(&mut self) -> Option<String> {
        (self.below(3) == 0).then(|| self.text())
    }

    fn bytes(&mut self) -> Vec<u8> {
        let texts: [&[u8]; 9] = [
            b"",
            b"1 3:0.5 7:1\n-1 2:4\n",
            b"1 3:nan 7:1e999\n0 18446744073709551615:1 18446744073709551616:2\n",
            b"y,a,b\n1,2,3\n0,,x\n1,nan,\"q\n",
            b"\xff\xfe,\n\xc3",
            b"1 |n a:1e400 b\n-1 2 tag| :x\n",
            b"1 0:1 0:1\n1:",
            b"\0\0\0\0PAR1ARROW1",
            b"1\n2\n\n\n3",
        ];
        let mut bytes = self.of(&texts).to_vec();
        for _ in 0..self.below(3) {
            let at = self.below(bytes.len() + 1);
            bytes.insert(at, self.below(256) as u8);
        }
        bytes
    }

    /// Generates reader options that may be valid, out of range, or contradict each other.
    fn options(&mut self) -> Options {
        let mark = |any: &mut Any| any.of(&[None, Some(','), Some('"'), Some('\n'), Some('é'), Some('\0'), Some('1')]);
        let mut reading = Schema { index_base: self.of(&[0, 1, 2, 255]), ..Schema::default() };
        reading.by = self.of(&[FeatureKey::Index, FeatureKey::Name, FeatureKey::Column]);
        reading.bits = self.of(&[None, None, Some(0), Some(1), Some(18), Some(64), Some(65), Some(255)]);
        reading.interact = self.texts().into_iter().map(|name| (name.clone(), name)).collect();
        (reading.keep, reading.ignore) = (self.texts(), self.texts());
        let wanted = ColumnSelection {
            header: self.of(&[None, Some(true), Some(false)]),
            delimiter: mark(self),
            quote: mark(self).map(Quote::Mark),
            decimal: mark(self),
            label: self.maybe(),
            weight: self.maybe(),
            trials: self.maybe(),
            offset: self.maybe(),
            exposure: self.maybe(),
            categorical: self.texts(),
            text: self.texts(),
            numeric: self.texts(),
            ignore: self.texts(),
            id: self.maybe(),
            tags: self.below(2) == 0,
            without: if self.below(4) == 0 { vec![Role::Weight, Role::Label] } else { Vec::new() },
        };
        let format = self.of(&[None, Some(&FORMATS[0]), FORMATS.iter().find(|format| format.name == "csv")]);
        let (unlabelled, classes) = (self.below(2) == 0, self.below(2) == 0);
        let mut options = Options { format, unlabelled, classes, ..Options::default() };
        if self.below(3) == 0 {
            options.reading = reading;
        }
        if self.below(3) == 0 {
            options.wanted = wanted;
        }
        options
    }
}

fn check(batch: &Batch) {
    for r in 0..batch.len() {
        assert_eq!(Row::check(&batch.row(r)), Ok(()), "{:?}", batch.row(r));
    }
}

/// Reads all rows of a source, up to 20 errors, and checks rows and error messages; returns the number of rows.
fn read(source: &mut impl RowSource) -> usize {
    let (mut batch, mut rows, mut errors) = (Batch::default(), 0, 0);
    while errors < 20 {
        match RowSource::read(source, &mut batch) {
            Ok(true) => {
                check(&batch);
                rows += batch.len();
            }
            Ok(false) => break,
            Err(error) => {
                let says = error.to_string();
                assert!(!says.is_empty() && says.len() <= Error::LIMIT && !says.contains('\n'), "{says}");
                assert!(
                    !Error::is_broken_pipe(&error)
                        && (Error::is_row(&error) || !format!("{:?}", Error::kind(&error)).is_empty())
                );
                errors += 1;
            }
        }
    }
    let (done, all) = RowSource::progress(source);
    assert!(all.is_none_or(|all| all >= done || all == 0));
    rows
}

#[test]
fn readers_take_any_options_and_bytes() {
    let (mut opened, mut refused, mut rows) = (0, 0, 0);
    for seed in 0..1500 {
        let mut any = Any(seed * 7919);
        let (options, bytes) = (any.options(), any.bytes());
        let sound = Options::check(&options).is_ok();
        match Reader::with_reader("é\n", Cursor::new(bytes.clone()), options.clone()) {
            Ok(mut reader) => {
                opened += 1;
                assert!(sound, "{options:?}");
                rows += match any.below(3) {
                    0 => read(&mut reader),
                    1 => {
                        let mut prefetch = Prefetch::new(reader);
                        let _ = Prefetch::read_within(
                            &mut prefetch,
                            &mut Batch::default(),
                            Duration::from_millis(any.below(2) as u64),
                        );
                        read(&mut prefetch)
                    }
                    _ => {
                        let _ = Reader::bytes(&reader);
                        let shuffle = Shuffle::new(reader, any.of(&[0, 1, usize::MAX]), any.below(2) == 0);
                        let order = ShuffleOrder { seed: any.below(2) as u64, pass: any.of(&[0, 1, u32::MAX]) };
                        let rows = read(&mut Shuffle::rows(&shuffle, order));
                        assert!(
                            (0.0..=1.0).contains(&Shuffle::share(&shuffle)) && Shuffle::spilled(&shuffle) < 1 << 20
                        );
                        let _ =
                            (Shuffle::bytes(&shuffle), Shuffle::whole(&shuffle), ShuffleOrder::key(order, u64::MAX));
                        rows
                    }
                };
            }
            Err(_) => refused += 1,
        }
        let found = &options.found;
        let _ = (
            Inferred::format(found),
            Inferred::table(found),
            Inferred::missing(found),
            Inferred::distinct(found),
            Inferred::head(found),
        );
        assert!(
            Inferred::notes(found).len() <= Inferred::NOTES
                && !Inferred::has_met(found, "never")
                && !Inferred::holds_lists(found, "never")
        );
        assert_eq!(Inferred::has_text_labels(found), !Inferred::classes(found).is_empty());
        Inferred::each_name(found, |_, _| ());
        let names = Inferred::names(found, &[u64::MAX, 0, 0]);
        let reading = Options::reading(&options);
        let _ = Inferred::with_many_classes(Inferred::of_model(&reading, &names), true);
        let index = CellIndex::new(&reading);
        assert!(
            CellIndex::cell(&index, u64::MAX, &FeatureNames::default())
                .is_none_or(|(_, cell)| matches!(cell, Cell::Number | Cell::Missing | Cell::Value(_)))
        );
        let _ = (CellIndex::category(&index, &any.text()), CellIndex::text(&any.text()));
        assert_eq!(ColumnSelection::roles(&options.wanted).len(), 9);
        let _ = ColumnSelection::does_without(&options.wanted, Role::Weight);
        let apart = Options::apart(&options);
        let code = Inferred::class(&apart.found, &any.text());
        assert!(!code.is_nan());
        if let Ok(mut features) = IndexedFeatures::new(&apart) {
            let mut pairs = Batch::default();
            pairs.push(None, 1.0, &[(any.below(30) as u64, 1.0), (u64::MAX, 1.0)]);
            IndexedFeatures::apply(&mut features, &mut pairs, any.below(3));
            assert_eq!(pairs.index.len(), pairs.value.len());
        }
        let mut means = ColumnMeans::default();
        let mut batch = Batch::default();
        batch.push(Some(any.number()), any.number(), &[(any.below(3) as u64, any.number())]);
        ColumnMeans::add(&mut means, &batch, &ColumnMeans::options(&apart));
        assert!(ColumnMeans::by_name(means).values().all(|mean| mean.is_finite()));
        // Places that the batch has not, of inputs that there are not.
        for part in [Part::Row, Part::Label, Part::Weight, Part::Pair(usize::MAX)] {
            let located = Options::describe(&options, &[], &batch, any.of(&[0, 1, usize::MAX]), part);
            assert!(Located::error(located, any.text()).to_string().len() <= Error::LIMIT);
            let (name, row) =
                (any.of(&["/nowhere", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]), any.of(&[0, usize::MAX]));
            let again = Options::describe_again(&options, &[InputName::new(name)], &batch, row, part);
            assert!(Located::error(again, "says").to_string().len() <= Error::LIMIT);
        }
    }
    assert!(opened > 100 && refused > 100 && rows > 100, "{opened} {refused} {rows}");
    let refuse = Options { accepts: Accepts::new(|_| Err("never".to_owned())), ..Options::default() };
    assert!(
        Reader::with_reader("f", &b"1 1:1\n"[..], refuse)
            .and_then(|mut reader| reader.read(&mut Batch::default()))
            .is_err()
    );
}

#[cfg(feature = "parquet")]
#[test]
fn tables_in_memory_take_any_options() {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
    use std::sync::Arc;
    use surefoot_io::{MemoryTable, TableRows};

    let (mut refused, mut rows) = (0, 0);
    for seed in 0..1000 {
        let mut any = Any(3 + seed * 7919);
        let (options, count) = (any.options(), any.below(4));
        let numbers: ArrayRef = Arc::new(Float64Array::from_iter((0..count).map(|_| Some(any.number()))));
        let texts: ArrayRef = Arc::new(StringArray::from_iter((0..count).map(|_| any.maybe())));
        let columns = RecordBatch::try_from_iter([(any.text(), numbers), (any.text(), texts)]).unwrap();
        let table = MemoryTable::new(&any.text(), columns.schema(), [columns.clone(), columns.clone()]);
        assert_eq!((MemoryTable::len(&table), MemoryTable::is_empty(&table)), (2 * count as u64, count == 0));
        match MemoryTable::rows(&table, options.apart()) {
            Ok(mut source) => rows += read(&mut source),
            Err(_) => refused += 1,
        }
        let name = MemoryTable::name(&table);
        let stream = TableRows::new(name, columns.schema(), [Ok(columns.slice(0, 0)), Ok(columns)], options.apart());
        rows += stream.map_or(0, |mut stream| read(&mut stream));
        let mut batch = Batch::default();
        batch.push(Some(any.number()), any.number(), &[(any.below(3) as u64, any.number())]);
        for part in [Part::Row, Part::Label, Part::Weight, Part::Pair(usize::MAX)] {
            for row in [0, 1, usize::MAX] {
                let located = MemoryTable::describe(&table, &options, &batch, row, part);
                let again = MemoryTable::describe_again(&table, &options, &batch, row, part);
                for located in [located, again] {
                    assert!(Located::error(located, any.text()).to_string().len() <= Error::LIMIT);
                }
            }
        }
    }
    assert!(refused > 50 && rows > 100, "{refused} {rows}");
}

#[test]
fn the_push_parser_takes_any_options_and_pieces() {
    for seed in 0..3000 {
        let mut any = Any(1 + seed * 104_729);
        let (options, mut batch) = (any.options(), Batch::default());
        batch.clear();
        let mut parser = Svmlight::new(&options);
        for _ in 0..any.below(4) {
            let bytes = any.bytes();
            if let Err(fault) = Svmlight::push(&mut parser, &bytes, &mut batch) {
                assert!(!fault.message.is_empty() && fault.token.len() <= 80);
            }
        }
        (0..4).for_each(|_| _ = Svmlight::finish(&mut parser, &mut batch));
        check(&batch);
    }
}

#[test]
fn archives_and_models_may_be_any() {
    let mut any = Any(5);
    let file = tempfile::NamedTempFile::new().unwrap();
    for _ in 0..500 {
        let (f64s, f32s, u8s, u32s, u64s) =
            ([any.number()], [any.number() as f32], [1_u8; 3], [u32::MAX], [u64::MAX; 2]);
        let shape = any.of(&[vec![], vec![0], vec![1], vec![3], vec![usize::MAX, 2], vec![0, usize::MAX]]);
        let tensor = match any.below(5) {
            0 => Tensor::from_f64(&any.text(), &shape, &f64s),
            1 => Tensor::from_f32(&any.text(), &shape, &f32s),
            2 => Tensor::from_u8(&any.text(), &shape, &u8s),
            3 => Tensor::from_u32(&any.text(), &shape, &u32s),
            _ => Tensor::from_u64(&any.text(), &shape, &u64s),
        };
        let meta = any.of(&["", "{}", "null", "{", "\u{0}"]).to_owned();
        let twice = if any.below(3) == 0 { vec![tensor.clone(), tensor.clone()] } else { vec![tensor.clone()] };
        let archive = Archive { meta, tensors: twice };
        let mut bytes = Vec::new();
        if Archive::write(&archive, &mut bytes).is_ok() {
            assert!(Archive::tensor(&archive, &tensor.name).is_some());
            std::fs::write(file.path(), &bytes).unwrap();
            assert_eq!(Archive::read(file.path()).unwrap(), archive);
            // What is no archive is none of a model either.
            let whole = bytes.len();
            bytes.truncate(any.below(whole + 1));
            std::fs::write(file.path(), &bytes).unwrap();
            assert!(load_model(file.path()).is_err());
            let name = any.text();
            assert!(model_from_bytes(&name, &bytes).is_err());
            assert!(Archive::from_bytes(&name, &bytes).is_ok_and(|read| read == archive) || bytes.len() < whole);
        }
        let kinds = [
            Tensor::to_f64(&tensor).is_some(),
            Tensor::to_f32(&tensor).is_some(),
            Tensor::to_u8(&tensor).is_some(),
            Tensor::to_u32(&tensor).is_some(),
            Tensor::to_u64(&tensor).is_some(),
        ];
        assert_eq!(kinds.iter().filter(|kind| **kind).count(), 1);
        assert!(Dtype::size(tensor.dtype) <= 8);
    }
    // A model that is none is not saved.
    let mut model = Trainer::new(Settings { loss: Loss::Squared, ..Settings::default() }, Plan::ONE_PASS).model();
    assert!(save_model(&model, &mut io::sink()).is_ok() && model_to_bytes(&model).is_ok());
    model.intercept[0] = f64::NAN;
    assert!(save_model(&model, &mut io::sink()).is_err() && model_to_bytes(&model).is_err());
    assert!(load_model(Path::new("\u{0}")).is_err() && Archive::read("/").is_err());
}

#[test]
fn names_of_inputs_and_outputs_may_be_any() {
    let mut any = Any(6);
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..300 {
        let name = any.text();
        let input = InputName::new(name.as_str());
        let there = InputName::check(&input).is_ok();
        assert!(!there || InputName::path(&input).is_none_or(Path::exists), "{name}");
        let _ = (InputName::size(&input), InputName::identity(&input), InputName::can_reread(&input));
        #[cfg(feature = "cloud")]
        for address in [format!("s3://{name}"), format!("https://{name}"), name.clone()] {
            let object = surefoot_io::ObjectName::parse(&address);
            assert!(object.is_none_or(|object| surefoot_io::ObjectName::address(&object) == address));
            assert!(InputName::new(&address).to_string().len() < 1000);
        }
        let _ = check_inputs(&[input.clone(), input.clone()]);
        let _ = (
            expand(name.as_str()),
            Format::guess(std::slice::from_ref(&input), FeatureKey::Name),
            Format::by_extension(Path::new(&name)),
        );
        assert!(Format::named(&name).is_none_or(|format| format.name == name));
        assert!(!Format::by_content(&any.bytes()).name.is_empty());
        let path = folder.path().join(name.replace('/', "-"));
        if let Ok(mut output) = Output::create(&path) {
            let twin = Output::create(&path).unwrap();
            assert!(Output::is_same(&output, &twin) && !Output::name(&output).is_empty());
            if let Ok(parts) = PartsFolder::beside(&output) {
                assert!(PartsFolder::path(&parts).is_dir());
            }
            let _ = (Output::check_distinct(&output, &[input]), Output::identity(&output), Output::is_atomic(&output));
            output.write_all(&any.bytes()).unwrap();
            match any.below(3) {
                0 => Output::discard(&mut output),
                1 => Output::commit(&mut output).unwrap(),
                _ => assert!(Output::error(&output, io::Error::other(any.text())).to_string().len() <= Error::LIMIT),
            }
        }
    }
}

#[test]
fn parts_of_inputs_may_be_any() {
    let mut any = Any(9);
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..300 {
        let path = folder.path().join("rows");
        std::fs::write(&path, any.bytes()).unwrap();
        let (start, end) = (any.below(40) as u64, [any.below(80) as u64, u64::MAX][usize::from(any.below(4) == 0)]);
        let kind = ["bytes", "row_groups", "record_batches"][any.below(3)];
        let range = format!(r#"{{"{kind}":{{"start":{start},"end":{end}}}}}"#);
        let whole = serde_json::to_string(&InputName::new(&path)).unwrap();
        let text = format!(r#"{{"part":{{"of":{whole},"range":{range},"size":{end}}}}}"#);
        let part: InputName = serde_json::from_str(&text).unwrap();
        let InputName::Part(inner) = &part else { panic!("{text}") };
        assert_eq!((InputPart::size(inner), InputPart::of(inner).to_string()), (end, part.to_string()));
        assert!(matches!(InputPart::range(inner), PartRange::Bytes(_)) == (kind == "bytes"));
        let inputs = [part.clone(), part];
        let options = Options::default();
        let shards = split_inputs(&inputs, &options, any.below(4));
        assert!(shards.is_err() || shards.is_ok_and(|shards| shards.concat().len() == 2));
        let options = match InferredSchema::of(&inputs, &options) {
            Ok(schema) => {
                assert!(InferredSchema::schema(&schema).index_base < 2);
                Options::with_schema(&options, &schema)
            }
            Err(_) => options,
        };
        let Ok(mut reader) = Reader::open(&inputs, options) else { continue };
        let mut batch = Batch::default();
        for _ in 0..100 {
            if let Ok(false) = reader.read(&mut batch) {
                break;
            }
        }
    }
}

#[test]
fn texts_may_be_any() {
    let mut any = Any(7);
    for _ in 0..1000 {
        let (text, names) = (any.text(), any.texts());
        assert!(!printable(&text).chars().any(char::is_control));
        let _ = (is_date(&any.bytes()), unit(&text), list_element(&text), flagged(usize::MAX, &text));
        assert!(columns_meant(&names, &text).iter().all(|&at| at < names.len()));
        let located = Located {
            file: text.clone(),
            location: Location::Cell { row: u64::MAX, column: Some(text.clone()) },
            token: text,
        };
        assert!(located.to_string().len() <= 100_000_000);
    }
    assert!(Error::from(ErrorKind::Setting { message: "x".repeat(100_000) }).to_string().len() <= Error::LIMIT);
}

#[test]
fn shelves_hold_rows_and_refuse_what_is_none() {
    let mut any = Any(8);
    let mut store = SpooledHoldout::default();
    let mut held = 0;
    for _ in 0..2000 {
        let index: Vec<u64> = (0..any.below(4)).map(|k| k as u64).collect();
        let value: Vec<f64> =
            (0..if any.below(4) == 0 { any.below(4) } else { index.len() }).map(|_| any.number()).collect();
        let label = if any.below(4) == 0 { None } else { Some(any.number()) };
        let row = Row {
            label,
            weight: any.number(),
            offset: any.number(),
            index: &index,
            value: &value,
            group: &[],
            position: u64::MAX,
        };
        let put = HoldoutStore::put(&mut store, &row);
        assert_eq!(put.is_ok(), Row::check(&row).is_ok(), "{row:?}");
        held += usize::from(put.is_ok());
    }
    let mut seen = 0;
    HoldoutStore::visit(&mut store, &mut |row| {
        assert_eq!(Row::check(row), Ok(()));
        seen += 1;
    })
    .unwrap();
    assert!(seen == held && seen > 10, "{seen} {held}");
}

/// Functions that are not called here, that is, in the tests of this file, each with the reason.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("create_no_more_outputs", "ends all outputs of the process: the command's tests of signals call it"),
    ("spool", "reads standard input, which is that of the test's own process: the command's tests do"),
    ("Spooled::size", "of the same"),
];

#[test]
fn every_public_function_is_fed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("tests/anything.rs")).unwrap();
    let text = text.split("/// Functions that are not called here").next().unwrap();
    let missing = unexercised(&root.join("src"), text, &EXCEPTIONS);
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(public_functions(&root.join("src")).len() > 70);
}
