//! Errors of this crate, each shown as one line that names the place, the problem and the remedy.

use std::fmt::{self, Write as _};
use std::io;

use crate::text::printable::printable;

/// Location of a fault in an input, and its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The input as shown to the user.
    pub file: String,
    /// Location within the input.
    pub location: Location,
    /// The token at fault, printable ASCII, truncated to 80 bytes; empty if there is none.
    pub token: String,
}

/// A location within an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In text.
    Text {
        /// Physical line, from 1.
        line: u64,
        /// Byte column of the start of the token, from 1.
        column: u64,
    },
    /// In a table that is no text.
    Cell {
        /// Row, from 1 over the whole file.
        row: u64,
        /// Name of the column, if one is at fault.
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
    /// An error at this location; `message` gives the problem and the remedy.
    #[must_use]
    pub fn error(self, message: impl Into<String>) -> Error {
        ErrorKind::Row { place: self, message: message.into() }.into()
    }
}

/// Why columns cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnError {
    /// The problem and the remedy.
    pub(crate) message: String,
    /// Whether what a user asks for is at fault, not the data.
    pub(crate) asked: bool,
}

impl ColumnError {
    /// An error of the request, not of the data.
    pub(crate) fn asked(message: impl Into<String>) -> ColumnError {
        ColumnError { message: message.into(), asked: true }
    }
}

impl From<String> for ColumnError {
    fn from(message: String) -> ColumnError {
        ColumnError { message, asked: false }
    }
}

/// The kinds of error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file cannot be opened or read.
    #[error("{file}: {}", reason(.source))]
    Read {
        /// The input.
        file: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{file}: {}{}", reason(.source), remedy(.source))]
    Write {
        /// The output.
        file: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Compressed data is damaged or ends too early.
    #[error("{file}: damaged or cut-off {codec} data near compressed byte {at} ({}); get the file again", reason(.source))]
    Compressed {
        /// The input.
        file: String,
        /// Name of the compression.
        codec: &'static str,
        /// Compressed bytes read so far.
        at: u64,
        /// The decoder's reason.
        source: io::Error,
    },
    /// A table that is none, is damaged, or has columns that cannot be used.
    #[error("{file}: {message}")]
    Table {
        /// The input.
        file: String,
        /// The problem and the remedy.
        message: String,
    },
    /// A row is at fault; reading may go on with the next one.
    #[error("{place}{message}")]
    Row {
        /// Location and token.
        place: Located,
        /// The problem and the remedy.
        message: String,
    },
    /// The columns, or what follows in the input, cannot be told: nothing more can be read.
    #[error("{place}{message}")]
    Input {
        /// Location and token where it shows.
        place: Located,
        /// The problem and the remedy.
        message: String,
    },
    /// A request that these columns cannot satisfy; the data are not at fault.
    #[error("{place}{message}")]
    Asked {
        /// The input, and where in it the columns stand.
        place: String,
        /// The problem and the remedy.
        message: String,
    },
    /// The file is something else than a model of surefoot.
    #[error("{file}: not a surefoot model{hint}")]
    NotModel {
        /// The file.
        file: String,
        /// Likely alternatives.
        hint: String,
    },
    /// The model was written in another version of the format.
    #[error("{file}: a model in format {found}, and this surefoot reads format {reads}: {}", advice(*.found, *.reads))]
    Version {
        /// The file.
        file: String,
        /// Its version.
        found: u64,
        /// The version that is read here.
        reads: u64,
    },
    /// The file is whole, but what it says cannot be of a model.
    #[error(
        "{file}: {message}: the model is damaged, or was made by something else than surefoot; get it again, or train anew"
    )]
    Unsound {
        /// The file.
        file: String,
        /// The contradiction.
        message: String,
    },
    /// The model is damaged or cut off.
    #[error("{file}: {message} at byte {at}: the model is damaged or cut off; get the file again")]
    Damaged {
        /// The file.
        file: String,
        /// Location where the damage shows.
        at: u64,
        /// The mismatch.
        message: String,
    },
    /// One file is both read and written.
    #[error("{file}: is both input and output; write to another file")]
    Both {
        /// The file.
        file: String,
    },
    /// A setting that cannot be.
    #[error("{message}")]
    Setting {
        /// The problem and the remedy.
        message: String,
    },
}

/// An error of this crate: a boxed [`ErrorKind`], shown as one line.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// Maximum length of a message in bytes; leaves room for the name of the program within 500.
    pub const LIMIT: usize = 480;

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether a single row is at fault, after which reading may continue.
    #[must_use]
    pub fn is_row(&self) -> bool {
        matches!(*self.0, ErrorKind::Row { .. })
    }

    /// Whether the reader of a pipe has closed it, which ends most programs silently.
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

/// The error of a stream that cannot be read on after `at` bytes as stored.
pub(crate) fn stream_error(file: String, codec: Option<&'static str>, at: u64, source: io::Error) -> Error {
    match codec {
        // What the system reports is no fault of the data.
        Some(codec) if source.raw_os_error().is_none() => ErrorKind::Compressed { file, codec, at, source }.into(),
        _ => ErrorKind::Read { file, source }.into(),
    }
}

/// Remedy for a model in another version of the format.
fn advice(found: u64, reads: u64) -> &'static str {
    match found > reads {
        true => "update surefoot",
        false => "train it anew with this version, or use the older surefoot that wrote it",
    }
}

/// The system's reason without its number.
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

/// A path or another name of the outside world as it is shown: one line, its middle cut out if it is long.
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

/// A token as it is shown: printable ASCII, cut to 80 bytes.
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

/// At most `limit` bytes: the first `head`, three dots, and as much of the end as fits.
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
