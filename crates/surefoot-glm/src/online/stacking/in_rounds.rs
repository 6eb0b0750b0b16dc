//! Stacking from the rows of a round, whose derivatives are all taken at the coefficients of its start.

use super::{CORRECTED, MEMBERS, MIXTURE, StackedRow, Stacking};
use crate::{
    loss::charges::Charges,
    numeric::check::{MOST_ROWS, need},
    online::mixture_weights::in_rounds::RoundDiscount,
};
use serde::{Deserialize, Serialize};

/// Sums, over rows of a round, from which the correction is learnt: those of [`Stacking`], without discounts, each
/// times the row's weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct StackedRows(Stacking);

impl StackedRows {
    /// Returns the sums of no rows of a round that starts from the given state.
    pub(crate) fn new(start: &Stacking) -> StackedRows {
        StackedRows(Stacking { coefficients: start.coefficients, ..Stacking::default() })
    }

    /// Adds a row, given the losses at its [`margins`](Stacking::margins).
    pub(crate) fn add(&mut self, row: &StackedRow<'_>, losses: &Charges, weight: f64) {
        let sums = &mut self.0;
        sums.rows += 1;
        sums.weight += weight;
        for k in [MIXTURE, CORRECTED] {
            sums.statistic[k] = (sums.statistic[k] + weight * losses.values[k]).min(f64::MAX);
            sums.wrong_side[k] = (sums.wrong_side[k] + weight * losses.wrong_side[k]).min(f64::MAX);
        }
        if row.is_usable() {
            sums.add_derivatives(row, weight);
        }
    }

    /// Adds the rows of another part of the round.
    pub(crate) fn join(&mut self, other: &StackedRows) {
        let (sums, other) = (&mut self.0, &other.0);
        sums.rows += other.rows;
        sums.weight += other.weight;
        for k in [MIXTURE, CORRECTED] {
            sums.statistic[k] = (sums.statistic[k] + other.statistic[k]).min(f64::MAX);
            sums.wrong_side[k] = (sums.wrong_side[k] + other.wrong_side[k]).min(f64::MAX);
        }
        for i in 0..MEMBERS {
            sums.gradient[i] += other.gradient[i];
            (0..MEMBERS).for_each(|j| sums.hessian[i][j] += other.hessian[i][j]);
        }
    }

    /// Checks that the sums, read from a message, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.0.check()
    }
}

impl Stacking {
    /// Updates the coefficients and q with the rows of a round, given the mean weight of the rows so far: as
    /// [`add`](Stacking::add) does with each row, but with one Newton step at the end.
    pub(crate) fn add_round(&mut self, sums: &StackedRows, mean_weight: f64) {
        let sums = &sums.0;
        let discount = RoundDiscount::new(self.rows, sums.rows);
        self.rows = (self.rows + sums.rows).min(MOST_ROWS);
        self.weight = discount.sum(self.weight, sums.weight / mean_weight);
        for k in [MIXTURE, CORRECTED] {
            self.statistic[k] = discount.sum(self.statistic[k], sums.statistic[k] / mean_weight);
            self.wrong_side[k] = discount.sum(self.wrong_side[k], sums.wrong_side[k] / mean_weight);
        }
        for i in 0..MEMBERS {
            self.gradient[i] += sums.gradient[i] / mean_weight;
            (0..MEMBERS)
                .for_each(|j| self.hessian[i][j] = discount.sum(self.hessian[i][j], sums.hessian[i][j] / mean_weight));
        }
        self.step();
    }
}

/// Checks that sums of stacking are there if and only if the loss has stacking.
pub(crate) fn check(sums: Option<&StackedRows>, start: Option<&Stacking>) -> Result<(), String> {
    need(sums.is_some() == start.is_some(), "the sums of a round are those of another loss")?;
    sums.map_or(Ok(()), StackedRows::check)
}
