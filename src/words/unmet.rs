//! Warnings about names given by the user that occur in no row.

use surefoot_fit::{Purpose, UnmetName};

/// Returns the flag that was given the name, with the name as its value.
pub(crate) fn flag(unmet: &UnmetName) -> String {
    let flag = match unmet.purpose {
        Purpose::Keep => "--keep",
        Purpose::Ignore => "--ignore",
        Purpose::Interact => "--interact",
    };
    format!("{flag} {}", unmet.name)
}

/// Returns one warning per name that occurs in none of the `rows` rows.
pub(crate) fn warnings(unmet: &[UnmetName], rows: u64) -> Vec<String> {
    let s = if rows == 1 { "" } else { "s" };
    let message = |unmet| format!("{}: none of {rows} row{s} has a namespace or index that is called so", flag(unmet));
    unmet.iter().map(message).collect()
}
