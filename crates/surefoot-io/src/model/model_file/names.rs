//! Storage of feature names in a model file, as three tensors: ids, end offset of each name, and all names concatenated.

use std::borrow::Cow;

use surefoot_glm::FeatureNames;

use crate::model::archive::{Archive, Dtype, Tensor};

const ID: &str = "names.id";
const END: &str = "names.end";
const TEXT: &str = "names.text";

/// Returns the tensors that store the feature names; an empty vector if there are no names.
pub(super) fn tensors(names: &FeatureNames) -> Vec<Tensor<'static>> {
    if names.is_empty() {
        return Vec::new();
    }
    let (mut ids, mut ends, mut text) = (Vec::new(), Vec::new(), Vec::new());
    for (id, name) in names.iter() {
        text.extend_from_slice(name.as_bytes());
        ids.extend_from_slice(&id.to_le_bytes());
        ends.extend_from_slice(&(text.len() as u64).to_le_bytes());
    }
    let tensor = |name: &str, dtype: Dtype, bytes: Vec<u8>| Tensor {
        name: name.to_owned(),
        dtype,
        shape: vec![bytes.len() / dtype.size()],
        bytes: Cow::Owned(bytes),
    };
    vec![tensor(ID, Dtype::U64, ids), tensor(END, Dtype::U64, ends), tensor(TEXT, Dtype::U8, text)]
}

/// Reads the feature names from an archive; there are none if the archive has no tensors for them.
pub(super) fn read(archive: &Archive<'_>) -> Result<FeatureNames, String> {
    let mut names = FeatureNames::default();
    let Some(ids) = archive.tensor(ID).and_then(Tensor::to_u64) else { return Ok(names) };
    let ends = archive.tensor(END).and_then(Tensor::to_u64).ok_or("names of features without their ends")?;
    let text = archive.tensor(TEXT).filter(|text| text.dtype == Dtype::U8).ok_or("names of features without text")?;
    if ids.len() != ends.len() || !ids.is_sorted() {
        return Err("the names of features do not fit together".into());
    }
    let mut start = 0;
    for (id, end) in ids.into_iter().zip(ends) {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        let name = text.bytes.get(start..end).and_then(|name| std::str::from_utf8(name).ok());
        let name = name.ok_or("the name of a feature is not where it should be")?;
        if !names.insert(id, name) {
            return Err("more names of features than a model may have".into());
        }
        start = end;
    }
    if start == text.bytes.len() { Ok(names) } else { Err("names of features are left over".into()) }
}
