//! Example: learns from a stream with regular saves, is stopped, and continues from the saved model with new rows.

use surefoot_fit::{Data, Fit, Snapshot};
use surefoot_glm::{Batch, Loss};
use surefoot_io::load_model;

fn day(number: u32) -> Batch {
    let mut rows = Batch::default();
    for hour in 0..24_u32 {
        let load = f64::from(number % 7) + f64::from(hour) / 8.0;
        rows.push(Some(load), 1.0, &[(u64::from(hour), 1.0), (100 + u64::from(number % 7), 1.0)]);
    }
    rows
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join("surefoot-stream.model");
    let fit = Fit::new(Loss::Squared).save_to(&path)?.snapshot(Snapshot::Rows(1000));
    let outcome = fit.run(Data::batches((0..300).map(day)))?;
    println!("loss {:?} after {} rows", outcome.model.summary.loss, outcome.model.summary.rows);
    let further = Fit::resume(load_model(&path)?)?.save_to(&path)?.run(Data::batches((300..400).map(day)))?;
    println!("loss {:?} after {} rows", further.model.summary.loss, further.model.summary.rows);
    std::fs::remove_file(&path)?;
    Ok(())
}
