//! Figures: series over two axes with a legend, and their layout.

use super::axis::Axis;
use super::curve::{curve, line, rectangle, stroke, text, tint};
use super::mark::{Anchor, BLACK, Drawing, GREY, Mark, PALE};
use super::{svg, widths};

/// Scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Linear scale.
    Linear,
    /// Logarithmic scale; numbers that are not positive are not shown.
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

/// Style in which a series of points is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Line through dots, with error bars.
    Measured,
    /// Dashed line, for upper bounds.
    Bound,
    /// Dotted line, for lower bounds.
    Floor,
    /// Dots without a line.
    Dots,
    /// Line without dots.
    Line,
    /// Thick pale line, for a range of allowed values.
    Allowed,
    /// Step function: a line that keeps its height up to the next point.
    Steps,
    /// Area between y − half and y + half, where half is the third number of a point.
    Band,
    /// Bars from 0 to y, of width x − half to x + half, where half is the third number of a point.
    Bars,
}

/// Data series: points drawn in one style and colour.
#[derive(Clone, Debug)]
pub struct Series {
    /// Text in the legend; a series with an empty text has no legend entry.
    pub label: String,
    /// Style in which the points are drawn.
    pub style: Style,
    /// Index of the colour: series with equal indices have equal colours.
    pub colour: usize,
    /// Points (x, y, half); half is the length of one arm of a vertical error bar, half the height of a band, or half the width of a bar.
    pub points: Vec<(f64, f64, f64)>,
}

/// Figure with two axes and several series.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Title above the figure; no title if empty.
    pub title: String,
    /// Description in a sentence or two, for screen readers.
    pub about: String,
    /// Width of the whole figure and height of the plot area, in pixels.
    pub size: (f64, f64),
    /// Label and scale of the horizontal axis.
    pub x: (String, Scale),
    /// Label and scale of the vertical axis.
    pub y: (String, Scale),
    /// Names on the vertical axis in place of numbers, each with its position; if empty, the axis shows numbers.
    pub names: Vec<(f64, String)>,
    /// Series to draw, later ones on top.
    pub series: Vec<Series>,
}

impl Default for Figure {
    fn default() -> Figure {
        let axis = || (String::new(), Scale::Linear);
        let (title, about, names, series) = Default::default();
        Figure { title, about, size: (760.0, 330.0), x: axis(), y: axis(), names, series }
    }
}

const SIZE: f64 = 12.0;
const RIGHT: f64 = 24.0;
const LINE: f64 = 17.0;
const MARGIN: f64 = 14.0;
/// Length of the sample line in a legend, in pixels.
const SAMPLE: f64 = 28.0;

impl Figure {
    /// Returns the figure as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::draw(&self.layout())
    }

    fn values(&self, of: impl Fn(&Series, &(f64, f64, f64)) -> [f64; 2]) -> impl Iterator<Item = f64> {
        let of = &of;
        let values = self.series.iter().flat_map(|s| s.points.iter().flat_map(move |point| of(s, point)));
        values.collect::<Vec<_>>().into_iter()
    }

    fn layout(&self) -> Drawing {
        let (width, plot) = self.size;
        let plot = if self.names.is_empty() { plot } else { 17.0 * self.names.len() as f64 + 10.0 };
        let top = if self.title.is_empty() { 12.0 } else { 40.0 };
        let bottom = top + plot;
        let y = Axis::new(self.y.1, self.values(Series::heights), bottom, top);
        let labels = if self.names.is_empty() { y.ticks() } else { self.names.clone() };
        let widest = labels.iter().map(|label| widths::width(&label.1, SIZE)).fold(0.0, f64::max);
        // Space for the numbers, and for the name of the axis beside them.
        let least = if width < Figure::default().size.0 { 24.0 } else { 62.0 };
        let left = widest.max(least) + if self.y.0.is_empty() { 14.0 } else { 34.0 };
        let frame = Frame { left, right: width - RIGHT, top, bottom };
        let x = Axis::new(self.x.1, self.values(Series::widths), frame.left, frame.right);
        let mut marks = Vec::new();
        if !self.title.is_empty() {
            marks.push(text((14.0, 22.0), Anchor::Start, SIZE + 2.0, BLACK, &self.title));
        }
        self.grid(&mut marks, (&x, &y), &labels, frame);
        for series in &self.series {
            let mut own = Vec::new();
            curve(&mut own, series, &x, &y);
            marks.push(Mark::Group { label: series.label.clone(), marks: own });
        }
        let height = self.legend(&mut marks, bottom + 54.0);
        let (title, about, axes) = (self.title.clone(), self.about.clone(), [x.words(), y.words()]);
        Drawing { title, about, axes, width, height, marks }
    }

    /// Appends grid lines, frame, ticks and axis names to the marks to be drawn.
    fn grid(&self, marks: &mut Vec<Mark>, (x, y): (&Axis, &Axis), labels: &[(f64, String)], frame: Frame) {
        let Frame { left, right, top, bottom } = frame;
        let mut free = f64::NEG_INFINITY;
        for (value, label) in x.ticks() {
            let Some(at) = x.at(value) else { continue };
            marks.push(line(vec![(at, top), (at, bottom)], PALE, 1.0));
            // Labels that would overlap are omitted.
            let half = widths::width(&label, SIZE) / 2.0;
            if at - half > free {
                marks.push(text((at, bottom + 17.0), Anchor::Middle, SIZE, BLACK, &label));
                free = at + half + 6.0;
            }
        }
        let named = !self.names.is_empty();
        for (value, label) in labels {
            let Some(at) = y.at(*value) else { continue };
            marks.push(line(vec![(left, at), (right, at)], PALE, if named { 0.5 } else { 1.0 }));
            marks.push(text((left - 7.0, at + 4.0), Anchor::End, SIZE, BLACK, label));
        }
        let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        marks.push(line(corners, GREY, 1.0));
        let middle = (left + right) / 2.0;
        marks.push(text((middle, bottom + 36.0), Anchor::Middle, SIZE, BLACK, &self.x.0));
        let (at, anchor, colour) = ((16.0, (top + bottom) / 2.0), Anchor::Middle, BLACK);
        marks.push(Mark::Text { at, anchor, size: SIZE, colour, upright: true, text: self.y.0.clone() });
    }

    /// Appends the legend to the marks to be drawn, with as many entries per line as fit; returns the y coordinate of its lower end in
    /// pixels.
    fn legend(&self, marks: &mut Vec<Mark>, top: f64) -> f64 {
        let (mut x, mut y) = (MARGIN, top);
        let entries = self.series.iter().filter(|series| !series.label.is_empty());
        for series in entries.clone() {
            let end = x + SAMPLE + 6.0 + widths::width(&series.label, SIZE);
            if end > self.size.0 - MARGIN && x > MARGIN {
                (x, y) = (MARGIN, y + LINE);
            }
            let (line, colour) = ([(x, y), (x + SAMPLE / 2.0, y), (x + SAMPLE, y)], tint(series));
            stroke(marks, series.style, line.to_vec(), colour);
            match series.style {
                Style::Measured | Style::Dots => marks.push(Mark::Dot { at: line[1], radius: 3.0, colour }),
                Style::Band | Style::Bars => marks.push(rectangle((x, y - 5.0), (x + SAMPLE, y + 5.0), colour)),
                _ => {}
            }
            marks.push(text((x + SAMPLE + 6.0, y + 4.0), Anchor::Start, SIZE, BLACK, &series.label));
            x += SAMPLE + 24.0 + widths::width(&series.label, SIZE);
        }
        if entries.count() > 0 { y + LINE } else { top }
    }
}

/// Edges of the plot area, in pixels.
#[derive(Clone, Copy, Debug)]
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Series {
    /// Returns the smallest and largest x of a point as drawn: for bars x ∓ half, otherwise x alone.
    fn widths(&self, &(x, _, half): &(f64, f64, f64)) -> [f64; 2] {
        let half = if self.style == Style::Bars { half } else { 0.0 };
        [x - half, x + half]
    }

    /// Returns the smallest and largest y of a point as drawn: for bars from 0 to y, otherwise including the error bar or the band.
    fn heights(&self, &(_, y, half): &(f64, f64, f64)) -> [f64; 2] {
        if self.style == Style::Bars { [0.0, y] } else { [y - half, y + half] }
    }
}
