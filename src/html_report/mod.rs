//! The report page: one file that fetches nothing.
//!
//! May use [`terminal`](crate::terminal), of which it shows the results, and [`words`](crate::words). A new card is a function that gives
//! HTML, called by `page`.

pub(crate) mod page;
