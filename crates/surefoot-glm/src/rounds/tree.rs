//! Fixed binary tree over shards, in which the sums of a round are added up.
//!
//! Floating-point sums depend on their order. So each sum over several shards is that of one node of the tree, made of
//! the sums of its two children: whoever adds up which part first, the result is the same.

/// Node of the tree: a range of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Node {
    pub(crate) first: u32,
    /// Number of the shard after the last.
    pub(crate) end: u32,
}

impl Node {
    /// Returns the node of a single shard.
    pub(crate) fn leaf(shard: u32) -> Node {
        Node { first: shard, end: shard + 1 }
    }

    /// Returns the node of all shards.
    pub(crate) fn root(shards: u32) -> Node {
        Node { first: 0, end: shards }
    }

    /// Returns the first shard of the right child: the left child has the largest power of two of shards that leaves one
    /// or more for the right.
    fn middle(self) -> u32 {
        self.first + ((self.end - self.first).next_power_of_two() >> 1)
    }

    fn children(self) -> [Node; 2] {
        let middle = self.middle();
        [Node { first: self.first, end: middle }, Node { first: middle, end: self.end }]
    }

    /// Returns the nodes from the root of a tree over `shards` shards to the node that holds this range, of which the last is
    /// the range itself if it is a node of the tree.
    fn path(self, shards: u32) -> Option<Node> {
        let (mut node, mut parent) = (Node::root(shards), None);
        while node != self {
            if node.end - node.first < 2 || self.end <= self.first {
                return None;
            }
            let [left, right] = node.children();
            parent = Some(node);
            node = if self.first < right.first { left } else { right };
        }
        parent
    }

    /// Whether the range is a node of the tree over `shards` shards.
    pub(crate) fn is_in(self, shards: u32) -> bool {
        self == Node::root(shards) && shards > 0 || self.path(shards).is_some()
    }

    /// Returns the parent of two nodes if they are the children of one node of the tree over `shards` shards, the left one
    /// first.
    pub(crate) fn joined(self, right: Node, shards: u32) -> Option<Node> {
        self.path(shards).filter(|parent| parent.children() == [self, right])
    }
}

/// Joins the last parts of a list as long as they are the children of one node.
pub(crate) fn join_last<P>(
    parts: &mut Vec<P>,
    shards: u32,
    node_of: impl Fn(&P) -> Node,
    mut join: impl FnMut(P, P, Node) -> Result<P, String>,
) -> Result<(), String> {
    while let [.., left, right] = &parts[..] {
        let Some(parent) = node_of(left).joined(node_of(right), shards) else { break };
        let (Some(right), Some(left)) = (parts.pop(), parts.pop()) else { break };
        parts.push(join(left, right, parent)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In whatever order shards are joined to their neighbours, all of them make the root.
    #[test]
    fn neighbours_make_the_root() {
        for shards in 1..40 {
            let mut parts: Vec<(Node, String)> = Vec::new();
            for shard in 0..shards {
                assert!(Node::leaf(shard).is_in(shards));
                parts.push((Node::leaf(shard), shard.to_string()));
                let join = |a: (Node, String), b: (Node, String), node| Ok((node, format!("({} {})", a.1, b.1)));
                join_last(&mut parts, shards, |part| part.0, join).unwrap();
                assert!(parts.len() <= 1 + (shard + 1).ilog2() as usize);
            }
            assert!(matches!(&parts[..], [(node, _)] if *node == Node::root(shards)), "{shards}: {parts:?}");
        }
        assert!(!Node { first: 1, end: 3 }.is_in(4) && !Node { first: 2, end: 2 }.is_in(4) && !Node::leaf(4).is_in(4));
        assert!(!Node::root(0).is_in(0) && !Node::leaf(u32::MAX - 1).is_in(3));
        assert_eq!(Node::leaf(0).joined(Node::leaf(2), 4), None);
        assert_eq!(Node::leaf(1).joined(Node::leaf(2), 4), None);
    }
}
