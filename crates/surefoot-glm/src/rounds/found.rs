//! Rows that a shard has taken in a round, and classes that it has met, beside the sums of its rows.

use crate::{
    data::schema::Class,
    numeric::check::{MOST_ROWS, need},
};
use serde::{Deserialize, Serialize};

/// Number of rows that some shards have taken in a round, and the classes that they have met so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Found {
    /// Number of rows, those that were refused included: the pass is over when no shard takes any.
    pub(crate) taken: u64,
    /// Classes whose labels are text, by text and code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) classes: Vec<Class>,
}

impl Found {
    /// Adds what other shards have met.
    pub(crate) fn join(&mut self, other: &Found) {
        self.taken += other.taken;
        add_classes(&mut self.classes, &other.classes);
    }

    /// Checks that this, read from a message, is within its range.
    pub(crate) fn check(&self) -> Result<(), String> {
        need(self.taken <= MOST_ROWS, "a shard has taken too many rows in a round")?;
        need(self.classes.iter().all(|class| class.code.is_finite()), "the codes of classes are out of their range")?;
        need(self.classes.is_sorted_by(|a, b| order(a, b).is_lt()), "the classes of a shard are out of their order")
    }
}

fn order(a: &Class, b: &Class) -> std::cmp::Ordering {
    a.text.cmp(&b.text).then(a.code.total_cmp(&b.code))
}

/// Adds classes to a list in the order of their texts, each once.
pub(crate) fn add_classes(classes: &mut Vec<Class>, others: &[Class]) {
    for class in others {
        if let Err(at) = classes.binary_search_by(|known| order(known, class)) {
            classes.insert(at, class.clone());
        }
    }
}

/// Checks that classes which different shards have met have different codes. A shard gives a text that it meets first a code
/// between those that it knows; so the codes of two classes fit together, and those of more need not.
pub(crate) fn check_classes(classes: &[Class]) -> Result<(), String> {
    if classes.is_sorted_by(|a, b| a.text < b.text && a.code < b.code) {
        return Ok(());
    }
    let texts: Vec<String> = classes.iter().map(|class| format!("'{}'", class.text)).collect();
    Err(format!("parts of the data have the labels {}: this loss takes two classes", texts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str, code: f64) -> Class {
        Class { text: text.into(), code }
    }

    #[test]
    fn what_shards_have_met_does_not_depend_on_their_order() {
        let all = [
            Found { taken: 3, classes: vec![class("a", 0.0), class("b", 1.0)] },
            Found { taken: 0, classes: vec![class("a", 0.0), class("c", 1.0)] },
            Found { taken: 5, classes: Vec::new() },
        ];
        let joined = |order: [usize; 3]| {
            let mut found = Found::default();
            order.iter().for_each(|&k| found.join(&all[k]));
            found.check().unwrap();
            found
        };
        assert_eq!(joined([0, 1, 2]), joined([2, 1, 0]));
        assert_eq!(joined([1, 0, 2]).taken, 8);
        let says = check_classes(&joined([0, 1, 2]).classes).unwrap_err();
        assert!(says.contains("'a', 'b', 'c'") && check_classes(&all[0].classes).is_ok(), "{says}");
        let unsorted = Found { taken: 0, classes: vec![class("b", 0.0), class("a", 1.0)] };
        let huge = Found { taken: MOST_ROWS + 1, classes: Vec::new() };
        assert!(unsorted.check().is_err() && huge.check().is_err());
    }
}
