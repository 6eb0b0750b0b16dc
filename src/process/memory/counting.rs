//! The global allocator, which counts the bytes in use and ends the program before they exceed the memory budget.

use super::{INPUTS, ROWS, available};
use crate::process::signals;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fs::File,
    io::{self, Cursor, Write},
    os::{fd::AsFd, unix::fs::FileExt},
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

/// Number of bytes that are currently allocated or mapped.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// Memory budget: the greatest number of bytes that may be in use.
static BUDGET: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether the memory budget was set by the user; otherwise it is the memory that was free at the start.
static GIVEN: AtomicBool = AtomicBool::new(false);
/// Whether the program is already ending for lack of memory.
static ENDING: AtomicBool = AtomicBool::new(false);
/// Memory reserved for the shutdown for lack of memory; freed when the system refuses an allocation, and null afterwards.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
/// Size and alignment of [`RESERVE`]: 1 MiB, large enough for the system to map it separately and reclaim it at once when freed.
const RESERVED: Layout = Layout::new::<[u8; 1 << 20]>();

thread_local! {
    /// Whether this thread is the one that ends the program; its allocations are then no longer refused.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

/// Starts to enforce a memory budget of `bytes`; `None` sets the budget to the free memory.
pub(super) fn limit(bytes: Option<usize>) {
    // SAFETY: the size of the layout is not 0.
    RESERVE.store(unsafe { System.alloc(RESERVED) }, Relaxed);
    GIVEN.store(bytes.is_some(), Relaxed);
    let free = || available::bytes().saturating_add(TAKEN.load(Relaxed));
    BUDGET.store(bytes.unwrap_or_else(free), Relaxed);
}

/// Returns the number of bytes that may still be allocated within the budget.
pub(super) fn left() -> usize {
    BUDGET.load(Relaxed).saturating_sub(TAKEN.load(Relaxed))
}

/// Adds `bytes` to the memory in use, and ends the program if the budget is exceeded.
pub(super) fn take(bytes: usize) {
    let taken = TAKEN.fetch_add(bytes, Relaxed).saturating_add(bytes);
    if taken > BUDGET.load(Relaxed) {
        end(Cause::Budget(taken));
    }
}

/// Subtracts `bytes` from the memory in use.
pub(super) fn give(bytes: usize) {
    TAKEN.fetch_sub(bytes, Relaxed);
}

/// Ends the program if its resident memory exceeds the budget, for instance because C libraries allocated memory that is not counted here.
pub(super) fn check_resident() {
    let resident = resident().unwrap_or(0);
    if resident > BUDGET.load(Relaxed) {
        end(Cause::Budget(resident));
    }
}

/// Returns the resident memory of the process in bytes, without memory-mapped files; `None` if the system does not report it.
fn resident() -> Option<usize> {
    static STATM: OnceLock<Option<File>> = OnceLock::new();
    let file = STATM.get_or_init(|| File::open("/proc/self/statm").ok()).as_ref()?;
    let mut bytes = [0; 128];
    let n = file.read_at(&mut bytes, 0).ok()?;
    let mut pages = str::from_utf8(&bytes[..n]).ok()?.split(' ').skip(1).map_while(|word| word.parse::<usize>().ok());
    let (resident, of_files) = (pages.next()?, pages.next()?);
    Some(resident.saturating_sub(of_files).saturating_mul(rustix::param::page_size()))
}

/// Global allocator: forwards to the system allocator and counts all bytes.
#[derive(Debug)]
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every block comes from `System` and returns to it. Each call passes on its arguments, whose conditions the caller guarantees,
// and returns the result of `System`. Counting touches only atomics: it neither allocates nor unwinds, and it does not return if the
// budget is exceeded. `end` allocates through this allocator, which then refuses nothing to its thread.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller guarantees the conditions of this method.
        given(layout.size(), || unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller guarantees the conditions of this method.
        given(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        give(layout.size());
        // SAFETY: the caller guarantees the conditions of this method.
        unsafe { System.dealloc(block, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let more = size.saturating_sub(layout.size());
        take(more);
        // SAFETY: the caller guarantees the conditions of this method; if null is returned the block is unchanged, so that a second attempt is valid.
        let block = given(more, || unsafe { System.realloc(block, layout, size) });
        give(layout.size().saturating_sub(size));
        block
    }
}

/// Calls `ask` to allocate `bytes` bytes and returns a pointer to them; ends the program if the allocation fails.
#[inline]
fn given(bytes: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
    let block = ask();
    if !block.is_null() {
        return block;
    }
    end(Cause::System(bytes));
    // Only the thread that ends the program gets here; it has freed the reserve.
    ask()
}

/// Reason why the program ends for lack of memory.
#[derive(Clone, Copy)]
enum Cause {
    /// The memory in use, whose number of bytes is given, exceeds the budget.
    Budget(usize),
    /// The system refused an allocation of this number of bytes.
    System(usize),
}

/// Ends the program with a message about memory. This thread may still allocate; any other thread that needs memory waits until the
/// process is gone.
#[cold]
fn end(cause: Cause) {
    if ENDS.get() {
        return;
    }
    if ENDING.swap(true, Relaxed) {
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    ENDS.set(true);
    let reserve = RESERVE.swap(ptr::null_mut(), Relaxed);
    if !reserve.is_null() {
        // SAFETY: the block was allocated in `limit` with this layout, and no other thread can reach it after the swap.
        unsafe { System.dealloc(reserve, RESERVED) };
    }
    let mut message = Cursor::new([0_u8; 500]);
    // Text that does not fit is omitted.
    let _ = write_message(&mut message, cause);
    let length = message.position() as usize;
    // `Stderr` is avoided because this thread may hold its lock.
    if let Ok(error) = io::stderr().as_fd().try_clone_to_owned() {
        let _ = File::from(error).write_all(&message.get_ref()[..length]);
    }
    signals::leave(1);
}

fn write_message(to: &mut impl Write, cause: Cause) -> io::Result<()> {
    write!(to, "surefoot: ")?;
    // A thread that holds the lock is about to record the next inputs.
    if let Ok(inputs) = INPUTS.try_lock()
        && !inputs.is_empty()
    {
        let shown = inputs.char_indices().nth(60).map_or(&**inputs, |(end, _)| &inputs[..end]);
        write!(to, "{shown}: ")?;
        match ROWS.load(Relaxed) {
            0 => {}
            rows => write!(to, "after row {rows}: ")?,
        }
    }
    let mebibytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    match cause {
        Cause::Budget(needed) => {
            let whose = if GIVEN.load(Relaxed) { "--memory" } else { "what was free; --memory says otherwise" };
            let budget = mebibytes(BUDGET.load(Relaxed));
            // The total need of the run is unknown, so only a lower bound is reported.
            write!(
                to,
                "at least {:.1} MiB of memory are needed, the budget is {budget:.1} ({whose})",
                mebibytes(needed)
            )?;
        }
        Cause::System(more) => {
            let taken = mebibytes(TAKEN.load(Relaxed).saturating_sub(more));
            write!(to, "{taken:.1} MiB of memory are in use and the system refuses {:.1} more", mebibytes(more))?;
        }
    }
    writeln!(to, "; give it more, or hash features (--bits), leave out columns or write shorter rows")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_fit_into_a_line() {
        super::super::reading(&"\u{1f600}".repeat(500));
        ROWS.store(u64::MAX, Relaxed);
        for cause in [Cause::Budget(usize::MAX), Cause::System(usize::MAX)] {
            let mut message = Cursor::new([0_u8; 500]);
            write_message(&mut message, cause).unwrap();
            let length = message.position() as usize;
            assert!(message.get_ref()[..length].ends_with(b"\n"));
        }
    }

    #[test]
    fn written_memory_is_resident() {
        let before = resident().unwrap();
        let block = vec![1_u8; 64 << 20];
        assert!(resident().unwrap() > before + (60 << 20), "{}", block.len());
    }
}
