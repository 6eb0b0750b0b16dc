//! Errors of this crate, each shown as one line that names the location, the problem and the remedy.

use std::fmt::{self, Write as _};
use std::io;

use crate::text::printable::printable;

/// Location of an error in an input, with the offending token (piece of text).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Name of the input file as shown to the user.
    pub file: String,
    /// Location of the error within the input.
    pub location: Location,
    /// Offending token, as printable ASCII, truncated to 80 bytes; empty if no particular token is at fault.
    pub token: String,
}

/// Location within an input: a position in a text file, or a cell of a table that is not text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Position in a text file.
    Text {
        /// Line number, from 1.
        line: u64,
        /// Column of the first byte of the token, in bytes from 1.
        column: u64,
    },
    /// Position in a table that is not text (Parquet or Arrow).
    Cell {
        /// Row number in the whole file, from 1.
        row: u64,
        /// Name of the column; `None` if the whole row is at fault.
        column: Option<String>,
    },
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Location::Text { line, column } => write!(f, "{}:{line}:{column}: ", self.file)?,
            Location::Cell { row, column: None } => write!(f, "{}: row {row}: ", self.file)?,
            Location::Cell { row, column: Some(name) } => write!(f, "{}: row {row}, column '{name}': ", self.file)?,
        }
        if self.token.is_empty() && matches!(self.location, Location::Cell { .. }) {
            Ok(())
        } else {
            write!(f, "'{}': ", self.token)
        }
    }
}

impl Located {
    /// Builds an error located here; `message` states the problem and the remedy.
    #[must_use]
    pub fn error(self, message: impl Into<String>) -> Error {
        ErrorKind::Row { place: self, message: message.into() }.into()
    }
}

/// Error about table columns that cannot be used, because of the user's request or because of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnError {
    /// Error message that states the problem and the remedy.
    pub(crate) message: String,
    /// True if the user's request (a flag or option) is at fault, false if the data are.
    pub(crate) asked: bool,
}

impl ColumnError {
    /// Builds an error about table columns that blames the user's request rather than the data.
    pub(crate) fn asked(message: impl Into<String>) -> ColumnError {
        ColumnError { message: message.into(), asked: true }
    }
}

impl From<String> for ColumnError {
    fn from(message: String) -> ColumnError {
        ColumnError { message, asked: false }
    }
}

/// Kinds of error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An input file cannot be opened or read.
    #[error("{file}: {}", reason(.source))]
    Read {
        /// Name of the input.
        file: String,
        /// I/O error reported by the system.
        source: io::Error,
    },
    /// An output file cannot be written.
    #[error("{file}: {}{}", reason(.source), remedy(.source))]
    Write {
        /// Name of the output.
        file: String,
        /// I/O error reported by the system.
        source: io::Error,
    },
    /// Compressed data are damaged or truncated.
    #[error("{file}: damaged or cut-off {codec} data near compressed byte {at} ({}); get the file again", reason(.source))]
    Compressed {
        /// Name of the compressed input.
        file: String,
        /// Name of the compression, such as `gzip`.
        codec: &'static str,
        /// Number of compressed bytes read from the input before the error.
        at: u64,
        /// Error reported by the decoder.
        source: io::Error,
    },
    /// An input is not a table, is damaged, or has columns that cannot be used.
    #[error("{file}: {message}")]
    Table {
        /// Name of the input.
        file: String,
        /// Message with the problem and the remedy.
        message: String,
    },
    /// A row is invalid; reading can continue with the next row.
    #[error("{place}{message}")]
    Row {
        /// Location and token of the fault.
        place: Located,
        /// Message with the problem and the remedy.
        message: String,
    },
    /// The columns or the remaining rows of an input cannot be determined, so that reading cannot continue.
    #[error("{place}{message}")]
    Input {
        /// Location and token where the fault was found.
        place: Located,
        /// Message with the problem and the remedy.
        message: String,
    },
    /// The user's request does not fit the columns of the input; the data are not at fault.
    #[error("{place}{message}")]
    Asked {
        /// Name of the input, with the location of its column names (header line) if known.
        place: String,
        /// Message with the problem and the remedy.
        message: String,
    },
    /// A file is not a surefoot model.
    #[error("{file}: not a surefoot model{hint}")]
    NotModel {
        /// Name of the file.
        file: String,
        /// Hint at what the file may be instead.
        hint: String,
    },
    /// A model file has a format version that this program does not support.
    #[error("{file}: a model in format {found}, and this surefoot reads format {reads}: {}", advice(*.found, *.reads))]
    Version {
        /// Name of the file.
        file: String,
        /// Format version of the file.
        found: u64,
        /// The only format version that this program can read.
        reads: u64,
    },
    /// A model file is intact (its checksums match) but its content cannot be that of a model.
    #[error(
        "{file}: {message}: the model is damaged, or was made by something else than surefoot; get it again, or train anew"
    )]
    Unsound {
        /// Name of the file.
        file: String,
        /// Description of the contradiction in the content of the model.
        message: String,
    },
    /// A model file is damaged or truncated.
    #[error("{file}: {message} at byte {at}: the model is damaged or cut off; get the file again")]
    Damaged {
        /// Name of the file.
        file: String,
        /// Byte offset in the file at which the damage was detected.
        at: u64,
        /// Description of the damage, such as a checksum that does not match.
        message: String,
    },
    /// A file that is given both as an input and as an output, which would overwrite it while it is read.
    #[error("{file}: is both input and output; write to another file")]
    Both {
        /// Name of the file that is both read and written.
        file: String,
    },
    /// A setting (option) has an invalid value.
    #[error("{message}")]
    Setting {
        /// Message with the problem and the remedy.
        message: String,
    },
}

/// Error of this crate: a boxed [`ErrorKind`], shown as one line.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// Maximum length of an error message in bytes; with the name of the program in front, a line then stays within 500 bytes.
    pub const LIMIT: usize = 480;

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether only one row is invalid, so that reading can continue with the next row.
    #[must_use]
    pub fn is_row(&self) -> bool {
        matches!(*self.0, ErrorKind::Row { .. })
    }

    /// Whether the error is a write to a pipe whose reader has closed it; most programs then exit silently.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        matches!(&*self.0, ErrorKind::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&cut(&printable(&self.0.to_string()), Error::LIMIT, Error::LIMIT - 3))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.0)
    }
}

/// Message of a transfer over the network that failed, as the source of an [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Transfer(pub(crate) String);

/// Builds the error for an input stream whose reading failed after `at` stored (possibly compressed) bytes. `codec` is the name of the
/// compression, `None` for uncompressed data.
pub(crate) fn stream_error(file: String, codec: Option<&'static str>, at: u64, source: io::Error) -> Error {
    let of_transfer = source.get_ref().is_some_and(|inner| inner.is::<Transfer>());
    match codec {
        // An error reported by the system or by a server is not a fault of the data.
        Some(codec) if source.raw_os_error().is_none() && !of_transfer => {
            ErrorKind::Compressed { file, codec, at, source }.into()
        }
        _ => ErrorKind::Read { file, source }.into(),
    }
}

/// Returns the remedy for a model file with format version `found`, where this program supports version `reads`.
fn advice(found: u64, reads: u64) -> &'static str {
    match found > reads {
        true => "update surefoot",
        false => "train it anew with this version, or use the older surefoot that wrote it",
    }
}

/// Returns the text of an I/O error without the error number that `io::Error` appends.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "; a file that was there before is as it was",
        _ => "",
    }
}

/// Returns a path or another name from outside the program in the form shown to the user: on one line, with the middle left out if it is
/// long.
pub(crate) fn shown(name: &std::ffi::OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    cut(&printable(&text), 240, 80)
}

/// Returns a token of an input in the form shown to the user: printable ASCII, truncated to 80 bytes.
pub(crate) fn token(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes.iter().take(81) {
        match byte {
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\x{byte:02X}");
            }
        }
    }
    if text.len() > 80 {
        text.truncate(77);
        text.push_str("...");
    }
    text
}

/// Shortens a text to at most `limit` bytes: keeps its first `head` bytes and as much of its end as fits, and replaces the middle with
/// three dots.
pub(crate) fn cut(text: &str, limit: usize, head: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(head);
    let tail = text.ceil_char_boundary(text.len() - (limit - 3 - head));
    format!("{}...{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_short_line() {
        let file = shown(std::ffi::OsStr::new(&"é\n/".repeat(300)));
        let location = Location::Text { line: u64::MAX, column: u64::MAX };
        let place = Located { file, location, token: token(&[0xff; 500]) };
        let text = place.error("wrong".repeat(200)).to_string();
        assert!(text.len() <= Error::LIMIT, "{}", text.len());
        assert!(!text.contains('\n'));
        assert!(text.contains(":18446744073709551615:"));
    }

    #[test]
    fn names_are_shown_readably() {
        assert_eq!(shown(std::ffi::OsStr::new("a/é.svm")), "a/é.svm");
        assert_eq!(token(b"3:\x00\xe9x"), "3:\\x00\\xE9x");
        assert_eq!(reason(&io::Error::from_raw_os_error(2)), "No such file or directory");
        assert_eq!(cut("abcdefghij", 7, 2), "ab...ij");
    }
}
