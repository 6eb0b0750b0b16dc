//! Formatting of numbers as text and JSON.

use serde_json::Value;

/// Buffer that formats an f64 as the shortest decimal that is read back as the same f64, without a trailing `.0`.
#[derive(Default)]
pub(crate) struct Shortest(zmij::Buffer);

impl Shortest {
    pub(crate) fn of(&mut self, x: f64) -> &str {
        let text = self.0.format(x);
        text.strip_suffix(".0").unwrap_or(text)
    }
}

/// Formats a number as the shortest decimal that is read back as the same f64.
pub(crate) fn shortest(x: f64) -> String {
    Shortest::default().of(x).to_owned()
}

/// Formats the learning-rate scale of a lane (one of the learners trained side by side); `-` for `None`.
pub(crate) fn lane(scale: Option<f64>) -> String {
    scale.map_or_else(|| "-".to_owned(), shortest)
}

/// Formats a loss or a metric in at most nine characters: six decimals, fewer for large numbers.
pub(crate) fn loss(x: Option<f64>) -> String {
    match x {
        None => "-".to_owned(),
        Some(0.0) => "0.000000".to_owned(),
        Some(x) if (1e-3..100.0).contains(&x.abs()) => format!("{x:.6}"),
        Some(x) if (100.0..1e4).contains(&x.abs()) => format!("{x:.4}"),
        Some(x) if (1e4..1e6).contains(&x.abs()) => format!("{x:.2}"),
        Some(x) => format!("{x:.4e}"),
    }
}

/// Formats an upper bound such that the text is never below the bound, as a text rounded down would claim too much.
pub(crate) fn rounded_up(x: f64, format: impl Fn(f64) -> String) -> String {
    let holds = |text: &String| text.parse::<f64>().is_ok_and(|shown| shown >= x);
    let raised = (0..52).rev().map(|power| format(x + x.abs() * 2_f64.powi(-power)));
    [format(x)].into_iter().chain(raised).find(holds).unwrap_or_else(|| shortest(x))
}

/// Formats an integer with thousands separators.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of rows with the noun: `1 row`, `2 rows`.
pub(crate) fn rows(n: u64) -> String {
    format!("{} row{}", count(n), if n == 1 { "" } else { "s" })
}

/// Formats a number of bytes with a binary unit such as MiB.
pub(crate) fn bytes(n: u64) -> String {
    indicatif::BinaryBytes(n).to_string()
}

/// Returns a JSON number; null if the number is absent or not finite.
pub(crate) fn number_or_null(x: Option<f64>) -> Value {
    x.and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_up_to_the_next_digit() {
        let up = |x: f64| rounded_up(x, |x| loss(Some(x)));
        for (x, text) in [
            (0.355_625_3, "0.355626"),
            (0.5, "0.500000"),
            (1.77631e-15, "1.7764e-15"),
            (9.99999e-4, "1.0000e-3"),
            (-0.1234567, "-0.123456"),
            (0.0, "0.000000"),
            (12_345.678, "12345.68"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(up(x), text);
        }
        for k in 1..2000 {
            let x = 1.37_f64.powi(k % 400 - 200) * (1.0 + f64::from(k) / 2000.0);
            let (shown, near): (f64, f64) = (up(x).parse().unwrap(), loss(Some(x)).parse().unwrap());
            assert!(shown >= x && shown - x <= 1.01e-4 * x.abs().max(1e-2), "{x}: {shown}, {near}");
        }
    }

    #[test]
    fn decimals_are_shortest_and_read_back() {
        for (x, text) in [(1.0, "1"), (-0.5, "-0.5"), (0.1, "0.1"), (1e300, "1e+300"), (-2.0, "-2"), (-0.0, "-0")] {
            assert_eq!(shortest(x), text);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), x.to_bits());
        }
        assert_eq!(shortest(5e-324).parse::<f64>().unwrap(), 5e-324);
    }

    #[test]
    fn people_read_counts_and_losses() {
        assert_eq!([count(0), count(999), count(1000), count(1234567)], ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [loss(None), loss(Some(0.5)), loss(Some(-0.0)), loss(Some(1e-9))],
            ["-", "0.500000", "0.000000", "1.0000e-9"]
        );
        assert_eq!([rows(1), rows(2)], ["1 row", "2 rows"]);
    }
}
