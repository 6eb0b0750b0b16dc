//! Cases that users of such tools have run into, one file a kind. Expected values are closed forms, or those of a second way
//! to say the same.

mod csv;
mod models;
mod numbers;
mod optimum;
mod parquet;
mod text;

use crate::sandbox::Sandbox;

/// The predictions of model `m` on a file, as numbers.
fn predictions(box_: &Sandbox, line: &str) -> Vec<f64> {
    box_.ok(&format!("predict {line}")).out.lines().map(|line| line.parse().unwrap()).collect()
}

/// Runs, and expects an error in the data that says all of this, and no output.
fn refused(box_: &Sandbox, line: &str, says: &[&str]) {
    fails(box_, 1, line, says);
}

/// A case with an error of the command line.
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
