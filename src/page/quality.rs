//! How good predictions are: curves of classes, errors of numbers, what was taken for what.

use super::html::{Card, SIZE, Table, facts, short};
use crate::{confusion, metrics, number};
use std::fmt::Write as _;
use surefoot_glm::{Bin, Confusion, Measured, Picture, Rates};
use surefoot_plot::{Figure, Scale, Series, Style, escaped};

/// Bars of the histogram of errors.
const BARS: usize = 30;
/// Groups of predictions whose mean labels are shown.
const GROUPS: usize = 10;

fn linear(name: &str) -> (String, Scale) {
    (name.to_owned(), Scale::Linear)
}

fn diagonal(label: &str, low: f64, high: f64) -> Series {
    let points = vec![(low, low, 0.0), (high, high, 0.0)];
    Series { label: label.to_owned(), style: Style::Bound, colour: 7, points }
}

fn figure(about: &str, x: &str, y: &str, series: Vec<Series>) -> Vec<(&'static str, Figure)> {
    let (x, y) = (linear(x), linear(y));
    vec![("", Figure { about: about.to_owned(), size: SIZE, x, y, series, ..Figure::default() })]
}

fn table<const N: usize>(head: [&'static str; N], rows: impl Iterator<Item = [f64; N]>) -> Table {
    Table { head: head.to_vec(), rows: rows.map(|row| row.map(short).to_vec()).collect() }
}

/// Every `step`-th of many points, and the last.
fn thinned<T: Copy>(points: &[T], most: usize) -> impl Iterator<Item = T> {
    let step = points.len().div_ceil(most).max(1);
    points.iter().enumerate().filter(move |(k, _)| k % step == 0 || k + 1 == points.len()).map(|(_, point)| *point)
}

pub(super) fn cards(measured: &Measured, picture: &Picture, labels: &[String]) -> String {
    let cards = [
        calibration(measured, &picture.calibration, labels.len() > 2),
        roc(measured, picture),
        precision(measured, picture),
        predictions(measured, &picture.sample),
        errors(&picture.sample),
    ];
    let cards: String = cards.into_iter().flatten().map(Card::html).collect();
    let matrix = measured.confusion.as_ref().map_or_else(String::new, |confusion| matrix(confusion, labels));
    format!("{cards}<div class=\"stack\">{matrix}{}</div>", all(measured))
}

/// All metrics, by name.
fn all(measured: &Measured) -> String {
    let pair = |name: &str, value: f64| (name.to_owned(), number::loss(Some(value)));
    let mut list = vec![
        ("rows".to_owned(), number::count(measured.rows)),
        ("weight".to_owned(), number::shortest(measured.weight)),
    ];
    list.extend(metrics::main(measured).into_iter().chain(metrics::more(measured)).map(|(name, x)| pair(name, x)));
    for (of, Rates { precision, recall, f1 }) in metrics::rates(measured) {
        let each = [("precision", precision), ("recall", recall), ("F1", f1)];
        list.extend(each.map(|(name, x)| pair(&format!("{name}, {of}"), x)));
    }
    facts("All metrics", &list)
}

fn calibration(measured: &Measured, bins: &[Bin], many: bool) -> Option<Card> {
    let error = measured.calibration_error?;
    let shares = bins.iter().map(|bin| (bin.probability, bin.weight / measured.weight, 0.03)).collect();
    let points = bins.iter().map(|bin| (bin.probability, bin.share, 0.0)).collect();
    let series = vec![
        Series { label: "share of the rows".to_owned(), style: Style::Bars, colour: 5, points: shares },
        diagonal("as it should be", 0.0, 1.0),
        Series { label: "what came true".to_owned(), style: Style::Measured, colour: 0, points },
    ];
    let (x, y) = if many {
        ("probability of the likeliest class", "share that is right")
    } else {
        ("predicted probability", "share that is positive")
    };
    let caption = format!(
        "Of rows with a probability near p a share p should come true. Expected calibration error {} (ten bins of equal width), Brier score {}.",
        short(error),
        short(measured.brier.unwrap_or(f64::NAN))
    );
    Some(Card {
        id: "calibration",
        title: "Calibration".to_owned(),
        caption,
        views: figure(
            "How often predictions came true, against their probability; the diagonal is ideal.",
            x,
            y,
            series,
        ),
        numbers: table(
            ["probability", "came true", "weight"],
            bins.iter().map(|bin| [bin.probability, bin.share, bin.weight]),
        ),
    })
}

fn roc(measured: &Measured, picture: &Picture) -> Option<Card> {
    let area = measured.auc?;
    let points = picture.roc.iter().map(|&(x, y)| (x, y, 0.0)).collect();
    let series = vec![
        diagonal("by chance", 0.0, 1.0),
        Series { label: "model".to_owned(), style: Style::Line, colour: 0, points },
    ];
    let about = "The share of positive rows above a threshold against that of negative ones.";
    let rows = thinned(&picture.roc, 20).map(|(x, y)| [x, y]);
    Some(Card {
        id: "roc",
        title: "ROC curve".to_owned(),
        caption: format!(
            "A positive row has a larger margin than a negative one {} of the time: AUC {}.",
            percent(area),
            short(area)
        ),
        views: figure(about, "false positive rate", "true positive rate", series),
        numbers: table(["false positive rate", "true positive rate"], rows),
    })
}

fn precision(measured: &Measured, picture: &Picture) -> Option<Card> {
    let area = measured.pr_auc.filter(|_| !picture.precision.is_empty())?;
    let base = picture.positive.unwrap_or_default();
    let points = picture.precision.iter().map(|&(x, y)| (x, y, 0.0)).collect();
    let chance = vec![(0.0, base, 0.0), (1.0, base, 0.0)];
    let zero = vec![(0.0, 0.0, 0.0), (1.0, 1.0, 0.0)];
    let series = vec![
        // Only so that the axes go from 0 to 1.
        Series { label: String::new(), style: Style::Band, colour: 7, points: zero },
        Series { label: "by chance".to_owned(), style: Style::Bound, colour: 7, points: chance },
        Series { label: "model".to_owned(), style: Style::Line, colour: 0, points },
    ];
    let about =
        "The share of positive rows among those above a threshold, against the share of all positive rows that are.";
    let rows = thinned(&picture.precision, 20).map(|(x, y)| [x, y]);
    Some(Card {
        id: "precision",
        title: "Precision and recall".to_owned(),
        caption: format!("Average precision {}; {} of the weight is positive.", short(area), percent(base)),
        views: figure(about, "recall", "precision", series),
        numbers: table(["recall", "precision"], rows),
    })
}

fn predictions(measured: &Measured, sample: &[(f64, f64)]) -> Option<Card> {
    if sample.is_empty() {
        return None;
    }
    let both = || sample.iter().flat_map(|&(p, y)| [p, y]);
    let (low, high) = (both().fold(f64::INFINITY, f64::min), both().fold(f64::NEG_INFINITY, f64::max));
    let groups = groups(sample);
    let series = vec![
        Series {
            label: "rows".to_owned(),
            style: Style::Dots,
            colour: 5,
            points: sample.iter().map(|&(p, y)| (p, y, 0.0)).collect(),
        },
        diagonal("as it should be", low, high),
        Series {
            label: "means of tenths of the rows".to_owned(),
            style: Style::Measured,
            colour: 1,
            points: groups.clone(),
        },
    ];
    let about = "Labels against predictions, a dot a row; the diagonal is ideal.";
    Some(Card {
        id: "predictions",
        title: "Predicted and actual".to_owned(),
        caption: format!(
            "{} of {} drawn at random. Bars are 95 % intervals of the means.",
            number::rows(sample.len() as u64),
            number::count(measured.rows)
        ),
        views: figure(about, "predicted", "actual", series),
        numbers: table(["mean prediction", "mean label", "±"], groups.iter().map(|&(x, y, half)| [x, y, half])),
    })
}

/// Mean prediction and label of tenths of the rows by prediction, and 1.96 standard errors.
fn groups(sample: &[(f64, f64)]) -> Vec<(f64, f64, f64)> {
    let mut rows = sample.to_vec();
    rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mean = |rows: &[(f64, f64)]| {
        let n = rows.len() as f64;
        let (p, y) = rows.iter().fold((0.0, 0.0), |(p, y), row| (p + row.0 / n, y + row.1 / n));
        let variance = rows.iter().map(|row| (row.1 - y).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        (p, y, 1.96 * (variance / n).sqrt())
    };
    rows.chunks(rows.len().div_ceil(GROUPS).max(1)).map(mean).collect()
}

fn errors(sample: &[(f64, f64)]) -> Option<Card> {
    if sample.len() < 2 {
        return None;
    }
    let mut errors: Vec<_> = sample.iter().map(|&(p, y)| y - p).collect();
    errors.sort_unstable_by(f64::total_cmp);
    let quantile = |share: f64| errors[((errors.len() - 1) as f64 * share).round() as usize];
    let (low, high) = (quantile(0.005), quantile(0.995));
    let width = (high - low) / BARS as f64;
    if !(width > 0.0 && width.is_finite()) {
        return None;
    }
    let mut counts = [0_u32; BARS];
    errors
        .iter()
        .filter(|e| (low..=high).contains(*e))
        .for_each(|e| counts[(((e - low) / width) as usize).min(BARS - 1)] += 1);
    let share = |count: u32| f64::from(count) / errors.len() as f64;
    let middle = |k: usize| low + (k as f64 + 0.5) * width;
    let points = counts.iter().enumerate().map(|(k, &count)| (middle(k), share(count), 0.46 * width)).collect();
    let series = vec![Series { label: "share of the rows".to_owned(), style: Style::Bars, colour: 0, points }];
    let marks = [0.05, 0.25, 0.5, 0.75, 0.95];
    Some(Card {
        id: "errors",
        title: "Errors".to_owned(),
        caption: format!(
            "Label less prediction. Half of the errors lie between {} and {}. Not shown: one in a hundred, the most extreme.",
            short(quantile(0.25)),
            short(quantile(0.75))
        ),
        views: figure("A histogram of label less prediction.", "error", "share of the rows", series),
        numbers: table(["share of rows below", "error"], marks.into_iter().map(|mark| [mark, quantile(mark)])),
    })
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// What was taken for what: a table that is coloured by the shares of its rows, with the rates of each class.
fn matrix(found: &Confusion, labels: &[String]) -> String {
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
    html += "<p>A row a label, a column a prediction, in weight of rows; colours are shares of the label.</p>";
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

/// A weight as it is read in a cell.
fn weight_of(weight: f64) -> String {
    if weight.fract() == 0.0 && weight < 1e7 { number::count(weight as u64) } else { short(weight) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_have_their_means() {
        let sample: Vec<_> = (0..100).map(|k| (f64::from(k), f64::from(2 * k))).collect();
        let groups = groups(&sample);
        assert_eq!(groups.len(), 10);
        assert!((groups[0].0 - 4.5).abs() < 1e-12 && (groups[9].1 - 189.0).abs() < 1e-12);
        // The variance of 0, 2, …, 18 is 36.67.
        assert!((groups[3].2 - 1.96 * (110.0_f64 / 30.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn points_are_thinned_but_for_the_ends() {
        let points: Vec<_> = (0..101).collect();
        let few: Vec<_> = thinned(&points, 20).collect();
        assert_eq!((few.len(), few[0], few.last()), (18, 0, Some(&100)));
        assert_eq!(thinned::<u8>(&[], 20).count(), 0);
    }
}
