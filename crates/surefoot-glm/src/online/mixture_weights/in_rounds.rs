//! Mixture weights from the rows of a round, which are all scored by the model of its start, so that their charges are
//! sums that can be added up in parts.

use super::{ConstantCharge, MixtureWeights, charges_with_constant};
use crate::{
    loss::{Loss, charges::Charges},
    numeric::check::{MOST_ROWS, is_magnitude, need},
    simd::lanes::{LANES, Lanes},
};
use serde::{Deserialize, Serialize};

/// Sums, over rows of a round, of the charges from which mixture weights are computed, each times the row's weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChargedRows {
    /// Number of rows.
    pub(crate) rows: u64,
    /// Total weight of the rows.
    weight: f64,
    /// Sum of the excess losses of the mixture.
    mixture: f64,
    /// Sums of the charges of the lanes (learners trained side by side).
    lanes: [f64; LANES],
    /// Sums of the losses with a wrong label of the lanes.
    wrong_side: [f64; LANES],
    /// Sums of the charges of the constant prediction, and of its losses with a wrong label.
    constant: [f64; 2],
}

/// Discount of the statistics of earlier rows by a number of later ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundDiscount {
    /// Product of the discounts of the later rows, by which earlier sums are multiplied.
    pub(crate) keep: f64,
    /// Mean weight of the later rows, each of which discounts those before it.
    pub(crate) share: f64,
}

impl RoundDiscount {
    /// Returns the discount of the statistics of `before` rows by `count` later ones: in closed form, what
    /// [`discount`](super::discount) gives row by row.
    pub(crate) fn new(before: u64, count: u64) -> RoundDiscount {
        let (a, b) = (before as f64, (before + count) as f64);
        let keep = (a + 1.0) / (b + 1.0) * ((a + 2.0) / (b + 2.0));
        RoundDiscount { keep, share: (b + 3.0 - (a + 3.0) * keep) / (3.0 * count.max(1) as f64) }
    }

    /// Returns an earlier sum, discounted, plus that of the later rows. An overflowed sum becomes the largest number.
    pub(crate) fn sum(&self, before: f64, rows: f64) -> f64 {
        (before * self.keep + rows * self.share).min(f64::MAX)
    }
}

impl ChargedRows {
    /// Adds a row, given the excess loss of the mixture at it.
    pub(crate) fn add(&mut self, weight: f64, mixture: f64, charges: &Charges, constant: ConstantCharge) {
        let times = |numbers: [f64; LANES]| numbers.map(|x| weight * x);
        self.join(&ChargedRows {
            rows: 1,
            weight,
            mixture: weight * mixture,
            lanes: times(charges.values),
            wrong_side: times(charges.wrong_side),
            constant: [weight * constant.value, weight * constant.wrong_side],
        });
    }

    /// Adds the rows of another part of the round.
    pub(crate) fn join(&mut self, other: &ChargedRows) {
        self.rows += other.rows;
        let others = other.numbers();
        self.numbers_mut().into_iter().zip(others).for_each(|(sum, other)| *sum = (*sum + other).min(f64::MAX));
    }

    /// Checks that the sums, read from a message, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        let sound = self.rows <= MOST_ROWS && self.numbers().into_iter().all(is_magnitude);
        need(
            sound && (self.rows == 0 || self.weight > 0.0),
            "the charges of the rows of a round are out of their range",
        )
    }

    fn numbers(&self) -> [f64; 2 * LANES + 4] {
        let mut copy = *self;
        copy.numbers_mut().map(|x| *x)
    }

    fn numbers_mut(&mut self) -> [&mut f64; 2 * LANES + 4] {
        let [a, b, c, d] = &mut self.lanes;
        let [e, f, g, h] = &mut self.wrong_side;
        let [i, j] = &mut self.constant;
        [&mut self.weight, &mut self.mixture, a, b, c, d, e, f, g, h, i, j]
    }
}

impl MixtureWeights {
    /// Adds a row to the sums of its round, given its margins as for [`add`](MixtureWeights::add).
    pub(crate) fn charge_in_round(
        &self,
        sums: &mut ChargedRows,
        loss: Loss,
        y: f64,
        weight: f64,
        margins: [&Lanes; 2],
        constant: f64,
    ) {
        let mixture = self.excess_of_mixture(loss, y, margins[0], constant);
        let (charges, constant) = charges_with_constant(loss, y, margins, constant, self.typical());
        sums.add(weight, mixture, &charges, constant);
    }

    /// Updates the mixture weights with the rows of a round; returns the mean weight of the rows so far, of which later
    /// rows have larger weights.
    pub(crate) fn add_round(&mut self, loss: Loss, sums: &ChargedRows) -> f64 {
        let discount = RoundDiscount::new(self.rows, sums.rows);
        self.rows = (self.rows + sums.rows).min(MOST_ROWS);
        for (sum, rows) in self.recent.iter_mut().zip([sums.mixture, sums.weight, sums.rows as f64]) {
            *sum = discount.sum(*sum, rows);
        }
        let mean = self.recent[1] / self.recent[2];
        for k in 0..LANES {
            self.statistic[k] = discount.sum(self.statistic[k], sums.lanes[k] / mean);
            self.wrong_side[k] = discount.sum(self.wrong_side[k], sums.wrong_side[k]);
        }
        if let Some(member) = &mut self.constant {
            member.statistic = discount.sum(member.statistic, sums.constant[0] / mean);
            member.wrong_side = discount.sum(member.wrong_side, sums.constant[1]);
        }
        self.share(loss);
        mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::mixture_weights::discount;

    /// The closed form agrees with the discounts of the rows one by one.
    #[test]
    fn a_round_discounts_as_its_rows_do() {
        for (before, count) in [(0, 1), (0, 7), (1, 1), (5, 100), (1000, 10), (123_456, 1235)] {
            let (mut sum, mut keep) = (0.0, 1.0);
            for rows in before + 1..=before + count {
                sum = sum * discount(rows) + 1.0;
                keep *= discount(rows);
            }
            let found = RoundDiscount::new(before, count);
            assert!((found.keep - keep).abs() < 1e-12 * keep.max(1e-3), "{before} {count}: {} {keep}", found.keep);
            let share = sum / count as f64;
            assert!((found.share - share).abs() < 1e-9 * share, "{before} {count}: {} {share}", found.share);
        }
    }
}
