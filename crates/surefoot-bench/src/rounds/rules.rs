//! Rules of merging, and the pass in rounds.

use super::lanes::{Coordinate, Examples, Lanes, Link, Sums};
use crate::Dice;
use std::collections::HashMap;

/// Rule by which the shards' work of a round is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// All gradients at the common points; squares of each example are summed.
    Batch,
    /// As `Batch`, but the sum of squares grows by the square of the round's gradient if that is larger.
    BatchMax,
    /// As `BatchMax`, but only where the gradient pulls the iterate back to the average.
    BatchBack,
    /// As `BatchBack`, and it is pulled no further than the average, but for noise.
    BatchClip,
    /// As `BatchMax`, with the last round's gradient, as far as it is not noise, as a hint.
    BatchHint,
    /// Shards learn locally; gradient sums and squares are added up, averages are averaged.
    LocalSum,
    /// Shards learn locally; iterates and averages are averaged, squares added up.
    LocalMean,
    /// As `LocalSum`, where each shard takes its own gradients as those of all shards.
    LocalAhead,
    /// As `LocalMean`, weighted by the shards' sums of squares of the coordinate.
    LocalCurvature,
}

/// Number of rows of a round, as a function of the rows so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Rows that are learnt one by one at first.
    pub start: usize,
    /// Least number of rows of a round.
    pub least: usize,
    /// Rows of a round as a share of the rows so far.
    pub share: f64,
    /// Multiple of the square root of the rows so far that a round has at most.
    pub root: f64,
}

/// How rows are dealt to shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Shards are blocks of the rows in their order.
    Blocks,
    /// Rows are sorted by label, then cut into blocks.
    ByLabel,
    /// Rows are sorted by their first feature, then cut into blocks.
    ByFeature,
}

/// Result of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Mean loss of rows before they are learnt.
    pub progressive: f64,
    /// Mean loss on the test rows.
    pub test: f64,
    /// Number of rounds.
    pub rounds: usize,
}

/// Deals rows to `shards` shards, each in the order of its rows.
fn deal(rows: &Examples, shards: usize, order: Order) -> Vec<Vec<usize>> {
    let mut all: Vec<usize> = (0..rows.len()).collect();
    match order {
        Order::Blocks => {}
        Order::ByLabel => all.sort_by(|&a, &b| rows.label[a].total_cmp(&rows.label[b])),
        Order::ByFeature => all.sort_by_key(|&r| (rows.index[rows.start[r]..rows.start[r + 1]].to_vec(), r)),
    }
    if order != Order::Blocks {
        // Within a shard the order is random.
        let mut dice = Dice::new(99);
        let size = all.len().div_ceil(shards);
        for block in all.chunks_mut(size) {
            for k in (1..block.len()).rev() {
                block.swap(k, (dice.roll() * (k + 1) as f64) as usize);
            }
        }
    }
    let size = all.len().div_ceil(shards);
    all.chunks(size).map(<[usize]>::to_vec).collect()
}

/// Simulates one pass.
#[must_use]
pub fn simulate(
    link: Link,
    train: &Examples,
    test: &Examples,
    shards: usize,
    order: Order,
    rule: Option<Rule>,
    growth: Growth,
) -> Outcome {
    let features = train.features().max(test.features());
    let mut lanes = Lanes::new(link, features);
    let dealt = deal(train, shards, order);
    let mut at = vec![0; dealt.len()];
    let (mut loss, mut rounds) = (0.0, 0);
    // The first rows come from all shards in turn.
    let first = if rule.is_none() { train.len() } else { growth.start.min(train.len()) };
    let mut learnt = 0;
    while learnt < first {
        for s in 0..dealt.len() {
            if at[s] < dealt[s].len() && learnt < first {
                loss += lanes.learn(train, dealt[s][at[s]]);
                at[s] += 1;
                learnt += 1;
            }
        }
    }
    let Some(rule) = rule else {
        return Outcome { progressive: loss / train.len() as f64, test: lanes.test(test), rounds };
    };
    while learnt < train.len() {
        let want = (growth.share * learnt as f64).min(growth.root * (learnt as f64).sqrt()).max(growth.least as f64);
        let each = (want as usize).div_ceil(dealt.len()).max(1);
        let parts: Vec<&[usize]> = dealt
            .iter()
            .zip(&mut at)
            .map(|(rows, at)| {
                let from = *at;
                *at = (from + each).min(rows.len());
                &rows[from..*at]
            })
            .collect();
        loss += round(&mut lanes, train, &parts, rule);
        learnt += parts.iter().map(|part| part.len()).sum::<usize>();
        rounds += 1;
    }
    Outcome { progressive: loss / train.len() as f64, test: lanes.test(test), rounds }
}

fn round(lanes: &mut Lanes, rows: &Examples, parts: &[&[usize]], rule: Rule) -> f64 {
    parts.iter().flat_map(|part| part.iter()).for_each(|&r| lanes.raise(rows, r));
    match rule {
        Rule::Batch | Rule::BatchMax | Rule::BatchBack | Rule::BatchClip | Rule::BatchHint => {
            batch(lanes, rows, parts, rule)
        }
        Rule::LocalSum | Rule::LocalAhead | Rule::LocalMean | Rule::LocalCurvature => local(lanes, rows, parts, rule),
    }
}

fn batch(lanes: &mut Lanes, rows: &Examples, parts: &[&[usize]], rule: Rule) -> f64 {
    let (t, mut loss) = (lanes.rows + 1.0, 0.0);
    let mut sums: HashMap<usize, Sums> = HashMap::new();
    let mut total: Option<super::lanes::Charges> = None;
    for &r in parts.iter().flat_map(|part| part.iter()) {
        let y = rows.label[r];
        let margins = lanes.margins(rows, r, t, |j| lanes.coordinates[j]);
        let g = lanes.gradient(y, &margins);
        for (j, x) in lanes.relative(rows, r) {
            let sum = sums.entry(j).or_default();
            for k in 0..4 {
                sum.gradient[k] += g[k] * x;
                sum.squares[k] += g[k] * x * g[k] * x;
            }
            sum.count += 1.0;
        }
        let charge = lanes.charge(y, &margins);
        loss += charge.loss();
        match &mut total {
            Some(total) => total.add(&charge),
            None => total = Some(charge),
        }
    }
    let Some(total) = total else { return 0.0 };
    let end = lanes.rows + total.rows;
    for (j, sum) in sums {
        let c = &mut lanes.coordinates[j];
        let direction = c.points(end).1;
        c.advance(end);
        for k in 0..4 {
            let mut g = sum.gradient[k];
            let away = direction[k] - c.average[k];
            let is_back = g * away > 0.0;
            let beside = g + c.hint[k];
            c.squares[k] += match rule {
                Rule::Batch => sum.squares[k],
                Rule::BatchBack | Rule::BatchClip => {
                    if is_back {
                        sum.squares[k].max(g * g)
                    } else {
                        sum.squares[k]
                    }
                }
                Rule::BatchMax => sum.squares[k].max(g * g),
                _ => sum.squares[k].max(beside * beside),
            };
            if rule == Rule::BatchClip && is_back {
                let most = away.abs() * c.squares[k].sqrt() + sum.squares[k].sqrt();
                g = g.clamp(-most, most);
            }
            c.theta[k] -= g;
            c.hint[k] = match rule {
                Rule::BatchHint => -g * (1.0 - sum.squares[k] / (g * g + 1e-300)).max(0.0),
                _ => 0.0,
            };
        }
        c.updates += sum.count;
    }
    lanes.count(&total);
    loss
}

fn local(lanes: &mut Lanes, rows: &Examples, parts: &[&[usize]], rule: Rule) -> f64 {
    let start = lanes.rows;
    let mut loss = 0.0;
    let mut total: Option<super::lanes::Charges> = None;
    let mut all: Vec<HashMap<usize, Coordinate>> = Vec::new();
    let stride = parts.iter().filter(|part| !part.is_empty()).count() as f64;
    let n: f64 = parts.iter().map(|part| part.len() as f64).sum();
    let fold = if rule == Rule::LocalAhead { stride } else { 1.0 };
    for part in parts {
        let mut own: HashMap<usize, Coordinate> = HashMap::new();
        for (i, &r) in part.iter().enumerate() {
            let (t, y) = (start + 1.0 + i as f64 * stride, rows.label[r]);
            let common = lanes.margins(rows, r, start + 1.0, |j| lanes.coordinates[j]);
            let margins = lanes.margins(rows, r, t, |j| own.get(&j).copied().unwrap_or(lanes.coordinates[j]));
            let g = lanes.gradient(y, &margins);
            for (j, x) in lanes.relative(rows, r) {
                let c = own.entry(j).or_insert(lanes.coordinates[j]);
                c.advance(t);
                for k in 0..4 {
                    c.theta[k] -= fold * g[k] * x;
                    c.squares[k] += fold * g[k] * x * g[k] * x;
                }
                c.updates += fold;
            }
            let charge = lanes.charge(y, &common);
            loss += charge.loss();
            match &mut total {
                Some(total) => total.add(&charge),
                None => total = Some(charge),
            }
        }
        all.push(own);
    }
    let Some(total) = total else { return 0.0 };
    let end = start + n;
    let mut touched: Vec<usize> = all.iter().flat_map(|own| own.keys().copied()).collect();
    touched.sort_unstable();
    touched.dedup();
    for j in touched {
        let before = lanes.coordinates[j];
        let mut rest = before;
        rest.advance(end);
        let mut c = rest;
        let mut weights = 0.0;
        let (mut averages, mut iterates) = ([0.0; 4], [0.0; 4]);
        for (own, part) in all.iter().zip(parts) {
            let there = own.get(&j).copied().map(|mut c| {
                c.advance(end);
                c
            });
            let (is_touched, there) = (there.is_some(), there.unwrap_or(rest));
            let gained: f64 = (0..4).map(|k| there.squares[k] - before.squares[k]).sum();
            let w = match rule {
                Rule::LocalCurvature => gained,
                _ => part.len() as f64,
            };
            let (_, towards) = there.points(end);
            weights += w;
            for k in 0..4 {
                averages[k] += w * there.average[k];
                iterates[k] += w * towards[k];
                if is_touched {
                    c.theta[k] += (there.theta[k] - before.theta[k]) / fold;
                    c.squares[k] += (there.squares[k] - before.squares[k]) / fold;
                }
            }
            if is_touched {
                c.updates += (there.updates - before.updates) / fold;
            }
        }
        if weights > 0.0 {
            c.average = averages.map(|x| x / weights);
            if rule != Rule::LocalSum && rule != Rule::LocalAhead {
                let damping = c.updates / (c.updates + 4.0);
                for k in 0..4 {
                    c.theta[k] = iterates[k] / weights * (c.squares[k] / damping).sqrt();
                }
            }
        }
        lanes.coordinates[j] = c;
    }
    lanes.count(&total);
    loss
}
