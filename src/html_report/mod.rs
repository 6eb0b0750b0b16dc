//! The HTML report: one self-contained page that loads no other resource.
//!
//! May use [`terminal`](crate::terminal), whose results it shows, and [`words`](crate::words). A new card is a function that returns
//! HTML and is called by `page`.
//!
//! | cards | file |
//! | --- | --- |
//! | calibration, ROC and precision-recall curves, metrics | `page/quality.rs` |
//! | confusion matrix | `page/matrix.rs` |
//! | residuals of numeric predictions | `page/errors.rs` |
//! | losses along the run, lanes, certificates | `page/learning.rs` |
//! | penalties that were tried | `page/path.rs` |
//! | workers of a distributed fit | `page/workers.rs` |
//! | weights, data, settings, times | `page/details.rs` |

pub(crate) mod page;
