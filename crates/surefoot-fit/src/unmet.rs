//! Names that the caller gave and that no row has.

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

/// A name of a namespace or an index that no row has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetName {
    /// Purpose of the name.
    pub purpose: Purpose,
    /// The name.
    pub name: String,
}

/// The names that no row had so far; columns are known beforehand and never among them.
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
