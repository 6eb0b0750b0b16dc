//! The progress bar on standard error: completed share, speed and remaining time; shown only on a terminal.

use super::console::Console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// Number of parts of a bar that shows a share.
const PARTS: u64 = 1000;

/// Progress bar on standard error; `None` if no bar is shown.
#[derive(Debug)]
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Creates a progress bar for `total` bytes, or a spinner if the total is unknown.
    pub(crate) fn new(console: &mut Console, total: Option<u64>) -> Progress {
        let template = match total {
            Some(_) => "{bar:30} {bytes}/{total_bytes}  {binary_bytes_per_sec}  {eta} left",
            None => "{spinner} {bytes}  {binary_bytes_per_sec}",
        };
        Progress::styled(console, total, template)
    }

    /// Creates a progress bar for `total` equal pieces of work.
    pub(crate) fn of_pieces(console: &mut Console, total: u64) -> Progress {
        Progress::styled(console, Some(total), "{bar:30} {pos}/{len}  {eta} left")
    }

    /// Creates a progress bar for the workers of a run, or a spinner if the number of bytes to read is unknown.
    pub(crate) fn of_workers(console: &mut Console, bytes: Option<u64>) -> Progress {
        match bytes {
            Some(_) => Progress::styled(console, Some(PARTS), "{bar:30} {percent} %  {msg}"),
            None => Progress::styled(console, None, "{spinner} {msg}"),
        }
    }

    fn styled(console: &mut Console, total: Option<u64>, template: &str) -> Progress {
        if !console.is_terminal() || !console.talks() || !std::io::stderr().is_terminal() {
            return Progress(None);
        }
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(8));
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        console.share(&bar);
        Progress(Some(bar))
    }

    pub(crate) fn at(&self, position: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(position);
        }
    }

    /// Moves the bar to this share, with a message beside it.
    pub(crate) fn show(&self, share: Option<f64>, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.0 {
            bar.set_position((share.unwrap_or(0.0) * PARTS as f64) as u64);
            bar.set_message(message());
        }
    }

    /// Whether there is a bar to be seen.
    pub(crate) fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Removes the progress bar from the screen.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
