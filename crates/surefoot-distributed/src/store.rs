//! Storage of the totals of exchanges and of the states of the program: the checkpoint of a run.

use std::{
    collections::VecDeque,
    fmt,
    fs::{self, File, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// Storage of what a run needs to be resumed: the latest state of the program with the number of exchanges before it,
/// and the totals of all exchanges since.
pub trait Store: fmt::Debug + Send {
    /// Returns the latest state and the number of exchanges before it; `None` if there is no state.
    ///
    /// # Errors
    /// If the state cannot be read.
    fn state(&mut self) -> io::Result<Option<(u64, Vec<u8>)>>;

    /// Returns the number of the first exchange whose total is stored.
    fn first(&self) -> u64;

    /// Returns the number after that of the last exchange whose total is stored.
    fn end(&self) -> u64;

    /// Returns the total of an exchange between [`first`](Store::first) and [`end`](Store::end).
    ///
    /// # Errors
    /// If there is no such total, or it cannot be read.
    fn total(&mut self, number: u64) -> io::Result<Vec<u8>>;

    /// Stores the total of the next exchange.
    ///
    /// # Errors
    /// If it cannot be stored; the run cannot go on then.
    fn push(&mut self, total: &[u8]) -> io::Result<()>;

    /// Drops the total of the last exchange, if there is one.
    ///
    /// # Errors
    /// If the storage cannot be changed.
    fn pop(&mut self) -> io::Result<()>;

    /// Stores a state, with the number of exchanges before it, and drops the totals before it.
    ///
    /// # Errors
    /// If it cannot be stored; the store is then as before.
    fn set_state(&mut self, number: u64, state: &[u8]) -> io::Result<()>;
}

/// Store in memory, for runs that need not survive their coordinator.
#[derive(Debug, Default)]
pub struct MemoryStore {
    first: u64,
    totals: VecDeque<Vec<u8>>,
    state: Option<(u64, Vec<u8>)>,
}

impl Store for MemoryStore {
    fn state(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        Ok(self.state.clone())
    }

    fn first(&self) -> u64 {
        self.first
    }

    fn end(&self) -> u64 {
        self.first + self.totals.len() as u64
    }

    fn total(&mut self, number: u64) -> io::Result<Vec<u8>> {
        let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.totals.get(at)).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn push(&mut self, total: &[u8]) -> io::Result<()> {
        self.totals.push_back(total.to_vec());
        Ok(())
    }

    fn pop(&mut self) -> io::Result<()> {
        self.totals.pop_back();
        Ok(())
    }

    fn set_state(&mut self, number: u64, state: &[u8]) -> io::Result<()> {
        while self.first < number && self.totals.pop_front().is_some() {
            self.first += 1;
        }
        self.state = Some((number, state.to_vec()));
        Ok(())
    }
}

/// Store in a folder, from which a run can be resumed: the file `totals` with one record per exchange, and `state`.
///
/// A record is the length of its bytes, their xxh3 digest, and the bytes. Records that were not written in full, because
/// the process was killed, are dropped when the folder is opened.
#[derive(Debug)]
pub struct FolderStore {
    folder: PathBuf,
    totals: File,
    /// Position of each record in the file, and that of its end.
    starts: Vec<u64>,
    first: u64,
    /// The folder itself, locked against other runs as long as the store lives.
    lock: Arc<File>,
    /// Folder that is removed with the store; `None` for one that outlives it.
    temporary: Option<TempDir>,
}

/// Length of what precedes the bytes of a record: their length and digest.
const RECORD_HEAD: usize = 16;

impl FolderStore {
    /// Opens a folder, which is created if it does not exist, with the totals and the state that it holds.
    ///
    /// # Errors
    /// If the folder or its files cannot be created, read or written, or if another store has the folder open.
    pub fn open(folder: impl AsRef<Path>) -> io::Result<FolderStore> {
        let folder = folder.as_ref().to_owned();
        fs::create_dir_all(&folder)?;
        let lock = Arc::new(locked(&folder)?);
        let first = read_state(&folder)?.map_or(0, |(number, _)| number);
        let path = totals_path(&folder, first);
        let mut totals = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let starts = records(&mut totals)?;
        let end = starts.last().copied().unwrap_or(0);
        totals.set_len(end)?;
        totals.seek(SeekFrom::Start(end))?;
        let store = FolderStore { folder, totals, starts, first, lock, temporary: None };
        store.remove_others();
        Ok(store)
    }

    /// Creates a store in a temporary folder (`TMPDIR`), which is removed with it. For runs whose totals may outgrow the
    /// memory.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn temporary() -> io::Result<FolderStore> {
        let folder = tempfile::tempdir()?;
        let store = FolderStore::open(folder.path())?;
        Ok(FolderStore { temporary: Some(folder), ..store })
    }

    /// Removes the files of totals before the current state.
    fn remove_others(&self) {
        let current = totals_path(&self.folder, self.first);
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let is_totals = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("totals-"));
            if is_totals && path != current {
                // What remains costs disk space only.
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Opens a folder and locks it. The system ends the lock with the process, however that ends; file systems without locks have none.
fn locked(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other("another run is using it")),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Adds the name of the folder to an error of writing into it.
fn in_folder(folder: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
}

fn totals_path(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("totals-{first}"))
}

/// Returns the start of each record that is there in full, and the end of the last.
fn records(file: &mut File) -> io::Result<Vec<u64>> {
    let (len, mut starts, mut at) = (file.metadata()?.len(), vec![0], 0);
    while at + RECORD_HEAD as u64 <= len {
        let mut head = [0; RECORD_HEAD];
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut head)?;
        let bytes = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
        let Some(end) = bytes.checked_add(at + RECORD_HEAD as u64).filter(|end| *end <= len) else { break };
        let mut record = Vec::new();
        Read::by_ref(file).take(bytes).read_to_end(&mut record)?;
        if xxh3_64(&record).to_le_bytes() != head[8..] {
            break;
        }
        at = end;
        starts.push(at);
    }
    Ok(starts)
}

/// Reads the state: the number of exchanges before it, its digest, and its bytes. A damaged state is an error.
fn read_state(folder: &Path) -> io::Result<Option<(u64, Vec<u8>)>> {
    let bytes = match fs::read(folder.join("state")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes?,
    };
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the state of the run is damaged");
    let (head, state) = bytes.split_at_checked(RECORD_HEAD).ok_or_else(damaged)?;
    if xxh3_64(state).to_le_bytes() != head[8..] {
        return Err(damaged());
    }
    Ok(Some((u64::from_le_bytes(head[..8].try_into().expect("eight bytes")), state.to_vec())))
}

impl Store for FolderStore {
    fn state(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        read_state(&self.folder)
    }

    fn first(&self) -> u64 {
        self.first
    }

    fn end(&self) -> u64 {
        self.first + self.starts.len() as u64 - 1
    }

    fn total(&mut self, number: u64) -> io::Result<Vec<u8>> {
        let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        let ends = at.and_then(|at| Some((*self.starts.get(at)?, *self.starts.get(at + 1)?)));
        let (start, end) = ends.ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = vec![0; usize::try_from(end - start).map_err(io::Error::other)? - RECORD_HEAD];
        self.totals.seek(SeekFrom::Start(start + RECORD_HEAD as u64))?;
        self.totals.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn push(&mut self, total: &[u8]) -> io::Result<()> {
        let start = self.starts.last().copied().unwrap_or(0);
        let head = [(total.len() as u64).to_le_bytes(), xxh3_64(total).to_le_bytes()].concat();
        let totals = &mut self.totals;
        let seek = totals.seek(SeekFrom::Start(start));
        let written = seek.and_then(|_| totals.write_all(&head)).and_then(|()| totals.write_all(total));
        written.map_err(|error| in_folder(&self.folder, &error))?;
        self.starts.push(start + (RECORD_HEAD + total.len()) as u64);
        Ok(())
    }

    fn pop(&mut self) -> io::Result<()> {
        if self.starts.len() > 1 {
            self.starts.pop();
            self.totals.set_len(self.starts.last().copied().unwrap_or(0))?;
        }
        Ok(())
    }

    fn set_state(&mut self, number: u64, state: &[u8]) -> io::Result<()> {
        // Totals after the state are copied first; a kill before the state is replaced leaves the earlier one valid.
        let kept: Vec<Vec<u8>> = (number..self.end()).map(|number| self.total(number)).collect::<io::Result<_>>()?;
        let path = totals_path(&self.folder, number);
        if number != self.first {
            let mut fresh = FolderStore {
                folder: self.folder.clone(),
                totals: File::options().read(true).write(true).create(true).truncate(true).open(path)?,
                starts: vec![0],
                first: number,
                lock: Arc::clone(&self.lock),
                temporary: None,
            };
            kept.iter().try_for_each(|total| fresh.push(total))?;
            write_state(&self.folder, number, state)?;
            fresh.temporary = self.temporary.take();
            *self = fresh;
            self.remove_others();
            return Ok(());
        }
        write_state(&self.folder, number, state)
    }
}

fn write_state(folder: &Path, number: u64, state: &[u8]) -> io::Result<()> {
    let (path, fresh) = (folder.join("state"), folder.join("state.new"));
    let mut file = File::create(&fresh)?;
    file.write_all(&number.to_le_bytes())?;
    file.write_all(&xxh3_64(state).to_le_bytes())?;
    file.write_all(state)?;
    file.sync_all()?;
    fs::rename(fresh, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(store: &mut dyn Store) {
        (0..5_u8).for_each(|k| store.push(&vec![k; usize::from(k) * 100]).unwrap());
        store.set_state(3, b"three").unwrap();
        store.push(b"five").unwrap();
        assert_eq!((store.first(), store.end()), (3, 6));
        assert_eq!(store.total(4).unwrap(), vec![4; 400]);
        assert!(store.total(2).is_err() && store.total(6).is_err());
        store.push(b"").unwrap();
        store.pop().unwrap();
        assert_eq!((store.end(), store.total(5).unwrap()), (6, b"five".to_vec()));
    }

    #[test]
    fn a_folder_keeps_what_memory_does() {
        fill(&mut MemoryStore::default());
        let folder = tempfile::tempdir().unwrap();
        let mut store = FolderStore::open(folder.path()).unwrap();
        fill(&mut store);
        // One run at a time.
        assert!(FolderStore::open(folder.path()).unwrap_err().to_string().contains("another run"));
        drop(store);
        let mut again = FolderStore::open(folder.path()).unwrap();
        assert_eq!((again.first(), again.end()), (3, 6));
        assert_eq!(again.state().unwrap(), Some((3, b"three".to_vec())));
        assert_eq!((again.total(3).unwrap(), again.total(5).unwrap()), (vec![3; 300], b"five".to_vec()));
        let mut temporary = FolderStore::temporary().unwrap();
        fill(&mut temporary);
        let folder = temporary.folder.clone();
        drop(temporary);
        assert!(!folder.exists());
    }

    #[test]
    fn a_record_cut_off_or_damaged_is_dropped() {
        for cut in [1, 15, 20, 399] {
            let folder = tempfile::tempdir().unwrap();
            let mut store = FolderStore::open(folder.path()).unwrap();
            [b"one", b"two"].iter().for_each(|total| store.push(*total).unwrap());
            store.push(&[3; 400]).unwrap();
            drop(store);
            let path = folder.path().join("totals-0");
            let len = fs::metadata(&path).unwrap().len();
            File::options().write(true).open(&path).unwrap().set_len(len - cut).unwrap();
            let mut store = FolderStore::open(folder.path()).unwrap();
            assert_eq!(store.end(), 2);
            store.push(b"again").unwrap();
            assert_eq!((store.total(1).unwrap(), store.total(2).unwrap()), (b"two".to_vec(), b"again".to_vec()));
        }
    }
}
