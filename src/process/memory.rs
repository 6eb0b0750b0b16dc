//! A memory budget for the process: exceeding it ends the program with an error.
//!
//! All allocations are counted ([`counting`]), and so are the memory-mapped pages of models. Memory of C libraries (decoders of compressed
//! files) and memory that the allocator retains are visible only in the size of the process, which is checked with every batch of rows. An
//! allocation that would exceed the budget, or that the system refuses, ends the program with a message and status 1, since nothing can be
//! undone from within an allocation. Files are then either complete or unchanged; standard output and pipes may end in the middle of a line,
//! and only the exit status reports the failure.

mod available;
mod counting;

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// Name of the environment variable that limits the bytes used for rows kept in memory.
pub(crate) const VARIABLE: &str = "SUREFOOT_MEMORY";

/// Number of rows read so far, for the error message if memory runs out.
static ROWS: AtomicU64 = AtomicU64::new(0);
/// Names of the input files being read, for the error message if memory runs out; empty until reading begins.
static INPUTS: Mutex<String> = Mutex::new(String::new());

/// Starts to enforce a memory budget of `bytes`; `None` sets the budget to the free memory. Must be called only once.
pub(crate) fn limit(bytes: Option<usize>) {
    surefoot_glm::count_page_memory(counting::take, counting::give);
    surefoot_fit::watch_rows(|data| reading(&data.to_string()), read);
    counting::limit(bytes);
}

/// Records the names of the inputs that are read from now on, for the error message if memory runs out.
fn reading(inputs: &str) {
    if let Ok(mut known) = INPUTS.lock() {
        inputs.clone_into(&mut known);
    }
    ROWS.store(0, Relaxed);
}

/// Adds `rows` to the number of rows read, and checks the size of the process against the budget.
fn read(rows: usize) {
    ROWS.fetch_add(rows as u64, Relaxed);
    counting::check_resident();
}

/// Returns the number of bytes that rows kept in memory may use: the value of `SUREFOOT_MEMORY`, otherwise half of what is left of the
/// budget.
pub(crate) fn for_rows() -> usize {
    let said = std::env::var(VARIABLE).ok().and_then(|said| said.parse().ok());
    said.unwrap_or_else(|| counting::left().min(available::bytes()) / 2)
}

/// Parses a number of bytes of at least 1 MiB, with an optional K, M, G or T for powers of 1024.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let message = || "give a number of bytes such as 500M or 2G, at least 1M".to_owned();
    let upper = text.trim().to_ascii_uppercase();
    let short = upper.strip_suffix("IB").or_else(|| upper.strip_suffix('B')).unwrap_or(&upper);
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let unit = units.iter().find_map(|&(unit, power)| Some((short.strip_suffix(unit)?, power)));
    let (digits, power) = unit.unwrap_or((short, 0));
    let number: f64 = digits.trim().parse().map_err(|_| message())?;
    let bytes = number * 2_f64.powi(power);
    if bytes >= f64::from(1 << 20) && bytes.is_finite() { Ok(bytes as usize) } else { Err(message()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_with_units() {
        for (text, bytes) in [
            ("1048576", 1 << 20),
            ("1M", 1 << 20),
            ("2g", 2 << 30),
            ("1.5GiB", 3 << 29),
            ("64MB", 64 << 20),
            ("2048k", 2 << 20),
            ("1T", 1 << 40),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "M", "1X", "-1G", "0", "1000", "inf", "nan", "1e400G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
