//! Uniform random sample of the rows of a run, with bounded numbers of rows and nonzeros.

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
const PAIRS: usize = 1 << 19;
/// Maximum number of nonzeros of a sampled row; longer rows are skipped, because few of them would fill the sample.
const LONGEST: usize = PAIRS / 32;

/// Uniform random sample of rows: contains the rows whose number hashes to at most a limit. At first these are all
/// rows; whenever the sample is full, the limit is lowered by a quarter. The sequence of rows alone determines the
/// sample.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::pass) struct RowSample {
    /// Number of rows offered to the sample so far.
    seen: u64,
    /// Largest hash with which a row is kept in the sample.
    limit: u64,
    /// Number of each sampled row in the sequence of rows, starting at 0.
    number: Vec<u64>,
    /// End of each sampled row in `index` and `value`.
    end: Vec<u64>,
    /// Label, weights, offset and loss of each sampled row.
    facts: Vec<SampledRow>,
    /// Feature ids of the nonzeros of all sampled rows, concatenated.
    index: Vec<u64>,
    /// Values of the nonzeros of all sampled rows, concatenated.
    value: Vec<f64>,
}

/// Label, weights, offset and loss of one sampled row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct SampledRow {
    label: f64,
    /// Weight of the row in the data.
    given: f64,
    /// Weight of the row multiplied by its class weight.
    weight: f64,
    offset: f64,
    /// Loss of the row when it was read, before it was learnt.
    came: f64,
}

impl SampledRow {
    const LEN: usize = 5;

    fn numbers(self) -> [f64; SampledRow::LEN] {
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
        RowSample {
            seen: 0,
            limit: u64::MAX,
            number: Vec::new(),
            end: Vec::new(),
            facts: Vec::new(),
            index: Vec::new(),
            value: Vec::new(),
        }
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
        self.number.is_empty()
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
        self.number.push(number);
        self.facts.push(SampledRow { label, given, weight: row.weight, offset: row.offset, came });
        self.index.extend(row.index);
        self.value.extend(row.value);
        self.end.push(self.index.len() as u64);
        while self.number.len() > ROWS || self.index.len() > PAIRS {
            self.limit -= (self.limit / 4).max(1).min(self.limit);
            self.thin();
        }
    }

    /// Removes the rows from the sample whose number hashes to more than the limit.
    fn thin(&mut self) {
        let (mut rows, mut pairs) = (0, 0);
        let mut begin = 0;
        for r in 0..self.number.len() {
            let end = self.end[r] as usize;
            if hash(self.number[r]) <= self.limit {
                self.index.copy_within(begin..end, pairs);
                self.value.copy_within(begin..end, pairs);
                pairs += end - begin;
                (self.number[rows], self.facts[rows], self.end[rows]) = (self.number[r], self.facts[r], pairs as u64);
                rows += 1;
            }
            begin = end;
        }
        self.number.truncate(rows);
        self.facts.truncate(rows);
        self.end.truncate(rows);
        self.index.truncate(pairs);
        self.value.truncate(pairs);
    }

    /// Returns the sampled rows, with their weights as in the data.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let begins = std::iter::once(0).chain(self.end.iter().map(|&end| end as usize));
        self.facts.iter().zip(begins.zip(&self.end)).map(|(facts, (begin, &end))| Row {
            label: Some(facts.label),
            weight: facts.given,
            offset: facts.offset,
            index: &self.index[begin..end as usize],
            value: &self.value[begin..end as usize],
            group: &[],
            position: 0,
        })
    }

    /// Returns each sampled row with its weight after class weights and with its loss when it was read.
    pub(in crate::pass) fn counted(&self) -> impl Iterator<Item = (Row<'_>, f64, f64)> {
        self.rows().zip(&self.facts).map(|(row, facts)| (row, facts.weight, facts.came))
    }

    pub(super) fn scalars(&self) -> Value {
        json!(Scalars { seen: self.seen, limit: self.limit })
    }

    pub(super) fn to_arrays(&self, name: &str) -> [Array; 5] {
        let wide = |of: &str, data: &[u64]| Array {
            name: format!("{name}.{of}"),
            shape: vec![data.len()],
            data: Numbers::U64(data.to_vec()),
        };
        let facts = self.facts.iter().flat_map(|facts| facts.numbers()).collect();
        [
            wide("row", &self.number),
            wide("row_end", &self.end),
            Array::flat(&format!("{name}.row_values"), facts),
            wide("index", &self.index),
            Array::flat(&format!("{name}.value"), self.value.clone()),
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
        let facts = facts.iter().map(|&numbers| SampledRow::of(numbers)).collect();
        let sample = RowSample {
            seen,
            limit,
            number: ids("row")?,
            end: ids("row_end")?,
            facts,
            index: ids("index")?,
            value: reals("value")?,
        };
        if sample.is_sound() { Ok(sample) } else { Err(unfit()) }
    }

    fn is_sound(&self) -> bool {
        let kept = |&number: &u64| number < self.seen && hash(number) <= self.limit;
        let pairs = self.index.len();
        let (rows, last) = (self.number.len(), self.end.last().copied().unwrap_or_default());
        self.seen <= MOST_ROWS
            && rows <= ROWS
            && pairs <= PAIRS
            && [self.facts.len(), self.end.len()] == [rows; 2]
            && (self.value.len(), last) == (pairs, pairs as u64)
            && self.ends_are_sound()
            && self.number.is_sorted_by(|a, b| a < b)
            && self.number.iter().all(kept)
            && self.facts.iter().all(SampledRow::are_sound)
            && self.value.iter().all(|value| value.is_finite())
    }

    /// Whether the row ends are in ascending order, and no row has more than [`LONGEST`] nonzeros.
    fn ends_are_sound(&self) -> bool {
        let begins = std::iter::once(&0).chain(&self.end);
        begins.zip(&self.end).all(|(begin, end)| end.checked_sub(*begin).is_some_and(|pairs| pairs <= LONGEST as u64))
    }
}
