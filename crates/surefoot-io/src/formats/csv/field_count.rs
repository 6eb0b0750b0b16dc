//! Error message for a record with fewer or more fields than the table has columns.

/// Returns the error message for a record with `found` instead of `expected` fields, with a remedy.
pub(super) fn wrong_field_count(expected: usize, found: usize) -> String {
    let remedy = match found < expected {
        true => "a missing value is an empty field",
        false => "a field that holds the delimiter needs quotes",
    };
    format!("expected {expected} fields, found {found}: {remedy}")
}
