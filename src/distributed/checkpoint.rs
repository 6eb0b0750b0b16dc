//! Folder with the state of a distributed fit, from which the same command goes on.

use crate::failure::Failure;
use std::{ffi::OsStr, fs, io, path::Path};
use surefoot_distributed::{FolderStore, MemoryStore, Store};

/// Name of the file, in the folder of a checkpoint, with the job that it belongs to.
const JOB: &str = "job.json";
/// Name under which that file is written.
const NEW_JOB: &str = "job.json.new";

/// Opens the checkpoint of a job, or creates it; without a folder, nothing survives the run.
pub(super) fn store(folder: Option<&Path>, job: &[u8]) -> Result<Box<dyn Store>, Failure> {
    let Some(folder) = folder else {
        // Totals can outgrow the memory; where no file can be written, they are kept there all the same.
        return Ok(match FolderStore::temporary() {
            Ok(store) => Box::new(store),
            Err(_) => Box::<MemoryStore>::default(),
        });
    };
    let failed =
        |error: io::Error| Failure::data(format!("{}: the checkpoint cannot be used: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    match fs::read(folder.join(JOB)) {
        Ok(known) if known == job => {}
        Ok(_) => {
            let says =
                "holds the state of another run: repeat the command and the data of that run, or give another folder";
            return Err(Failure::data(format!("{}: {says}", folder.display())));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let _ = fs::remove_file(folder.join(NEW_JOB));
            if folder.read_dir().map_err(failed)?.next().is_some() {
                return Err(Failure::data(format!(
                    "{}: give an empty folder, or one that is not there",
                    folder.display()
                )));
            }
            // As a whole: a job that was written in part would be taken for that of another run.
            fs::write(folder.join(NEW_JOB), job).map_err(failed)?;
            fs::rename(folder.join(NEW_JOB), folder.join(JOB)).map_err(failed)?;
        }
        Err(error) => return Err(failed(error)),
    }
    Ok(Box::new(FolderStore::open(folder).map_err(failed)?))
}

/// Adds to the error of a run with a checkpoint how it goes on.
pub(crate) fn kept(folder: Option<&OsStr>, failure: Failure) -> Failure {
    match folder {
        Some(_) => failure.and("what was computed is kept in the checkpoint: the same command goes on from there"),
        None => failure,
    }
}

/// Removes the checkpoint of a run that has ended. What cannot be removed costs disk space only.
pub(super) fn remove(folder: &Path) {
    let Ok(entries) = folder.read_dir() else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name == JOB || name == "state" || name.starts_with("totals-") {
            let _ = fs::remove_file(path);
        }
    }
    let _ = fs::remove_dir(folder);
}
