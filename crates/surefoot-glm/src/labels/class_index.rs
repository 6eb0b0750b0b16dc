//! Numbering of the classes of multiclass losses in the order in which their labels are first seen.

use serde::{Deserialize, Serialize};

/// Classes of a multiclass loss, numbered 0, 1, … in the order in which their labels are first seen. (Models store
/// classes by ascending label.)
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub(crate) struct ClassIndex {
    /// Label of each class, by class number.
    labels: Vec<f64>,
    /// Class numbers, sorted by the labels of the classes in ascending order.
    ascending: Vec<u32>,
}

impl ClassIndex {
    /// Maximum number of classes of a multiclass loss.
    pub(crate) const MOST: usize = 65_536;

    /// Numbers the classes of the given labels in the order of their first occurrence.
    pub(crate) fn of(labels: impl IntoIterator<Item = f64>) -> ClassIndex {
        let mut classes = ClassIndex::default();
        labels.into_iter().for_each(|label| classes.insert(label));
        classes
    }

    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Returns the rank of a label among the sorted labels (`Ok`), or the rank at which an unseen label would be
    /// inserted (`Err`).
    fn search(&self, label: f64) -> Result<usize, usize> {
        let at = self.ascending.partition_point(|&number| self.labels[number as usize] < label);
        let found = self.ascending.get(at).is_some_and(|&number| self.labels[number as usize] == label);
        if found { Ok(at) } else { Err(at) }
    }

    /// Returns the class number of a label; `None` if the label is unseen. Costs O(log K) for K classes.
    pub(crate) fn number(&self, label: f64) -> Option<usize> {
        self.search(label).ok().map(|at| self.ascending[at] as usize)
    }

    /// Adds a class for an unseen label; does nothing for a known label. Costs O(K) for K classes.
    pub(crate) fn insert(&mut self, label: f64) {
        if let Err(at) = self.search(label) {
            self.ascending.insert(at, self.labels.len() as u32);
            // Adding 0 turns −0 into 0.
            self.labels.push(label + 0.0);
        }
    }

    /// Returns the class numbers in the order of ascending labels.
    pub(crate) fn ascending(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.ascending.iter().map(|&number| number as usize)
    }

    /// Returns the labels in ascending order.
    pub(crate) fn labels(&self) -> Vec<f64> {
        self.ascending().map(|number| self.labels[number]).collect()
    }

    /// Returns the label of class number 0; `None` if there are no classes.
    pub(crate) fn first(&self) -> Option<f64> {
        self.labels.first().copied()
    }
}

impl TryFrom<Vec<f64>> for ClassIndex {
    type Error = String;

    fn try_from(labels: Vec<f64>) -> Result<ClassIndex, String> {
        let count = labels.len();
        if count > ClassIndex::MOST {
            return Err(format!("{count} classes"));
        }
        let classes = ClassIndex::of(labels);
        if classes.len() == count { Ok(classes) } else { Err("a class stands twice".to_owned()) }
    }
}

impl From<ClassIndex> for Vec<f64> {
    fn from(classes: ClassIndex) -> Vec<f64> {
        classes.labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_keep_their_number_and_have_an_order() {
        let classes = ClassIndex::of([3.0, -1.0, 7.5, 3.0, -0.0, 0.0]);
        assert_eq!(classes.labels(), [-1.0, 0.0, 3.0, 7.5]);
        assert_eq!(classes.ascending().collect::<Vec<_>>(), [1, 3, 0, 2]);
        assert_eq!([3.0, -1.0, 7.5, 0.0, -0.0].map(|label| classes.number(label).unwrap()), [0, 1, 2, 3, 3]);
        assert_eq!((classes.number(1.0), classes.first(), classes.len()), (None, Some(3.0), 4));
        assert_eq!(ClassIndex::try_from(Vec::from(classes.clone())), Ok(classes));
        assert!(ClassIndex::try_from(vec![1.0, 2.0, 1.0]).is_err());
    }
}
