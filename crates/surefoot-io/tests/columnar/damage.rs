//! Tests that Parquet and Arrow files that are truncated or changed anywhere are read with bounded memory, without a
//! panic, and with clear error messages.

use std::sync::Arc;

use super::twin::{all, arrow_file, arrow_stream, batch, format, options, parquet_with, read_file};
use arrow_array::builder::{Float32Builder, ListBuilder};
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray, types};
use arrow_ipc::CompressionType;
use parquet::basic::{BrotliLevel, Compression};
use surefoot_io::{Options, Reader};

fn table() -> RecordBatch {
    let mut lists = ListBuilder::new(Float32Builder::new());
    (0..20).for_each(|row| lists.append_value([Some(row as f32), None, Some(1.0)]));
    batch(&[
        ("y", Arc::new(Int64Array::from_iter_values((0..20).map(|i| i % 2))) as ArrayRef),
        ("x", Arc::new(Float64Array::from_iter((0..20).map(|i| (i % 6 != 1).then(|| f64::from(i) / 7.0))))),
        ("s", Arc::new(StringArray::from_iter((0..20).map(|i| (i % 5 != 2).then(|| format!("text {}", i % 7)))))),
        ("d", Arc::new((0..20).map(|i| Some(["u", "v", "w"][i % 3])).collect::<DictionaryArray<types::Int8Type>>())),
        ("l", Arc::new(lists.finish())),
    ])
}

fn wanted() -> Options {
    let mut options = options(true);
    options.wanted.numeric = vec!["l".to_owned()];
    options
}

fn files() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let table = table();
    vec![
        ("plain Parquet", "parquet", parquet_with(&table, 8, Compression::UNCOMPRESSED, 5)),
        ("Parquet with Snappy", "parquet", parquet_with(&table, 20, Compression::SNAPPY, 20)),
        ("Parquet with Brotli", "parquet", parquet_with(&table, 20, Compression::BROTLI(BrotliLevel::default()), 20)),
        ("Arrow file", "arrow", arrow_file(&table, 20)),
        ("Arrow stream", "arrow", arrow_stream(&table, 8, None)),
        ("Arrow stream with LZ4", "arrow", arrow_stream(&table, 20, Some(CompressionType::LZ4_FRAME))),
        ("Arrow stream with zstd", "arrow", arrow_stream(&table, 20, Some(CompressionType::ZSTD))),
    ]
}

/// Reads damaged bytes in format `of`; returns the rows and the message of the first error, if any. Checks that the
/// message is one line and that memory is bounded.
fn outcome(bytes: Vec<u8>, of: &str, options: Options) -> (Vec<super::twin::Row>, Option<String>) {
    let mut read_all = (Vec::new(), Vec::new());
    let used = allocation_counter::measure(|| read_all = read_file(bytes, &Options { format: format(of), ..options }));
    let (rows, errors) = read_all;
    assert!(used.bytes_max < 20 << 20, "{} bytes", used.bytes_max);
    let message = errors.first().map(ToString::to_string);
    assert!(
        message.iter().all(|message| message.len() <= 480 && message.starts_with("f: ") && !message.contains('\n')),
        "{message:?}"
    );
    (rows, message)
}

#[test]
fn every_truncation_is_an_error() {
    for (name, of, whole) in files() {
        for length in 0..whole.len() {
            let (rows, message) = outcome(whole[..length].to_vec(), of, wanted());
            assert!(rows.len() <= 20);
            if message.is_none() {
                // A stream that ends between two messages is one without the mark of its end.
                assert!(name.contains("stream"), "{name} cut at {length}");
            }
        }
    }
}

#[test]
fn a_stream_without_its_end_is_noted() {
    let whole = arrow_stream(&table(), 8, None);
    let options = wanted();
    let mut reader =
        Reader::with_reader("f.arrows", std::io::Cursor::new(whole[..whole.len() - 8].to_vec()), options.clone())
            .unwrap();
    let (rows, errors) = all(&mut reader);
    assert_eq!((rows.len(), errors.len()), (20, 0));
    assert!(options.found.notes()[0].contains("has no mark at its end"), "{:?}", options.found.notes());
}

#[test]
fn no_damaged_byte_ends_the_program() {
    for (name, of, whole) in files() {
        let (right, _) = outcome(whole.clone(), of, wanted());
        assert_eq!(right.len(), 20, "{name}");
        let mut refused = 0;
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= [0x01, 0x80, 0xff][at % 3];
            let (rows, message) = outcome(bytes, of, wanted());
            assert!(rows.len() <= 20 || message.is_none());
            refused += usize::from(message.is_some());
        }
        // Values without a checksum change unseen.
        assert!(3 * refused > whole.len(), "{name}: {refused} of {}", whole.len());
    }
}

#[test]
fn checksums_tell_of_damaged_pages() {
    let whole = include_bytes!("../data/columnar/zstd.parquet");
    let (right, none) = outcome(whole.to_vec(), "parquet", options(true));
    assert_eq!((right.len(), none), (4, None));
    let index = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize;
    let pages = 4..whole.len() - 8 - index;
    let (bits, mut named, mut unseen) = (8 * pages.len(), 0, 0);
    for at in pages {
        for bit in 0..8 {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 1 << bit;
            let (rows, message) = outcome(bytes, "parquet", options(true));
            let message = message.unwrap_or_default();
            named += usize::from(
                message.contains("row group 1, column '") && message.contains("Page CRC checksum mismatch"),
            );
            unseen += usize::from(message.is_empty() && rows != right);
        }
    }
    // The head of a page has no checksum: a few of its bits change how the page is read.
    assert!(unseen <= 3 && named > bits / 3, "{unseen} unseen, {named} named of {bits}");
}

#[test]
fn files_that_are_none_are_told_from_damaged_ones() {
    let whole = parquet_with(&table(), 20, Compression::SNAPPY, 20);
    let end = whole.len();
    let with_length = |length: u32| [&whole[..end - 8], &length.to_le_bytes(), b"PAR1"].concat();
    let cut_off = "the Parquet file is cut off: its end is missing; get the file again";
    let no_parquet = "not a Parquet file; for another format give --format";
    let claims = |length: u32| {
        format!("damaged Parquet data (its index claims {length} bytes, the file has {end}); get the file again")
    };
    for (bytes, message) in [
        (Vec::new(), no_parquet.to_owned()),
        (b"y,x\n1,2\n".to_vec(), no_parquet.to_owned()),
        (b"PAR1".to_vec(), cut_off.to_owned()),
        (b"PAR1PAR1".to_vec(), cut_off.to_owned()),
        (whole[..end / 2].to_vec(), cut_off.to_owned()),
        (b"PARE0000PARE".to_vec(), "an encrypted Parquet file, which cannot be read".to_owned()),
        (with_length(i32::MAX as u32), claims(i32::MAX as u32)),
        (with_length(u32::MAX), claims(u32::MAX)),
    ] {
        let (rows, found) = outcome(bytes, "parquet", wanted());
        assert_eq!((rows.len(), found), (0, Some(format!("f: {message}"))));
    }
    for (bytes, message) in [
        (&b""[..], "not an Arrow file or stream; for another format give --format"),
        (b"ARROW1\0\0", "the Arrow data are cut off: their end is missing; get the file again"),
        (
            b"\xff\xff\xff\xff\xff\xff\xff\x7f",
            "damaged Arrow data (a message claims to be larger than any is); get the file again",
        ),
        (b"FEA1", "is Feather of version 1, which is out of use; write it as version 2"),
    ] {
        let (rows, found) = outcome(bytes.to_vec(), "arrow", wanted());
        assert_eq!((rows.len(), found), (0, Some(format!("f: {message}"))));
    }
}

#[test]
fn lengths_that_are_claimed_are_not_allocated() {
    let numbers = Arc::new(Float64Array::from(vec![1.0; 20])) as ArrayRef;
    let table = batch(&[("y", numbers.clone()), ("x", numbers)]);
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let whole = arrow_stream(&table, 20, Some(codec));
        // The 160 bytes of a column before they were compressed.
        let at = memchr::memmem::find(&whole, &160u64.to_le_bytes()).expect("its length is written");
        let mut bytes = whole.clone();
        bytes[at..at + 8].copy_from_slice(&(1u64 << 50).to_le_bytes());
        let (rows, message) = outcome(bytes, "arrow", options(false));
        let expected = "f: damaged Arrow data (a column claims to be larger than it can be); get the file again";
        assert_eq!((rows.len(), message.as_deref()), (0, Some(expected)));
    }
}

/// Builds a Parquet file without rows whose schema nests column groups `depth` levels deep.
fn nested(depth: usize) -> Vec<u8> {
    let count = depth + 1;
    // Fields 1, a version, and 2, a list of elements, each with field 5, how many are within it.
    let mut index = vec![0x15, 2, 0x19, 0xfc];
    index.extend([count as u8 & 0x7f | 0x80, (count >> 7) as u8 & 0x7f | 0x80, (count >> 14) as u8]);
    (0..count).for_each(|at| index.extend([0x48, 1, b'g', 0x15, if at < depth { 2 } else { 0 }, 0]));
    index.extend([0x16, 0, 0x19, 0x0c, 0]);
    [b"PAR1", &index[..], &(index.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

#[test]
fn columns_that_nest_deep_are_an_error() {
    for depth in [100, 10_000, 100_000] {
        let (_, message) = outcome(nested(depth), "parquet", options(false));
        let expected = "f: damaged Parquet data (its columns nest more than 64 deep); get the file again";
        assert_eq!(message.as_deref(), Some(expected), "{depth}");
    }
}

#[test]
fn pages_that_claim_more_than_their_data_are_an_error() {
    let numbers = Arc::new(Float64Array::from_iter_values((0..20).map(f64::from))) as ArrayRef;
    let mut bytes = parquet_with(&batch(&[("y", numbers.clone()), ("x", numbers)]), 20, Compression::SNAPPY, 20);
    // The first page: its type, and its 160 bytes before they were compressed, doubled, in two bytes.
    assert_eq!((bytes[4], &bytes[6..9]), (0x15, &[0x15, 0xc0, 0x02][..]));
    bytes[7..9].copy_from_slice(&[0xfe, 0x7f]);
    let (rows, message) = outcome(bytes, "parquet", options(false));
    let expected = "f: damaged Parquet data (row group 1, column 'y', page 1: claims 8191 bytes where its data make 160 \
                    at most); get the file again";
    assert_eq!((rows.len(), message.as_deref()), (0, Some(expected)));
}
