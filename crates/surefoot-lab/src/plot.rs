//! A small plotter: figures with two axes, laid out once and drawn as SVG or as PNG.

mod axis;
mod figure;
mod font;
mod mark;
mod png;
mod svg;

pub use figure::{Figure, Scale, Series, Style};
#[cfg(test)]
pub(crate) use font::has_letters;
pub(crate) use svg::escaped;
