//! Tests that the commands in `README.md` and the guide run and print what the pages show.
//!
//! Blocks marked `sh` are run by the shell, one after the other, in a folder with the data of the repository. A block marked `console`
//! shows lines of the output of the preceding block, with `...` for omitted lines. Other blocks are not run.

use crate::pages::{Page, root, runnable};
use std::{
    ffi::OsString,
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// Shell function that replaces cargo: `cargo run --release -- …` runs the program under test, and any other call does nothing and
/// succeeds.
const CARGO: &str = "cargo() { [ \"$1 $2 $3\" = 'run --release --' ] || return 0; shift 3; surefoot \"$@\"; }";

/// Creates a temporary folder in which the commands of a page can be run.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    symlink(root().join("data"), folder.path().join("data")).unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_surefoot"), bin.join("surefoot")).unwrap();
    // The script of all tests does nothing here, since it would run this one.
    symlink("/bin/true", folder.path().join("test.sh")).unwrap();
    folder
}

/// Runs a block of shell commands, and returns everything that it prints, in order.
fn printed(folder: &Path, commands: &str) -> Result<String, String> {
    let mut path = folder.join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin")));
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &format!("exec 2>&1\n{CARGO}\n{commands}")]).current_dir(folder).env("PATH", path);
    let output =
        shell.env("LC_ALL", "C").env("TMPDIR", folder).env("HOME", folder).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    if output.status.success() { Ok(text) } else { Err(format!("{commands}\nfails:\n{text}")) }
}

/// Splits a line of output into the words that must match exactly and the decimal numbers that must match approximately. In lines of the
/// progress table only the first column must match, since rounding errors change the losses of the first rows.
fn taken_apart(line: &str) -> (Vec<&str>, Vec<f64>) {
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_end_matches(',')).collect();
    let decimal = |word: &str| word.parse().ok().filter(|_| word.contains('.'));
    if line.starts_with("   ") && words.iter().all(|word| word.starts_with(|c: char| c.is_ascii_digit())) {
        return (vec![words[0]], Vec::new());
    }
    let letters = words.iter().copied().filter(|word| decimal(word).is_none()).collect();
    let is_timed = line.ends_with(" s");
    (letters, words.into_iter().filter_map(decimal).filter(|_| !is_timed).collect())
}

/// Whether a line shown on a page matches a printed line: decimal numbers to 1 %, all other words exactly.
fn alike(shown: &str, printed: &str) -> bool {
    let ((letters, decimals), (expected, numbers)) = (taken_apart(shown), taken_apart(printed));
    let near = |(a, b): (&f64, &f64)| a == b || (a / b - 1.0).abs() < 0.01;
    letters == expected && decimals.len() == numbers.len() && decimals.iter().zip(&numbers).all(near)
}

/// Returns the first line of `shown` that has no match in `printed`; `None` if the groups of lines between `...` occur in order.
fn missing<'a>(shown: &'a str, printed: &str) -> Option<&'a str> {
    let (shown, printed): (Vec<&str>, Vec<&str>) = (shown.lines().collect(), printed.lines().collect());
    let mut from = 0;
    for run in shown.split(|line| *line == "...") {
        let stands = |at: usize| run.iter().zip(&printed[at..]).take_while(|(a, b)| alike(a, b)).count();
        let places = from..=printed.len();
        let best = places.clone().max_by_key(|at| stands(*at))?;
        match places.clone().find(|at| stands(*at) == run.len()) {
            Some(at) => from = at + run.len(),
            None => return Some(run[stands(best)]),
        }
    }
    None
}

#[test]
fn commands_run_and_print_what_pages_show() {
    let (mut faults, mut commands, mut shown) = (Vec::new(), 0, 0);
    for path in runnable() {
        let folder = folder();
        let mut output = Ok(String::new());
        for (language, block) in &Page::read(&path).blocks {
            let fault = match language.as_str() {
                "sh" => {
                    commands += 1;
                    output = printed(folder.path(), block);
                    output.as_ref().err().cloned()
                }
                "console" => {
                    shown += 1;
                    let printed = output.as_deref().unwrap_or_default();
                    missing(block, printed).map(|line| format!("shown: {line}\nprinted is\n{printed}"))
                }
                _ => None,
            };
            faults.extend(fault.map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(commands > 20 && shown > 10, "only {commands} blocks of commands and {shown} of output were found");
}

#[test]
fn a_page_that_shows_something_else_is_found() {
    let printed = "one 1.000\ntwo\n   8 0.5 0.6\nthree 3.0\n";
    for shown in ["one 1.005\ntwo", "one 1.0\n...\nthree 3.0", "two\n   8 0.7 0.7\nthree 3.0"] {
        assert_eq!(missing(shown, printed), None, "{shown}");
    }
    for (shown, line) in [
        ("one 1.2", "one 1.2"),
        ("one 1.0\nthree 3.0", "three 3.0"),
        ("three 3.0\n...\ntwo", "two"),
        ("two\n   9 0.5 0.6", "   9 0.5 0.6"),
        ("two\n   8 0.5 0.6\nthree", "three"),
        ("three 3.0\nfour", "four"),
    ] {
        assert_eq!(missing(shown, printed), Some(line), "{shown}");
    }
}
