//! The HTML report: one self-contained page that fetches nothing.
//!
//! May use [`terminal`](crate::terminal), whose results it shows, and [`words`](crate::words). A new card is a function that returns
//! HTML and is called by `page`.

pub(crate) mod page;
