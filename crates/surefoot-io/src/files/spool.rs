//! Copy of a stream in a temporary file, which can be read several times.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::interrupted::uninterrupted;
use crate::error::{Error, ErrorKind, shown};

/// Copy of standard input in an unnamed temporary file, which the system deletes when its last handle is closed, however the process ends.
#[derive(Clone, Debug)]
pub struct Spooled {
    file: Arc<File>,
    size: u64,
}

/// Copies the stream `from`, called `name` in messages, to a temporary file. `unread` converts an error of reading `from` to the caller's
/// error type.
pub(crate) fn copy<E: From<Error>>(
    mut from: impl Read,
    name: &str,
    unread: impl Fn(io::Error) -> E,
) -> Result<Spooled, E> {
    let failed = |source| {
        let folder = shown(std::env::temp_dir().as_os_str());
        E::from(ErrorKind::Write { file: format!("{folder} (for a copy of {name}; TMPDIR)"), source }.into())
    };
    let mut file = tempfile::tempfile().map_err(failed)?;
    let mut bytes = vec![0; 256 << 10];
    let mut size = 0;
    loop {
        match uninterrupted(|| from.read(&mut bytes)) {
            Ok(0) => break,
            Ok(n) => {
                file.write_all(&bytes[..n]).map_err(failed)?;
                size += n as u64;
            }
            Err(source) => return Err(unread(source)),
        }
    }
    Ok(Spooled { file: Arc::new(file), size })
}

impl Spooled {
    /// Returns the size of the copy in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.file.metadata()
    }

    pub(crate) fn file(&self) -> Arc<File> {
        self.file.clone()
    }

    /// Returns a new reader from the start of the copy, with a position of its own, so that several readers can be used at once.
    pub(crate) fn reader(&self) -> impl Read + Send + use<> {
        ReadAt { file: self.file.clone(), at: 0 }
    }
}

/// Reader of a shared file with a position of its own, independent of other readers of the file.
#[derive(Debug)]
pub(crate) struct ReadAt {
    pub(crate) file: Arc<File>,
    pub(crate) at: u64,
}

impl Read for ReadAt {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = uninterrupted(|| self.file.read_at(bytes, self.at))?;
        self.at += n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        files::input::InputName,
        read::reader::{Reader, RowSource},
        table::options::Options,
    };
    use surefoot_glm::Batch;

    #[test]
    fn a_copy_is_read_again_and_again() {
        let text = "1 1:1\n".repeat(100_000);
        let input = InputName::Spooled(
            copy(text.as_bytes(), "standard input", |source| InputName::Stdin.error(source)).unwrap(),
        );
        assert_eq!((input.size(), input.can_reread()), (Some(text.len() as u64), true));
        assert_eq!(input.to_string(), "standard input");
        let mut readers = [(); 2].map(|()| Reader::open(std::slice::from_ref(&input), Options::default()).unwrap());
        let (mut batch, mut rows) = (Batch::default(), [0, 0]);
        // Read alternately, so that a shared position would show.
        loop {
            let more = [0, 1].map(|i| readers[i].read(&mut batch).unwrap().then(|| rows[i] += batch.len()).is_some());
            if more == [false, false] {
                break;
            }
        }
        assert_eq!(rows, [100_000, 100_000]);
    }
}
