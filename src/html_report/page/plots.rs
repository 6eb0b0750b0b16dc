//! Axes, series and tables shared by several figures of the HTML report.

use super::html::{SIZE, Table, short};
use surefoot_plot::{Figure, Scale, Series, Style};

pub(super) fn linear(name: &str) -> (String, Scale) {
    (name.to_owned(), Scale::Linear)
}

pub(super) fn diagonal(label: &str, low: f64, high: f64) -> Series {
    let points = vec![(low, low, 0.0), (high, high, 0.0)];
    Series { label: label.to_owned(), style: Style::Bound, colour: 7, points }
}

pub(super) fn figure(about: &str, x: &str, y: &str, series: Vec<Series>) -> Vec<(&'static str, Figure)> {
    let (x, y) = (linear(x), linear(y));
    vec![("", Figure { about: about.to_owned(), size: SIZE, x, y, series, ..Figure::default() })]
}

pub(super) fn table<const N: usize>(head: [&'static str; N], rows: impl Iterator<Item = [f64; N]>) -> Table {
    Table { head: head.to_vec(), rows: rows.map(|row| row.map(short).to_vec()).collect() }
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
