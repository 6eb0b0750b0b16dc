//! The cards (panels) of the HTML report about the quality of predictions: calibration, ROC and precision-recall curves, and all
//! metrics.

use super::{
    errors,
    html::{Card, facts, short},
    matrix,
    plots::{diagonal, figure, percent, table},
};
use crate::{terminal::metrics, words::number};
use surefoot_glm::{CalibrationBin, Measured, PlotData, Rates};
use surefoot_plot::{Series, Style};

/// Selects about `most` evenly spaced points of a curve, including the first and the last.
fn thinned<T: Copy>(points: &[T], most: usize) -> impl Iterator<Item = T> {
    let step = points.len().div_ceil(most).max(1);
    points.iter().enumerate().filter(move |(k, _)| k % step == 0 || k + 1 == points.len()).map(|(_, point)| *point)
}

pub(super) fn cards(measured: &Measured, plot_data: &PlotData, labels: &[String]) -> String {
    let cards = [
        calibration(measured, &plot_data.calibration, labels.len() > 2),
        roc(measured, plot_data),
        precision(measured, plot_data),
        errors::predictions(measured, &plot_data.sample),
        errors::histogram(&plot_data.sample),
    ];
    let cards: String = cards.into_iter().flatten().map(Card::html).collect();
    let confusion = measured.confusion.as_ref().map_or_else(String::new, |found| matrix::html(found, labels));
    format!("{cards}<div class=\"stack\">{confusion}{}</div>", all(measured))
}

/// Returns a card (panel) that lists all metrics by name.
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

fn calibration(measured: &Measured, bins: &[CalibrationBin], many: bool) -> Option<Card> {
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

fn roc(measured: &Measured, plot_data: &PlotData) -> Option<Card> {
    let area = measured.auc?;
    let points = plot_data.roc.iter().map(|&(x, y)| (x, y, 0.0)).collect();
    let series = vec![
        diagonal("by chance", 0.0, 1.0),
        Series { label: "model".to_owned(), style: Style::Line, colour: 0, points },
    ];
    let about = "The share of positive rows above a threshold against that of negative ones.";
    let rows = thinned(&plot_data.roc, 20).map(|(x, y)| [x, y]);
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

fn precision(measured: &Measured, plot_data: &PlotData) -> Option<Card> {
    let area = measured.pr_auc.filter(|_| !plot_data.precision.is_empty())?;
    let base = plot_data.positive.unwrap_or_default();
    let points = plot_data.precision.iter().map(|&(x, y)| (x, y, 0.0)).collect();
    let chance = vec![(0.0, base, 0.0), (1.0, base, 0.0)];
    let zero = vec![(0.0, 0.0, 0.0), (1.0, 1.0, 0.0)];
    let series = vec![
        // Invisible series that makes the axes range from 0 to 1.
        Series { label: String::new(), style: Style::Band, colour: 7, points: zero },
        Series { label: "by chance".to_owned(), style: Style::Bound, colour: 7, points: chance },
        Series { label: "model".to_owned(), style: Style::Line, colour: 0, points },
    ];
    let about =
        "The share of positive rows among those above a threshold, against the share of all positive rows that are.";
    let rows = thinned(&plot_data.precision, 20).map(|(x, y)| [x, y]);
    Some(Card {
        id: "precision",
        title: "Precision and recall".to_owned(),
        caption: format!("Average precision {}; {} of the weight is positive.", short(area), percent(base)),
        views: figure(about, "recall", "precision", series),
        numbers: table(["recall", "precision"], rows),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_thinned_but_for_the_ends() {
        let points: Vec<_> = (0..101).collect();
        let few: Vec<_> = thinned(&points, 20).collect();
        assert_eq!((few.len(), few[0], few.last()), (18, 0, Some(&100)));
        assert_eq!(thinned::<u8>(&[], 20).count(), 0);
    }
}
