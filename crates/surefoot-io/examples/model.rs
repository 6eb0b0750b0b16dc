//! Benchmark of saving and loading a model: `cargo run --release -p surefoot-io --example model -- FILE [FEATURES]`.
//!
//! FILE is overwritten. For comparison, the times of computing the checksum alone and of writing the same number of
//! bytes are also printed.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use surefoot_glm::{Array, Model, Numbers, State};
use surefoot_io::{Output, load_model, save_model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: model FILE [FEATURES]")?;
    let features: u64 = args.next().map_or(Ok(1 << 22), |n| n.parse())?;
    let weight: Vec<f64> = (0..features).map(|i| i as f64 / 7.0).collect();
    let sums = Array { name: "sums".to_owned(), shape: vec![weight.len()], data: Numbers::F64(weight.clone()) };
    let state = Some(State { scalars: serde_json::json!({}), arrays: vec![sums] });
    let model = Model { index: (0..features).collect(), weight, state, ..empty() };
    for _ in 0..3 {
        let mut output = Output::create(&path)?;
        time("save", || Ok(save_model(&model, &mut output)?))?;
        time("commit", || Ok(output.commit()?))?;
        time("load", || {
            load_model(Path::new(&path))?;
            Ok(())
        })?;
        let bytes = std::fs::read(&path)?;
        time("checksum", || {
            std::hint::black_box(xxhash_rust::xxh3::xxh3_64(&bytes));
            Ok(())
        })?;
        time("write", || Ok(std::fs::File::create(&path)?.write_all(&bytes)?))?;
    }
    Ok(())
}

fn empty() -> Model {
    Model {
        settings: surefoot_glm::Settings::default(),
        labels: surefoot_glm::Labels::default(),
        intercept: vec![0.0],
        index: Vec::new(),
        weight: Vec::new(),
        names: Default::default(),
        summary: surefoot_glm::Summary::default(),
        certificates: Vec::new(),
        state: None,
        unfinished: None,
    }
}

fn time(
    what: &str,
    work: impl FnOnce() -> Result<(), Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    work()?;
    println!("{what:9} {:6.1} ms", start.elapsed().as_secs_f64() * 1e3);
    Ok(())
}
