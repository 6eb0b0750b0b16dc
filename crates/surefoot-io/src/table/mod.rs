//! What is said and found out about data before features are made: options, columns and their roles, what folders say.
//!
//! Plain data that formats and readers share. May use [`files`](crate::files), [`ids`](crate::ids) and [`text`](crate::text).

pub(crate) mod column_names;
pub(crate) mod column_roles;
pub(crate) mod column_selection;
pub(crate) mod dialect;
pub(crate) mod format;
pub(crate) mod inferred;
pub(crate) mod options;
pub(crate) mod partitions;
