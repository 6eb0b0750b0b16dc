//! The command line: flags are declared in `cli`, checked against each other and the data in `rules`, and turned into settings here.
//!
//! May use [`words`](crate::words) and the libraries; prints nothing. A new flag is declared in `cli`, has a row in `rules`, and is used in
//! `settings`, `reading` or `start`. No other code mentions it, apart from advice in messages.

pub(crate) mod cli;
pub(crate) mod given;
pub(crate) mod hint;
pub(crate) mod inputs;
pub(crate) mod reading;
pub(crate) mod rules;
pub(crate) mod settings;
pub(crate) mod start;
pub(crate) mod values;
