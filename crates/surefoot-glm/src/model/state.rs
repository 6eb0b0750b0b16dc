//! State of a trainer, as named arrays and JSON, from which training can resume.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Named array of numbers of one type, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Name of the array, under which the model file stores it.
    pub name: String,
    /// Length of each axis of the array.
    pub shape: Vec<usize>,
    /// Elements of the array in row-major order.
    pub data: Numbers,
}

impl Array {
    /// Returns a one-dimensional array.
    pub(crate) fn flat(name: &str, data: Vec<f64>) -> Array {
        Array { name: name.into(), shape: vec![data.len()], data: Numbers::F64(data) }
    }
}

/// Elements of an [`Array`], all of one numeric type.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

/// State of a trainer: everything that is needed to resume training, exact to the bit.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Counters and other scalars of the trainer, as JSON.
    pub scalars: Value,
    /// Arrays of the trainer: state per coordinate, models compared on held-out rows, and sampled rows.
    pub arrays: Vec<Array>,
}

impl State {
    pub(crate) fn parse<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
        serde_json::from_value(value.clone()).map_err(|error| format!("the state does not fit together: {error}"))
    }

    /// Returns the numbers of the array `name`, and checks that there are `len` of them.
    ///
    /// # Errors
    /// Returns a message if the array is missing or has another length.
    pub(crate) fn numbers(&self, name: &str, len: usize) -> Result<&Numbers, String> {
        let array = self.arrays.iter().find(|array| array.name == name);
        let array = array.ok_or_else(|| format!("the state has no array {name}"))?;
        if array.shape.iter().product::<usize>() == len {
            Ok(&array.data)
        } else {
            Err(format!("array {name} of the state has another length than the model"))
        }
    }

    /// Returns the elements of the array `name`, which must be of type `f64`, and checks that there are `len` of them.
    ///
    /// # Errors
    /// Returns a message if the array is missing, has another length, or has another type.
    pub(crate) fn wide(&self, name: &str, len: usize) -> Result<&[f64], String> {
        match self.numbers(name, len)? {
            Numbers::F64(data) => Ok(data),
            _ => Err(format!("array {name} of the state does not hold f64")),
        }
    }
}
