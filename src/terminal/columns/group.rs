//! Groups of rows with equal values of a column.

use super::leak::Labels;
use std::collections::HashMap;

/// Sums over the labels of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    rows: usize,
    /// Rows by class.
    classes: HashMap<u32, usize>,
    /// Ranks, and their squares.
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

    /// This group without the rows of another one, which are in it.
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

    /// Leave-one-out error of predicting each row's label by the others of its group: errors or squared errors. O(classes).
    pub(super) fn left(&self, labels: &Labels) -> f64 {
        match labels {
            _ if self.rows == 0 => 0.0,
            Labels::Classes(_, counts) => self.errors(counts) as f64,
            Labels::Ranks(_) if self.rows == 1 => self.squares,
            Labels::Ranks(_) => {
                // Σ (y − (S − y)/(n − 1))², where y is told by the mean of the others.
                let n = self.rows as f64;
                let least_one = (n - 1.0) * (n - 1.0);
                (n * (n * self.squares - self.sum * self.sum) / least_one).max(0.0)
            }
        }
    }

    /// Rows that are wrong if each is taken for the likeliest class among the others; alone, for the commonest of all.
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
        // Without the row its class has to be more frequent still: then it is the most frequent one.
        if first == self.rows || second < first - 1 { self.rows - first } else { self.rows }
    }
}
