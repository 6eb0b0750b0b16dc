//! Dialect of a text table: delimiter and quote character.

/// Delimiter and quote character of a text table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Delimiter between cells, as an ASCII byte; a blank stands for any run of blanks and tabs.
    pub(crate) delimiter: u8,
    /// Quote character; `None` if cells are never quoted.
    pub(crate) quote: Option<u8>,
}
