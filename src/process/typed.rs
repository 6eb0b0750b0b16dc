//! The command line as typed, which reports and advice repeat.

use std::cell::RefCell;

thread_local! {
    /// Words that stand for the command line on this thread, for a program that runs a fit without one.
    static INSTEAD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Returns the words behind the name of the program.
pub(crate) fn words() -> Vec<String> {
    let typed = || std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    INSTEAD.with_borrow(Clone::clone).unwrap_or_else(typed)
}

/// Calls a function while `words` stand for the command line on this thread.
pub(crate) fn instead<T>(words: &[String], call: impl FnOnce() -> T) -> T {
    let before = INSTEAD.replace(Some(words.to_vec()));
    let result = call();
    INSTEAD.set(before);
    result
}
