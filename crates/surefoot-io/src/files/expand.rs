//! Expansion of input names (folders and glob patterns) into files.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path};

#[cfg(feature = "cloud")]
use super::cloud::{list, object_name::ObjectName};
use super::{hidden::is_hidden, input::InputName};
use crate::error::{Error, ErrorKind, shown};

/// Maximum depth of nested folders searched; prevents endless recursion when a symbolic link leads back to a parent folder.
const DEPTH: usize = 64;

/// Expands an input name into the files that it stands for. A folder stands for its data files, in the order of their names, folder by
/// folder. A name with `*`, `?` or `[` that does not exist is a glob pattern, which stands for matching files and the data files in
/// matching folders. Any other name stands for itself.
///
/// A `*` does not match slashes; `**` matches any number of folders. Files and folders whose names begin with `_` or `.` are ignored
/// (`_SUCCESS`, `.part-0.crc`), unless the pattern asks for such names or the folder is named `_key=value`. Shells expand unquoted patterns
/// themselves.
///
/// With the feature `cloud`, an address (`s3://bucket/key`, `gs://`, `az://`) stands for an object, or for the objects below it or matching
/// it, by the same rules; an address of the web (`https://`) for one file.
///
/// ```
/// use surefoot_io::{expand, InputName};
/// assert!(matches!(expand("-")?[..], [InputName::Stdin]));
/// assert_eq!(expand("no/[such")?.len(), 1);
/// assert!(expand("no/such/*.csv").unwrap_err().to_string().contains("no file matches"));
/// # Ok::<(), surefoot_io::Error>(())
/// ```
///
/// # Errors
/// If no file matches, a folder has no data files or cannot be read, or the name is an address that cannot be read.
pub fn expand(name: impl Into<OsString>) -> Result<Vec<InputName>, Error> {
    let name = name.into();
    let path = Path::new(&name);
    if path.is_dir() {
        let mut files = Vec::new();
        walk(path, named(path).count(), 0, &mut files)?;
        return if files.is_empty() { Err(no_data(path)) } else { Ok(files) };
    }
    let is_pattern = name.as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte));
    if path.symlink_metadata().is_ok() || name == OsStr::new("-") {
        return Ok(vec![InputName::new(name)]);
    }
    #[cfg(feature = "cloud")]
    if let Some(object) = name.to_str().and_then(ObjectName::parse) {
        let failed = |source| Error::from(ErrorKind::Read { file: object.to_string(), source });
        let found = list::expand(object.clone()).map_err(failed)?;
        return Ok(found.into_iter().map(InputName::Object).collect());
    }
    if let Some(address) = name.to_str().filter(|name| name.contains("://")) {
        let message =
            format!("an address, which is not fetched; curl -L {address} | surefoot ... - reads it from a pipe");
        return Err(read_error(path, io::Error::new(io::ErrorKind::Unsupported, message)));
    }
    // A name that is not a valid pattern, or not UTF-8, is the name of a file that does not exist.
    match name.to_str().filter(|_| is_pattern).and_then(matching) {
        Some(files) => files,
        None => Ok(vec![InputName::new(name)]),
    }
}

/// Returns the files that match a glob pattern, and the data files in matching folders; `None` if `pattern` is not a valid pattern.
fn matching(pattern: &str) -> Option<Result<Vec<InputName>, Error>> {
    // As a last component, `**` matches only folders.
    let within = pattern.strip_suffix('/').unwrap_or(pattern).ends_with("/**") || pattern.trim_matches('/') == "**";
    let whole = if within { format!("{}/*", pattern.trim_end_matches('/')) } else { pattern.to_owned() };
    let paths = glob::glob(&whole).ok()?;
    let is_wild =
        |component: &Component<'_>| component.as_os_str().as_encoded_bytes().iter().any(|b| b"*?[".contains(b));
    let components: Vec<_> = named(Path::new(pattern)).collect();
    let from = components.iter().position(is_wild).unwrap_or(components.len());
    let asks = |mark: u8| components[from..].iter().any(|c| c.as_os_str().as_encoded_bytes().first() == Some(&mark));
    let asks = [asks(b'_'), asks(b'.')];
    let every_folder = components.iter().any(|component| component.as_os_str() == "**");
    // The glob crate returns paths sorted, folder by folder.
    let (mut files, mut hidden) = (Vec::new(), 0);
    for path in paths {
        let path = match path {
            Ok(path) => path,
            Err(error) => {
                let file = error.path().to_owned();
                return Some(Err(read_error(&file, error.into())));
            }
        };
        let of_no_data = |name: &[u8]| is_hidden(name) && !asks[usize::from(name.starts_with(b"."))];
        let is_dir = path.is_dir();
        // The folder itself and its parent, which `.*` matches, are skipped.
        let bytes = path.as_os_str().as_encoded_bytes();
        if bytes.ends_with(b"/.") || bytes.ends_with(b"/..") {
            continue;
        }
        if named(&path).skip(from).any(|name| of_no_data(name.as_os_str().as_encoded_bytes())) {
            hidden += usize::from(!is_dir);
        } else if !is_dir {
            files.push(InputName::Member { path, from });
        } else if !every_folder && let Err(error) = walk(&path, from, 0, &mut files) {
            return Some(Err(error));
        }
    }
    if files.is_empty() {
        let message = match hidden {
            0 => "no file matches this pattern",
            _ => "no data file matches this pattern; names that begin with _ or . are passed over",
        };
        return Some(Err(read_error(Path::new(pattern), io::Error::new(io::ErrorKind::NotFound, message))));
    }
    Some(Ok(files))
}

/// Appends the data files in a folder and its subfolders to `files`. The user gave the first `from` components of the folder's path; the
/// others were found by expansion.
fn walk(folder: &Path, from: usize, depth: usize, files: &mut Vec<InputName>) -> Result<(), Error> {
    let failed = |source| read_error(folder, source);
    let entries: io::Result<Vec<_>> =
        fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry?.file_name())).collect();
    let mut names = entries.map_err(failed)?;
    names.sort_unstable();
    for name in names.iter().filter(|name| !is_hidden(name.as_encoded_bytes())) {
        let path = folder.join(name);
        if !path.is_dir() {
            files.push(InputName::Member { path, from });
        } else if depth == DEPTH || leads_back(&path) {
            return Err(read_error(
                &path,
                io::Error::other("a link that leads back to a folder above it; name the files"),
            ));
        } else {
            walk(&path, from, depth + 1, files)?;
        }
    }
    Ok(())
}

/// Whether a folder is a symbolic link to one of its parent folders.
fn leads_back(path: &Path) -> bool {
    path.is_symlink()
        && path
            .canonicalize()
            .is_ok_and(|to| path.parent().and_then(|up| up.canonicalize().ok()).is_some_and(|up| up.starts_with(to)))
}

/// Returns the components of a path, except those that are `.`.
fn named(path: &Path) -> impl Iterator<Item = Component<'_>> {
    path.components().filter(|component| *component != Component::CurDir)
}

fn no_data(folder: &Path) -> Error {
    let message = "the folder holds no data files; names that begin with _ or . are passed over";
    read_error(folder, io::Error::new(io::ErrorKind::NotFound, message))
}

fn read_error(path: &Path, source: io::Error) -> Error {
    ErrorKind::Read { file: shown(path.as_os_str()), source }.into()
}
