//! Drawable marks of a figure. Lengths are in pixels, coordinates are measured from the upper left corner.

/// Colour as red, green and blue components.
pub(crate) type Colour = [u8; 3];

pub(super) const BLACK: Colour = [0x22, 0x22, 0x22];
pub(super) const GREY: Colour = [0x88, 0x88, 0x88];
pub(super) const PALE: Colour = [0xe4, 0xe4, 0xe4];

/// Colours distinguishable to colour-blind readers (Okabe and Ito).
pub(super) const COLOURS: [Colour; 9] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x7a, 0x5c, 0x3c],
    [0x55, 0x55, 0x55],
    [0x9c, 0x9c, 0x00],
];

/// Horizontal alignment of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// Line through points, with a dash pattern as in SVG; solid if the pattern is empty.
    Line { points: Vec<(f64, f64)>, colour: Colour, width: f64, dashes: &'static [f32] },
    /// Filled polygon; an opacity of 1 hides everything below.
    Area { points: Vec<(f64, f64)>, colour: Colour, opacity: f64 },
    /// Filled circle.
    Dot { at: (f64, f64), radius: f64, colour: Colour },
    /// Group of marks that draw the series with this label.
    Group { label: String, marks: Vec<Mark> },
    /// Text on its base line, rotated by 90° to the left if `upright`.
    Text { at: (f64, f64), anchor: Anchor, size: f64, colour: Colour, upright: bool, text: String },
}

/// Laid-out figure, ready to be drawn.
#[derive(Clone, Debug)]
pub(super) struct Drawing {
    /// Title of the figure; [`Drawing::about`] is its description.
    pub(super) title: String,
    pub(super) about: String,
    /// For each of the two axes, the conversion of pixels to numbers: scale, ends in pixels, ends in numbers or
    /// logarithms.
    pub(super) axes: [String; 2],
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) marks: Vec<Mark>,
}
