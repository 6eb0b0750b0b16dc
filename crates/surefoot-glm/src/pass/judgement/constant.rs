//! Models, and printed losses, that are worse than the best constant.
//!
//! A model that loses more than a constant on the very rows that it was trained on is worth nothing. One that loses more on rows that it had not
//! learnt is worth nothing for new ones. A loss of rows as they came may be above that of a constant through no fault of the model it ends with: early rows are scored
//! by models that know little, and one outlier can lose more than all other rows. Then the later half of the rows tells, less what chance explains.

use super::{
    NOISE_ERRORS, SHARE, score,
    verdict::{SampleLosses, deviation, mean},
};
use crate::{metrics::progressive_loss::ProgressiveLoss, model::trained_model::Model, pass::row_loop::RowLoop};

/// Rows of which more should have been learnt than a constant, and those held out that can tell; fewer, if they lose all that there is to explain.
const LEAST: usize = 50;
const LEAST_HELD_OUT: u64 = 20;
/// Standard errors by which later rows lose more if it is not for a few of them: one outlier makes an excess of about one, two make
/// one of about √2.
const CHANCE: f64 = 1.5;
/// Shares of what there is to explain: of the printed loss alone, and of that of later rows where it is above [`SHARE`]. Between the two
/// it is what the first rows of any run cost.
const MUCH: f64 = 0.1;
const LITTLE: f64 = 0.02;

/// What is worse than the best constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorseThanConstant {
    /// The model, on the rows that it was trained on: its mean loss there, if that can be added up, and that of the constant; about,
    /// where there are many.
    Model {
        /// Of the model.
        loss: Option<f64>,
        /// Of the constant.
        constant: f64,
    },
    /// The model, on rows that it had not learnt: those held out, or the later half of all as they came.
    Fresh,
    /// The printed loss alone, for what a few rows have cost as they came. On the rows that it was trained on the model has this mean loss.
    Few {
        /// Of the model.
        loss: f64,
    },
}

impl RowLoop {
    /// Whether this model, or the loss that is printed for it, is worse than the best constant, by more than noise explains and more than matters
    /// to nobody. Rows whose order has an alarm are left to that. O(sample).
    pub(crate) fn loses_to_constant(&self, model: &Model) -> Option<WorseThanConstant> {
        let scored = score(&self.order.sample, self, model);
        if model.summary.order.is_some() || scored.len() < LEAST {
            return None;
        }
        let (range, own) = (scored.to_explain()?, scored.own());
        let constant = scored.constant()?;
        if !own.is_finite() || own - constant > SHARE * range + NOISE_ERRORS * scored.noise() {
            return Some(WorseThanConstant::Model { loss: Some(own).filter(|own| own.is_finite()), constant });
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
        is_worse.then_some(if of_many { WorseThanConstant::Fresh } else { WorseThanConstant::Few { loss: own } })
    }
}

/// By how much rows lost more than a constant, and the standard error of that.
struct Excess {
    excess: f64,
    error: f64,
}

impl SampleLosses {
    /// Of the later half of the rows as they came, over the best constant of them.
    fn late_excess(&self) -> Option<Excess> {
        let late = &self.rows[self.rows.len() / 2..];
        let mut losses = ProgressiveLoss::default();
        late.iter().for_each(|row| losses.add(self.loss, row.y, row.counted, row.came, row.offset));
        let (loss, moves) = mean(late.iter().map(|row| (row.counted, row.came)));
        let error = deviation(moves.iter().copied()) / (late.len() as f64).sqrt();
        Some(Excess { excess: loss - losses.constant(self.loss, 1.0)?, error })
    }
}
