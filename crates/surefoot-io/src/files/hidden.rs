//! Names of files that hold no data, by the convention of Hadoop.

/// Whether a file or folder name marks hidden or auxiliary files, by the Hadoop convention (names that begin with `_` or `.`).
pub(super) fn is_hidden(name: &[u8]) -> bool {
    name.starts_with(b".") && name != b"." && name != b".." || name.starts_with(b"_") && !name.contains(&b'=')
}
