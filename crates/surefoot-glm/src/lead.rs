//! Which lanes lead: from the losses of each lane at its own output point to the shares of the model.
//!
//! The model that predicts is Σ share_k·x_k, again a linear model. Shares are exponential weights with rate 1 in
//! a statistic that forgets: after t rows the loss of row s counts (s/t)². The statistic is not a loss that is
//! ever printed; for unbounded losses it grows like a logarithm, so that a few outliers cannot choose the lane.

use crate::{
    Lane, Loss,
    lanes::{LANES, Lanes, Wide, exp::exp_of_negative},
};
use serde::{Deserialize, Serialize};

/// Statistics and shares of the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lead {
    /// Forgetting sum of what each lane has lost, smaller is better.
    statistic: [f64; LANES],
    /// The statistic when the first pass ended: fresh evidence, which fades as passes go by.
    first: [f64; LANES],
    shares: Lanes,
    /// Rows in the statistic.
    rows: u64,
    /// Forgetting sums of the mixture's weighted losses, of weights, and of rows.
    recent: [f64; 3],
}

/// Forgetting after `rows` rows: the product of these makes the weights (s/t)².
fn keep(rows: u64) -> f64 {
    1.0 - 2.0 / (rows as f64 + 2.0)
}

/// What a lane is charged for a loss, given a typical loss: bounded losses count as they are.
fn charge(loss: Loss, value: f64, typical: f64) -> f64 {
    match loss {
        Loss::Logistic => value,
        Loss::Squared if typical > 0.0 => libm::log1p(value / typical),
        Loss::Squared => 0.0,
    }
}

impl Lead {
    /// Before the first row the share of a lane goes down with the square of its scale: a large one can do much harm.
    pub(crate) fn new(scales: Lanes) -> Lead {
        let statistic = scales.0.map(|scale| 2.0 * libm::log(f64::from(scale / scales.0[0])));
        let mut lead = Lead { statistic, first: [0.0; LANES], shares: Lanes::default(), rows: 0, recent: [0.0; 3] };
        lead.share();
        lead
    }

    pub(crate) fn shares(&self) -> Lanes {
        self.shares
    }

    /// Counts a fresh row: its label and the margins of the lanes, both in the lanes' units.
    pub(crate) fn add(&mut self, loss: Loss, y: f64, weight: f64, margins: &Lanes) {
        let mixture = loss.value(y, f64::from(margins.dot(self.shares)));
        self.rows += 1;
        let keep = keep(self.rows);
        for (sum, term) in self.recent.iter_mut().zip([weight * mixture, weight, 1.0]) {
            *sum = *sum * keep + term;
        }
        let [losses, weights, rows] = self.recent;
        let typical = losses / weights;
        // In units of the usual weight: the statistic counts rows, whatever the weights' scale.
        let usual = weights / rows;
        let values = loss.values(y, margins);
        let part = weight / usual;
        for (statistic, &value) in self.statistic.iter_mut().zip(&values.0) {
            *statistic = *statistic * keep + part * charge(loss, f64::from(value), typical);
        }
        self.share();
    }

    /// Ends a pass that had held-out rows: their charges, as collected by [`Judge`], decide, with what is left of
    /// the first pass's evidence.
    pub(crate) fn judge(&mut self, pass: u32, judge: &Judge) {
        if pass == 1 {
            self.first = self.statistic;
        }
        let fade = f64::from(pass).powi(-3);
        for ((statistic, first), charge) in self.statistic.iter_mut().zip(&self.first).zip(judge.charges()) {
            *statistic = charge + fade * first;
        }
        self.share();
    }

    fn share(&mut self) {
        let best = self.statistic.iter().copied().fold(f64::INFINITY, f64::min);
        let raw = exp_of_negative(Lanes(self.statistic.map(|statistic| (best - statistic) as f32)));
        let sum: f32 = raw.0.iter().sum();
        self.shares = raw / Lanes([sum; LANES]);
    }

    /// The lane of the largest share (ties: the smaller scale).
    pub(crate) fn leader(&self) -> usize {
        (0..LANES).fold(0, |best, k| if self.shares.0[k] > self.shares.0[best] { k } else { best })
    }

    pub(crate) fn lanes(&self, scales: Lanes) -> Vec<Lane> {
        let best = self.statistic.iter().copied().fold(f64::INFINITY, f64::min);
        (0..LANES)
            .map(|k| Lane {
                scale: shortest(scales.0[k]),
                statistic: self.statistic[k] - best,
                share: shortest(self.shares.0[k]),
            })
            .collect()
    }
}

/// The f64 that is printed as this f32 is: 0.3, not 0.30000001192092896.
pub(crate) fn shortest(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}

/// Charges of the lanes on held-out rows, all at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge {
    loss: Loss,
    typical: f64,
    weight: f64,
    rows: f64,
    charges: [f64; LANES],
    doubts: [f64; LANES],
}

impl Judge {
    /// `typical` is the mean loss of the best lane on the rows to come.
    pub(crate) fn new(loss: Loss, typical: f64) -> Judge {
        Judge { loss, typical, weight: 0.0, rows: 0.0, charges: [0.0; LANES], doubts: [0.0; LANES] }
    }

    pub(crate) fn add(&mut self, weight: f64, y: f64, margins: &Lanes) {
        self.weight += weight;
        self.rows += 1.0;
        for (k, m) in margins.0.map(f64::from).into_iter().enumerate() {
            self.charges[k] += weight * charge(self.loss, self.loss.value(y, m), self.typical);
            if self.loss.classifies() {
                self.doubts[k] += weight * self.loss.value(1.0, -m.abs());
            }
        }
    }

    /// The charges, in units of the usual weight. A classifier is charged for one more row, of the usual margin and
    /// on the wrong side (Laplace's rule): n rows without an error do not prove that errors are rarer than 1/n, and
    /// without it a few separable rows would call for infinite weights.
    fn charges(&self) -> [f64; LANES] {
        let usual = self.weight / self.rows;
        std::array::from_fn(|k| self.charges[k] / usual + self.doubts[k] / self.weight)
    }
}
