//! Robustness tests: for any input, each public function returns an error or what its documentation promises, never panics, and never
//! lets a number that is not finite into a model or a report. Methods are called by their full paths (`Type::method`), so that the last
//! test here can check from the sources that every public function is called.

mod anyone;
mod extremes;
mod losses;
mod optima;
mod parts;
mod round_nodes;
mod rounds;
mod rows;
mod shards;

use std::path::Path;
use surefoot_oracle::public::{public_functions, unexercised};

/// Public functions that these tests do not call, each with the reason.
const EXCEPTIONS: [(&str, &str); 1] =
    [("count_page_memory", "sets what all threads of the process call: the command's tests count memory by it")];

#[test]
fn every_public_function_is_fed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(root.join("tests/anything")).unwrap().map(|file| file.unwrap().path());
    let text: String =
        files.filter(|file| !file.ends_with("main.rs")).map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let missing = unexercised(&root.join("src"), &text, &EXCEPTIONS);
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(public_functions(&root.join("src")).len() > 100);
}
