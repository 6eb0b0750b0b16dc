//! Names of inputs (standard input and files), with checks before reading and functions to open them.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

#[cfg(feature = "cloud")]
use super::cloud::object_name::ObjectName;
use super::{
    compression,
    interrupted::uninterrupted,
    part::InputPart,
    random_access::{RandomAccess, SizedFile},
    spool::{self, Spooled},
};
use crate::error::{Error, ErrorKind, shown};

/// Input identified by its name: standard input, a path, a copy of standard input, an object in a store, or a part of an input.
///
/// All but a copy of standard input can be sent to another process by `serde`.
///
/// ```
/// use surefoot_io::InputName;
/// let text = serde_json::to_string(&InputName::new("a.svm"))?;
/// assert_eq!(serde_json::from_str::<InputName>(&text)?.to_string(), "a.svm");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputName {
    /// Standard input, named `-`.
    Stdin,
    /// File, device or named pipe.
    Path(PathBuf),
    /// File found by expanding a folder or a glob pattern: see [`expand`](crate::expand).
    Member {
        /// Path of the file.
        path: PathBuf,
        /// Number of leading components of `path` that the user gave; the others were found by expansion.
        from: usize,
    },
    /// Copy of standard input in a temporary file, which can be read several times; see [`spool`](crate::spool()).
    #[serde(skip)]
    Spooled(Spooled),
    /// Part of an input; see [`split_inputs`](crate::split_inputs).
    Part(InputPart),
    /// Object in a store or file on the web.
    #[cfg(feature = "cloud")]
    Object(ObjectName),
}

/// Maximum number of bytes inspected to detect the format of an input.
const HEAD: u64 = 16 << 10;

/// Device and inode numbers of a regular file, which are the same under all names of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// Returns the identity (device and inode numbers) of a regular file. Returns `None` for pipes, devices and folders: for them, no
    /// check is needed that an output is not also an input.
    pub(crate) fn of(metadata: &Metadata) -> Option<FileIdentity> {
        metadata.is_file().then(|| FileIdentity { device: metadata.dev(), inode: metadata.ino() })
    }
}

/// Checks that every input exists, is not a directory and can be read.
///
/// # Errors
/// If an input fails the check; returns the error of the first one.
pub fn check_inputs(inputs: &[InputName]) -> Result<(), Error> {
    inputs.iter().try_for_each(InputName::check)
}

impl InputName {
    /// Builds an input from a name: `-` is standard input, with the feature `cloud` an address such as `s3://bucket/key` is an object, and
    /// anything else a path.
    ///
    /// ```
    /// use surefoot_io::InputName;
    /// assert!(matches!(InputName::new("-"), InputName::Stdin));
    /// assert_eq!(InputName::new("a.svm").to_string(), "a.svm");
    /// ```
    #[must_use]
    pub fn new(name: impl Into<OsString>) -> InputName {
        let name = name.into();
        #[cfg(feature = "cloud")]
        if let Some(object) = name.to_str().and_then(ObjectName::parse) {
            return InputName::Object(object);
        }
        if name == OsStr::new("-") { InputName::Stdin } else { InputName::Path(name.into()) }
    }

    /// Returns the path of the input; `None` for standard input, for its copy, and for an object in a store.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            InputName::Path(path) | InputName::Member { path, .. } => Some(path),
            InputName::Stdin | InputName::Spooled(_) => None,
            InputName::Part(part) => part.of().path(),
            #[cfg(feature = "cloud")]
            InputName::Object(_) => None,
        }
    }

    /// Returns the whole input, of which this may be a part.
    pub(crate) fn whole(&self) -> &InputName {
        if let InputName::Part(part) = self { part.of().whole() } else { self }
    }

    /// Whether the input can be read several times, from the first byte.
    #[must_use]
    pub fn can_reread(&self) -> bool {
        match self {
            InputName::Stdin => false,
            InputName::Path(path) | InputName::Member { path, .. } => path.metadata().is_ok_and(|m| m.is_file()),
            InputName::Spooled(_) => true,
            InputName::Part(part) => part.of().can_reread(),
            #[cfg(feature = "cloud")]
            InputName::Object(_) => true,
        }
    }

    /// Returns the stored (possibly compressed) size of the input in bytes; `None` if it is unknown, as for a pipe.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        match self {
            InputName::Spooled(copy) => Some(copy.size()),
            InputName::Part(part) => Some(part.size()),
            #[cfg(feature = "cloud")]
            InputName::Object(object) => object.size(),
            _ => self.metadata().ok().filter(Metadata::is_file).map(|m| m.len()),
        }
    }

    /// Returns the device and inode numbers of the input; `None` if the input is not a regular file.
    #[must_use]
    pub fn identity(&self) -> Option<FileIdentity> {
        FileIdentity::of(&self.metadata().ok()?)
    }

    /// Checks that the input exists, is not a directory and can be read. A pipe is not opened, because its writer would be affected.
    ///
    /// # Errors
    /// If the input cannot be read, with the error of the system: `No such file or directory`, `Is a directory`, `Permission denied` and
    /// others.
    pub fn check(&self) -> Result<(), Error> {
        #[cfg(feature = "cloud")]
        if let InputName::Object(object) = self.whole() {
            return object.check().map_err(|source| self.error(source));
        }
        let Some(path) = self.path() else { return Ok(()) };
        let usable = || {
            let metadata = path.metadata()?;
            if metadata.is_dir() {
                return Err(rustix::io::Errno::ISDIR.into());
            }
            if metadata.is_file() {
                return File::open(path).map(drop);
            }
            rustix::fs::access(path, rustix::fs::Access::READ_OK).map_err(io::Error::from)
        };
        usable().map_err(|source| self.error(source))
    }

    /// Opens the input, if it is a part the whole input, for reading its stored (possibly compressed) bytes.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>, Error> {
        match self {
            InputName::Stdin => Ok(Box::new(stdin().map_err(|source| self.error(source))?)),
            InputName::Spooled(copy) => Ok(Box::new(copy.reader())),
            InputName::Path(path) | InputName::Member { path, .. } => match File::open(path) {
                Ok(file) => Ok(Box::new(SizeCheckedFile::new(file))),
                Err(source) => Err(self.error(source)),
            },
            InputName::Part(part) => part.of().open(),
            #[cfg(feature = "cloud")]
            InputName::Object(object) => object.open().map_err(|source| self.error(source)),
        }
    }

    /// Opens the bytes from `start` to `end` of an input that can be read several times, if it is a part of the whole input.
    pub(crate) fn open_range(&self, start: u64, end: u64) -> Result<Box<dyn Read + Send>, Error> {
        let unfit = || self.error(io::Error::new(io::ErrorKind::Unsupported, "a pipe cannot be read from its middle"));
        let access = self.random_access()?.ok_or_else(unfit)?;
        Ok(access.stream(start, end))
    }

    /// Opens the input, if it is a part the whole input, for random access; `None` if it is not a regular file.
    pub(crate) fn random_access(&self) -> Result<Option<Arc<dyn RandomAccess>>, Error> {
        let size = || self.size().filter(|_| self.can_reread());
        let (file, size) = match self {
            InputName::Stdin => return Ok(None),
            InputName::Spooled(copy) => (copy.file(), copy.size()),
            InputName::Path(path) | InputName::Member { path, .. } => match size() {
                Some(size) => (Arc::new(File::open(path).map_err(|source| self.error(source))?), size),
                None => return Ok(None),
            },
            InputName::Part(part) => return part.of().random_access(),
            #[cfg(feature = "cloud")]
            InputName::Object(object) => return object.random_access().map_err(|source| self.error(source)),
        };
        Ok(Some(Arc::new(SizedFile { file, size })))
    }

    /// Returns the first decompressed bytes, at most [`HEAD`], of an input that can be read several times.
    pub(crate) fn head(&self) -> Result<Vec<u8>, Error> {
        let mut head = Vec::new();
        let (_, stream) = compression::decode(self.open()?).map_err(|source| self.error(source))?;
        stream.take(HEAD).read_to_end(&mut head).map_err(|source| self.error(source))?;
        Ok(head)
    }

    /// Returns the names of the folders in the path of the input, in order, and how many of them the user gave; the others were found by
    /// expansion.
    pub(crate) fn folders(&self) -> (Vec<String>, usize) {
        #[cfg(feature = "cloud")]
        if let InputName::Object(object) = self.whole() {
            let (folders, from) = object.folders();
            return (folders.map(str::to_owned).collect(), from);
        }
        let from = if let InputName::Member { from, .. } = self.whole() { *from } else { usize::MAX };
        let Some(folder) = self.path().and_then(Path::parent) else { return (Vec::new(), from) };
        let named = folder.components().filter(|component| *component != Component::CurDir);
        (named.map(|component| component.as_os_str().to_string_lossy().into_owned()).collect(), from)
    }

    pub(crate) fn error(&self, source: io::Error) -> Error {
        ErrorKind::Read { file: self.to_string(), source }.into()
    }

    fn metadata(&self) -> io::Result<Metadata> {
        match self {
            InputName::Stdin => stdin()?.metadata(),
            InputName::Path(path) | InputName::Member { path, .. } => path.metadata(),
            InputName::Spooled(copy) => copy.metadata(),
            InputName::Part(part) => part.of().metadata(),
            #[cfg(feature = "cloud")]
            InputName::Object(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// Reader of a file that returns an error if the file is truncated while it is read. The file may grow.
struct SizeCheckedFile {
    file: File,
    /// Number of bytes that the file must still yield to reach its size when it was opened; 0 for pipes and devices.
    left: u64,
}

impl SizeCheckedFile {
    fn new(file: File) -> SizeCheckedFile {
        let left = file.metadata().ok().filter(Metadata::is_file).map_or(0, |metadata| metadata.len());
        SizeCheckedFile { file, left }
    }
}

impl Read for SizeCheckedFile {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = uninterrupted(|| self.file.read(to))?;
        self.left = self.left.saturating_sub(n as u64);
        match n == 0 && self.left > 0 && !to.is_empty() {
            true => {
                Err(io::Error::other(format!("it became shorter while it was read: {} bytes are missing", self.left)))
            }
            false => Ok(n),
        }
    }
}

/// Copies the stored (possibly compressed) bytes of standard input to an unnamed file in `TMPDIR` and returns the copy as an input.
///
/// Disk space grows with the input; memory does not.
///
/// # Errors
/// If standard input cannot be read or the file cannot be written, for instance on a full disk.
pub fn spool() -> Result<InputName, Error> {
    let failed = |source| InputName::Stdin.error(source);
    spool::copy(stdin().map_err(failed)?, "standard input", failed).map(InputName::Spooled)
}

/// Opens standard input without the buffering and locking of [`io::Stdin`].
pub(crate) fn stdin() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

impl fmt::Display for InputName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputName::Path(path) | InputName::Member { path, .. } => f.write_str(&shown(path.as_os_str())),
            InputName::Stdin | InputName::Spooled(_) => f.write_str("standard input"),
            InputName::Part(part) => part.of().fmt(f),
            #[cfg(feature = "cloud")]
            InputName::Object(object) => object.fmt(f),
        }
    }
}
