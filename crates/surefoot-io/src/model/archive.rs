//! Container of model files: safetensors in a canonical form, with checksums.
//!
//! A file consists of the length of the header (8 bytes, little-endian), the header, and the bytes of the tensors, one after the other. The
//! header is JSON, padded with spaces to a multiple of 8 bytes:
//!
//! ```text
//! {"__metadata__":{"surefoot":"..."},"weights":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}, ...}
//! ```
//!
//! The string under `surefoot` is JSON too. It holds one XXH3-64 checksum per tensor, and one of the header itself, computed with zeros in
//! the place of that checksum:
//!
//! ```text
//! {"format":2,"header":"0123456789abcdef","tensors":["0123456789abcdef", ...],"model": ... }
//! ```
//!
//! Equal archives are written as equal bytes. The reader parses a file, writes the header anew and compares the two: a file that differs in
//! a single byte is refused.

mod header;
mod read;

use std::borrow::Cow;
use std::io::{self, Write};

use xxhash_rust::xxh3::xxh3_64;

/// Maximum length of the header in bytes. Longer headers (from very many tensors, columns or class names) are refused.
const LONGEST: u64 = 1 << 30;

/// Element type of a tensor, named as in safetensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub enum Dtype {
    U8,
    F32,
    F64,
    U32,
    U64,
}

impl Dtype {
    /// Returns the size in bytes of one element.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Dtype::U8 => 1,
            Dtype::F32 | Dtype::U32 => 4,
            Dtype::F64 | Dtype::U64 => 8,
        }
    }
}

/// Named array of numbers in an archive, borrowed for writing or owned after reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor<'a> {
    /// Name, unique within the archive.
    pub name: String,
    /// Type of the elements.
    pub dtype: Dtype,
    /// Size of each dimension; elements are in row-major order.
    pub shape: Vec<usize>,
    /// Elements, concatenated as little-endian bytes.
    pub bytes: Cow<'a, [u8]>,
}

/// Content of a model file: a JSON text and a list of tensors.
///
/// ```
/// use surefoot_io::{Archive, Tensor};
///
/// let weights = Tensor::from_f64("weights", &[2], &[0.5, -0.0]);
/// let archive = Archive { meta: r#"{"loss":"logistic"}"#.to_owned(), tensors: vec![weights] };
/// let mut file = tempfile::NamedTempFile::new()?;
/// archive.write(&mut file)?;
/// assert_eq!(Archive::read(file.path())?, archive);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive<'a> {
    /// JSON text that describes the model, stored unchanged; must be in canonical form.
    pub meta: String,
    /// Tensors in the order of the file. If tensors with 8-byte elements come first, they are aligned to 8 bytes.
    pub tensors: Vec<Tensor<'a>>,
}

impl<'a> Archive<'a> {
    /// Version of the archive format that is written, and the only one that can be read.
    pub const FORMAT: u64 = 2;

    /// Writes the archive to `to`. Equal archives produce equal bytes.
    ///
    /// # Errors
    /// If `to` returns an error; [`io::ErrorKind::InvalidInput`] if `meta` is not JSON, a name occurs twice, or the bytes of a tensor do
    /// not fit its shape.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        self.check().map_err(|message| io::Error::new(io::ErrorKind::InvalidInput, message))?;
        let sums: Vec<u64> = self.tensors.iter().map(|tensor| xxh3_64(&tensor.bytes)).collect();
        let entries = self.tensors.iter().map(|t| (t.name.as_str(), t.dtype, t.shape.as_slice(), t.bytes.len()));
        let header = header::render(&self.meta, &entries.collect::<Vec<_>>(), &sums);
        if header.len() as u64 > LONGEST {
            let message = format!(
                "the description of the model takes {} bytes, more than {LONGEST}: hash its features (--bits)",
                header.len()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        to.write_all(&(header.len() as u64).to_le_bytes())?;
        to.write_all(header.as_bytes())?;
        self.tensors.iter().try_for_each(|tensor| to.write_all(&tensor.bytes))
    }

    fn check(&self) -> Result<(), String> {
        serde_json::from_str::<serde::de::IgnoredAny>(&self.meta).map_err(|error| format!("meta: {error}"))?;
        let mut names = std::collections::HashSet::from([header::METADATA]);
        for tensor in &self.tensors {
            if !names.insert(&tensor.name) {
                return Err(format!("two tensors are named '{}'", tensor.name));
            }
            if header::byte_size(tensor.dtype, &tensor.shape) != Some(tensor.bytes.len() as u64) {
                return Err(format!(
                    "tensor '{}': {} bytes for shape {:?}",
                    tensor.name,
                    tensor.bytes.len(),
                    tensor.shape
                ));
            }
        }
        Ok(())
    }

    /// Returns the tensor with this name; `None` if the archive has none.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<&Tensor<'a>> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }
}

macro_rules! numbers {
    ($($type:ident $dtype:ident $from:ident $to:ident)*) => {
        impl<'a> Tensor<'a> {
            $(
                #[doc = concat!("Builds a tensor of these `", stringify!($type), "` numbers, which are borrowed on little-endian machines.")]
                #[must_use]
                pub fn $from(name: &str, shape: &[usize], numbers: &'a [$type]) -> Tensor<'a> {
                    let bytes = if cfg!(target_endian = "little") {
                        Cow::Borrowed(bytemuck::cast_slice(numbers))
                    } else {
                        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
                    };
                    Tensor { name: name.to_owned(), dtype: Dtype::$dtype, shape: shape.to_vec(), bytes }
                }

                #[doc = concat!("Returns the numbers if they are of type `", stringify!($type), "`.")]
                #[must_use]
                pub fn $to(&self) -> Option<Vec<$type>> {
                    let (numbers, _) = self.bytes.as_chunks();
                    (self.dtype == Dtype::$dtype).then(|| numbers.iter().map(|&number| $type::from_le_bytes(number)).collect())
                }
            )*
        }
    };
}

numbers! {
    u8 U8 from_u8 to_u8
    f32 F32 from_f32 to_f32
    f64 F64 from_f64 to_f64
    u32 U32 from_u32 to_u32
    u64 U64 from_u64 to_u64
}
