//! The card (panel) of the HTML report about the penalties that were tried (the regularisation path).

use super::html::{Card, SIZE, Table, short};
use surefoot_glm::{Model, PathPoint};
use surefoot_plot::{Figure, Scale, Series, Style};

/// Returns the card (panel) with the held-out loss of each penalty that was tried; `None` if there were fewer than two.
pub(super) fn card(model: &Model) -> Option<Card> {
    let (path, penalty) = (&model.summary.path, &model.settings.penalty);
    if path.len() < 2 {
        return None;
    }
    // The horizontal axis shows the penalty that varied.
    let by_l1 = path.iter().any(|point| point.l1 != path[0].l1);
    let strength = |point: &PathPoint| if by_l1 { point.l1 } else { point.l2 };
    let points = |taken: bool| {
        let is_taken = |point: &&PathPoint| !taken || (point.l1, point.l2) == (penalty.l1, penalty.l2);
        path.iter().filter(is_taken).map(|point| (strength(point), point.loss, 0.0)).collect()
    };
    let series = vec![
        Series { label: "tried".to_owned(), style: Style::Measured, colour: 0, points: points(false) },
        Series { label: "taken".to_owned(), style: Style::Dots, colour: 1, points: points(true) },
    ];
    let axis = if by_l1 { "--l1" } else { "--l2" };
    let (x, y) = ((axis.to_owned(), Scale::Log), ("loss".to_owned(), Scale::Linear));
    let about = "The loss by which penalties are chosen, against their strength.".to_owned();
    let figure = Figure { about, size: SIZE, x, y, series, ..Figure::default() };
    let units = if penalty.standardize { " --standardize yes" } else { "" };
    let end = model.path_end().map_or_else(String::new, |end| format!(" At an end: {end}."));
    let caption = format!(
        "Taken: --l1 {} --l2 {}{units}. A penalty of 0 has no place on the axis, but in the table.{end}",
        short(penalty.l1),
        short(penalty.l2)
    );
    let rows = path.iter().map(|point| [point.l1, point.l2, point.loss].map(short).to_vec()).collect();
    let numbers = Table { head: vec!["--l1", "--l2", "loss"], rows };
    Some(Card { id: "path", title: "Penalties".to_owned(), caption, views: vec![("", figure)], numbers })
}
