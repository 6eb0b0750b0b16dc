//! Class weights: factors per class by which the weights of rows are multiplied.

use super::class_index::ClassIndex;
use crate::{
    data::schema::Class,
    numeric::{
        check::need,
        sums::{Sum, compensated},
    },
};
use serde::{Deserialize, Serialize};

/// Factors by which the weights of rows are multiplied, depending on the class of the label.
///
/// ```
/// use surefoot_glm::ClassWeights;
/// assert_eq!(serde_json::to_string(&ClassWeights::Balanced).unwrap(), r#""balanced""#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassWeights {
    /// Every class gets the same total weight: the factor of class c is W/(K·W_c), where K is the number of classes, W
    /// the total weight of all rows, and W_c the total weight of the rows of class c. In the first pass these are
    /// totals of the rows so far, including the current row; in later passes and for the optimum, totals of all rows.
    Balanced,
    /// Given factors by label, where the label is spelled as in the data; 1 for labels that are not listed.
    Given(Vec<(String, f64)>),
}

impl ClassWeights {
    /// Returns the given factor of `label`, 1 if none is given. `pairs` lists factors by the spelling of labels: a
    /// number, or the class name for which the number `label` stands.
    fn given(pairs: &[(String, f64)], label: f64, texts: &[Class]) -> f64 {
        let is = |text: &str| match texts.iter().find(|class| class.code == label) {
            Some(class) => class.text == text,
            None => text.parse() == Ok(label),
        };
        pairs.iter().find(|(text, _)| is(text)).map_or(1.0, |(_, weight)| *weight)
    }
}

/// Total weight of the rows seen so far, per class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClassBalance {
    /// Label and total row weight of each class, by ascending label.
    #[serde(rename = "by_label")]
    sums: Vec<(f64, Sum)>,
    /// Total weight of all rows seen so far.
    total: Sum,
}

impl ClassBalance {
    /// Checks that totals read from a file are within their valid ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        let labels = || self.sums.iter().map(|(label, _)| *label);
        let ascend = labels().all(f64::is_finite) && labels().is_sorted_by(|a, b| a < b);
        let sizes = self.sums.iter().all(|(_, sum)| sum.is_magnitude()) && self.total.is_magnitude();
        need(ascend && sizes && self.sums.len() <= ClassIndex::MOST, "the weights of classes are out of their range")
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    fn at(&self, label: f64) -> usize {
        self.sums.partition_point(|(known, _)| *known < label)
    }

    /// Returns the class weight for the next row, whose label and weight are given. The balanced class weight is
    /// computed from the rows so far and this row.
    pub(crate) fn factor(&self, weights: Option<&ClassWeights>, label: f64, weight: f64, texts: &[Class]) -> f64 {
        match weights {
            None => 1.0,
            Some(ClassWeights::Given(pairs)) => ClassWeights::given(pairs, label, texts),
            Some(ClassWeights::Balanced) => {
                let known = self.sums.get(self.at(label)).filter(|(known, _)| *known == label);
                let classes = self.sums.len() + usize::from(known.is_none());
                let of_class = weight + known.map_or(0.0, |(_, sum)| sum.value());
                (weight + self.total.value()) / (classes as f64 * of_class)
            }
        }
    }

    /// Adds the weight of a row to the total of its class.
    pub(crate) fn add(&mut self, label: f64, weight: f64) {
        let at = self.at(label);
        if self.sums.get(at).is_none_or(|(known, _)| *known != label) {
            self.sums.insert(at, (label, Sum::default()));
        }
        self.sums[at].1.add(weight);
        self.total.add(weight);
    }

    /// Returns the totals of the classes of these labels, as compensated sums, in their order.
    pub(crate) fn totals(&self, labels: &[f64]) -> Vec<f64> {
        let of =
            |label: &f64| self.sums.iter().find(|(known, _)| known == label).map_or(Sum::default(), |(_, sum)| *sum);
        compensated(&labels.iter().map(of).collect::<Vec<_>>())
    }

    /// Adds the weights of other rows.
    pub(crate) fn join(&mut self, other: &ClassBalance) {
        for (label, sum) in &other.sums {
            let at = self.at(*label);
            if self.sums.get(at).is_none_or(|(known, _)| known != label) {
                self.sums.insert(at, (*label, Sum::default()));
            }
            self.sums[at].1.join(sum);
        }
        self.total.join(&other.total);
    }

    /// Returns the class weight of rows with the given label, computed from the totals of all rows.
    pub(crate) fn factor_of_all(&self, weights: &ClassWeights, label: f64, texts: &[Class]) -> f64 {
        match weights {
            ClassWeights::Given(pairs) => ClassWeights::given(pairs, label, texts),
            ClassWeights::Balanced => {
                let known = self.sums.get(self.at(label)).filter(|(known, _)| *known == label);
                known.map_or(1.0, |(_, sum)| self.total.value() / (self.sums.len() as f64 * sum.value()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_together_weigh_the_same() {
        let rows = [(1.0, 2.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.5), (7.0, 4.0), (1.0, 3.0)];
        let mut balance = ClassBalance::default();
        let factor = |balance: &ClassBalance, (y, w)| balance.factor(Some(&ClassWeights::Balanced), y, w, &[]);
        let mut factors = Vec::new();
        for row in rows {
            factors.push(factor(&balance, row));
            balance.add(row.0, row.1);
        }
        assert_eq!(factors[..3], [1.0, 3.0 / 2.0, 4.0 / (2.0 * 3.0)]);
        for class in [0.0, 1.0, 7.0] {
            let of_class = rows.iter().filter(|row| row.0 == class);
            let weigh = |row: &(f64, f64)| row.1 * balance.factor_of_all(&ClassWeights::Balanced, row.0, &[]);
            assert!((of_class.map(weigh).sum::<f64>() - 11.5 / 3.0).abs() < 1e-14);
        }
    }

    #[test]
    fn given_weights_go_by_what_is_written() {
        let given = ClassWeights::Given(vec![("1".into(), 5.0), ("spam".into(), 2.0)]);
        let texts = [Class { text: "ham".into(), code: 0.0 }, Class { text: "spam".into(), code: 1.0 }];
        let balance = ClassBalance::default();
        let of = |label, texts: &[Class]| balance.factor(Some(&given), label, 1.0, texts);
        assert_eq!([of(1.0, &[]), of(0.0, &[]), of(1.0, &texts), of(0.0, &texts)], [5.0, 1.0, 2.0, 1.0]);
    }
}
