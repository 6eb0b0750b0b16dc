//! Work of one worker in a round: scores the rows of its shards and sums up their gradients.

use super::{
    found::{Found, add_classes},
    part::{Features, Part, join_intercepts},
    partial::{Content, Partial, Round, ShardRows},
    trainer::RoundTrainer,
    tree::{self, Node},
};
use crate::{
    data::{
        fault::{Fault, Part as At},
        rows::{Batch, Row, check_weight},
        schema::Class,
    },
    online::{
        gradient_sums::{GradientSums, RowSums},
        round_points::RoundPoints,
        single_margin::in_rounds::{PartSums, RoundStart, RoundSums},
    },
    pass::row_loop::Counts,
};

/// Work of one worker in a round: the rows of the shards that it owns, one shard after another.
///
/// For each row it computes the margins at the model of the start of the round, and adds the row's gradients to the
/// sums of its shard. Nothing is learnt. Workers that are threads of one process have a replica each.
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
    current: Option<Current>,
    /// Sums of finished shards.
    parts: Vec<NumberedPart>,
    /// Memory of the sums of the shard before.
    spare: Vec<RowSums>,
}

/// Sums of the shard whose rows are added.
#[derive(Debug)]
struct Current {
    shard: u32,
    found: Found,
    counts: Counts,
    part: PartSums,
}

/// [`Part`] whose features are known by the numbers that [`RoundPoints`] has given them.
#[derive(Debug)]
struct NumberedPart {
    node: Node,
    found: Found,
    counts: Counts,
    sums: RoundSums,
    intercept: Option<GradientSums>,
    numbers: Vec<u32>,
    features: Vec<GradientSums>,
}

impl RoundWork {
    pub(crate) fn new(trainer: &RoundTrainer) -> RoundWork {
        RoundWork::with_memory(trainer, RoundPoints::default(), Vec::new())
    }

    fn with_memory(trainer: &RoundTrainer, points: RoundPoints, spare: Vec<RowSums>) -> RoundWork {
        let state = match trainer.is_one_by_one() {
            true => State::Rows(Vec::new()),
            false => {
                let start = trainer.learner().start_round(&trainer.counts().encoder, points);
                State::Sums(Box::new(Sums { start, current: None, parts: Vec::new(), spare }))
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
                rows.push(ShardRows { shard, found: Found::default(), rows: Batch::default() });
                last
            }
            State::Sums(sums) => {
                let last = sums.current.as_ref().map(|current| current.shard);
                sums.end_shard();
                sums.current = Some(Current {
                    shard,
                    found: Found::default(),
                    counts: trainer.counts().of_more_rows(),
                    part: PartSums::new(trainer.learner(), std::mem::take(&mut sums.spare)),
                });
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
        let added = match &mut self.state {
            State::Rows(all) => {
                let own = &mut all.last_mut().expect("a shard has been started").rows;
                (from..to).try_for_each(|r| keep(trainer, own, &batch.row(r)).map_err(|fault| (r, fault)))
            }
            State::Sums(sums) => (from..to).try_for_each(|r| {
                if r + 1 < to {
                    sums.start.points.prefetch(&batch.row(r + 1));
                }
                sums.add(trainer, &batch.row(r)).map_err(|fault| (r, fault))
            }),
        };
        let end = added.as_ref().map_or_else(|(r, _)| r + 1, |()| to);
        self.found().taken += end.saturating_sub(from) as u64;
        added
    }

    /// Declares the classes that the reader of the shard started last has met, if labels are text: all replicas then know
    /// which classes the labels of the shard stand for.
    ///
    /// # Panics
    /// Panics if no shard has been started.
    pub fn add_classes(&mut self, classes: &[Class]) {
        add_classes(&mut self.found().classes, classes);
    }

    fn found(&mut self) -> &mut Found {
        let found = match &mut self.state {
            State::Rows(all) => all.last_mut().map(|rows| &mut rows.found),
            State::Sums(sums) => sums.current.as_mut().map(|current| &mut current.found),
        };
        found.expect("a shard has been started")
    }

    /// Ends the work of this worker in the round, and returns it.
    ///
    /// # Errors
    /// Returns a message if the labels of its shards do not fit together, as three classes for a loss of two.
    pub fn finish(&mut self) -> Result<Partial, String> {
        let content = match &mut self.state {
            State::Rows(rows) => Content::Rows(std::mem::take(rows)),
            State::Sums(sums) => {
                sums.end_shard();
                Content::Sums(sums.finish(self.round)?)
            }
        };
        Ok(Partial { round: self.round, content })
    }

    /// Starts the work in the next round, with the memory of this one.
    pub fn restart(&mut self, trainer: &RoundTrainer) {
        let (points, spare) = match &mut self.state {
            State::Sums(sums) => (std::mem::take(&mut sums.start.points), std::mem::take(&mut sums.spare)),
            State::Rows(_) => Default::default(),
        };
        *self = RoundWork::with_memory(trainer, points, spare);
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
        let Current { counts, part, .. } = self.current.as_mut().expect("a shard has been started");
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
        let Some(Current { shard, found, counts, mut part }) = self.current.take() else { return };
        self.start.points.end_part(part.features.len());
        let numbers = part.features.iter().map(|sums| sums.number).collect();
        let features = part.features.iter().map(|sums| sums.rounded()).collect();
        part.features.clear();
        self.spare = part.features;
        let intercept = part.intercept.filter(|_| part.sums.rows() > 0).map(|sums| sums.rounded());
        self.parts.push(NumberedPart {
            node: Node::leaf(shard),
            found,
            counts,
            sums: part.sums,
            intercept,
            numbers,
            features,
        });
    }

    fn finish(&mut self, round: Round) -> Result<Vec<Part>, String> {
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
        self.found.join(&other.found);
        let ratios = self.sums.join(&other.sums);
        for (part, ratio) in [&mut self, &mut other].into_iter().zip(ratios) {
            if ratio != 1.0 {
                part.features.iter_mut().for_each(|sums| sums.rescale(ratio));
            }
        }
        self.intercept = join_intercepts([self.intercept, other.intercept], ratios);
        let positions = points.positions();
        self.numbers.iter().zip(1..).for_each(|(&number, position)| positions[number as usize] = position);
        let known = self.numbers.len();
        for (&number, sums) in other.numbers.iter().zip(&other.features) {
            match positions[number as usize] as usize {
                0 => {
                    self.numbers.push(number);
                    self.features.push(*sums);
                }
                position => self.features[position - 1].join(sums),
            }
        }
        self.numbers[..known].iter().for_each(|&number| positions[number as usize] = 0);
        self.node = node;
        Ok(self)
    }

    fn with_ids(self, points: &RoundPoints) -> Part {
        // Parts of several workers are joined by ids, in their order.
        let features = Features::sorted(self.numbers.iter().map(|&number| points.id(number)), &self.features);
        let NumberedPart { node, found, counts, sums, intercept, .. } = self;
        Part { node, found, counts, sums, intercept, features }
    }
}
