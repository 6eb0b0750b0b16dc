//! Ctrl-C and SIGTERM.
//!
//! A thread takes the signals, since a handler may do next to nothing. The first one is only written down,
//! and whoever works looks at it every few milliseconds; a second Ctrl-C ends the process there and then.

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    thread,
};

/// A signal that asks the program to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl Signal {
    /// The exit status that says which signal it was.
    pub(crate) fn status(self) -> u8 {
        128 + self.number()
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Signal::Interrupt => "interrupted",
            Signal::Terminate => "terminated",
        }
    }

    fn number(self) -> u8 {
        match self {
            Signal::Interrupt => SIGINT as u8,
            Signal::Terminate => SIGTERM as u8,
        }
    }

    fn from_number(number: i32) -> Option<Signal> {
        match number {
            SIGINT => Some(Signal::Interrupt),
            SIGTERM => Some(Signal::Terminate),
            _ => None,
        }
    }
}

/// What signals came so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    first: Arc<AtomicU8>,
    /// Whether the first signal already ends the process.
    hasty: Arc<AtomicBool>,
    /// The files that may be in writing then.
    targets: Vec<PathBuf>,
}

impl Signals {
    /// Writes the first signal down from now on; a second one may come while one of `targets` is written.
    pub(crate) fn catch(targets: impl IntoIterator<Item = impl AsRef<Path>>) -> Signals {
        let whole = |target: &Path| fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let targets = targets.into_iter().map(|target| whole(target.as_ref())).collect();
        let signals = Signals { targets, ..Signals::default() };
        let seen = signals.clone();
        // Taken so that a file that grows too large is an error of the write, not the end of the process.
        let taken = [SIGINT, SIGTERM, SIGXFSZ];
        // Without this thread the signals keep their usual effect: the process ends.
        if let Ok(mut incoming) = signal_hook::iterator::Signals::new(taken) {
            let watch = move || {
                incoming.forever().filter_map(Signal::from_number).for_each(|signal| seen.take(signal));
            };
            let _ = thread::Builder::new().name("signals".into()).spawn(watch);
        }
        signals
    }

    /// The first signal ends the process, which has nothing worth saving.
    pub(crate) fn end_at_once(target: impl AsRef<Path>) {
        Signals::catch([target]).hasty.store(true, Ordering::SeqCst);
    }

    /// The first signal, if one came.
    pub(crate) fn caught(&self) -> Option<Signal> {
        Signal::from_number(i32::from(self.first.load(Ordering::Relaxed)))
    }

    fn take(&self, signal: Signal) {
        let first = self.first.compare_exchange(0, signal.number(), Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if self.hasty.load(Ordering::SeqCst) || (!first && signal == Signal::Interrupt) {
            self.targets.iter().for_each(|target| remove_temporaries(target));
            signal_hook::low_level::exit(i32::from(signal.status()));
        }
    }
}

/// Removes what this process was about to put in the place of `target`: see [`surefoot_io::Output`].
fn remove_temporaries(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let own = format!(".surefoot-tmp-{}-", std::process::id());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        if file.contains(&own) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
