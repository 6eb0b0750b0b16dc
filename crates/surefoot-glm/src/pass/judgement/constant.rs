//! Detects models, and printed losses, that are worse than the best constant prediction.
//!
//! A model that loses more than a constant on the very rows that it was trained on is worth nothing. One that loses more on rows that it had not
//! learnt is worth nothing for new ones. A loss of rows as they came may be above that of a constant through no fault of the model it ends with: early rows are scored
//! by models that know little, and one outlier can lose more than all other rows. Then the later half of the rows tells, less what chance explains.

use super::{
    NOISE_ERRORS, SHARE, score,
    verdict::{SampleLosses, deviation, mean},
};
use crate::{metrics::progressive_loss::ProgressiveLoss, model::trained_model::Model, pass::row_loop::RowLoop};

/// Minimum number of rows, and of held-out rows, for a comparison; fewer held-out rows suffice if they lose more than the explainable loss.
const LEAST: usize = 50;
const LEAST_HELD_OUT: u64 = 20;
/// Standard errors by which later rows lose more if it is not for a few of them: one outlier makes an excess of about one, two make
/// one of about √2.
const CHANCE: f64 = 1.5;
/// Excess that counts, as a share of the explainable loss: of the printed loss alone, and of the later half of the rows where the printed
/// loss exceeds [`SHARE`]. Below these it is the price of the first rows of any run.
const MUCH: f64 = 0.1;
const LITTLE: f64 = 0.02;

/// Finding that a loss is worse than that of the best constant prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorseThanConstant {
    /// The model is worse on its own training rows. Mean losses there; estimated from a sample where rows are many.
    Model {
        /// Mean loss of the model; `None` if it overflows.
        loss: Option<f64>,
        /// Mean loss of the best constant.
        constant: f64,
    },
    /// The model is worse on rows it had not learnt: held-out rows, or the later half of the rows as they came.
    Fresh,
    /// Only the printed loss is worse, because of a few rows with large losses when they came.
    Few {
        /// Mean loss of the model on its training rows.
        loss: f64,
    },
}

impl RowLoop {
    /// Whether this model, or its printed loss, is worse than the best constant by more than noise explains. `None` as well if
    /// there is an alarm about the order of rows. O(sample).
    pub(crate) fn loses_to_constant(&self, model: &Model) -> Option<WorseThanConstant> {
        let scored = score(&self.order.sample, self, model);
        if model.summary.order.is_some() || scored.len() < LEAST {
            return None;
        }
        let (range, mean_loss) = (scored.explainable_loss()?, scored.mean_loss());
        let constant = scored.constant()?;
        if !mean_loss.is_finite() || mean_loss - constant > SHARE * range + NOISE_ERRORS * scored.noise() {
            return Some(WorseThanConstant::Model {
                loss: Some(mean_loss).filter(|mean_loss| mean_loss.is_finite()),
                constant,
            });
        }
        if self.holdout.plan.optimum.is_some() {
            return None;
        }
        let losses = self.printed();
        let excess = losses.loss()? - losses.constant(self.loss(), self.counts.encoder.sign())?;
        if self.holdout.has_held_out_rows() {
            let rows = self.holdout.held_out();
            let error = scored.deviation() / (rows as f64).sqrt();
            let is_told = rows >= LEAST_HELD_OUT || excess > range;
            return (is_told && excess > (NOISE_ERRORS * error).max(SHARE * range)).then_some(WorseThanConstant::Fresh);
        }
        let late = scored.late_excess()?;
        let is_worse = excess > MUCH * range || excess > SHARE * range && late.excess > LITTLE * range;
        let of_many = late.excess > CHANCE * late.error;
        is_worse.then_some(if of_many { WorseThanConstant::Fresh } else { WorseThanConstant::Few { loss: mean_loss } })
    }
}

/// Mean excess loss over the best constant, and its standard error.
struct Excess {
    excess: f64,
    error: f64,
}

impl SampleLosses {
    /// Excess of the later half of the rows as they came, over the best constant on them.
    fn late_excess(&self) -> Option<Excess> {
        let late = &self.rows[self.rows.len() / 2..];
        let mut losses = ProgressiveLoss::default();
        late.iter().for_each(|row| losses.add(self.loss, row.y, row.counted, row.came, row.offset));
        let (loss, moves) = mean(late.iter().map(|row| (row.counted, row.came)));
        let error = deviation(moves.iter().copied()) / (late.len() as f64).sqrt();
        Some(Excess { excess: loss - losses.constant(self.loss, 1.0)?, error })
    }
}
