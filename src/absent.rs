//! Names that a user gave and that no row has.

use crate::failure::Failure;
use surefoot_glm::Model;
use surefoot_io::Options;

/// So many rows are read before it is said what none of them had.
pub(crate) const ROWS: u64 = 1000;

/// The flags, and the names in them, of what no row had so far; columns are known beforehand.
fn absent(options: &Options) -> Vec<String> {
    if options.found.table().is_some() {
        return Vec::new();
    }
    let reading = &options.reading;
    let names = |flag: &'static str, names: Vec<&String>| {
        let absent = names.into_iter().filter(|name| !options.found.has_met(name));
        absent.map(|name| format!("{flag} {name}")).collect::<Vec<_>>()
    };
    let factors = reading.interact.iter().flat_map(|(a, b)| [a, b]).collect();
    let all = [
        names("--keep", reading.keep.iter().collect()),
        names("--ignore", reading.ignore.iter().collect()),
        names("--interact", factors),
    ];
    let mut all = all.concat();
    all.dedup();
    all
}

/// What is said of them after `rows` rows, in words for each.
pub(crate) fn warnings(options: &Options, rows: u64) -> Vec<String> {
    let s = if rows == 1 { "" } else { "s" };
    let says = |flag: String| format!("{flag}: none of {rows} row{s} has a namespace or index that is called so");
    absent(options).into_iter().map(says).collect()
}

/// Refuses a model of no feature, where names that no row has are why.
pub(crate) fn check(options: &Options, model: &Model, data: &str) -> Result<(), Failure> {
    match absent(options).iter().find(|flag| flag.starts_with("--keep")) {
        Some(flag) if model.index.is_empty() => {
            let says = "no row has a feature that is used, so that nothing was learnt";
            Err(Failure::data(format!("{data}: {says}: {flag} names a namespace or index that is nowhere")))
        }
        _ => Ok(()),
    }
}
