//! The dialect of a text table: delimiter and quote character.

/// Delimiter and quote character of a text table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Delimiter of cells; a blank stands for any run of blanks and tabs.
    pub(crate) delimiter: u8,
    /// Quote character, if cells may be quoted.
    pub(crate) quote: Option<u8>,
}
