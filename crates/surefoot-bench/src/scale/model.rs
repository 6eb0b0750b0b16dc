//! Least squares of relative errors, and the check on measurements that are held back.

use std::fmt;

/// Measurement of a time.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Name of the measured quantity.
    pub what: String,
    /// Counts of what was worked on, from which the terms of the model are computed.
    pub counts: Vec<f64>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// Computes the numbers that the constants of a model are multiplied by from counts.
pub(super) type Terms = fn(&[f64]) -> Vec<f64>;

/// Constants of a model of times, with the measurements that they were fitted to and checked on.
#[derive(Clone, Debug)]
pub struct Model {
    name: &'static str,
    labels: &'static [&'static str],
    terms: Terms,
    measured: Vec<Measured>,
    /// Seconds per unit of each term, at least 0.
    pub constants: Vec<f64>,
}

impl Model {
    /// Fits the constants to every second measurement, so that the squares of the relative errors are least.
    ///
    /// # Panics
    /// Panics if there is another number of terms than of labels.
    #[must_use]
    pub fn fit(name: &'static str, labels: &'static [&'static str], terms: Terms, measured: Vec<Measured>) -> Model {
        // In units of the measured time, as relative errors count.
        let relative = |one: &Measured| terms(&one.counts).iter().map(|term| term / one.seconds).collect();
        let fitted: Vec<Vec<f64>> = measured.iter().step_by(2).map(relative).collect();
        assert!(fitted.iter().all(|terms| terms.len() == labels.len()), "a label for each term");
        let constants = nonnegative_least_squares(&fitted, labels.len());
        Model { name, labels, terms, measured, constants }
    }

    /// Returns the seconds that the model gives for some counts.
    #[must_use]
    pub fn seconds(&self, counts: &[f64]) -> f64 {
        (self.terms)(counts).iter().zip(&self.constants).map(|(term, constant)| term * constant).sum()
    }

    /// Returns the relative errors on the measurements that the constants were not fitted to, by size.
    #[must_use]
    pub fn held_back_errors(&self) -> Vec<f64> {
        let held_back = self.measured.iter().skip(1).step_by(2);
        let mut errors: Vec<f64> = held_back.map(|one| self.error(one).abs()).collect();
        errors.sort_by(f64::total_cmp);
        errors
    }

    fn error(&self, one: &Measured) -> f64 {
        self.seconds(&one.counts) / one.seconds - 1.0
    }
}

/// Minimises Σ (terms·constants − 1)² over constants of at least 0, one constant after the other.
fn nonnegative_least_squares(rows: &[Vec<f64>], count: usize) -> Vec<f64> {
    let column = |k: usize| rows.iter().map(move |row| row[k]);
    let product = |a: usize, b: usize| column(a).zip(column(b)).map(|(a, b)| a * b).sum::<f64>();
    // In units in which every column has length 1, so that no constant is too small for the arithmetic.
    let lengths: Vec<f64> = (0..count).map(|k| product(k, k).sqrt().max(f64::MIN_POSITIVE)).collect();
    let cell = |a: usize, b: usize| product(a, b) / lengths[a] / lengths[b];
    let gram: Vec<Vec<f64>> = (0..count).map(|a| (0..count).map(|b| cell(a, b)).collect()).collect();
    let target: Vec<f64> = (0..count).map(|k| column(k).sum::<f64>() / lengths[k]).collect();
    let mut found = vec![0.0; count];
    for _ in 0..200_000 {
        let mut moved = 0.0_f64;
        for k in 0..count {
            let rest: f64 = (0..count).filter(|other| *other != k).map(|other| gram[k][other] * found[other]).sum();
            let better = f64::max(target[k] - rest, 0.0);
            moved = moved.max((better - found[k]).abs());
            found[k] = better;
        }
        if moved < 1e-12 {
            break;
        }
    }
    found.iter().zip(&lengths).map(|(x, length)| x / length).collect()
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.held_back_errors();
        let (median, largest) = (errors[errors.len() / 2], errors[errors.len() - 1]);
        let within = errors.iter().filter(|error| **error <= 0.15).count();
        writeln!(f, "\n## {}\n", self.name)?;
        writeln!(f, "| nanoseconds per | |\n| --- | ---: |")?;
        for (label, constant) in self.labels.iter().zip(&self.constants) {
            writeln!(f, "| {label} | {} |", significant(1e9 * constant))?;
        }
        writeln!(
            f,
            "\nheld back: {} measurements, median error {:.0} %, largest {:.0} %, {within} within 15 %\n",
            errors.len(),
            100.0 * median,
            100.0 * largest
        )?;
        writeln!(f, "| measured | ms | model | error | |\n| --- | ---: | ---: | ---: | --- |")?;
        for (k, one) in self.measured.iter().enumerate() {
            let (ms, model, error) = (1e3 * one.seconds, 1e3 * self.seconds(&one.counts), 100.0 * self.error(one));
            let kind = if k % 2 == 0 { "fitted" } else { "held back" };
            writeln!(f, "| {} | {} | {} | {error:+.0} % | {kind} |", one.what, significant(ms), significant(model))?;
        }
        Ok(())
    }
}

/// Returns a number with three significant digits, large ones with commas.
pub(super) fn significant(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    let digits = 2 - x.abs().log10().floor() as i32;
    if digits > 0 {
        return format!("{x:.*}", digits as usize);
    }
    let unit = 10_f64.powi(-digits);
    let text = format!("{:.0}", (x / unit).round() * unit);
    let mut grouped = String::new();
    for (k, digit) in text.chars().enumerate() {
        if k > 0 && (text.len() - k) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns the middle of some numbers.
pub(super) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An exchange of some numbers among some workers.
    fn terms(counts: &[f64]) -> Vec<f64> {
        vec![1.0, counts[0], counts[1], counts[0] * counts[1]]
    }

    fn made_up(noise: impl Fn(usize) -> f64) -> Model {
        let one = |k: usize| {
            let counts = vec![(1 + k % 7) as f64, f64::from(1 << (k % 13))];
            let seconds = (1e-4 + 3e-9 * counts[1] + 2e-9 * counts[0] * counts[1]) * (1.0 + noise(k));
            Measured { what: k.to_string(), counts, seconds }
        };
        Model::fit("made up", &["", "", "", ""], terms, (0..40).map(one).collect())
    }

    #[test]
    fn constants_of_made_up_measurements_are_found() {
        let model = made_up(|_| 0.0);
        for (found, expected) in model.constants.iter().zip([1e-4, 0.0, 3e-9, 2e-9]) {
            assert!((found - expected).abs() <= 1e-4 * f64::max(expected, 1e-6), "{found} {expected}");
        }
        assert!(model.held_back_errors().iter().all(|error| *error < 1e-3));
        assert!((model.seconds(&[3.0, 1e6]) / 9.1e-3 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn errors_are_those_of_measurements_that_are_held_back() {
        // Only measurements that are held back are wrong: the constants do not follow them, and the errors show it.
        let model = made_up(|k| if k % 2 == 1 { 1.0 } else { 0.0 });
        assert!(model.held_back_errors().iter().all(|error| (error - 0.5).abs() < 1e-3));
        let noisy = made_up(|k| 0.1 * ((k * 7 % 5) as f64 / 2.0 - 1.0));
        assert!(noisy.held_back_errors().iter().all(|error| *error < 0.25));
    }

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.012_345, 1.234_5, 12.345, 1234.5, 12_345_678.0, 0.0].map(significant);
        assert_eq!(texts, ["0.0123", "1.23", "12.3", "1,230", "12,300,000", "0"]);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
