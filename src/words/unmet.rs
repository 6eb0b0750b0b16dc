//! Names that a user gave and that no row has, in the words of the command line.

use surefoot_fit::{Purpose, UnmetName};

/// The flag and the name in it.
pub(crate) fn flag(unmet: &UnmetName) -> String {
    let flag = match unmet.purpose {
        Purpose::Keep => "--keep",
        Purpose::Ignore => "--ignore",
        Purpose::Interact => "--interact",
    };
    format!("{flag} {}", unmet.name)
}

/// The warnings about names that none of `rows` rows has.
pub(crate) fn warnings(unmet: &[UnmetName], rows: u64) -> Vec<String> {
    let s = if rows == 1 { "" } else { "s" };
    let message = |unmet| format!("{}: none of {rows} row{s} has a namespace or index that is called so", flag(unmet));
    unmet.iter().map(message).collect()
}
