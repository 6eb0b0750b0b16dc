//! Warnings about names given in flags that occur in no row.

use surefoot_fit::{Purpose, UnmetName};

/// Formats the flag in which a name was given, together with the name: `--keep NAME`.
pub(crate) fn flag(unmet: &UnmetName) -> String {
    let flag = match unmet.purpose {
        Purpose::Keep => "--keep",
        Purpose::Ignore => "--ignore",
        Purpose::Interact => "--interact",
    };
    format!("{flag} {}", unmet.name)
}

/// Returns one warning per name given in a flag that occurs in none of the `rows` rows.
pub(crate) fn warnings(unmet: &[UnmetName], rows: u64) -> Vec<String> {
    let s = if rows == 1 { "" } else { "s" };
    let message = |unmet| format!("{}: none of {rows} row{s} has a namespace or index that is called so", flag(unmet));
    unmet.iter().map(message).collect()
}
