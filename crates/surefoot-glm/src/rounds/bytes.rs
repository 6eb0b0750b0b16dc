//! Partials as bytes, to send them to other workers.
//!
//! Numbers are little-endian, ids of features are differences in groups of seven bits, and everything that is not kept
//! per feature is JSON, as in models. Bytes may be damaged or come from anybody: a checksum covers all of them, lengths
//! are checked before memory is taken, and numbers against their ranges.

use super::{
    part::{Features, Part},
    partial::{Content, Partial, Round, ShardRows},
    tree::Node,
};
use crate::{
    data::rows::{Batch, Row},
    loss::Loss,
    numeric::check::{MOST_ROWS, need},
    online::{gradient_sums::GradientSums, single_margin::in_rounds::RoundSums},
    pass::row_loop::Counts,
    simd::lanes::{LANES, Lanes},
};
use serde::{Deserialize, Serialize};

/// First bytes of a partial, with the version of the format.
const MAGIC: &[u8; 8] = b"sfround1";
const CHECKSUM: usize = 8;

/// Part of the bytes that is JSON: of the whole partial.
#[derive(Serialize, Deserialize)]
struct Head {
    rows: u64,
    shards: u32,
    #[serde(flatten)]
    loss: Loss,
    /// Whether the content is sums, not rows.
    is_sums: bool,
    /// Number of parts, or of shards whose rows follow.
    parts: usize,
}

/// Part of the bytes that is JSON: of the sums of one node.
#[derive(Serialize, Deserialize)]
struct Scalars {
    first: u32,
    end: u32,
    counts: Counts,
    sums: RoundSums,
    has_intercept: bool,
    features: usize,
}

impl Partial {
    /// Returns the partial as bytes. Costs O(features).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let (is_sums, parts) = match &self.content {
            Content::Rows(rows) => (false, rows.len()),
            Content::Sums(parts) => (true, parts.len()),
        };
        let Round { rows, shards, loss } = self.round;
        put_json(&mut bytes, &Head { rows, shards, loss, is_sums, parts });
        match &self.content {
            Content::Rows(rows) => rows.iter().for_each(|rows| put_rows(&mut bytes, rows)),
            Content::Sums(parts) => parts.iter().for_each(|part| put_part(&mut bytes, part)),
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads a partial from bytes made by [`to_bytes`](Partial::to_bytes), equal to the original to the bit.
    ///
    /// # Errors
    /// Returns a message if the bytes are damaged, or if a number is out of its range.
    pub fn from_bytes(bytes: &[u8]) -> Result<Partial, String> {
        let damaged = || "the bytes of a partial are damaged".to_owned();
        let (content, sum) = bytes.split_last_chunk::<CHECKSUM>().ok_or_else(damaged)?;
        need(u64::from_le_bytes(*sum) == checksum(content), "the bytes of a partial are damaged")?;
        let mut reader = Reader(content.strip_prefix(MAGIC).ok_or("the bytes are those of no partial")?);
        let Head { rows, shards, loss, is_sums, parts } = reader.json()?;
        need(rows <= MOST_ROWS && shards > 0 && !loss.is_multiclass(), "a partial is out of its range")?;
        let round = Round { rows, shards, loss };
        let content = if is_sums {
            let all = (0..parts).map(|_| reader.part(round)).collect::<Result<Vec<_>, _>>()?;
            let apart = all.is_sorted_by(|a, b| a.node.end <= b.node.first);
            need(apart, "the shards of a partial are out of their order")?;
            Content::Sums(all)
        } else {
            let all = (0..parts).map(|_| reader.rows(shards)).collect::<Result<Vec<_>, _>>()?;
            need(all.is_sorted_by(|a, b| a.shard < b.shard), "the shards of a partial are out of their order")?;
            Content::Rows(all)
        };
        need(reader.0.is_empty(), "the bytes of a partial are too many")?;
        Ok(Partial { round, content })
    }
}

/// Returns the FNV-1a hash of the bytes, eight at a time.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word)).chain(rest.iter().map(|&byte| byte.into()));
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    words.fold(0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64, step)
}

fn put_json(bytes: &mut Vec<u8>, value: &impl Serialize) {
    // Finite numbers and structs always have a JSON form; overflowed sums are null.
    let json = serde_json::to_vec(value).unwrap_or_default();
    put_number(bytes, json.len() as u64);
    bytes.extend(json);
}

/// Writes a number in groups of seven bits, the lowest first.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn put_part(bytes: &mut Vec<u8>, part: &Part) {
    let mut features = part.features.clone();
    features.sort();
    let (counts, sums) = (part.counts.clone(), part.sums.clone());
    let (has_intercept, count) = (part.intercept.is_some(), features.ids.len());
    let Node { first, end } = part.node;
    put_json(bytes, &Scalars { first, end, counts, sums, has_intercept, features: count });
    part.intercept.iter().for_each(|sums| put_sums(bytes, sums));
    let mut last = 0;
    for (id, sums) in features.iter() {
        put_number(bytes, id - last);
        last = id;
        put_sums(bytes, sums);
    }
}

fn put_sums(bytes: &mut Vec<u8>, sums: &GradientSums) {
    put_number(bytes, sums.count.into());
    bytes.extend(sums.inverse.to_le_bytes());
    sums.gradient.0.iter().chain(&sums.squares.0).for_each(|sum| bytes.extend(sum.to_le_bytes()));
}

fn put_rows(bytes: &mut Vec<u8>, ShardRows { shard, rows }: &ShardRows) {
    put_number(bytes, (*shard).into());
    put_number(bytes, rows.len() as u64);
    for row in (0..rows.len()).map(|r| rows.row(r)) {
        [row.label.unwrap_or(f64::NAN), row.weight, row.offset].iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        put_number(bytes, row.index.len() as u64);
        for (id, value) in row.index.iter().zip(row.value) {
            put_number(bytes, *id);
            bytes.extend(value.to_le_bytes());
        }
    }
}

/// Rest of the bytes that is still to be read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or("the bytes of a partial end early")?;
        self.0 = rest;
        Ok(*taken)
    }

    fn number(&mut self) -> Result<u64, String> {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let [byte] = self.take()?;
            let bits = u64::from(byte & 0x7f);
            need(shift < 64 && bits << shift >> shift == bits, "a number of a partial is too long")?;
            number |= bits << shift;
            shift += 7;
            if byte < 0x80 {
                return Ok(number);
            }
        }
    }

    /// Reads a number of entries, each of which takes at least `least` bytes.
    fn count(&mut self, least: usize) -> Result<usize, String> {
        let count = self.number()?;
        need(count <= (self.0.len() / least) as u64, "the bytes of a partial end early")?;
        Ok(count as usize)
    }

    fn json<T: for<'a> Deserialize<'a>>(&mut self) -> Result<T, String> {
        let length = self.count(1)?;
        let (json, rest) = self.0.split_at(length);
        self.0 = rest;
        serde_json::from_slice(json).map_err(|error| format!("a partial does not fit together: {error}"))
    }

    fn real(&mut self) -> Result<f64, String> {
        Ok(f64::from_le_bytes(self.take()?))
    }

    fn lanes(&mut self) -> Result<Lanes, String> {
        let mut lanes = Lanes::default();
        for k in 0..LANES {
            lanes.0[k] = f32::from_le_bytes(self.take()?);
        }
        Ok(lanes)
    }

    fn sums(&mut self) -> Result<GradientSums, String> {
        let count = u32::try_from(self.number()?).map_err(|_| "a number of a partial is too long")?;
        let inverse = self.real()?;
        let sums = GradientSums { count, inverse, gradient: self.lanes()?, squares: self.lanes()? };
        need(sums.are_sound(), "the gradients of a partial are out of their range")?;
        Ok(sums)
    }

    fn part(&mut self, round: Round) -> Result<Part, String> {
        let Scalars { first, end, counts, sums, has_intercept, features: count } = self.json()?;
        let node = Node { first, end };
        need(node.is_in(round.shards), "a partial has shards that are no node of their tree")?;
        need(counts.are_sound(round.loss), "the counters of a partial are out of their range")?;
        sums.check()?;
        let rows = counts.rows.checked_sub(counts.rows_zero_weight);
        need(rows == Some(sums.rows()), "the counters of a partial do not fit together")?;
        let intercept = if has_intercept { Some(self.sums()?) } else { None };
        let least = 2 + size_of::<f64>() + 2 * size_of::<Lanes>();
        need(count <= self.0.len() / least, "the bytes of a partial end early")?;
        let mut features = Features { is_sorted: true, ..Features::default() };
        let mut last = 0_u64;
        for at in 0..count {
            let more = self.number()?;
            let id = last.checked_add(more).filter(|_| at == 0 || more > 0);
            last = id.ok_or("the features of a partial are out of their order")?;
            features.ids.push(last);
            features.sums.push(self.sums()?);
        }
        Ok(Part { node, counts, sums, intercept, features })
    }

    fn rows(&mut self, shards: u32) -> Result<ShardRows, String> {
        let shard = u32::try_from(self.number()?).ok().filter(|&shard| shard < shards);
        let shard = shard.ok_or("a partial has a shard that is none of the pass")?;
        let (count, mut rows) = (self.count(1 + 3 * size_of::<f64>())?, Batch::default());
        let (mut index, mut value) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let [label, weight, offset] = [self.real()?, self.real()?, self.real()?];
            index.clear();
            value.clear();
            for _ in 0..self.count(1 + size_of::<f64>())? {
                index.push(self.number()?);
                value.push(self.real()?);
            }
            let label = (!label.is_nan()).then_some(label);
            rows.append(&Row { label, weight, offset, index: &index, value: &value, group: &[], position: 0 });
        }
        Ok(ShardRows { shard, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RoundTrainer, Settings};

    /// Bytes that are damaged on purpose, with the right checksum, are refused or give a partial of numbers within their
    /// ranges, from which a replica learns without a panic.
    #[test]
    fn forged_bytes_do_no_harm() {
        for loss in [Loss::Logistic, Loss::Squared, Loss::Gamma, Loss::Quantile { tau: 0.3 }] {
            let settings = Settings { loss, ..Settings::default() };
            let mut trainer = RoundTrainer::new(settings, 1).unwrap();
            let mut rows = Batch::default();
            for t in 0..2100_u32 {
                let label = f64::from(t * t % 7 % 2) + f64::from(u8::from(!loss.classifies()));
                rows.push(Some(label), 1.0, &[(0, f64::from(t % 5)), (u64::from(7 + t % 3), 1.0)]);
            }
            let work = |trainer: &RoundTrainer, from, to| {
                let mut work = trainer.work();
                work.start_shard(trainer, 0);
                work.add(trainer, &rows, from, to).unwrap();
                work.finish().unwrap()
            };
            trainer.absorb(&work(&trainer, 0, 2048)).unwrap();
            let (model, bytes) = (trainer.model(), work(&trainer, 2048, 2100).to_bytes());
            let (mut seed, mut learnt) = (7_u64, 0);
            for _ in 0..600 {
                let mut forged = bytes[..bytes.len() - CHECKSUM].to_vec();
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = (seed >> 33) as usize % forged.len();
                forged[at] = if seed & 1 << 20 == 0 { b'9' } else { (seed >> 24) as u8 };
                let sum = checksum(&forged);
                forged.extend(sum.to_le_bytes());
                if let Ok(partial) = Partial::from_bytes(&forged) {
                    let mut replica = RoundTrainer::resume(&model, 1).unwrap();
                    if replica.absorb(&partial).is_ok() {
                        learnt += 1;
                        let _ = replica.model().check();
                    }
                }
            }
            assert!(learnt > 20, "{loss}: {learnt}");
        }
    }
}
