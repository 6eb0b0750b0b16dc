//! Example: trains a classifier of three classes, and predicts the class probabilities of new rows.

use surefoot_fit::{Fit, Prediction, Response};
use surefoot_glm::{Batch, Loss};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rows = Batch::default();
    for t in 0..3000_u32 {
        let (a, b) = (f64::from(t % 7), f64::from(t % 11));
        rows.push(Some(f64::from(u8::from(a > b) + u8::from(a + b > 8.0))), 1.0, &[(0, a), (1, b)]);
    }
    let model = Fit::new(Loss::Softmax).run(rows)?.model;
    let mut new = Batch::default();
    [(6.0, 0.0), (1.0, 2.0), (6.0, 5.0)].into_iter().for_each(|(a, b)| new.push(None, 1.0, &[(0, a), (1, b)]));
    let mut prediction = Prediction::new(&model, Response::Mean)?;
    let (probabilities, classes) = (prediction.all(new)?, prediction.outputs());
    probabilities.chunks(classes).for_each(|row| println!("{row:.3?}"));
    Ok(())
}
