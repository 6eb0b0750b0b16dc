//! Numbers by feature, for features that not all shards have.

use super::partial::larger;

/// Numbers by feature: for each feature the same number of sums, and of maxima. Features that one side lacks keep the
/// numbers of the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keyed {
    /// Ids of the features, strictly ascending.
    pub ids: Vec<u64>,
    /// Numbers that are added, feature by feature.
    pub sums: Vec<f64>,
    /// Numbers of which the larger one is kept, feature by feature.
    pub maxima: Vec<f64>,
}

impl Keyed {
    /// Joins these numbers with those of the shards to the right, by feature. O(numbers).
    ///
    /// Where both have features, they need the same number of sums and of maxima per feature; if they do not, those to
    /// the right are ignored.
    pub(super) fn join(&mut self, right: &Keyed) {
        if self.ids.is_empty() {
            self.clone_from(right);
            return;
        }
        if right.ids.is_empty() || self.widths() != right.widths() {
            return;
        }
        let (sums, maxima) = self.widths();
        let mut joined = Keyed::default();
        let (mut a, mut b) = (0, 0);
        while a < self.ids.len() || b < right.ids.len() {
            let (of_left, of_right) = (self.ids.get(a), right.ids.get(b));
            let takes_left = of_left.is_some_and(|left| of_right.is_none_or(|right| left <= right));
            let takes_right = of_right.is_some_and(|right| of_left.is_none_or(|left| right <= left));
            joined.ids.extend(if takes_left { of_left } else { of_right });
            match (takes_left, takes_right) {
                (true, true) => {
                    let pairs = self.sums[a * sums..][..sums].iter().zip(&right.sums[b * sums..][..sums]);
                    joined.sums.extend(pairs.map(|(a, b)| a + b));
                    let pairs = self.maxima[a * maxima..][..maxima].iter().zip(&right.maxima[b * maxima..][..maxima]);
                    joined.maxima.extend(pairs.map(|(a, b)| larger(*a, *b)));
                }
                (true, false) => joined.extend(self, a, sums, maxima),
                _ => joined.extend(right, b, sums, maxima),
            }
            (a, b) = (a + usize::from(takes_left), b + usize::from(takes_right));
        }
        *self = joined;
    }

    fn extend(&mut self, from: &Keyed, at: usize, sums: usize, maxima: usize) {
        self.sums.extend(&from.sums[at * sums..][..sums]);
        self.maxima.extend(&from.maxima[at * maxima..][..maxima]);
    }

    /// Returns the number of sums and of maxima per feature.
    fn widths(&self) -> (usize, usize) {
        let count = self.ids.len().max(1);
        (self.sums.len() / count, self.maxima.len() / count)
    }

    /// Whether the ids ascend, and all have as many numbers.
    pub(super) fn is_sound(&self) -> bool {
        let count = self.ids.len();
        let fits = |numbers: &[f64]| if count == 0 { numbers.is_empty() } else { numbers.len().is_multiple_of(count) };
        self.ids.is_sorted_by(|a, b| a < b) && fits(&self.sums) && fits(&self.maxima)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_either_side_are_kept_and_those_of_both_are_joined() {
        let mut left =
            Keyed { ids: vec![1, 5, 9], sums: vec![1.0, 10.0, 5.0, 50.0, 9.0, 90.0], maxima: vec![1.0, 5.0, 9.0] };
        let right = Keyed { ids: vec![0, 5], sums: vec![0.5, 0.25, 2.0, 20.0], maxima: vec![7.0, 4.0] };
        left.join(&right);
        assert_eq!(left.ids, [0, 1, 5, 9]);
        assert_eq!(left.sums, [0.5, 0.25, 1.0, 10.0, 7.0, 70.0, 9.0, 90.0]);
        assert_eq!(left.maxima, [7.0, 1.0, 5.0, 9.0]);
        let before = left.clone();
        left.join(&Keyed { ids: vec![1], ..Keyed::default() });
        left.join(&Keyed::default());
        assert_eq!(left, before);
    }
}
