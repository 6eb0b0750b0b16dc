//! Lookup of columns by name, number, range or pattern, and their display in messages.

use crate::error;

/// Returns a column name in the form shown in messages, with the middle left out if it is longer than 48 bytes.
pub(crate) fn shown(name: &str) -> String {
    error::cut(name, 48, 32)
}

/// Returns words for a column, with its number (from 1) and name, for messages.
pub(crate) fn called(number: usize, name: &str) -> String {
    // In a table without column names, the names are the numbers.
    if name == number.to_string() { format!("column {number}") } else { format!("column {number} ('{}')", shown(name)) }
}

/// Returns how to refer to a column in a command-line flag: by its name if that needs no quoting in a shell or list, otherwise by its
/// number (from 1).
#[must_use]
pub fn flagged(number: usize, name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.len() <= 48 && name.starts_with(char::is_alphabetic) && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        number.to_string()
    }
}

/// Returns the column names as a list for a message, with as many names as fit.
pub(crate) fn listed(names: &[String]) -> String {
    let mut list = String::new();
    for (i, name) in names.iter().enumerate() {
        if list.len() > 120 {
            return format!("{list}, ... ({} columns)", names.len());
        }
        list = if i == 0 { shown(name) } else { format!("{list}, {}", shown(name)) };
    }
    list
}

/// Returns the positions (from 0) of the columns that a selector matches. A selector is, in order of precedence, a column name, a number
/// from 1, a range of numbers (`15-40`), or a pattern (`x*`, where `*` matches any text). Returns an empty vector if no column matches.
/// O(columns).
///
/// ```
/// let names = ["y", "x1", "x2", "z"];
/// assert_eq!(surefoot_io::columns_meant(&names, "x*"), [1, 2]);
/// assert_eq!(surefoot_io::columns_meant(&names, "2-4"), [1, 2, 3]);
/// assert_eq!(surefoot_io::columns_meant(&names, "4"), [3]);
/// assert!(surefoot_io::columns_meant(&names, "a").is_empty());
/// ```
#[must_use]
pub fn columns_meant<S: AsRef<str>>(names: &[S], wanted: &str) -> Vec<usize> {
    match names.iter().position(|name| name.as_ref() == wanted) {
        Some(found) => vec![found],
        None => meant(names, wanted),
    }
}

/// Returns the positions (from 0) of the columns that a number, range or pattern selects; names that are equal to it are not considered.
pub(super) fn meant<S: AsRef<str>>(names: &[S], wanted: &str) -> Vec<usize> {
    let number = |text: &str| text.parse().ok().filter(|number| (1..=names.len()).contains(number));
    let (first, last) = wanted.split_once('-').unwrap_or((wanted, wanted));
    match (number(first), number(last)) {
        (Some(first), Some(last)) => (first - 1..last).collect(),
        _ if wanted.contains('*') => (0..names.len()).filter(|&n| fits(names[n].as_ref(), wanted)).collect(),
        _ => Vec::new(),
    }
}

/// Whether a text matches a pattern, in which each `*` matches any text.
fn fits(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Normalises a column name for comparison: removes blanks and punctuation, and converts it to lower case.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns a question, for an error message, that suggests a name similar to the wanted one: equal up to blanks, punctuation and case, or
/// within an edit distance of a quarter of its letters. Returns `None` if no name is similar.
pub(crate) fn near<S: AsRef<str>>(names: &[S], wanted: &str) -> Option<String> {
    let meant = folded(wanted);
    let alike = |name: &&S| !meant.is_empty() && folded(name.as_ref()) == meant;
    let found = names.iter().find(alike).or_else(|| {
        let most = meant.chars().count() / 4;
        let distance = |name: &S| distance(&folded(name.as_ref()), &meant);
        // At most 1000 names are compared one by one.
        let few = names.iter().take(1000).map(|name| (distance(name), name));
        few.min_by_key(|found| found.0).filter(|found| found.0 <= most).map(|found| found.1)
    })?;
    Some(format!("did you mean '{}'?", shown(found.as_ref())))
}

/// Returns the Levenshtein (edit) distance between the first 64 characters of two texts.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_by_name_number_range_and_pattern() {
        let names = ["y", "x1", "x2", "2", "1-2", "a*b", "axb", "x"];
        let cases: &[(&str, &[usize])] = &[
            ("x1", &[1]),
            ("2", &[3]),
            ("3", &[2]),
            ("1-2", &[4]),
            ("1-3", &[0, 1, 2]),
            ("7-8", &[6, 7]),
            ("3-2", &[]),
            ("0-2", &[]),
            ("7-9", &[]),
            ("-2", &[]),
            ("2-", &[]),
            ("a*b", &[5]),
            ("x*", &[1, 2, 7]),
            ("*", &[0, 1, 2, 3, 4, 5, 6, 7]),
            ("**1", &[1]),
            ("*x*", &[1, 2, 6, 7]),
            ("x*x", &[]),
            ("z*", &[]),
            ("", &[]),
        ];
        for (wanted, expected) in cases {
            assert_eq!(columns_meant(&names, wanted), *expected, "{wanted}");
        }
    }
}
