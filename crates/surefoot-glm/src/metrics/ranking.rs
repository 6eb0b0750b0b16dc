//! Ranking of rows of two classes by their margins: ROC and precision-recall curves, and the areas under them.

use crate::{
    numeric::sums::Sum,
    shards::{Keyed, Partial},
};

/// Margins of the rows of two classes, exact for few rows, otherwise in a histogram.
#[derive(Clone, Debug)]
pub(super) enum Ranking {
    /// Pair of margin and signed weight (weight times label ±1) for each row.
    Exact(Vec<(f64, f64)>),
    /// Total weights of the negative and of the positive rows in each histogram cell of margins.
    Cells(Box<[[Sum; 2]]>),
}

/// Areas under the ROC and precision-recall curves, as pairs of the area and a bound on its error; `None` if an area
/// is undefined.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Areas {
    /// Area under the ROC curve, and the bound on its error.
    pub(super) roc: Option<(f64, f64)>,
    /// Average precision (the area under the precision-recall curve as a step function), and the bound on its error.
    pub(super) precision: Option<(f64, f64)>,
}

/// Total weight of the negative rows, and of the positive rows, whose margin is above a threshold (or in a range).
type Above = [f64; 2];

impl Ranking {
    pub(super) fn add(&mut self, margin: f64, signed: f64, limit: usize) {
        if let Ranking::Exact(rows) = self
            && rows.len() == limit
        {
            *self = Ranking::Cells(in_cells(rows));
        }
        match self {
            Ranking::Exact(rows) => rows.push((margin, signed)),
            Ranking::Cells(cells) => put(cells, margin, signed),
        }
    }

    /// Returns the ranking as a partial result of a shard: all margins with their signed weights, or, if not `exact`,
    /// the weights in cells.
    pub(super) fn partial(self, exact: bool) -> Partial {
        let cells = match self {
            Ranking::Exact(rows) if exact => {
                let list = rows.into_iter().flat_map(|(margin, signed)| [margin, signed]).collect();
                return Partial { list, ..Partial::default() };
            }
            Ranking::Exact(rows) => in_cells(&rows),
            Ranking::Cells(cells) => cells,
        };
        let mut keyed = Keyed::default();
        for (cell, weights) in cells.iter().enumerate() {
            let weights = weights.map(|sum| sum.value());
            if weights != [0.0; 2] {
                keyed.ids.push(cell as u64);
                keyed.sums.extend(weights);
            }
        }
        Partial { keyed, ..Partial::default() }
    }

    /// Returns the ranking of all rows, from the joined partial results.
    pub(super) fn of_partial(partial: &Partial) -> Ranking {
        if partial.keyed.ids.is_empty() {
            return Ranking::Exact(partial.list.chunks_exact(2).map(|row| (row[0], row[1])).collect());
        }
        let mut cells = in_cells(&[]);
        for (id, weights) in partial.keyed.ids.iter().zip(partial.keyed.sums.chunks_exact(2)) {
            let cell = usize::try_from(*id).ok().and_then(|id| cells.get_mut(id));
            cell.into_iter().flatten().zip(weights).for_each(|(sum, weight)| sum.add(*weight));
        }
        Ranking::Cells(cells)
    }

    /// Returns the number of margins, as long as they are exact.
    pub(super) fn count(&self) -> f64 {
        match self {
            Ranking::Exact(rows) => rows.len() as f64,
            Ranking::Cells(_) => f64::INFINITY,
        }
    }

    /// Returns the area under the ROC curve and the average precision.
    pub(super) fn areas(&self) -> Areas {
        let ties = self.ties();
        let exact = matches!(self, Ranking::Exact(_));
        let [negative, positive] = total(&ties);
        let (mut roc, mut doubt) = (Sum::default(), Sum::default());
        let (mut precision, mut vague) = (Sum::default(), Sum::default());
        each_above(&ties, |[n, p], [above_n, above_p]| {
            roc.add(n * (above_p + 0.5 * p));
            doubt.add(0.5 * n * p);
            let share = (above_p + p) / (above_p + p + above_n + n);
            precision.add(p * share);
            // Within a cell the order may be anything between all positive rows first and all negative rows first.
            if p > 0.0 {
                let best = (above_p + p) / (above_p + p + above_n);
                let worst = above_p / (above_p + above_n + n);
                vague.add(p * (best - share).max(share - worst));
            }
        });
        let of = |area: Sum, doubt: Sum, all: f64| {
            let doubt = if exact { 0.0 } else { doubt.value() / all };
            Some((area.value() / all, doubt)).filter(|(area, doubt)| area.is_finite() && doubt.is_finite())
        };
        Areas {
            roc: of(roc, doubt, negative * positive),
            precision: of(precision, vague, positive).filter(|_| positive > 0.0),
        }
    }

    /// Returns, for falling thresholds, the weights of both classes above the threshold. There are at most about
    /// `most` thresholds, both ends included, spread evenly over the rows of each class.
    pub(super) fn thresholds(&self, most: usize) -> Vec<Above> {
        let ties = self.ties();
        let all = total(&ties);
        let mut points = vec![[0.0; 2]];
        let mut last = [0.0; 2];
        each_above(&ties, |weight, above| {
            let now = [above[0] + weight[0], above[1] + weight[1]];
            let moved = |k: usize| (now[k] - last[k]) / all[k].max(f64::MIN_POSITIVE);
            if moved(0) + moved(1) >= 2.0 / most as f64 {
                points.push(now);
                last = now;
            }
        });
        if last != all {
            points.push(all);
        }
        points
    }

    /// Returns the weights of the negative and of the positive rows for each distinct margin (or histogram cell), in
    /// ascending order of margin.
    fn ties(&self) -> Vec<Above> {
        match self {
            Ranking::Exact(rows) => {
                let mut rows = rows.clone();
                rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
                let group = |ties: &[(f64, f64)]| {
                    let mut weight = [Sum::default(); 2];
                    ties.iter().for_each(|&(_, signed)| weight[side(signed)].add(signed.abs()));
                    weight.map(|sum| sum.value())
                };
                rows.chunk_by(|a, b| a.0 == b.0).map(group).collect()
            }
            Ranking::Cells(cells) => {
                let weights = cells.iter().map(|weight| weight.map(|sum| sum.value()));
                weights.filter(|weight| *weight != [0.0; 2]).collect()
            }
        }
    }
}

fn total(ties: &[Above]) -> Above {
    let sum = |k: usize| {
        let mut sum = Sum::default();
        ties.iter().for_each(|weight| sum.add(weight[k]));
        sum.value()
    };
    [sum(0), sum(1)]
}

/// Calls `then` for each group of rows with equal margins, from the largest margin down, with the weights of the group
/// and the weights above it.
fn each_above(ties: &[Above], mut then: impl FnMut(Above, Above)) {
    let mut above = [Sum::default(); 2];
    for weight in ties.iter().rev() {
        then(*weight, above.map(|sum| sum.value()));
        above.iter_mut().zip(weight).for_each(|(sum, &w)| sum.add(w));
    }
}

/// Number of leading bits of an f32 that select its histogram cell.
const BITS: u32 = 20;

/// Returns the histogram of these margins with their signed weights.
fn in_cells(rows: &[(f64, f64)]) -> Box<[[Sum; 2]]> {
    let mut cells = vec![[Sum::default(); 2]; 1 << BITS].into_boxed_slice();
    rows.iter().for_each(|&(margin, signed)| put(&mut cells, margin, signed));
    cells
}

fn put(cells: &mut [[Sum; 2]], margin: f64, signed: f64) {
    cells[cell(margin)][side(signed)].add(signed.abs());
}

fn side(signed: f64) -> usize {
    usize::from(signed > 0.0)
}

/// Returns the index of the histogram cell of a margin. Cells ascend with the margin: the bits of positive floats
/// ascend with their value, and those of negative floats are inverted.
pub(super) fn cell(margin: f64) -> usize {
    // Adding 0 turns −0 into 0; the conversion to f32 rounds to nearest and so keeps the order.
    let bits = (margin as f32 + 0.0).to_bits();
    let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    (ordered >> (32 - BITS)) as usize
}
