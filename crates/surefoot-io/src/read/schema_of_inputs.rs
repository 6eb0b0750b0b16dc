//! Inference of the schema of inputs before they are read.

use std::sync::Arc;

use surefoot_glm::{Batch, FeatureKey};

use super::reader::{Reader, RowSource};
use crate::{
    error::Error,
    files::input::InputName,
    table::{
        format::Format, inferred::Inferred, inferred_schema::InferredSchema, options::Options, partitions::Partitions,
    },
};

impl InferredSchema {
    /// Infers the schema of a list of inputs from the first rows of the first of them, unless the options hold it already. Reads one batch
    /// of rows; the properties that readers with these options share are not changed.
    ///
    /// # Errors
    /// If the first input cannot be read or its columns cannot be used.
    pub fn of(inputs: &[InputName], options: &Options) -> Result<InferredSchema, Error> {
        if is_known(&options.found) {
            return InferredSchema::known(inputs, options);
        }
        let options = options.apart();
        let (mut reader, mut batch) = (Reader::open(inputs, options.clone())?, Batch::default());
        loop {
            match reader.read(&mut batch) {
                Ok(_) => return InferredSchema::known(inputs, &options),
                Err(error) if error.is_row() => {}
                // The fault is behind what tells the schema, and is reported when the rows are read.
                Err(_) if is_known(&options.found) => return InferredSchema::known(inputs, &options),
                Err(error) => return Err(error),
            }
        }
    }

    fn known(inputs: &[InputName], options: &Options) -> Result<InferredSchema, Error> {
        let found = &options.found;
        let mut open: Vec<String> = found.open.get().into_iter().flatten().cloned().collect();
        open.sort_unstable();
        let is_table = found.by() == Some(FeatureKey::Column);
        let folder_keys = match found.folder_keys() {
            Some(keys) => keys.to_vec(),
            None if is_table && !found.of_model => Partitions::keys(inputs, &options.wanted)?,
            None => Vec::new(),
        };
        Ok(InferredSchema {
            schema: options.reading(),
            format: options.format.or(found.format()).map(|format| format.name.to_owned()),
            open,
            text_labels: found.text_labels.get().copied(),
            folder_keys,
        })
    }
}

/// Whether all that a schema holds is known.
fn is_known(found: &Inferred) -> bool {
    found.table().is_some() || found.by().is_some_and(|by| by != FeatureKey::Column)
}

impl Options {
    /// Returns options to read inputs, or parts of them, by a schema that was inferred elsewhere. The inferred properties are not shared
    /// with these options, unless they are those of a model, which then hold.
    #[must_use]
    pub fn with_schema(&self, schema: &InferredSchema) -> Options {
        if self.found.of_model {
            return self.clone();
        }
        let format = schema.format.as_deref().and_then(Format::named);
        let found = Inferred::of_schema(schema, format).with_many_classes(self.found.many_classes);
        Options { found: Arc::new(found), ..self.clone() }
    }
}
