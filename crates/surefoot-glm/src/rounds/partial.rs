//! Work of one or several workers in a round, which is joined to that of the others and then learnt by all replicas.

use super::{
    found::Found,
    part::Part,
    tree::{self, Node},
};
use crate::{data::rows::Batch, loss::Loss};
use std::ops::Range;

/// Sums over the rows that some shards have in a round: of gradients per feature, and of everything else that the
/// learner and the printed loss need. In the first rounds, whose rows are learnt one by one, the rows themselves.
///
/// Sums of several shards are those of nodes of a fixed binary tree, so the same shards give the same sums, to the bit,
/// in whatever order and on whatever machines they are joined.
///
/// *Size*: about 50 bytes for each feature that occurs in the rows, and 2 KB. See [`RoundTrainer`](crate::RoundTrainer)
/// for an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    pub(crate) round: Round,
    pub(crate) content: Content,
}

/// Round that a partial belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    /// Number of rows read before the round.
    pub(crate) rows: u64,
    /// Number of shards of the pass.
    pub(crate) shards: u32,
    pub(crate) loss: Loss,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// Rows of each shard, by ascending shard, to be learnt one by one.
    Rows(Vec<ShardRows>),
    /// Sums of nodes of the tree of shards, by ascending shards.
    Sums(Vec<Part>),
}

/// Rows of one shard.
#[derive(Clone, Debug)]
pub(crate) struct ShardRows {
    pub(crate) shard: u32,
    pub(crate) found: Found,
    pub(crate) rows: Batch,
}

impl PartialEq for ShardRows {
    fn eq(&self, other: &ShardRows) -> bool {
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let of = |batch: &Batch| (bits(&batch.label), bits(&batch.weight), bits(&batch.offset), bits(&batch.value));
        let rows = (&self.rows, &other.rows);
        self.shard == other.shard
            && self.found == other.found
            && of(rows.0) == of(rows.1)
            && rows.0.index == rows.1.index
            && rows.0.start == rows.1.start
    }
}

impl Partial {
    /// Joins the work of other shards in the same round. The result does not depend on the order in which partials are
    /// joined. Costs O(features of both).
    ///
    /// # Errors
    /// Returns a message if the partials are of different rounds, have a shard in common, or if their labels do not fit
    /// together, as three classes for a loss of two.
    pub fn join(self, other: Partial) -> Result<Partial, String> {
        if self.round != other.round {
            return Err("the partials are of different rounds".to_owned());
        }
        let round = self.round;
        let content = match (self.content, other.content) {
            (Content::Rows(mut rows), Content::Rows(others)) => {
                rows.extend(others);
                rows.sort_by_key(|rows| rows.shard);
                if !rows.is_sorted_by(|a, b| a.shard < b.shard) {
                    return Err(twice());
                }
                Content::Rows(rows)
            }
            (Content::Sums(mut parts), Content::Sums(others)) => {
                parts.extend(others);
                parts.sort_by_key(|part| part.node);
                if !parts.is_sorted_by(|a, b| a.node.end <= b.node.first) {
                    return Err(twice());
                }
                Content::Sums(joined(parts, round)?)
            }
            _ => return Err("the partials are of different rounds".to_owned()),
        };
        Ok(Partial { round, content })
    }

    /// Returns the work of each node of the tree of shards that this one consists of, with its range of shards.
    #[must_use]
    pub fn into_nodes(self) -> Vec<(Range<usize>, Partial)> {
        let round = self.round;
        let range = |node: Node| node.first as usize..node.end as usize;
        match self.content {
            Content::Rows(rows) => {
                let one = |rows: ShardRows| {
                    (range(Node::leaf(rows.shard)), Partial { round, content: Content::Rows(vec![rows]) })
                };
                rows.into_iter().map(one).collect()
            }
            Content::Sums(parts) => {
                let one = |part: Part| (range(part.node), Partial { round, content: Content::Sums(vec![part]) });
                parts.into_iter().map(one).collect()
            }
        }
    }

    /// Returns the numbers of the shards whose work this is, in ascending order.
    pub fn shards(&self) -> impl Iterator<Item = u32> + '_ {
        let nodes: Vec<Node> = match &self.content {
            Content::Rows(rows) => rows.iter().map(|rows| Node::leaf(rows.shard)).collect(),
            Content::Sums(parts) => parts.iter().map(|part| part.node).collect(),
        };
        nodes.into_iter().flat_map(|node| node.first..node.end)
    }

    /// Returns the number of rows, those without a label or weight included.
    #[must_use]
    pub fn rows(&self) -> u64 {
        match &self.content {
            Content::Rows(rows) => rows.iter().map(|rows| rows.rows.len() as u64).sum(),
            Content::Sums(parts) => parts.iter().map(|part| part.counts.rows).sum(),
        }
    }

    /// Returns the number of rows that the shards have taken, those that were refused included. All shards are at their end
    /// if there is none.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.found().map(|found| found.taken).sum()
    }

    pub(crate) fn found(&self) -> impl Iterator<Item = &Found> {
        let (rows, parts): (&[ShardRows], &[Part]) = match &self.content {
            Content::Rows(rows) => (rows, &[]),
            Content::Sums(parts) => (&[], parts),
        };
        rows.iter().map(|rows| &rows.found).chain(parts.iter().map(|part| &part.found))
    }

    /// Whether this is the work of all shards.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.shards().count() == self.round.shards as usize
    }
}

fn twice() -> String {
    "the partials have a shard in common".to_owned()
}

/// Joins neighbouring nodes as far as they are the children of one node.
fn joined(parts: Vec<Part>, round: Round) -> Result<Vec<Part>, String> {
    let mut joined = Vec::new();
    for part in parts {
        joined.push(part);
        let join = |left: Part, right: Part, node| left.joined(right, round.loss, node);
        tree::join_last(&mut joined, round.shards, |part| part.node, join)?;
    }
    Ok(joined)
}
