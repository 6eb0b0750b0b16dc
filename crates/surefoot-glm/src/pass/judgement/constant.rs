//! Detection of models and reported losses that are worse than the best constant prediction.
//!
//! A model that loses more than a constant on the rows that it was trained on is worth nothing. A model that loses
//! more than a constant on rows that it had not learnt is worth nothing for new rows. The progressive loss, however,
//! may be above the loss of a constant through no fault of the final model: early rows are scored by models that know
//! little, and one outlier can lose more than all other rows. In that case the later half of the rows decides, less
//! what chance explains.

use super::{
    NOISE_ERRORS, SHARE, score,
    verdict::{SampleLosses, deviation, mean},
};
use crate::{metrics::progressive_loss::ProgressiveLoss, model::trained_model::Model, pass::row_loop::RowLoop};

/// Minimum number of rows for a comparison with the best constant.
const LEAST: usize = 50;
/// Minimum number of held-out rows for a comparison; fewer held-out rows suffice if they lose more than the
/// explainable loss.
const LEAST_HELD_OUT: u64 = 20;
/// Number of standard errors beyond which the excess of the later rows is due to many of them: one outlier makes an
/// excess of about one standard error, two outliers of about √2.
const CHANCE: f64 = 1.5;
/// Fraction of the explainable loss beyond which an excess of the reported loss counts by itself. A smaller excess is
/// the price of the first rows of any run.
const MUCH: f64 = 0.1;
/// Fraction of the explainable loss beyond which an excess of the later half of the rows counts, if the excess of the
/// reported loss exceeds [`SHARE`].
const LITTLE: f64 = 0.02;

/// Finding that a loss is worse than that of the best constant prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorseThanConstant {
    /// The model is worse than the best constant on its own training rows; mean losses are estimated from a sample if
    /// there are many rows.
    Model {
        /// Mean loss of the model on its training rows; `None` if the loss overflows.
        loss: Option<f64>,
        /// Mean loss of the best constant prediction on the training rows.
        constant: f64,
    },
    /// The model is worse on rows that it had not learnt: held-out rows, or the later half of the rows in progressive
    /// scoring.
    Fresh,
    /// Only the reported loss is worse, because of a few rows whose losses were large when they were read.
    Few {
        /// Mean loss of the model on its training rows.
        loss: f64,
    },
}

impl RowLoop {
    /// Returns a finding if this model, or its reported loss, is worse than the best constant by more than noise
    /// explains; `None` otherwise, and if there is an alarm about the order of rows. Costs O(sample).
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
    /// Returns the excess of the progressive loss of the later half of the rows over the best constant on these rows.
    fn late_excess(&self) -> Option<Excess> {
        let late = &self.rows[self.rows.len() / 2..];
        let mut losses = ProgressiveLoss::default();
        late.iter().for_each(|row| losses.add(self.loss, row.y, row.counted, row.came, row.offset));
        let (loss, moves) = mean(late.iter().map(|row| (row.counted, row.came)));
        let error = deviation(moves.iter().copied()) / (late.len() as f64).sqrt();
        Some(Excess { excess: loss - losses.constant(self.loss, 1.0)?, error })
    }
}
