//! Figures: series over two axes with a legend, and their layout.

use super::axis::Axis;
use super::font;
use super::mark::{Anchor, BLACK, COLOURS, Colour, Drawing, GREY, Mark, PALE};
use super::{png, svg};

/// How an axis counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By factors; numbers that are not positive are not shown.
    Log,
}

impl Scale {
    pub(super) fn shows(self, x: f64) -> bool {
        x.is_finite() && (self == Scale::Linear || x > 0.0)
    }

    pub(super) fn place(self, x: f64) -> f64 {
        match self {
            Scale::Linear => x,
            Scale::Log => x.log10(),
        }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A line through dots, with error bars.
    Measured,
    /// A dashed line.
    Bound,
    /// A dotted line.
    Floor,
    /// Dots alone.
    Dots,
    /// A line alone.
    Line,
    /// A thick pale line: what is allowed.
    Allowed,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend says; nothing if empty.
    pub label: String,
    /// How it is drawn.
    pub style: Style,
    /// The number of its colour: series of one number have one colour.
    pub colour: usize,
    /// x, y, and the half length of an upright error bar.
    pub points: Vec<(f64, f64, f64)>,
}

/// A figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// What the horizontal axis is, and how it counts.
    pub x: (String, Scale),
    /// What the vertical axis is, and how it counts.
    pub y: (String, Scale),
    /// Names in place of numbers on the vertical axis, with where they stand.
    pub names: Vec<(f64, String)>,
    /// What is drawn.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 760.0;
const SIZE: f64 = 12.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 24.0;
const LINE: f64 = 17.0;

impl Figure {
    /// The figure as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::draw(&self.layout())
    }

    /// The figure as a PNG file.
    #[must_use]
    pub fn png(&self) -> Vec<u8> {
        png::draw(&self.layout())
    }

    fn values(&self, of: impl Fn(&(f64, f64, f64)) -> [f64; 2]) -> impl Iterator<Item = f64> {
        self.series.iter().flat_map(|series| &series.points).flat_map(move |point| of(point).into_iter())
    }

    fn layout(&self) -> Drawing {
        let left = self.names.iter().map(|name| font::width(&name.1, SIZE)).fold(62.0, f64::max) + 14.0;
        let plot = if self.names.is_empty() { 330.0 } else { 17.0 * self.names.len() as f64 + 10.0 };
        let bottom = TOP + plot;
        let x = Axis::new(self.x.1, self.values(|p| [p.0, p.0]), left, WIDTH - RIGHT);
        let y = Axis::new(self.y.1, self.values(|p| [p.1 - p.2, p.1 + p.2]), bottom, TOP);
        let mut marks = vec![text((14.0, 22.0), Anchor::Start, SIZE + 2.0, BLACK, &self.title)];
        self.grid(&mut marks, &x, &y, (left, bottom));
        self.series.iter().for_each(|series| curve(&mut marks, series, &x, &y));
        let legend = self.legend(&mut marks, bottom + 54.0);
        Drawing { width: WIDTH, height: legend, marks }
    }

    /// Grid lines, frame, ticks and the names of the axes.
    fn grid(&self, marks: &mut Vec<Mark>, x: &Axis, y: &Axis, (left, bottom): (f64, f64)) {
        let right = WIDTH - RIGHT;
        for (value, label) in x.ticks() {
            let Some(at) = x.at(value) else { continue };
            marks.push(line(vec![(at, TOP), (at, bottom)], PALE, 1.0));
            marks.push(text((at, bottom + 17.0), Anchor::Middle, SIZE, BLACK, &label));
        }
        let named = !self.names.is_empty();
        for (value, label) in if named { self.names.clone() } else { y.ticks() } {
            let Some(at) = y.at(value) else { continue };
            marks.push(line(vec![(left, at), (right, at)], PALE, if named { 0.5 } else { 1.0 }));
            marks.push(text((left - 7.0, at + 4.0), Anchor::End, SIZE, BLACK, &label));
        }
        let corners = vec![(left, TOP), (right, TOP), (right, bottom), (left, bottom), (left, TOP)];
        marks.push(line(corners, GREY, 1.0));
        let middle = (left + right) / 2.0;
        marks.push(text((middle, bottom + 36.0), Anchor::Middle, SIZE, BLACK, &self.x.0));
        let (at, anchor, colour) = ((16.0, (TOP + bottom) / 2.0), Anchor::Middle, BLACK);
        marks.push(Mark::Text { at, anchor, size: SIZE, colour, upright: true, text: self.y.0.clone() });
    }

    /// Samples and labels in as many columns as fit; returns where it ends.
    fn legend(&self, marks: &mut Vec<Mark>, top: f64) -> f64 {
        let entries: Vec<_> = self.series.iter().filter(|series| !series.label.is_empty()).collect();
        let widest = entries.iter().map(|series| font::width(&series.label, SIZE)).fold(1.0, f64::max) + 56.0;
        let columns = ((WIDTH - 28.0) / widest).floor().max(1.0) as usize;
        for (i, series) in entries.iter().enumerate() {
            let (x, y) = (14.0 + (i % columns) as f64 * widest, top + (i / columns) as f64 * LINE);
            let (sample, colour) = ([(x, y), (x + 17.0, y), (x + 34.0, y)], tint(series));
            stroke(marks, series.style, sample.to_vec(), colour);
            if matches!(series.style, Style::Measured | Style::Dots) {
                marks.push(Mark::Dot { at: sample[1], radius: 3.0, colour });
            }
            marks.push(text((x + 40.0, y + 4.0), Anchor::Start, SIZE, BLACK, &series.label));
        }
        top + entries.len().div_ceil(columns) as f64 * LINE
    }
}

fn tint(series: &Series) -> Colour {
    COLOURS[series.colour % COLOURS.len()]
}

fn curve(marks: &mut Vec<Mark>, series: &Series, x: &Axis, y: &Axis) {
    let (place, colour) = (|px: f64, py: f64| Some((x.at(px)?, y.at(py)?)), tint(series));
    let points: Vec<_> = series.points.iter().filter_map(|&(px, py, _)| place(px, py)).collect();
    stroke(marks, series.style, points.clone(), colour);
    if !matches!(series.style, Style::Measured | Style::Dots) {
        return;
    }
    for &(px, py, error) in series.points.iter().filter(|point| point.2 > 0.0) {
        // Where a bar reaches below a logarithmic axis it ends at the point.
        if let (Some(high), Some(low)) = (place(px, py + error), place(px, py - error).or_else(|| place(px, py))) {
            marks.push(line(vec![high, low], colour, 1.2));
        }
    }
    let radius = if series.style == Style::Dots { 2.4 } else { 3.0 };
    marks.extend(points.into_iter().map(|at| Mark::Dot { at, radius, colour }));
}

fn stroke(marks: &mut Vec<Mark>, style: Style, points: Vec<(f64, f64)>, colour: Colour) {
    let (width, dashes): (f64, &[f32]) = match style {
        Style::Measured | Style::Line => (1.8, &[]),
        Style::Bound => (1.5, &[7.0, 4.0]),
        Style::Floor => (1.5, &[2.0, 3.0]),
        Style::Allowed => (9.0, &[]),
        Style::Dots => return,
    };
    let colour = if style == Style::Allowed { colour.map(|c| 255 - (255 - c) / 3) } else { colour };
    if points.len() > 1 {
        marks.push(Mark::Line { points, colour, width, dashes });
    }
}

fn line(points: Vec<(f64, f64)>, colour: Colour, width: f64) -> Mark {
    Mark::Line { points, colour, width, dashes: &[] }
}

fn text(at: (f64, f64), anchor: Anchor, size: f64, colour: Colour, text: &str) -> Mark {
    Mark::Text { at, anchor, size, colour, upright: false, text: text.to_owned() }
}
