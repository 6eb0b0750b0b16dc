//! Benchmark of the CSV reader on one core against a plain loop over the records of the `csv` crate with a fast number
//! parser:
//! `cargo run --release -p surefoot-io --example csv_throughput -- [FILE LABEL] [PASSES]`.
//!
//! Without a file, a table of 100 columns of numbers of 5 to 8 digits is generated. Prints MB/s of both sides and the
//! ratio of each pair of passes.

use std::sync::Arc;
use std::time::Instant;

use surefoot_glm::Batch;
use surefoot_io::{ColumnSelection, Format, Options, Reader, RowSource};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (text, label) = match args.as_slice() {
        [file, label, ..] => (std::fs::read(file)?, label.clone()),
        _ => (numbers(), "y".to_owned()),
    };
    let text: Arc<[u8]> = text.into();
    let passes: usize = args.get(if args.len() > 1 { 2 } else { 0 }).map_or(Ok(9), |n| n.parse())?;
    let mut sides = [Vec::new(), Vec::new()];
    for _ in 0..passes {
        let start = seconds();
        let pairs = ours(&text, &label)?;
        sides[0].push(text.len() as f64 / (seconds() - start) / 1e6);
        let start = seconds();
        let cells = theirs(&text)?;
        sides[1].push(text.len() as f64 / (seconds() - start) / 1e6);
        assert!(pairs > 0 && cells > 0.0);
    }
    let ratios = sides[0].iter().zip(&sides[1]).map(|(ours, theirs)| ours / theirs).collect();
    for (name, unit, mut rates) in
        [("reader", "MB/s", sides[0].clone()), ("csv crate", "MB/s", sides[1].clone()), ("ratio", "", ratios)]
    {
        rates.sort_by(f64::total_cmp);
        let (least, median, most) = (rates[0], rates[passes / 2], rates[passes - 1]);
        println!("{name:9} {least:8.2} {median:8.2} {most:8.2} {unit} (min, median, max)");
    }
    Ok(())
}

/// Returns the CPU time of this thread in seconds, or the elapsed time on systems that do not report CPU times.
fn seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let run = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    run.map_or_else(|| START.with(|start| start.elapsed().as_secs_f64()), |run| run / 1e9)
}

thread_local! {
    static START: Instant = Instant::now();
}

/// Reads all rows of a CSV text with this crate's [`Reader`]; returns the number of nonzeros.
fn ours(text: &Arc<[u8]>, label: &str) -> Result<usize, Failure> {
    let wanted = ColumnSelection { label: Some(label.to_owned()), ..ColumnSelection::default() };
    let options = Options { format: Format::named("csv"), wanted, classes: true, ..Options::default() };
    let mut reader = Reader::with_reader("text.csv", std::io::Cursor::new(text.clone()), options)?;
    let (mut batch, mut pairs) = (Batch::default(), 0);
    while reader.read(&mut batch)? {
        pairs += batch.index.len();
    }
    Ok(pairs)
}

/// Reads a CSV text with the `csv` crate; returns 1 plus the sum of the absolute values of all numeric cells, so that no
/// work is optimised away.
fn theirs(text: &[u8]) -> Result<f64, Failure> {
    let mut reader = csv::Reader::from_reader(text);
    let (mut record, mut sum) = (csv::ByteRecord::new(), 1.0);
    while reader.read_byte_record(&mut record)? {
        sum += record.iter().filter_map(|cell| fast_float2::parse::<f64, _>(cell).ok()).map(f64::abs).sum::<f64>();
    }
    Ok(sum)
}

/// Generates the benchmark input: 64 MB of CSV text with 100 numeric columns and a label column `y`.
fn numbers() -> Vec<u8> {
    let mut text = (0..100).map(|column| format!("x{column},")).collect::<String>() + "y\n";
    let mut state = 1u64;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    while text.len() < 64 << 20 {
        for _ in 0..100 {
            let digits = 5 + random(4) as u32;
            let number = random(10u64.pow(digits)) as f64 / 10f64.powi(random(u64::from(digits) - 1) as i32 + 1);
            let sign = ["", "-"][random(2) as usize];
            text += &format!("{sign}{number},");
        }
        text += ["0\n", "1\n"][random(2) as usize];
    }
    text.into_bytes()
}
