//! Conversion between models and archives.
//!
//! The sparse weight vector for prediction comes first (`index`, `weight`), then the arrays of the trainer's state. The rest is one JSON
//! object with sorted keys and the shortest decimals that parse to the same numbers. Equal models are written as equal bytes.

mod names;

use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use surefoot_glm::{Array, Certificate, Labels, Model, Numbers, Settings, State, Summary};

use super::archive::{Archive, Dtype, Tensor};
use crate::error::{Error, ErrorKind, shown};

const INDEX: &str = "index";
const WEIGHT: &str = "weight";
/// Prefix of the tensor names under which the arrays of the training state are stored in the archive.
const STATE: &str = "state.";

/// Part of a model that is stored as JSON in the archive.
#[derive(Serialize, Deserialize)]
struct Meta {
    settings: Settings,
    labels: Labels,
    intercept: Vec<f64>,
    summary: Summary,
    certificates: Vec<Certificate>,
    state: Option<Value>,
    unfinished: Option<Value>,
}

/// Writes a model as an archive. Equal models produce equal bytes.
///
/// # Errors
/// If `to` returns an error; [`io::ErrorKind::InvalidInput`], before anything is written, if [`load_model`] would refuse the model.
pub fn save_model(model: &Model, to: &mut impl Write) -> io::Result<()> {
    let refused =
        |message| io::Error::new(io::ErrorKind::InvalidInput, format!("the model cannot be saved: {message}"));
    model.check().map_err(refused)?;
    archive_of(model)?.write(to)
}

/// Returns a model as bytes: those of the file that [`save_model`] writes.
///
/// ```
/// use surefoot_glm::{Batch, Plan, Settings, Trainer};
/// use surefoot_io::{model_from_bytes, model_to_bytes};
///
/// let mut rows = Batch::default();
/// rows.push(Some(1.0), 1.0, &[(3, 0.5)]);
/// let mut trainer = Trainer::new(Settings::default(), Plan::ONE_PASS);
/// trainer.learn(&rows, 0, 1).unwrap();
/// let model = trainer.model();
/// let bytes = model_to_bytes(&model)?;
/// assert_eq!(model_from_bytes("model", &bytes)?, model);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if [`model_from_bytes`] would refuse the model.
pub fn model_to_bytes(model: &Model) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    save_model(model, &mut bytes)?;
    Ok(bytes)
}

/// Reads a model from a file and validates it with [`Model::check`]. O(file size).
///
/// # Errors
/// If the file cannot be read, is not a model, is damaged, or has another version of the format; if a number is out of its range or parts
/// of the model contradict each other.
pub fn load_model(path: &Path) -> Result<Model, Error> {
    sound(&Archive::read(path)?, || shown(path.as_os_str()))
}

/// Reads a model from bytes in memory, which are called `name` in messages, as [`load_model`] does from a file. O(bytes).
///
/// # Errors
/// The errors of [`load_model`].
pub fn model_from_bytes(name: &str, bytes: &[u8]) -> Result<Model, Error> {
    sound(&Archive::from_bytes(name, bytes)?, || shown(name.as_ref()))
}

/// Returns the model in an archive; an error names the file by `file`.
fn sound(archive: &Archive<'_>, file: impl Fn() -> String) -> Result<Model, Error> {
    model_of(archive).map_err(|message| ErrorKind::Unsound { file: file(), message }.into())
}

fn archive_of(model: &Model) -> io::Result<Archive<'_>> {
    let meta = Meta {
        settings: model.settings.clone(),
        labels: model.labels.clone(),
        intercept: model.intercept.clone(),
        summary: model.summary.clone(),
        certificates: model.certificates.clone(),
        state: model.state.as_ref().map(|state| state.scalars.clone()),
        unfinished: model.unfinished.clone(),
    };
    // Converted to a value first, whose maps have sorted keys.
    let meta = serde_json::to_value(meta)?.to_string();
    let (all, columns) = (model.weight.len(), model.intercept.len());
    let many = model.settings.loss.is_multiclass() && all.checked_rem(columns) == Some(0);
    let shape = if many { vec![all / columns, columns] } else { vec![all] };
    let mut tensors = vec![
        Tensor::from_u64(INDEX, &[model.index.len()], &model.index),
        Tensor::from_f64(WEIGHT, &shape, &model.weight),
    ];
    tensors.extend(model.state.iter().flat_map(|state| &state.arrays).map(tensor_of));
    tensors.extend(names::tensors(&model.names));
    Ok(Archive { meta, tensors })
}

fn tensor_of(array: &Array) -> Tensor<'_> {
    let (name, shape) = (format!("{STATE}{}", array.name), &array.shape);
    match &array.data {
        Numbers::F32(data) => Tensor::from_f32(&name, shape, data),
        Numbers::F64(data) => Tensor::from_f64(&name, shape, data),
        Numbers::U32(data) => Tensor::from_u32(&name, shape, data),
        Numbers::U64(data) => Tensor::from_u64(&name, shape, data),
    }
}

fn model_of(archive: &Archive<'_>) -> Result<Model, String> {
    let meta: Meta = serde_json::from_str(&archive.meta).map_err(|error| format!("the description: {error}"))?;
    let index = archive.tensor(INDEX).and_then(Tensor::to_u64).ok_or("no array of indices")?;
    let weight = archive.tensor(WEIGHT).and_then(Tensor::to_f64).ok_or("no array of weights")?;
    let state =
        meta.state.map(|scalars| State { scalars, arrays: archive.tensors.iter().filter_map(array_of).collect() });
    let model = Model {
        settings: meta.settings,
        labels: meta.labels,
        intercept: meta.intercept,
        index,
        weight,
        names: names::read(archive)?,
        summary: meta.summary,
        certificates: meta.certificates,
        state,
        unfinished: meta.unfinished,
    };
    model.check()?;
    Ok(model)
}

/// Converts a tensor of the archive to an array of the training state; `None` if the tensor belongs to another part of the model.
fn array_of(tensor: &Tensor<'_>) -> Option<Array> {
    let name = tensor.name.strip_prefix(STATE)?.to_owned();
    let data = match tensor.dtype {
        Dtype::U8 => return None,
        Dtype::F32 => Numbers::F32(tensor.to_f32()?),
        Dtype::F64 => Numbers::F64(tensor.to_f64()?),
        Dtype::U32 => Numbers::U32(tensor.to_u32()?),
        Dtype::U64 => Numbers::U64(tensor.to_u64()?),
    };
    Some(Array { name, shape: tensor.shape.clone(), data })
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_glm::{Batch, FeatureNames, Loss, Plan, Trainer};

    /// Returns a model trained on a few rows, with the features 0, 7 and the largest id, and labels from 0 to `classes` − 1.
    fn learnt(loss: Loss, classes: u32) -> Model {
        let mut batch = Batch::default();
        for t in 0..60 {
            let pairs = [(0, f64::from(t % 3) - 1.0), (7, 1e-7), (u64::MAX, -0.5)];
            batch.push(Some(f64::from(t % classes)), 1.0, &pairs[(t % 2) as usize..]);
        }
        let mut trainer = Trainer::new(Settings { loss, ..Settings::default() }, Plan::ONE_PASS);
        trainer.learn(&batch, 0, batch.len()).unwrap();
        trainer.pause(serde_json::json!({"row": 17}))
    }

    fn model() -> Model {
        let mut names = FeatureNames::default();
        [(7, "colour=rot"), (u64::MAX, ""), (0, "é^x")].iter().for_each(|(id, name)| assert!(names.insert(*id, name)));
        Model { names, intercept: vec![-0.0], weight: vec![0.1, -5e-324, 1.797e308], ..learnt(Loss::Logistic, 2) }
    }

    fn bytes(model: &Model) -> Vec<u8> {
        model_to_bytes(model).unwrap()
    }

    /// Loads a model from a file and from memory, which must give the same.
    fn load(bytes: &[u8]) -> Result<Model, Error> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let (loaded, in_memory) = (load_model(file.path()), model_from_bytes(file.path().to_str().unwrap(), bytes));
        let text = |error: &Error| error.to_string();
        assert_eq!(loaded.as_ref().map_err(text), in_memory.as_ref().map_err(text));
        loaded
    }

    #[test]
    fn a_model_comes_back_bit_for_bit() {
        let (model, written) = (model(), bytes(&model()));
        let back = load(&written).unwrap();
        assert_eq!(back, model);
        assert_eq!(back.intercept[0].to_bits(), model.intercept[0].to_bits());
        assert_eq!(bytes(&back), written);
    }

    #[test]
    fn a_model_of_classes_comes_back() {
        let classes = || learnt(Loss::Softmax, 3);
        assert_eq!(load(&bytes(&classes())).unwrap(), classes());
        let bad = [
            Model { intercept: vec![0.0], ..classes() },
            Model { weight: vec![0.0; 5], ..classes() },
            Model { labels: Labels { classes: vec![1.0, 1.0, 2.0], ..Labels::default() }, ..classes() },
            Model { labels: Labels { classes: vec![1.0, 2.0, 3.0], ..Labels::default() }, ..classes() },
        ];
        bad.iter().for_each(refused);
    }

    /// Asserts that an inconsistent model is refused when written and when read.
    fn refused(model: &Model) {
        let mut to = Vec::new();
        let error = save_model(model, &mut to).unwrap_err();
        assert!(error.kind() == io::ErrorKind::InvalidInput && to.is_empty(), "{error}");
        let mut written = Vec::new();
        archive_of(model).unwrap().write(&mut written).unwrap();
        let error = load(&written).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsound { .. }), "{error}");
        assert!(error.to_string().contains("made by something else"), "{error}");
    }

    #[test]
    fn a_slim_model_has_no_state() {
        let slim = Model { state: None, unfinished: None, ..model() };
        assert_eq!(load(&bytes(&slim)).unwrap(), slim);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let bad = [
            Model { index: vec![7, 0, 9], ..model() },
            Model { index: vec![1, 1, 9], ..model() },
            Model { index: vec![0, 1], ..model() },
            Model { weight: vec![0.0, f64::NAN, 1.0], ..model() },
            Model { intercept: vec![f64::INFINITY], ..model() },
            Model { intercept: vec![0.0; 2], ..model() },
        ];
        bad.iter().for_each(refused);
    }
}
