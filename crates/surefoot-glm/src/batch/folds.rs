//! Which rows are held out when a penalty is chosen.

use super::optimum::Examples;
use crate::loss::Loss;
use std::collections::HashMap;

/// Parts that rows are split into; the held-out rows of a split are those of a part.
pub(crate) const PARTS: usize = 10;
/// Rows that are held out over all splits, and among them rows that are not of the most frequent class: enough to choose by.
const ROWS: usize = 2_500;
const RARE: usize = 300;

/// The splits of some rows.
#[derive(Debug)]
pub(crate) struct Folds {
    /// The part of each row; none of a row without weight.
    part: Vec<Option<u8>>,
    /// How many of the ten splits are worth their time.
    splits: usize,
}

impl Folds {
    /// Each class, or counts of 0 and others, are dealt out by themselves: ten rows at a time, one to each part, in an order that
    /// depends on how many were before. So neither rows that come sorted nor rows that come in tens make a part unlike the others.
    pub(crate) fn new(examples: &Examples, loss: Loss) -> Folds {
        let mut strata: HashMap<u64, Stratum> = HashMap::new();
        let part = (0..examples.len()).map(|i| {
            let label = examples.label(i).0;
            let kind = if loss.classifies() || label == 0.0 { label } else { 1.0 };
            let number = strata.len() as u64;
            let stratum = strata.entry(kind.to_bits()).or_insert_with(|| Stratum::new(number));
            (examples.weight(i) > 0.0).then(|| stratum.next())
        });
        let part: Vec<_> = part.collect();
        let rows: usize = strata.values().map(|stratum| stratum.rows).sum();
        let most = strata.values().map(|stratum| stratum.rows).max().unwrap_or(0);
        let worth = |wanted: usize, there: usize| if there == 0 { 1 } else { (wanted * PARTS).div_ceil(there) };
        let splits = worth(ROWS, rows).max(worth(RARE, rows - most)).clamp(1, PARTS);
        Folds { part, splits }
    }

    /// Of each split that is worth its time the rows that are held out, unless that leaves nothing, or one class alone, to learn from.
    pub(crate) fn splits(&self, examples: &Examples, loss: Loss) -> Vec<Vec<usize>> {
        let of = |split: u8| {
            let held = |part: &Option<u8>| *part == Some(split);
            let rows: Vec<usize> = (0..self.part.len()).filter(|&i| held(&self.part[i])).collect();
            let mut left = (0..self.part.len()).filter(|&i| self.part[i].is_some() && !held(&self.part[i]));
            let first = left.next().map(|i| examples.label(i).0);
            let teaches = first.is_some_and(|first| !loss.classifies() || left.any(|i| examples.label(i).0 != first));
            (!rows.is_empty() && teaches).then_some(rows)
        };
        (0..PARTS as u8).filter_map(of).take(self.splits).collect()
    }
}

/// Rows of a kind as they are dealt out.
#[derive(Debug)]
struct Stratum {
    number: u64,
    rows: usize,
    order: [u8; PARTS],
}

impl Stratum {
    fn new(number: u64) -> Stratum {
        Stratum { number, rows: 0, order: [0; PARTS] }
    }

    /// The part of the next row.
    fn next(&mut self) -> u8 {
        let at = self.rows % PARTS;
        if at == 0 {
            self.order = order(self.number << 40 ^ (self.rows / PARTS) as u64);
        }
        self.rows += 1;
        self.order[at]
    }
}

/// One of the orders of ten parts, drawn by a number (splitmix64; Fisher and Yates).
fn order(mut seed: u64) -> [u8; PARTS] {
    let mut parts: [u8; PARTS] = std::array::from_fn(|k| k as u8);
    for k in (1..PARTS).rev() {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        parts.swap(k, ((mixed ^ mixed >> 31) % (k as u64 + 1)) as usize);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(labels: impl Iterator<Item = f64>) -> Examples {
        let mut examples = Examples::default();
        labels.for_each(|y| examples.push(y, 1.0, 0.0, &[0], &[1.0]));
        examples
    }

    /// Sorted, in tens, or mixed: every part has its share of each class.
    #[test]
    fn parts_have_the_same_classes() {
        type Label = fn(usize) -> f64;
        let labels: [Label; 4] =
            [|i| f64::from(i >= 970), |i| f64::from(i % 50 == 3), |i| f64::from(i % 10 == 0), |i| f64::from(i < 10)];
        for label in labels {
            let examples = examples((0..1000).map(|i| 2.0 * label(i) - 1.0));
            let splits = Folds::new(&examples, Loss::Logistic).splits(&examples, Loss::Logistic);
            assert_eq!(splits.len(), PARTS);
            let total = (0..1000).filter(|&i| label(i) == 1.0).count();
            for rows in &splits {
                let ones = rows.iter().filter(|&&i| label(i) == 1.0).count();
                assert!(rows.len() >= 98 && rows.len() <= 102 && ones.abs_diff(total / 10) <= 1, "{ones} of {total}");
            }
            let mut all: Vec<usize> = splits.into_iter().flatten().collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..1000));
        }
    }

    #[test]
    fn few_rows_are_held_out_one_by_one_and_many_once() {
        let splits = |n: usize, every: usize| {
            let examples = examples((0..n).map(|i| if i % every == 0 { 1.0 } else { -1.0 }));
            Folds::new(&examples, Loss::Logistic).splits(&examples, Loss::Logistic).len()
        };
        assert_eq!((splits(200_000, 2), splits(40_000, 2), splits(200_000, 100)), (1, 1, 2));
        assert!(splits(4, 2) >= 2);
        // One positive row alone cannot be held out.
        assert_eq!((splits(2, 2), splits(1, 1)), (0, 0));
    }
}
