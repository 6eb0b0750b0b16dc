//! Errors of this crate, each shown as one line that names the location, the problem and the remedy.

use std::fmt::{self, Write as _};
use std::io;

use crate::text::printable::printable;

/// Location of a fault in an input, and its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Name of the input as shown to the user.
    pub file: String,
    /// Location within the input.
    pub location: Location,
    /// Token at fault, as printable ASCII, truncated to 80 bytes; empty if there is none.
    pub token: String,
}

/// Location within an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Location in a text.
    Text {
        /// Number of the physical line, from 1.
        line: u64,
        /// Byte column of the start of the token, from 1.
        column: u64,
    },
    /// Location in a table that is not text.
    Cell {
        /// Number of the row, from 1 over the whole file.
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
    /// Builds an error at this location; `message` gives the problem and the remedy.
    #[must_use]
    pub fn error(self, message: impl Into<String>) -> Error {
        ErrorKind::Row { place: self, message: message.into() }.into()
    }
}

/// Reason why columns cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnError {
    /// Message with the problem and the remedy.
    pub(crate) message: String,
    /// Whether the user's request is at fault rather than the data.
    pub(crate) asked: bool,
}

impl ColumnError {
    /// Builds an error of the user's request, not of the data.
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
    /// File that cannot be opened or read.
    #[error("{file}: {}", reason(.source))]
    Read {
        /// Name of the input.
        file: String,
        /// I/O error reported by the system.
        source: io::Error,
    },
    /// File that cannot be written.
    #[error("{file}: {}{}", reason(.source), remedy(.source))]
    Write {
        /// Name of the output.
        file: String,
        /// I/O error reported by the system.
        source: io::Error,
    },
    /// Compressed data that are damaged or end too early.
    #[error("{file}: damaged or cut-off {codec} data near compressed byte {at} ({}); get the file again", reason(.source))]
    Compressed {
        /// Name of the input.
        file: String,
        /// Name of the codec.
        codec: &'static str,
        /// Number of compressed bytes read so far.
        at: u64,
        /// Error reported by the decoder.
        source: io::Error,
    },
    /// Input that is not a table, is damaged, or has columns that cannot be used.
    #[error("{file}: {message}")]
    Table {
        /// Name of the input.
        file: String,
        /// Message with the problem and the remedy.
        message: String,
    },
    /// Row at fault; reading can continue with the next row.
    #[error("{place}{message}")]
    Row {
        /// Location and token of the fault.
        place: Located,
        /// Message with the problem and the remedy.
        message: String,
    },
    /// Input whose columns, or whose remaining rows, cannot be determined, so that nothing more can be read.
    #[error("{place}{message}")]
    Input {
        /// Location and token where the fault was found.
        place: Located,
        /// Message with the problem and the remedy.
        message: String,
    },
    /// Request that the columns of the input cannot satisfy; the data are not at fault.
    #[error("{place}{message}")]
    Asked {
        /// Name of the input, and the location of the columns in it.
        place: String,
        /// Message with the problem and the remedy.
        message: String,
    },
    /// File that is not a surefoot model.
    #[error("{file}: not a surefoot model{hint}")]
    NotModel {
        /// Name of the file.
        file: String,
        /// Hint at what the file may be instead.
        hint: String,
    },
    /// Model written in another version of the format.
    #[error("{file}: a model in format {found}, and this surefoot reads format {reads}: {}", advice(*.found, *.reads))]
    Version {
        /// Name of the file.
        file: String,
        /// Version of the file.
        found: u64,
        /// Version that this program reads.
        reads: u64,
    },
    /// Intact file whose content cannot be that of a model.
    #[error(
        "{file}: {message}: the model is damaged, or was made by something else than surefoot; get it again, or train anew"
    )]
    Unsound {
        /// Name of the file.
        file: String,
        /// Description of the contradiction.
        message: String,
    },
    /// Model file that is damaged or truncated.
    #[error("{file}: {message} at byte {at}: the model is damaged or cut off; get the file again")]
    Damaged {
        /// Name of the file.
        file: String,
        /// Position in the file, in bytes, where the damage was found.
        at: u64,
        /// Description of the mismatch.
        message: String,
    },
    /// File that is both read and written.
    #[error("{file}: is both input and output; write to another file")]
    Both {
        /// Name of the file.
        file: String,
    },
    /// Invalid setting.
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
    /// Maximum length of a message in bytes; leaves space for the name of the program within 500.
    pub const LIMIT: usize = 480;

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether a single row is at fault, after which reading can continue.
    #[must_use]
    pub fn is_row(&self) -> bool {
        matches!(*self.0, ErrorKind::Row { .. })
    }

    /// Whether the other end of a pipe was closed, on which most programs exit silently.
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

/// Builds the error of a stream that cannot be read beyond `at` bytes as stored.
pub(crate) fn stream_error(file: String, codec: Option<&'static str>, at: u64, source: io::Error) -> Error {
    match codec {
        // An error reported by the system is not a fault of the data.
        Some(codec) if source.raw_os_error().is_none() => ErrorKind::Compressed { file, codec, at, source }.into(),
        _ => ErrorKind::Read { file, source }.into(),
    }
}

/// Returns the remedy for a model in another version of the format.
fn advice(found: u64, reads: u64) -> &'static str {
    match found > reads {
        true => "update surefoot",
        false => "train it anew with this version, or use the older surefoot that wrote it",
    }
}

/// Returns the system's reason without its error number.
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

/// Returns a path or another external name as shown to the user: one line, with the middle removed if it is long.
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

/// Returns a token as shown to the user: printable ASCII, truncated to 80 bytes.
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

/// Truncates a text to at most `limit` bytes: the first `head` bytes, three dots, and as much of the end as fits.
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
