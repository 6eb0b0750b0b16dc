//! Names of features or namespaces that were given by the caller but occur in no row.

use surefoot_io::Options;

/// Number of rows read after which the names that occur in none of them are reported.
pub(crate) const ROWS: u64 = 1000;

/// Purpose for which the caller gave the name of a feature or namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The name selects features to use; all others are ignored.
    Keep,
    /// The name selects features to ignore.
    Ignore,
    /// The name selects a factor of an interaction, whose products with the other factor are added as features.
    Interact,
}

/// Name of a namespace, or index of a feature, that was given by the caller but occurs in no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetName {
    /// Purpose for which the caller gave the name.
    pub purpose: Purpose,
    /// Name as given by the caller.
    pub name: String,
}

/// Returns the names given by the caller that have occurred in no row so far. Empty for tables, whose column names are known in advance.
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
