//! A small plotter: figures with two axes, laid out once and drawn as SVG.
//!
//! An SVG stands on its own. In a page, style sheets may give it other colours: what is drawn has the classes `l0` … `l8`
//! (lines) and `f0` … `f8` (areas, dots) by the number of its colour, `grid`, `frame`, `ink`, `paper` for the rest. Its
//! `data-x` and `data-y` say how pixels become numbers again (scale, the two ends in pixels, the two ends in numbers or
//! their decimal logarithms), and `data-label` names each series, so that a script can tell the numbers under the pointer.
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
