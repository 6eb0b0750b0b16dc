//! Reader of the namespaces and features in a line of Vowpal Wabbit text, from the first bar on.

use super::head::{Token, is_blank};
use crate::{
    features::row_builder::{Group, escape},
    formats::parse_error::RecordError,
    text::{byte_search, number},
};

/// Whether this byte ends a number or token: a blank or a bar.
fn is_end(byte: u8) -> bool {
    is_blank(byte) || byte == b'|'
}

/// Marks: the bytes that end a name because they cannot be part of one.
const MARKS: [u8; 5] = *b" \t\r|:";

/// Writes the positions of all [`MARKS`] (bytes that end a name) in a line to `marks`.
pub(crate) fn marks(line: &[u8], marks: &mut Vec<usize>) {
    marks.clear();
    byte_search::places(line, MARKS, marks);
}

/// Reader of the namespaces and features of one line, from the first bar on.
#[derive(Debug)]
pub(crate) struct Features<'a> {
    line: &'a [u8],
    at: usize,
    /// Positions in the line of the marks (bytes that end a name), including perhaps some before the current position.
    marks: std::slice::Iter<'a, usize>,
}

/// Namespace of a Vowpal Wabbit line, to which the features after it belong.
#[derive(Debug)]
pub(crate) struct Namespace<'a> {
    /// Name of the namespace; empty for the default namespace.
    pub(crate) name: &'a [u8],
    pub(crate) group: Group,
    scale: f64,
    /// Number of unnamed features read so far in this namespace.
    unnamed: u64,
}

/// Feature in a namespace.
#[derive(Debug)]
pub(crate) struct Feature<'a> {
    pub(crate) id: u64,
    /// Value of the feature multiplied by the scale of its namespace; 1 if the value is a text.
    pub(crate) value: f64,
    /// Byte offset at which the feature begins in its line.
    pub(crate) at: usize,
    name: Name<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Name<'a> {
    Plain(&'a [u8]),
    /// Name and text value of a feature such as `colour:red`; each text value is a feature of its own.
    Text(&'a [u8], &'a [u8]),
    /// Number of a feature without a name, counted from 0 among the unnamed features of its namespace.
    Unnamed(u64),
}

impl<'a> Features<'a> {
    /// Builds a reader of the features of a line whose first bar is at byte offset `bar`, given the positions of its [`marks`].
    pub(crate) fn new(line: &'a [u8], bar: usize, marks: &'a [usize]) -> Features<'a> {
        Features { line, at: bar, marks: marks.iter() }
    }

    /// Reads the namespace whose bar is at the current position; returns `None` at the end of the line.
    pub(crate) fn namespace(&mut self) -> Result<Option<Namespace<'a>>, RecordError> {
        if self.at >= self.line.len() {
            return Ok(None);
        }
        self.at += 1;
        let start = self.at;
        let name = self.name();
        let mut namespace = Namespace { name, group: Group::named(name), scale: 1.0, unnamed: 0 };
        if self.peek() == Some(b':') {
            if name.is_empty() {
                return Err(self.token(start).complaint("a scale needs a namespace: '|name:scale'"));
            }
            self.at += 1;
            namespace.scale = match self.number() {
                Some(scale) => scale,
                None => return Err(self.wrong_number(start, "the scale of the namespace")),
            };
        }
        Ok(Some(namespace))
    }

    /// Reads the next feature of the namespace; returns `None` at the end of the namespace.
    #[inline(always)]
    pub(crate) fn feature(&mut self, namespace: &mut Namespace<'a>) -> Result<Option<Feature<'a>>, RecordError> {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
        let at = self.at;
        let bytes = self.name();
        let (mut name, mut value) = (Name::Plain(bytes), namespace.scale);
        match self.peek() {
            Some(b':') => {
                self.at += 1;
                match self.number() {
                    Some(number) => value *= number,
                    None => (name, value) = (Name::Text(bytes, self.text(at)?), 1.0),
                }
            }
            Some(b'\r') => {
                return Err(self.token(at).complaint("a carriage return within the row; lines end with LF or CRLF"));
            }
            _ if bytes.is_empty() => return Ok(None),
            _ => {}
        }
        if let (Name::Plain(b""), count) = (name, &mut namespace.unnamed) {
            name = Name::Unnamed(*count);
            *count += 1;
        }
        if !value.is_finite() {
            return Err(self.token(at).complaint("the value times the scale of its namespace is too large"));
        }
        Ok(Some(Feature { id: namespace.id(name), value, at, name }))
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    /// Returns the position of the next mark (byte that ends a name) at or after the current position; the end of the line if there is
    /// none.
    #[inline]
    fn mark(&mut self) -> usize {
        while let Some(&mark) = self.marks.as_slice().first() {
            if mark >= self.at {
                return mark;
            }
            self.marks.next();
        }
        self.line.len()
    }

    /// Reads the bytes up to the next mark (byte that ends a name) as a name.
    #[inline]
    fn name(&mut self) -> &'a [u8] {
        let end = self.mark();
        let name = &self.line[self.at..end];
        self.at = end;
        name
    }

    /// Reads a finite number that extends to the next mark (byte that ends a name); `None` if there is none.
    #[inline]
    fn number(&mut self) -> Option<f64> {
        let (line, end) = (self.line, self.mark());
        let is_end = |end| line.get(end).is_none_or(|&byte| is_end(byte));
        let number = if is_end(end) { number::plain(line, self.at, end) } else { None };
        let number = number.or_else(|| {
            let (number, found) = number::value(line, self.at)?;
            (number.is_finite() && is_end(found) && found == end).then_some(number)
        })?;
        self.at = end;
        Some(number)
    }

    /// Reads the text value of the feature that begins at `start`.
    #[cold]
    fn text(&mut self, start: usize) -> Result<&'a [u8], RecordError> {
        let token = self.token(start);
        let end = token.at + token.bytes.len();
        let value = &self.line[self.at..end];
        if value.contains(&b'\r') {
            return Err(token.complaint("a carriage return within the row; lines end with LF or CRLF"));
        }
        if is_numeric(value) {
            return Err(self.wrong_number(start, "the value"));
        }
        if self.line.get(end) == Some(&b'|') {
            return Err(token.complaint("a value that is text ends with a space; put one before the bar"));
        }
        self.at = end;
        Ok(value)
    }

    fn token(&self, start: usize) -> Token<'a> {
        token(self.line, start)
    }

    /// Builds the error about an invalid number at the current position, in the token that starts at `start`; `what` names the number.
    #[cold]
    fn wrong_number(&self, start: usize, what: &str) -> RecordError {
        let token = self.token(start);
        let message = number::finite(self.token(self.at).bytes).err().unwrap_or("is not a number");
        token.complaint(format!("{what} {message}"))
    }
}

/// Returns the token that begins at `start` in a line.
pub(crate) fn token(line: &[u8], start: usize) -> Token<'_> {
    let rest = &line[start..];
    let length = rest.iter().position(|&byte| is_end(byte)).unwrap_or(rest.len());
    Token { at: start, bytes: &rest[..length] }
}

/// Whether a value is meant to be a number rather than text: after an optional sign and point it has a digit or ends, or it is NaN or
/// infinity.
fn is_numeric(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"-").or(value.strip_prefix(b"+")).unwrap_or(value);
    let digits = value.strip_prefix(b".").unwrap_or(value);
    digits.first().is_none_or(u8::is_ascii_digit)
        || [&b"nan"[..], b"inf", b"infinity"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

impl Namespace<'_> {
    /// Returns the id of a feature in this namespace. A text value in the default namespace has the same id as this category in a table
    /// column; an unnamed feature is named by its number.
    #[inline]
    fn id(&self, name: Name<'_>) -> u64 {
        match name {
            Name::Plain(name) => self.group.id(name),
            Name::Text(name, value) if self.name.is_empty() => Group::named(name).id(value),
            Name::Text(name, value) => self.group.within(name).id(value),
            Name::Unnamed(number) => self.group.id(number.to_string().as_bytes()),
        }
    }
}

impl Feature<'_> {
    /// Writes the feature name shown to users: `namespace^name`, followed by `=value` if the value is text.
    pub(crate) fn write_name(&self, namespace: &[u8], to: &mut String) {
        if !namespace.is_empty() {
            escape(namespace, to);
            to.push('^');
        }
        match self.name {
            Name::Plain(name) => escape(name, to),
            Name::Unnamed(number) => to.push_str(&number.to_string()),
            Name::Text(name, value) => {
                escape(name, to);
                to.push('=');
                escape(value, to);
            }
        }
    }
}
