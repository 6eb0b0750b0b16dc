//! Benchmark of the readers on one core: `cargo run --release -p surefoot-io --example throughput -- FILE [PASSES]`.
//!
//! Prints the best and the median time per pass of the parser alone, for svmlight (the file in memory, read in pieces of
//! 256 KiB), and of the whole reader with and without its background thread.

use std::time::Instant;

use surefoot_glm::Batch;
use surefoot_io::{InputName, Options, Prefetch, Reader, RowSource, Svmlight};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: throughput FILE [PASSES]")?;
    let passes: usize = args.next().map_or(Ok(5), |n| n.parse())?;
    let text = std::fs::read(&path)?;
    let name = std::path::Path::new(&path);
    if name.extension().is_some_and(|extension| extension == "svm") {
        report("parser", text.len(), passes, || {
            let mut parser = Svmlight::new(&Options::default());
            let mut batch = Batch::default();
            let mut pairs = 0;
            for piece in text.chunks(256 << 10) {
                batch.clear();
                parser.push(piece, &mut batch)?;
                pairs += batch.index.len();
            }
            Ok(pairs)
        })?;
    }
    report("reader", text.len(), passes, || count(Reader::open(&[InputName::new(&path)], Options::default())?))?;
    report("prefetch", text.len(), passes, || {
        count(Prefetch::new(Reader::open(&[InputName::new(&path)], Options::default())?))
    })
}

fn count(mut rows: impl RowSource) -> Result<usize, Box<dyn std::error::Error>> {
    let mut batch = Batch::default();
    let mut pairs = 0;
    while rows.read(&mut batch)? {
        pairs += batch.index.len();
    }
    Ok(pairs)
}

fn report(
    what: &str,
    bytes: usize,
    passes: usize,
    mut pass: impl FnMut() -> Result<usize, Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut seconds = Vec::new();
    let mut pairs = 0;
    for _ in 0..passes {
        let start = Instant::now();
        pairs = pass()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    for (word, seconds) in [("best", seconds[0]), ("median", seconds[passes / 2])] {
        let (rate, each) = (bytes as f64 / seconds / 1e6, seconds / pairs as f64 * 1e9);
        println!("{what:9} {word:6} {rate:7.0} MB/s (as stored) {each:6.2} ns a pair, {pairs} pairs");
    }
    Ok(())
}
