//! Work of one worker in a round: scores the rows of its shards and sums up their gradients.

use super::{
    part::{Features, Part, join_intercepts},
    partial::{Content, Partial, Round, ShardRows},
    trainer::RoundTrainer,
    tree::{self, Node},
};
use crate::{
    data::{
        fault::{Fault, Part as At},
        rows::{Batch, Row, check_weight},
    },
    online::{
        gradient_sums::GradientSums,
        round_points::RoundPoints,
        single_margin::in_rounds::{PartSums, RoundStart, RoundSums},
    },
    pass::row_loop::Counts,
};

/// Work of one worker in a round: the rows of the shards that it owns, one shard after another.
///
/// For each row it computes the margins at the model of the start of the round, and adds the row's gradients to the
/// sums of its shard. Nothing is learnt; the replica may be shared by several workers of one process.
///
/// *Cost*: O(nonzeros) per row, and memory of about 150 bytes for each feature that occurs in the round.
#[derive(Debug)]
pub struct RoundWork {
    round: Round,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Rows are kept, to be learnt one by one by all replicas.
    Rows(Vec<ShardRows>),
    Sums(Box<Sums>),
}

#[derive(Debug)]
struct Sums {
    start: RoundStart,
    /// Shard whose rows are added, with their sums.
    current: Option<(u32, Counts, PartSums)>,
    /// Sums of finished shards, joined as far as they are the children of one node.
    parts: Vec<NumberedPart>,
}

/// [`Part`] whose features are known by the numbers that [`RoundPoints`] has given them.
#[derive(Debug)]
struct NumberedPart {
    node: Node,
    counts: Counts,
    sums: RoundSums,
    intercept: Option<GradientSums>,
    numbers: Vec<u32>,
    features: Vec<GradientSums>,
}

impl RoundWork {
    pub(crate) fn new(trainer: &RoundTrainer) -> RoundWork {
        let state = match trainer.is_one_by_one() {
            true => State::Rows(Vec::new()),
            false => {
                let start = trainer.learner().start_round(&trainer.counts().encoder, RoundPoints::default());
                State::Sums(Box::new(Sums { start, current: None, parts: Vec::new() }))
            }
        };
        RoundWork { round: trainer.round(), state }
    }

    /// Starts the rows of a shard; those added from now on are its rows. A worker calls this for every shard that it
    /// owns, in ascending order, also for shards without rows in this round.
    ///
    /// # Panics
    /// Panics if there is no such shard, or if the shards do not ascend.
    pub fn start_shard(&mut self, trainer: &RoundTrainer, shard: u32) {
        assert!(shard < self.round.shards, "a shard of the pass");
        let last = match &mut self.state {
            State::Rows(rows) => {
                let last = rows.last().map(|rows| rows.shard);
                rows.push(ShardRows { shard, rows: Batch::default() });
                last
            }
            State::Sums(sums) => {
                let last = sums.current.as_ref().map(|current| current.0);
                sums.end_shard();
                sums.current = Some((shard, trainer.counts().of_more_rows(), PartSums::new(trainer.learner())));
                last
            }
        };
        assert!(last.is_none_or(|last| last < shard), "shards in ascending order");
    }

    /// Adds rows `from..to` of a batch to the shard started last.
    ///
    /// # Errors
    /// Returns the position of the first row that cannot be used, with its fault, as
    /// [`Trainer::learn`](crate::Trainer::learn) does. The row itself has changed nothing. A few faults of rows of the
    /// first round show only when they are learnt: see [`RoundTrainer::absorb`].
    ///
    /// # Panics
    /// Panics if no shard has been started, or if the batch has no such rows.
    pub fn add(&mut self, trainer: &RoundTrainer, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)> {
        if from < to && self.round != trainer.round() {
            return Err((from, Fault::new(At::Row, "the round has ended: its work takes no more rows")));
        }
        match &mut self.state {
            State::Rows(all) => {
                let own = &mut all.last_mut().expect("a shard has been started").rows;
                (from..to).try_for_each(|r| keep(trainer, own, &batch.row(r)).map_err(|fault| (r, fault)))
            }
            State::Sums(sums) => {
                (from..to).try_for_each(|r| sums.add(trainer, &batch.row(r)).map_err(|fault| (r, fault)))
            }
        }
    }

    /// Ends the work of this worker.
    ///
    /// # Errors
    /// Returns a message if the labels of its shards do not fit together, as three classes for a loss of two.
    pub fn finish(self) -> Result<Partial, String> {
        let content = match self.state {
            State::Rows(rows) => Content::Rows(rows),
            State::Sums(mut sums) => {
                sums.end_shard();
                Content::Sums(sums.finish(self.round)?)
            }
        };
        Ok(Partial { round: self.round, content })
    }
}

/// Keeps a row that is learnt at the end of the round, unless it shows already that it cannot be.
fn keep(trainer: &RoundTrainer, rows: &mut Batch, row: &Row<'_>) -> Result<(), Fault> {
    row.check()?;
    if let (Some(label), true) = (row.label, row.weight > 0.0) {
        let loss = trainer.settings().loss;
        check_weight(trainer.row_loop().weight(row))?;
        let y = trainer.counts().encoder.encode(loss, label)?;
        loss.check_offset(y, row.offset)?;
    }
    rows.append(row);
    Ok(())
}

impl Sums {
    /// Adds a row to the current shard. The order of the steps is that of the row loop: if the row is refused, nothing
    /// has changed.
    fn add(&mut self, trainer: &RoundTrainer, row: &Row<'_>) -> Result<(), Fault> {
        let (_, counts, part) = self.current.as_mut().expect("a shard has been started");
        row.check()?;
        let weight = trainer.row_loop().weight(row);
        let (Some(label), true) = (row.label, weight > 0.0) else {
            count(counts, row, true);
            return Ok(());
        };
        check_weight(weight)?;
        let (loss, learner) = (trainer.settings().loss, trainer.learner());
        let y = counts.encoder.encode(loss, label)?;
        loss.check_offset(y, row.offset)?;
        let scored = learner.score_in_round(&mut self.start, row, y)?;
        count(counts, row, false);
        counts.encoder.observe(loss, label);
        counts.losses.add(loss, y, weight, scored.value, row.offset);
        if trainer.settings().class_weights.is_some() {
            counts.balance.add(label, row.weight);
        }
        learner.add_in_round(&mut self.start, part, &scored, (y, weight, row.offset));
        Ok(())
    }

    /// Rounds the sums of the current shard to f32.
    fn end_shard(&mut self) {
        let Some((shard, counts, part)) = self.current.take() else { return };
        let points = &mut self.start.points;
        part.features.iter().for_each(|sums| points.set_place(sums.number, 0));
        let numbers = part.features.iter().map(|sums| sums.number).collect();
        let features = part.features.iter().map(|sums| sums.rounded()).collect();
        let intercept = part.intercept.filter(|_| part.sums.rows() > 0).map(|sums| sums.rounded());
        self.parts.push(NumberedPart {
            node: Node::leaf(shard),
            counts,
            sums: part.sums,
            intercept,
            numbers,
            features,
        });
    }

    fn finish(mut self, round: Round) -> Result<Vec<Part>, String> {
        let mut joined = Vec::new();
        for part in std::mem::take(&mut self.parts) {
            joined.push(part);
            let points = &mut self.start.points;
            tree::join_last(
                &mut joined,
                round.shards,
                |part| part.node,
                |a, b, node| a.joined(b, round, node, points),
            )?;
        }
        Ok(joined.into_iter().map(|part| part.with_ids(&self.start.points)).collect())
    }
}

fn count(counts: &mut Counts, row: &Row<'_>, idle: bool) {
    counts.rows += 1;
    counts.rows_zero_weight += u64::from(idle);
    counts.nnz += row.index.len() as u64;
}

impl NumberedPart {
    /// Returns the sums of two children of `node`: as [`Part::joined`], but features are found by their numbers.
    fn joined(
        mut self,
        mut other: NumberedPart,
        round: Round,
        node: Node,
        points: &mut RoundPoints,
    ) -> Result<NumberedPart, String> {
        self.counts.join(round.loss, &other.counts).map_err(|fault| fault.message)?;
        let ratios = self.sums.join(&other.sums);
        for (part, ratio) in [&mut self, &mut other].into_iter().zip(ratios) {
            if ratio != 1.0 {
                part.features.iter_mut().for_each(|sums| sums.rescale(ratio));
            }
        }
        self.intercept = join_intercepts([self.intercept, other.intercept], ratios);
        self.numbers.iter().zip(1..).for_each(|(&number, place)| points.set_place(number, place));
        for (&number, sums) in other.numbers.iter().zip(&other.features) {
            match points.place(number) as usize {
                0 => {
                    self.numbers.push(number);
                    self.features.push(*sums);
                }
                place => self.features[place - 1].join(sums),
            }
        }
        self.numbers.iter().for_each(|&number| points.set_place(number, 0));
        self.node = node;
        Ok(self)
    }

    fn with_ids(self, points: &RoundPoints) -> Part {
        let ids = self.numbers.iter().map(|&number| points.id(number)).collect();
        let features = Features { ids, sums: self.features, is_sorted: false };
        Part { node: self.node, counts: self.counts, sums: self.sums, intercept: self.intercept, features }
    }
}
