//! Whatever the public functions are fed, they give an error or what their documentation says: nothing that is not finite gets into a
//! model or into a number that is shown, and nothing panics. Methods are called by the names of their types, so that the last test here
//! can hold the calls against the sources.

mod anyone;
mod losses;
mod optima;
mod parts;
mod rows;

use std::path::Path;
use surefoot_oracle::public::{public_functions, unexercised};

/// Functions that are not called here, and why.
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
