//! Reader of the part of a Vowpal Wabbit line before its first bar: label, importance, base and tag.

use crate::formats::parse_error::RecordError;

/// Run of bytes without spaces and tabs, with its byte offset `at` in the line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Token<'a> {
    pub(crate) at: usize,
    pub(crate) bytes: &'a [u8],
}

impl Token<'_> {
    #[cold]
    pub(crate) fn complaint(self, message: impl Into<String>) -> RecordError {
        RecordError::new(self.at, self.bytes, message)
    }
}

/// Iterates over the tokens of a text, which are separated by blanks.
pub(crate) fn tokens(text: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    text.split(|&byte| is_blank(byte)).filter_map(move |bytes| {
        let start = at;
        at += bytes.len() + 1;
        (!bytes.is_empty()).then_some(Token { at: start, bytes })
    })
}

pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Part of a Vowpal Wabbit line before the first bar: `[label [importance [base]]] ['tag]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Head<'a> {
    pub(crate) label: Option<Token<'a>>,
    pub(crate) importance: Option<Token<'a>>,
    pub(crate) base: Option<Token<'a>>,
    /// Tag without its leading `'`; empty if there is none.
    pub(crate) tag: &'a [u8],
    /// Byte offset of the first bar in the line.
    pub(crate) bar: usize,
}

/// Reads the part of a Vowpal Wabbit line before the first bar; `None` if the line is blank.
pub(crate) fn head(line: &[u8]) -> Result<Option<Head<'_>>, RecordError> {
    let Some(bar) = memchr::memchr(b'|', line) else {
        return tokens(line).next().map_or(Ok(None), |first| {
            Err(first.complaint("there is no bar in this row; a row is '[label [importance]] | feature[:value] ...'"))
        });
    };
    let before = &line[..bar];
    let mut words = [None; 5];
    words.iter_mut().zip(tokens(before)).for_each(|(word, token)| *word = Some(token));
    let Some(first) = words[0] else { return Ok(Some(Head { bar, ..Head::default() })) };
    if memchr::memchr(b'\t', &before[first.at..]).is_some() {
        return Err(first.complaint("a tab before the bar, where Vowpal Wabbit drops what the tab follows; use spaces"));
    }
    let is_tag = |word: Token<'_>| word.bytes.starts_with(b"'") || word.at + word.bytes.len() == bar;
    let last = words.iter_mut().rev().find(|word| word.is_some());
    let tag = last.and_then(|last| last.take_if(|last| is_tag(*last))).map_or(&[][..], |tag| tag.bytes);
    let tag = tag.strip_prefix(b"'").unwrap_or(tag);
    let [label, importance, base, fourth, _] = words;
    match fourth {
        Some(fourth) => {
            Err(fourth.complaint("before the bar stand label, importance, base and a tag, which begins with '"))
        }
        None => Ok(Some(Head { label, importance, base, tag, bar })),
    }
}
