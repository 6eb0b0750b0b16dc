//! Binary tree over the shards, in whose shape partial results are joined.

use super::{join::Join, partial::Partial};
use std::{collections::BTreeMap, ops::Range};

/// Returns where the node that spans more than one leaf is divided: after the largest power of two of leaves that
/// leaves some to the right.
fn middle(node: &Range<usize>) -> usize {
    node.start + (1 << (node.len().max(2) - 1).ilog2())
}

/// Whether a range of leaves is a node of the tree over `leaves` leaves.
///
/// ```
/// use surefoot_glm::shards::is_node;
/// assert!(is_node(&(0..4), 6) && is_node(&(4..6), 6) && is_node(&(3..4), 6));
/// assert!(!is_node(&(2..6), 6) && !is_node(&(1..3), 6) && !is_node(&(0..0), 6));
/// ```
#[must_use]
pub fn is_node(range: &Range<usize>, leaves: usize) -> bool {
    let mut node = 0..leaves;
    while !range.is_empty() && range.start >= node.start && range.end <= node.end {
        if *range == node {
            return true;
        }
        let middle = middle(&node);
        if range.end <= middle {
            node.end = middle;
        } else {
            node.start = middle;
        }
    }
    false
}

/// Returns the largest nodes of the tree over `leaves` leaves that the range consists of, from left to right.
///
/// ```
/// use surefoot_glm::shards::nodes;
/// assert_eq!(nodes(1..6, 8), [1..2, 2..4, 4..6]);
/// assert_eq!(nodes(0..8, 8), [0..8]);
/// ```
#[must_use]
pub fn nodes(range: Range<usize>, leaves: usize) -> Vec<Range<usize>> {
    fn cover(node: Range<usize>, range: &Range<usize>, found: &mut Vec<Range<usize>>) {
        if node.start >= range.end || node.end <= range.start {
            return;
        }
        if node.start >= range.start && node.end <= range.end {
            found.push(node);
            return;
        }
        let middle = middle(&node);
        cover(node.start..middle, range, found);
        cover(middle..node.end, range, found);
    }
    let mut found = Vec::new();
    cover(0..leaves, &range, &mut found);
    found
}

/// Partial results of shards, joined with their neighbours as soon as these are there. The order in which they arrive
/// changes nothing.
///
/// *Memory*: about log₂ of the number of shards partial results, if they arrive in the order of the shards.
///
/// ```
/// use surefoot_glm::shards::{Fold, Partial};
/// let mut fold = Fold::new(3);
/// for shard in [2, 0, 1] {
///     fold.insert(shard..shard + 1, Partial { sums: vec![shard as f64], ..Partial::default() });
/// }
/// assert_eq!(fold.total().unwrap().sums, [3.0]);
/// ```
#[derive(Debug)]
pub struct Fold<P = Partial> {
    leaves: usize,
    /// Partial results by their first shard, with the shard after their last.
    parts: BTreeMap<usize, (usize, P)>,
}

impl<P: Join> Fold<P> {
    /// Creates an empty fold over this number of shards.
    #[must_use]
    pub fn new(shards: usize) -> Fold<P> {
        Fold { leaves: shards, parts: BTreeMap::new() }
    }

    /// Adds the joined partial results of the shards in a range. Returns `false`, and changes nothing, if the range is
    /// no node of the tree or all of its shards are there already. If only some are, because they had another owner
    /// before, the range takes their place.
    pub fn insert(&mut self, range: Range<usize>, partial: P) -> bool {
        if !is_node(&range, self.leaves) || self.has(&range) {
            return false;
        }
        // Two nodes of a tree are apart, or one contains the other.
        self.parts.retain(|start, (end, _)| *end <= range.start || *start >= range.end);
        let (mut range, mut partial) = (range, partial);
        loop {
            let before = self.parts.range(..range.start).next_back().map(|(&start, &(end, _))| start..end);
            let after = self.parts.range(range.end..).next().map(|(&start, &(end, _))| start..end);
            let joins = |left: &Range<usize>, right: &Range<usize>| {
                left.end == right.start && is_node(&(left.start..right.end), self.leaves)
            };
            let left = before.filter(|left| joins(left, &range));
            let right = after.filter(|right| joins(&range, right));
            if let Some((_, mut joined)) = left.as_ref().and_then(|left| self.parts.remove(&left.start)) {
                joined.join(&partial);
                (partial, range.start) = (joined, left.map_or(range.start, |left| left.start));
            } else if let Some((end, joined)) = right.and_then(|right| self.parts.remove(&right.start)) {
                partial.join(&joined);
                range.end = end;
            } else {
                break;
            }
        }
        self.parts.insert(range.start, (range.end, partial));
        true
    }

    /// Whether the partial results of all shards of the range are there.
    #[must_use]
    pub fn has(&self, range: &Range<usize>) -> bool {
        let mut at = range.start;
        while at < range.end {
            match self.parts.range(..=at).next_back() {
                Some((_, &(end, _))) if end > at => at = end,
                _ => return false,
            }
        }
        true
    }

    /// Returns the total over all shards; `None` while some are missing.
    #[must_use]
    pub fn total(mut self) -> Option<P> {
        let (end, total) = self.parts.remove(&0)?;
        (end == self.leaves).then_some(total)
    }

    /// Returns the joined partial results so far, as the fewest nodes of the tree, from left to right.
    #[must_use]
    pub fn into_nodes(self) -> Vec<(Range<usize>, P)> {
        self.parts.into_iter().map(|(start, (end, partial))| (start..end, partial)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(k: usize) -> Partial {
        let x = 1.0 / (k as f64 + 3.0) * if k.is_multiple_of(3) { -1e9 } else { 1.0 };
        Partial {
            sums: vec![x],
            compensated: vec![x, 0.0],
            maxima: vec![x],
            list: vec![k as f64],
            ..Partial::default()
        }
    }

    #[test]
    fn neither_order_nor_grouping_changes_a_bit() {
        for leaves in 1..20 {
            let mut one = Fold::new(leaves);
            (0..leaves).for_each(|k| assert!(one.insert(k..k + 1, leaf(k))));
            let expected = one.total().unwrap();
            assert_eq!(expected.list, (0..leaves).map(|k| k as f64).collect::<Vec<_>>());
            for from in 0..leaves {
                for to in from + 1..=leaves {
                    // One process owns from..to, another the shards around it, which come last shard first.
                    let mut owned = Fold::new(leaves);
                    (from..to).for_each(|k| assert!(owned.insert(k..k + 1, leaf(k))));
                    let parts = owned.into_nodes();
                    let spans: Vec<_> = parts.iter().map(|(range, _)| range.clone()).collect();
                    assert_eq!(spans, nodes(from..to, leaves));
                    let mut all = Fold::new(leaves);
                    (to..leaves).rev().chain((0..from).rev()).for_each(|k| assert!(all.insert(k..k + 1, leaf(k))));
                    parts.into_iter().rev().for_each(|(range, part)| assert!(all.insert(range, part)));
                    assert_eq!(all.total().unwrap(), expected);
                }
            }
        }
    }

    #[test]
    fn what_is_there_or_no_node_is_refused() {
        let mut fold = Fold::new(6);
        assert!(fold.insert(0..2, leaf(0)) && fold.has(&(0..2)) && !fold.has(&(0..3)));
        for range in [0..1, 1..2, 0..2, 1..3, 3..5, 5..7, 2..2] {
            assert!(!fold.insert(range, leaf(0)));
        }
        assert!(fold.insert(2..3, leaf(1)) && !fold.has(&(1..4)));
        // Another owner has more of these shards.
        assert!(fold.insert(0..4, leaf(5)) && fold.has(&(1..4)) && !fold.insert(3..4, leaf(0)));
        assert_eq!(fold.into_nodes(), [(0..4, leaf(5))]);
    }
}
