//! Columns of tables, their roles, partition folders, and reader options: everything needed before features are built.
//!
//! The types hold data shared by formats and readers. This module may use [`files`](crate::files), [`ids`](crate::ids) and
//! [`text`](crate::text).

pub(crate) mod column_names;
pub(crate) mod column_roles;
pub(crate) mod column_selection;
pub(crate) mod dialect;
pub(crate) mod folder_key;
pub(crate) mod format;
pub(crate) mod inferred;
pub(crate) mod inferred_schema;
pub(crate) mod options;
pub(crate) mod partitions;
