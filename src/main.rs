//! The surefoot command.
fn main() {}
