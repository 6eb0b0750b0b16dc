//! A trained model: its numbers, its predictions, its file.

use crate::{errors, interrupt::answering_signals, rows::Rows};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyBytes};
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};
use surefoot_cli::embedded::{evaluate, with_label};
use surefoot_fit::{Interrupt, PredictedRow, Prediction, Response, StopConditions, Unpredicted, options_of};
use surefoot_io::{Output, load_model, model_from_bytes, model_to_bytes, save_model};

/// Trained model, as `surefoot fit` saves it.
#[pyclass(frozen, module = "surefoot._surefoot")]
#[derive(Debug)]
pub(crate) struct Model(pub(crate) Arc<surefoot_glm::Model>);

#[pymethods]
impl Model {
    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
        let model = py.detach(|| load_model(&path)).map_err(errors::of_file)?;
        Ok(Model(Arc::new(model)))
    }

    /// Reads a model from the bytes of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Model> {
        let model = py.detach(|| model_from_bytes("the model", bytes)).map_err(errors::of_file)?;
        Ok(Model(Arc::new(model)))
    }

    /// Returns the bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| model_to_bytes(&self.0)).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Pickles the model as the bytes of its file.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = slf.get_type().getattr("from_bytes")?;
        Ok((make, (slf.get().to_bytes(slf.py())?,)))
    }

    /// Writes the model file, which is replaced as a whole.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let mut output = Output::create(&path)?;
            save_model(&self.0, &mut output).map_err(|error| output.error(error))?;
            output.commit()
        })
        .map_err(errors::of_file)
    }

    /// Name of the loss.
    #[getter]
    fn loss(&self) -> &'static str {
        self.0.settings.loss.name()
    }

    /// Whether the loss is for classes.
    #[getter]
    fn classifies(&self) -> bool {
        self.0.settings.loss.classifies()
    }

    /// Whether the loss gives class probabilities.
    #[getter]
    fn has_probabilities(&self) -> bool {
        self.0.settings.loss.has_probabilities()
    }

    /// Whether the model has a margin per class.
    #[getter]
    fn is_multiclass(&self) -> bool {
        self.0.settings.loss.is_multiclass()
    }

    /// Whether features are the columns of a table, known by name.
    #[getter]
    fn is_table(&self) -> bool {
        self.0.settings.reading.by == surefoot_glm::FeatureKey::Column
    }

    /// Labels of the classes, the negative before the positive or all in ascending order: each a number, or the text of its class.
    #[getter]
    fn labels(&self) -> Vec<(f64, Option<String>)> {
        let texts = &self.0.settings.reading.classes;
        let text = |label| texts.iter().find(|class| class.code == label).map(|class| class.text.clone());
        self.0.labels.all().into_iter().map(|label| (label, text(label))).collect()
    }

    /// Whether the negative class, and whether the positive class, occurred in training.
    #[getter]
    fn has_classes(&self) -> (bool, bool) {
        (self.0.labels.negative.is_some(), self.0.labels.positive.is_some())
    }

    /// Intercept, one per class or one.
    #[getter]
    fn intercept<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.intercept.clone().into_pyarray(py)
    }

    /// Numbers of the features with a weight, ascending.
    #[getter]
    fn index<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.0.index.clone().into_pyarray(py)
    }

    /// Weights, of shape (features, classes or 1).
    #[getter]
    fn weight<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let features = self.0.index.len();
        let classes = self.0.weight.len().checked_div(features).unwrap_or(self.0.intercept.len().max(1));
        self.0.weight.clone().into_pyarray(py).reshape([features, classes])
    }

    /// Names of the features, as far as they are known; where hashing makes several share a weight, all of them.
    #[getter]
    fn names(&self) -> Vec<Vec<&str>> {
        self.0.index.iter().map(|&id| self.0.names.all(id).collect()).collect()
    }

    /// Columns of the table and their roles; empty if the rows were no table.
    #[getter]
    fn columns(&self) -> Vec<(&str, String)> {
        let columns = self.0.settings.reading.table.columns.iter();
        columns.map(|column| (column.name.as_str(), format!("{:?}", column.role).to_lowercase())).collect()
    }

    /// Settings, summary and certificates as JSON.
    fn about(&self) -> PyResult<String> {
        let text =
            |value: Result<Value, serde_json::Error>| value.map_err(|error| PyValueError::new_err(error.to_string()));
        let model = &self.0;
        Ok(json!({
            "settings": text(serde_json::to_value(&model.settings))?,
            "summary": text(serde_json::to_value(&model.summary))?,
            "certificates": text(serde_json::to_value(&model.certificates))?,
            "unfinished": model.unfinished.is_some(),
            "slim": model.state.is_none(),
        })
        .to_string())
    }

    /// Measures the model on labelled rows: metrics as JSON, as `surefoot eval --json` prints them.
    #[pyo3(signature = (rows, label=None))]
    fn evaluate(&self, py: Python<'_>, rows: &Rows, label: Option<&str>) -> PyResult<String> {
        let (found, raised) = answering_signals(py, |stop| evaluate(&self.0, &rows.data, label, stop));
        match (found.map_err(|error| errors::refused(&error))?, raised) {
            (_, Some(raised)) => Err(raised),
            (found, None) => Ok(found.unwrap_or_default().to_string()),
        }
    }

    /// Returns the model with a column of labels of this name, if it is of a table and knows no such column; otherwise itself.
    fn with_label(&self, label: &str) -> Model {
        with_label(&self.0, label).map_or_else(|| Model(Arc::clone(&self.0)), |model| Model(Arc::new(model)))
    }

    /// Predicts `margin`, `mean` or `class` for each row: an array of shape (rows, outputs). Offsets are left out if `rates`.
    #[pyo3(signature = (rows, response, rates=false))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        rows: &Rows,
        response: &str,
        rates: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let response = match response {
            "margin" => Response::Margin,
            "mean" => Response::Mean,
            _ => Response::Class,
        };
        let (predicted, raised) = answering_signals(py, |stop| predict(&self.0, rows, response, rates, &stop));
        if let Some(raised) = raised {
            return Err(raised);
        }
        let (numbers, outputs) = predicted?;
        let count = numbers.len() / outputs.max(1);
        numbers.into_pyarray(py).reshape([count, outputs])
    }
}

/// Returns the predicted numbers, row by row, and how many there are per row.
fn predict(
    model: &surefoot_glm::Model,
    rows: &Rows,
    response: Response,
    rates: bool,
    stop: &StopConditions,
) -> PyResult<(Vec<f64>, usize)> {
    let mut prediction = Prediction::new(model, response).map_err(|error| errors::of_fit(error.into()))?;
    let mut options = options_of(model);
    options.unlabelled = true;
    if rates {
        options.wanted.without = vec![surefoot_glm::Role::Offset, surefoot_glm::Role::Exposure];
    }
    let (outputs, mut numbers) = (prediction.outputs(), Vec::new());
    let each = |found: Result<PredictedRow<'_>, Unpredicted>| -> Result<(), Interrupt> {
        numbers.extend_from_slice(found.map_err(surefoot_io::Error::from)?.numbers);
        Ok(())
    };
    match prediction.each(&rows.data, &options, stop, each) {
        Ok(_) => {}
        Err(interrupt) => errors::unless_stopped(interrupt)?,
    }
    Ok((numbers, outputs))
}
