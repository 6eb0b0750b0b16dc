//! Example: interrupts a run of several passes, and resumes it where it stopped.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use surefoot_fit::{Fit, StopConditions};
use surefoot_glm::{Batch, Loss};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rows = Batch::default();
    for t in 0..5000_u32 {
        rows.push(Some(f64::from(t % 13)), 1.0, &[(u64::from(t % 13), 1.0), (20, f64::from(t % 5))]);
    }
    let asked = AtomicU32::new(0);
    let soon = StopConditions::when(move || asked.fetch_add(1, Relaxed) > 100);
    let paused = Fit::new(Loss::Squared).passes(3).stop(soon).run(rows.clone())?;
    println!("stopped: {:?} after {} rows", paused.stop, paused.model.summary.rows);
    let whole = Fit::resume(paused.model)?.run(rows)?;
    println!("loss {:?} after {} rows", whole.model.summary.loss, whole.model.summary.rows);
    Ok(())
}
