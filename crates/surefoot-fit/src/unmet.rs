//! Names given by the caller that occur in no row.

use surefoot_io::Options;

/// So many rows are read before it is reported which names none of them had.
pub(crate) const ROWS: u64 = 1000;

/// Purpose of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Only such features are used.
    Keep,
    /// Such features are not used.
    Ignore,
    /// Products with such features are added.
    Interact,
}

/// A namespace or index given by the caller that occurs in no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetName {
    /// Purpose of the name.
    pub purpose: Purpose,
    /// The name.
    pub name: String,
}

/// The given names that no row has had so far; never columns, which are known beforehand.
#[must_use]
pub fn unmet_names(options: &Options) -> Vec<UnmetName> {
    if options.found.table().is_some() {
        return Vec::new();
    }
    let reading = &options.reading;
    let factors = reading.interact.iter().flat_map(|(a, b)| [a, b]);
    let given = reading.keep.iter().map(|name| (Purpose::Keep, name));
    let given = given.chain(reading.ignore.iter().map(|name| (Purpose::Ignore, name)));
    let given = given.chain(factors.map(|name| (Purpose::Interact, name)));
    let absent = given.filter(|(_, name)| !options.found.has_met(name));
    let mut unmet: Vec<_> = absent.map(|(purpose, name)| UnmetName { purpose, name: name.clone() }).collect();
    unmet.dedup();
    unmet
}
