//! Label statistics of groups of rows that share a value of a column.

use super::leak::Labels;
use std::collections::HashMap;

/// Label statistics of a group of rows: class counts, or sums of ranks for numeric labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    rows: usize,
    /// Number of rows in each class; empty for numeric labels.
    classes: HashMap<u32, usize>,
    /// Sum of the label ranks (0 for classes); [`Group::squares`] is the sum of their squares.
    sum: f64,
    squares: f64,
}

impl Group {
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn add(&mut self, labels: &Labels, row: u32) {
        self.rows += 1;
        match labels {
            Labels::Classes(classes, _) => *self.classes.entry(classes[row as usize]).or_default() += 1,
            Labels::Ranks(ranks) => {
                let rank = ranks[row as usize];
                self.sum += rank;
                self.squares += rank * rank;
            }
        }
    }

    /// Returns the statistics of this group without the rows of `other`, which must be part of it.
    pub(super) fn without(&self, other: &Group) -> Group {
        let left = |(&class, &count): (&u32, &usize)| {
            let left = count - other.classes.get(&class).copied().unwrap_or(0);
            (left > 0).then_some((class, left))
        };
        Group {
            rows: self.rows - other.rows,
            classes: self.classes.iter().filter_map(left).collect(),
            sum: self.sum - other.sum,
            squares: self.squares - other.squares,
        }
    }

    /// Returns the leave-one-out error of predicting each label from the other rows of the group: number of errors for classes, sum of
    /// squared errors for ranks. O(classes).
    pub(super) fn left(&self, labels: &Labels) -> f64 {
        match labels {
            _ if self.rows == 0 => 0.0,
            Labels::Classes(_, counts) => self.errors(counts) as f64,
            Labels::Ranks(_) if self.rows == 1 => self.squares,
            Labels::Ranks(_) => {
                // Σ (y − (S − y)/(n − 1))², where each y is predicted by the mean of the others.
                let n = self.rows as f64;
                let least_one = (n - 1.0) * (n - 1.0);
                (n * (n * self.squares - self.sum * self.sum) / least_one).max(0.0)
            }
        }
    }

    /// Returns the number of misclassified rows if each is assigned the most frequent class among the other rows of the group; a row without
    /// others is assigned the most frequent class of the sample.
    fn errors(&self, counts: &[usize]) -> usize {
        if self.rows == 1 {
            let most = counts.iter().copied().max();
            let usual = counts.iter().position(|count| Some(*count) == most);
            return usize::from(!self.classes.keys().any(|class| Some(*class as usize) == usual));
        }
        let mut first = (0, 0);
        for count in self.classes.values() {
            first = (first.0.max(*count), first.1.max(first.0.min(*count)));
        }
        let (first, second) = first;
        // A row is right only if its class stays the commonest without it, so that class must lead by at least two rows.
        if first == self.rows || second < first - 1 { self.rows - first } else { self.rows }
    }
}
