//! Header of an archive: writing in a canonical form, and parsing.

use std::collections::HashSet;
use std::fmt::{self, Write as _};

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use xxhash_rust::xxh3::xxh3_64;

use super::{Archive, Dtype};

pub(super) const METADATA: &str = "__metadata__";

/// Bytes with which the JSON of every header begins.
pub(super) const MAGIC: &str = r#"{"__metadata__":{"surefoot":"{\"format\":"#;

/// Header entry of one tensor: name, element type, shape, and size in bytes.
pub(super) type Entry<'a> = (&'a str, Dtype, &'a [usize], usize);

/// Returns the size in bytes of a tensor of this shape; `None` if it does not fit in 64 bits.
pub(super) fn byte_size(dtype: Dtype, shape: &[usize]) -> Option<u64> {
    shape.iter().try_fold(dtype.size() as u64, |bytes, &n| bytes.checked_mul(n as u64))
}

/// Returns the header of an archive as text, including the header's checksum; `sums` are the checksums of the tensors.
pub(super) fn render(meta: &str, entries: &[Entry<'_>], sums: &[u64]) -> String {
    let unsigned = render_signed(meta, entries, sums, 0);
    render_signed(meta, entries, sums, xxh3_64(unsigned.as_bytes()))
}

fn render_signed(meta: &str, entries: &[Entry<'_>], sums: &[u64], signature: u64) -> String {
    let sums: Vec<String> = sums.iter().map(|sum| format!("\"{sum:016x}\"")).collect();
    let sums = sums.join(",");
    let own =
        format!(r#"{{"format":{},"header":"{signature:016x}","tensors":[{sums}],"model":{meta}}}"#, Archive::FORMAT);
    let mut header = format!(r#"{{"{METADATA}":{{"surefoot":{}}}"#, json(&own));
    let mut at = 0;
    for (name, dtype, shape, bytes) in entries {
        let (shape, end) = (json(shape), at + bytes);
        let _ =
            write!(header, r#",{}:{{"dtype":"{dtype:?}","shape":{shape},"data_offsets":[{at},{end}]}}"#, json(name));
        at = end;
    }
    header.push('}');
    while header.len() % 8 != 0 {
        header.push(' ');
    }
    header
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("strings and numbers are always written")
}

/// Parsed header of an archive.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) meta: String,
    pub(super) tensors: Vec<(String, Dtype, Vec<usize>, usize)>,
    pub(super) sums: Vec<u64>,
}

/// Returns the format version stated in a header; `None` if the text is not the header of an archive. Later versions must keep the
/// version at this position.
pub(super) fn version(text: &str) -> Option<u64> {
    let digits = text.strip_prefix(MAGIC)?;
    digits[..digits.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

/// Parses a header, or returns a description of its fault. Does not check that the text is in canonical form, which the caller must do by
/// rendering the header again.
pub(super) fn parse(text: &str) -> Result<Header, String> {
    let Raw { own, tensors } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let (sums, meta) = parse_own(&own).ok_or("the surefoot entry of the header does not fit")?;
    let (mut parsed, mut names) = (Vec::with_capacity(tensors.len()), HashSet::new());
    for (name, entry) in tensors {
        let size = byte_size(entry.dtype, &entry.shape).and_then(|size| usize::try_from(size).ok());
        let size = size.ok_or_else(|| format!("the shape of tensor '{name}' is too large"))?;
        if !names.insert(name.clone()) {
            return Err(format!("two tensors are named '{name}'"));
        }
        parsed.push((name, entry.dtype, entry.shape, size));
    }
    if sums.len() != parsed.len() {
        return Err("checksums and tensors do not match one to one".to_owned());
    }
    Ok(Header { meta: meta.to_owned(), tensors: parsed, sums })
}

/// Parses `{"format":N,"header":"S","tensors":["S",...],"model":TEXT}` and returns the checksums of the tensors and `TEXT`; `None` if it
/// has another form.
fn parse_own(own: &str) -> Option<(Vec<u64>, &str)> {
    let (_, rest) = own.split_once(r#","tensors":["#)?;
    let (sums, rest) = rest.split_once(r#"],"model":"#)?;
    let sum = |text: &str| u64::from_str_radix(text.strip_prefix('"')?.strip_suffix('"')?, 16).ok();
    let sums: Option<Vec<u64>> = if sums.is_empty() { Some(Vec::new()) } else { sums.split(',').map(sum).collect() };
    Some((sums?, rest.strip_suffix('}')?))
}

/// JSON structure of a header as parsed, with the tensors in the order of the text.
struct Raw {
    own: String,
    tensors: Vec<(String, RawTensor)>,
}

#[derive(serde::Deserialize)]
struct RawTensor {
    dtype: Dtype,
    shape: Vec<usize>,
}

#[derive(serde::Deserialize)]
struct RawMetadata {
    surefoot: String,
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Raw, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Raw;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a header of safetensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
                let (mut own, mut tensors) = (None, Vec::new());
                while let Some(name) = map.next_key::<String>()? {
                    if name == METADATA {
                        own = Some(map.next_value::<RawMetadata>()?.surefoot);
                    } else {
                        tensors.push((name, map.next_value()?));
                    }
                }
                let own = own.ok_or_else(|| A::Error::custom("there are no metadata"))?;
                Ok(Raw { own, tensors })
            }
        }
        from.deserialize_map(InOrder)
    }
}
