//! Scaling of columns for standardised penalties: each column is divided by its largest absolute value.

use super::optimum::Examples;
use crate::{
    data::feature_groups::{Bounds, Rule},
    shards::{Interrupted, Partial},
};

/// Scale M_j = max |x_ij| of each column j, over rows of positive weight. The optimisation uses the values x_ij/M_j and
/// finds the weights w_j·M_j.
///
/// Columns whose units of measurement differ by a power of two have bitwise equal scaled values, and therefore the same
/// optimum.
#[derive(Debug)]
pub(crate) struct Scaling {
    unit: Vec<f64>,
}

impl Scaling {
    /// Computes the scales of all columns and divides the values of the examples by them.
    pub(crate) fn apply(examples: &mut Examples) -> Result<Scaling, Interrupted> {
        let largest = examples.combine(|rows| {
            let mut largest = vec![0.0_f64; examples.columns()];
            for i in examples.weighted(rows) {
                let (columns, values) = examples.row(i);
                let pairs = columns.iter().zip(values);
                pairs.for_each(|(&j, x)| largest[j as usize] = largest[j as usize].max(x.abs()));
            }
            Partial { maxima: largest, ..Partial::default() }
        })?;
        let mut unit = largest.maxima;
        // A column that is nonzero only in rows of weight 0 is not scaled.
        unit.iter_mut().filter(|unit| **unit == 0.0).for_each(|unit| *unit = 1.0);
        examples.divide(&unit);
        Ok(Scaling { unit })
    }

    /// Converts the bounds of the weight w_j of a column to bounds of the scaled weight w_j·M_j, where M_j is the scale
    /// of the column. Keeps the penalty factor.
    pub(crate) fn rule(&self, column: usize, rule: Rule) -> Rule {
        let times = |bound: f64| if bound == 0.0 { bound } else { bound * self.unit[column] };
        let (low, high) = (times(rule.bounds.low()), times(rule.bounds.high()));
        // Bounds that scaling makes equal fix the weight at 0, up to underflow.
        let bounds = Bounds::new(low, high).or_else(|| Bounds::new(low.min(-f64::MIN_POSITIVE), f64::MIN_POSITIVE));
        Rule { bounds: bounds.unwrap_or(rule.bounds), ..rule }
    }

    /// Converts a scaled weight of a column back to the units of the data. The result is within `bounds`, and exactly
    /// on a bound if the scaled weight is.
    pub(crate) fn weight(&self, column: usize, found: f64, bounds: Bounds) -> f64 {
        let there = self.rule(column, Rule { factor: 1.0, bounds }).bounds;
        if bounds.low() != 0.0 && found == there.low() {
            return bounds.low();
        }
        if bounds.high() != 0.0 && found == there.high() {
            return bounds.high();
        }
        bounds.clamp((found / self.unit[column]).clamp(-f64::MAX, f64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_keep_to_raw_bounds_and_values_to_one() {
        let mut examples = Examples::default();
        examples.push(1.0, 1.0, 0.0, &[0, 1, 2], &[3.0, -1e-200, 7.0]);
        examples.push(1.0, 0.0, 0.0, &[0, 3], &[300.0, 5.0]);
        examples.push(1.0, 2.0, 0.0, &[0, 2], &[-10.0, 1e250]);
        let scaling = Scaling::apply(&mut examples).unwrap();
        assert_eq!(scaling.unit, [10.0, 1e-200, 1e250, 1.0]);
        assert_eq!(examples.row(0).1, [0.3, -1.0, 7.0 / 1e250]);
        for (low, high) in [(-0.1, 0.3), (0.0, 0.7), (f64::NEG_INFINITY, 0.1), (-1e-300, 1e-300)] {
            let bounds = Bounds::new(low, high).unwrap();
            for column in 0..4 {
                let there = scaling.rule(column, Rule { factor: 1.0, bounds }).bounds;
                assert_eq!(scaling.weight(column, there.high(), bounds), high);
                if low.is_finite() {
                    assert_eq!(scaling.weight(column, there.low(), bounds), low);
                }
                assert_eq!(scaling.weight(column, 0.0, bounds), 0.0);
            }
        }
        assert_eq!(scaling.weight(0, 5.0, Bounds::FREE), 0.5);
        assert!(scaling.weight(1, 1e250, Bounds::FREE).is_finite());
    }
}
