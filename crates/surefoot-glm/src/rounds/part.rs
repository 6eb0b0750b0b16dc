//! Sums over the rows of some shards in a round, which form one node of the tree of shards.

use super::{found::Found, tree::Node};
use crate::{
    loss::Loss,
    online::{gradient_sums::GradientSums, single_margin::in_rounds::RoundSums},
    pass::row_loop::Counts,
};

/// Sums over the rows that the shards of a node have in a round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) node: Node,
    pub(crate) found: Found,
    pub(crate) counts: Counts,
    pub(crate) sums: RoundSums,
    pub(crate) intercept: Option<GradientSums>,
    pub(crate) features: Features,
}

/// Sums of the features that occur in some rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Features {
    /// Ids of the features, in ascending order.
    pub(crate) ids: Vec<u64>,
    /// Sums of each feature in `ids`.
    pub(crate) sums: Vec<GradientSums>,
}

impl Features {
    /// Returns the features in the order of their ids, given these and the sums in any order.
    pub(crate) fn sorted(ids: impl Iterator<Item = u64>, sums: &[GradientSums]) -> Features {
        let mut order: Vec<(u64, u32)> = ids.zip(0..).collect();
        order.sort_unstable();
        let sums = order.iter().map(|&(_, at)| sums[at as usize]).collect();
        Features { ids: order.into_iter().map(|(id, _)| id).collect(), sums }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &GradientSums)> {
        self.ids.iter().copied().zip(&self.sums)
    }

    pub(crate) fn rescale(&mut self, ratio: f64) {
        if ratio != 1.0 {
            self.sums.iter_mut().for_each(|sums| sums.rescale(ratio));
        }
    }

    /// Returns the sums of the features of both.
    fn joined(&self, other: &Features) -> Features {
        let most = self.ids.len() + other.ids.len();
        let (mut ids, mut sums) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let (mut left, mut right) = (self.iter().peekable(), other.iter().peekable());
        while let (Some(&(a, x)), Some(&(b, y))) = (left.peek(), right.peek()) {
            let mut sum = if a <= b { *x } else { *y };
            if a == b {
                sum.join(y);
            }
            ids.push(a.min(b));
            sums.push(sum);
            left.next_if(|_| a <= b);
            right.next_if(|_| b <= a);
        }
        for (id, sum) in left.chain(right) {
            ids.push(id);
            sums.push(*sum);
        }
        Features { ids, sums }
    }
}

impl Part {
    /// Returns the sums of two children of `node`.
    ///
    /// # Errors
    /// Returns a message if their labels do not fit together.
    pub(crate) fn joined(mut self, mut other: Part, loss: Loss, node: Node) -> Result<Part, String> {
        self.counts.join(loss, &other.counts).map_err(|fault| fault.message)?;
        self.found.join(&other.found);
        let [own, others] = self.sums.join(&other.sums);
        self.features.rescale(own);
        other.features.rescale(others);
        let intercept = join_intercepts([self.intercept, other.intercept], [own, others]);
        Ok(Part { node, intercept, features: self.features.joined(&other.features), ..self })
    }
}

/// Returns the sums of the intercept over two parts, each of which is multiplied by its ratio first.
pub(crate) fn join_intercepts(intercepts: [Option<GradientSums>; 2], ratios: [f64; 2]) -> Option<GradientSums> {
    let [mut own, mut other] = intercepts;
    own.iter_mut().for_each(|sums| sums.rescale(ratios[0]));
    other.iter_mut().for_each(|sums| sums.rescale(ratios[1]));
    match (own, other) {
        (Some(mut own), Some(other)) => {
            own.join(&other);
            Some(own)
        }
        (own, other) => own.or(other),
    }
}
