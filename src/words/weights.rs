//! The largest weights of a model, with the names of their features.

use super::number::shortest;
use crate::words::labels;
use std::fmt::Write as _;
use surefoot_glm::Model;
use surefoot_io::printable;

/// One weight of a model: the id of its feature, the index of its class (0 if the model has a single column of weights), and
/// its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weight {
    pub(crate) feature: u64,
    pub(crate) column: usize,
    pub(crate) value: f64,
}

/// Returns the `top` weights that are largest in absolute value, in descending order; ties are in the order of the features.
fn largest(model: &Model, top: usize) -> Vec<Weight> {
    let columns = model.intercept.len().max(1);
    let weight =
        |(at, &value): (usize, &f64)| Weight { feature: model.index[at / columns], column: at % columns, value };
    let mut weights: Vec<_> = model.weight.iter().enumerate().map(weight).collect();
    let place = |weight: &Weight| (weight.feature, weight.column);
    let order = |a: &Weight, b: &Weight| b.value.abs().total_cmp(&a.value.abs()).then(place(a).cmp(&place(b)));
    if top < weights.len() {
        // Models are large, so only the largest weights are sorted.
        weights.select_nth_unstable_by(top, order);
        weights.truncate(top);
    }
    weights.sort_unstable_by(order);
    weights
}

/// The largest weights of a model, ready to be printed.
#[derive(Debug)]
pub(crate) struct Weights<'a> {
    model: &'a Model,
    pub(crate) largest: Vec<Weight>,
}

/// Greatest number of characters of a feature name in the printed table of weights; longer names are shortened.
const NAME: usize = 60;
/// Length in characters of the longest bar to either side in the printed table of weights.
const BAR: usize = 12;

impl Weights<'_> {
    pub(crate) fn new(model: &Model, top: usize) -> Weights<'_> {
        Weights { model, largest: largest(model, top) }
    }

    /// Returns the label of the class to which a column of weights belongs; `None` if the model has a single column of
    /// weights.
    pub(crate) fn class(&self, column: usize) -> Option<String> {
        let label = self.model.labels.classes.get(column)?;
        Some(labels::label(*label, &self.model.settings.reading.classes))
    }

    /// Returns the name of a feature, followed by the number of other features that share its weight because of hashing, if
    /// any; the id if no name is stored.
    pub(crate) fn feature(&self, id: u64) -> String {
        let mut names = self.model.names.all(id);
        let Some(name) = names.next() else { return id.to_string() };
        match names.count() {
            0 => name.to_owned(),
            others => format!("{name} (+{others})"),
        }
    }

    /// Returns the name of a feature, shortened for the table of weights.
    fn short(&self, id: u64) -> String {
        let name = printable(&self.feature(id)).into_owned();
        if name.chars().count() <= NAME { name } else { name.chars().take(NAME - 1).chain(['…']).collect() }
    }

    /// Formats one line per weight: feature, class if there are classes, weight, and a bar to the left (negative) or right.
    pub(crate) fn table(&self) -> String {
        let Some(first) = self.largest.first() else { return String::new() };
        let column = |head: &str, cell: &dyn Fn(&Weight) -> String| {
            std::iter::once(head.to_owned()).chain(self.largest.iter().map(cell)).collect::<Vec<_>>()
        };
        let mut columns = vec![column("feature", &|weight| self.short(weight.feature))];
        if self.class(first.column).is_some() {
            columns.push(column("class", &|weight| {
                printable(&self.class(weight.column).unwrap_or_default()).into_owned()
            }));
        }
        let unit = first.value.abs();
        let bars = column("", &|weight| bar(weight.value / unit));
        let weights = column("weight", &|weight| significant(weight.value));
        let width = |cells: &[String]| cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        let mut text = "\n".to_owned();
        for line in 0..bars.len() {
            let mut cells: Vec<_> = columns.iter().map(|cells| format!("{:<1$}", cells[line], width(cells))).collect();
            cells.push(format!("{:>1$}", weights[line], width(&weights)));
            cells.push(bars[line].clone());
            let _ = writeln!(text, "{}", cells.join("  ").trim_end());
        }
        text
    }
}

/// Draws a horizontal bar of characters for a share from −1 to 1; it starts in the middle and extends to the left if the
/// share is negative.
fn bar(share: f64) -> String {
    let length = (share.abs() * BAR as f64).round() as usize;
    let bar = "█".repeat(if share.is_finite() { length.min(BAR) } else { 0 });
    if share < 0.0 { format!("{bar:>BAR$}│") } else { format!("{:>BAR$}│{bar}", "") }
}

/// Formats a number with six significant digits.
fn significant(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let digits = 5 - x.abs().log10().floor() as i32;
    if (0..=9).contains(&digits) { format!("{x:.*}", digits as usize) } else { format!("{x:.5e}") }
}

/// Formats the intercept of the model; with several classes, the smallest and the largest intercept.
pub(crate) fn intercept(model: &Model) -> String {
    match model.intercept.as_slice() {
        _ if !model.settings.intercept => "none".to_owned(),
        [one] => shortest(*one),
        many => {
            let least = many.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = many.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            format!("one per class, {} to {}", shortest(least), shortest(largest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_weights_come_first_whatever_their_sign() {
        let (labels, summary) = (Default::default(), Default::default());
        let (index, weight) = (vec![2, 3, 5, 7], vec![0.5, -2.0, 2.0, 0.1]);
        let model = Model {
            settings: Default::default(),
            labels,
            intercept: vec![0.0],
            index,
            weight,
            names: Default::default(),
            summary,
            certificates: Vec::new(),
            state: None,
            unfinished: None,
        };
        let of = |feature, column, value| Weight { feature, column, value };
        assert_eq!(largest(&model, 3), [of(3, 0, -2.0), of(5, 0, 2.0), of(2, 0, 0.5)]);
        assert_eq!(largest(&model, 0), []);
        assert_eq!(largest(&model, 9).len(), 4);
        let classes = Model { intercept: vec![0.0; 2], index: vec![2, 3], ..model };
        assert_eq!(largest(&classes, 2), [of(2, 1, -2.0), of(3, 0, 2.0)]);
    }

    #[test]
    fn bars_and_digits() {
        assert_eq!(bar(1.0), format!("{}│{}", " ".repeat(12), "█".repeat(12)));
        assert_eq!(bar(-0.5), format!("{}{}│", " ".repeat(6), "█".repeat(6)));
        assert_eq!(bar(f64::NAN).chars().count(), 13);
        let numbers = [0.0, -1.0, 0.000123456789, 98765.4321, 1234567.0, 1e-12].map(significant);
        assert_eq!(numbers, ["0", "-1.00000", "0.000123457", "98765.4", "1.23457e6", "1.00000e-12"]);
    }
}
