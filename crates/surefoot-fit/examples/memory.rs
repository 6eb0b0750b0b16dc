//! Example: trains a model on rows in memory, and predicts.

use surefoot_fit::{Failed, Fit};
use surefoot_glm::{Batch, Loss, Predictor};

fn main() -> Result<(), Failed> {
    let mut rows = Batch::default();
    for t in 0..1000_u32 {
        let (a, b) = (f64::from(t % 7), f64::from(t % 11));
        rows.push(Some(f64::from(a > b)), 1.0, &[(0, a), (1, b)]);
    }
    let outcome = Fit::new(Loss::Logistic).run(rows.clone())?;
    println!("loss {:?}, of a constant {:?}", outcome.model.summary.loss, outcome.model.summary.loss_constant);
    let scored = Predictor::new(&outcome.model).score(&rows.row(0)).expect("a row that was learnt");
    println!("probability of the first row: {}", Loss::Logistic.mean(scored.margin));
    Ok(())
}
