//! Division of inputs into parts that several readers can read at the same time.

use super::divide;
use crate::{
    error::{Error, ErrorKind},
    files::input::InputName,
    table::{inferred_schema::InferredSchema, options::Options},
};

/// Divides a list of inputs into `shards` lists that together hold the same rows, each row once, in the same order, and are about equally
/// large in stored bytes. An input that falls into several lists is divided into [parts](InputName::Part); each list can be read by a
/// [`Reader`](crate::Reader) of its own, here or in another process.
///
/// | input | is divided into |
/// | --- | --- |
/// | uncompressed text: svmlight, Vowpal Wabbit, CSV | ranges of bytes from one row to another |
/// | uncompressed Parquet | row groups |
/// | uncompressed Arrow | record batches |
/// | anything compressed as a whole, pipes | nothing: it stays whole |
///
/// Lists can be empty, if there are fewer rows, row groups or record batches. An input with a fault that prevents its division, such as
/// damage, stays whole; its reader reports the fault. Readers need the same schema: share the options, or send an [`InferredSchema`].
///
/// Costs a few reads per input that is divided. CSV in which quoted cells may span lines is read once as a whole, because only what
/// precedes a line break tells whether it ends a row; with `--quote none` it is not.
///
/// ```
/// use surefoot_io::{InputName, Options, split_inputs};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("rows.svm");
/// std::fs::write(&path, "1 3:0.5\n0 1:1\n1 2:2\n0 1:4\n")?;
/// let shards = split_inputs(&[InputName::new(path)], &Options::default(), 2)?;
/// assert_eq!(shards.iter().map(|inputs| inputs[0].size()).collect::<Vec<_>>(), [Some(14), Some(12)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `shards` is 0, standard input is among the inputs, or an input or its schema cannot be read.
pub fn split_inputs(inputs: &[InputName], options: &Options, shards: usize) -> Result<Vec<Vec<InputName>>, Error> {
    if shards == 0 {
        return Err(setting("inputs cannot be divided into 0 parts; give a number from 1 on"));
    }
    if inputs.iter().any(|input| matches!(input.whole(), InputName::Stdin)) {
        return Err(setting(
            "standard input cannot be divided among several readers: save it to a file, and name that",
        ));
    }
    let sizes = sizes(inputs);
    let cuts = cuts(sum(sizes.iter()), shards);
    let shard_of = |at: u64| cuts.partition_point(|&cut| cut <= at);
    let (mut divided, mut schema, mut start) = (vec![Vec::new(); shards], None, 0);
    for (input, size) in inputs.iter().zip(sizes) {
        let end = u64::saturating_add(start, size);
        let first = shard_of(start);
        let within = cuts[first..].iter().take_while(|&&cut| cut < end);
        let targets: Vec<u64> = within.map(|cut| cut - start).collect();
        let parts = if targets.is_empty() || matches!(input, InputName::Part(_)) {
            None
        } else {
            if schema.is_none() {
                schema = Some(InferredSchema::of(inputs, options)?);
            }
            let options = schema.as_ref().map_or_else(|| options.clone(), |schema| options.with_schema(schema));
            divide::parts(input, &options, &targets)?
        };
        match parts {
            Some(parts) => {
                let shards = divided[first..].iter_mut();
                shards.zip(parts).for_each(|(shard, part)| shard.extend(part.map(InputName::Part)));
            }
            None => divided[shard_of(start + (end - start) / 2)].push(input.clone()),
        }
        start = end;
    }
    Ok(divided)
}

/// Returns the size of each input; that of a pipe is unknown, and taken to be the mean of the others.
fn sizes(inputs: &[InputName]) -> Vec<u64> {
    let sizes: Vec<Option<u64>> = inputs.iter().map(InputName::size).collect();
    let known = || sizes.iter().flatten();
    let mean = sum(known()) / (known().count() as u64).max(1);
    sizes.iter().map(|size| size.unwrap_or(mean.max(1))).collect()
}

fn sum<'a>(sizes: impl Iterator<Item = &'a u64>) -> u64 {
    sizes.fold(0, |sum, size| sum.saturating_add(*size))
}

/// Returns the positions at which `total` bytes are to be cut into `shards` equal parts.
fn cuts(total: u64, shards: usize) -> Vec<u64> {
    let at = |k: usize| (u128::from(total) * k as u128 / shards as u128) as u64;
    (1..shards).map(at).collect()
}

fn setting(message: &str) -> Error {
    ErrorKind::Setting { message: message.to_owned() }.into()
}
