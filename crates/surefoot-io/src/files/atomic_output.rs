//! Output files whose content is replaced as a whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, TryLockError as TryLock};
use std::time::{Duration, Instant};

use super::input::{FileIdentity, InputName};
use crate::error::{Error, ErrorKind, shown};

/// Output to a file that is replaced atomically, to a device or pipe that is written directly, or to standard output (`-`).
///
/// Bytes are written to a temporary file beside the target, which takes the target's name at [`commit`](Output::commit). Until then, and if
/// the commit fails, the target is unchanged. Bytes written after a commit begin the next replacement. Dropping an output discards bytes
/// that were not committed.
///
/// ```
/// use std::io::Write;
/// use surefoot_io::Output;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model");
/// let mut output = Output::create(&path)?;
/// assert!(!path.exists(), "to try an output leaves nothing behind");
/// output.write_all(b"one")?;
/// output.commit()?;
/// output.write_all(b"two")?;
/// assert_eq!(std::fs::read(&path)?, b"one");
/// output.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"two");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Output {
    name: String,
    target: Target,
    open: Option<Open>,
}

#[derive(Debug)]
enum Target {
    Stdout,
    /// Device or pipe at this path, written to directly.
    Direct(PathBuf),
    /// Regular file (existing or not) to be replaced, after symbolic links were followed.
    File(PathBuf),
}

#[derive(Debug)]
struct Open {
    writer: BufWriter<File>,
    temporary: Option<Temporary>,
}

const BUFFER: usize = 256 << 10;

impl Output {
    /// Checks that `name` can be written, without leaving a file behind. Also removes temporary files of the same target that were left by
    /// killed processes.
    ///
    /// # Errors
    /// If the output cannot be written, with the error of the system: `No such file or directory`, `Permission denied`, `Is a directory`
    /// and others.
    pub fn create(name: impl AsRef<Path>) -> Result<Output, Error> {
        let path = name.as_ref();
        if path == Path::new("-") {
            return Ok(Output { name: "standard output".to_owned(), target: Target::Stdout, open: None });
        }
        let name = shown(path.as_os_str());
        match try_target(path) {
            Ok(target) => Ok(Output { name, target, open: None }),
            Err(source) => Err(ErrorKind::Write { file: name, source }.into()),
        }
    }

    /// Returns the name of the output as shown in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the output is a file that is replaced atomically, rather than a device, a pipe or standard output.
    #[must_use]
    pub fn is_atomic(&self) -> bool {
        matches!(self.target, Target::File(_))
    }

    /// Returns the path of the file to be replaced; `None` if the output is not one.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.target {
            Target::File(path) => Some(path),
            Target::Direct(_) | Target::Stdout => None,
        }
    }

    /// Returns device and inode numbers of the file to be replaced; `None` if the target is not an existing regular file.
    #[must_use]
    pub fn identity(&self) -> Option<FileIdentity> {
        let metadata = match &self.target {
            Target::Stdout => stdout().and_then(|file| file.metadata()),
            Target::Direct(path) | Target::File(path) => path.metadata(),
        };
        FileIdentity::of(&metadata.ok()?)
    }

    /// Checks that the output file is not also one of the inputs, possibly under another name.
    ///
    /// # Errors
    /// If the output is also an input; the error names the output.
    pub fn check_distinct(&self, inputs: &[InputName]) -> Result<(), Error> {
        let identity = self.identity();
        match identity.is_some() && inputs.iter().any(|input| input.identity() == identity) {
            true => Err(ErrorKind::Both { file: self.name.clone() }.into()),
            false => Ok(()),
        }
    }

    /// Whether two outputs have the same target: the same regular file, existing or not, or both standard output.
    #[must_use]
    pub fn is_same(&self, other: &Output) -> bool {
        let place = |path: &Path| (fs::canonicalize(folder(path)).ok(), path.file_name().map(OsStr::to_owned));
        match (&self.target, &other.target) {
            (Target::Stdout, Target::Stdout) => true,
            (Target::File(one), Target::File(two)) => {
                place(one) == place(two) || self.identity().is_some() && self.identity() == other.identity()
            }
            _ => false,
        }
    }

    /// Replaces the content of the target by the bytes written since the last commit, and flushes them to disk. If no bytes were written,
    /// the file becomes empty.
    ///
    /// # Errors
    /// If the system reports an error; the file then keeps its earlier content.
    pub fn commit(&mut self) -> Result<(), Error> {
        self.finish().map_err(|source| self.error(source))
    }

    /// Discards bytes written since the last commit, unless they were written directly to a device or pipe.
    pub fn discard(&mut self) {
        if self.is_atomic() {
            self.open = None;
        }
    }

    /// Converts an I/O error of writing to this output to [`Error`].
    #[must_use]
    pub fn error(&self, source: io::Error) -> Error {
        ErrorKind::Write { file: self.name.clone(), source }.into()
    }

    fn open(&mut self) -> io::Result<&mut Open> {
        if self.open.is_none() {
            let (file, temporary) = match &self.target {
                Target::Stdout => (stdout()?, None),
                Target::Direct(path) => (OpenOptions::new().write(true).open(path)?, None),
                Target::File(path) => {
                    let (file, temporary) = Temporary::create(path)?;
                    (file, Some(temporary))
                }
            };
            self.open = Some(Open { writer: BufWriter::with_capacity(BUFFER, file), temporary });
        }
        Ok(self.open.as_mut().expect("opened above"))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.open()?.writer.flush()?;
        let Target::File(target) = &self.target else { return Ok(()) };
        let Some(Open { writer, temporary: Some(temporary) }) = self.open.take() else { return Ok(()) };
        writer.get_ref().sync_all()?;
        temporary.rename(target)?;
        sync_folder(folder(target))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open()?.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open()?.writer.flush()
    }
}

/// Opens standard output unbuffered, unlike [`io::Stdout`], which flushes at each line break.
fn stdout() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Determines whether the output file at `path` is replaced atomically or written directly, and checks that it can be written.
fn try_target(path: &Path) -> io::Result<Target> {
    let is_stream = ["/dev/stdout", "/dev/stderr"].iter().any(|name| path == Path::new(name));
    if is_stream || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd") {
        rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?;
        return Ok(Target::Direct(path.to_owned()));
    }
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => return Err(rustix::io::Errno::ISDIR.into()),
        Ok(metadata) if !metadata.is_file() => {
            // Not opened, because the other end of a pipe would notice.
            rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?;
            return Ok(Target::Direct(path.to_owned()));
        }
        // Replacing a file does not require write permission for it, but its owner expects a read-only file to be kept.
        Ok(_) => drop(OpenOptions::new().write(true).open(path)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if path.as_os_str().as_bytes().ends_with(b"/") {
        return Err(rustix::io::Errno::ISDIR.into());
    }
    let target = follow(path)?;
    drop(Temporary::create(&target)?);
    remove_leftovers(&target);
    Ok(Target::File(target))
}

/// Resolves symbolic links step by step; unlike `canonicalize`, this also works if the file at the end does not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(rustix::io::Errno::LOOP.into())
}

/// Returns the folder that contains `path`.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Flushes a folder to disk, if the file system supports it, so that the renaming of a file in it survives a system crash.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        result => result,
    }
}

/// Temporary file, given by its path, with a name of the form `.TARGET.surefoot-tmp-PROCESS-NUMBER`; removed on drop. The process that
/// writes the file holds a lock on it.
#[derive(Debug)]
struct Temporary(PathBuf);

const MARK: &str = ".surefoot-tmp-";

/// Lock held while a temporary file is created. After [`create_no_more_outputs`] it is held forever, so that no more files are created.
static CREATING: Mutex<()> = Mutex::new(());

/// Maximum time that [`create_no_more_outputs`] waits for another thread to finish creating a temporary file.
const PATIENCE: Duration = Duration::from_millis(100);

/// Blocks every later creation of a temporary file forever. Meant for a process that is about to remove its temporary files and exit while
/// other threads still run.
pub fn create_no_more_outputs() {
    let began = Instant::now();
    loop {
        match CREATING.try_lock() {
            Err(TryLock::WouldBlock) if began.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(1)),
            held => return std::mem::forget(held),
        }
    }
}

/// Maximum number of random names tried when a temporary file is created; more collisions than this cannot be chance.
const TRIES: u32 = 100;

impl Temporary {
    /// Creates a temporary file beside `target`, with the permissions of `target` if it exists, otherwise those of a new file. Never
    /// overwrites an existing file or symbolic link.
    fn create(target: &Path) -> io::Result<(File, Temporary)> {
        let _creating = CREATING.lock();
        // Set-user-id and similar bits are not copied, since the writer of the target need not be its owner.
        let plain = |permissions: Permissions| Permissions::from_mode(permissions.mode() & 0o777);
        let permissions = target.metadata().ok().map(|metadata| plain(metadata.permissions()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if permissions.is_some() {
            // Inaccessible to others until it has the permissions of the target.
            options.mode(0o600);
        }
        for _ in 0..TRIES {
            let number = RandomState::new().hash_one(target);
            let mut name = prefix(target)?;
            name.push(format!("{}-{number}", std::process::id()));
            let path = folder(target).join(name);
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    let temporary = Temporary(path);
                    // On a file system without locks, only the removal of leftovers after a crash is affected.
                    let _ = file.try_lock();
                    permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
                    return Ok((file, temporary));
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn rename(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.0, target)?;
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Returns the common prefix of the names of all temporary files of `target`, truncated if the complete name would be too long.
pub(super) fn prefix(target: &Path) -> io::Result<OsString> {
    let name = target.file_name().ok_or(rustix::io::Errno::ISDIR)?.as_bytes();
    let mut prefix = OsString::from(".");
    prefix.push(OsStr::from_bytes(&name[..name.len().min(200)]));
    prefix.push(MARK);
    Ok(prefix)
}

/// Removes the temporary files and folders of this target whose writing process has ended. Those that cannot be removed are left.
pub(super) fn remove_leftovers(target: &Path) {
    let (Ok(prefix), Ok(entries)) = (prefix(target), fs::read_dir(folder(target))) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if let Some(rest) = name.as_bytes().strip_prefix(prefix.as_bytes())
            && let Some(process) = process_of(rest)
            && is_abandoned(&entry.path(), process)
        {
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
}

/// Opens a regular file or a folder for inspection; does not follow symbolic links and does not block on a pipe.
fn open_plain(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() || metadata.is_dir() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Parses the process id in the suffix `PROCESS-NUMBER` of the name of a temporary file.
fn process_of(name: &[u8]) -> Option<i32> {
    let (process, number) = std::str::from_utf8(name).ok()?.split_once('-')?;
    number.parse::<u64>().ok()?;
    process.parse().ok().filter(|&process: &i32| process > 0)
}

/// Whether the process that wrote a temporary file has ended, so that the file can be removed: no process holds the lock on the file, and
/// no other process with the id in its name runs. The id alone is not sufficient: in a container every run may have the same id, and
/// processes on other machines that share the folder are not visible.
fn is_abandoned(path: &Path, process: i32) -> bool {
    let unlocked = || match open_plain(path).map(|file| file.try_lock()) {
        Ok(Err(TryLockError::WouldBlock)) | Err(_) => false,
        Ok(Ok(()) | Err(TryLockError::Error(_))) => true,
    };
    let is_other = process != std::process::id().cast_signed();
    let lives = || {
        rustix::process::Pid::from_raw(process)
            .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
    };
    !(is_other && lives()) && unlocked()
}
