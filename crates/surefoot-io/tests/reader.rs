//! Tests of [`Reader`] on all kinds of inputs: compression, several files, pipes, threads and interrupted reads.

mod common;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{Pieces, Plain, rows, unprivileged};
use proptest::prelude::*;
use surefoot_glm::{Batch, Missing, Schema, TableSchema};
use surefoot_io::{ColumnSelection, Error, ErrorKind, Format, InputName, Options, Prefetch, Reader, RowSource, expand};

const TEXT: &str = "1 1:0.5 2:1\n0 1:-0.25 2:0.5\n1 1:0.75\n0 2:-1\n1 1:1 2:0.25\n0 1:-1 2:-0.5\n";

/// Name of a compression codec, and the function that compresses with it.
type Codec = (&'static str, fn(&[u8]) -> Vec<u8>);
const CODECS: [Codec; 5] = [("plain", <[u8]>::to_vec), ("gzip", gzip), ("zstd", zstd), ("xz", xz), ("bzip2", bzip2)];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn file(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> InputName {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    InputName::Path(path)
}

fn all(inputs: &[InputName]) -> (Vec<Plain>, Vec<(usize, Error)>) {
    let there = rows(&mut Reader::open(inputs, Options::default()).unwrap());
    let ahead = rows(&mut Prefetch::new(Reader::open(inputs, Options::default()).unwrap()));
    assert_eq!(there.0, ahead.0);
    assert_eq!(format!("{:?}", there.1), format!("{:?}", ahead.1));
    there
}

#[test]
fn inputs_follow_each_other_however_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let mut inputs = Vec::new();
    for (name, compress) in CODECS {
        inputs.push(file(folder.path(), name, compress(TEXT.as_bytes())));
        inputs.push(file(folder.path(), &format!("{name}-empty"), compress(b"")));
        // Several members or frames in one file, cut in the middle of a row.
        let (left, right) = TEXT.as_bytes().split_at(20);
        inputs.push(file(folder.path(), &format!("{name}-two"), [compress(left), compress(right)].concat()));
    }
    // Streams of xz are padded to a multiple of four bytes.
    let padded = [xz(&TEXT.as_bytes()[..20]), vec![0; 8], xz(&TEXT.as_bytes()[20..]), vec![0; 4]].concat();
    inputs.push(file(folder.path(), "padded", padded));
    // A skippable frame first, as parallel compressors write it.
    let skip = [&[0x5d, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstd(TEXT.as_bytes())].concat();
    inputs.push(file(folder.path(), "skippable", skip));
    let (rows, errors) = all(&inputs);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(rows.len(), 6 * 12);
    for (i, row) in rows.iter().enumerate() {
        assert_eq!((row.0 as usize, row.1 as usize), ([0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 16][i / 6], i % 6 + 1));
        assert_eq!(row.3, rows[i % 6].3);
    }
}

#[test]
fn tiny_inputs_are_plain() {
    let folder = tempfile::tempdir().unwrap();
    for (text, expected) in [(&b""[..], 0), (b"\n", 0), (b"1", 1), (b"1\n", 1), (b"1\n2", 2)] {
        let (rows, errors) = all(&[file(folder.path(), "f", text)]);
        assert_eq!((rows.len(), errors.len()), (expected, 0), "{text:?}");
    }
    for text in [&b"\x1f\x8b"[..], b"\x1f\x8b\x08", b"\x28\xb5\x2f", b"\x50\x2a"] {
        let (_, errors) = all(&[file(folder.path(), "f", text)]);
        assert!(errors[0].1.is_row(), "{:?}", errors[0]);
    }
}

#[test]
fn cut_or_damaged_compression_is_an_error() {
    let text = TEXT.repeat(20);
    for (name, compress) in &CODECS[1..] {
        let whole = compress(text.as_bytes());
        for length in 4..whole.len() {
            let mut reader =
                Reader::with_reader("d.svm", io::Cursor::new(whole[..length].to_vec()), Options::default()).unwrap();
            let (rows, errors) = rows(&mut reader);
            assert!(rows.len() <= 120);
            let [(before, error)] = &errors[..] else { panic!("{name} cut at {length}: {errors:?}") };
            assert_eq!(*before, rows.len(), "nothing follows");
            assert!(matches!(error.kind(), ErrorKind::Compressed { .. }), "{error}");
            assert!(error.to_string().starts_with(&format!("d.svm: damaged or cut-off {name} data")), "{error}");
        }
        for at in whole.len() / 2..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            let mut reader = Reader::with_reader("d.svm", io::Cursor::new(bytes), Options::default()).unwrap();
            let (_, errors) = rows(&mut reader);
            assert!(!errors.is_empty(), "{name} with byte {at} changed");
        }
    }
}

/// Tests on each codec that a changed byte causes an error, or else changes no row (such as the time in a gzip header).
#[test]
fn changed_bytes_change_no_rows() {
    let text = TEXT.repeat(20);
    let read = |bytes: Vec<u8>| {
        let (found, errors) =
            rows(&mut Reader::with_reader("d.svm", io::Cursor::new(bytes), Options::default()).unwrap());
        (found, errors.len())
    };
    for (name, compress) in &CODECS[1..] {
        let whole = compress(text.as_bytes());
        let good = read(whole.clone());
        assert_eq!((good.0.len(), good.1), (120, 0));
        for (n, at) in (0..whole.len()).cycle().take(3 * whole.len()).enumerate() {
            let mut bytes = whole.clone();
            bytes[at] ^= (n as u8).wrapping_mul(0x9d) | 1;
            let found = read(bytes);
            assert!(found.1 > 0 || found == good, "{name} with byte {at} changed");
        }
    }
}

/// Tests that the memory for decoding an xz file is bounded: a well-formed file that needs 4 GiB is refused.
#[test]
fn xz_files_are_not_given_any_memory() {
    let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
    options.dict_size(1 << 20);
    let mut filters = liblzma::stream::Filters::new();
    filters.lzma2(&options);
    let stream = liblzma::stream::Stream::new_stream_encoder(&filters, liblzma::stream::Check::Crc32).unwrap();
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(TEXT.as_bytes()).unwrap();
    let mut bytes = encoder.finish().unwrap();
    // The block header: its size, flags, the filter's id, the size of its properties, the dictionary, padding, CRC.
    assert_eq!(bytes[12..16], [2, 0, 0x21, 1]);
    bytes[16] = 40;
    let mut crc = flate2::Crc::new();
    crc.update(&bytes[12..20]);
    bytes[20..24].copy_from_slice(&crc.sum().to_le_bytes());
    let (_, errors) = rows(&mut Reader::with_reader("d.svm", io::Cursor::new(bytes), Options::default()).unwrap());
    assert!(matches!(errors[0].1.kind(), ErrorKind::Compressed { .. }), "{}", errors[0].1);
    assert!(errors[0].1.to_string().contains("memory"), "{}", errors[0].1);
}

#[test]
fn paths_are_checked_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let good = file(folder.path(), "good.svm", TEXT);
    let open = |path: &Path| Reader::open(&[good.clone(), InputName::new(path)], Options::default()).unwrap_err();
    let message =
        |path: &Path, reason: &str| assert_eq!(open(path).to_string(), format!("{}: {reason}", path.display()));
    message(&folder.path().join("none.svm"), "No such file or directory");
    message(folder.path(), "Is a directory");
    message(&folder.path().join("good.svm/x"), "Not a directory");
    let closed = folder.path().join("closed.svm");
    std::fs::write(&closed, TEXT).unwrap();
    std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    if !unprivileged::tested("paths_are_checked_before_anything_is_read") {
        message(&closed, "Permission denied");
    }
    let odd = PathBuf::from("no\nsuch\u{1b}[31m");
    assert_eq!(
        InputName::new(odd).check().unwrap_err().to_string(),
        r"no\u{a}such\u{1b}[31m: No such file or directory"
    );
    assert!(InputName::new("x".repeat(3000)).check().unwrap_err().to_string().len() <= Error::LIMIT);
}

#[test]
fn patterns_stand_for_the_files_that_match() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["part-10.csv", "part-2.csv", "part-1.csv.gz", "b[1].csv", "b1.csv", "other"] {
        file(folder.path(), name, "");
    }
    std::fs::create_dir_all(folder.path().join("part-3.csv")).unwrap();
    std::fs::create_dir_all(folder.path().join("deep/er")).unwrap();
    file(folder.path(), "deep/er/z.csv", "");
    let found = |pattern: &str| {
        let names = expand(folder.path().join(pattern)).map_err(|error| error.to_string())?;
        let prefix = format!("{}/", folder.path().display());
        Ok::<_, String>(names.iter().map(|name| name.to_string().replace(&prefix, "")).collect::<Vec<_>>().join(" "))
    };
    // Folders are no files.
    assert_eq!(found("part-*.csv").unwrap(), "part-10.csv part-2.csv");
    assert_eq!(found("part-?.csv*").unwrap(), "part-1.csv.gz part-2.csv");
    assert_eq!(found("**/z.csv").unwrap(), "deep/er/z.csv");
    // A file of that name is that file.
    assert_eq!(found("b[1].csv").unwrap(), "b[1].csv");
    assert_eq!(found("b[0-9].csv").unwrap(), "b1.csv");
    // Names without a pattern are checked later, as names are.
    assert_eq!(found("none.csv").unwrap(), "none.csv");
    assert_eq!(found("none[.csv").unwrap(), "none[.csv");
    let error = found("none-*.csv").unwrap_err();
    assert_eq!(error, format!("{}/none-*.csv: no file matches this pattern", folder.path().display()));
}

#[test]
fn settings_are_checked() {
    for reading in [
        Schema { bits: Some(0), ..Schema::default() },
        Schema { bits: Some(65), ..Schema::default() },
        Schema { index_base: 2, ..Schema::default() },
    ] {
        let options = Options { reading, ..Options::default() };
        assert!(matches!(Reader::open(&[], options).unwrap_err().kind(), ErrorKind::Setting { .. }));
    }
}

#[test]
fn one_file_has_one_identity() {
    let folder = tempfile::tempdir().unwrap();
    let one = file(folder.path(), "one", "");
    let two = file(folder.path(), "two", "");
    std::fs::hard_link(folder.path().join("one"), folder.path().join("hard")).unwrap();
    std::os::unix::fs::symlink("one", folder.path().join("soft")).unwrap();
    for name in ["one", "hard", "soft", "./one"] {
        assert_eq!(InputName::Path(folder.path().join(name)).identity(), one.identity());
    }
    assert_ne!(one.identity(), two.identity());
    assert!(one.identity().is_some() && one.can_reread());
    assert_eq!(InputName::new("/dev/null").identity(), None);
    assert!(!InputName::new("/dev/null").can_reread());
}

#[test]
fn progress_counts_stored_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = gzip(TEXT.repeat(1000).as_bytes());
    let inputs = [file(folder.path(), "a.gz", &bytes), file(folder.path(), "b", "1\n")];
    let mut reader = Reader::open(&inputs, Options::default()).unwrap();
    let total = bytes.len() as u64 + 2;
    assert_eq!(reader.bytes(), (0, Some(total)));
    rows(&mut reader);
    assert_eq!(reader.progress(), (total, Some(total)));
    let pipes = [inputs[0].clone(), InputName::new("/dev/null")];
    assert_eq!(Reader::open(&pipes, Options::default()).unwrap().progress(), (0, None));
}

#[test]
fn a_line_through_a_pipe_is_delivered_at_once() {
    for with_thread in [false, true] {
        let (from, mut to) = io::pipe().unwrap();
        let reader = Reader::with_reader("pipe", from, Options::default()).unwrap();
        let mut source: Box<dyn RowSource> =
            if with_thread { Box::new(Prefetch::new(reader)) } else { Box::new(reader) };
        let mut batch = Batch::default();
        for label in 0..100 {
            // Rows of two bytes: even the search for compression must not wait for more.
            writeln!(to, "{}", label % 10).unwrap();
            assert!(source.read(&mut batch).unwrap());
            assert_eq!((batch.len(), batch.label[0]), (1, f64::from(label % 10)));
        }
        drop(to);
        assert!(!source.read(&mut batch).unwrap());
        assert!(!source.read(&mut batch).unwrap());
    }
}

#[test]
fn a_blocked_thread_does_not_hold_up_its_user() {
    let (from, mut to) = io::pipe().unwrap();
    let mut source = Prefetch::new(Reader::with_reader("pipe", from, Options::default()).unwrap());
    to.write_all(b"1 1:1\n").unwrap();
    let mut batch = Batch::default();
    assert!(source.read(&mut batch).unwrap());
    assert!(source.read_within(&mut batch, Duration::from_millis(10)).unwrap().is_none());
    // Neither waits for the pipe, which never gives more.
    drop(source);
}

#[test]
fn a_dropped_thread_stops_reading() {
    /// Endless stream of rows. Dropping it closes its channel, so that the test sees that the reading thread has ended.
    struct Endless {
        _alive: std::sync::mpsc::Sender<()>,
    }
    impl Read for Endless {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            bytes.fill(b'\n');
            bytes[0] = b'1';
            Ok(bytes.len())
        }
    }
    let (alive, gone) = std::sync::mpsc::channel();
    let mut source =
        Prefetch::new(Reader::with_reader("endless", Endless { _alive: alive }, Options::default()).unwrap());
    assert!(source.read(&mut Batch::default()).unwrap());
    drop(source);
    let ended = gone.recv_timeout(Duration::from_secs(60));
    assert_eq!(ended, Err(std::sync::mpsc::RecvTimeoutError::Disconnected));
}

#[test]
fn a_panic_on_the_thread_is_passed_on() {
    struct Broken;
    impl RowSource for Broken {
        fn read(&mut self, _: &mut Batch) -> Result<bool, Error> {
            panic!("broken source")
        }
        fn progress(&self) -> (u64, Option<u64>) {
            (0, None)
        }
    }
    let read = || Prefetch::new(Broken).read(&mut Batch::default());
    assert!(std::panic::catch_unwind(read).is_err());
}

#[test]
fn errors_of_the_system_are_no_damage() {
    struct Fails(io::Cursor<Vec<u8>>);
    impl Read for Fails {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            match self.0.read(bytes)? {
                0 => Err(io::Error::from_raw_os_error(5)),
                n => Ok(n),
            }
        }
    }
    for (_, compress) in CODECS {
        let stored = compress(TEXT.as_bytes());
        let from = Fails(io::Cursor::new(stored[..stored.len() - 1].to_vec()));
        let (_, errors) = rows(&mut Reader::with_reader("f", from, Options::default()).unwrap());
        assert_eq!(errors[0].1.to_string(), "f: Input/output error");
    }
}

#[test]
fn nothing_follows_a_broken_input() {
    let folder = tempfile::tempdir().unwrap();
    let broken = gzip(TEXT.as_bytes());
    let inputs = [file(folder.path(), "a", &broken[..broken.len() - 9]), file(folder.path(), "b", TEXT)];
    let (rows, errors) = all(&inputs);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(rows.len() <= 6 && errors[0].0 == rows.len(), "rows of the second input after the first one broke");
}

/// Whether a signal interrupts the read with this number, from 0.
type Comes = fn(usize) -> bool;

/// Stream that yields its bytes in pieces and fails as interrupted in those reads in which `comes` reports a signal.
struct Interrupted {
    bytes: io::Cursor<Vec<u8>>,
    piece: usize,
    comes: Comes,
    calls: usize,
}

impl Read for Interrupted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        assert!(self.calls < 1_000_000, "asks for ever");
        if (self.comes)(self.calls - 1) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = self.piece.min(bytes.len());
        self.bytes.read(&mut bytes[..n])
    }
}

/// Returns a small table or text in each data format, with the name of the format.
fn all_formats() -> Vec<(&'static str, Vec<u8>)> {
    let table = |delimiter: &str| "y,a,b\n1,0.5,red\n0,2,blue\n1,3,red\n".replace(',', delimiter);
    let mut all = vec![
        ("svmlight", TEXT.as_bytes().to_vec()),
        ("csv", table(",").into_bytes()),
        ("tsv", table("\t").into_bytes()),
        ("vw", b"1 |n a:2 b\n-1 |n b c:0.5\n1 |m d\n".to_vec()),
    ];
    if cfg!(feature = "parquet") {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/columnar");
        let [parquet, arrow] = ["rows.parquet", "rows.arrow"].map(|name| std::fs::read(folder.join(name)).unwrap());
        // A file holds a stream between its magic and its index.
        let end = arrow.windows(8).position(|bytes| bytes == [255, 255, 255, 255, 0, 0, 0, 0]).unwrap();
        let stream = arrow[8..end + 8].to_vec();
        all.extend([("parquet", parquet), ("arrow", arrow), ("arrow", stream)]);
    }
    all
}

#[test]
fn interrupted_reads_go_on() {
    let patterns: [(&str, Comes); 6] = [
        ("the first call of each pair", |n| n % 2 == 0),
        ("three calls of four", |n| n % 4 < 3),
        ("the very first calls", |n| n < 5),
        ("one call in seven", |n| n % 7 == 6),
        ("two calls of five, then all of ten", |n| n % 5 < 2 || n / 10 % 3 == 1),
        ("calls whose number has an odd count of ones", |n| n.count_ones() % 2 == 1),
    ];
    for (format, bytes) in all_formats() {
        for (codec, compress) in CODECS {
            let stored = compress(&bytes);
            let read = |said: bool, piece: usize, comes: Comes| {
                let from = Interrupted { bytes: io::Cursor::new(stored.clone()), piece, comes, calls: 0 };
                let wanted = ColumnSelection { label: Some("y".to_owned()), ..ColumnSelection::default() };
                let format = said.then(|| Format::named(format).unwrap());
                let table = TableSchema { missing: Missing::Indicator, ..TableSchema::default() };
                let reading = Schema { table, ..Schema::default() };
                let options = Options { format, reading, wanted, unlabelled: true, ..Options::default() };
                let (found, errors) = rows(&mut Reader::with_reader("f", from, options).unwrap());
                (found, errors.iter().map(|(row, error)| format!("{row}: {error}")).collect::<Vec<_>>())
            };
            for said in [true, false] {
                let whole = read(said, usize::MAX, |_| false);
                assert!(!whole.0.is_empty() && whole.1.is_empty(), "{format}: {:?}", whole.1);
                for (when, comes) in patterns {
                    for piece in [3, 1000] {
                        assert_eq!(read(said, piece, comes), whole, "{format} as {codec}: {when}, {piece} bytes");
                    }
                }
            }
        }
    }
}

/// Generates a row in the svmlight format: label, `index:value` pairs, and a text of the row in one of several
/// notations.
fn any_row() -> impl Strategy<Value = (f64, Vec<(u64, f64)>, String)> {
    let value = prop_oneof![
        4 => (-99_999i64..99_999, 0..6u32).prop_map(|(n, scale)| n as f64 / 10f64.powi(scale as i32)),
        1 => any::<f64>().prop_filter("finite", |value| value.is_finite()),
    ];
    let pairs = prop::collection::btree_map(prop_oneof![0..50u64, 0..u64::from(u32::MAX) + 1], value.clone(), 0..30);
    let style = prop::sample::select(vec![
        "{l} {p}\n",
        "{l}\t{p} \r\n",
        "  {l}  {p} # c:1\n",
        "#x\n{l} qid:7 {p}#\n",
        "\n \n{l} {p}\n",
    ]);
    (value, pairs, style, any::<u64>()).prop_map(|(label, pairs, style, seed)| {
        let pairs: Vec<_> = pairs.into_iter().collect();
        let mut mixed = pairs.clone();
        if seed % 3 == 0 {
            mixed.sort_by_key(|pair| pair.0.wrapping_mul(seed | 1));
        }
        let gap = [" ", "  ", "\t"][(seed >> 8) as usize % 3];
        let words: Vec<String> = mixed
            .iter()
            .map(|(index, value)| match (seed >> 16) % 3 {
                0 => format!("{index}:{value:e}"),
                _ => format!("{index}:{value}"),
            })
            .collect();
        let text = style.replace("{l}", &label.to_string()).replace("{p}", &words.join(gap));
        (label, pairs, text)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_come_back_however_they_are_cut_and_compressed(
        written in prop::collection::vec(any_row(), 0..40),
        sizes in prop::collection::vec(1..300usize, 1..8),
        last_break: bool,
        with_thread: bool,
    ) {
        let mut text: String = written.iter().map(|row| row.2.as_str()).collect();
        if !last_break && text.ends_with('\n') {
            text.pop();
        }
        let mut hashes = Vec::new();
        for (name, compress) in CODECS {
            let from = Pieces::new(&compress(text.as_bytes()), &sizes);
            let reader = Reader::with_reader("f.svm", from, Options::default()).unwrap();
            let mut source: Box<dyn RowSource> = if with_thread { Box::new(Prefetch::new(reader)) } else { Box::new(reader) };
            let (mut batch, mut found, mut last) = (Batch::default(), Vec::new(), (0, 0));
            while source.read(&mut batch).unwrap() {
                found.extend(common::plain(&batch).into_iter().map(|row| (row.2.unwrap(), row.3)));
                last = (batch.place.last().unwrap().end, batch.place.last().unwrap().hash);
            }
            let expected: Vec<_> = written.iter().map(|row| (row.0, row.1.clone())).collect();
            prop_assert_eq!(&found, &expected, "{}", name);
            hashes.push(last);
        }
        prop_assert!(hashes.iter().all(|&last| last == hashes[0]));
        prop_assert!(written.is_empty() || hashes[0].0 == text.len() as u64);
    }
}

#[test]
fn utf_16_is_told_however_its_bytes_come() {
    let cases: [(&[u8], bool); 10] = [
        (b"\xff\xfe1\0 \0", true),
        (b"\xfe\xff\x001", true),
        (b"\xff\xfe\n\0", true),
        (b"1\0 \x001\0", true),
        (b"\x001\0 \x001", true),
        (b"1\0\n\0", false),
        (b"1\0", false),
        (b"\0\0\0\0", false),
        (b"1\n\0\0\0\0", false),
        (b"1 1:1\n", false),
    ];
    for (text, told) in cases {
        for step in [1, 2, 3, 64] {
            let mut reader = Reader::with_reader("f", Pieces::new(text, &[step]), Options::default()).unwrap();
            let read = reader.read(&mut Batch::default());
            let message = read.err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(message.contains("UTF-16"), told, "{text:?} by {step}: {message}");
        }
    }
}
