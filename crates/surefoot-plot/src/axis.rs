//! Axes: conversion of numbers to pixel coordinates, and positions of ticks.

use super::Scale;

#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    scale: Scale,
    /// Number at the start of the axis, or its decimal logarithm on a logarithmic axis.
    from: f64,
    /// Number at the end of the axis, or its decimal logarithm on a logarithmic axis.
    to: f64,
    /// Pixel coordinate of the start of the axis.
    first: f64,
    /// Pixel coordinate of the end of the axis.
    last: f64,
}

impl Axis {
    /// Creates an axis from pixel coordinate `first` to `last` that covers all `values`, with a margin at both ends.
    pub(super) fn new(scale: Scale, values: impl Iterator<Item = f64>, first: f64, last: f64) -> Self {
        let shown = values.filter(|x| scale.shows(*x)).map(|x| scale.place(x));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let room = 0.04 * (high - low).max(1e-3 * high.abs()).max(if high > low { 0.0 } else { 0.5 });
        Self { scale, from: low - room, to: high + room, first, last }
    }

    /// Returns the pixel coordinate of a number; `None` if the axis cannot show it, for instance 0 on a logarithmic
    /// axis.
    pub(super) fn at(&self, x: f64) -> Option<f64> {
        let share = (self.scale.place(x) - self.from) / (self.to - self.from);
        self.scale.shows(x).then_some(self.first + share * (self.last - self.first))
    }

    /// Describes the conversion of pixels to numbers as text for scripts: scale, ends in pixels, ends in numbers or
    /// logarithms.
    pub(super) fn words(&self) -> String {
        let scale = if self.scale == Scale::Log { "log" } else { "linear" };
        format!("{scale} {:.2} {:.2} {} {}", self.first, self.last, self.from, self.to)
    }

    /// Returns the ticks: the number and the label of each.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Log if self.to - self.from > 3.2 => self.decades(),
            Scale::Log => self.fractions(),
            Scale::Linear => self.steps().into_iter().map(|x| (x, plain(x))).collect(),
        }
    }

    /// Returns the ticks of a logarithmic axis at powers of ten, at most about eight: the number and the label of each.
    fn decades(&self) -> Vec<(f64, String)> {
        let (low, high) = (self.from.ceil() as i32, self.to.floor() as i32);
        let step = (high - low) / 8 + 1;
        let fine = (low..=high).filter(|k| k % step == 0);
        fine.map(|k| (10_f64.powi(k), if (-2..=4).contains(&k) { plain(10_f64.powi(k)) } else { power(k) })).collect()
    }

    /// Returns the ticks of a logarithmic axis at 1, 2 and 5 times powers of ten: the number and the label of each.
    fn fractions(&self) -> Vec<(f64, String)> {
        let decades = (self.from.floor() as i32)..=(self.to.ceil() as i32);
        let ticks = decades.flat_map(|k| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(k)));
        ticks.filter(|x| (self.from..=self.to).contains(&x.log10())).map(|x| (x, plain(x))).collect()
    }

    /// Returns about five round, equally spaced numbers as ticks of a linear axis.
    fn steps(&self) -> Vec<f64> {
        let rough = (self.to - self.from) / 5.0;
        let unit = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * unit).into_iter().find(|s| *s >= rough).unwrap_or(rough);
        let (low, high) = ((self.from / step).ceil() as i64, (self.to / step).floor() as i64);
        (low..=high).map(|k| k as f64 * step).collect()
    }
}

/// Formats a round number; numbers from ten thousand on are written in thousands, millions or billions.
fn plain(x: f64) -> String {
    let trimmed = |text: String| text.trim_end_matches('0').trim_end_matches('.').replace('-', "−");
    let size = x.abs();
    if size >= 1e13 || size != 0.0 && size < 5e-4 {
        return format!("{x:.1e}").replace(".0e", "e").replace('-', "−");
    }
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.into_iter().find(|(unit, _)| size >= 1e4 && size >= *unit) {
        Some((unit, letter)) => format!("{}{letter}", trimmed(format!("{:.5}", x / unit))),
        None => trimmed(format!("{x:.4}")),
    }
}

/// Formats the power of ten 10^k with a superscript exponent.
fn power(k: i32) -> String {
    let raised = |c: char| match c.to_digit(10) {
        Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
        None => '⁻',
    };
    format!("10{}", k.to_string().chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_where_they_belong() {
        let axis = Axis::new(Scale::Log, [1.0, 100.0, 0.0, f64::NAN].into_iter(), 0.0, 108.0);
        assert!((axis.at(1.0).unwrap() - 4.0).abs() < 1e-9 && (axis.at(10.0).unwrap() - 54.0).abs() < 1e-9);
        assert_eq!(axis.at(0.0), None);
        let labels: Vec<_> = axis.ticks().into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["1", "2", "5", "10", "20", "50", "100"]);
        let axis = Axis::new(Scale::Linear, [-1.0, 1.0].into_iter(), 100.0, 0.0);
        let labels: Vec<_> = axis.ticks().into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["−1", "−0.5", "0", "0.5", "1"]);
    }

    #[test]
    fn axes_without_extent_or_numbers_are_axes() {
        for values in [vec![], vec![3.0], vec![3.0, 3.0]] {
            let axis = Axis::new(Scale::Linear, values.into_iter(), 0.0, 10.0);
            assert!(axis.at(3.0).is_some_and(f64::is_finite));
        }
    }

    #[test]
    fn large_and_small_ticks_are_short() {
        let numbers = [0.0, 0.25, -1.5, 5000.0, 20_000.0, 2.5e6, -3e9, 1e15, 2e-5, 1.2e-4];
        let labels = ["0", "0.25", "−1.5", "5000", "20k", "2.5M", "−3G", "1e15", "2e−5", "1.2e−4"];
        assert_eq!(numbers.map(plain), labels);
    }

    #[test]
    fn exponents() {
        assert_eq!([power(-12), power(5)], ["10⁻¹²", "10⁵"]);
    }
}
