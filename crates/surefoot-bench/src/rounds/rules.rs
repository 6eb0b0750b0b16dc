//! Rules by which the work of shards is merged, and a pass in rounds by each of them.

use super::{
    deal::{Order, deal},
    lanes::{Charges, Coordinate, Examples, LANES, Lanes, Link, Sums},
};
use std::collections::HashMap;

/// Rule by which the shards' work of a round is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Mini-batch: all gradients at the common points, squares of each row's gradient added up.
    Batch,
    /// As `Batch`, but the sum of squares grows by the square of the round's gradient if that is larger.
    BatchMax,
    /// As `BatchMax`, with the last round's gradient, as far as it is not noise, as a hint (optimistic dual averaging).
    BatchHint,
    /// As `BatchMax`, but only where the gradient pulls the iterate back to the average.
    BatchBack,
    /// As `BatchBack`, and the iterate comes no further beyond the average than it was ahead of it, but for noise. It is the rule of
    /// [`RoundTrainer`](surefoot_glm::RoundTrainer).
    BatchClip,
    /// Shards learn locally; sums of gradients and of squares are added up, averages are averaged.
    LocalSum,
    /// As `LocalSum`, where each shard takes its own gradients as those of all shards.
    LocalAhead,
    /// Shards learn locally; iterates and averages are averaged, squares added up.
    LocalMean,
    /// As `LocalMean`, weighted by the squares that each shard has added to the coordinate.
    LocalCurvature,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 9] = [
        Rule::Batch,
        Rule::BatchMax,
        Rule::BatchHint,
        Rule::BatchBack,
        Rule::BatchClip,
        Rule::LocalSum,
        Rule::LocalAhead,
        Rule::LocalMean,
        Rule::LocalCurvature,
    ];

    fn is_local(self) -> bool {
        matches!(self, Rule::LocalSum | Rule::LocalAhead | Rule::LocalMean | Rule::LocalCurvature)
    }
}

/// Number of rows of a round, as a function of the rows so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Rows that are learnt one by one at first.
    pub start: usize,
    /// Rows of a round as a share of the rows so far; at least one of each shard.
    pub share: f64,
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

/// Simulates the sequential pass over the rows of all shards in turn.
#[must_use]
pub fn sequential(link: Link, train: &Examples, test: &Examples, shards: usize, order: Order) -> Outcome {
    let growth = Growth { start: train.len(), share: 1.0 };
    simulate(link, train, test, &deal(train, shards, order), Rule::Batch, growth)
}

/// Simulates one pass over the rows of shards.
#[must_use]
pub fn simulate(
    link: Link,
    train: &Examples,
    test: &Examples,
    shards: &[Vec<usize>],
    rule: Rule,
    growth: Growth,
) -> Outcome {
    let mut lanes = Lanes::new(link, train.features().max(test.features()));
    let (mut at, mut learnt, mut loss, mut rounds) = (0, 0, 0.0, 0);
    let rows_at = |at: usize| shards.iter().filter_map(move |rows| rows.get(at).copied());
    while learnt < growth.start.min(train.len()) {
        for r in rows_at(at) {
            loss += lanes.learn(train, r);
            learnt += 1;
        }
        at += 1;
    }
    while learnt < train.len() {
        let each = ((growth.share * learnt as f64) as usize / shards.len()).max(1);
        let parts: Vec<&[usize]> =
            shards.iter().map(|rows| &rows[at.min(rows.len())..(at + each).min(rows.len())]).collect();
        loss += round(&mut lanes, train, &parts, rule);
        learnt += parts.iter().map(|part| part.len()).sum::<usize>();
        at += each;
        rounds += 1;
    }
    Outcome { progressive: loss / train.len() as f64, test: lanes.test(test), rounds }
}

/// Learns a round; returns the total loss of its rows by the model of its start.
fn round(lanes: &mut Lanes, rows: &Examples, parts: &[&[usize]], rule: Rule) -> f64 {
    let all = || parts.iter().flat_map(|part| part.iter().copied());
    all().for_each(|r| lanes.raise(rows, r));
    let mut charges = Charges::default();
    for r in all() {
        charges.add(&lanes.charge(rows.label[r], &lanes.margins(rows, r, lanes.rows + 1.0, |j| lanes.coordinates[j])));
    }
    if charges.rows > 0.0 {
        if rule.is_local() {
            local(lanes, rows, parts, rule);
        } else {
            batch(lanes, rows, all(), rule);
        }
        lanes.count(&charges);
    }
    charges.loss()
}

fn batch(lanes: &mut Lanes, rows: &Examples, all: impl Iterator<Item = usize>, rule: Rule) {
    let mut sums: HashMap<usize, Sums> = HashMap::new();
    let mut count = 0.0;
    for r in all {
        let g = lanes.gradient(rows.label[r], &lanes.margins(rows, r, lanes.rows + 1.0, |j| lanes.coordinates[j]));
        for (j, x) in lanes.relative(rows, r) {
            sums.entry(j).or_default().add(x, &g);
        }
        count += 1.0;
    }
    let end = lanes.rows + count;
    sums.into_iter().for_each(|(j, sum)| absorb(&mut lanes.coordinates[j], end, &sum, rule));
}

/// Learns the gradients of a round, which ends with row number `end`, in one coordinate.
fn absorb(c: &mut Coordinate, end: f64, sum: &Sums, rule: Rule) {
    let direction = c.points(end).1;
    c.advance(end);
    for (k, direction) in direction.into_iter().enumerate() {
        let (mut g, squares) = (sum.gradient[k], sum.squares[k]);
        let away = direction - c.average[k];
        let (is_back, beside) = (g * away > 0.0, g + c.hint[k]);
        c.squares[k] += match rule {
            Rule::BatchMax => squares.max(g * g),
            Rule::BatchHint => squares.max(beside * beside),
            Rule::BatchBack | Rule::BatchClip if is_back => squares.max(g * g),
            _ => squares,
        };
        if rule == Rule::BatchClip && is_back {
            let most = away.abs() * c.squares[k].sqrt() + squares.sqrt();
            g = g.clamp(-most, most);
        }
        c.theta[k] -= g;
        if rule == Rule::BatchHint {
            c.hint[k] = -g * (1.0 - squares / (g * g + 1e-300)).max(0.0);
        }
    }
    c.updates += sum.count;
}

/// Lets each part learn its rows one by one, from the common state, and merges what they have learnt.
fn local(lanes: &mut Lanes, rows: &Examples, parts: &[&[usize]], rule: Rule) {
    let active = parts.iter().filter(|part| !part.is_empty()).count() as f64;
    let fold = if rule == Rule::LocalAhead { active } else { 1.0 };
    let end = lanes.rows + parts.iter().map(|part| part.len() as f64).sum::<f64>();
    let own: Vec<_> = parts.iter().map(|part| learn_locally(lanes, rows, part, active, fold)).collect();
    let mut touched: Vec<usize> = own.iter().flat_map(|own| own.keys().copied()).collect();
    touched.sort_unstable();
    touched.dedup();
    for j in touched {
        let states = own.iter().map(|own| own.get(&j)).zip(parts.iter().map(|part| part.len() as f64));
        lanes.coordinates[j] = merged(&lanes.coordinates[j], states, end, fold, rule);
    }
}

/// Learns rows one by one; returns the coordinates that they touch. Rows of `active` parts are learnt side by side, so
/// time passes as many times as fast, and each gradient counts `fold` times.
fn learn_locally(lanes: &Lanes, rows: &Examples, part: &[usize], active: f64, fold: f64) -> HashMap<usize, Coordinate> {
    let mut own: HashMap<usize, Coordinate> = HashMap::new();
    for (i, &r) in part.iter().enumerate() {
        let t = lanes.rows + 1.0 + i as f64 * active;
        let margins = lanes.margins(rows, r, t, |j| own.get(&j).copied().unwrap_or(lanes.coordinates[j]));
        let g = lanes.gradient(rows.label[r], &margins);
        for (j, x) in lanes.relative(rows, r) {
            let c = own.entry(j).or_insert(lanes.coordinates[j]);
            c.advance(t);
            for (k, g) in g.iter().enumerate() {
                c.theta[k] -= fold * g * x;
                c.squares[k] += fold * g * x * g * x;
            }
            c.updates += fold;
        }
    }
    own
}

/// Merges the states of a coordinate, each with the number of rows of its part; `None` where no row has touched it.
fn merged<'a>(
    before: &Coordinate,
    states: impl Iterator<Item = (Option<&'a Coordinate>, f64)>,
    end: f64,
    fold: f64,
    rule: Rule,
) -> Coordinate {
    let mut untouched = *before;
    untouched.advance(end);
    let mut c = untouched;
    let (mut weights, mut averages, mut iterates) = (0.0, [0.0; LANES], [0.0; LANES]);
    for (state, rows) in states {
        let mut there = state.copied().unwrap_or(untouched);
        there.advance(end);
        let gained: f64 = (0..LANES).map(|k| there.squares[k] - before.squares[k]).sum();
        let weight = if rule == Rule::LocalCurvature { gained } else { rows };
        let iterate = there.points(end).1;
        weights += weight;
        for k in 0..LANES {
            averages[k] += weight * there.average[k];
            iterates[k] += weight * iterate[k];
            c.theta[k] += (there.theta[k] - before.theta[k]) / fold;
            c.squares[k] += (there.squares[k] - before.squares[k]) / fold;
        }
        c.updates += (there.updates - before.updates) / fold;
    }
    if weights > 0.0 {
        c.average = averages.map(|x| x / weights);
        if matches!(rule, Rule::LocalMean | Rule::LocalCurvature) {
            let damping = c.updates / (c.updates + 4.0);
            c.theta = std::array::from_fn(|k| iterates[k] / weights * (c.squares[k] / damping).sqrt());
        }
    }
    c
}
