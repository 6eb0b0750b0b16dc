//! Conversion of data series to drawable marks: lines, dots, bands, bars.

use super::axis::Axis;
use super::mark::{Anchor, COLOURS, Colour, Mark};
use super::{Series, Style};

pub(super) fn tint(series: &Series) -> Colour {
    COLOURS[series.colour % COLOURS.len()]
}

pub(super) fn curve(marks: &mut Vec<Mark>, series: &Series, x: &Axis, y: &Axis) {
    let (place, colour) = (|px: f64, py: f64| Some((x.at(px)?, y.at(py)?)), tint(series));
    match series.style {
        Style::Band => {
            let edge = |sign: f64| series.points.iter().filter_map(move |&(px, py, half)| place(px, py + sign * half));
            let points: Vec<_> = edge(1.0).chain(edge(-1.0).collect::<Vec<_>>().into_iter().rev()).collect();
            return marks.push(Mark::Area { points, colour, opacity: FULL });
        }
        Style::Bars => {
            let bars = series.points.iter().filter(|point| point.1 != 0.0);
            let corners = |&(px, py, half): &_| Some(rectangle(place(px - half, 0.0)?, place(px + half, py)?, colour));
            return marks.extend(bars.filter_map(corners));
        }
        _ => {}
    }
    let mut points: Vec<_> = series.points.iter().filter_map(|&(px, py, _)| place(px, py)).collect();
    if series.style == Style::Steps {
        let corners =
            points.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]).chain(points.last().copied());
        points = corners.collect();
    }
    stroke(marks, series.style, points.clone(), colour);
    if !matches!(series.style, Style::Measured | Style::Dots) {
        return;
    }
    for &(px, py, error) in series.points.iter().filter(|point| point.2 > 0.0) {
        // An error bar that reaches below a logarithmic axis ends at the point.
        if let (Some(high), Some(low)) = (place(px, py + error), place(px, py - error).or_else(|| place(px, py))) {
            marks.push(line(vec![high, low], colour, 1.2));
        }
    }
    let radius = if series.style == Style::Dots { 2.4 } else { 3.0 };
    marks.extend(points.into_iter().map(|at| Mark::Dot { at, radius, colour }));
}

pub(super) fn stroke(marks: &mut Vec<Mark>, style: Style, points: Vec<(f64, f64)>, colour: Colour) {
    let (width, dashes): (f64, &[f32]) = match style {
        Style::Measured | Style::Line | Style::Steps => (1.8, &[]),
        Style::Bound => (1.5, &[7.0, 4.0]),
        Style::Floor => (1.5, &[2.0, 3.0]),
        Style::Allowed => (9.0, &[]),
        Style::Dots | Style::Band | Style::Bars => return,
    };
    let colour = if style == Style::Allowed { colour.map(|c| 255 - (255 - c) / 3) } else { colour };
    if points.len() > 1 {
        marks.push(Mark::Line { points, colour, width, dashes });
    }
}

/// Opacity of filled areas.
const FULL: f64 = 0.75;

pub(super) fn rectangle((left, one): (f64, f64), (right, other): (f64, f64), colour: Colour) -> Mark {
    Mark::Area { points: vec![(left, one), (right, one), (right, other), (left, other)], colour, opacity: FULL }
}

pub(super) fn line(points: Vec<(f64, f64)>, colour: Colour, width: f64) -> Mark {
    Mark::Line { points, colour, width, dashes: &[] }
}

pub(super) fn text(at: (f64, f64), anchor: Anchor, size: f64, colour: Colour, text: &str) -> Mark {
    Mark::Text { at, anchor, size, colour, upright: false, text: text.to_owned() }
}
