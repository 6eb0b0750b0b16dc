//! Feature names given by the caller that occur in no row.

use surefoot_io::Options;

/// Number of rows read before the names that occur in none of them are reported.
pub(crate) const ROWS: u64 = 1000;

/// Purpose for which the caller gave a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Selects the features to use; all others are ignored.
    Keep,
    /// Names features that are ignored.
    Ignore,
    /// Names a factor of an interaction, whose products are added as features.
    Interact,
}

/// Namespace or index given by the caller that occurs in no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetName {
    /// Purpose for which the name was given.
    pub purpose: Purpose,
    /// Text of the name.
    pub name: String,
}

/// Returns the given names that no row has had so far. Empty for tables, whose column names are known beforehand.
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
