//! The message for a record with fewer or more fields than there are columns.

/// Returns the message, with the remedy.
pub(super) fn wrong_field_count(expected: usize, found: usize) -> String {
    let remedy = match found < expected {
        true => "a missing value is an empty field",
        false => "a field that holds the delimiter needs quotes",
    };
    format!("expected {expected} fields, found {found}: {remedy}")
}
