//! Benchmark of the Parquet and Arrow reader against the bare `parquet` and `arrow` crates, on one core:
//! `cargo run --release -p surefoot-io --example columnar -- FILE LABEL [PASSES]`.
//!
//! Both decode the same columns, in alternating passes over the file. Prints the best and the median time per pass of
//! each, and the median of the ratios of consecutive passes.

use std::fs::File;
use std::time::Instant;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use surefoot_glm::{Batch, Missing};
use surefoot_io::{InputName, Options, Reader, RowSource};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let (path, label) = args.next().zip(args.next()).ok_or("usage: columnar FILE LABEL [PASSES]")?;
    let passes: usize = args.next().map_or(Ok(9), |n| n.parse())?;
    let (mut ours, mut bare, mut rows) = (Vec::new(), Vec::new(), 0);
    for _ in 0..passes {
        let start = Instant::now();
        rows = read(&path, &label)?;
        ours.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        assert_eq!(decode(&path)?, rows);
        bare.push(start.elapsed().as_secs_f64());
    }
    let bytes = std::fs::metadata(&path)?.len();
    let ratio = median(ours.iter().zip(&bare).map(|(ours, bare)| ours / bare).collect());
    for (what, seconds) in [("reader", ours), ("bare crate", bare)] {
        let best = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        for (word, seconds) in [("best", best), ("median", median(seconds))] {
            let (mega, per) = (bytes as f64 / seconds / 1e6, rows as f64 / seconds / 1e3);
            println!("{what:11} {word:6} {mega:7.1} MB/s (as stored) {per:9.0} thousand rows/s");
        }
    }
    println!("the reader takes {ratio:.2} times as long as the bare crate (median of {passes} pairs), {rows} rows");
    Ok(())
}

fn read(path: &str, label: &str) -> Outcome<usize> {
    let mut options = Options::default();
    options.wanted.label = Some(label.to_owned());
    options.classes = true;
    options.reading.table.missing = Missing::Indicator;
    let (mut reader, mut batch) = (Reader::open(&[InputName::new(path)], options)?, Batch::default());
    let mut rows = 0;
    while reader.read(&mut batch)? {
        rows += batch.len();
    }
    Ok(rows)
}

fn decode(path: &str) -> Outcome<usize> {
    let file = File::open(path)?;
    if path.ends_with(".arrow") {
        return count(arrow_ipc::reader::FileReader::try_new_buffered(file, None)?);
    }
    count(ParquetRecordBatchReaderBuilder::try_new(file)?.with_batch_size(8192).build()?)
}

fn count(batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>) -> Outcome<usize> {
    batches.map(|batch| Ok(batch?.num_rows())).sum()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
