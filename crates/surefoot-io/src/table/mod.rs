//! Options and inferred properties of the data, before features are built: columns, their roles, and partition folders.
//!
//! The types are plain data shared by formats and readers. This module may use [`files`](crate::files), [`ids`](crate::ids) and
//! [`text`](crate::text).

pub(crate) mod column_names;
pub(crate) mod column_roles;
pub(crate) mod column_selection;
pub(crate) mod dialect;
pub(crate) mod format;
pub(crate) mod inferred;
pub(crate) mod options;
pub(crate) mod partitions;
