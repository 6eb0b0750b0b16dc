//! Measures of how much a single column reveals about the label.
//!
//! Each measure is the unexplained part: the error that remains when the column predicts the label, divided by the error of the best
//! constant. It is 0 for a column that determines the label, and 1 for a column unrelated to it. No measure depends on the unit of numbers or
//! labels, or changes under an increasing transformation.
//!
//! | column | label | unexplained part |
//! | --- | --- | --- |
//! | numbers | two classes | twice the probability that two rows of different classes are in the wrong order, 2·(1 − AUC) |
//! | numbers | many classes | errors of the best rule that gives each class one interval (approximately), divided by those of a constant |
//! | numbers | numbers | 1 − ρ², where ρ is the rank correlation |
//! | categories, gaps | classes | errors of the commonest class among the other rows of the value, divided by those of a constant |
//! | categories, gaps | numbers | squared errors of the mean rank among the other rows of the value, divided by those of a constant |
//!
//! A value that occurs in one row reveals nothing, since there are no other rows with it. One value of a category may reveal as much as
//! all values together, if the distinctions between the others are irrelevant (a reason why a customer left, or none): then rows with it are
//! compared with rows without it. A cell of several values counts as one value, the set of them, in addition to the values it holds.
//!
//! Every row counts once, whatever its weight: weights say how much a row matters, not how often its cells and its label occur together.

use super::{group::Group, profile::Cells};
use std::collections::{BTreeMap, HashMap};

/// Labels of a sample of rows: classes, or ranks of numeric labels.
#[derive(Debug)]
pub(super) enum Labels {
    /// Class of each row, as an index, and the number of rows per class.
    Classes(Vec<u32>, Vec<usize>),
    /// Numeric labels: the rank of the label of each row, minus the mean rank.
    Ranks(Vec<f64>),
}

/// Minimum number of rows that the best constant prediction gets wrong; with fewer the labels are not examined. With ten, an unrelated column
/// separates these rows from as many others with probability one in 184,756.
const LEAST: usize = 10;

impl Labels {
    /// Converts the labels of a sample; `None` if fewer than [`LEAST`] rows differ from the most frequent label.
    pub(super) fn of(labels: &[f64], are_classes: bool) -> Option<Labels> {
        if !are_classes {
            let mut order: Vec<_> = labels.iter().copied().zip(0..).collect();
            let ranks = ranks(&mut order, 0, labels.len()).0;
            let mut of_row = vec![0.0; labels.len()];
            ranks.into_iter().for_each(|(row, rank)| of_row[row as usize] = rank);
            let commonest = order.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).max().unwrap_or_default();
            return (labels.len() - commonest >= LEAST).then_some(Labels::Ranks(of_row));
        }
        let (mut numbers, mut counts) = (HashMap::new(), Vec::new());
        let mut number = |label: &f64| {
            // Adding 0 turns −0 into 0.
            let number = *numbers.entry((label + 0.0).to_bits()).or_insert(counts.len() as u32);
            counts.resize(counts.len().max(number as usize + 1), 0);
            counts[number as usize] += 1;
            number
        };
        let classes: Vec<u32> = labels.iter().map(&mut number).collect();
        (errors(&counts) >= LEAST).then_some(Labels::Classes(classes, counts))
    }

    /// Returns the part of the label, from 0 to 1, that the numbers of a column leave unexplained.
    pub(super) fn unexplained_by_numbers(&self, cells: &Cells) -> f64 {
        let rows = self.len();
        let mut numbers: Vec<_> = cells.numbers.iter().map(|&(row, x)| (x, row)).collect();
        let is_missing = |row: u32| cells.gaps.binary_search(&row).is_ok();
        let zeros = cells.zeros(rows);
        match self {
            Labels::Classes(classes, counts) if counts.len() == 2 => {
                let (ranks, zero) = ranks(&mut numbers, zeros, zeros + cells.numbers.len());
                let missing = cells.gaps.iter().filter(|row| classes[**row as usize] == 0).count();
                let first = counts[0] - missing;
                let others = zeros + cells.numbers.len() - first;
                let of_first: Vec<f64> =
                    ranks.iter().filter(|(row, _)| classes[*row as usize] == 0).map(|(_, rank)| *rank).collect();
                let sum = of_first.iter().sum::<f64>() + (first - of_first.len()) as f64 * zero;
                if first < LEAST || others < LEAST {
                    return 1.0;
                }
                // Ranks have mean 0, so their sum over one class is AUC − ½ for each pair of rows of both classes.
                1.0 - 2.0 * (sum / (first as f64 * others as f64)).abs()
            }
            Labels::Classes(classes, counts) => {
                let mut left = counts.clone();
                let others = cells.numbers.iter().map(|(row, _)| row).chain(&cells.gaps);
                others.for_each(|row| left[classes[*row as usize] as usize] -= 1);
                intervals(&mut numbers, left, classes, counts)
            }
            Labels::Ranks(labels) => {
                let (ranks, zero) = ranks(&mut numbers, zeros, zeros + cells.numbers.len());
                let (mut with, mut squares, mut left) = (0.0, 0.0, zeros as f64 * zero * zero);
                let mut of_zeros: f64 = 0.0;
                for (row, rank) in &ranks {
                    let y = labels[*row as usize];
                    with += rank * y;
                    left += rank * rank;
                    of_zeros -= y;
                }
                for (row, y) in labels.iter().enumerate() {
                    if !cells.gaps.is_empty() && is_missing(row as u32) {
                        of_zeros -= y;
                    } else {
                        squares += y * y;
                    }
                }
                with += of_zeros * zero;
                if left == 0.0 || squares == 0.0 { 1.0 } else { 1.0 - (with * with / left / squares).min(1.0) }
            }
        }
    }

    /// Returns the part of the label, from 0 to 1, that remains unexplained if only the missing cells of a column are known.
    pub(super) fn unexplained_by_gaps(&self, cells: &Cells) -> f64 {
        let (all, missing) = (self.group(0..self.len() as u32), self.group(cells.gaps.iter().copied()));
        self.share(missing.left(self) + all.without(&missing).left(self))
    }

    /// Returns the part of the label, from 0 to 1, that remains unexplained if the values and the missing cells of a categorical column are
    /// known.
    pub(super) fn unexplained_by_values(&self, cells: &Cells) -> f64 {
        let all = self.group(0..self.len() as u32);
        let mut of_value = BTreeMap::<u32, Group>::new();
        cells.values.iter().for_each(|&(row, value)| of_value.entry(value).or_default().add(self, row));
        let most = of_value.values().filter(|group| group.rows() >= LEAST);
        let by_one = most.map(|with| with.left(self) + all.without(with).left(self)).fold(f64::INFINITY, f64::min);
        let (mut of_content, mut empty) = (BTreeMap::<Vec<u32>, Group>::new(), all);
        for cell in cells.values.chunk_by(|a, b| a.0 == b.0) {
            let mut content: Vec<u32> = cell.iter().map(|(_, value)| *value).collect();
            content.sort_unstable();
            of_content.entry(content).or_default().add(self, cell[0].0);
        }
        of_content.values().for_each(|group| empty = empty.without(group));
        let missing = self.group(cells.gaps.iter().copied());
        empty = empty.without(&missing);
        let by_all = of_content.values().chain([&empty, &missing]).map(|group| group.left(self)).sum::<f64>();
        self.share(by_all.min(by_one))
    }

    fn group(&self, rows: impl Iterator<Item = u32>) -> Group {
        let mut group = Group::default();
        rows.for_each(|row| group.add(self, row));
        group
    }

    /// Returns the quotient of an error and the error of the best constant prediction.
    fn share(&self, left: f64) -> f64 {
        let of_constant = match self {
            Labels::Classes(_, counts) => errors(counts) as f64,
            Labels::Ranks(ranks) => ranks.iter().map(|rank| rank * rank).sum(),
        };
        left / of_constant
    }

    fn len(&self) -> usize {
        match self {
            Labels::Classes(classes, _) => classes.len(),
            Labels::Ranks(ranks) => ranks.len(),
        }
    }
}

/// Returns the number of rows that the best constant prediction gets wrong, given the number of rows per class.
fn errors(counts: &[usize]) -> usize {
    counts.iter().sum::<usize>() - counts.iter().copied().max().unwrap_or_default()
}

/// Returns the row and the centred rank (rank minus mean rank) of each nonzero number, and the centred rank of the zeros, when `numbers`
/// are ranked together with `zeros` zeros; equal numbers share their mean rank. `all` is the number of rows.
fn ranks(numbers: &mut [(f64, u32)], zeros: usize, all: usize) -> (Vec<(u32, f64)>, f64) {
    numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let middle = (all as f64 - 1.0) / 2.0;
    let below = numbers.partition_point(|(x, _)| *x < 0.0);
    let zero = below as f64 + (zeros as f64 - 1.0) / 2.0 - middle;
    let mut ranks = Vec::with_capacity(numbers.len());
    let mut at = 0;
    for ties in numbers.chunk_by(|a, b| a.0 == b.0) {
        let before = if at >= below { at + zeros } else { at };
        let rank = before as f64 + (ties.len() as f64 - 1.0) / 2.0 - middle;
        ranks.extend(ties.iter().map(|(_, row)| (*row, rank)));
        at += ties.len();
    }
    (ranks, zero)
}

/// Returns the approximate number of errors of the best rule that predicts each class in one interval of the numbers, divided by that of a
/// constant. Errors are the rows outside the most frequent class among equal numbers, and at least one row for every two changes of class
/// beyond the necessary ones along the sorted numbers.
fn intervals(numbers: &mut [(f64, u32)], zeros: Vec<usize>, classes: &[u32], counts: &[usize]) -> f64 {
    numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let below = numbers.partition_point(|(x, _)| *x < 0.0);
    let table = |ties: &[(f64, u32)]| {
        let mut table = HashMap::<u32, usize>::new();
        ties.iter().for_each(|(_, row)| *table.entry(classes[*row as usize]).or_default() += 1);
        table
    };
    let of_zeros: HashMap<u32, usize> = (0..).zip(zeros).filter(|(_, count)| *count > 0).collect();
    let runs = numbers[..below].chunk_by(|a, b| a.0 == b.0).map(table).chain([of_zeros]);
    let runs = runs.chain(numbers[below..].chunk_by(|a, b| a.0 == b.0).map(table));
    let (mut wrong, mut changes, mut last) = (0, 0, None);
    for run in runs.filter(|run| !run.is_empty()) {
        let most = run.values().copied().max().unwrap_or_default();
        wrong += run.values().sum::<usize>() - most;
        // If several classes are the commonest, the class of the run before is kept if it is one of them.
        let goes_on = last.filter(|class| run.get(class) == Some(&most));
        let class = goes_on.or_else(|| run.iter().filter(|(_, count)| **count == most).map(|(class, _)| *class).min());
        changes += usize::from(last.is_some() && class != last);
        last = class;
    }
    let needless = changes.saturating_sub(counts.len() - 1);
    (wrong + needless.div_ceil(2)) as f64 / errors(counts) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(x: &[f64]) -> Cells {
        let nonzero = |(row, x): (u32, f64)| if x == 0.0 { None } else { Some((row, x)) };
        Cells { numbers: (0..).zip(x.iter().copied()).filter_map(nonzero).collect(), ..Cells::default() }
    }

    fn values(pairs: impl Iterator<Item = (u32, u32)>) -> Cells {
        Cells { values: pairs.collect(), ..Cells::default() }
    }

    /// Returns a pseudo-random number in \[0, 1), determined by `n`.
    fn noise(n: usize) -> f64 {
        ((n as f64 * 12.9898).sin() * 43758.5453).fract().abs()
    }

    /// Computes the area under the ROC curve by its definition: the share of pairs of a negative and a positive row in the right order.
    fn auc(x: &[f64], y: &[f64]) -> f64 {
        let side = |a: f64, b: f64| f64::from(u8::from(a > b)) + 0.5 * f64::from(u8::from(a == b));
        let of = |class: f64| x.iter().zip(y).filter(move |(_, y)| **y == class).map(|(x, _)| *x).collect::<Vec<_>>();
        let (low, high) = (of(0.0), of(1.0));
        let sum: f64 = high.iter().flat_map(|a| low.iter().map(move |b| side(*a, *b))).sum();
        sum / (low.len() * high.len()) as f64
    }

    #[test]
    fn two_classes_are_measured_by_the_area_under_the_curve() {
        let y: Vec<f64> = (0..200).map(|n| f64::from(u8::from(noise(n) > 0.6))).collect();
        for spread in [0.0, 0.3, 1.0, 4.0] {
            for coarse in [1e-3, 0.5] {
                let x: Vec<f64> = (0..200).map(|n| y[n] + spread * (noise(n + 1000) - 0.5)).collect();
                let x: Vec<f64> = x.iter().map(|x| (x / coarse).round() * coarse).collect();
                let labels = Labels::of(&y, true).unwrap();
                let expected = 1.0 - (2.0 * auc(&x, &y) - 1.0).abs();
                let found = labels.unexplained_by_numbers(&numbers(&x));
                assert!((found - expected).abs() < 1e-12, "{spread} {coarse}: {found} {expected}");
            }
        }
    }

    #[test]
    fn numbers_are_measured_by_ranks() {
        let y: Vec<f64> = (0..300).map(|n| noise(n) - 0.3).collect();
        let labels = Labels::of(&y, false).unwrap();
        let left =
            |of: &dyn Fn(usize) -> f64| labels.unexplained_by_numbers(&numbers(&(0..300).map(of).collect::<Vec<_>>()));
        assert!(
            left(&|n| y[n]) < 1e-12 && left(&|n| -1e-9 * y[n].powi(3)) < 1e-12 && left(&|n| (9.0 * y[n]).exp()) < 1e-12
        );
        assert!(left(&|n| noise(n + 7000)) > 0.9 && left(&|_| 2.0) == 1.0 && left(&|n| y[n].abs()) > 0.1);
        // By hand: ranks of 1 2 3 4 5 against 2 1 4 3 5 have correlation 0.8, here repeated ten times and slightly perturbed.
        let y: Vec<f64> = (0..5).map(f64::from).collect();
        let y: Vec<f64> = y.iter().cycle().take(50).copied().collect();
        let x: Vec<f64> = [2.0, 1.0, 4.0, 3.0, 5.0].iter().cycle().take(50).copied().collect();
        let found = Labels::of(&y, false).unwrap().unexplained_by_numbers(&numbers(&x));
        assert!((found - 0.36).abs() < 1e-12, "{found}");
    }

    #[test]
    fn intervals_of_classes_are_told_and_mixtures_are_not() {
        let y: Vec<f64> = (0..90).map(|n| f64::from(n / 30)).collect();
        let labels = Labels::of(&y, true).unwrap();
        let left =
            |of: &dyn Fn(usize) -> f64| labels.unexplained_by_numbers(&numbers(&(0..90).map(of).collect::<Vec<_>>()));
        assert_eq!((left(&|n| n as f64 - 40.0), left(&|n| y[n] - 1.0)), (0.0, 0.0));
        assert!(left(&noise) > 0.2 && left(&|_| 1.0) == 1.0 && left(&|n| y[n].min(1.0)) == 0.5);
    }

    #[test]
    fn a_value_of_one_row_tells_nothing() {
        for are_classes in [true, false] {
            let y: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
            let labels = Labels::of(&y, are_classes).unwrap();
            let left = |of: &dyn Fn(u32) -> u32| labels.unexplained_by_values(&values((0..100).map(|n| (n, of(n)))));
            assert!(left(&|n| n) >= 1.0);
            assert!(left(&|n| n % 2) < 1e-12);
            assert!(left(&|n| n % 4) < 1e-12);
            assert!(left(&|n| n / 2) > 0.9);
            // All rows of one class share a value, while the values of the other class are irrelevant distinctions.
            assert!(left(&|n| if n % 2 == 0 { 0 } else { n }) < 1e-12);
        }
    }

    #[test]
    fn gaps_tell_as_values_do() {
        for are_classes in [true, false] {
            let y: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
            let labels = Labels::of(&y, are_classes).unwrap();
            let gaps = |step| Cells { gaps: (0..100).step_by(step).collect(), ..Cells::default() };
            assert!(labels.unexplained_by_gaps(&gaps(2)) < 1e-12 && labels.unexplained_by_gaps(&gaps(1)) >= 1.0);
            assert!(labels.unexplained_by_gaps(&gaps(5)) > 0.9);
            assert!(labels.unexplained_by_values(&gaps(2)) < 1e-12);
        }
    }

    #[test]
    fn of_a_list_its_content_tells_and_each_value_in_it() {
        for are_classes in [true, false] {
            let y: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
            let labels = Labels::of(&y, are_classes).unwrap();
            let left = |of: &dyn Fn(u32) -> [u32; 3]| {
                let cells = values((0..100).flat_map(|n| of(n).map(|value| (n, value))));
                labels.unexplained_by_values(&cells)
            };
            // Value 7 at any position beside irrelevant values, or a set that reveals the label only as a whole.
            let other = |n: u32, k: u32| 10 + (noise((n * 3 + k) as usize) * 40.0) as u32;
            assert!(left(&|n| [other(n, 0), 7 + n % 2, other(n, 1)]) < 1e-12);
            assert!(left(&|n| [7 * (n % 2), other(n, 0), other(n, 1)]) < 1e-12);
            assert!(left(&|n| [1, 2 + n / 2 % 2, 4 + (n / 2 + n) % 2]) < 1e-12);
            assert!(left(&|n| [2 + n / 2 % 2, 4 + (n / 2 + n) % 2, 1]) < 1e-12);
            assert!(left(&|n| [other(n, 0), other(n, 1), other(n, 2)]) > 0.5);
        }
    }

    #[test]
    fn the_two_zeros_are_one_class() {
        let y: Vec<f64> = (0..60).map(|n| [0.0, -0.0, 1.0][n % 3]).collect();
        let x: Vec<f64> = y.iter().map(|y| y.abs() + 1.0).collect();
        let labels = Labels::of(&y, true).unwrap();
        assert!(labels.unexplained_by_numbers(&numbers(&x)) < 1e-12);
        let Labels::Classes(_, counts) = labels else { panic!("classes") };
        assert_eq!(counts, [40, 20]);
    }

    #[test]
    fn few_rows_say_nothing() {
        let y: Vec<f64> = (0..100).map(|n| f64::from(u8::from(n < 9))).collect();
        assert!(Labels::of(&y, true).is_none() && Labels::of(&y, false).is_none() && Labels::of(&[], false).is_none());
    }
}
