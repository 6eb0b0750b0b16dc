//! The confusion matrix as text for people and as JSON for programs.

use crate::words::labels;
use crate::words::number;
use serde_json::{Value, json};
use std::fmt::Write as _;
use surefoot_glm::{Confusion, Model};

/// Greatest number of classes for which the whole matrix is printed; with more classes, only the largest off-diagonal cells are.
pub(crate) const SHOWN: usize = 16;
/// Number of off-diagonal cells printed if there are too many classes.
const LARGEST: usize = 10;
/// Greatest number of classes for which JSON output contains the whole matrix.
const WHOLE: usize = 1000;

/// Returns the class labels of a model as they are written in the data; for two classes, the negative one comes first.
pub(crate) fn labels(model: &Model) -> Vec<String> {
    let classes = &model.settings.reading.classes;
    let text = |label: f64| labels::label(label, classes);
    if !model.settings.loss.is_multiclass() && model.settings.loss.classifies() {
        let two = [model.labels.negative, model.labels.positive];
        return two.map(|label| label.map_or_else(|| "other".to_owned(), text)).to_vec();
    }
    model.labels.classes.iter().map(|&label| text(label)).collect()
}

/// Returns labels and matrix as JSON, one row per label and one column per prediction; the matrix is null beyond [`WHOLE`] classes.
pub(crate) fn object(confusion: &Confusion, labels: &[String]) -> Value {
    let matrix = (labels.len() <= WHOLE).then(|| matrix(confusion, labels.len()));
    json!({"labels": labels, "weights": matrix})
}

pub(crate) fn matrix(confusion: &Confusion, classes: usize) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; classes]; classes];
    confusion.cells.iter().for_each(|&(label, predicted, weight)| matrix[label][predicted] = weight);
    matrix
}

/// Returns the off-diagonal cells with the largest total row weights, in descending order: (index of the label, index of the prediction,
/// weight).
pub(crate) fn largest(confusion: &Confusion) -> Vec<(usize, usize, f64)> {
    let mut wrong: Vec<_> = confusion.cells.iter().filter(|cell| cell.0 != cell.1).copied().collect();
    wrong.sort_by(|a, b| b.2.total_cmp(&a.2));
    wrong.truncate(LARGEST);
    wrong
}

/// Formats the matrix as text, one row per label and one column per prediction; if there are many classes, only the largest off-diagonal
/// cells.
pub(crate) fn table(confusion: &Confusion, labels: &[String]) -> String {
    let mut text = String::new();
    if labels.len() > SHOWN {
        for (label, predicted, weight) in largest(confusion) {
            let weight = number::shortest(weight);
            let _ = writeln!(text, "{:<10}{weight} of {} taken for {}", "confused", labels[label], labels[predicted]);
        }
        return text;
    }
    let cells: Vec<Vec<String>> = matrix(confusion, labels.len())
        .iter()
        .map(|row| row.iter().map(|&weight| number::shortest(weight)).collect())
        .collect();
    let width = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text.chars().count()).max().unwrap_or(0);
    let (first, wide) = (width(&mut labels.iter()).max(5), width(&mut cells.iter().flatten().chain(labels)));
    let _ = writeln!(text, "\n{:>first$}  taken for", "label");
    let mut line = |head: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!("  {cell:>wide$}")).collect();
        let _ = writeln!(text, "{head:>first$}{cells}");
    };
    line("", labels);
    labels.iter().zip(&cells).for_each(|(label, cells)| line(label, cells));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(n: usize) -> Vec<String> {
        (0..n).map(|k| format!("c{k}")).collect()
    }

    #[test]
    fn few_classes_are_a_matrix() {
        let confusion = Confusion { cells: vec![(0, 0, 12.0), (0, 1, 0.5), (1, 0, 3.0)] };
        let table = table(&confusion, &labels(2));
        assert_eq!(table, "\nlabel  taken for\n        c0   c1\n   c0   12  0.5\n   c1    3    0\n");
        assert_eq!(object(&confusion, &labels(2))["weights"], json!([[12.0, 0.5], [3.0, 0.0]]));
    }

    #[test]
    fn of_many_classes_those_most_often_confused_are_named() {
        let confusion = Confusion { cells: vec![(0, 0, 12.0), (3, 4, 2.0), (7, 1, 3.0)] };
        let table = table(&confusion, &labels(SHOWN + 1));
        assert_eq!(table, "confused  3 of c7 taken for c1\nconfused  2 of c3 taken for c4\n");
        assert_eq!(object(&Confusion::default(), &labels(WHOLE + 1))["weights"], Value::Null);
    }
}
