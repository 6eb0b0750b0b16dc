//! Detection of models and reported losses that are worse than those of the best constant prediction.
//!
//! A model that loses more than a constant on the rows that it was trained on is worth nothing. A model that loses
//! more than a constant on rows that it had not learnt is worth nothing for new rows. The progressive loss, however,
//! may be above the loss of a constant through no fault of the final model: early rows are scored by models that know
//! little, and one outlier can lose more than all other rows. In that case the later half of the rows decides, less
//! what chance explains.

use super::{
    NOISE_ERRORS, RULED_OUT_ERRORS, SHARE, Scorer,
    verdict::{BestConstant, SampleLosses, deviation, mean},
};
use crate::{metrics::progressive_loss::ProgressiveLoss, model::trained_model::Model, pass::row_loop::RowLoop};

/// Minimum number of rows for a comparison with the best constant prediction.
const LEAST: usize = 50;
/// Minimum number of held-out rows for a comparison with the best constant; fewer suffice if the excess loss is larger
/// than the explainable loss (that of the best constant minus the least possible).
const LEAST_HELD_OUT: u64 = 20;
/// Excess loss, in standard errors, beyond which it is due to many rows: a single outlier makes an excess of about one
/// standard error, two outliers of about √2.
const CHANCE: f64 = 1.5;
/// Excess of the reported loss over that of the best constant, as a fraction of the explainable loss (that of the best
/// constant minus the least possible), beyond which it always counts. A smaller excess is the price of the first rows
/// of any run.
const MUCH: f64 = 0.1;
/// Excess loss of the later half of the rows over the best constant, as a fraction of the explainable loss (that of
/// the best constant minus the least possible), beyond which it counts, provided that the excess of the reported loss
/// is above [`SHARE`].
const LITTLE: f64 = 0.02;

/// Finding that a model, or the reported loss, is worse than the best constant prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorseThanConstant {
    /// The model has a larger loss on its own training rows than the best constant; mean losses are estimated from a
    /// sample if there are many rows.
    Model {
        /// Mean loss of the model on its training rows; `None` if the loss overflows.
        loss: Option<f64>,
        /// Mean loss of the best constant prediction on the training rows.
        constant: f64,
    },
    /// The model has a larger loss than the best constant on rows that it had not learnt: on held-out rows, or on the
    /// later half of the rows, each scored before it was learnt.
    Fresh,
    /// The reported loss is larger than that of the best constant only because of a few rows with large losses when
    /// they were read.
    Few {
        /// Mean loss of the model on its training rows.
        loss: f64,
    },
}

impl RowLoop {
    /// Returns a finding if this model, or its reported loss, is worse than the best constant prediction by more than
    /// noise explains; `None` if not, or if there is an alarm about the order of rows. Costs O(sample).
    pub(crate) fn loses_to_constant(&self, model: &Model) -> Option<WorseThanConstant> {
        if model.summary.order.is_some() || self.order.sample.len() < LEAST {
            return None;
        }
        let scorer = Scorer::new(self, model);
        let (scored, ruled_out) = scorer.score_until(SampleLosses::rules_out_worse_model);
        if scored.len() < LEAST {
            return None;
        }
        let (BestConstant { loss: constant, range }, mean_loss) = (scored.best_constant()?, scored.mean_loss());
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
        if excess <= SHARE * range {
            return None;
        }
        if self.holdout.has_held_out_rows() {
            let rows = self.holdout.held_out();
            let error = scored.deviation() / (rows as f64).sqrt();
            let is_told = rows >= LEAST_HELD_OUT || excess > range;
            return (is_told && excess > NOISE_ERRORS * error).then_some(WorseThanConstant::Fresh);
        }
        let whole = if ruled_out { scorer.score(1) } else { scored };
        let late = whole.late_excess()?;
        let is_worse = excess > MUCH * range || late.excess > LITTLE * range;
        let of_many = late.excess > CHANCE * late.error;
        let few = WorseThanConstant::Few { loss: whole.mean_loss() };
        is_worse.then_some(if of_many { WorseThanConstant::Fresh } else { few })
    }
}

/// Mean loss minus that of the best constant prediction, and its standard error.
struct Excess {
    excess: f64,
    error: f64,
}

impl SampleLosses {
    /// Whether the mean loss of the model over all rows is surely, up to sampling noise, not so far above that of the
    /// best constant prediction that it would be a finding.
    fn rules_out_worse_model(&self) -> bool {
        let Some(BestConstant { loss, range }) = self.best_constant() else { return false };
        self.mean_loss() + RULED_OUT_ERRORS * self.noise() <= loss + SHARE * range
    }

    /// Returns the mean progressive loss of the later half of the sampled rows minus the mean loss of the best
    /// constant on them; `None` if the best constant is unknown.
    fn late_excess(&self) -> Option<Excess> {
        let late = &self.rows[self.rows.len() / 2..];
        let mut losses = ProgressiveLoss::default();
        late.iter().for_each(|row| losses.add(self.loss, row.y, row.counted, row.came, row.offset));
        let (loss, moves) = mean(late.iter().map(|row| (row.counted, row.came)));
        let error = deviation(moves.iter().copied()) / (late.len() as f64).sqrt();
        Some(Excess { excess: loss - losses.constant(self.loss, 1.0)?, error })
    }
}
