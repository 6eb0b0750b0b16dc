//! What a user can see of the rows of inputs, read as a whole or in parts.

use std::sync::Arc;

use surefoot_glm::{Batch, Part};
use surefoot_io::{Error, InferredSchema, InputName, Options, Reader, RowSource, split_inputs};

/// What is returned of a row: its numbers, or also the places of its cells, for which the input is read again.
#[derive(Clone, Copy, PartialEq)]
pub enum Seen {
    Rows,
    Places,
}

/// Reads inputs in one go; returns the rows, with the places of their cells, and the errors.
pub fn whole(inputs: &[InputName], options: &Options) -> Vec<String> {
    whole_as(Seen::Places, inputs, options)
}

pub fn whole_as(seen: Seen, inputs: &[InputName], options: &Options) -> Vec<String> {
    let options = Options { found: Arc::default(), ..options.clone() };
    match Reader::open(inputs, options.clone()) {
        Ok(reader) => read(seen, reader, inputs, &options),
        Err(error) => vec![error.to_string()],
    }
}

/// Divides inputs into lists, sends each to a reader that knows nothing but the schema, and returns what all of them read.
pub fn divided(inputs: &[InputName], options: &Options, shards: usize) -> Vec<String> {
    divided_as(Seen::Places, inputs, options, shards)
}

pub fn divided_as(seen: Seen, inputs: &[InputName], options: &Options, shards: usize) -> Vec<String> {
    let options = Options { found: Arc::default(), ..options.clone() };
    try_divided(seen, inputs, &options, shards).unwrap_or_else(|error| vec![error.to_string()])
}

fn try_divided(as_what: Seen, inputs: &[InputName], options: &Options, shards: usize) -> Result<Vec<String>, Error> {
    let schema = serde_json::to_string(&InferredSchema::of(inputs, options)?).unwrap();
    let shards = split_inputs(inputs, options, shards)?;
    let mut seen = Vec::new();
    for shard in shards {
        let text = serde_json::to_string(&shard).unwrap();
        let inputs: Vec<InputName> = serde_json::from_str(&text).unwrap();
        let options = options.with_schema(&serde_json::from_str(&schema).unwrap());
        seen.extend(read(as_what, Reader::open(&inputs, options.clone())?, &inputs, &options));
    }
    Ok(seen)
}

fn read(as_what: Seen, mut reader: Reader, inputs: &[InputName], options: &Options) -> Vec<String> {
    let (mut batch, mut seen) = (Batch::default(), Vec::new());
    loop {
        match reader.read(&mut batch) {
            Ok(false) => return seen,
            Ok(true) => seen.extend((0..batch.len()).map(|r| match as_what {
                Seen::Rows => format!("{:?}", batch.row(r)),
                Seen::Places => shown(&batch, r, inputs, options),
            })),
            Err(error) => seen.push(error.to_string()),
        }
    }
}

/// Returns a row as text: its numbers, the class of its label, and where its cells are.
fn shown(batch: &Batch, r: usize, inputs: &[InputName], options: &Options) -> String {
    let row = batch.row(r);
    // Numbers of classes depend on the classes met before.
    let classes = options.found.classes();
    let class = classes.iter().find(|class| Some(class.code) == row.label);
    let label = class.map_or_else(|| format!("{:?}", row.label), |class| class.text.clone());
    let place = |part| options.describe(inputs, batch, r, part).error("x").to_string();
    let mut places: Vec<String> = [Part::Row, Part::Label, Part::Pair(0)].map(place).into();
    // Of some rows, since this reads the input again.
    if ["5:1:", "row 5"].iter().any(|place| places[0].contains(place)) {
        let mut later = batch.clone();
        later.place.iter_mut().for_each(|place| place.text = (0, 0));
        places.push(options.describe_again(inputs, &later, r, Part::Label).error("x").to_string());
    }
    format!("{label} {} {} {:?} {:?} {places:?}", row.weight, row.offset, row.index, row.value)
}
