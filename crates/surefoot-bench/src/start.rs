//! Excess of the progressive loss over the best constant, from the first rows on.

use surefoot_glm::{Batch, Fault, Loss, Plan, Settings, Trainer};

/// Largest excess of the total progressive loss over that of the best constant in hindsight, over all rows of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Excess {
    /// Excess in nats for logistic and softmax loss, otherwise in units: the mean loss that the best constant has above the least loss of
    /// each row. The loss of the first row, at which nothing is known, is left out.
    pub excess: f64,
    /// Number of the row, from 1, after which it occurs.
    pub row: usize,
    /// Largest value of the excess less [`bound`]; negative if the bound holds at every row.
    pub beyond: f64,
    /// Largest excess of a single row over the constant so far, in the same units.
    pub single: f64,
}

/// Returns the bound on the excess after `rows` rows that a safe start keeps: 10 + ½(K − 1)·ln n nats for logistic and softmax loss with K
/// classes, 15 + ln n units for squared loss and losses with a log link, and 15 + √n units for the others.
#[must_use]
pub fn bound(loss: Loss, rows: usize, classes: usize) -> f64 {
    let n = rows as f64;
    match loss {
        Loss::Logistic | Loss::Softmax => 10.0 + 0.5 * classes.saturating_sub(1) as f64 * n.ln(),
        Loss::Squared => 15.0 + n.ln(),
        _ if loss.variance_power().is_some() => 15.0 + n.ln(),
        _ => 15.0 + n.sqrt(),
    }
}

/// Trains on the rows in order, in one pass, and compares the progressive loss after each row with that of the best constant.
///
/// # Errors
/// Returns the fault of the first row that cannot be learnt.
pub fn excess(settings: &Settings, rows: &Batch) -> Result<Excess, Fault> {
    let (loss, mut found) = (settings.loss, Excess { beyond: f64::NEG_INFINITY, ..Excess::default() });
    let mut trainer = Trainer::new(settings.clone(), Plan::ONE_PASS);
    trainer.treat_labels_as_class_names(Vec::new);
    let (mut first, mut least, mut before, mut heaviest) = (0.0, 0.0, 0.0, 0.0_f64);
    for r in 0..rows.len() {
        trainer.learn(rows, r, r + 1).map_err(|(_, fault)| fault)?;
        let row = rows.row(r);
        heaviest = heaviest.max(row.weight);
        let label = row.label.unwrap_or(0.0);
        least += row.weight * if loss.classifies() { 0.0 } else { loss.minimum(label) };
        let summary = trainer.summary();
        let (Some(mean), Some(constant)) = (summary.loss, summary.loss_constant) else { continue };
        let total = mean * summary.weight;
        if r == 0 {
            // Above the least loss of its label, which the constant has to bear too.
            (first, before) = (total - least, total);
            continue;
        }
        let unit = match loss {
            Loss::Logistic | Loss::Softmax => 1.0,
            _ => constant - least / summary.weight,
        };
        let scale = unit * heaviest;
        if scale > 1e-12 * constant.abs() {
            let excess = (total - first - constant * summary.weight) / scale;
            let beyond = excess - bound(loss, r + 1, trainer.labels().classes.len().max(2));
            if excess > found.excess {
                (found.excess, found.row) = (excess, r + 1);
            }
            found.beyond = found.beyond.max(beyond);
            found.single = found.single.max((total - before - constant * row.weight) / scale);
        }
        before = total;
    }
    Ok(found)
}
