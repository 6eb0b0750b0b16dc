//! Measures the nanoseconds per nonzero of one training step, with rows in memory: `cargo run --release -p surefoot-bench
//! --bin step [BITS...]`.

use std::time::Instant;
use surefoot_bench::sparse_rows;
use surefoot_glm::{Plan, Settings, Trainer};

fn main() {
    println!("features      pairs   ns/pair (min, median, max of 7)");
    let asked: Vec<u32> = std::env::args().skip(1).filter_map(|bits| bits.parse().ok()).collect();
    for bits in if asked.is_empty() { vec![10, 16, 20] } else { asked } {
        let batch = sparse_rows(20_000, 110, 1 << bits);
        let mut trainer = Trainer::new(Settings::default(), Plan::ONE_PASS);
        trainer.learn(&batch, 0, batch.len()).expect("rows are sound");
        let mut times: Vec<f64> = (0..7)
            .map(|_| {
                let start = Instant::now();
                trainer.learn(&batch, 0, batch.len()).expect("rows are sound");
                start.elapsed().as_secs_f64() * 1e9 / batch.index.len() as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("2^{bits:<6} {:>10}   {:.1}  {:.1}  {:.1}", batch.index.len(), times[0], times[3], times[6]);
    }
}
