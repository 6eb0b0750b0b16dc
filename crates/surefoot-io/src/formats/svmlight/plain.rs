//! Plain reader of one svmlight line: reads token by token and has an error message for every fault.
//!
//! The fast reader (`line.rs`) leaves every line that it cannot read to this one, and tests compare the two.

use std::collections::HashSet;

use super::rules::Rules;
use crate::{formats::parse_error::RecordError, text::number};

/// Row as read from an svmlight line: pairs in the order of the line, indices not hashed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlainRow {
    pub(crate) label: Option<f64>,
    pub(crate) pairs: Vec<(u64, f64)>,
}

/// Iterates over the tokens of a line, each with its byte offset; skips blanks, the comment and a final CR.
pub(crate) fn tokens(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = memchr::memchr(b'#', line).map_or(line, |end| &line[..end]);
    let mut at = 0;
    line.split(|&byte| byte == b' ' || byte == b'\t').filter_map(move |token| {
        let start = at;
        at += token.len() + 1;
        (!token.is_empty()).then_some((start, token))
    })
}

/// Reads an svmlight line, given without its line break; returns `None` if the line is blank or a comment.
pub(crate) fn row(line: &[u8], rules: &Rules) -> Result<Option<PlainRow>, RecordError> {
    let mut tokens = tokens(line).peekable();
    let Some(&(at, first)) = tokens.peek() else { return Ok(None) };
    let mut row = PlainRow::default();
    let has_label = !first.contains(&b':');
    if !rules.unlabelled {
        row.label = Some(label(first).map_err(|message| blame(at, first, message))?);
    }
    if has_label {
        tokens.next();
    }
    if let Some(&(at, token)) = tokens.peek()
        && let Some(group) = token.strip_prefix(b"qid:")
    {
        whole(group).map_err(|message| RecordError::new(at, token, format!("the group id {message}")))?;
        tokens.next();
    }
    let mut seen = HashSet::new();
    for (at, token) in tokens {
        let (index, value) = pair(token, rules).map_err(|message| blame(at, token, message))?;
        if !seen.insert(index) {
            let message = format!("index {index} appears twice in the row; keep one pair or add the values");
            return Err(RecordError::new(at, token, message));
        }
        row.pairs.push((index, value));
    }
    Ok(Some(row))
}

/// Builds the error about the invalid token at offset `at`; if the token contains a CR, the message reports an invalid
/// line break.
fn blame(at: usize, token: &[u8], message: String) -> RecordError {
    let is_two = token.contains(&b'\r');
    let message =
        if is_two { "a carriage return within the row; lines end with LF or CRLF".to_owned() } else { message };
    RecordError::new(at, token, message)
}

fn label(token: &[u8]) -> Result<f64, String> {
    if token.contains(&b':') {
        return Err("the label is missing; a row is 'label index:value ...'".to_owned());
    }
    number::finite(token).map_err(|message| format!("the label {message}"))
}

fn pair(token: &[u8], rules: &Rules) -> Result<(u64, f64), String> {
    let Some(colon) = memchr::memchr(b':', token) else {
        return Err("no pair 'index:value': the colon is missing".to_owned());
    };
    let (index, value) = (&token[..colon], &token[colon + 1..]);
    let index = match index {
        b"qid" => return Err("qid stands once, right after the label".to_owned()),
        b"sid" | b"cost" => return Err("only qid may stand beside the pairs 'index:value'".to_owned()),
        _ => whole(index).map_err(|message| format!("the index {message}"))?,
    };
    if index < rules.lowest {
        return Err(format!("index {index} where indices begin at {} (--index-base)", rules.lowest));
    }
    Ok((index, number::finite(value).map_err(|message| format!("the value {message}"))?))
}

/// Parses an svmlight index or a group id: an unsigned integer of at most 64 bits; otherwise returns an error message.
fn whole(token: &[u8]) -> Result<u64, String> {
    match number::index(token, 0) {
        Some((index, end)) if end == token.len() => Ok(index),
        _ if token.is_empty() => Err("is missing".to_owned()),
        _ if token.iter().all(u8::is_ascii_digit) => Err("does not fit into 64 bits".to_owned()),
        _ => Err("is not a whole number from 0".to_owned()),
    }
}
