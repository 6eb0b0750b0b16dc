//! What parts text into records and cells; reading them is a matter of the format.

/// What parts a text into records and cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// What stands between cells; a blank stands for any run of blanks and tabs.
    pub(crate) delimiter: u8,
    /// What encloses a cell in which delimiters and line breaks are text; `None` if nothing does.
    pub(crate) quote: Option<u8>,
}
