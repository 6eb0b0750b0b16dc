//! The card (panel) of the HTML report with the confusion matrix.

use super::{html::short, plots::percent};
use crate::{terminal::confusion, words::number};
use std::fmt::Write as _;
use surefoot_glm::Confusion;
use surefoot_plot::escaped;

/// Renders the confusion matrix as an HTML table coloured by the shares within each row, with the recall of each class; if there are many
/// classes, lists only the largest errors.
pub(super) fn html(found: &Confusion, labels: &[String]) -> String {
    let mut html = "<article class=\"card confusion\" id=\"confusion\"><h3>Taken for</h3>".to_owned();
    if labels.len() > confusion::SHOWN {
        html += "<p>The pairs of classes that are most often confused.</p>";
        let largest = confusion::largest(found).into_iter();
        let rows: String = largest
            .map(|(label, predicted, weight)| {
                let [label, predicted] = [label, predicted].map(|class| escaped(&labels[class]));
                format!("<tr><th scope=\"row\">{label}</th><td>{predicted}</td><td>{}</td></tr>", short(weight))
            })
            .collect();
        return html
            + "<div class=\"scroll\"><table><thead><tr><th>label</th><th>taken for</th><th>weight</th></tr></thead><tbody>"
            + &rows
            + "</tbody></table></div></article>\n";
    }
    html += "<p>One row per label, one column per prediction, in weight of rows; colours are shares of the label.</p>";
    let head: String = labels.iter().map(|label| format!("<th scope=\"col\">{}</th>", escaped(label))).collect();
    let _ = write!(
        html,
        "<div class=\"scroll\"><table class=\"heat\"><thead><tr><td></td>{head}<th>recall</th></tr></thead><tbody>"
    );
    let matrix = confusion::matrix(found, labels.len());
    for (k, row) in matrix.iter().enumerate() {
        let all: f64 = row.iter().sum();
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escaped(&labels[k]));
        for (j, &weight) in row.iter().enumerate() {
            let share = if all > 0.0 { weight / all } else { 0.0 };
            let class = if j == k { "right" } else { "wrong" };
            let _ = write!(html, "<td class=\"{class}\" style=\"--share:{:.3}\">{}</td>", share, weight_of(weight));
        }
        let _ = write!(html, "<td>{}</td></tr>", if all > 0.0 { percent(row[k] / all) } else { "–".to_owned() });
    }
    html + "</tbody></table></div></article>\n"
}

/// Formats the total weight of the rows in a cell of the confusion matrix, without decimals if it is an integer.
fn weight_of(weight: f64) -> String {
    if weight.fract() == 0.0 && weight < 1e7 { number::count(weight as u64) } else { short(weight) }
}
