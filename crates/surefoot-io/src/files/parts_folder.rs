//! Temporary folder for the parts that an output is put together from.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use super::atomic_output::{Output, folder, prefix, remove_leftovers};
use crate::error::Error;

/// Temporary folder for the parts that an output is put together from, which other processes may write: beside the output if that is a
/// file, otherwise among the temporary files of the system. It is removed on drop. What a killed process has left is removed by the next
/// one with the same output.
///
/// ```
/// use surefoot_io::{Output, PartsFolder};
/// let folder = tempfile::tempdir()?;
/// let output = Output::create(folder.path().join("predictions.txt"))?;
/// let parts = PartsFolder::beside(&output)?;
/// std::fs::write(parts.path().join("part"), "1\n")?;
/// drop(parts);
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PartsFolder {
    path: PathBuf,
    /// Tells other processes, by a lock, that the folder is in use.
    _lock: File,
}

impl PartsFolder {
    /// Creates the folder for the parts of an output.
    ///
    /// # Errors
    /// If no folder can be created there.
    pub fn beside(output: &Output) -> Result<PartsFolder, Error> {
        let target = output.path().map_or_else(|| std::env::temp_dir().join("surefoot-parts"), Path::to_owned);
        remove_leftovers(&target);
        create(&target).map_err(|error| output.error(error))
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Creates a folder with a name of the form `.TARGET.surefoot-tmp-PROCESS-NUMBER`.
fn create(target: &Path) -> io::Result<PartsFolder> {
    let mut name = prefix(target)?;
    name.push(format!("{}-{}", std::process::id(), RandomState::new().hash_one(target)));
    let path = folder(target).join(name);
    fs::create_dir(&path)?;
    let lock = File::open(&path)?;
    // On a file system without locks, only the removal of leftovers is affected.
    let _ = lock.try_lock();
    Ok(PartsFolder { path, _lock: lock })
}

impl Drop for PartsFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_has_left_is_removed_and_what_is_in_use_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::create(folder.path().join("out")).unwrap();
        let in_use = PartsFolder::beside(&output).unwrap();
        // No process has this number.
        let left = folder.path().join(".out.surefoot-tmp-2147483647-1");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("part"), "1").unwrap();
        let other = PartsFolder::beside(&output).unwrap();
        assert!(in_use.path().exists() && other.path().exists() && !left.exists());
    }
}
