//! Names given by the user that occur in no row, in the words of the command line.

use surefoot_fit::{Purpose, UnmetName};

/// Returns the flag with the name given to it.
pub(crate) fn flag(unmet: &UnmetName) -> String {
    let flag = match unmet.purpose {
        Purpose::Keep => "--keep",
        Purpose::Ignore => "--ignore",
        Purpose::Interact => "--interact",
    };
    format!("{flag} {}", unmet.name)
}

/// Returns the warnings about names that occur in none of `rows` rows.
pub(crate) fn warnings(unmet: &[UnmetName], rows: u64) -> Vec<String> {
    let s = if rows == 1 { "" } else { "s" };
    let message = |unmet| format!("{}: none of {rows} row{s} has a namespace or index that is called so", flag(unmet));
    unmet.iter().map(message).collect()
}
