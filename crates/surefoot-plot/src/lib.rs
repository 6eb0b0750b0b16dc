//! A small plotter: figures with two axes, laid out once and drawn as SVG.
//!
//! An SVG is self-contained. In a page, style sheets may recolour it: elements have the classes `l0` … `l8` (lines) and `f0` … `f8` (areas,
//! dots) by the index of their colour, and `grid`, `frame`, `ink`, `paper` otherwise. The attributes `data-x` and `data-y` describe the
//! conversion of pixels to numbers (scale, the two ends in pixels, the two ends in numbers or their decimal logarithms), and `data-label`
//! names each series, so that a script can show the numbers under the pointer.
//!
//! ```
//! use surefoot_plot::{Figure, Scale, Series, Style};
//! let points = (1..9).map(|n| (f64::from(n), 1.0 / f64::from(n), 0.0)).collect();
//! let series = vec![Series { label: "1/n".to_owned(), style: Style::Line, colour: 0, points }];
//! let (x, y) = (("n".to_owned(), Scale::Log), ("1/n".to_owned(), Scale::Log));
//! let figure = Figure { title: "Harmony".to_owned(), x, y, series, ..Figure::default() };
//! assert!(figure.svg().starts_with("<svg "));
//! ```
#![forbid(unsafe_code)]

mod axis;
mod curve;
mod figure;
mod mark;
mod svg;
mod widths;

pub use figure::{Figure, Scale, Series, Style};
pub use svg::escaped;
