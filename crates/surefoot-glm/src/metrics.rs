//! How good predictions are on rows whose labels are known: streamed, weighted, in memory that does not grow
//! without end.
//!
//! Sums are compensated (Neumaier), so a billion rows lose no digit that is printed. The area under the ROC
//! curve needs an order of all margins: it is exact up to [`Metrics::EXACT`] rows. Beyond that, margins go
//! into a fixed histogram of 2²⁰ cells, each the set of f32 numbers that share their leading 20 bits, so a
//! cell spans a relative width of at most 2⁻¹¹. A pair of a positive and a negative row in one cell counts
//! as a tie, one half, where its true share is 0, ½ or 1: the error is at most half the weight of such
//! pairs, and that bound is reported as [`Measured::auc_error`].

mod classes;
mod tally;

pub use classes::{ClassMetrics, Confusion};
pub use tally::Tally;

use crate::{
    Loss,
    sums::{Mean, Spread, Sum},
};

/// Streams rows, then says how good their predictions were.
///
/// ```
/// use surefoot_glm::{Loss, Metrics};
/// let mut metrics = Metrics::new(Loss::Logistic);
/// metrics.add(1.0, 1.0, 2.0);
/// metrics.add(-1.0, 1.0, -0.5);
/// let measured = metrics.measured();
/// assert_eq!((measured.rows, measured.accuracy, measured.auc), (2, Some(1.0), Some(1.0)));
/// ```
#[derive(Clone, Debug)]
pub struct Metrics {
    loss: Loss,
    rows: u64,
    value: Mean,
    correct: Mean,
    squares: Mean,
    sizes: Mean,
    excess: Mean,
    saturated: Mean,
    labels: Spread,
    ranking: Ranking,
}

/// What [`Metrics`] found; `None` where a number does not apply or is not defined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Rows added, rows of weight 0 included.
    pub rows: u64,
    /// Sum of their weights.
    pub weight: f64,
    /// Weighted mean loss.
    pub loss: Option<f64>,
    /// Many classes: weighted mean log loss of the probabilities; for softmax it is the loss.
    pub log_loss: Option<f64>,
    /// Classification: the share of weight whose class is predicted right; a margin of 0 predicts −1.
    pub accuracy: Option<f64>,
    /// Classification: the chance that a positive row has a larger margin than a negative one, a tie counting
    /// one half. Not defined with one class only.
    pub auc: Option<f64>,
    /// How far `auc` can be from the exact value: 0 up to [`Metrics::EXACT`] rows.
    pub auc_error: f64,
    /// Regression: weighted mean squared error.
    pub mse: Option<f64>,
    /// Regression: its square root.
    pub rmse: Option<f64>,
    /// Regression: weighted mean absolute error.
    pub mae: Option<f64>,
    /// Regression without a log link: 1 − (squared error) / (squared error of the mean label). Not defined for equal
    /// labels.
    pub r2: Option<f64>,
    /// With a log link: weighted mean deviance, twice by how much the loss exceeds the least that the labels can have.
    pub deviance: Option<f64>,
    /// With a log link: 1 − deviance / (deviance of the mean label). Not defined for equal labels.
    pub d2: Option<f64>,
    /// Many classes: which were taken for which.
    pub confusion: Option<Confusion>,
}

impl Measured {
    /// The one number between 0 and 1 that says most: accuracy, R² or D².
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        self.accuracy.or(self.r2).or(self.d2)
    }
}

impl Metrics {
    /// Rows up to which the area under the ROC curve is exact.
    pub const EXACT: usize = 1_000_000;

    /// No rows yet.
    #[must_use]
    pub fn new(loss: Loss) -> Metrics {
        Metrics {
            loss,
            rows: 0,
            value: Mean::default(),
            correct: Mean::default(),
            squares: Mean::default(),
            sizes: Mean::default(),
            excess: Mean::default(),
            saturated: Mean::default(),
            labels: Spread::default(),
            ranking: Ranking::Exact(Vec::new()),
        }
    }

    /// Adds a row: its label (for classes −1 or +1), its weight and the margin predicted for it.
    pub fn add(&mut self, label: f64, weight: f64, margin: f64) {
        self.rows += 1;
        if weight == 0.0 {
            return;
        }
        self.value.add(self.loss.value(label, margin), weight);
        if self.loss.classifies() {
            self.correct.add(f64::from((margin > 0.0) == (label > 0.0)), weight);
            self.ranking.add(margin, weight * label, Metrics::EXACT);
        } else {
            let error = (self.loss.mean(margin) - label).abs();
            self.squares.add(error * error, weight);
            self.sizes.add(error, weight);
            self.excess.add(self.loss.excess(label, margin), weight);
            self.saturated.add(self.loss.least(label), weight);
            self.labels.add(label, weight);
        }
    }

    /// The numbers for the rows added so far.
    #[must_use]
    pub fn measured(&self) -> Measured {
        let classes = self.loss.classifies();
        let (auc, auc_error) = if classes { self.ranking.area() } else { (None, 0.0) };
        let mse = self.squares.value();
        let counts = self.loss.variance_power().is_some();
        let r2 = mse.map(|mse| 1.0 - mse * self.labels.weight() / self.labels.squares()).filter(|_| !counts);
        let excess = self.excess.value().filter(|_| counts);
        let d2 = excess.zip(self.excess_of_constant()).map(|(excess, constant)| 1.0 - excess / constant);
        Measured {
            rows: self.rows,
            weight: self.value.weight(),
            loss: self.value.value(),
            log_loss: None,
            accuracy: self.correct.value(),
            auc,
            auc_error,
            mse,
            rmse: mse.map(f64::sqrt),
            mae: self.sizes.value(),
            r2: r2.filter(|r2| r2.is_finite()),
            deviance: excess.map(|excess| 2.0 * excess),
            d2: d2.filter(|d2| d2.is_finite()),
            confusion: None,
        }
    }

    /// What the excess of the mean label would be: with a log link its mean loss is the least loss of that label, since
    /// losses are linear in labels.
    fn excess_of_constant(&self) -> Option<f64> {
        let mean = self.labels.mean();
        Some(self.loss.least(mean) - self.saturated.value()?).filter(|excess| *excess > 0.0)
    }
}

/// Margins of both classes, in order or in cells.
#[derive(Clone, Debug)]
enum Ranking {
    /// Margin and weight times label of each row.
    Exact(Vec<(f64, f64)>),
    /// Weight of the negative and of the positive rows by cell.
    Cells(Box<[[Sum; 2]]>),
}

impl Ranking {
    fn add(&mut self, margin: f64, signed: f64, limit: usize) {
        if let Ranking::Exact(rows) = self
            && rows.len() == limit
        {
            let mut cells = vec![[Sum::default(); 2]; 1 << BITS].into_boxed_slice();
            for &(margin, signed) in rows.iter() {
                put(&mut cells, margin, signed);
            }
            *self = Ranking::Cells(cells);
        }
        match self {
            Ranking::Exact(rows) => rows.push((margin, signed)),
            Ranking::Cells(cells) => put(cells, margin, signed),
        }
    }

    /// The area under the ROC curve and a bound of its error.
    fn area(&self) -> (Option<f64>, f64) {
        let mut area = Area::default();
        match self {
            Ranking::Exact(rows) => {
                let mut rows = rows.clone();
                rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
                for ties in rows.chunk_by(|a, b| a.0 == b.0) {
                    let mut weight = [Sum::default(); 2];
                    ties.iter().for_each(|&(_, signed)| weight[side(signed)].add(signed.abs()));
                    area.add(&weight);
                }
                (area.value(), 0.0)
            }
            Ranking::Cells(cells) => {
                cells.iter().for_each(|weight| area.add(weight));
                (area.value(), area.doubt())
            }
        }
    }
}

/// Bits of a cell's number.
const BITS: u32 = 20;

fn put(cells: &mut [[Sum; 2]], margin: f64, signed: f64) {
    cells[cell(margin)][side(signed)].add(signed.abs());
}

fn side(signed: f64) -> usize {
    usize::from(signed > 0.0)
}

/// The cell of a margin: ascending with it, since the bits of floats, folded at the sign, ascend too.
fn cell(margin: f64) -> usize {
    // Adding 0 turns −0 into 0; the conversion rounds to nearest and so keeps the order.
    let bits = (margin as f32 + 0.0).to_bits();
    let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    (ordered >> (32 - BITS)) as usize
}

/// The area under the ROC curve, from groups of tied rows in ascending order of margin.
#[derive(Debug, Default)]
struct Area {
    below: [Sum; 2],
    pairs: Sum,
    ties: Sum,
}

impl Area {
    fn add(&mut self, weight: &[Sum; 2]) {
        let [negative, positive] = weight.map(|sum| sum.value());
        self.pairs.add(positive * self.below[0].value());
        self.ties.add(positive * negative);
        self.below[0].add(negative);
        self.below[1].add(positive);
    }

    fn all(&self) -> f64 {
        self.below[0].value() * self.below[1].value()
    }

    fn value(&self) -> Option<f64> {
        Some((self.pairs.value() + 0.5 * self.ties.value()) / self.all()).filter(|area| area.is_finite())
    }

    fn doubt(&self) -> f64 {
        0.5 * self.ties.value() / self.all()
    }
}

#[cfg(test)]
mod tests;
