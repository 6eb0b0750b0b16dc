//! Encoding of labels for the losses: −1 and +1 for two classes, class numbers for many classes, unchanged numbers for
//! regression.

use super::{class_index::ClassIndex, label_set::Labels};
use crate::{
    data::fault::{Fault, Part},
    loss::Loss,
    numeric::check::need,
};
use serde::{Deserialize, Serialize};

/// Largest absolute value of a label in binary classification, where labels are whole numbers. Larger labels are
/// refused, because they are probably quantities.
const LARGEST_CLASS: f64 = 99.0;

/// Largest absolute value of a label for multiclass losses.
const LARGEST_OF_MANY: f64 = 65_536.0;
/// Maximum number of classes of a multiclass loss.
const MOST: usize = ClassIndex::MOST;

/// Encoder of labels, which keeps the classes in the order in which they are first seen: at most two for binary
/// losses, all for multiclass losses.
///
/// For two classes, the larger label is the positive class. Until a second label is seen, training encodes the first
/// label as +1; if the second label turns out larger, the sign of the whole model is flipped. The flip is exact, since
/// φ(−y, −m) = φ(y, m) for binary losses φ with label y and margin m.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LabelEncoder {
    /// First label seen, for binary losses; `None` before the first row.
    first: Option<f64>,
    /// Second distinct label seen, for binary losses; `None` as long as there is only one.
    second: Option<f64>,
    /// Classes seen, for multiclass losses.
    #[serde(default, skip_serializing_if = "ClassIndex::is_empty")]
    classes: ClassIndex,
    /// Whether labels are proportions of the positive class, between 0 and 1; the positive class then has label 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) shares: bool,
    /// Whether label numbers are codes of class names, so that any number is a valid class.
    #[serde(skip)]
    pub(crate) texts: bool,
}

impl LabelEncoder {
    /// Encodes a label for training: −1 or +1 (for proportions, a number between them), a class number for multiclass
    /// losses, or the label itself in regression. A new class is added only by [`LabelEncoder::observe`].
    pub(crate) fn encode(&self, loss: Loss, label: f64) -> Result<f64, Fault> {
        if !loss.classifies() {
            return loss.check(label).map(|()| label);
        }
        if self.shares {
            return match (0.0..=1.0).contains(&label) {
                true => Ok(2.0 * label - 1.0),
                false => Err(not_a_proportion(label)),
            };
        }
        if loss.is_multiclass() {
            return self.number(loss, label).map(|number| number as f64);
        }
        match (self.first, self.second) {
            (Some(first), _) if first == label => Ok(1.0),
            (_, Some(second)) if second == label => Ok(-1.0),
            (Some(first), Some(second)) => Err(third_class(loss, label, first, second)),
            _ if !self.may_be_class(loss, label) => Err(not_a_class(loss, label)),
            (first, None) => Ok(if first.is_none() { 1.0 } else { -1.0 }),
            (None, Some(_)) => unreachable!("the first class is set before the second"),
        }
    }

    fn number(&self, loss: Loss, label: f64) -> Result<usize, Fault> {
        match self.classes.number(label) {
            Some(number) => Ok(number),
            None if !self.may_be_class(loss, label) => Err(not_a_class(loss, label)),
            None if self.classes.len() == MOST => Err(too_many(label)),
            None => Ok(self.classes.len()),
        }
    }

    fn may_be_class(&self, loss: Loss, label: f64) -> bool {
        let largest = if loss.is_multiclass() { LARGEST_OF_MANY } else { LARGEST_CLASS };
        label.is_finite() && (self.texts || label.fract() == 0.0 && label.abs() <= largest)
    }

    /// Returns the classes seen so far, for a multiclass loss.
    pub(crate) fn classes(&self) -> &ClassIndex {
        &self.classes
    }

    /// Adds the class of an accepted row's label if the label is unseen; does nothing in regression.
    pub(crate) fn observe(&mut self, loss: Loss, label: f64) {
        if self.shares {
            (self.first, self.second) = (Some(1.0), Some(0.0));
        } else if loss.is_multiclass() {
            self.classes.insert(label);
        } else if loss.classifies() && self.first != Some(label) {
            if self.first.is_none() {
                self.first = Some(label + 0.0);
            } else {
                self.second = Some(label + 0.0);
            }
        }
    }

    /// Adds the classes that another encoder has seen in other rows of the same data, for losses with a single margin.
    ///
    /// # Errors
    /// Returns a fault, and changes nothing, if both together have seen more than two classes, or if they encode them
    /// differently.
    pub(crate) fn join(&mut self, loss: Loss, other: &LabelEncoder) -> Result<(), Fault> {
        let same = |a: Option<f64>, b: Option<f64>| a.is_none() || b.is_none() || a == b;
        if !same(self.first, other.first) || self.shares != other.shares {
            return Err(encoded_differently());
        }
        if let (Some(first), Some(second), Some(third)) = (self.first, self.second, other.second)
            && second != third
        {
            return Err(third_class(loss, third, first, second));
        }
        (self.first, self.second) = (self.first.or(other.first), self.second.or(other.second));
        Ok(())
    }

    /// Whether the labels seen, read from a message, are within their ranges, for losses with a single margin.
    pub(crate) fn is_sound(&self) -> bool {
        let finite = [self.first, self.second].into_iter().flatten().all(f64::is_finite);
        let order = self.second.is_none() || self.first.is_some() && self.first != self.second;
        finite && order && self.classes.is_empty()
    }

    /// Returns −1 if the positive class is encoded as −1 (and the negative one as +1), otherwise +1. The model's
    /// weights are the learnt ones times this sign.
    pub(crate) fn sign(&self) -> f64 {
        match (self.first, self.second) {
            (Some(first), Some(second)) if first < second => -1.0,
            (Some(first), None) if first <= 0.0 => -1.0,
            _ => 1.0,
        }
    }

    /// Returns the class labels in the form in which models store them.
    pub(crate) fn labels(&self) -> Labels {
        if self.sign() > 0.0 {
            let classes = self.classes.labels();
            Labels { negative: self.second, positive: self.first, classes, shares: self.shares }
        } else {
            Labels { negative: self.first, positive: self.second, ..Labels::default() }
        }
    }

    /// Checks that an encoder read from a file has seen the same classes as the labels in its model.
    pub(crate) fn check(&self, loss: Loss, labels: &Labels) -> Result<(), String> {
        let (many, two) = (!self.classes.is_empty(), self.first.is_some());
        let kind = if loss.is_multiclass() { !two } else { !many && (loss.classifies() || !two) };
        let order = self.second.is_none() || two && self.first != self.second;
        need(kind && order && self.labels() == *labels, "the labels of the state are not those of the model")
    }

    /// Returns the label of the only class seen so far; `None` if no class or more than one has been seen.
    pub(crate) fn only_class(&self) -> Option<f64> {
        match self.classes.len() {
            0 if self.second.is_none() => self.first,
            1 => self.classes.first(),
            _ => None,
        }
    }
}

fn encoded_differently() -> Fault {
    Fault::new(Part::Label, "the classes of parts of the rows are encoded differently")
}

fn not_a_proportion(label: f64) -> Fault {
    let message = format!("label {label} is no share: with --trials the label is successes / trials, between 0 and 1");
    Fault::new(Part::Label, message)
}

fn not_a_class(loss: Loss, label: f64) -> Fault {
    let needs = match loss.is_multiclass() {
        true => "classes are whole numbers up to 65536",
        false => "two classes are needed, such as 0 and 1",
    };
    let is_share = label > 0.0 && label < 1.0 && !loss.is_multiclass();
    let shares = if is_share { ", for shares of successes --loss logistic --trials COL" } else { "" };
    let message = format!("label {label} is not a class label: {needs}; for numbers use --loss squared{shares}");
    Fault::new(Part::Label, message)
}

fn too_many(label: f64) -> Fault {
    let message = format!(
        "label {label} is one class more than the {MOST} that a model may have; for numbers use --loss squared"
    );
    Fault::new(Part::Label, message)
}

fn third_class(loss: Loss, label: f64, first: f64, second: f64) -> Fault {
    Fault::new(
        Part::Label,
        format!(
            "label {label} is a third class after {first} and {second}: --loss {} takes two; \
             for more classes use --loss softmax, for numbers --loss squared",
            loss.name()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_class_is_positive_in_either_order() {
        for (a, b) in [(0.0, 1.0), (-1.0, 1.0), (1.0, 2.0), (-0.0, 1.0)] {
            for (first, second) in [(a, b), (b, a)] {
                let mut encoder = LabelEncoder::default();
                for label in [first, first, second] {
                    encoder.encode(Loss::Logistic, label).unwrap();
                    encoder.observe(Loss::Logistic, label);
                }
                let labels = Labels { negative: Some(a), positive: Some(b), ..Labels::default() };
                assert_eq!(encoder.labels(), labels);
                for label in [a, b] {
                    let signed = encoder.encode(Loss::Logistic, label).unwrap() * encoder.sign();
                    assert_eq!(Some(signed), encoder.labels().encode(label));
                }
            }
        }
    }

    #[test]
    fn a_lone_class_is_positive_if_it_is_above_zero() {
        for (label, positive) in [(1.0, true), (2.0, true), (0.0, false), (-1.0, false)] {
            let mut encoder = LabelEncoder::default();
            encoder.observe(Loss::Logistic, label);
            assert_eq!(encoder.labels().positive.is_some(), positive, "{label}");
            assert_eq!(encoder.only_class(), Some(label));
        }
    }

    #[test]
    fn quantities_and_third_classes_are_refused_by_name() {
        let mut encoder = LabelEncoder::default();
        for wrong in [151.0, 0.5, -1e300] {
            let fault = encoder.encode(Loss::Logistic, wrong).unwrap_err();
            assert!(fault.message.contains("not a class label") && fault.message.contains("--loss squared"));
        }
        encoder.observe(Loss::Logistic, 1.0);
        encoder.observe(Loss::Logistic, 2.0);
        assert!(encoder.encode(Loss::Logistic, 3.0).unwrap_err().message.contains("third class"));
        assert_eq!(encoder.encode(Loss::Squared, 151.5), Ok(151.5));
    }
}
