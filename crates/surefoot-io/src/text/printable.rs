//! Escaping of text from files and users, so that it can be shown on a terminal safely.

use std::borrow::Cow;

/// Escapes characters that control a terminal or disguise a text, in the form `\u{1b}`: control characters, which begin escape sequences
/// and end lines, line separators, and marks of writing direction.
///
/// Every text that comes from a file (labels, names of columns and features, paths) passes through this function before it is shown to
/// people.
///
/// ```
/// use surefoot_io::printable;
/// assert_eq!(printable("r\u{f6}d"), "r\u{f6}d");
/// assert_eq!(printable("\u{1b}[2J\n\u{202e}"), r"\u{1b}[2J\u{a}\u{202e}");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_obeyed(c) { line.extend(c.escape_unicode()) } else { line.push(c) }
    }
    Cow::Owned(line)
}

/// Converts bytes to text; bytes that are not valid UTF-8 become `\xNN`.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02X}")));
    }
    text
}

fn is_obeyed(c: char) -> bool {
    // Separators of lines and paragraphs; marks, embeddings, overrides and isolates of direction.
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
