//! Labelled rows in memory.

/// Labelled rows with weights, in compressed form: what an optimum is sought over.
///
/// 12 bytes a pair, 32 a row.
///
/// ```
/// use surefoot_glm::optimum::Examples;
/// let mut examples = Examples::default();
/// examples.push(1.0, 1.0, 0.0, &[0, 5], &[0.5, 2.0]);
/// examples.push(-1.0, 2.0, 0.0, &[], &[]);
/// assert_eq!((examples.len(), examples.columns()), (2, 6));
/// ```
#[derive(Clone, Debug)]
pub struct Examples {
    pub(super) label: Vec<f64>,
    pub(super) weight: Vec<f64>,
    pub(super) offset: Vec<f64>,
    pub(super) start: Vec<usize>,
    pub(super) column: Vec<u32>,
    pub(super) value: Vec<f64>,
    columns: usize,
}

impl Default for Examples {
    fn default() -> Self {
        let (label, weight, offset, column, value) = Default::default();
        Self { label, weight, offset, start: vec![0], column, value, columns: 0 }
    }
}

impl Examples {
    /// Adds a row. Its margin is `offset` and intercept and w·x; softmax and one-vs-rest have no offsets, and take it for 0.
    ///
    /// # Panics
    /// If columns are not strictly ascending, there are not as many values, or a number is not finite or a weight
    /// negative.
    pub fn push(&mut self, label: f64, weight: f64, offset: f64, column: &[u32], value: &[f64]) {
        assert_eq!(column.len(), value.len(), "as many values as columns");
        assert!(column.is_sorted_by(|a, b| a < b), "columns strictly ascending");
        assert!(
            label.is_finite() && offset.is_finite() && value.iter().all(|x| x.is_finite()),
            "numbers that are finite"
        );
        assert!(weight.is_finite() && weight >= 0.0, "a weight that is finite and not negative");
        self.label.push(label);
        self.weight.push(weight);
        self.offset.push(offset);
        self.column.extend_from_slice(column);
        self.value.extend_from_slice(value);
        self.start.push(self.column.len());
        self.columns = self.columns.max(column.last().map_or(0, |&last| last as usize + 1));
    }

    /// Makes room for one more row of this many pairs; whether there is memory for it.
    pub(crate) fn reserve(&mut self, pairs: usize) -> bool {
        let rows = [&mut self.label, &mut self.weight, &mut self.offset];
        rows.into_iter().all(|numbers| numbers.try_reserve(1).is_ok())
            && self.start.try_reserve(1).is_ok()
            && self.column.try_reserve(pairs).is_ok()
            && self.value.try_reserve(pairs).is_ok()
    }

    /// Each row's label and weight, if it has one.
    pub(crate) fn each_weight(&mut self, mut visit: impl FnMut(f64, &mut f64)) {
        let rows = self.label.iter().zip(&mut self.weight).filter(|(_, weight)| **weight > 0.0);
        rows.for_each(|(label, weight)| visit(*label, weight));
    }

    /// Gives every label its number in training's own terms.
    pub(crate) fn code(&mut self, number: impl Fn(f64) -> f64) {
        self.label.iter_mut().for_each(|label| *label = number(*label));
    }

    /// Takes away the weights of every `period`-th row that has one, and says which they were.
    pub(crate) fn hold_out(&mut self, period: usize) -> Vec<(usize, f64)> {
        let weighted: Vec<usize> = (0..self.len()).filter(|&i| self.weight[i] > 0.0).collect();
        let held = weighted.into_iter().skip(period - 1).step_by(period);
        held.map(|i| (i, std::mem::take(&mut self.weight[i]))).collect()
    }

    /// Gives them back.
    pub(crate) fn put_back(&mut self, held: &[(usize, f64)]) {
        held.iter().for_each(|&(i, weight)| self.weight[i] = weight);
    }

    /// Label and offset of row `i`.
    pub(crate) fn label(&self, i: usize) -> (f64, f64) {
        (self.label[i], self.offset[i])
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.label.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.label.is_empty()
    }

    /// One more than the largest column.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Columns and values of row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let pairs = self.start[i]..self.start[i + 1];
        (&self.column[pairs.clone()], &self.value[pairs])
    }
}
