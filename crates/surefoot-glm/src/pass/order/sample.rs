//! Uniform random sample of the rows of a run, with bounded numbers of rows and nonzeros.

use super::packed_rows::{PackedRows, UnpackedRow};
use crate::{
    data::rows::Row,
    model::state::{Array, Numbers, State},
    numeric::check::MOST_ROWS,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Maximum number of rows in the sample.
const ROWS: usize = 32_768;
/// Maximum total number of nonzeros in the sampled rows.
const PAIRS: usize = 1 << 18;
/// Maximum number of nonzeros of a sampled row; longer rows are skipped, because few of them would fill the sample.
const LONGEST: usize = PAIRS / 16;

/// Uniform random sample of rows: contains the rows whose number hashes to at most a limit. At first these are all
/// rows; whenever the sample is full, the limit is lowered by a quarter. The sequence of rows alone determines the
/// sample.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::pass) struct RowSample {
    /// Number of rows offered to the sample so far.
    seen: u64,
    /// Largest hash with which a row is kept in the sample.
    limit: u64,
    /// Sampled rows, numbered by their position in the sequence of rows, starting at 0.
    rows: PackedRows,
}

/// Label, weights, offset and loss of one sampled row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SampledRow {
    pub(super) label: f64,
    /// Weight of the row in the data.
    pub(super) given: f64,
    /// Weight of the row multiplied by its class weight.
    pub(super) weight: f64,
    pub(super) offset: f64,
    /// Loss of the row when it was read, before it was learnt.
    pub(super) came: f64,
}

impl SampledRow {
    const LEN: usize = 5;

    pub(super) fn numbers(self) -> [f64; SampledRow::LEN] {
        [self.label, self.given, self.weight, self.offset, self.came]
    }

    fn of([label, given, weight, offset, came]: [f64; SampledRow::LEN]) -> SampledRow {
        SampledRow { label, given, weight, offset, came }
    }

    fn are_sound(&self) -> bool {
        let all = self.numbers();
        all.iter().all(|number| number.is_finite()) && self.given > 0.0 && self.weight > 0.0
    }
}

/// Counters of a [`RowSample`], as they are saved in JSON.
#[derive(Serialize, Deserialize)]
struct Scalars {
    #[serde(rename = "rows_met")]
    seen: u64,
    #[serde(rename = "hash_limit")]
    limit: u64,
}

impl Default for RowSample {
    fn default() -> RowSample {
        RowSample { seen: 0, limit: u64::MAX, rows: PackedRows::default() }
    }
}

/// Returns a hash of a row number, in which all bits are mixed (the finaliser of SplitMix64).
fn hash(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl RowSample {
    pub(in crate::pass) fn is_empty(&self) -> bool {
        self.rows.len() == 0
    }

    /// Returns the number of sampled rows.
    pub(in crate::pass) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(in crate::pass) fn seen(&self) -> u64 {
        self.seen
    }

    /// Offers the next row to the sample; `given` is its weight in the data, and `came` is its loss when it was read.
    #[inline]
    pub(super) fn add(&mut self, row: &Row<'_>, given: f64, came: f64) {
        let number = self.seen;
        self.seen += 1;
        let fits = row.index.len() <= LONGEST && came.is_finite();
        if hash(number) <= self.limit && fits {
            self.keep(number, row, given, came);
        }
    }

    #[cold]
    fn keep(&mut self, number: u64, row: &Row<'_>, given: f64, came: f64) {
        let label = row.label.unwrap_or_default();
        let facts = SampledRow { label, given, weight: row.weight, offset: row.offset, came };
        self.rows.push(&UnpackedRow { number, facts, index: row.index, value: row.value });
        while self.rows.len() > ROWS || self.rows.nonzeros() > PAIRS {
            self.limit -= (self.limit / 4).max(1).min(self.limit);
            self.rows.retain(|number| hash(number) <= self.limit);
        }
    }

    /// Visits a uniform part of the sample, on average one sampled row in `every`, in the order of the rows. Each row
    /// has its weight in the data; the other arguments are its weight after class weights, and its loss when it was
    /// read.
    pub(in crate::pass) fn each(&self, every: u64, mut visit: impl FnMut(&Row<'_>, f64, f64)) {
        let limit = self.limit / every;
        let wanted = |number: u64| hash(number) <= limit;
        self.rows.each(wanted, |UnpackedRow { facts, index, value, .. }| {
            let (label, weight, offset) = (Some(facts.label), facts.given, facts.offset);
            let row = Row { label, weight, offset, index, value, group: &[], position: 0 };
            visit(&row, facts.weight, facts.came);
        });
    }

    pub(super) fn scalars(&self) -> Value {
        json!(Scalars { seen: self.seen, limit: self.limit })
    }

    pub(super) fn to_arrays(&self, name: &str) -> [Array; 5] {
        let Stored { numbers, ends, facts, index, value } = Stored::of(&self.rows);
        let facts = facts.into_iter().flat_map(SampledRow::numbers).collect();
        let wide = |of: &str, data: Vec<u64>| Array {
            name: format!("{name}.{of}"),
            shape: vec![data.len()],
            data: Numbers::U64(data),
        };
        let reals = |of: &str, data: Vec<f64>| Array::flat(&format!("{name}.{of}"), data);
        [
            wide("row", numbers),
            wide("row_end", ends),
            reals("row_values", facts),
            wide("index", index),
            reals("value", value),
        ]
    }

    /// Restores a sample saved by [`RowSample::scalars`] and [`RowSample::to_arrays`].
    pub(super) fn from_arrays(name: &str, scalars: &Value, state: &State) -> Result<RowSample, String> {
        let Scalars { seen, limit } = State::parse(scalars)?;
        let len = |of: &str| {
            let name = format!("{name}.{of}");
            let array = state.arrays.iter().find(|array| array.name == name);
            array.map(|array| array.shape.iter().product()).ok_or_else(|| format!("the state has no array {name}"))
        };
        let ids = |of: &str| match state.numbers(&format!("{name}.{of}"), len(of)?)? {
            Numbers::U64(data) => Ok(data.clone()),
            _ => Err(format!("array {name}.{of} of the state does not hold u64")),
        };
        let reals = |of: &str| Ok::<_, String>(state.wide(&format!("{name}.{of}"), len(of)?)?.to_vec());
        let unfit = || format!("the arrays {name} of the state do not fit together");
        let facts = reals("row_values")?;
        let (facts, []) = facts.as_chunks() else { return Err(unfit()) };
        let facts: Vec<_> = facts.iter().map(|&numbers| SampledRow::of(numbers)).collect();
        let stored =
            Stored { numbers: ids("row")?, ends: ids("row_end")?, facts, index: ids("index")?, value: reals("value")? };
        let mut sample = RowSample { seen, limit, rows: PackedRows::default() };
        if !stored.are_sound(&sample) {
            return Err(unfit());
        }
        stored.rows().for_each(|row| sample.rows.push(&row));
        Ok(sample)
    }
}

/// Sample as it is saved: one entry per row, and the nonzeros of all rows, concatenated.
#[derive(Default)]
struct Stored {
    numbers: Vec<u64>,
    /// End of each row in `index` and `value`.
    ends: Vec<u64>,
    facts: Vec<SampledRow>,
    index: Vec<u64>,
    value: Vec<f64>,
}

impl Stored {
    fn of(rows: &PackedRows) -> Stored {
        let mut stored = Stored::default();
        rows.each(
            |_| true,
            |row| {
                stored.numbers.push(row.number);
                stored.facts.push(row.facts);
                stored.index.extend(row.index);
                stored.value.extend(row.value);
                stored.ends.push(stored.index.len() as u64);
            },
        );
        stored
    }

    fn rows(&self) -> impl Iterator<Item = UnpackedRow<'_>> {
        let ends = self.ends.iter().map(|&end| end as usize);
        let begins = std::iter::once(0).chain(ends.clone());
        let rows = self.numbers.iter().zip(&self.facts).zip(begins.zip(ends));
        rows.map(|((&number, &facts), (begin, end))| UnpackedRow {
            number,
            facts,
            index: &self.index[begin..end],
            value: &self.value[begin..end],
        })
    }

    /// Whether the arrays fit together, and hold rows that `sample` could have drawn.
    fn are_sound(&self, sample: &RowSample) -> bool {
        let kept = |&number: &u64| number < sample.seen && hash(number) <= sample.limit;
        let pairs = self.index.len();
        let (rows, last) = (self.numbers.len(), self.ends.last().copied().unwrap_or_default());
        sample.seen <= MOST_ROWS
            && rows <= ROWS
            && pairs <= PAIRS
            && [self.facts.len(), self.ends.len()] == [rows; 2]
            && (self.value.len(), last) == (pairs, pairs as u64)
            && self.ends_are_sound()
            && self.numbers.is_sorted_by(|a, b| a < b)
            && self.numbers.iter().all(kept)
            && self.facts.iter().all(SampledRow::are_sound)
            && self.value.iter().all(|value| value.is_finite())
    }

    /// Whether the row ends are in ascending order, and no row has more than [`LONGEST`] nonzeros.
    fn ends_are_sound(&self) -> bool {
        let begins = std::iter::once(&0).chain(&self.ends);
        begins.zip(&self.ends).all(|(begin, end)| end.checked_sub(*begin).is_some_and(|pairs| pairs <= LONGEST as u64))
    }
}
