//! Partials as bytes, to send them to other workers.
//!
//! Numbers are little-endian, ids of features are differences in groups of seven bits, and everything that is not
//! kept per feature is JSON, as in models. The sums of features lie in the bytes as in memory, so that one copy writes
//! or reads them. Bytes may be damaged or come from anybody: a checksum covers all of them, lengths are checked before
//! memory is taken, and numbers against their ranges.

use super::{
    found::Found,
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
use xxhash_rust::xxh3::xxh3_64;

const ENDS_EARLY: &str = "the bytes of a partial end early";
/// First bytes of a partial, with the version of the format.
const MAGIC: &[u8; 8] = b"sfround3";
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
    found: Found,
    counts: Counts,
    sums: RoundSums,
    has_intercept: bool,
    features: usize,
}

impl Partial {
    /// Returns the partial as bytes. Costs O(features).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.append_to(&mut bytes);
        bytes
    }

    /// Appends the bytes of [`to_bytes`](Partial::to_bytes).
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.extend(MAGIC);
        let (is_sums, parts) = match &self.content {
            Content::Rows(rows) => (false, rows.len()),
            Content::Sums(parts) => (true, parts.len()),
        };
        let Round { rows, shards, loss } = self.round;
        put_json(bytes, &Head { rows, shards, loss, is_sums, parts });
        match &self.content {
            Content::Rows(rows) => rows.iter().for_each(|rows| put_rows(bytes, rows)),
            Content::Sums(parts) => parts.iter().for_each(|part| put_part(bytes, part)),
        }
        let sum = xxh3_64(&bytes[begin..]);
        bytes.extend(sum.to_le_bytes());
    }

    /// Whether bytes are those of a partial, undamaged. The partial may still be out of its range.
    #[must_use]
    pub fn are_bytes_intact(bytes: &[u8]) -> bool {
        intact(bytes).is_ok()
    }

    /// Reads a partial from bytes made by [`to_bytes`](Partial::to_bytes), equal to the original to the bit.
    ///
    /// # Errors
    /// Returns a message if the bytes are damaged, or if a number is out of its range.
    pub fn from_bytes(bytes: &[u8]) -> Result<Partial, String> {
        let content = intact(bytes)?.strip_prefix(MAGIC);
        let mut reader = Reader(content.ok_or("the bytes are no partial, or one of another version of the program")?);
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

/// Returns the bytes before the checksum, which has to be right.
fn intact(bytes: &[u8]) -> Result<&[u8], String> {
    let (content, sum) = bytes.split_last_chunk::<CHECKSUM>().ok_or("the bytes of a partial are damaged")?;
    need(u64::from_le_bytes(*sum) == xxh3_64(content), "the bytes of a partial are damaged")?;
    Ok(content)
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
    let Features { ids, sums: features } = &part.features;
    let (found, counts, sums) = (part.found.clone(), part.counts.clone(), part.sums.clone());
    let (has_intercept, count) = (part.intercept.is_some(), ids.len());
    let Node { first, end } = part.node;
    put_json(bytes, &Scalars { first, end, found, counts, sums, has_intercept, features: count });
    bytes.reserve(count * (size_of::<GradientSums>() + size_of::<u64>()));
    part.intercept.iter().for_each(|sums| put_all_sums(bytes, std::slice::from_ref(sums)));
    let mut last = 0;
    for id in ids {
        put_number(bytes, id - last);
        last = *id;
    }
    put_all_sums(bytes, features);
}

fn put_all_sums(bytes: &mut Vec<u8>, all: &[GradientSums]) {
    if cfg!(target_endian = "little") {
        return bytes.extend_from_slice(bytemuck::cast_slice(all));
    }
    for sums in all {
        sums.gradient.0.iter().chain(&sums.squares.0).for_each(|sum| bytes.extend(sum.to_le_bytes()));
        bytes.extend(sums.inverse.to_le_bytes());
        [sums.count, sums.unused].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
}

fn put_rows(bytes: &mut Vec<u8>, ShardRows { shard, found, rows }: &ShardRows) {
    put_number(bytes, (*shard).into());
    put_json(bytes, found);
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
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(ENDS_EARLY)?;
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
        need(count <= (self.0.len() / least) as u64, ENDS_EARLY)?;
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
        let (gradient, squares, inverse) = (self.lanes()?, self.lanes()?, self.real()?);
        let [count, unused] = [self.take()?, self.take()?].map(u32::from_le_bytes);
        Ok(GradientSums { gradient, squares, inverse, count, unused })
    }

    fn all_sums(&mut self, count: usize) -> Result<Vec<GradientSums>, String> {
        let length = count.checked_mul(size_of::<GradientSums>());
        let (bytes, rest) = length.and_then(|length| self.0.split_at_checked(length)).ok_or(ENDS_EARLY)?;
        let all = if cfg!(target_endian = "little") {
            self.0 = rest;
            bytemuck::pod_collect_to_vec(bytes)
        } else {
            (0..count).map(|_| self.sums()).collect::<Result<Vec<_>, _>>()?
        };
        need(all.iter().all(GradientSums::are_sound), "the gradients of a partial are out of their range")?;
        Ok(all)
    }

    /// Reads the ids of `count` features, which ascend.
    fn ids(&mut self, count: usize) -> Result<Vec<u64>, String> {
        need(count <= self.0.len(), ENDS_EARLY)?;
        let (mut ids, mut last) = (Vec::with_capacity(count), 0_u64);
        for at in 0..count {
            let more = self.number()?;
            let id = last.checked_add(more).filter(|_| at == 0 || more > 0);
            last = id.ok_or("the features of a partial are out of their order")?;
            ids.push(last);
        }
        Ok(ids)
    }

    fn part(&mut self, round: Round) -> Result<Part, String> {
        let Scalars { first, end, found, counts, sums, has_intercept, features: count } = self.json()?;
        let node = Node { first, end };
        need(node.is_in(round.shards), "a partial has shards that are no node of their tree")?;
        need(counts.are_sound(round.loss), "the counters of a partial are out of their range")?;
        sums.check()?;
        found.check()?;
        let rows = counts.rows.checked_sub(counts.rows_zero_weight);
        need(rows == Some(sums.rows()) && counts.rows <= found.taken, "the counters of a partial do not fit together")?;
        let intercept = self.all_sums(has_intercept.into())?.pop();
        let features = Features { ids: self.ids(count)?, sums: self.all_sums(count)? };
        Ok(Part { node, found, counts, sums, intercept, features })
    }

    fn rows(&mut self, shards: u32) -> Result<ShardRows, String> {
        let shard = u32::try_from(self.number()?).ok().filter(|&shard| shard < shards);
        let shard = shard.ok_or("a partial has a shard that is none of the pass")?;
        let found: Found = self.json()?;
        found.check()?;
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
        need(rows.len() as u64 <= found.taken, "the counters of a partial do not fit together")?;
        Ok(ShardRows { shard, found, rows })
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
                let sum = xxh3_64(&forged);
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
