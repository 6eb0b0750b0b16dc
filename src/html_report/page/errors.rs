//! The cards (panels) of the HTML report about the errors of numeric predictions.

use super::{
    html::{Card, short},
    plots::{diagonal, figure, table},
};
use crate::words::number;
use surefoot_glm::Measured;
use surefoot_plot::{Series, Style};

/// Number of bars of the histogram of errors.
const BARS: usize = 30;
/// Number of groups of equal size into which rows are divided by prediction.
const GROUPS: usize = 10;

pub(super) fn predictions(measured: &Measured, sample: &[(f64, f64)]) -> Option<Card> {
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

/// Sorts rows (prediction, label) by prediction, divides them into [`GROUPS`] groups of equal size, and returns for each group the mean
/// prediction, the mean label, and the half-width of the 95 % confidence interval of the mean label (1.96 standard errors).
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

pub(super) fn histogram(sample: &[(f64, f64)]) -> Option<Card> {
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
}
