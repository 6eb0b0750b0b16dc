//! Tests that all Rust code in the guide is an excerpt of an example program, which is compiled with its crate.

use crate::pages::{Page, files, read, root, runnable};
use std::path::Path;

/// Removes indentation and blank lines.
fn bare(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn code_of_pages_is_that_of_examples() {
    let is_example = |path: &Path| path.components().any(|part| part.as_os_str() == "examples");
    let sources = files(&root().join("crates"), "rs").into_iter().filter(|path| is_example(path));
    let examples: Vec<String> = sources.map(|path| bare(&read(&path))).collect();
    let mut count = 0;
    for path in runnable() {
        for (_, block) in Page::read(&path).blocks.iter().filter(|(language, _)| language == "rust") {
            let known = examples.iter().any(|example| example.contains(&bare(block)));
            assert!(known, "{}: no example has these lines:\n{block}", path.display());
            count += 1;
        }
    }
    assert!(count > 1, "only {count} pieces of code were found");
}
