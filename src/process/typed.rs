//! The command line as typed, which reports and advice repeat.

use std::cell::RefCell;

thread_local! {
    /// Words behind the name of the program, of the command that runs on this thread. They are not always those of the process: a program
    /// may run a command as a function.
    static WORDS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Returns the words behind the name of the program.
pub(crate) fn words() -> Vec<String> {
    WORDS.with_borrow(Clone::clone)
}

/// Calls a function while `words` are the command line on this thread.
pub(crate) fn during<T>(words: &[String], call: impl FnOnce() -> T) -> T {
    let before = WORDS.replace(words.to_vec());
    let result = call();
    WORDS.set(before);
    result
}
