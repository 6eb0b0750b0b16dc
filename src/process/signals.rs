//! Handling of Ctrl-C, SIGTERM, SIGHUP and SIGXCPU.
//!
//! A thread receives the signals, since hardly anything is allowed in a signal handler. The first signal is only recorded, and the working
//! threads check for it every few milliseconds; a second Ctrl-C ends the process at once.

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ},
    flag,
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};
use surefoot_glm::threads::start;

/// Signals that ask the program to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT: Ctrl-C was pressed.
    Interrupt,
    /// SIGTERM: another process asks this one to end.
    Terminate,
    /// SIGHUP: the terminal was closed.
    HangUp,
    /// SIGXCPU: the limit of CPU time is nearly reached.
    CpuTime,
}

impl Signal {
    const ALL: [Signal; 4] = [Signal::Interrupt, Signal::Terminate, Signal::HangUp, Signal::CpuTime];

    /// Returns the exit status for a run that this signal ended: 128 plus its number.
    pub(crate) fn status(self) -> u8 {
        128 + self.number()
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Signal::Interrupt => "interrupted",
            Signal::Terminate => "terminated",
            Signal::HangUp => "the terminal has hung up",
            Signal::CpuTime => "the limit of processor time is reached",
        }
    }

    fn number(self) -> u8 {
        match self {
            Signal::Interrupt => SIGINT as u8,
            Signal::Terminate => SIGTERM as u8,
            Signal::HangUp => SIGHUP as u8,
            Signal::CpuTime => SIGXCPU as u8,
        }
    }

    fn from_number(number: i32) -> Option<Signal> {
        Signal::ALL.into_iter().find(|signal| i32::from(signal.number()) == number)
    }
}

/// Record of the signals received so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    first: Arc<AtomicUsize>,
    /// Whether the first signal ends the process at once; otherwise the second one does.
    hasty: Arc<AtomicBool>,
}

impl Signals {
    /// Starts to record signals. `targets` are the output files: their temporary files are removed if a second signal ends the process.
    pub(crate) fn catch(targets: impl IntoIterator<Item = impl AsRef<Path>>) -> Signals {
        let whole = |target: &Path| fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let signals = Signals::default();
        if let Ok(mut writing) = WRITING.lock() {
            *writing = targets.into_iter().map(|target| whole(target.as_ref())).collect();
        }
        // SIGXFSZ is caught so that a file that grows too large fails its write instead of ending the process.
        let ours =
            Signal::ALL.map(|signal| i32::from(signal.number())).into_iter().filter(|number| !is_ignored(*number));
        let taken: Vec<i32> = ours.clone().chain([SIGXFSZ]).collect();
        if let Ok(incoming) = signal_hook::iterator::Signals::new(taken) {
            let watch = |(mut incoming, seen): (signal_hook::iterator::Signals, Signals)| {
                incoming.forever().filter_map(Signal::from_number).for_each(|signal| seen.take(signal));
            };
            if start("signals", (incoming, signals.clone()), watch).is_err() {
                // Without a thread a signal is only recorded; SIGXFSZ stays caught.
                ours.for_each(|number| _ = flag::register_usize(number, Arc::clone(&signals.first), number as usize));
            }
        }
        signals
    }

    /// Makes the first signal end the process at once, for a command without work to save; `target` is its output file.
    pub(crate) fn end_at_once(target: impl AsRef<Path>) {
        Signals::catch([target]).hasty.store(true, Ordering::SeqCst);
    }

    /// Returns the first signal received; `None` if there was none.
    pub(crate) fn caught(&self) -> Option<Signal> {
        Signal::from_number(self.first.load(Ordering::Relaxed) as i32)
    }

    fn take(&self, signal: Signal) {
        let number = usize::from(signal.number());
        let first = self.first.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if self.hasty.load(Ordering::SeqCst) || (!first && signal == Signal::Interrupt) {
            leave(signal.status().into());
        }
    }
}

/// Whether the signal is SIGHUP and was already ignored when the program started, as under `nohup`. False for all other signals.
fn is_ignored(number: i32) -> bool {
    let said = || fs::read_to_string("/proc/self/status").ok();
    let mask = |said: String| {
        let line = said.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    number == SIGHUP && said().and_then(mask).is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}

/// Output files that this process is writing, whose temporary files are removed if it is ended by a signal.
static WRITING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Ends the process at once without finishing its work, and removes the temporary files of its outputs.
pub(crate) fn leave(status: i32) -> ! {
    if let Ok(targets) = WRITING.try_lock() {
        surefoot_io::create_no_more_outputs();
        targets.iter().for_each(|target| remove_temporaries(target));
    }
    signal_hook::low_level::exit(status)
}

/// Removes the temporary files and folders that this process has written next to `target` in order to replace it: see [`surefoot_io::Output`].
fn remove_temporaries(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let own = format!(".surefoot-tmp-{}-", std::process::id());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        if file.contains(&own) {
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
}
