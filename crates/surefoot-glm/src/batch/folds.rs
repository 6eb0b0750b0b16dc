//! Stratified cross-validation: assigns rows to the splits in which they are held out, for the choice of a penalty.

use super::optimum::Examples;
use crate::{
    loss::Loss,
    shards::{Interrupted, Partial},
};
use std::collections::HashMap;

/// Number of folds (parts of equal size) that the rows are divided into. Split k trains on all folds but fold k, whose
/// rows it holds out.
pub(crate) const FOLDS: usize = 10;
/// Number of held-out rows, summed over all splits, that suffices to choose a penalty.
const MIN_HELD_OUT_ROWS: usize = 2_500;
/// Number of held-out rows outside the most frequent class, summed over all splits, that suffices to choose a penalty.
const MIN_HELD_OUT_RARE_ROWS: usize = 300;

/// Assignment of the rows of this process to the ten folds of a stratified cross-validation, and the number of splits to evaluate.
#[derive(Debug)]
pub(crate) struct Folds {
    /// Fold of each row, 0 to 9; `None` for a row of weight 0, which belongs to no fold.
    fold: Vec<Option<u8>>,
    /// Number of splits that are evaluated, 1 to 10: the smallest number that holds out enough rows.
    splits: usize,
}

impl Folds {
    /// Assigns the rows to folds, stratified by class, or, for regression, by whether the label is 0. Each stratum
    /// (rows of one class) is dealt out ten rows at a time, one to each fold, in a pseudo-random order that depends
    /// only on the number of the stratum and on how many of its rows were dealt out before. Therefore every fold has
    /// about the same proportion of each stratum even if the rows are sorted or periodic.
    ///
    /// In shards, rows are dealt out shard by shard, and each shard deals one fold further on than the one before: of
    /// rows that are rare in every shard, each fold gets its share. `kinds` are the encoded labels of all classes, or 0
    /// and 1.
    pub(crate) fn new(examples: &Examples, loss: Loss, kinds: &[f64]) -> Result<Folds, Interrupted> {
        let mut fold = Vec::with_capacity(examples.len());
        let total = examples.combine(|rows| {
            let mut strata: HashMap<u64, Stratum> = HashMap::new();
            let turn = examples.shard(rows.start) % FOLDS;
            for i in rows {
                let label = examples.label(i).0;
                let kind = if loss.classifies() || label == 0.0 { label } else { 1.0 };
                let number = strata.len() as u64;
                let stratum = strata.entry(kind.to_bits()).or_insert_with(|| Stratum::new(number, turn));
                fold.push((examples.weight(i) > 0.0).then(|| stratum.next()));
            }
            let known: f64 = kinds.iter().map(|kind| rows_of(&strata, *kind)).sum();
            let all: f64 = strata.values().map(|stratum| stratum.rows as f64).sum();
            // Labels between two classes, such as proportions, count as one stratum.
            let sums = kinds.iter().map(|kind| rows_of(&strata, *kind)).chain([all - known]).collect();
            Partial { sums, ..Partial::default() }
        })?;
        let rows = total.sums.iter().sum::<f64>() as usize;
        let most = total.sums.iter().fold(0.0, |a: f64, b| a.max(*b)) as usize;
        let needed = |wanted: usize, there: usize| if there == 0 { 1 } else { (wanted * FOLDS).div_ceil(there) };
        let splits = needed(MIN_HELD_OUT_ROWS, rows).max(needed(MIN_HELD_OUT_RARE_ROWS, rows - most)).clamp(1, FOLDS);
        Ok(Folds { fold, splits })
    }

    /// Returns the indices of the held-out rows of each split to evaluate. Omits splits whose training rows would be
    /// empty or of a single class.
    pub(crate) fn splits(&self, examples: &Examples, loss: Loss) -> Result<Vec<Vec<usize>>, Interrupted> {
        let is_held = |i: usize, split: u8| self.fold[i] == Some(split);
        // For each split whether it holds out rows, and the largest and the smallest label of the others.
        let ends = examples.combine(|rows| {
            let of = |split: u8| {
                let mut ends = [0.0, f64::NEG_INFINITY, f64::NEG_INFINITY];
                for i in examples.weighted(rows.clone()) {
                    let label = examples.label(i).0;
                    match is_held(i, split) {
                        true => ends[0] = 1.0,
                        false => (ends[1], ends[2]) = (ends[1].max(label), ends[2].max(-label)),
                    }
                }
                ends
            };
            Partial { maxima: (0..FOLDS as u8).flat_map(of).collect(), ..Partial::default() }
        })?;
        let can_train = |ends: &[f64]| {
            let (holds, trains) = (ends[0] == 1.0, ends[1] > f64::NEG_INFINITY);
            holds && trains && (!loss.classifies() || ends[1] != -ends[2])
        };
        let usable = (0..FOLDS as u8).zip(ends.maxima.chunks_exact(3)).filter(|(_, ends)| can_train(ends));
        let held = |split: u8| (0..self.fold.len()).filter(|&i| is_held(i, split)).collect();
        Ok(usable.map(|(split, _)| held(split)).take(self.splits).collect())
    }
}

/// Returns the number of rows of a stratum; 0 if there is none.
fn rows_of(strata: &HashMap<u64, Stratum>, kind: f64) -> f64 {
    strata.get(&kind.to_bits()).map_or(0.0, |stratum| stratum.rows as f64)
}

/// Stratum (the rows of one class or, for regression, those with labels equal or unequal to 0) whose rows are dealt out
/// to the ten folds in turn.
#[derive(Debug)]
struct Stratum {
    number: u64,
    /// Number of folds by which the order is turned.
    turn: usize,
    rows: usize,
    order: [u8; FOLDS],
}

impl Stratum {
    fn new(number: u64, turn: usize) -> Stratum {
        Stratum { number, turn, rows: 0, order: [0; FOLDS] }
    }

    /// Returns the fold of the next row of this stratum.
    fn next(&mut self) -> u8 {
        let at = self.rows % FOLDS;
        if at == 0 {
            self.order = order(self.number << 40 ^ (self.rows / FOLDS) as u64);
        }
        self.rows += 1;
        ((usize::from(self.order[at]) + self.turn) % FOLDS) as u8
    }
}

/// Returns a pseudo-random permutation of the fold numbers 0 to 9 (splitmix64 and a Fisher–Yates shuffle).
fn order(mut seed: u64) -> [u8; FOLDS] {
    let mut folds: [u8; FOLDS] = std::array::from_fn(|k| k as u8);
    for k in (1..FOLDS).rev() {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        folds.swap(k, ((mixed ^ mixed >> 31) % (k as u64 + 1)) as usize);
    }
    folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::{OneProcess, Shards};
    use std::sync::Arc;

    fn examples(labels: impl Iterator<Item = f64>) -> Examples {
        let mut examples = Examples::default();
        labels.for_each(|y| examples.push(y, 1.0, 0.0, &[0], &[1.0]));
        examples
    }

    /// Every fold has the same proportion of each class as all rows, for sorted, periodic and mixed labels.
    #[test]
    fn folds_have_the_same_classes() {
        type Label = fn(usize) -> f64;
        let labels: [Label; 4] =
            [|i| f64::from(i >= 970), |i| f64::from(i % 50 == 3), |i| f64::from(i % 10 == 0), |i| f64::from(i < 10)];
        for label in labels {
            let examples = examples((0..1000).map(|i| 2.0 * label(i) - 1.0));
            let splits =
                Folds::new(&examples, Loss::Logistic, &[-1.0, 1.0]).unwrap().splits(&examples, Loss::Logistic).unwrap();
            assert_eq!(splits.len(), FOLDS);
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

    /// Of rows that are rare in every shard, and of the others, each fold holds its share.
    #[test]
    fn folds_of_shards_have_the_same_classes() {
        for (count, rare) in [(16, 1), (10, 3), (40, 1), (7, 1), (25, 8)] {
            let shards = Shards { total: count, collective: Arc::new(OneProcess { shards: count }) };
            let mut examples = Examples::of_shards(shards, 1, usize::MAX);
            for shard in 0..count {
                examples.begin_shard(shard);
                for i in 0..60 {
                    let label = if i % 7 == 3 && i / 7 < rare { 1.0 } else { -1.0 };
                    examples.push(label, 1.0, 0.0, &[0], &[1.0]);
                }
            }
            let folds = Folds::new(&examples, Loss::Logistic, &[-1.0, 1.0]).unwrap().fold;
            for (label, rows) in [(1.0, rare), (-1.0, 60 - rare)] {
                let mut held = [0; FOLDS];
                let of_class = folds.iter().enumerate().filter(|&(i, _)| examples.label(i).0 == label);
                of_class.for_each(|(_, fold)| held[usize::from(fold.unwrap())] += 1);
                // Ten shards together deal all folds the same number of rows; of the last ones, the rests may meet.
                let most = rows * count / FOLDS + (rows % FOLDS).min(count % FOLDS);
                assert!(held.iter().all(|&held| held <= most), "{count} shards, {label}: {held:?}, at most {most}");
            }
        }
    }

    #[test]
    fn few_rows_are_held_out_one_by_one_and_many_once() {
        let splits = |n: usize, every: usize| {
            let examples = examples((0..n).map(|i| if i % every == 0 { 1.0 } else { -1.0 }));
            Folds::new(&examples, Loss::Logistic, &[-1.0, 1.0])
                .unwrap()
                .splits(&examples, Loss::Logistic)
                .unwrap()
                .len()
        };
        assert_eq!((splits(200_000, 2), splits(40_000, 2), splits(200_000, 100)), (1, 1, 2));
        assert!(splits(4, 2) >= 2);
        // A single positive row cannot be held out.
        assert_eq!((splits(2, 2), splits(1, 1)), (0, 0));
    }
}
