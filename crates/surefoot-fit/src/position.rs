//! Position of a run in its data, stored in an unfinished model so that the run can be resumed.
//!
//! A resumed run reads its data again from the start, to verify that the bytes are unchanged: the reader chains a hash from row to row, and
//! the hash at the row where the run stopped must equal the stored one. A run that stopped in a later pass first reads the whole data once.

use crate::data::{Data, Source};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use surefoot_glm::{Batch, Place, Plan};

/// Position of a run in its data: the number of the current pass, and the rows read in this pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunPosition {
    inputs: Vec<KnownInput>,
    pub(crate) plan: Plan,
    /// Seed for shuffling the rows; `None` if rows are not shuffled.
    #[serde(rename = "shuffle_seed", default, skip_serializing_if = "Option::is_none")]
    pub(crate) shuffle: Option<u64>,
    /// Current pass, from 1. One more than the number of passes if only the certificate or the optimum remains to be computed.
    pub(crate) pass: u32,
    /// Fingerprint of the rows read in this pass; for shuffled rows only their number.
    #[serde(rename = "fingerprint")]
    pub(crate) trail: InputFingerprint,
    /// Indices of the rows that were skipped because they could not be learnt, counted from 0 in the order of the first pass.
    #[serde(rename = "skipped_rows", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) refused: Vec<u64>,
    /// Fingerprint of all rows, as read in a whole pass; `None` until all rows have been read once.
    #[serde(rename = "pass_fingerprint")]
    pub(crate) whole: Option<InputFingerprint>,
}

/// Name and size of an input at the start of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KnownInput {
    name: String,
    size: Option<u64>,
}

/// Fingerprint (number of rows and hashes of their bytes) of the data from the start up to a certain row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InputFingerprint {
    pub(crate) rows: u64,
    /// Position of the end of the last row in its input, in decompressed bytes.
    offset: u64,
    /// Chained hash, for each input so far, of all bytes up to the last row read from it.
    hashes: Vec<Hash>,
}

/// Hash of 64 bits, stored as hexadecimal digits because not every JSON reader supports 64-bit integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct Hash(u64);

impl From<Hash> for String {
    fn from(hash: Hash) -> String {
        format!("{:016x}", hash.0)
    }
}

impl TryFrom<String> for Hash {
    type Error = std::num::ParseIntError;

    fn try_from(digits: String) -> Result<Hash, Self::Error> {
        u64::from_str_radix(&digits, 16).map(Hash)
    }
}

impl RunPosition {
    /// Creates the position at the start of the first pass.
    pub(crate) fn new(data: &Data, plan: Plan, shuffle: Option<u64>) -> RunPosition {
        let (inputs, trail) = (known(data), InputFingerprint::default());
        RunPosition { inputs, plan, shuffle, pass: 1, trail, refused: Vec::new(), whole: None }
    }

    /// Reads the position stored in an unfinished model; `None` if its parts are inconsistent.
    pub(crate) fn from_value(value: &Value) -> Option<RunPosition> {
        let position = RunPosition::deserialize(value).ok()?;
        let known = position.inputs.len();
        let fits = |trail: &InputFingerprint| trail.hashes.len() <= known;
        (position.pass >= 1
            && position.pass - 1 <= position.plan.passes
            && (position.pass == 1 && position.shuffle.is_none()) == position.whole.is_none()
            && fits(&position.trail)
            && position.whole.as_ref().is_none_or(fits))
        .then_some(position)
    }

    /// Converts the position to JSON, to be stored in an unfinished model.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Checks that the data can be those of the interrupted run, by the number and sizes of the inputs and by the `key=value` folders in
    /// their paths. The error is a message.
    pub(crate) fn check_data(&self, data: &Data) -> Result<(), String> {
        let given = known(data);
        if given.len() != self.inputs.len() {
            let names: Vec<_> = self.inputs.iter().map(|known| known.name.as_str()).collect();
            let (was, now) = (names.len(), given.len());
            return Err(format!("inputs given: {now}, the interrupted run has {was} ({})", names.join(", ")));
        }
        for (known, now) in self.inputs.iter().zip(&given) {
            if let (Some(was), Some(size)) = (known.size, now.size)
                && was != size
            {
                let (name, unit) = (&now.name, data.unit());
                return Err(format!("{name}: has {size} {unit}, the interrupted run read {} of {was}", known.name));
            }
            let differs = |was: &(&str, &str)| folders(&now.name).any(|now| now.0 == was.0 && now.1 != was.1);
            if folders(&known.name).any(|was| differs(&was)) {
                return Err(format!("{}: the interrupted run read {}", now.name, known.name));
            }
        }
        Ok(())
    }

    /// Whether all passes over the data are complete.
    pub(crate) fn is_over(&self) -> bool {
        self.pass > self.plan.passes
    }

    /// Whether a pass has just been completed and no row of the next pass has been read.
    pub(crate) fn is_between_passes(&self) -> bool {
        self.pass > 1 && self.trail.rows == 0
    }

    /// Advances the position past rows `from..to` of a batch.
    pub(crate) fn advance(&mut self, batch: &Batch, from: usize, to: usize) {
        match self.shuffle {
            Some(_) => self.trail.rows += (to - from) as u64,
            None => self.trail.advance(batch, from, to),
        }
    }

    /// Compares the fingerprint of a whole pass over the data with the stored one, or stores it if there is none yet. The error is the
    /// index of the input whose bytes changed.
    pub(crate) fn know(&mut self, trail: InputFingerprint) -> Result<(), usize> {
        match &self.whole {
            Some(whole) => trail.check(whole),
            None => {
                self.whole = Some(trail);
                Ok(())
            }
        }
    }

    /// Advances the position past a row that could not be learnt, and stores its index in the first pass.
    pub(crate) fn refuse(&mut self, batch: &Batch, row: usize) {
        if self.pass == 1 {
            self.refused.push(self.trail.rows);
        }
        self.advance(batch, row, row + 1);
    }

    /// Advances to the start of the next pass. The error is the index of the input whose bytes changed since the first pass.
    pub(crate) fn end_pass(&mut self) -> Result<(), usize> {
        let trail = std::mem::take(&mut self.trail);
        // Shuffled rows were all read, and compared, before the first one was delivered.
        if self.shuffle.is_none() {
            self.know(trail)?;
        }
        self.pass += 1;
        Ok(())
    }
}

/// Returns the names and sizes of the inputs. Rows in memory, a source or a stream count as one input.
fn known(data: &Data) -> Vec<KnownInput> {
    match data {
        Data::Inputs(inputs) => {
            inputs.iter().map(|input| KnownInput { name: input.to_string(), size: input.size() }).collect()
        }
        Data::Memory(rows) => vec![KnownInput { name: data.to_string(), size: Some(rows.len() as u64) }],
        Data::Source(Source(rows)) => vec![KnownInput { name: rows.name(), size: Some(rows.rows()) }],
        Data::Stream(_) => vec![KnownInput { name: data.to_string(), size: None }],
    }
}

/// Returns the keys and values of the folders named `key=value` in the path of a file, which may serve as columns.
fn folders(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let (above, _) = name.rsplit_once('/').unwrap_or_default();
    above.split('/').filter_map(|folder| folder.split_once('='))
}

impl InputFingerprint {
    /// Builds the fingerprint of the first `rows` rows, where `ends` are the locations of the last row read from each input.
    pub(crate) fn of(rows: u64, ends: &[Place]) -> InputFingerprint {
        let mut trail = InputFingerprint { rows, ..InputFingerprint::default() };
        ends.iter().for_each(|end| trail.end_at(end));
        trail
    }

    /// Extends the fingerprint by rows `from..to` of a batch.
    pub(crate) fn advance(&mut self, batch: &Batch, from: usize, to: usize) {
        let rows = &batch.place[from..to];
        self.rows += rows.len() as u64;
        for of_input in rows.chunk_by(|a, b| a.input == b.input) {
            of_input.last().iter().for_each(|last| self.end_at(last));
        }
    }

    /// Sets the location of the last row that the fingerprint covers.
    fn end_at(&mut self, last: &Place) {
        let before = self.hashes.last().copied().unwrap_or_default();
        self.hashes.resize(last.input as usize + 1, before);
        self.hashes[last.input as usize] = Hash(last.hash);
        self.offset = last.end;
    }

    /// Checks that this fingerprint equals an `earlier` one. The error is the index of the first input that differs.
    pub(crate) fn check(&self, earlier: &InputFingerprint) -> Result<(), usize> {
        if self == earlier {
            return Ok(());
        }
        let same = self.hashes.iter().zip(&earlier.hashes).take_while(|(a, b)| a == b).count();
        Err(same.min(earlier.hashes.len().saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(places: &[(u32, u64)]) -> Batch {
        let mut batch = Batch::default();
        batch.clear();
        for &(input, hash) in places {
            batch.push(Some(1.0), 1.0, &[]);
            *batch.place.last_mut().unwrap() = Place { input, hash, end: hash / 2, ..Place::default() };
        }
        batch
    }

    #[test]
    fn a_fingerprint_is_the_same_however_the_rows_are_cut() {
        let rows = batch(&[(0, 1), (0, 2), (2, 3), (2, 4), (3, 5)]);
        let mut whole = InputFingerprint::default();
        whole.advance(&rows, 0, 5);
        for cut in 0..=5 {
            let mut pieces = InputFingerprint::default();
            pieces.advance(&rows, 0, cut);
            pieces.advance(&rows, cut, 5);
            assert_eq!(pieces.check(&whole), Ok(()));
        }
        assert_eq!((whole.rows, whole.offset, whole.hashes.len()), (5, 2, 4));
    }

    #[test]
    fn the_input_that_differs_is_named() {
        let (mut a, mut b, mut short) =
            (InputFingerprint::default(), InputFingerprint::default(), InputFingerprint::default());
        a.advance(&batch(&[(0, 1), (1, 2), (2, 3)]), 0, 3);
        b.advance(&batch(&[(0, 1), (1, 9), (2, 8)]), 0, 3);
        short.advance(&batch(&[(0, 1), (1, 2)]), 0, 2);
        assert_eq!((b.check(&a), short.check(&a)), (Err(1), Err(2)));
        assert_eq!(InputFingerprint::default().check(&a), Err(0));
    }

    #[test]
    fn a_position_comes_back_from_json() {
        let mut position = RunPosition::new(&Data::files(["-"]), Plan { passes: 3, ..Plan::ONE_PASS }, None);
        position.trail.advance(&batch(&[(0, u64::MAX)]), 0, 1);
        assert_eq!(RunPosition::from_value(&position.to_value()), Some(position.clone()));
        position.end_pass().unwrap();
        assert_eq!(RunPosition::from_value(&position.to_value()), Some(position.clone()));
        position.pass = 4;
        assert_eq!(RunPosition::from_value(&position.to_value()), Some(position.clone()));
        position.pass = 5;
        assert_eq!(RunPosition::from_value(&position.to_value()), None);
        assert_eq!(RunPosition::from_value(&Value::Null), None);
    }

    /// The field names of a stored position stay the same, because renaming one would change the file format.
    #[test]
    fn the_names_of_a_position_are_those_of_the_format() {
        let mut position = RunPosition::new(&Data::files(["-"]), Plan { passes: 3, ..Plan::ONE_PASS }, Some(7));
        position.refused.push(2);
        let fingerprint = serde_json::json!({"hashes": [], "offset": 0, "rows": 0});
        let expected = serde_json::json!({
            "fingerprint": fingerprint,
            "inputs": [{"name": "standard input", "size": null}],
            "pass": 1,
            "pass_fingerprint": null,
            "plan": {"holdout": 10, "passes": 3},
            "shuffle_seed": 7,
            "skipped_rows": [2],
        });
        assert_eq!(position.to_value(), expected);
    }
}
