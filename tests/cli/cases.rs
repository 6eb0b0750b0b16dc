//! Cases in which users of comparable tools have run into problems, one file per topic. Expected values are closed forms or
//! come from an equivalent command.

mod csv;
mod models;
mod numbers;
mod optimum;
mod parquet;
mod text;

use crate::sandbox::Sandbox;

/// Runs `surefoot predict LINE` and returns the predictions.
fn predictions(box_: &Sandbox, line: &str) -> Vec<f64> {
    box_.ok(&format!("predict {line}")).out.lines().map(|line| line.parse().unwrap()).collect()
}

/// Runs a command, and asserts that it fails because of the data (status 1), that its message contains all texts of `says`,
/// and that it writes no output.
fn refused(box_: &Sandbox, line: &str, says: &[&str]) {
    fails(box_, 1, line, says);
}

/// Runs a command, and asserts that it fails because of its command line (status 2), that its message contains all texts of
/// `says`, and that it writes no output.
fn misused(box_: &Sandbox, line: &str, says: &[&str]) {
    fails(box_, 2, line, says);
}

fn fails(box_: &Sandbox, status: i32, line: &str, says: &[&str]) {
    let before = box_.names();
    let ran = box_.fails(status, line);
    let message = ran.err.lines().last().unwrap_or_default();
    assert!(says.iter().all(|says| message.contains(says)), "{line}: {message}: {says:?}");
    assert_eq!(box_.names(), before, "{line}");
}
